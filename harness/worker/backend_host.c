/* Times a launch until its completion by the host's clock. That includes launch latency and every interruption, so it
 * is far coarser than the counters. It times transfers, and it still works where counters are denied. */

#include "samples.h"

struct host {
    const struct job *job;
    const struct gpu_plugin *gpu; /* the GPU plugin; NULL on a machine without a GPU */
    struct conditioning conditioning;
};

static int host_open(void **self, const struct job *job, struct device *device, struct session *session,
                     struct problem *problem)
{
    struct host *host = x_calloc(1, sizeof *host);
    host->job = job;
    *self = host;

    /* No GPU is needed, since a kernel library may use another runtime. If there is one, the run belongs to that
     * model. */
    struct problem ignored;
    const struct gpu_plugin *gpu = gpu_plugin_load(&ignored);
    if (!gpu || gpu->count(&ignored) <= 0) {
        device->name = x_strdup("host");
        device->compute_capability = x_strdup("none");
        return 0;
    }
    host->gpu = gpu;
    host->conditioning = (struct conditioning){.apply = gpu->condition_apply, .mark = gpu->condition_mark};
    if (gpu->describe(0, device, session, problem) < 0 ||
        gpu->condition_open(&host->conditioning.condition, problem) < 0) {
        free(host);
        return -1;
    }
    return 0;
}

static int host_measure(void *self, const struct workload *workload, struct result *result, struct problem *problem)
{
    const struct host *host = self;
    const enum value_state others = workload->transfer ? VALUE_NOT_APPLICABLE : VALUE_NOT_SUPPORTED;
    return samples_by_host(host->job, workload, others, host->gpu ? &host->conditioning : NULL, result, problem);
}

static int host_on_family(void *self, bool is_open, struct problem *problem)
{
    const struct host *host = self;
    return host->gpu ? host->gpu->condition_on_family(host->conditioning.condition, is_open, problem) : 0;
}

static void host_close(void *self)
{
    OWNED_MEMORY struct host *host = self;
    if (host->gpu)
        host->gpu->condition_close(host->conditioning.condition);
}

const struct collector host_collector = {
    .open = host_open, .measure = host_measure, .on_family = host_on_family, .close = host_close};
