/* Runs sessions of CUPTI's range profiler, one at a time. Every kernel is a range (AutoRange), or every launch of a
 * graph (UserRange). There is a single pass, with the program's own state of memory and caches (UserReplay).
 *
 * The counters of a GPU belong to one process, and in it to one context, from Enable to Disable. A second process or
 * context makes the first lose ranges without an error. So there is one session for all contexts of the process, and a
 * file lock between processes. Ranges are counted and compared with the launches that were made. Where the numbers
 * differ, nobody knows which range was whose, and none is taken. */
#include "ranges.h"
#include "activity.h"
#include "sets.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

/* The number of ranges in a session. Each takes 1.4 MB, and 3 ms in the first session. Ending a session and beginning
 * the next takes 15 ms. */
enum { BATCH = 64 };

/* How many launches of a graph, each the first of its session, are passed over. Where every launch is one, because the
 * graph is captured anew each time, later ones are taken as they are. */
enum { COLD_MAX = 2 };

/* A launch in the session, and what becomes of its numbers. The first one of a group that the process measures is
 * colder than the rest. */
struct range {
    struct launch_group *group; /* NULL: nobody wants it */
    enum { COUNTED, COLD, PASSED_OVER } use;
};

static struct {
    CUpti_RangeProfiler_Object *profiler; /* NULL: this process does not hold the counters */
    CUcontext context;
    enum ranges_mode mode;
    struct counters counters;
    uint8_t *image;
    size_t image_size;
    bool running;
    struct range launches[BATCH];
    size_t count;
    size_t lost;
} ranges;

bool ranges_running(void)
{
    return ranges.running;
}

bool ranges_are_full(void)
{
    return ranges.count == BATCH;
}

enum ranges_mode ranges_mode_now(void)
{
    return ranges.mode;
}

bool ranges_hold_counters(void)
{
    return ranges.profiler != NULL;
}

CUcontext ranges_context(void)
{
    return ranges.context;
}

/* Whether instrumented code counts, which takes a kernel ten times as long. */
static bool ranges_instrument(void)
{
    const struct metrics *metrics = ranges.profiler ? sets_metrics(sets_now()) : NULL;
    return metrics && ANY(m, metrics->count, counter_split(metrics->list[m].counter).instrumented);
}

size_t ranges_lost(void)
{
    return ranges.lost;
}

/* CUPTI keeps what it knows of instrumented code beyond the end of a session, by the driver's handles. When a module is
 * gone and its handle is another's, the next launch that is counted so dies of SIGSEGV, within libnvperf_host. That
 * befell a program of JAX, whose compiler loads and unloads what it tries, in 6 of 6 runs. Giving the counters back
 * makes CUPTI forget, and ending the session does not (2 of 2 runs each). */
void ranges_forget_code(void)
{
    if (ranges_instrument())
        ranges_close();
}

/* ---- Counters ---- */

static int open_counters(const struct request *request, CUcontext context, struct problem *problem)
{
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    CUPTI_PARAMS(Profiler_GetCounterAvailability, availability, .ctx = context);
    CUdevice device = 0;
    int failed = -1;
    TRY(cuda_check("identifying the GPU", cuCtxGetDevice(&device), problem));
    chip.deviceIndex = (size_t)device;
    TRY(cupti_check("reading the chip's name", cuptiDeviceGetChipName(&chip), problem));
    TRY(cupti_check("reading the available counters", cuptiProfilerGetCounterAvailability(&availability), problem));
    uint8_t *image = x_calloc(1, availability.counterAvailabilityImageSize);
    availability.pCounterAvailabilityImage = image;
    if (cupti_check("reading the available counters", cuptiProfilerGetCounterAvailability(&availability), problem) ==
            0 &&
        sets_make(request, chip.pChipName, image, problem) == 0)
        failed = counters_open(&ranges.counters, chip.pChipName, image, sets_metrics(sets_now()), problem);
    free(image);
    return failed;
}

