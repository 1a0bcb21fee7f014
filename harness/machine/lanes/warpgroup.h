/* warpgroup.h - products that a warpgroup, which is four warps, executes apart from its warps: who has to wait for
 * what, and what nobody may touch until then. Whoever does so nevertheless fails, since on a GPU the result is by
 * chance.
 *
 * Each warp multiplies its part at once, when it comes to the instruction. A wait is over when all four warps have come
 * as far, so that one of them may tell others that shared memory is free. */
#pragma once

#include "machine/block/block.h"

enum { WARPGROUP = 4 /* warps */ };

/* Looks at the registers of an instruction before it is executed. */
void warpgroup_watch(struct warp *warp, const struct instruction *code);

/* Whether the products are done that an instruction waits for. */
bool products_are_done(struct warp *warp, const struct instruction *code, uint32_t lanes);

/* Before a product reads its registers, and after it has written `registers` accumulators. */
void warpgroup_begin(struct warp *warp, const struct instruction *code);
void warpgroup_end(struct warp *warp, const struct instruction *code, unsigned registers);

/* Notes that a product reads 16 bytes of shared memory, and returns them. */
const unsigned char *warpgroup_unit(struct warp *warp, uint32_t address);
