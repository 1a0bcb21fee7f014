/* block_races.h - finds races between blocks of a launch: by plain loads, stores and copies (cp.async, TMA) of a word
 * of global memory that nothing orders. What orders them is a fence of the GPU before a volatile store or an atomic
 * that the other block looks at. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct block_races;
struct grid;

/* Of more than `most` words that blocks share, a power of 2, a sample is looked at, which is noted (outside_noted()).
 */
enum { BLOCK_RACES_MOST = 1 << 18 };
struct block_races *block_races_open(size_t most);
void block_races_close(struct block_races *races);
/* Begins a workload, whose races are looked for in its orders behind 0. */
void block_races_begin(struct block_races *races);
/* Begins a launch. */
void block_races_launch(struct block_races *races, const struct grid *grid);

/* Returns what the surest race of the workload does and where; NULL: there is none. *sure: it is a fault; else it may
 * be meant, as where an algorithm chooses a minimum until nothing changes. Caller frees. */
char *block_races_find(const struct block_races *races, bool *sure);
