/* library_parts.h - shared by the files that open a library. */
#ifndef LIBRARY_PARTS_H
#define LIBRARY_PARTS_H

#include "library.h"

/* Refuses a library that has an id twice: -1 with *problem. */
int library_check_unique(const struct library *library, const char *path, struct problem *problem);

/* Makes a kernel of each capsule of a file. -1 with *problem. In library_capsules.c. */
int library_open_capsules(struct library *library, const char *path, struct problem *problem);

#endif
