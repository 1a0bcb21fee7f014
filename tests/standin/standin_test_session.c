#include "standin_test.h"

#include <cupti_profiler_host.h>

#include <stdlib.h>

/* Declares the parameters of a call. */
#define PARAMS(type, params, ...) type params = {.structSize = type##_STRUCT_SIZE, __VA_ARGS__}
#define OF_SESSION(call, params, ...)                                                                                  \
    PARAMS(CUpti_RangeProfiler_##call##_Params, params, .pRangeProfilerObject = session->object, __VA_ARGS__)
/* Declares them and calls the host's part of the profiler, which has to succeed. */
#define CALL_HOST(call, params, ...)                                                                                   \
    PARAMS(CUpti_Profiler_Host_##call##_Params, params, __VA_ARGS__);                                                  \
    GOOD(cuptiProfilerHost##call(&params))

static void good(CUptiResult result, const char *what)
{
    cr_assert_eq(result, CUPTI_SUCCESS, "%s: %d", what, (int)result);
}
#define GOOD(call) good(call, #call)

void session_initialize(void)
{
    PARAMS(CUpti_Profiler_Initialize_Params, params, .pPriv = NULL);
    GOOD(cuptiProfilerInitialize(&params));
}

CUptiResult session_enable(struct session *session, CUcontext context)
{
    PARAMS(CUpti_RangeProfiler_Enable_Params, params, .ctx = context);
    const CUptiResult result = cuptiRangeProfilerEnable(&params);
    *session = (struct session){.object = params.pRangeProfilerObject};
    return result;
}

void session_disable(struct session *session)
{
    OF_SESSION(Disable, params, .pPriv = NULL);
    GOOD(cuptiRangeProfilerDisable(&params));
    CALL_HOST(Deinitialize, end, .pHostObject = session->host);
    free(session->image);
}

static void make_config(struct session *session, const char **metrics, size_t count)
{
    if (session->host) {
        CALL_HOST(Deinitialize, end, .pHostObject = session->host);
    }
    CALL_HOST(Initialize, host, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER, .pChipName = "GH100");
    session->host = host.pHostObject;
    CALL_HOST(ConfigAddMetrics, add, .pHostObject = session->host, .ppMetricNames = metrics, .numMetrics = count);
    CALL_HOST(GetConfigImageSize, size, .pHostObject = session->host);
    cr_assert_leq(size.configImageSize, sizeof session->config);
    session->config_size = size.configImageSize;
    CALL_HOST(GetConfigImage, image, .pHostObject = session->host, .configImageSize = session->config_size,
              .pConfigImage = session->config);
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
    OF_SESSION(GetCounterDataSize, size, .pMetricNames = names, .numMetrics = count, .maxNumOfRanges = ranges,
               .maxNumRangeTreeNodes = (uint32_t)ranges);
    GOOD(cuptiRangeProfilerGetCounterDataSize(&size));
    return size.counterDataSize;
}

void session_set(struct session *session, CUpti_ProfilerRange range, size_t limit)
{
    OF_SESSION(SetConfig, config, .configSize = session->config_size, .pConfig = session->config,
               .counterDataImageSize = session->size, .pCounterDataImage = session->image, .range = range,
               .replayMode = CUPTI_UserReplay, .maxRangesPerPass = limit, .numNestingLevels = 1, .minNestingLevel = 1);
    GOOD(cuptiRangeProfilerSetConfig(&config));
}

size_t session_configure(struct session *session, CUpti_ProfilerRange range, size_t ranges, const char *const *metrics)
{
    size_t count;
    const char **names = names_of(metrics, &count);
    make_config(session, names, count);
    CALL_HOST(GetNumOfPasses, passes, .configImageSize = session->config_size, .pConfigImage = session->config);
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
    OF_SESSION(CounterDataImage_Initialize, params, .counterDataSize = session->size, .pCounterData = session->image);
    GOOD(cuptiRangeProfilerCounterDataImageInitialize(&params));
}

CUptiResult session_start(struct session *session)
{
    OF_SESSION(Start, params, .pPriv = NULL);
    return cuptiRangeProfilerStart(&params);
}

CUptiResult session_stop(struct session *session, bool *is_complete)
{
    OF_SESSION(Stop, params, .pPriv = NULL);
    const CUptiResult result = cuptiRangeProfilerStop(&params);
    if (is_complete)
        *is_complete = params.isAllPassSubmitted;
    return result;
}

CUptiResult session_push(struct session *session, const char *name)
{
    OF_SESSION(PushRange, params, .pRangeName = name);
    return cuptiRangeProfilerPushRange(&params);
}

CUptiResult session_pop(struct session *session)
{
    OF_SESSION(PopRange, params, .pPriv = NULL);
    return cuptiRangeProfilerPopRange(&params);
}

/* CUPTI never reports a range as dropped, even if one was. */
CUptiResult session_decode(struct session *session)
{
    OF_SESSION(DecodeData, params, .pPriv = NULL);
    const CUptiResult result = cuptiRangeProfilerDecodeData(&params);
    cr_assert_eq(params.numOfRangeDropped, 0);
    return result;
}

size_t session_ranges(struct session *session)
{
    PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, params, .pCounterDataImage = session->image,
           .counterDataImageSize = session->size);
    GOOD(cuptiRangeProfilerGetCounterDataInfo(&params));
    return params.numTotalRanges;
}

double session_value(struct session *session, size_t range, const char *metric)
{
    double value = -1;
    CALL_HOST(EvaluateToGpuValues, params, .pHostObject = session->host, .pCounterDataImage = session->image,
              .counterDataImageSize = session->size, .rangeIndex = range, .ppMetricNames = &metric, .numMetrics = 1,
              .pMetricValues = &value);
    return value;
}
