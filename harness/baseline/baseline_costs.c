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
    struct run baseline;
    const char *other;
    const int code = baseline_read(&baseline, baselines, device);
    if (code != 0)
        return code;
    if (strcmp(run_collector(&baseline, &other), collector) == 0 && !other)
        take_costs(costs, &baseline);
    run_release(&baseline);
    return 0;
}

int costs_read(struct run *costs, const char *baselines, const char *collector)
{
    struct baseline_devices devices;
    int code = 0;
    *costs = (struct run){0};
    if (baseline_devices_read(&devices, baselines) < 0)
        return EXIT_USAGE;
    for (size_t i = 0; i < devices.count && code == 0; i++)
        code = take_baseline(costs, baselines, &devices.list[i].device, collector);
    baseline_devices_release(&devices);
    if (code != 0)
        run_release(costs);
    return code;
}
