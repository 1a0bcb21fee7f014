/* measure.h - the parent's half of measuring: workers are started, watched and replaced; a run comes out. */
#ifndef MEASURE_H
#define MEASURE_H

#include "model/model.h"
#include "worker/worker.h"

#include "computed.h"
#include "program.h"
#include "relay.h"

#include <stdbool.h>

/* Ordinals of GPUs. None: the first one. */
#define DEVICES_MAX 64
struct device_list {
    int list[DEVICES_MAX];
    size_t count;
    bool all; /* said in place of them */
};

struct measurement {
    const char *kernels; /* path of the kernel library; of a program another command, for the shell, or NULL */
    const struct program *program; /* measured in place of a library; or NULL */
    const struct metrics *metrics;
    const struct backend *backend;
    char *const *globs;
    size_t glob_count;
    struct device_list devices; /* that share the kernels, each a session of its own; not `all` any more */
    const struct run
        *like; /* kernels that it has are measured on the GPU where they were, and on none beside; or NULL */
    const struct run *costs; /* how long kernels took, so that the longest come first; or NULL */
    int samples;
    bool every_sample;   /* see struct job */
    double timeout;      /* seconds a kernel */
    bool progress;       /* draw the progress line on standard error */
    bool skip_unmatched; /* pass over globs that match no kernel: *run then lacks them, and has no kernel at all at
                            worst */
    bool roofs;          /* also measures what the GPU can do; measure_whole does */
    const char *gpu;     /* of a backend without a GPU, and dry: see struct job */
    bool dry;
    unsigned profile; /* PROVIDES_LINE_COUNTS or _STALLS in place of values: no rows, and a process for each kernel */
    size_t skip;      /* for it: launches of the variant before the function to be counted */
    struct relay *relay;            /* of measurements in turn, relay.h; or NULL */
    const struct measurement *next; /* of the relay: what comes after this one, as far as that is known, so that its
                                       workers are made ready while this one's measure; or NULL */
    const char *label;              /* what it is measured for, on the progress line: "confirming 3 kernels"; or NULL */
};

/* Measures every kernel that matches into *run, which holds what was measured whatever happens. Returns 0,
 * EXIT_INTERRUPTED after SIGINT, EXIT_USAGE when the library cannot be used or no kernel matched, EXIT_NOT_MEASURED
 * when no measuring was possible at all. Failures of single kernels are in their results. */
int measure_run(const struct measurement *measurement, struct run *run);

/* The same, and beside what was measured the facts of the library's machine code (static_facts.h); EXIT_NOT_MEASURED
 * also when these cannot be read. */
int measure_whole(const struct measurement *measurement, struct run *run);

/* The same of a kernel library, whole on each of the measurement's first `count` GPUs at once: a run for each, one at
 * least. */
void measure_on_each(const struct measurement *measurement, struct run *runs, int *codes, size_t count);

/* Sets what this program knows of a session: when, where, of which code. */
void measure_complete_session(struct session *session);

/* A kernel whose lines are wanted, in the result, and in which library. */
struct line_request {
    const char *kernels;
    struct result *result;
    unsigned kinds;      /* PROVIDES_LINE_COUNTS and _STALLS, or'ed; those that the backend lacks are left out */
    bool skip_unmatched; /* as of a measurement */
};

/* Collects lines into result->profile; a kind that is there already stays as it is. Kernels that are not ok, are not of
 * the library or launch nothing are passed over. What cannot be collected is a warning, in the order of the requests,
 * and leaves the lines of that kernel as they are. Reads the text of the lines from the source files where they are
 * found. 0, or EXIT_INTERRUPTED after SIGINT. PROVIDES_LINE_COUNTS, exact counts, take a process a function, because
 * CUPTI counts the first function of a process only, of which several go on at once; PROVIDES_STALLS, samples of why
 * warps wait, one a kernel, one after the other on each GPU. */
int measure_lines(const struct measurement *measurement, const struct line_request *requests, size_t count);

/* Of how many kernels that collects the counts at a time. */
size_t measure_lines_at_once(const struct measurement *measurement);

/* The same for those of the run's kernels that ids names (all: NULL), in that order, in the measurement's library. */
int measure_profile(const struct measurement *measurement, struct run *run, const char *const *ids, size_t count,
                    unsigned kinds);

#endif
