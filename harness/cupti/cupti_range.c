/* The CUPTI collector: range profiler, one kernel a range (AutoRange), the harness repeats the launches (UserReplay).
 *
 * UserRange would add about 10 us to short kernels, and KernelReplay's save and restore changes the traffic of kernels
 * that fit in the L2 (both measured on an H200). All samples of a batch of kernels stand in one Start/Stop a pass,
 * because on an H200 the first Start of a batch costs about 40 ms and a Stop about 10, however few launches are in it;
 * the counter data image is sized to them, because Start takes time in proportion to it.
 *
 * CUPTI 13.0 keeps room for twice the ranges of the first configuration and drops the rest without a word (15 first,
 * then 130: it had 30). Enabling the profiler anew makes room, but the next Start takes as long as the first of the
 * process: 207 ms for 10 ranges, 368 for 160, 728 for 640. So room is asked for when the first batch is known, for the
 * largest that can be foreseen; a batch that needs more is measured in parts, and only for a kernel that does not fit
 * alone the profiler is enabled anew.
 *
 * Which range is which: every launch of this process is counted (cupti_launches.c), so the ranges before the
 * measured launch (restore's own kernels, conditioning) are known and skipped. If a range got lost in one pass, those
 * behind it would hold counters of other launches there, and the last ones none: in a pass over several kernels the
 * last range is the conditioning kernel once more, and has to hold all that its first one does. */
#include "cupti_plugin.h"

#include "base/base.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_RANGES = 2, /* a sample: what conditions the GPU, and the kernel */
    MOST_RANGES = 640 /* in a Start/Stop, unless one kernel needs more */
};

struct range_collector {
    const struct job *job;
    CUcontext context;
    CUpti_RangeProfiler_Object *profiler;
    size_t capacity; /* ranges in one pass that it was configured for first; 0: not yet */
    struct launch_log log;
    struct counters counters;
    struct gpu_condition *condition;
};

/* The kernels of a sample: `before` of them are not measured, then `measured` are. */
struct plan {
    size_t before;
    size_t measured;
};

/* Kernels of a batch that are in one Start/Stop: from number `from` to the one before `to`. */
struct part {
    const struct batch *batch;
    const struct plan *plans; /* of all of the batch */
    size_t from, to;
    size_t ranges; /* with the one at the end of a pass, if there is to be one */
};

/* Whether another kernel's counters could be taken for those of a kernel. */
static bool has_end(const struct part *part)
{
    return part->to - part->from > 1;
}

static size_t ranges_of(const struct range_collector *self, const struct plan *plan)
{
    return (plan->before + plan->measured) * (size_t)self->job->samples;
}

static int open_counters(struct range_collector *self, struct problem *problem)
{
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    CUpti_Profiler_GetCounterAvailability_Params availability = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
        .ctx = self->context,
    };
    uint8_t *image = NULL;
    int failed = -1;
    if (cupti_check("asking for the chip's name", cuptiDeviceGetChipName(&chip), problem) < 0 ||
        cupti_check("asking which counters are available", cuptiProfilerGetCounterAvailability(&availability),
                    problem) < 0)
        goto out;
    image = x_calloc(1, availability.counterAvailabilityImageSize);
    availability.pCounterAvailabilityImage = image;
    if (cupti_check("asking which counters are available", cuptiProfilerGetCounterAvailability(&availability),
                    problem) < 0)
        goto out;
    failed = counters_open(&self->counters, chip.pChipName, image, self->job->metrics, problem);
out:
    free(image);
    return failed;
}

static void disable(struct range_collector *self)
{
    CUpti_RangeProfiler_Disable_Params params = {
        .structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
    };
    if (self->profiler)
        cuptiRangeProfilerDisable(&params);
    self->profiler = NULL;
}

static int enable(struct range_collector *self, struct problem *problem)
{
    CUpti_RangeProfiler_Enable_Params params = {
        .structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
        .ctx = self->context,
    };
    if (cupti_check("opening the GPU's counters", cuptiRangeProfilerEnable(&params), problem) < 0)
        return -1;
    self->profiler = params.pRangeProfilerObject;
    self->capacity = 0;
    return 0;
}

/* Has the next configuration make room for so many ranges, unless there is. */
static int make_room(struct range_collector *self, size_t ranges, struct problem *problem)
{
    if (self->capacity > 0 && ranges > self->capacity) {
        disable(self);
        if (enable(self, problem) < 0)
            return -1;
    }
    if (self->capacity == 0) {
        const size_t foreseen = self->job->largest_batch * (size_t)self->job->samples * USUAL_RANGES + 1;
        self->capacity = foreseen < MOST_RANGES ? foreseen : MOST_RANGES;
        self->capacity = ranges > self->capacity ? ranges : self->capacity;
    }
    return 0;
}

