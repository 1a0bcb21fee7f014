/* control.h - instructions that say where a warp continues, or that it waits. */
#pragma once

#include "machine/block/block.h"

/* Executes a control instruction for the split of that index and the lanes whose guard is true. False: the split waits,
 * is gone, or has to let others go first. */
bool control_run(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes);

/* Lets warps continue that wait at a barrier of the block, if all have arrived: `wanted` threads, or if that is 0 as
 * many as those that wait for it ask for. Where none waits, it begins anew. Returns whether they had. In
 * barriers.c. */
bool barrier_open(struct block *block, unsigned number, unsigned wanted);

/* Lets warps of a cluster continue that wait at its barrier, if all have arrived. Returns whether it did. In
 * barriers.c. */
bool cluster_open(struct cluster *cluster);

/* Executes a warp until every split waits or has exited, or until its turn is over. In warp.c. */
enum { FUEL = 1 << 20 }; /* most instructions of a turn */
void warp_start(struct warp *warp);
bool warp_run(struct warp *warp); /* true: something was executed */
/* Lets splits continue that wait for a phase which is over. Returns whether there were any. */
bool warp_end_waits(struct warp *warp);
/* Lets splits continue that wait for a phase which is not over. They are told so. Returns whether there were any. */
bool warp_give_up_waits(struct warp *warp);

extern const struct opcode control_opcodes[], cluster_opcodes[];
