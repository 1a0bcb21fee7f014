/* The CUPTI collectors themselves are in the plugin (cupti_range.c, cupti_lines.c, cupti_stalls.c), because only that
 * may need CUDA's libraries. */
#include "base/base.h"

#include "collector.h"
#include "gpu.h"

#include <stdlib.h>

struct delegate {
    const struct collector *collector;
    void *self;
};

static int delegate_open(void **self, const struct collector *(*choose)(const struct gpu_plugin *gpu),
                         const struct collector_setup *setup, struct device *device, struct session *session,
                         struct problem *problem)
{
    const struct gpu_plugin *gpu = gpu_plugin_load(problem);
    if (!gpu)
        return -1;
    struct delegate *delegate = x_calloc(1, sizeof *delegate);
    delegate->collector = choose(gpu);
    if (delegate->collector->open(&delegate->self, setup, device, session, problem) < 0) {
        free(delegate);
        return -1;
    }
    *self = delegate;
    return 0;
}

static int delegate_measure(void *self, const struct workload *workload, struct result *result, struct problem *problem)
{
    const struct delegate *delegate = self;
    return delegate->collector->measure(delegate->self, workload, result, problem);
}

static void delegate_close(void *self)
{
    struct delegate *delegate = self;
    delegate->collector->close(delegate->self);
    free(delegate);
}

static const struct collector *choose_cupti(const struct gpu_plugin *gpu)
{
    return gpu->collector;
}

static int open_cupti(void **self, const struct collector_setup *setup, struct device *device, struct session *session,
                      struct problem *problem)
{
    return delegate_open(self, choose_cupti, setup, device, session, problem);
}

const struct collector collector_cupti = {
    .name = "cupti",
    .doc = "all metrics, from the GPU's counters through CUPTI",
    .open = open_cupti,
    .measure = delegate_measure,
    .close = delegate_close,
};

static const struct collector *choose_lines(const struct gpu_plugin *gpu)
{
    return gpu->lines;
}

static int open_lines(void **self, const struct collector_setup *setup, struct device *device, struct session *session,
                      struct problem *problem)
{
    return delegate_open(self, choose_lines, setup, device, session, problem);
}

const struct collector collector_lines = {
    .name = "lines",
    .doc = "exact counts by source line",
    .open = open_lines,
    .measure = delegate_measure,
    .close = delegate_close,
};

static const struct collector *choose_stalls(const struct gpu_plugin *gpu)
{
    return gpu->stalls;
}

static int open_stalls(void **self, const struct collector_setup *setup, struct device *device, struct session *session,
                       struct problem *problem)
{
    return delegate_open(self, choose_stalls, setup, device, session, problem);
}

const struct collector collector_stalls = {
    .name = "stalls",
    .doc = "stalls by source line",
    .open = open_stalls,
    .measure = delegate_measure,
    .close = delegate_close,
};
