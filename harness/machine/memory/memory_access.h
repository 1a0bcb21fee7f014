/* memory_access.h - shared memory, for operations outside of memory.c. */
#pragma once

#include "memory.h"

/* Sets the address in shared memory that operand n, [register + uniform register + offset], has in each of the lanes.
 * Each lane accesses `bytes` there. The block fails if they are outside of its shared memory or not aligned. The bytes
 * are at warp->block->shared + address. */
void shared_access(struct warp *warp, const struct instruction *code, unsigned n, uint32_t lanes, unsigned bytes,
                   bool writes, uint32_t addresses[LANES]);

/* Adds an access to the instruction's tally, if the block counts. */
void shared_counted(struct warp *warp, const struct instruction *code, unsigned wavefronts, unsigned ideal);

/* Notes at a barrier that bytes have come; its address has the block's rank above its offset. In mbarrier.c. */
void mbarrier_bytes_come(struct block *block, uint32_t address, uint64_t bytes);
