/* The half of the profiler that counts: one profiler object a context, ranges by kernel or by the program, one pass a
 * Start and Stop. */
#include "profiler.h"

#include <cupti_range_profiler.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct CUpti_RangeProfiler_Object {
    CUcontext context;
    struct CUpti_RangeProfiler_Object *next;

    /* Of the configuration. */
    struct config_image config;
    struct counter_image *image;
    CUpti_ProfilerRange range;
    size_t limit;   /* ranges a pass, as configured */
    size_t room;    /* ranges a pass that there is room for */
    uint64_t sized; /* the metrics that sizes were asked for */
    bool is_mixed;  /* for several sets */

    /* Of a session. */
    bool is_running;
    bool is_broken;
    bool is_starved;
    size_t pass;
    struct counter_row *rows; /* not decoded yet */
    size_t row_count;
    size_t base; /* the first row of this turn of passes */
    size_t next_row;

    /* Of the range that the program has opened. */
    bool is_open;
    bool has_graph;
    bool is_first;
    char name[48];
    struct range_work work;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUpti_RangeProfiler_Object *objects;
static bool is_initialized;
static int counters_files[16]; /* by device; 0: not open, for standard input is no such file */
static long ranges_to_lose = -1;

/* ---- Who holds the counters ---- */

/* As the real one: a process holds a device's counters from Enable to Disable. `type` is F_WRLCK to take, F_UNLCK to
 * give back. False: another process has them. A lock of fcntl belongs to the process, so that a forked child has none.
 */
static bool lock_counters(int device, short type)
{
    const char *folder = getenv("STANDIN_DIR");
    if (!folder)
        return true;
    char path[4096];
    snprintf(path, sizeof path, "%s/counters.%d", folder, device);
    if (counters_files[device] == 0)
        counters_files[device] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (counters_files[device] < 0) {
        perror(path);
        abort();
    }
    struct flock file_lock = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(counters_files[device], F_SETLK, &file_lock) == 0;
}

static bool is_held(int device)
{
    for (const struct CUpti_RangeProfiler_Object *object = objects; object; object = object->next)
        if (profiler_driver()->device_of(object->context) == device)
            return true;
    return false;
}

static bool are_counters_free(int device)
{
    if (is_held(device))
        return true;
    const bool is_free = lock_counters(device, F_WRLCK);
    if (is_free)
        lock_counters(device, F_UNLCK);
    return is_free;
}

/* ---- Ranges ---- */

static struct CUpti_RangeProfiler_Object *object_of(CUcontext context)
{
    struct CUpti_RangeProfiler_Object *object = objects;
    while (object && object->context != context)
        object = object->next;
    return object;
}

/* STANDIN_LOSE_RANGES: the first N of the process. */
static bool is_lost(void)
{
    if (ranges_to_lose < 0) {
        const char *text = getenv("STANDIN_LOSE_RANGES");
        ranges_to_lose = text ? atol(text) : 0;
    }
    if (ranges_to_lose == 0)
        return false;
    ranges_to_lose--;
    return true;
}

static struct counter_row *new_row(struct CUpti_RangeProfiler_Object *object)
{
    object->rows = realloc(object->rows, (object->row_count + 1) * sizeof *object->rows);
    if (!object->rows)
        abort();
    struct counter_row *row = &object->rows[object->row_count++];
    *row = (struct counter_row){0};
    for (int i = 0; i < MOST_METRICS; i++)
        row->values[i] = NAN;
    return row;
}

/* As the real one:
 * - there is room for twice the ranges of the first configuration since Enable; what does not fit is dropped, and
 *   neither an error nor the number of dropped ranges says so;
 * - where sizes were asked for several sets of metrics since Enable, all values are NaN;
 * - instrumented counters are 0 in a range with a graph. */