static void range_close(void *opened)
{
    struct range_collector *self = opened;
    disable(self);
    launch_log_close(&self->log);
    gpu_condition_close(self->condition);
    counters_close(&self->counters);
    free(self);
}

static int range_open(void **opened, const struct job *job, struct device *device, struct session *session,
                      struct problem *problem)
{
    struct range_collector *self = x_calloc(1, sizeof *self);
    self->job = job;
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    uint32_t version = 0;
    int driver = 0;

    if (gpu_describe(0, device, session, problem) < 0)
        goto failed;
    if (cuDriverGetVersion(&driver) == CUDA_SUCCESS && driver / 10 < CUDA_VERSION / 10) {
        problem_set(
            problem,
            "the driver supports CUDA %d.%d but this cugate was built with CUPTI of CUDA %d.%d: update the driver, or "
            "build with a toolkit of CUDA %d.%d (make CUDA_HOME=...)",
            driver / 1000, driver % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, driver / 1000,
            driver % 1000 / 10);
        goto failed;
    }
    /* Enabling once now shows denied or busy counters before any kernel runs. */
    if (gpu_context(&self->context, problem) < 0 || launch_log_open(&self->log, problem) < 0 ||
        cupti_check("starting CUPTI's profiler", cuptiProfilerInitialize(&start), problem) < 0 ||
        open_counters(self, problem) < 0 || enable(self, problem) < 0 ||
        gpu_condition_open(&self->condition, problem) < 0)
        goto failed;
    if (job->roofs)
        gpu_measure_roofs(self->condition, session->roofs);
    if (cuptiGetVersion(&version) == CUPTI_SUCCESS)
        session->facts[SESSION_CUPTI] = x_sprintf("%u", version);
    *opened = self;
    return 0;
failed:
    range_close(self);
    return -1;
}

/* Restores the inputs, conditions the GPU, launches and waits; says how many kernels each part launched, and on
 * `details` keeps how the measured ones were launched. */
static int one_sample(struct range_collector *self, const struct workload *workload, bool details, struct plan *seen,
                      struct problem *problem)
{
    struct launch_log *log = &self->log;
    const size_t begin = log->count;
    if (workload_restore(workload, problem) < 0 || gpu_condition_apply(self->condition, problem) < 0)
        return -1;
    seen->before = log->count - begin;
    log->recording = details;
    const int run = workload_run(workload, problem);
    log->recording = false;
    seen->measured = log->count - begin - seen->before;
    return run;
}

/* All samples of one kernel, which stand together. */
static int take_samples(struct range_collector *self, const struct part *part, size_t i, struct problem *problem)
{
    const struct plan *plan = &part->plans[i];
    part->batch->works(part->batch->self, i);
    for (int s = 0; s < self->job->samples; s++) {
        struct plan seen;
        if (one_sample(self, part->batch->workloads[i], false, &seen, problem) < 0)
            return -1;
        if (seen.before != plan->before || seen.measured != plan->measured)
            return problem_set(
                problem,
                "not counted: %s launched %zu + %zu kernels (restore + measured) the first time and %zu + %zu in a "
                "later sample; a variant must launch the same kernels every time",
                part->batch->workloads[i]->id, plan->before, plan->measured, seen.before, seen.measured);
    }
    return 0;
}

/* Every pass over all samples of all kernels. In the last one the output of each is compared after its last launch. */
static int collect(struct range_collector *self, const struct part *part, struct problem *problem)
{
    CUpti_RangeProfiler_Start_Params start = {
        .structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
    };
    CUpti_RangeProfiler_Stop_Params stop = {
        .structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
    };
    for (size_t pass = 0; pass < self->counters.passes && !stop.isAllPassSubmitted; pass++) {
        if (cupti_check("starting a pass", cuptiRangeProfilerStart(&start), problem) < 0)
            return -1;
        for (size_t i = part->from; i < part->to; i++) {
            if (take_samples(self, part, i, problem) < 0 ||
                (pass + 1 == self->counters.passes && part->batch->verify(part->batch->self, i, problem) < 0))
                return -1;
        }
        if (has_end(part) && (gpu_condition_apply(self->condition, problem) < 0 ||
                              workload_settle(part->batch->workloads[part->from], problem) < 0))
            return -1;
        if (cupti_check("ending a pass", cuptiRangeProfilerStop(&stop), problem) < 0)
            return -1;
    }
    CUpti_RangeProfiler_DecodeData_Params decode = {
        .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
    };
    if (cupti_check("decoding counters", cuptiRangeProfilerDecodeData(&decode), problem) < 0)
        return -1;
    if (!stop.isAllPassSubmitted || decode.numOfRangeDropped > 0)
        return problem_set(problem, "not counted: %zu ranges were dropped, %s", decode.numOfRangeDropped,
                           stop.isAllPassSubmitted ? "all passes done" : "passes are missing");
    return 0;
}