/* ---- A session ---- */

static int make_image(struct problem *problem)
{
    CUPTI_PARAMS(RangeProfiler_GetCounterDataSize, size, .pRangeProfilerObject = ranges.profiler,
                 .pMetricNames = ranges.counters.wanted, .numMetrics = ranges.counters.count, .maxNumOfRanges = BATCH,
                 .maxNumRangeTreeNodes = BATCH);
    TRY(cupti_check("sizing the counter data", cuptiRangeProfilerGetCounterDataSize(&size), problem));
    ranges.image_size = size.counterDataSize;
    ranges.image = x_calloc(1, ranges.image_size);
    return 0;
}

static int clear_image(struct problem *problem)
{
    CUPTI_PARAMS(RangeProfiler_CounterDataImage_Initialize, blank, .pRangeProfilerObject = ranges.profiler,
                 .counterDataSize = ranges.image_size, .pCounterData = ranges.image);
    return cupti_check("preparing the counter data", cuptiRangeProfilerCounterDataImageInitialize(&blank), problem);
}

static int configure(enum ranges_mode mode, struct problem *problem)
{
    CUPTI_PARAMS(RangeProfiler_SetConfig, config, .pRangeProfilerObject = ranges.profiler,
                 .configSize = ranges.counters.config_size, .pConfig = ranges.counters.config,
                 .counterDataImageSize = ranges.image_size, .pCounterDataImage = ranges.image,
                 .range = mode == RANGES_OF_GRAPHS ? CUPTI_UserRange : CUPTI_AutoRange, .replayMode = CUPTI_UserReplay,
                 .maxRangesPerPass = BATCH, .numNestingLevels = 1, .minNestingLevel = 1);
    ranges.mode = mode;
    return cupti_check("setting up the counters", cuptiRangeProfilerSetConfig(&config), problem);
}

static int enable(CUcontext context, enum ranges_mode mode, const struct request *request, struct problem *problem)
{
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUPTI_PARAMS(RangeProfiler_Enable, params, .ctx = context);
    CUdevice device;
    TRY(cuda_check("identifying the GPU", cuCtxGetDevice(&device), problem));
    TRY(gpu_lock_take(request->locks, device, problem));
    if (cupti_check("starting CUPTI's profiler", cuptiProfilerInitialize(&start), problem) < 0 ||
        open_counters(request, context, problem) < 0 ||
        cupti_check("opening the GPU's counters", cuptiRangeProfilerEnable(&params), problem) < 0) {
        ranges_close();
        return -1;
    }
    ranges.profiler = params.pRangeProfilerObject;
    ranges.context = context;
    if (make_image(problem) == 0 && clear_image(problem) == 0 && configure(mode, problem) == 0)
        return 0;
    ranges_close();
    return -1;
}

int ranges_start(CUcontext context, enum ranges_mode mode, const struct request *request, struct problem *problem)
{
    struct problem lost; /* this loss is counted, and the process continues */
    busy_pause();
    if (ranges.running && (ranges.context != context || ranges.mode != mode))
        (void)ranges_stop(&lost);
    if (ranges.profiler && (ranges.context != context || ranges.mode != mode))
        ranges_close();
    if (!ranges.profiler && enable(context, mode, request, problem) < 0)
        return -1;
    if (ranges.running)
        return 0;
    CUPTI_PARAMS(RangeProfiler_Start, start, .pRangeProfilerObject = ranges.profiler);
    activity_pause();
    if (cupti_check("starting to count", cuptiRangeProfilerStart(&start), problem) < 0) {
        activity_resume();
        ranges_close();
        return -1;
    }
    ranges.running = true;
    ranges.count = 0;
    return 0;
}

