/* hazards.h - finds bytes of shared memory that are accessed while a copy still owns them: read or written before its
 * barrier's phase was waited for, overwritten by a copy before all have read them, changed while a store still reads
 * them, or stored without the fence that shows them to the copy.
 *
 * Who knows of what is followed warp by warp. Each warp has a clock, and knows up to which clock of the other warps all
 * is done before what it does next. It learns so at barriers. Where that is not followed, such as by flags, it is taken
 * to know all, so that no right kernel is accused. */
#ifndef HAZARDS_H
#define HAZARDS_H

#include "block.h"

#include <stdbool.h>
#include <stdint.h>

struct hazards;

/* Returns whether code has copies that this looks at. */
bool hazards_matter(const struct code *code);
struct hazards *hazards_open(const struct block *block);
void hazards_clear(struct hazards *hazards);
void hazards_close(struct hazards *hazards);

/* In all that follow, block->hazards is not NULL; addresses are offsets in the block's shared memory. */

/* An access by a warp. */
void hazards_visit(struct warp *warp, uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes);
/* A copy that a warp, maybe of another block, issues to this block's memory, and that comes to a barrier of it in that
 * phase. */
void hazards_load(struct block *block, struct warp *issuer, uint32_t offset, uint32_t bytes, uint32_t barrier,
                  bool phase);
/* A copy from the memory of the warp's block. Without groups, that it has read its source is not followed. */
void hazards_store(struct warp *warp, uint32_t offset, uint32_t bytes, bool grouped);
void hazards_commit(struct warp *warp);
/* Waits until all groups of copies but the last `left` have read what they copy. */
void hazards_wait_stores(struct warp *warp, unsigned left);
void hazards_fence(struct warp *warp);

/* A warp arrives at a barrier in this block's memory, or has waited for its phase. from: the warp; NULL: one of another
 * block. */
void hazards_arrive(struct block *block, struct warp *from, uint32_t barrier);
void hazards_waited(struct warp *warp, uint32_t barrier, bool phase);
/* Warps, one bit each, that have waited for each other and for those that arrived. */
void hazards_meet(struct block *block, uint32_t waited, uint32_t arrived);
/* The clock of a warp now, and whether another one knows that the warp has done all before such a clock. */
unsigned hazards_clock(const struct warp *warp);
bool hazards_knows(const struct warp *warp, const struct warp *of, unsigned clock);
/* A warp learns all that was done before, in a way that is not followed. */
void hazards_learn_all(struct warp *warp);

#endif
