/* How many seconds kernels take to measure, from a run or from the baselines of all GPU models. */
#include "baseline.h"

static void take_costs(struct run *costs, const struct run *from)
{
    for (size_t i = 0; i < from->result_count; i++)
        if (from->results[i].seconds > 0) {
            struct result *result = run_add(costs, from->results[i].id);
            result->seconds = fmax(result->seconds, from->results[i].seconds);
        }
}

static int take_baseline(struct run *costs, const char *baselines, const struct device *device, const char *collector)
{
    OWNED(run) baseline = {0};
    const char *other;
    TRY_CODE(baseline_read(&baseline, baselines, device));
    if (strcmp(run_collector(&baseline, &other), collector) == 0 && !other)
        take_costs(costs, &baseline);
    return 0;
}

int costs_read(struct run *costs, const char *baselines, const char *collector)
{
    OWNED(baseline_devices) devices = {0};
    int code = 0;
    *costs = (struct run){0};
    TRY_AS(EXIT_USAGE, baseline_devices_read(&devices, baselines));
    for (size_t i = 0; i < devices.count && code == 0; i++)
        code = take_baseline(costs, baselines, &devices.list[i].device, collector);
    if (code != 0)
        run_release(costs);
    return code;
}
