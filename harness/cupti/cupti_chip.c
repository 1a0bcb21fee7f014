/* Lists the counters of a chip, as CUPTI describes them, for a user who looks for one. It is no part of
 * cupti_counters.c, since that is in libcugate_inject.so as well. How both are compiled is told there. */
#include "cupti_plugin.h"

#include "base/base.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>

/* What is put behind the name of a counter, for each kind of counter. */
static const char *const endings[CUPTI_METRIC_TYPE__COUNT] = {
    [CUPTI_METRIC_TYPE_COUNTER] = ".sum",
    [CUPTI_METRIC_TYPE_RATIO] = ".ratio",
    [CUPTI_METRIC_TYPE_THROUGHPUT] = ".avg.pct_of_peak_sustained_elapsed",
};

static int list_kind(void *host, CUpti_MetricType kind, void (*take)(void *, const struct chip_counter *), void *data,
                     struct problem *problem)
{
    CUpti_Profiler_Host_GetBaseMetrics_Params names = {
        .structSize = CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE,
        .pHostObject = host,
        .metricType = kind,
    };
    if (cupti_check("listing counters", cuptiProfilerHostGetBaseMetrics(&names), problem) < 0)
        return -1;
    for (size_t i = 0; i < names.numMetrics; i++) {
        CUpti_Profiler_Host_GetMetricProperties_Params about = {
            .structSize = CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE,
            .pHostObject = host,
            .pMetricName = names.ppMetricNames[i],
        };
        if (cupti_check("asking what a counter counts", cuptiProfilerHostGetMetricProperties(&about), problem) < 0)
            return -1;
        const struct chip_counter counter = {
            .name = names.ppMetricNames[i],
            .ending = endings[kind],
            .unit = about.pDimUnit ? about.pDimUnit : "",
            .description = about.pDescription ? about.pDescription : "",
        };
        take(data, &counter);
    }
    return 0;
}

int chip_list(const char *chip, void (*take)(void *data, const struct chip_counter *counter), void *data,
              struct problem *problem)
{
    void *host;
    int failed = counters_host(&host, chip, NULL, problem);
    if (failed < 0)
        return -1;
    for (CUpti_MetricType kind = 0; kind < CUPTI_METRIC_TYPE__COUNT && failed == 0; kind++)
        failed = list_kind(host, kind, take, data, problem);
    counters_host_end(host);
    return failed;
}
