/* collector.h - how samples are taken. A collector lives in a worker process, never in the parent. */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include "workload.h"

#include "base/base.h"
#include "model/model.h"

#include <stdbool.h>

struct collector_setup {
    const struct metrics *metrics;
    int samples;              /* a kernel */
    const char *library_path; /* file of the library */
    size_t skip;              /* lines: launches of the variant before the function to be counted */
    bool roofs;               /* open() also measures what the GPU can do */
};

struct collector {
    const char *name;
    const char *doc;

    /* Opens device 0 and gets ready to read every metric that it can. Fills device and session facts (strings from
     * x_strdup). -1 with what is wrong and the exact remedy in *problem. */
    int (*open)(void **self, const struct collector_setup *setup, struct device *device, struct session *session,
                struct problem *problem);

    /* Takes setup->samples samples of a kernel whose family is open and whose output was verified. Adds to result a row
     * for every metric that takes measuring (one session, or a state without a number) and the launches. -1 with
     * *problem on failure. */
    int (*measure)(void *self, const struct workload *workload, struct result *result, struct problem *problem);

    void (*close)(void *self);
};

/* The table; `cugate list --collectors` prints it. */
const struct collector *const *collector_list(size_t *count);
const struct collector *collector_find(const char *name);

extern const struct collector collector_cupti; /* every counter, through CUPTI */
extern const struct collector collector_lines; /* not in the table, because they have no rows: see measure_lines.h */
extern const struct collector collector_stalls;
extern const struct collector collector_host; /* the host's clock only: needs no counters and runs on anything */

/* For collectors: counters that the harness works out itself. */
#define COUNTER_WALL_TIME "cugate.wall_time"
#define COUNTER_BANDWIDTH "cugate.bandwidth"
#define COUNTER_FLOP_RATE "cugate.flop_rate"
#define COUNTER_TIME "gpu__time_duration.sum"

/* Turns values[sample * metrics->count + m] into rows, after working out bandwidth and FLOP rate from each sample's
 * time. A metric that any sample lacks becomes a row with that sample's state. Facts of the machine code get no row. */
void collector_fill(struct result *result, const struct metrics *metrics, struct value *values, size_t samples);

/* Samples by the host's clock, for transfers and for the host collector: wall time, and `others` as the state of every
 * counter. gpu and its condition are NULL on a machine without a GPU. */
struct gpu_plugin;
struct gpu_condition;
int collector_host_samples(const struct collector_setup *setup, const struct workload *workload,
                           enum value_state others, const struct gpu_plugin *gpu, struct gpu_condition *condition,
                           struct result *result, struct problem *problem);

#endif