/* CUPTI answers NaN for what it could not count. */
static struct value counted(double number)
{
    if (number >= 0 && number < INFINITY)
        return (struct value){VALUE_MEASURED, number};
    return (struct value){VALUE_NOT_COUNTED, 0};
}

/* The evaluated numbers of one launch as readings, per metric; numbers holds only the counters that the chip has. */
static void read_range(const struct range_collector *self, const double *numbers, struct value *readings)
{
    const struct metrics *metrics = self->job->metrics;
    for (size_t m = 0; m < metrics->count; m++) {
        if (self->counters.names[m])
            readings[m] = counted(*numbers++);
        else if (computed_counter_of(&metrics->list[m]) == COMPUTED_WALL_TIME)
            readings[m] = (struct value){VALUE_NOT_APPLICABLE, 0};
        else
            readings[m] = (struct value){VALUE_NOT_SUPPORTED, 0};
    }
}

/* Turns the ranges of one kernel in a decoded image, of which `first` is the first one, into rows. */
static int evaluate(struct range_collector *self, const uint8_t *image, size_t image_size, size_t first,
                    const struct plan *plan, struct result *result, struct problem *problem)
{
    const struct metrics *metrics = self->job->metrics;
    const size_t samples = (size_t)self->job->samples;
    const size_t stride = plan->before + plan->measured;
    double *numbers = x_calloc(self->counters.count, sizeof *numbers);
    struct value *readings = x_calloc(plan->measured * metrics->count, sizeof *readings);
    struct value *values = x_calloc(samples * metrics->count, sizeof *values);
    int failed = -1;

    for (size_t s = 0; s < samples; s++) {
        for (size_t launch = 0; launch < plan->measured; launch++) {
            const size_t range = first + s * stride + plan->before + launch;
            if (counters_evaluate(&self->counters, image, image_size, range, numbers, problem) < 0)
                goto out;
            read_range(self, numbers, &readings[launch * metrics->count]);
        }
        sample_combine(metrics, readings, plan->measured, &values[s * metrics->count]);
    }
    samples_fill(result, metrics, values, samples);
    failed = 0;
out:
    free(values);
    free(readings);
    free(numbers);
    return failed;
}

/* Whether the range at the end of the passes has every counter that the first one of the same kernel has. */
static int check_end(struct range_collector *self, const uint8_t *image, size_t image_size, const struct part *part,
                     struct problem *problem)
{
    const size_t count = self->counters.count;
    double *first = x_calloc(count, sizeof *first), *last = x_calloc(count, sizeof *last);
    int failed = -1;
    if (counters_evaluate(&self->counters, image, image_size, part->plans[part->from].before - 1, first, problem) < 0 ||
        counters_evaluate(&self->counters, image, image_size, part->ranges - 1, last, problem) < 0)
        goto out;
    for (size_t i = 0; i < count; i++) {
        if (counted(first[i]).state == VALUE_MEASURED && counted(last[i]).state != VALUE_MEASURED) {
            problem_set(problem, "not counted: CUPTI lost ranges of kernels, so that it is not known whose %s is whose",
                        self->counters.wanted[i]);
            goto out;
        }
    }
    failed = 0;
out:
    free(first);
    free(last);
    return failed;
}

static int evaluate_part(struct range_collector *self, const uint8_t *image, size_t image_size, const struct part *part,
                         struct problem *problem)
{
    size_t first = 0;
    if (has_end(part) && check_end(self, image, image_size, part, problem) < 0)
        return -1;
    for (size_t i = part->from; i < part->to; i++) {
        if (evaluate(self, image, image_size, first, &part->plans[i], part->batch->results[i], problem) < 0)
            return -1;
        first += ranges_of(self, &part->plans[i]);
    }
    return 0;
}

