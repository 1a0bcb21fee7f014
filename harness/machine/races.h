/* races.h - finds warps of one block that race on a word of global memory: between two barriers of the block, one
 * changes it and another one reads or changes it. Atomics, and accesses that are meant for others (volatile ones), are
 * none, nor is a store of what was there. It looks at the first accesses of a block. */
#ifndef RACES_H
#define RACES_H

#include "block.h"

#include <stdint.h>

struct races *races_open(void);
void races_close(struct races *races);
/* Forgets all accesses: another block begins. */
void races_clear(struct races *races);

/* Notes a load. Fails the block if it races. */
void races_load(struct warp *warp, uint32_t lanes, const uint64_t *addresses, unsigned size);

/* These are called before a store and behind it. The second one fails the block if it races. */
void races_before_store(struct warp *warp, uint32_t lanes, const uint64_t *addresses, unsigned size);
void races_store(struct warp *warp, uint32_t lanes, const uint64_t *addresses, unsigned size);

#endif
