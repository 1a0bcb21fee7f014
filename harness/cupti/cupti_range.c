/* The CUPTI collector: range profiler, one kernel a range (AutoRange), the harness repeats the launches (UserReplay).
 *
 * UserRange would add about 10 us to short kernels, and KernelReplay's save and restore changes the traffic of kernels
 * that fit in the L2 (both measured on an H200). All samples of a kernel stand in one Start/Stop, because each
 * Start/Stop costs 7 to 30 ms; the counter data image is sized to them, because Start takes time in proportion to it.
 *
 * CUPTI 13.0 keeps room for twice the ranges of the first configuration and drops the rest without a word (15 first,
 * then 130: it had 30). Enabling the profiler anew makes room but the next Start then takes 175 ms, so room for many
 * ranges is asked for from the start, and more only for a kernel that needs it.
 *
 * Which range is which: every launch of this process is counted (cupti_launches.c), so the ranges before the
 * measured launch (restore's own kernels, conditioning) are known and skipped. */
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

/* Room is made for so many launches a sample; reduce/global_strided has 25 with the one before it. */
enum { USUAL_LAUNCHES = 32 };

struct range_collector {
    const struct job *job;
    CUcontext context;
    CUpti_RangeProfiler_Object *profiler;
    size_t capacity; /* ranges in one pass that the profiler was enabled for */
    struct launch_log log;
    struct counters counters;
    struct gpu_condition *condition;
};

/* One sample's kernels: `before` of them are not measured, then `measured` are. */
struct plan {
    size_t before;
    size_t measured;
};

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

/* Enables the profiler with room for so many ranges, unless it has it. */
static int enable(struct range_collector *self, size_t ranges, struct problem *problem)
{
    if (self->profiler && ranges <= self->capacity)
        return 0;
    disable(self);
    self->capacity = ranges;
    CUpti_RangeProfiler_Enable_Params params = {
        .structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
        .ctx = self->context,
    };
    if (cupti_check("opening the GPU's counters", cuptiRangeProfilerEnable(&params), problem) < 0)
        return -1;
    self->profiler = params.pRangeProfilerObject;
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
        open_counters(self, problem) < 0 || enable(self, USUAL_LAUNCHES * (size_t)job->samples, problem) < 0 ||
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
    log->count = 0;
    if (workload_restore(workload, problem) < 0 || gpu_condition_apply(self->condition, problem) < 0)
        return -1;
    seen->before = log->count;
    log->recording = details;
    const int run = workload_run(workload, problem);
    log->recording = false;
    seen->measured = log->count - seen->before;
    return run;
}

/* Every pass over all samples. */
static int collect(struct range_collector *self, const struct workload *workload, const struct plan *plan,
                   struct problem *problem)
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
        for (int s = 0; s < self->job->samples; s++) {
            struct plan seen;
            if (one_sample(self, workload, false, &seen, problem) < 0)
                return -1;
            if (seen.before != plan->before || seen.measured != plan->measured)
                return problem_set(
                    problem,
                    "not counted: it launched %zu + %zu kernels (restore + measured) the first time and %zu + %zu in a "
                    "later sample; a variant must launch the same kernels every time",
                    plan->before, plan->measured, seen.before, seen.measured);
        }
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

/* Turns a decoded image into rows. */
static int evaluate(struct range_collector *self, const uint8_t *image, size_t image_size, const struct plan *plan,
                    struct result *result, struct problem *problem)
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
            const size_t range = s * stride + plan->before + launch;
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

/* Profiles with a counter data image of its own and evaluates it. */
static int profile(struct range_collector *self, const struct workload *workload, const struct plan *plan,
                   struct result *result, struct problem *problem)
{
    const size_t ranges = (plan->before + plan->measured) * (size_t)self->job->samples;
    uint8_t *image = NULL;
    int failed = -1;
    if (enable(self, ranges, problem) < 0)
        return -1;
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->profiler,
        .pMetricNames = self->counters.wanted,
        .numMetrics = self->counters.count,
        .maxNumOfRanges = ranges,
        .maxNumRangeTreeNodes = (uint32_t)ranges,
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
        collect(self, workload, plan, problem) < 0 ||
        cupti_check("counting ranges", cuptiRangeProfilerGetCounterDataInfo(&info), problem) < 0)
        goto out;
    if (info.numTotalRanges != ranges) {
        problem_set(
            problem,
            "not counted: %zu kernels were launched but CUPTI has ranges of %zu; launches in CUDA graphs or other "
            "contexts are not supported",
            ranges, info.numTotalRanges);
        goto out;
    }
    failed = evaluate(self, image, size.counterDataSize, plan, result, problem);
out:
    free(image);
    return failed;
}

static int range_measure(void *opened, const struct workload *workload, struct result *result, struct problem *problem)
{
    struct range_collector *self = opened;
    if (workload->transfer) {
        const struct conditioning conditioning = {self->condition, gpu_condition_apply, gpu_condition_mark};
        return samples_by_host(self->job, workload, VALUE_NOT_APPLICABLE, &conditioning, result, problem);
    }
    struct plan plan;
    if (one_sample(self, workload, true, &plan, problem) < 0)
        return -1;
    if (plan.measured == 0)
        return problem_set(problem, "it launched no kernel; a family that only copies is of kind CUGATE_TRANSFER");
    if (profile(self, workload, &plan, result, problem) < 0)
        return -1;
    launch_log_hand_over(&self->log, result);
    return 0;
}

const struct collector cupti_range_collector = {.open = range_open, .measure = range_measure, .close = range_close};
