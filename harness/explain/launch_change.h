/* launch_change.h - describes how the launches of a kernel changed. Pure. */
#pragma once

#include "model/model.h"

/* Describes changes of launches and their machine code, the first launch compared with the first: "block 256x1x1 ->
 * 32x1x1; registers 64 -> 128". capability is the GPU's (90 for 9.0). NULL when nothing changed, or the base has no
 * launches. Caller frees. */
char *launch_change_of(int capability, const struct result *base, const struct result *now);
