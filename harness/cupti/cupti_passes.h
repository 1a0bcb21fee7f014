/* cupti_passes.h - measures several kernels together, in one Start and Stop a pass; for cupti_range.c. */
#pragma once

#include "cupti_plugin.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

struct range_collector {
    const struct job *job;
    CUcontext context;
    CUpti_RangeProfiler_Object *profiler;
    size_t capacity; /* ranges in one pass that the first configuration reserved; 0: there was none yet */
    struct launch_log log;
    struct counters counters;
    size_t short_passes; /* number of passes, the last ones, that are over the first sample only */
    size_t known_passes; /* number of passes, the last ones, that count nothing else than what may be known */
    bool *once;          /* for each metric, whether short passes count it */
    struct gpu_condition *condition;
};

/* The launches of one sample of a kernel: first `before` that are not measured, then `measured` that are. */
struct plan {
    size_t before;
    size_t measured;
    double seconds; /* from the launch to its end, with the conditioning before it */
    size_t samples; /* how many are taken */
    bool differs;   /* its exact counts differ from sample to sample */
    bool pins;      /* it may leave lines pinned in the L2, which a flush does not remove */
};

/* Kernels of a batch that are measured in one Start and Stop: from number `from` to the one before `to`. */
struct part {
    const struct batch *batch;
    const struct plan *plans; /* a plan for each kernel of the batch */
    size_t from, to;
    size_t short_passes, known_passes;
    size_t ranges; /* ranges in a pass that is not short */

    /* For a kernel that pins lines of the L2, which is measured alone: only this sample is measured, and lines are
     * released before each pass. Its value of each metric goes here. Borrowed. NULL: all samples are measured, into
     * rows. */
    struct value *sample;
};

/* Takes one sample of a workload: restores the inputs, conditions the GPU by the given function, launches, and waits.
 * *seen is told how many kernels were launched before and in the measured part. `details` keeps how the measured
 * kernels were launched. -1 with *problem. */
typedef int condition_gpu(struct gpu_condition *condition, struct problem *problem);
int take_sample(struct range_collector *self, const struct workload *workload, condition_gpu *condition, bool details,
                struct plan *seen, struct problem *problem);

/* Returns how many ranges a pass over all samples has. */
size_t part_ranges(const struct part *part);

/* Measures a part. part->ranges has to be set, and they have to fit. Adds rows to the results, except to
 * kernels for which it sets plans[i].differs; or fills part->sample. -1 with *problem: nothing of it counts. */
int part_measure(struct range_collector *self, const struct part *part, struct plan *plans, struct problem *problem);
