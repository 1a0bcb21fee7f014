/* The CUPTI collector itself is in the plugin (cupti_range.c), because only that may need CUDA's libraries. */
#include "collector.h"
#include "gpu.h"
#include "util.h"

#include <stdlib.h>

struct delegate {
    const struct collector *collector;
    void *self;
};

static int delegate_open(void **self, const struct collector_setup *setup, struct device *device,
                         struct session *session, char *why, size_t why_size)
{
    const struct gpu_plugin *gpu = gpu_plugin_load(why, why_size);
    if (!gpu)
        return -1;
    struct delegate *delegate = x_calloc(1, sizeof *delegate);
    delegate->collector = gpu->collector;
    if (gpu->collector->open(&delegate->self, setup, device, session, why, why_size) < 0) {
        free(delegate);
        return -1;
    }
    *self = delegate;
    return 0;
}

static int delegate_measure(void *self, const struct kernel *kernel, void *state, struct result *result, char *why,
                            size_t why_size)
{
    const struct delegate *delegate = self;
    return delegate->collector->measure(delegate->self, kernel, state, result, why, why_size);
}

static void delegate_close(void *self)
{
    struct delegate *delegate = self;
    delegate->collector->close(delegate->self);
    free(delegate);
}

const struct collector collector_cupti = {
    .name = "cupti",
    .doc = "all metrics, from the GPU's counters through CUPTI",
    .open = delegate_open,
    .measure = delegate_measure,
    .close = delegate_close,
};
