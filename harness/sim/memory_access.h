/* memory_access.h - shared memory for operations that are not in memory.c. */
#ifndef MEMORY_ACCESS_H
#define MEMORY_ACCESS_H

#include "machine.h"

#include <stdbool.h>
#include <stdint.h>

/* The address in shared memory that operand n, [register + uniform register + offset], has in each of the lanes. Each
 * accesses so many bytes there: outside the block's or not aligned to them, the block fails. What lies there is
 * warp->block->shared + address. */
void shared_access(struct warp *warp, const struct instruction *code, unsigned n, uint32_t lanes, unsigned bytes,
                   bool writes, uint32_t addresses[LANES]);

/* Adds an access to the instruction's tally, where the block counts. */
void shared_counted(struct warp *warp, const struct instruction *code, unsigned wavefronts, unsigned ideal);

#endif
