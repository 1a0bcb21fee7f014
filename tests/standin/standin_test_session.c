#include "standin_test.h"

#include <cupti_profiler_host.h>

#include <stdlib.h>

#define PARAMS(type, ...)                                                                                              \
    {                                                                                                                  \
        .structSize = type##_STRUCT_SIZE, __VA_ARGS__                                                                  \
    }

static void good(CUptiResult result, const char *what)
{
    cr_assert_eq(result, CUPTI_SUCCESS, "%s: %d", what, (int)result);
}
#define GOOD(call) good(call, #call)

void session_initialize(void)
{
    CUpti_Profiler_Initialize_Params params = PARAMS(CUpti_Profiler_Initialize_Params, .pPriv = NULL);
    GOOD(cuptiProfilerInitialize(&params));
}

CUptiResult session_enable(struct session *session, CUcontext context)
{
    CUpti_RangeProfiler_Enable_Params params = PARAMS(CUpti_RangeProfiler_Enable_Params, .ctx = context);
    const CUptiResult result = cuptiRangeProfilerEnable(&params);
    *session = (struct session){.object = params.pRangeProfilerObject};
    return result;
}

void session_disable(struct session *session)
{
    CUpti_RangeProfiler_Disable_Params params =
        PARAMS(CUpti_RangeProfiler_Disable_Params, .pRangeProfilerObject = session->object);
    GOOD(cuptiRangeProfilerDisable(&params));
    CUpti_Profiler_Host_Deinitialize_Params end =
        PARAMS(CUpti_Profiler_Host_Deinitialize_Params, .pHostObject = session->host);
    GOOD(cuptiProfilerHostDeinitialize(&end));
    free(session->image);
}

static void make_config(struct session *session, const char **metrics, size_t count)
{
    if (session->host) {
        CUpti_Profiler_Host_Deinitialize_Params end =
            PARAMS(CUpti_Profiler_Host_Deinitialize_Params, .pHostObject = session->host);
        GOOD(cuptiProfilerHostDeinitialize(&end));
    }
    CUpti_Profiler_Host_Initialize_Params host =
        PARAMS(CUpti_Profiler_Host_Initialize_Params, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
               .pChipName = "GH100");
    GOOD(cuptiProfilerHostInitialize(&host));
    session->host = host.pHostObject;
    CUpti_Profiler_Host_ConfigAddMetrics_Params add =
        PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, .pHostObject = session->host, .ppMetricNames = metrics,
               .numMetrics = count);
    GOOD(cuptiProfilerHostConfigAddMetrics(&add));
    CUpti_Profiler_Host_GetConfigImageSize_Params size =
        PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, .pHostObject = session->host);
    GOOD(cuptiProfilerHostGetConfigImageSize(&size));
    cr_assert_leq(size.configImageSize, sizeof session->config);
    session->config_size = size.configImageSize;
    CUpti_Profiler_Host_GetConfigImage_Params image =
        PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, .pHostObject = session->host,
               .configImageSize = session->config_size, .pConfigImage = session->config);
    GOOD(cuptiProfilerHostGetConfigImage(&image));
}

/* CUPTI's types do not promise that the names stay as they are, but CUPTI does not change them. */
static const char **names_of(const char *const *metrics, size_t *count)
{
    *count = 0;
    while (metrics[*count])
        ++*count;
    return (const char **)metrics;
}

size_t session_size(struct session *session, size_t ranges, const char *const *metrics)
{
    size_t count;
    const char **names = names_of(metrics, &count);
    CUpti_RangeProfiler_GetCounterDataSize_Params size = PARAMS(
        CUpti_RangeProfiler_GetCounterDataSize_Params, .pRangeProfilerObject = session->object, .pMetricNames = names,
        .numMetrics = count, .maxNumOfRanges = ranges, .maxNumRangeTreeNodes = (uint32_t)ranges);
    GOOD(cuptiRangeProfilerGetCounterDataSize(&size));
    return size.counterDataSize;
}

