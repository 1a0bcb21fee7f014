/* mbarrier.h - barriers in shared memory, for copies that arrive at them. */
#pragma once

#include "machine/block/block.h"

/* Sets each lane's address of a barrier. Its upper bits say in which block of the cluster the barrier is. */
void barrier_addresses(struct warp *warp, const struct operand *operand, uint32_t addresses[LANES]);

/* Notes at a barrier that bytes have come; its address has the block's rank above its offset. */
void mbarrier_bytes_come(struct block *block, uint32_t address, uint64_t bytes);

/* Whether the phase is over that an instruction waits for, in these lanes. */
bool phase_is_over(struct warp *warp, const struct instruction *code, uint32_t lanes);
/* Fails the block because a split waits for a phase that never ends. */
__attribute__((noreturn)) void phase_is_missing(struct warp *warp, const struct split *split);
