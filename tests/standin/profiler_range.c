/* The half of the profiler that counts. A context has one profiler object. Ranges are of kernels or of the program's
 * own. Each Start and Stop is one pass. */
#include "profiler.h"

#include <cupti_target.h>

#include <fcntl.h>
#include <unistd.h>

static bool is_initialized;

/* Takes the lock, if the object is one of this process. */
static CUptiResult enter(const struct CUpti_RangeProfiler_Object *object)
{
    REFUSE(!profiler_driver() || !profiler_driver()->is_usable(), CUPTI_ERROR_UNKNOWN);
    pthread_mutex_lock(&profiler_lock);
    for (const struct CUpti_RangeProfiler_Object *known = profiler_objects; known; known = known->next)
        if (known == object)
            return CUPTI_SUCCESS;
    pthread_mutex_unlock(&profiler_lock);
    return CUPTI_ERROR_INVALID_PARAMETER;
}

#define ENTER(object)                                                                                                  \
    do {                                                                                                               \
        const CUptiResult entered_ = enter(object);                                                                    \
        if (entered_ != CUPTI_SUCCESS)                                                                                 \
            return entered_;                                                                                           \
    } while (0)

static CUptiResult leave(CUptiResult result)
{
    pthread_mutex_unlock(&profiler_lock);
    return result;
}

/* Opens the log; NULL: there is none. */
static FILE *open_log(void)
{
    const char *path = getenv("STANDIN_LOG");
    return path ? fopen(path, "a") : NULL;
}

static void note_process(void)
{
    FILE *log = open_log();
    if (!log)
        return;
    fprintf(log, "process %d\n", (int)getpid());
    fclose(log);
}

/* As the real one: it returns UNKNOWN inside InitializeInjection, and before there is a context. */
CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *pParams)
{
    (void)pParams;
    if (!profiler_driver() || !profiler_driver()->is_usable() || !profiler_driver()->has_context())
        return CUPTI_ERROR_UNKNOWN;
    note_process();
    is_initialized = true;
    return CUPTI_SUCCESS;
}

/* CUPTI 13.0 dies of SIGSEGV if the profiler has not been initialized. */
CUptiResult CUPTIAPI cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *pParams)
{
    REFUSE(!is_initialized, CUPTI_ERROR_NOT_INITIALIZED);
    pParams->pChipName = "GH100";
    return CUPTI_SUCCESS;
}

/* As the real one: it returns an error if another process holds the counters. */
CUptiResult CUPTIAPI cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *pParams)
{
    static const uint8_t image[16] = "all of GH100";
    REFUSE(!is_initialized, CUPTI_ERROR_NOT_INITIALIZED);
    REFUSE(!profiler_driver()->is_usable(), CUPTI_ERROR_UNKNOWN);
    CUcontext context = pParams->ctx ? pParams->ctx : profiler_driver()->current();
    REFUSE(!context, CUPTI_ERROR_INVALID_CONTEXT);
    pthread_mutex_lock(&profiler_lock);
    const bool is_free = counters_are_free(profiler_driver()->device_of(context));
    pthread_mutex_unlock(&profiler_lock);
    REFUSE(!is_free, CUPTI_ERROR_HARDWARE_BUSY);
    if (pParams->pCounterAvailabilityImage) {
        REFUSE(pParams->counterAvailabilityImageSize < sizeof image, CUPTI_ERROR_INVALID_PARAMETER);
        memcpy(pParams->pCounterAvailabilityImage, image, sizeof image);
    }
    pParams->counterAvailabilityImageSize = sizeof image;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *pParams)
{
    REFUSE(!is_initialized, CUPTI_ERROR_NOT_INITIALIZED);
    REFUSE(!profiler_driver()->is_usable(), CUPTI_ERROR_UNKNOWN);
    CUcontext context = pParams->ctx ? pParams->ctx : profiler_driver()->current();
    REFUSE(!context, CUPTI_ERROR_INVALID_CONTEXT);
    REFUSE(profiler_driver()->has_failed(context), CUPTI_ERROR_UNKNOWN);
    const int device = profiler_driver()->device_of(context);
    pthread_mutex_lock(&profiler_lock);
    REFUSE(profiler_object_of(context), leave(CUPTI_ERROR_INVALID_OPERATION));
    REFUSE(!counters_are_held(device) && !counters_lock(device, F_WRLCK), leave(CUPTI_ERROR_HARDWARE_BUSY));
    struct CUpti_RangeProfiler_Object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    object->context = context;
    object->next = profiler_objects;
    profiler_objects = object;
    pParams->pRangeProfilerObject = object;
    return leave(CUPTI_SUCCESS);
}

