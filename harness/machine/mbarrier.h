/* mbarrier.h - barriers in shared memory, for copies that arrive at them. */
#pragma once

#include "block.h"

/* Returns which phase a barrier is in. */
bool mbarrier_phase(struct block *block, uint32_t address);

/* Sets each lane's address of a barrier. Its upper bits say in which block of the cluster the barrier is. */
void barrier_addresses(struct warp *warp, const struct operand *operand, uint32_t addresses[LANES]);

/* Notes at a barrier that bytes have come; its address has the block's rank above its offset. */
void mbarrier_bytes_come(struct block *block, uint32_t address, uint64_t bytes);
