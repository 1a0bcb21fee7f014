/* hazards.h - finds bytes of shared memory that are accessed while a copy still owns them: read or written before its
 * barrier's phase was waited for, overwritten by a copy before all have read them, changed while a store still reads
 * them, or stored without the fence that shows them to the copy.
 *
 * Who knows of what is followed warp by warp. Each warp has a clock, and knows up to which clock of the other warps all
 * is done before what it does next. It learns so at barriers. Where that is not followed, such as by flags, it is taken
 * to know all, so that no right kernel is accused. */
#pragma once

#include <stdbool.h>

struct warp;
struct block;

/* Fails a block that ends while copies may still read or write its shared memory, which another one gets then. */
void hazards_end(struct block *block);

/* A warp arrives at a barrier of the block, and does not wait. */
void hazards_arrive(const struct warp *warp, unsigned number);

/* The clock of a warp now, and whether another one knows that the warp has done all before such a clock. Where hazards
 * are not looked for, all is known. */
unsigned hazards_clock(const struct warp *warp);
bool hazards_knows(const struct warp *warp, const struct warp *of, unsigned clock);
