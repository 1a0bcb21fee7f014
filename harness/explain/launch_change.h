/* launch_change.h - in words, what the launches of a kernel take otherwise than they did. Pure. */
#ifndef LAUNCH_CHANGE_H
#define LAUNCH_CHANGE_H

#include "model/model.h"

/* "block 256x1x1 -> 32x1x1; registers 64 -> 128": of the launches and their machine code, the first against the first,
 * for a GPU of that capability (90 for 9.0). NULL when nothing changed, or the base has no launches. Caller frees. */
char *launch_change_of(int capability, const struct result *base, const struct result *now);

#endif
