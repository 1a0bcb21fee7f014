/* How long kernels take to measure, by what the baselines of all models of GPUs say. */
#include "baseline.h"

#include <math.h>
#include <unistd.h>

void baseline_read_costs(struct run *costs, const char *baselines)
{
    struct baseline_devices devices;
    *costs = (struct run){0};
    if (access(baselines, F_OK) < 0 || baseline_devices_read(&devices, baselines) < 0)
        return;
    for (size_t d = 0; d < devices.count; d++) {
        struct run baseline;
        if (baseline_read(&baseline, baselines, &devices.list[d].device) != EXIT_SAME)
            continue;
        for (size_t i = 0; i < baseline.result_count; i++) {
            struct result *result = run_add(costs, baseline.results[i].id);
            result->seconds = fmax(result->seconds, baseline.results[i].seconds);
        }
        run_release(&baseline);
    }
    baseline_devices_release(&devices);
}
