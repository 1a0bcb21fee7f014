/* measure.h - the parent's half of measuring: workers are started, watched and replaced; a run comes out. */
#ifndef MEASURE_H
#define MEASURE_H

#include "metric.h"
#include "run.h"

#include <stdbool.h>

struct measurement {
    const char *kernels; /* path of the kernel library */
    const struct metrics *metrics;
    const char *collector;
    char *const *globs;
    size_t glob_count;
    int device;
    int samples;
    double timeout; /* seconds a kernel */
    bool progress;  /* draw the progress line on standard error */
};

/* Measures every kernel that matches into *run, which holds what was measured whatever happens. Returns 0,
 * EXIT_INTERRUPTED after SIGINT, EXIT_USAGE when the library cannot be used or no kernel matched, EXIT_NOT_MEASURED
 * when no measuring was possible at all. Failures of single kernels are in their results. */
int measure_run(const struct measurement *measurement, struct run *run);

/* The same with what a command line says, and progress when standard error is a terminal. */
struct options;
int measure_from_options(const struct options *options, const struct metrics *metrics, struct run *run);

#endif
