/* left.h - blocks of the last launch that were left out, because their counts were proved (classes.h). They are
 * executed before anything sees what they leave in memory, unless they are forgotten. */
#ifndef LEFT_H
#define LEFT_H

#include "footprint.h"
#include "grid.h"

/* Leaves out all blocks of the launch but those in `done`, a bit each, which it takes over. all: what its blocks write,
 * of block 0; places: the allocations that they access; written: what those that are done have written. It takes over
 * the last two as well. */
void left_keep(const struct grid *grid, uint64_t *done, struct footprint *all, struct ranges *places,
               struct ranges *written);

/* Returns the blocks of a launch that are done, where others were left out, and sets *grid to the launch; NULL: none
 * were. The caller executes the others, frees the list, and calls grid_forget(), until when the launch's arguments are
 * there. */
uint64_t *left_take(struct machine *machine, struct grid *grid);

#endif