static void add_range(struct CUpti_RangeProfiler_Object *object, const char *name, const struct range_work *work,
                      bool has_graph)
{
    const size_t in_pass = object->next_row - object->base;
    if (object->is_starved || in_pass >= object->limit || in_pass >= object->room || is_lost())
        return;
    struct counter_row *row = object->next_row < object->row_count ? &object->rows[object->next_row] : new_row(object);
    object->next_row++;
    snprintf(row->name, sizeof row->name, "%s", name);
    const enum pass_kind kind = metric_pass_kind(object->config.metrics, object->pass);
    for (int metric = 0; metric < MOST_METRICS && !object->is_mixed; metric++) {
        if (!(object->config.metrics >> metric & 1) || metric_kind(metric) != kind)
            continue;
        row->values[metric] = kind == INSTRUMENTED && has_graph ? 0 : metric_value(metric, work);
    }
}

static void add_work(struct range_work *sum, const struct standin_kernel *kernel)
{
    const struct range_work work = metric_work(kernel);
    sum->threads += work.threads;
    sum->time_ns += work.time_ns;
    sum->instructions += work.instructions;
}

/* In AutoRange CUPTI waits for each kernel. */
void range_ran(const struct standin_kernel *kernel)
{
    pthread_mutex_lock(&lock);
    struct CUpti_RangeProfiler_Object *object = object_of(kernel->context);
    const bool is_running = object && object->is_running && !object->is_broken;
    const bool is_auto = is_running && object->range == CUPTI_AutoRange;
    pthread_mutex_unlock(&lock);
    if (is_auto)
        profiler_driver()->wait(kernel->context);
    if (!is_running || profiler_driver()->has_failed(kernel->context))
        return;
    pthread_mutex_lock(&lock);
    if (is_auto) {
        const struct range_work work = metric_work(kernel);
        char number[24];
        snprintf(number, sizeof number, "%zu", object->next_row - object->base);
        add_range(object, number, &work, false);
    } else if (object->is_open) {
        add_work(&object->work, kernel);
    }
    pthread_mutex_unlock(&lock);
}

/* As the real one: a launch that is captured while a session runs spoils both. */
void range_captured(CUcontext context)
{
    pthread_mutex_lock(&lock);
    struct CUpti_RangeProfiler_Object *object = object_of(context);
    const bool is_running = object && object->is_running;
    if (is_running)
        object->is_broken = true;
    pthread_mutex_unlock(&lock);
    if (is_running)
        profiler_driver()->spoil_captures();
}

/* As the real one: the graph runs rightly, but an AutoRange session is lost, ranges of other launches with it. Between
 * PushRange and PopRange it is counted. */
