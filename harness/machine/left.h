/* left.h - blocks of the last launch that were left out, because their counts were proved (classes.c). They are
 * executed before anything sees what they leave in memory, unless they are forgotten. */
#pragma once

#include "grid.h"

#include "machine/affine/affine.h"

struct left_memory {
    struct ranges touched; /* allocations that the launch accesses */
    struct ranges changed; /* what its blocks write or add to */
    struct ranges added;   /* what its blocks add to */
    struct ranges written; /* what the blocks in `done` wrote */
};

/* Leaves out all blocks of the launch but those in `done`, a bit each. It takes over `done` and the ranges. */
void left_keep(const struct grid *grid, uint64_t *done, const struct left_memory *memory);

/* Returns the blocks of a launch that are done, where others were left out, and sets *grid to the launch; NULL: none
 * were. The caller executes the others, frees the list, and calls grid_forget(), until when the launch's arguments are
 * there. */
uint64_t *left_take(struct machine *machine, struct grid *grid);

struct left;
void left_close(struct left *left);
