/* The half of the profiler that needs no GPU. */
#include "profiler.h"

#include <cupti_profiler_host.h>

struct CUpti_Profiler_Host_Object {
    uint64_t metrics;
    bool is_spoiled;
};

static const char *const chips[] = {"GH100"};

CUptiResult CUPTIAPI cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *pParams)
{
    if (pParams->profilerType != CUPTI_PROFILER_TYPE_RANGE_PROFILER || !pParams->pChipName)
        return CUPTI_ERROR_INVALID_PARAMETER;
    REFUSE(strcmp(pParams->pChipName, chips[0]) != 0, CUPTI_ERROR_INVALID_CHIP_NAME);
    pParams->pHostObject = calloc(1, sizeof *pParams->pHostObject);
    return pParams->pHostObject ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY;
}

CUptiResult CUPTIAPI cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *pParams)
{
    REFUSE(!pParams->pHostObject, CUPTI_ERROR_INVALID_PARAMETER);
    free(pParams->pHostObject);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *pParams)
{
    pParams->ppChipNames = chips;
    pParams->numChips = sizeof chips / sizeof *chips;
    return CUPTI_SUCCESS;
}

/* As the real one: a name that the chip lacks is an invalid parameter, and spoils the object for all other names. */
CUptiResult CUPTIAPI cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *pParams)
{
    struct CUpti_Profiler_Host_Object *host = pParams->pHostObject;
    REFUSE(!host, CUPTI_ERROR_INVALID_PARAMETER);
    REFUSE(host->is_spoiled, CUPTI_ERROR_UNKNOWN);
    for (size_t i = 0; i < pParams->numMetrics; i++) {
        const int metric = metric_find(pParams->ppMetricNames[i]);
        if (metric < 0) {
            host->is_spoiled = true;
            return CUPTI_ERROR_INVALID_PARAMETER;
        }
        host->metrics |= UINT64_C(1) << metric;
    }
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *pParams)
{
    REFUSE(!pParams->pHostObject, CUPTI_ERROR_INVALID_PARAMETER);
    pParams->configImageSize = sizeof(struct config_image);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *pParams)
{
    if (!pParams->pHostObject || !pParams->pConfigImage || pParams->configImageSize < sizeof(struct config_image))
        return CUPTI_ERROR_INVALID_PARAMETER;
    const uint64_t metrics = pParams->pHostObject->metrics;
    const struct config_image image = {CONFIG_MARK, metric_passes(metrics), metrics};
    memcpy(pParams->pConfigImage, &image, sizeof image);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *pParams)
{
    struct config_image image;
    REFUSE(!pParams->pConfigImage || pParams->configImageSize < sizeof image, CUPTI_ERROR_INVALID_PARAMETER);
    memcpy(&image, pParams->pConfigImage, sizeof image);
    REFUSE(image.mark != CONFIG_MARK, CUPTI_ERROR_INVALID_PARAMETER);
    pParams->numOfPasses = image.passes;
    return CUPTI_SUCCESS;
}

/* As the real one: a value that was not counted is NaN, without an error. */
CUptiResult CUPTIAPI cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *pParams)
{
    const struct counter_image *image = (const void *)pParams->pCounterDataImage;
    if (!pParams->pHostObject || !image || pParams->counterDataImageSize < sizeof *image ||
        image->mark != COUNTERS_MARK || pParams->rangeIndex >= image->count)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (size_t i = 0; i < pParams->numMetrics; i++) {
        const int metric = metric_find(pParams->ppMetricNames[i]);
        REFUSE(metric < 0, CUPTI_ERROR_INVALID_METRIC_NAME);
        pParams->pMetricValues[i] = image->rows[pParams->rangeIndex].values[metric];
    }
    return CUPTI_SUCCESS;
}
