#include "backend.h"

static const struct collector *load_cupti(unsigned what, struct problem *problem)
{
    const struct gpu_plugin *gpu = gpu_plugin_load(problem);
    if (!gpu && gpu_driver_is_absent()) /* without a driver, saying that CUPTI is missing too would not help */
        problem_set(problem, NO_GPU_DRIVER);
    if (!gpu)
        return NULL;
    return what == PROVIDES_LINE_COUNTS ? gpu->line_counts : what == PROVIDES_STALLS ? gpu->stalls : gpu->values;
}

static const struct capsule_device *gpu_capsules(struct problem *problem)
{
    const struct gpu_plugin *gpu = gpu_plugin_load(problem);
    if (!gpu && gpu_driver_is_absent())
        problem_set(problem, NO_GPU_DRIVER);
    else if (gpu && !gpu->capsule_device)
        problem_set(problem, "libcugate_cupti.so cannot replay capsules: run `make` again, or compute with --simulate");
    return gpu ? gpu->capsule_device : NULL;
}

static const struct collector *load_host(unsigned what, struct problem *problem)
{
    (void)what;
    (void)problem;
    return &host_collector;
}

static int prepare_sim(const struct job *job, struct problem *problem)
{
    const struct sim_plugin *sim = sim_plugin_load(problem);
    return sim ? sim->prepare(job, problem) : EXIT_NOT_MEASURED;
}

static const struct collector *load_sim(unsigned what, struct problem *problem)
{
    const struct sim_plugin *sim = sim_plugin_load(problem);
    (void)what; /* counts by line come along with the values */
    return sim ? sim->collector : NULL;
}

static const struct capsule_device *sim_capsules(struct problem *problem)
{
    const struct sim_plugin *sim = sim_plugin_load(problem);
    return sim ? sim->capsule_device : NULL;
}

/* To add a backend: write its collectors and add a row. */
static const struct backend backends[] = {
    {
        .name = "cupti",
        .doc = "all metrics, from the GPU's counters through CUPTI",
        .provides = PROVIDES_VALUES | PROVIDES_LINE_COUNTS | PROVIDES_STALLS | PROVIDES_COUNTERS | PROVIDES_ROOFS,
        .capsule_device = gpu_capsules,
        .load = load_cupti,
    },
    {
        .name = "warm",
        .doc = "like cupti, but with warm caches: restoring the inputs fills them, and they are not flushed",
        .provides = PROVIDES_VALUES | PROVIDES_LINE_COUNTS | PROVIDES_STALLS | PROVIDES_COUNTERS | PROVIDES_ROOFS,
        .warm = true,
        .capsule_device = gpu_capsules,
        .load = load_cupti,
    },
    {
        .name = "host",
        .doc = "wall time from the host clock, without counters or privileges",
        .provides = PROVIDES_VALUES,
        .load = load_host,
    },
    {
        .name = "sim",
        .doc = "exact counters, computed on the CPU from the machine code, without a GPU; chosen by --simulate",
        .provides = PROVIDES_VALUES | PROVIDES_LINE_COUNTS,
        .tells_headway = true,
        .prepare = prepare_sim,
        .provides_metric = exact_provides,
        .capsule_device = sim_capsules,
        .load = load_sim,
    },
};

const struct backend *backend_list(size_t *count)
{
    *count = ARRAY_SIZE(backends);
    return backends;
}

const struct backend *backend_find(const char *name)
{
    return FIND(backend, backends, ARRAY_SIZE(backends), strcmp(backend->name, name) == 0);
}

bool backend_provides(const struct backend *backend, const struct metric *metric)
{
    return !backend->provides_metric || backend->provides_metric(metric);
}
