/* progress.h - draws the line on standard error that tells how far a measurement is. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool drawn;        /* false: nothing is drawn */
    const char *label; /* as in struct measurement */
    double begin;      /* when the measurement began, by now_seconds() */
};

/* Draws the line: of `count` kernels so many have begun, and so many of these are done. ids names those at work. */
void progress_draw(const struct progress *progress, size_t begun, size_t done, size_t count, const char *ids);

/* Removes the line. This is called before anything else is printed. */
void progress_erase(const struct progress *progress);

#endif
