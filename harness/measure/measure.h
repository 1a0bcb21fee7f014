/* measure.h - the parent's half of measuring: workers are started, watched and replaced; a run comes out. */
#ifndef MEASURE_H
#define MEASURE_H

#include "model/metric.h"
#include "model/run.h"

#include <stdbool.h>

struct collector;

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
    bool lenient;   /* pass over globs that match no kernel: *run then lacks them, and has no kernel at all at worst */
    bool roofs;     /* also measures what the GPU can do; measure_whole does */
    const struct collector *lines; /* collector_lines or _stalls in place of the one named: no rows, and a process for
                                    * each kernel; or NULL */
    size_t skip;                   /* for it: launches of the variant before the function to be counted */
    const char *label;             /* what it is measured for, on the progress line: "confirming 3 kernels"; or NULL */
};

/* Measures every kernel that matches into *run, which holds what was measured whatever happens. Returns 0,
 * EXIT_INTERRUPTED after SIGINT, EXIT_USAGE when the library cannot be used or no kernel matched, EXIT_NOT_MEASURED
 * when no measuring was possible at all. Failures of single kernels are in their results. */
int measure_run(const struct measurement *measurement, struct run *run);

/* The same, and beside what was measured the facts of the library's machine code (resources.h); EXIT_NOT_MEASURED also
 * when these cannot be read. */
int measure_whole(const struct measurement *measurement, struct run *run);

/* What a command line asks for, with progress when standard error is a terminal. Borrows from both; -1 after error().
 */
struct options;
int measurement_init(struct measurement *measurement, const struct options *options, const struct metrics *metrics);

/* Both in one. */
int measure_from_options(const struct options *options, const struct metrics *metrics, struct run *run);

/* Sets what this program knows of a session: when, where, of which code. */
void measure_complete_session(struct session *session);

#endif
