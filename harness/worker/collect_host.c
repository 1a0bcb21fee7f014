/* The host's clock around launch and completion. It sees launch latency and every interruption, so it is far coarser
 * than the counters; it is what transfers are timed with, and what is left where counters are denied. */
#include "base/base.h"

#include "collector.h"
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

int collector_host_samples(const struct collector_setup *setup, const struct workload *workload,
                           enum value_state others, const struct gpu_plugin *gpu, struct gpu_condition *condition,
                           struct result *result, struct problem *problem)
{
    const struct metrics *metrics = setup->metrics;
    const size_t samples = (size_t)setup->samples;
    struct value *values = x_calloc(samples * metrics->count, sizeof *values);
    int failed = -1;

    for (size_t s = 0; s < samples; s++) {
        if (workload_restore(workload, problem) < 0 || (gpu && gpu->condition_apply(condition, problem) < 0) ||
            workload_settle(workload, problem) < 0)
            goto out;
        if (gpu)
            gpu->condition_mark(true);
        const double start = now_seconds();
        const int run = workload_run(workload, problem);
        const double elapsed = (now_seconds() - start) * 1e9;
        if (gpu)
            gpu->condition_mark(false);
        if (run < 0)
            goto out;
        for (size_t m = 0; m < metrics->count; m++) {
            const bool wall = strcmp(metrics->list[m].counter, COUNTER_WALL_TIME) == 0;
            values[s * metrics->count + m] = wall ? (struct value){VALUE_MEASURED, elapsed} : (struct value){others, 0};
        }
    }
    collector_fill(result, metrics, values, samples);
    failed = 0;
out:
    free(values);
    return failed;
}

struct host {
    const struct collector_setup *setup;
    const struct gpu_plugin *gpu; /* NULL on a machine without a GPU */
    struct gpu_condition *condition;
};

static int host_open(void **self, const struct collector_setup *setup, struct device *device, struct session *session,
                     struct problem *problem)
{
    struct host *host = x_calloc(1, sizeof *host);
    host->setup = setup;
    *self = host;

    /* A GPU is not needed: a kernel library may stand on another runtime. When there is one, the run is filed under it.
     */
    struct problem ignored;
    const struct gpu_plugin *gpu = gpu_plugin_load(&ignored);
    if (!gpu || gpu->count(&ignored) <= 0) {
        device->name = x_strdup("host");
        device->compute_capability = x_strdup("none");
        return 0;
    }
    host->gpu = gpu;
    if (gpu->describe(0, device, session, problem) < 0 || gpu->condition_open(&host->condition, problem) < 0) {
        free(host);
        return -1;
    }
    return 0;
}

static int host_measure(void *self, const struct workload *workload, struct result *result, struct problem *problem)
{
    const struct host *host = self;
    const enum value_state others = workload->transfer ? VALUE_NOT_APPLICABLE : VALUE_NOT_SUPPORTED;
    return collector_host_samples(host->setup, workload, others, host->gpu, host->condition, result, problem);
}

static void host_close(void *self)
{
    struct host *host = self;
    if (host->gpu)
        host->gpu->condition_close(host->condition);
    free(host);
}

const struct collector collector_host = {
    .name = "host",
    .doc = "wall time by the host's clock; no counters, no privileges",
    .open = host_open,
    .measure = host_measure,
    .close = host_close,
};