CUptiResult CUPTIAPI cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    ENTER(object);
    struct CUpti_RangeProfiler_Object **link = &profiler_objects;
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    const int device = profiler_driver()->device_of(object->context);
    if (!counters_are_held(device))
        counters_lock(device, F_UNLCK);
    free(object->rows);
    free(object);
    return leave(CUPTI_SUCCESS);
}

CUptiResult CUPTIAPI cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    ENTER(object);
    uint64_t metrics = 0;
    for (size_t i = 0; i < pParams->numMetrics; i++) {
        const int metric = metric_find(pParams->pMetricNames[i]);
        REFUSE(metric < 0, leave(CUPTI_ERROR_INVALID_METRIC_NAME));
        metrics |= UINT64_C(1) << metric;
    }
    if (object->sized != 0 && object->sized != metrics)
        object->is_mixed = true;
    object->sized = metrics;
    pParams->counterDataSize = sizeof(struct counter_image) + pParams->maxNumOfRanges * sizeof(struct counter_row);
    return leave(CUPTI_SUCCESS);
}

CUptiResult CUPTIAPI
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *pParams)
{
    struct counter_image *image = (void *)pParams->pCounterData;
    REFUSE(!image || pParams->counterDataSize < sizeof *image, CUPTI_ERROR_INVALID_PARAMETER);
    *image = (struct counter_image){
        .mark = COUNTERS_MARK,
        .capacity = (pParams->counterDataSize - sizeof *image) / sizeof *image->rows,
    };
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    struct config_image config;
    const struct counter_image *image = (const void *)pParams->pCounterDataImage;
    if (!pParams->pConfig || pParams->configSize < sizeof config || !image ||
        pParams->counterDataImageSize < sizeof *image || image->mark != COUNTERS_MARK ||
        pParams->maxRangesPerPass == 0 || pParams->numNestingLevels != 1 || pParams->minNestingLevel != 1)
        return CUPTI_ERROR_INVALID_PARAMETER;
    memcpy(&config, pParams->pConfig, sizeof config);
    REFUSE(config.mark != CONFIG_MARK, CUPTI_ERROR_INVALID_PARAMETER);
    /* Other modes change a program's memory or run it again. The stand-in does neither. */
    REFUSE(pParams->replayMode != CUPTI_UserReplay, CUPTI_ERROR_NOT_SUPPORTED);
    ENTER(object);
    REFUSE(object->is_running, leave(CUPTI_ERROR_INVALID_OPERATION));
    if (object->config.mark != 0 && object->config.metrics != config.metrics)
        object->is_mixed = true;
    if (object->capacity == 0)
        object->capacity = 2 * pParams->maxRangesPerPass;
    object->config = config;
    object->image = (void *)pParams->pCounterDataImage;
    object->range = pParams->range;
    object->limit = pParams->maxRangesPerPass;
    object->pass = 0;
    return leave(CUPTI_SUCCESS);
}

/* As the real one: neither Start nor Stop may be called while a stream captures. */
static bool is_spoiled_by_capture(void)
{
    if (!profiler_driver()->is_capturing())
        return false;
    profiler_driver()->spoil_captures();
    return true;
}

/* As the real one: two contexts of a device cannot both count. The second one's Start returns an error. From then on
 * the first one's ranges are lost, without an error. */
static bool is_second(const struct CUpti_RangeProfiler_Object *object)
{
    const int device = profiler_driver()->device_of(object->context);
    bool is_second = false;
    for (struct CUpti_RangeProfiler_Object *other = profiler_objects; other; other = other->next) {
        if (other == object || other->config.mark == 0 || profiler_driver()->device_of(other->context) != device)
            continue;
        is_second = true;
        other->is_starved = true;
    }
    return is_second;
}

