/* samples.h - helpers for backends: they time samples by the host's clock, and turn samples into rows. */
#pragma once

#include "backend.h"

/* Turns values[sample * metrics->count + m] into rows. If a sample lacks a metric, its row has that sample's state.
 * Metrics that the parent computes, and facts of the machine code, get no row. once[m] says that only the first sample
 * counts metric m; once == NULL: every sample counts each. */
void samples_fill(struct result *result, const struct metrics *metrics, const struct value *values, size_t samples,
                  const bool *once);

/* The functions that condition a GPU around a measured launch; struct gpu_plugin describes each. */
struct conditioning {
    struct gpu_condition *condition;
    int (*apply)(struct gpu_condition *condition, struct problem *problem);
    void (*mark)(bool measured);
};

/* Takes the job's samples by the host's clock, for transfers and for the host backend. It fills in wall time, and the
 * state `others` for every counter. conditioning is NULL on a machine without a GPU. */
int samples_by_host(const struct job *job, const struct workload *workload, enum value_state others,
                    const struct conditioning *conditioning, struct result *result, struct problem *problem);

/* Returns how many of `samples` samples are taken of a workload whose launch takes so many seconds: all up to 10 ms,
 * and of longer ones as many as take the same time, but 3 at least. Long launches vary less, and are waited for. */
int samples_of_length(int samples, double seconds);
