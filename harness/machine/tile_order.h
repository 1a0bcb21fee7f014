/* tile_order.h - a table of constants may say which place a block takes, as that of nvjet does. Along that axis of the
 * grid, blocks are in the order of their places then. */
#pragma once

#include "turns.h"

#include "machine/affine/affine.h"

/* Returns the order of the axis that has one, and sets it there; NULL: none has. blocks: of the grid along each axis.
 * Caller frees. */
uint32_t *order_of_tiles(const struct run_state *run, const unsigned *blocks, struct axis *axes);
