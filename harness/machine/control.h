/* control.h - instructions that say where a warp continues, or that it waits. */
#pragma once

#include "block.h"

/* Executes a control instruction for the split of that index and the lanes whose guard is true. False: the split waits,
 * is gone, or has to let others go first. */
bool control_run(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes);
