/* measure.h - the parent's half of measuring. Workers are started, watched and replaced, and the result is a run. */
#pragma once

#include "model/model.h"
#include "worker/worker.h"

#include "computed.h"
#include "program.h"
#include "prove.h"
#include "relay.h"

/* Ordinals of GPUs. An empty list means the first GPU. */
#define DEVICES_MAX 64
struct device_list {
    int list[DEVICES_MAX];
    size_t count;
    bool all; /* all GPUs, in place of a list */
};

/* A kernel whose counts are known. */
struct known_kernel {
    char *id;            /* first, so that it is found in a list */
    bool code_of_others; /* and therefore only those of instrumented code */
};

struct measurement {
    enum subject subject;
    const char *kernels;           /* path of the kernel library, or of a file of capsules; NULL for a program */
    const struct program *program; /* is measured in place of a library; or NULL */
    const struct metrics *metrics;
    const struct backend *backend;
    char *const *globs;
    size_t glob_count;
    const struct run *followed; /* of a program's base build: globs that are kernels with a former name there
                                   (run_follow_launches) are measured by it; or NULL */
    struct device_list devices; /* these share the kernels, each a session of its own; `all` has been resolved */
    const struct run *like; /* kernels of this run are measured on the GPU where they were, and nowhere else; or NULL */
    const struct known_kernel *known; /* kernels whose counts are known, and not read; sorted */
    size_t known_count;
    const struct run *costs; /* tells how long kernels took, so that the longest come first; or NULL */
    int samples;
    bool every_sample;      /* see struct job */
    double timeout;         /* in seconds for each kernel */
    bool progress;          /* draw the progress line on standard error */
    bool log_progress;      /* in place of it, log how far launches are that take long */
    bool skip_unmatched;    /* a glob that matches no kernel is no error; the run may then have no kernel at all */
    bool roofs;             /* also measure the peaks of the GPU; measure_whole() does */
    const char *gpu;        /* the GPU's name for a backend without a GPU, and a dry run: see struct job */
    bool dry, whole, quiet; /* see struct job */
    /* PROVIDES_LINE_COUNTS or _STALLS in place of values: there are no rows, and each kernel has a process. */
    unsigned profile;
    size_t skip;         /* with profile: how many launches of the variant come before the function to be counted */
    struct relay *relay; /* of measurements in turn, see relay.h; or NULL */
    /* With relay: the measurement after this one, if it is known, whose workers are started early; or NULL. */
    const struct measurement *next;
    const char *label; /* its purpose on the progress line, such as "confirming 3 kernels"; or NULL */
    /* Of a program: returns what it is judged by, when its device is known, or NULL. That stays as it is while the
     * program is measured. NULL: everything is measured. judge is handed over. */
    const struct run *(*judged_by)(void *judge, const struct device *device);
    void *judge;
};

/* Measures every kernel that matches into *run, which has whatever was measured, even after an error. Failures of
 * single kernels are in their results. Returns 0; EXIT_INTERRUPTED after SIGINT; EXIT_USAGE when the library cannot be
 * used or no kernel matched; EXIT_NOT_MEASURED when no measuring was possible at all. */
int measure_run(const struct measurement *measurement, struct run *run);

/* Does the same as measure_run(), and adds the facts of the library's machine code (static_facts.h). Also returns
 * EXIT_NOT_MEASURED when these cannot be read. */
int measure_whole(const struct measurement *measurement, struct run *run);

/* Makes it a dry run on all processors: of launches, and what they are given, but no values. */
void measurement_make_dry(struct measurement *measurement);

/* Learns the inputs of the kernels by a dry run, whatever backend the measurement has. *dry lacks kernels of which it
 * fails, or all, without a word: they are only not known. Returns 0, or EXIT_INTERRUPTED. */
int measure_inputs(const struct measurement *measurement, struct run *dry);

/* Gives kernels of a run their inputs, where they launched what they did in the dry run. */
void inputs_take(struct run *run, const struct run *dry);

/* Lists the kernels of a dry run whose counts are known, as struct measurement has them. The list
 * is freed by the caller; its strings are the dry run's. */
typedef struct known_kernel *find_known_fn(void *self, const struct run *dry, size_t *count);

/* Does the same as measure_whole(), with the inputs of the kernels, and without reading what is known (find may be
 * NULL: nothing is). A relay has the GPUs opened meanwhile. */
int measure_with_inputs(const struct measurement *measurement, find_known_fn *find, void *self, struct run *run);

/* Does the same as measure_whole() on each of the measurement's first `count` GPUs at once. Each GPU has all kernels
 * and a run of its own; count is at least 1. */
void measure_on_each(const struct measurement *measurement, struct run *runs, int *codes, size_t count);

/* Returns the measurement of the base build of a baseline: of a library it is a path, of a program a command for the
 * shell, which *program then has. */
struct measurement measurement_of_base(const struct measurement *measurement, const char *build,
                                       const struct run *baseline, struct program *program);

/* Sets the facts of a session that this program knows: date, host and commit. */
void measure_complete_session(struct session *session);

/* Asks for the source lines of a kernel of a library; they are put into the result. */
struct line_request {
    const char *kernels;
    const struct run *baseline; /* of the base build; else NULL */
    struct result *result;
    unsigned kinds;      /* PROVIDES_LINE_COUNTS, _STALLS or both; a kind that the backend lacks is left out */
    bool skip_unmatched; /* as in struct measurement */
};

/* Collects lines into result->profile; a kind that is there already stays. Skips kernels that are not ok, are not in
 * the library, or launch nothing. If lines cannot be collected, there is a warning, in the order of the requests, and
 * the kernel's lines stay as they are. Reads the text of lines from the source files, if they are found. Returns 0, or
 * EXIT_INTERRUPTED after SIGINT.
 *
 * PROVIDES_LINE_COUNTS are exact counts. They take a process for each function, because CUPTI counts only the first
 * function of a process; several processes run at once. PROVIDES_STALLS are samples of why warps wait. They take a
 * process for each kernel, one after the other on each GPU. */
int measure_lines(const struct measurement *measurement, const struct line_request *requests, size_t count);

/* Returns for how many kernels measure_lines() collects counts at a time. */
size_t measure_lines_at_once(const struct measurement *measurement);

/* Collects lines, as measure_lines() does, for the kernels of a run that ids names, in that order. NULL names all. They
 * are in the measurement's library. */
int measure_profile(const struct measurement *measurement, struct run *run, const char *const *ids, size_t count,
                    unsigned kinds);