void session_set(struct session *session, CUpti_ProfilerRange range, size_t limit)
{
    CUpti_RangeProfiler_SetConfig_Params config =
        PARAMS(CUpti_RangeProfiler_SetConfig_Params, .pRangeProfilerObject = session->object,
               .configSize = session->config_size, .pConfig = session->config, .counterDataImageSize = session->size,
               .pCounterDataImage = session->image, .range = range, .replayMode = CUPTI_UserReplay,
               .maxRangesPerPass = limit, .numNestingLevels = 1, .minNestingLevel = 1);
    GOOD(cuptiRangeProfilerSetConfig(&config));
}

size_t session_configure(struct session *session, CUpti_ProfilerRange range, size_t ranges, const char *const *metrics)
{
    size_t count;
    const char **names = names_of(metrics, &count);
    make_config(session, names, count);
    CUpti_Profiler_Host_GetNumOfPasses_Params passes =
        PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, .configImageSize = session->config_size,
               .pConfigImage = session->config);
    GOOD(cuptiProfilerHostGetNumOfPasses(&passes));
    free(session->image);
    session->size = session_size(session, ranges, metrics);
    session->image = calloc(1, session->size);
    session_blank(session);
    session_set(session, range, ranges);
    return passes.numOfPasses;
}

void session_open(struct session *session, const struct gpu *gpu, CUpti_ProfilerRange range, size_t ranges,
                  const char *metric)
{
    session_initialize();
    GOOD(session_enable(session, gpu->context));
    cr_assert_eq(session_configure(session, range, ranges, METRICS(metric)), 1);
}

void session_blank(struct session *session)
{
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params params =
        PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, .pRangeProfilerObject = session->object,
               .counterDataSize = session->size, .pCounterData = session->image);
    GOOD(cuptiRangeProfilerCounterDataImageInitialize(&params));
}

CUptiResult session_start(struct session *session)
{
    CUpti_RangeProfiler_Start_Params params =
        PARAMS(CUpti_RangeProfiler_Start_Params, .pRangeProfilerObject = session->object);
    return cuptiRangeProfilerStart(&params);
}

CUptiResult session_stop(struct session *session, bool *is_complete)
{
    CUpti_RangeProfiler_Stop_Params params =
        PARAMS(CUpti_RangeProfiler_Stop_Params, .pRangeProfilerObject = session->object);
    const CUptiResult result = cuptiRangeProfilerStop(&params);
    if (is_complete)
        *is_complete = params.isAllPassSubmitted;
    return result;
}

CUptiResult session_push(struct session *session, const char *name)
{
    CUpti_RangeProfiler_PushRange_Params params =
        PARAMS(CUpti_RangeProfiler_PushRange_Params, .pRangeProfilerObject = session->object, .pRangeName = name);
    return cuptiRangeProfilerPushRange(&params);
}

CUptiResult session_pop(struct session *session)
{
    CUpti_RangeProfiler_PopRange_Params params =
        PARAMS(CUpti_RangeProfiler_PopRange_Params, .pRangeProfilerObject = session->object);
    return cuptiRangeProfilerPopRange(&params);
}

/* CUPTI never reports a range as dropped, even if one was. */
CUptiResult session_decode(struct session *session)
{
    CUpti_RangeProfiler_DecodeData_Params params =
        PARAMS(CUpti_RangeProfiler_DecodeData_Params, .pRangeProfilerObject = session->object);
    const CUptiResult result = cuptiRangeProfilerDecodeData(&params);
    cr_assert_eq(params.numOfRangeDropped, 0);
    return result;
}

size_t session_ranges(struct session *session)
{
    CUpti_RangeProfiler_GetCounterDataInfo_Params params =
        PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, .pCounterDataImage = session->image,
               .counterDataImageSize = session->size);
    GOOD(cuptiRangeProfilerGetCounterDataInfo(&params));
    return params.numTotalRanges;
}

double session_value(struct session *session, size_t range, const char *metric)
{
    double value = -1;
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params =
        PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, .pHostObject = session->host,
               .pCounterDataImage = session->image, .counterDataImageSize = session->size, .rangeIndex = range,
               .ppMetricNames = &metric, .numMetrics = 1, .pMetricValues = &value);
    GOOD(cuptiProfilerHostEvaluateToGpuValues(&params));
    return value;
}