void ranges_push(void)
{
    char name[24]; /* ranges of the same name would be one range */
    snprintf(name, sizeof name, "%zu", ranges.count);
    CUPTI_PARAMS(RangeProfiler_PushRange, params, .pRangeProfilerObject = ranges.profiler, .pRangeName = name);
    cuptiRangeProfilerPushRange(&params); /* if it fails, the number of ranges is wrong, and that is noticed */
}

void ranges_pop(void)
{
    CUPTI_PARAMS(RangeProfiler_PopRange, params, .pRangeProfilerObject = ranges.profiler);
    cuptiRangeProfilerPopRange(&params);
}

/* Returns whether another launch of the graph can be measured in place of this one, which is the first of its session.
 */
static bool can_pass_over(struct launch_group *group)
{
    struct set_counts *counted = group_counted(group, sets_now());
    return ranges.count == 0 && ranges.mode == RANGES_OF_GRAPHS && (counted->cold++ < COLD_MAX || counted->warm > 0);
}

void ranges_add(struct launch_group *group)
{
    if (ranges_are_full())
        return; /* then the numbers of ranges and launches differ, and that is noticed */
    struct range range = {.group = group};
    if (group)
        range.use = can_pass_over(group) ? PASSED_OVER : group->begun ? COUNTED : COLD;
    if (group && range.use == COLD)
        group->begun = true;
    if (group && range.use != PASSED_OVER) {
        group_counted(group, sets_now())->taken += range.use == COUNTED;
        group_counted(group, sets_now())->readings++;
    }
    ranges.launches[ranges.count++] = range;
}

/* Whether the counter is instrumented and the range a graph's, which it does not see into: it reads 0, without an
 * error.
 */
static bool is_blind(const struct launch_group *group, const char *counter)
{
    return group->graph && counter_split(counter).instrumented;
}

/* Whether the number is another than that of later launches: the first range of a session takes a graph up to twice its
 * time, from a cold L2. Only counts of instructions and their accesses are right. */
static bool is_cold(const struct launch_group *group, const char *counter, bool is_first)
{
    return group->graph && is_first && !strstr(counter, "inst_executed") &&
           strncmp(counter, "l1tex__t_sectors", 16) != 0;
}

/* Into a graph instrumented counters do not see, so for sets of these alone no session is made. */
static void add_unsupported(struct result *result)
{
    for (size_t set = 0; set < sets_count(); set++)
        for (size_t m = 0; sets_are_blind(set) && m < sets_metrics(set)->count; m++)
            result_add(result, sets_metrics(set)->list[m].name)->state = VALUE_NOT_SUPPORTED;
}

static void send_values(const struct range *range, const double *numbers, bool is_first)
{
    const struct metrics *set = sets_metrics(sets_now());
    OWNED(result) result = {.id = range->group->id};
    if (range->group->graph)
        add_unsupported(&result);
    for (size_t m = 0; m < set->count; m++) {
        const char *counter = ranges.counters.names[m];
        const double number = counter ? round_value(*numbers++) : NAN; /* NaN stands for what CUPTI could not count */
        const bool sees = counter && !is_blind(range->group, counter);
        if (sees && is_cold(range->group, counter, is_first))
            continue;
        struct row *row = result_add(&result, set->list[m].name);
        row->state = VALUE_NOT_SUPPORTED;
        if (sees)
            row_add_session(row, &number, 1);
    }
    OWNED_TEXT line = result_to_line(&result);
    /* A launch that is passed over is better than nothing. */
    if (range->use != PASSED_OVER || !range->group->begun)
        link_say(range->use == COUNTED ? MESSAGE_RESULT : MESSAGE_COLD, line);
    result.id = NULL;
}