CUptiResult CUPTIAPI cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    ENTER(object);
    REFUSE(object->config.mark == 0 || object->is_running, leave(CUPTI_ERROR_INVALID_OPERATION));
    if (object->is_broken || profiler_driver()->has_failed(object->context) || is_spoiled_by_capture())
        return leave(CUPTI_ERROR_UNKNOWN);
    REFUSE(!object->is_starved && is_second(object), leave(CUPTI_ERROR_HARDWARE_BUSY));
    usleep(1000 * (getenv("STANDIN_SLOW_START") ? (unsigned)atoi(getenv("STANDIN_SLOW_START"))
                                                : 0)); /* NOLINT(cert-err34-c) */
    object->is_running = true;
    object->is_first = true;
    object->is_open = false;
    object->next_row = object->base;
    return leave(CUPTI_SUCCESS);
}

static void note_pass(const struct CUpti_RangeProfiler_Object *object)
{
    FILE *log = open_log();
    if (!log)
        return;
    fprintf(log, "pass %zu: %zu of %zu\n", object->pass, object->next_row - object->base, object->limit);
    fclose(log);
}

/* Waits for the kernels, which may be for ever. */
CUptiResult CUPTIAPI cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    ENTER(object);
    REFUSE(!object->is_running, leave(CUPTI_ERROR_INVALID_OPERATION));
    pthread_mutex_unlock(&profiler_lock);
    profiler_driver()->wait(object->context);
    const bool is_broken = profiler_driver()->has_failed(object->context) || is_spoiled_by_capture();
    ENTER(object);
    object->is_running = false;
    object->is_broken |= is_broken;
    REFUSE(object->is_broken, leave(CUPTI_ERROR_UNKNOWN));
    note_pass(object);
    pParams->passIndex = object->pass;
    pParams->targetNestingLevel = 1;
    pParams->isAllPassSubmitted = object->pass + (getenv("STANDIN_FEWER_PASSES") ? 2 : 1) >= object->config.passes;
    object->pass++;
    if (pParams->isAllPassSubmitted) {
        object->pass = 0;
        object->base = object->row_count;
    }
    return leave(CUPTI_SUCCESS);
}

CUptiResult CUPTIAPI cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    ENTER(object);
    if (!object->is_running || object->range != CUPTI_UserRange || object->is_open || !pParams->pRangeName)
        return leave(CUPTI_ERROR_INVALID_OPERATION);
    object->is_open = true;
    object->has_graph = false;
    object->work = (struct range_work){0};
    snprintf(object->name, sizeof object->name, "%s", pParams->pRangeName);
    return leave(CUPTI_SUCCESS);
}

/* As the real one: the time of such a range includes the gaps between kernels, which are a fifth of it here. The first
 * range of a session takes twice as long. */
CUptiResult CUPTIAPI cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    ENTER(object);
    REFUSE(!object->is_running || !object->is_open, leave(CUPTI_ERROR_INVALID_OPERATION));
    object->work.time_ns *= object->is_first ? 2.4 : 1.2;
    range_add(object, object->name, &object->work, object->has_graph);
    object->is_open = false;
    object->is_first = false;
    return leave(CUPTI_SUCCESS);
}

/* As the real one: while a session runs there is nothing to decode. That is no error. */
CUptiResult CUPTIAPI cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    ENTER(object);
    REFUSE(object->is_broken || profiler_driver()->has_failed(object->context), leave(CUPTI_ERROR_UNKNOWN));
    pParams->numOfRangeDropped = 0;
    if (object->is_running || !object->image)
        return leave(CUPTI_SUCCESS);
    struct counter_image *image = object->image;
    for (size_t i = 0; i < object->row_count && image->count < image->capacity; i++)
        image->rows[image->count++] = object->rows[i];
    free(object->rows);
    object->rows = NULL;
    object->row_count = object->base = object->next_row = 0;
    return leave(CUPTI_SUCCESS);
}

CUptiResult CUPTIAPI cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *pParams)
{
    const struct counter_image *image = (const void *)pParams->pCounterDataImage;
    if (!image || pParams->counterDataImageSize < sizeof *image || image->mark != COUNTERS_MARK)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->numTotalRanges = image->count;
    return CUPTI_SUCCESS;
}
