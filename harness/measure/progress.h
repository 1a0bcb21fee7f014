/* progress.h - the line on standard error that says how far a measurement is. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool drawn;        /* else nothing is */
    const char *label; /* as in struct measurement */
    double begin;      /* of the measurement, by now_seconds() */
};

/* So many of `count` kernels have begun, and so many of these are done. ids: those at work. */
void progress_draw(const struct progress *progress, size_t begun, size_t done, size_t count, const char *ids);

/* Before anything else is said. */
void progress_erase(const struct progress *progress);

#endif
