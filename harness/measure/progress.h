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

/* Kernel number `place` of `count`, from 0 on, begins. */
void progress_draw(const struct progress *progress, size_t place, size_t count, const char *id);

/* Before anything else is said. */
void progress_erase(const struct progress *progress);

#endif