static int decode(struct problem *problem)
{
    CUPTI_PARAMS(RangeProfiler_Stop, stop, .pRangeProfilerObject = ranges.profiler);
    CUPTI_PARAMS(RangeProfiler_DecodeData, decoded, .pRangeProfilerObject = ranges.profiler);
    CUPTI_PARAMS(RangeProfiler_GetCounterDataInfo, info, .pCounterDataImage = ranges.image,
                 .counterDataImageSize = ranges.image_size);
    TRY(cupti_check("ending to count", cuptiRangeProfilerStop(&stop), problem));
    TRY(cupti_check("decoding counters", cuptiRangeProfilerDecodeData(&decoded), problem));
    TRY(cupti_check("counting ranges", cuptiRangeProfilerGetCounterDataInfo(&info), problem));
    if (info.numTotalRanges != ranges.count || decoded.numOfRangeDropped > 0)
        return problem_set(problem, "%zu %s made, but CUPTI has ranges of %zu", ranges.count,
                           plural_of(ranges.count, "launch was", "launches were"), info.numTotalRanges);
    return 0;
}

/* Notes whether exact counts are those of the group's first launch in this set. */
static void compare(struct set_counts *counted, const double *numbers)
{
    const struct metrics *set = sets_metrics(sets_now());
    if (!counted->exact) {
        counted->exact = x_calloc(ranges.counters.count, sizeof *counted->exact);
        memcpy(counted->exact, numbers, ranges.counters.count * sizeof *numbers);
    }
    for (size_t m = 0, n = 0; m < set->count; n += ranges.counters.names[m++] != NULL)
        if (ranges.counters.names[m] && set->list[m].class == METRIC_EXACT && numbers[n] != counted->exact[n])
            counted->strays = true;
}

static int deliver(struct problem *problem)
{
    OWNED_MEMORY double *numbers = x_calloc(ranges.counters.count, sizeof *numbers);
    int failed = 0;
    for (size_t i = 0; i < ranges.count && failed == 0; i++) {
        struct range *range = &ranges.launches[i];
        if (!range->group)
            continue;
        const bool is_first = i == 0 && ranges.mode == RANGES_OF_GRAPHS;
        failed = counters_evaluate(&ranges.counters, ranges.image, ranges.image_size, i, numbers, problem);
        if (failed == 0) {
            send_values(range, numbers, is_first);
            compare(group_counted(range->group, sets_now()), numbers);
            group_counted(range->group, sets_now())->warm += !is_first;
            range->group = NULL;
        }
    }
    return failed;
}

/* Tells the parent that a session failed, and takes its launches back from their groups, of which others may still
 * come. A kernel that failed breaks all calls after it, and then its error says more than CUPTI's. */
static void lose(struct problem *problem)
{
    struct problem context;
    if (cuda_check("the GPU's context is lost", cuCtxSynchronize(), &context) < 0)
        *problem = context;
    link_say(MESSAGE_LOST, problem->text);
    EACH(const struct range, range, ranges.launches, ranges.count) {
        if (!range->group || range->use == PASSED_OVER)
            continue;
        if (range->use == COLD)
            range->group->begun = false;
        group_counted(range->group, sets_now())->taken -= range->use == COUNTED;
        group_counted(range->group, sets_now())->readings--;
        ranges.lost++;
    }
}

int ranges_stop(struct problem *problem)
{
    if (!ranges.running)
        return 0;
    ranges.running = false;
    const bool good = decode(problem) == 0 && deliver(problem) == 0 && clear_image(problem) == 0;
    activity_resume();
    if (!good)
        lose(problem);
    ranges.count = 0;
    busy_resume();
    if (good)
        return 0;
    ranges_close(); /* the next one begins anew */
    return -1;
}

void ranges_close(void)
{
    struct problem ignored;
    (void)ranges_stop(&ignored);
    busy_pause();
    CUPTI_PARAMS(RangeProfiler_Disable, params, .pRangeProfilerObject = ranges.profiler);
    if (ranges.profiler)
        cuptiRangeProfilerDisable(&params);
    ranges.profiler = NULL;
    ranges.context = NULL;
    counters_close(&ranges.counters);
    free(ranges.image);
    ranges.image = NULL;
    gpu_lock_release();
    busy_resume();
}
