/* library_capsules.h - a file of capsules as a kernel library. */
#pragma once

#include "library.h"

/* Opens a file of capsules and makes a kernel of each. -1 with *problem; library_close() in any case. */
int library_open_capsules(struct library *library, const char *path, struct problem *problem);