void range_graph_ran(CUcontext context, const struct standin_kernel *kernels, size_t count)
{
    pthread_mutex_lock(&lock);
    struct CUpti_RangeProfiler_Object *object = object_of(context);
    if (object && object->is_running && object->range == CUPTI_AutoRange)
        object->is_broken = true;
    if (object && object->is_running && object->is_open) {
        object->has_graph = true;
        for (size_t i = 0; i < count; i++)
            add_work(&object->work, &kernels[i]);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Functions ---- */

/* Takes the lock when the object is one of this process. */
static CUptiResult enter(const struct CUpti_RangeProfiler_Object *object)
{
    if (!profiler_driver() || !profiler_driver()->is_usable())
        return CUPTI_ERROR_UNKNOWN;
    pthread_mutex_lock(&lock);
    for (const struct CUpti_RangeProfiler_Object *known = objects; known; known = known->next)
        if (known == object)
            return CUPTI_SUCCESS;
    pthread_mutex_unlock(&lock);
    return CUPTI_ERROR_INVALID_PARAMETER;
}

static CUptiResult leave(CUptiResult result)
{
    pthread_mutex_unlock(&lock);
    return result;
}

/* As the real one: UNKNOWN inside InitializeInjection, and before there is a context. */
CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *pParams)
{
    (void)pParams;
    if (!profiler_driver() || !profiler_driver()->is_usable() || !profiler_driver()->has_context())
        return CUPTI_ERROR_UNKNOWN;
    is_initialized = true;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *pParams)
{
    (void)pParams;
    is_initialized = false;
    return CUPTI_SUCCESS;
}

/* As the real one: another process that holds the counters is told of here. */
CUptiResult CUPTIAPI cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *pParams)
{
    static const uint8_t image[16] = "all of GH100";
    if (!is_initialized)
        return CUPTI_ERROR_NOT_INITIALIZED;
    if (!profiler_driver()->is_usable())
        return CUPTI_ERROR_UNKNOWN;
    CUcontext context = pParams->ctx ? pParams->ctx : profiler_driver()->current();
    if (!context)
        return CUPTI_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    const bool is_free = are_counters_free(profiler_driver()->device_of(context));
    pthread_mutex_unlock(&lock);
    if (!is_free)
        return CUPTI_ERROR_HARDWARE_BUSY;
    if (pParams->pCounterAvailabilityImage) {
        if (pParams->counterAvailabilityImageSize < sizeof image)
            return CUPTI_ERROR_INVALID_PARAMETER;
        memcpy(pParams->pCounterAvailabilityImage, image, sizeof image);
    }
    pParams->counterAvailabilityImageSize = sizeof image;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *pParams)
{
    if (!is_initialized)
        return CUPTI_ERROR_NOT_INITIALIZED;
    if (!profiler_driver()->is_usable())
        return CUPTI_ERROR_UNKNOWN;
    CUcontext context = pParams->ctx ? pParams->ctx : profiler_driver()->current();
    if (!context)
        return CUPTI_ERROR_INVALID_CONTEXT;
    if (profiler_driver()->has_failed(context))
        return CUPTI_ERROR_UNKNOWN;
    const int device = profiler_driver()->device_of(context);
    pthread_mutex_lock(&lock);
    if (object_of(context))
        return leave(CUPTI_ERROR_INVALID_OPERATION);
    if (!is_held(device) && !lock_counters(device, F_WRLCK))
        return leave(CUPTI_ERROR_HARDWARE_BUSY);
    struct CUpti_RangeProfiler_Object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    object->context = context;
    object->next = objects;
    objects = object;
    pParams->pRangeProfilerObject = object;
    return leave(CUPTI_SUCCESS);
}

CUptiResult CUPTIAPI cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    const CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    struct CUpti_RangeProfiler_Object **link = &objects;
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    const int device = profiler_driver()->device_of(object->context);
    if (!is_held(device))
        lock_counters(device, F_UNLCK);
    free(object->rows);
    free(object);
    return leave(CUPTI_SUCCESS);
}

