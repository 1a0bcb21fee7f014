#include "backend.h"

#include <string.h>

static const struct collector *load_cupti(unsigned what, struct problem *problem)
{
    const struct gpu_plugin *gpu = gpu_plugin_load(problem);
    if (!gpu)
        return NULL;
    return what == PROVIDES_LINE_COUNTS ? gpu->line_counts : what == PROVIDES_STALLS ? gpu->stalls : gpu->values;
}

static const struct collector *load_host(unsigned what, struct problem *problem)
{
    (void)what;
    (void)problem;
    return &host_collector;
}

/* To add a backend: write its collectors and add a row. */
static const struct backend backends[] = {
    {"cupti", "all metrics, from the GPU's counters through CUPTI",
     PROVIDES_VALUES | PROVIDES_LINE_COUNTS | PROVIDES_STALLS | PROVIDES_COUNTERS | PROVIDES_ROOFS, load_cupti, NULL},
    {"host", "wall time by the host's clock; no counters, no privileges", PROVIDES_VALUES, load_host, NULL},
};

const struct backend *backend_list(size_t *count)
{
    *count = ARRAY_SIZE(backends);
    return backends;
}

const struct backend *backend_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(backends); i++)
        if (strcmp(backends[i].name, name) == 0)
            return &backends[i];
    return NULL;
}
