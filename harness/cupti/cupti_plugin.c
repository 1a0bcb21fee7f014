#include "cupti_plugin.h"

static int chip_counters(const char *chip, const struct metrics *metrics, const char **chosen, char **memory,
                         size_t *passes, struct problem *problem)
{
    struct counters counters;
    TRY(counters_open(&counters, chip, NULL, metrics, problem));
    memcpy(chosen, counters.names, metrics->count * sizeof *chosen);
    *passes = counters.passes;
    *memory = counters.memory;
    counters.memory = NULL; /* now the caller owns it */
    counters_close(&counters);
    return 0;
}

__attribute__((visibility("default"))) const struct gpu_plugin *cugate_gpu_plugin(void)
{
    static const struct gpu_plugin plugin = {
        .count = gpu_count,
        .describe = gpu_describe,
        .condition_open = gpu_condition_open,
        .condition_apply = gpu_condition_apply,
        .condition_mark = gpu_condition_mark,
        .condition_on_family = gpu_condition_on_family,
        .condition_close = gpu_condition_close,
        .chip_counters = chip_counters,
        .chips = chip_names,
        .remedy = cupti_remedy,
        .values = &cupti_range_collector,
        .line_counts = &cupti_line_counts_collector,
        .stalls = &cupti_stalls_collector,
        .capsule_device = &cupti_capsule_device,
    };
    return &plugin;
}