CUptiResult CUPTIAPI cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    const CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    uint64_t metrics = 0;
    for (size_t i = 0; i < pParams->numMetrics; i++) {
        const int metric = metric_find(pParams->pMetricNames[i]);
        if (metric < 0)
            return leave(CUPTI_ERROR_INVALID_METRIC_NAME);
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
    if (!image || pParams->counterDataSize < sizeof *image)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *image = (struct counter_image){
        .mark = COUNTERS_MARK,
        .room = (pParams->counterDataSize - sizeof *image) / sizeof *image->rows,
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
    if (config.mark != CONFIG_MARK)
        return CUPTI_ERROR_INVALID_PARAMETER;
    /* The others change a program's memory or run it again, which the stand-in does not. */
    if (pParams->replayMode != CUPTI_UserReplay)
        return CUPTI_ERROR_NOT_SUPPORTED;
    const CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    if (object->is_running)
        return leave(CUPTI_ERROR_INVALID_OPERATION);
    if (object->config.mark != 0 && object->config.metrics != config.metrics)
        object->is_mixed = true;
    if (object->room == 0)
        object->room = 2 * pParams->maxRangesPerPass;
    object->config = config;
    object->image = (void *)pParams->pCounterDataImage;
    object->range = pParams->range;
    object->limit = pParams->maxRangesPerPass;
    object->pass = 0;
    return leave(CUPTI_SUCCESS);
}

/* As the real one: neither Start nor Stop may come while a stream captures. */
static bool is_spoiled_by_capture(void)
{
    if (!profiler_driver()->is_capturing())
        return false;
    profiler_driver()->spoil_captures();
    return true;
}

/* As the real one: two contexts of a device cannot both count. The second one's Start says so, and the first one's
 * ranges are lost from then on, without an error. */
static bool is_second(const struct CUpti_RangeProfiler_Object *object)
{
    const int device = profiler_driver()->device_of(object->context);
    bool is_second = false;
    for (struct CUpti_RangeProfiler_Object *other = objects; other; other = other->next) {
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
    const CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    if (object->config.mark == 0 || object->is_running)
        return leave(CUPTI_ERROR_INVALID_OPERATION);
    if (object->is_broken || profiler_driver()->has_failed(object->context) || is_spoiled_by_capture())
        return leave(CUPTI_ERROR_UNKNOWN);
    if (!object->is_starved && is_second(object))
        return leave(CUPTI_ERROR_HARDWARE_BUSY);
    object->is_running = true;
    object->is_first = true;
    object->is_open = false;
    object->next_row = object->base;
    return leave(CUPTI_SUCCESS);
}

/* Waits for the kernels, for ever if one does not end. */
CUptiResult CUPTIAPI cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    if (!object->is_running)
        return leave(CUPTI_ERROR_INVALID_OPERATION);
    pthread_mutex_unlock(&lock);
    profiler_driver()->wait(object->context);
    const bool is_broken = profiler_driver()->has_failed(object->context) || is_spoiled_by_capture();
    result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    object->is_running = false;
    object->is_broken |= is_broken;
    if (object->is_broken)
        return leave(CUPTI_ERROR_UNKNOWN);
    pParams->passIndex = object->pass;
    pParams->targetNestingLevel = 1;
    pParams->isAllPassSubmitted = object->pass + 1 >= object->config.passes;
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
    const CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    if (!object->is_running || object->range != CUPTI_UserRange || object->is_open || !pParams->pRangeName)
        return leave(CUPTI_ERROR_INVALID_OPERATION);
    object->is_open = true;
    object->has_graph = false;
    object->work = (struct range_work){0};
    snprintf(object->name, sizeof object->name, "%s", pParams->pRangeName);
    return leave(CUPTI_SUCCESS);
}

/* As the real one: the gaps between kernels are in the time of such a range, a fifth of it here, and the first range of
 * a session takes twice as long. */
CUptiResult CUPTIAPI cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    const CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    if (!object->is_running || !object->is_open)
        return leave(CUPTI_ERROR_INVALID_OPERATION);
    object->work.time_ns *= object->is_first ? 2.4 : 1.2;
    add_range(object, object->name, &object->work, object->has_graph);
    object->is_open = false;
    object->is_first = false;
    return leave(CUPTI_SUCCESS);
}

/* As the real one: while a session runs there is nothing to decode, which is no error. */
CUptiResult CUPTIAPI cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *pParams)
{
    struct CUpti_RangeProfiler_Object *object = pParams->pRangeProfilerObject;
    const CUptiResult result = enter(object);
    if (result != CUPTI_SUCCESS)
        return result;
    if (object->is_broken || profiler_driver()->has_failed(object->context))
        return leave(CUPTI_ERROR_UNKNOWN);
    pParams->numOfRangeDropped = 0;
    if (object->is_running || !object->image)
        return leave(CUPTI_SUCCESS);
    struct counter_image *image = object->image;
    for (size_t i = 0; i < object->row_count && image->count < image->room; i++)
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

CUptiResult CUPTIAPI
cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *pParams)
{
    const struct counter_image *image = (const void *)pParams->pCounterDataImage;
    if (!image || pParams->counterDataImageSize < sizeof *image || image->mark != COUNTERS_MARK ||
        pParams->rangeIndex >= image->count)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->rangeName = image->rows[pParams->rangeIndex].name;
    return CUPTI_SUCCESS;
}
