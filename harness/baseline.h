/* baseline.h - the folder of kept runs: baselines/<gpu>/<family>.json. */
#ifndef BASELINE_H
#define BASELINE_H

#include "run.h"

/* The folder of a device below the baselines folder: "baselines/nvidia-h200". Caller frees. */
char *baseline_folder(const char *baselines, const struct device *device);

/* Reads all family files of a device into one run. Returns 0, or an exit_code after error(): EXIT_BASELINE when
 * there is no folder or no file for this device, when its key differs (said field by field), or when two families
 * define a metric differently; EXIT_USAGE when a file is malformed. */
int baseline_read(struct run *baseline, const char *baselines, const struct device *device);

struct acceptance {
    const char *baselines;
    char *const *globs; /* kernels; none is all */
    size_t glob_count;
    char *const *metrics; /* metric name globs; none is all */
    size_t metric_count;
    const char *reason;
    char *const *names; /* what the runs are called in messages */
};

struct accepted {
    size_t rows;
    size_t kernels;
};

/* Makes the chosen rows of runs[0..count) the baseline: each accepted row gets one session a run, the median of its
 * samples; no other row changes. What a warning names instead: kernels that are not ok in every run that holds
 * them, and rows that are not counted in one run or whose states differ. Families are written whole or not at all,
 * all of them or none. Returns 0 or an exit_code after error(): EXIT_BASELINE when runs, or runs and baseline, are
 * of different devices or collectors or define a metric differently; EXIT_NOT_MEASURED when nothing that was chosen
 * can be accepted. */
int baseline_accept(const struct acceptance *acceptance, const struct run *runs, size_t count,
                    struct accepted *accepted);

#endif