/* Profiles with a counter data image of its own and evaluates it. */
static int profile(struct range_collector *self, const struct part *part, struct problem *problem)
{
    uint8_t *image = NULL;
    int failed = -1;
    if (make_room(self, part->ranges, problem) < 0)
        return -1;
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
        .pMetricNames = self->counters.wanted,
        .numMetrics = self->counters.count,
        .maxNumOfRanges = part->ranges,
        .maxNumRangeTreeNodes = (uint32_t)part->ranges,
    };
    if (cupti_check("sizing the counter data", cuptiRangeProfilerGetCounterDataSize(&size), problem) < 0)
        goto out;
    image = x_calloc(1, size.counterDataSize);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params blank = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
        .counterDataSize = size.counterDataSize,
        .pCounterData = image,
    };
    CUpti_RangeProfiler_SetConfig_Params config = {
        .structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
        .configSize = self->counters.config_size,
        .pConfig = self->counters.config,
        .counterDataImageSize = size.counterDataSize,
        .pCounterDataImage = image,
        .range = CUPTI_AutoRange,
        .replayMode = CUPTI_UserReplay,
        .maxRangesPerPass = self->capacity,
        .numNestingLevels = 1,
        .minNestingLevel = 1,
    };
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = image,
        .counterDataImageSize = size.counterDataSize,
    };
    if (cupti_check("preparing the counter data", cuptiRangeProfilerCounterDataImageInitialize(&blank), problem) < 0 ||
        cupti_check("setting up the counters", cuptiRangeProfilerSetConfig(&config), problem) < 0 ||
        collect(self, part, problem) < 0 ||
        cupti_check("counting ranges", cuptiRangeProfilerGetCounterDataInfo(&info), problem) < 0)
        goto out;
    if (info.numTotalRanges != part->ranges) {
        problem_set(
            problem,
            "not counted: %zu kernels were launched but CUPTI has ranges of %zu; launches in CUDA graphs or other "
            "contexts are not supported",
            part->ranges, info.numTotalRanges);
        goto out;
    }
    failed = evaluate_part(self, image, size.counterDataSize, part, problem);
out:
    free(image);
    return failed;
}

/* Once more unmeasured, to learn what it launches. */
static int plan(struct range_collector *self, const struct batch *batch, size_t i, struct plan *plan,
                struct problem *problem)
{
    batch->works(batch->self, i);
    if (one_sample(self, batch->workloads[i], true, plan, problem) < 0)
        return -1;
    if (plan->measured == 0)
        return problem_set(problem, "it launched no kernel; a family that only copies is of kind CUGATE_TRANSFER");
    launch_log_hand_over(&self->log, batch->results[i]);
    return 0;
}

/* As many more kernels as there is room for, one at least. */
static void fill_part(const struct range_collector *self, struct part *part)
{
    const size_t room = self->capacity > 0 ? self->capacity : MOST_RANGES;
    part->from = part->to;
    part->ranges = 0;
    while (part->to < part->batch->count) {
        const size_t ranges = ranges_of(self, &part->plans[part->to]);
        if (part->to > part->from && part->ranges + ranges + 1 > room)
            break;
        part->ranges += ranges;
        part->to++;
    }
    part->ranges += has_end(part);
}

static int range_measure_batch(void *opened, const struct batch *batch, struct problem *problem)
{
    struct range_collector *self = opened;
    struct plan *plans = x_calloc(batch->count, sizeof *plans);
    struct part part = {.batch = batch, .plans = plans};
    int failed = 0;
    for (size_t i = 0; i < batch->count && failed == 0; i++)
        failed = plan(self, batch, i, &plans[i], problem);
    while (part.to < batch->count && failed == 0) {
        fill_part(self, &part);
        failed = profile(self, &part, problem);
    }
    free(plans);
    return failed;
}

static void works_alone(void *self, size_t i)
{
    (void)self, (void)i;
}

/* The worker does, afterwards. */
static int verify_later(void *self, size_t i, struct problem *problem)
{
    (void)self, (void)i, (void)problem;
    return 0;
}

static int range_measure(void *opened, const struct workload *workload, struct result *result, struct problem *problem)
{
    const struct range_collector *self = opened;
    if (workload->transfer) {
        const struct conditioning conditioning = {self->condition, gpu_condition_apply, gpu_condition_mark};
        return samples_by_host(self->job, workload, VALUE_NOT_APPLICABLE, &conditioning, result, problem);
    }
    const struct batch alone = {
        .count = 1, .workloads = &workload, .results = &result, .works = works_alone, .verify = verify_later};
    return range_measure_batch(opened, &alone, problem);
}

static size_t range_launches(void *opened)
{
    const struct range_collector *self = opened;
    return self->log.count;
}

const struct collector cupti_range_collector = {
    .open = range_open,
    .measure = range_measure,
    .measure_batch = range_measure_batch,
    .launches = range_launches,
    .close = range_close,
};
