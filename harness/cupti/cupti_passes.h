/* cupti_passes.h - for cupti_range.c: kernels that are measured in one Start and Stop a pass. */
#ifndef CUPTI_PASSES_H
#define CUPTI_PASSES_H

#include "cupti_plugin.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

struct range_collector {
    const struct job *job;
    CUcontext context;
    CUpti_RangeProfiler_Object *profiler;
    size_t capacity; /* ranges in one pass that it was configured for first; 0: not yet */
    struct launch_log log;
    struct counters counters;
    size_t short_passes; /* the last ones, that are over the first sample only */
    bool *once;          /* of each metric: those passes count it */
    struct gpu_condition *condition;
};

/* The kernels of a sample: `before` of them are not measured, then `measured` are. */
struct plan {
    size_t before;
    size_t measured;
    bool differs; /* its exact counts do, from sample to sample */
    bool pins;    /* it may leave lines in the L2 that a flush does not empty */
};

/* Kernels of a batch that are in one Start/Stop: from number `from` to the one before `to`. */
struct part {
    const struct batch *batch;
    const struct plan *plans; /* of all of the batch */
    size_t from, to;
    size_t short_passes;
    size_t ranges; /* in a pass that is not short */

    /* Of a kernel that pins, alone: this sample is all that is measured, each pass after what was pinned is released,
     * and its value of each metric goes here. Borrowed; NULL: all samples, in rows. */
    struct value *sample;
};

/* Restores the inputs, has the GPU conditioned by that function, launches and waits; says how many kernels each part
 * launched, and on `details` keeps how the measured ones were launched. */
typedef int condition_gpu(struct gpu_condition *condition, struct problem *problem);
int take_sample(struct range_collector *self, const struct workload *workload, condition_gpu *condition, bool details,
                struct plan *seen, struct problem *problem);

/* How many ranges a pass over all samples has. */
size_t part_ranges(const struct range_collector *self, const struct part *part);

/* Measures the part, of which part->ranges is told and for which there is room. Adds rows to the results but for the
 * kernels of which plans[i].differs then, or fills part->sample. -1 with *problem: nothing of it counts. */
int part_measure(struct range_collector *self, const struct part *part, struct plan *plans, struct problem *problem);

#endif
