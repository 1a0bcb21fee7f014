/* samples.h - for backends: samples by the host's clock, and samples made rows. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "backend.h"

/* Turns values[sample * metrics->count + m] into rows. A metric that any sample lacks becomes a row with that sample's
 * state. What the parent works out, and facts of the machine code, get no row. once[m]: only the first sample is of
 * that metric; NULL: every sample is of each. */
void samples_fill(struct result *result, const struct metrics *metrics, const struct value *values, size_t samples,
                  const bool *once);

/* What a GPU needs around a measured launch: struct gpu_plugin has what each is for. */
struct conditioning {
    struct gpu_condition *condition;
    int (*apply)(struct gpu_condition *condition, struct problem *problem);
    void (*mark)(bool measured);
};

/* Takes the job's samples by the host's clock, for transfers and for the host backend: wall time, and `others` as the
 * state of every counter. conditioning is NULL on a machine without a GPU. */
int samples_by_host(const struct job *job, const struct workload *workload, enum value_state others,
                    const struct conditioning *conditioning, struct result *result, struct problem *problem);

#endif
