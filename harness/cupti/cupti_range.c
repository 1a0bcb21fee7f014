/* The CUPTI collector. It uses the range profiler with one kernel a range (AutoRange), and the harness repeats the
 * launches itself (UserReplay).
 *
 * The other modes disturb: UserRange would add about 10 us to short kernels. KernelReplay's save and restore changes
 * the traffic of kernels that fit in the L2 (both measured on an H200). All samples of a batch of kernels stand between
 * one Start and one Stop in each pass. On an H200 the first Start of a batch costs about 40 ms and a Stop about 10,
 * however few launches are in it. The counter data image is as large as they need and no larger, because Start takes
 * time in proportion to it.
 *
 * Capacity: CUPTI 13.0 reserves twice the ranges of the first configuration, and drops the rest without an error (15
 * first, then 130: it had 30). Enabling the profiler again lets it reserve more, but the next Start takes as long as
 * the first of the process: 207 ms for 10 ranges, 368 for 160, 728 for 640. So they are reserved when the first batch
 * is known, for the largest batch that can be foreseen. A batch that needs more is measured in parts. The profiler is
 * enabled again only for a kernel that does not fit alone. */
#include "cupti_passes.h"

#include <cupti_target.h>
#include <cupti_version.h>

enum {
    USUAL_RANGES = 2, /* ranges of one sample: the conditioning kernel, and the kernel */
    ENDS = 2,         /* ranges at the end of a part of several kernels, see cupti_passes.c */
    MOST_RANGES = 640 /* that are reserved at first, unless one kernel needs more */
};

/* Notes which metrics take instrumented code. Returns whether the hardware counts an exact metric. */
static bool note_exact(struct range_collector *self)
{
    const struct metrics *metrics = self->job->metrics;
    bool has_exact = false;
    self->once = x_calloc(metrics->count, sizeof *self->once);
    for (size_t m = 0; m < metrics->count; m++) {
        const char *name = self->counters.names[m];
        const char *weight = metrics->list[m].weight; /* the counter by which a mean is weighted has to be there, too */
        const char *by = weight ? self->counters.names[metrics_index(metrics, weight)] : NULL;
        self->once[m] = name && (counter_split(name).instrumented || (by && counter_split(by).instrumented));
        has_exact |= name && !self->once[m] && metrics->list[m].class == METRIC_EXACT;
    }
    return has_exact;
}

static int open_counters(struct range_collector *self, struct problem *problem)
{
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    CUPTI_PARAMS(Profiler_GetCounterAvailability, availability, .ctx = self->context);
    uint8_t *image = NULL;
    int failed = -1;
    if (cupti_check("reading the chip's name", cuptiDeviceGetChipName(&chip), problem) < 0 ||
        cupti_check("reading the available counters", cuptiProfilerGetCounterAvailability(&availability), problem) < 0)
        goto out;
    image = x_calloc(1, availability.counterAvailabilityImageSize);
    availability.pCounterAvailabilityImage = image;
    if (cupti_check("reading the available counters", cuptiProfilerGetCounterAvailability(&availability), problem) < 0)
        goto out;
    failed = counters_open(&self->counters, chip.pChipName, image, self->job->metrics, problem);
    if (failed == 0 && note_exact(self) && !self->job->every_sample) {
        const struct metrics *metrics = self->job->metrics;
        self->short_passes =
            counters_last_passes(&self->counters, chip.pChipName, image, metrics, metric_is_instrumented);
        self->known_passes = counters_last_passes(&self->counters, chip.pChipName, image, metrics, metric_may_be_known);
        if (self->known_passes < self->short_passes)
            self->known_passes = self->short_passes;
    }
out:
    free(image);
    return failed;
}

static void disable(struct range_collector *self)
{
    CUPTI_PARAMS(RangeProfiler_Disable, params, .pRangeProfilerObject = self->profiler);
    if (self->profiler)
        cuptiRangeProfilerDisable(&params);
    self->profiler = NULL;
}

static int enable(struct range_collector *self, struct problem *problem)
{
    CUPTI_PARAMS(RangeProfiler_Enable, params, .ctx = self->context);
    TRY(cupti_check("opening the GPU's counters", cuptiRangeProfilerEnable(&params), problem));
    self->profiler = params.pRangeProfilerObject;
    self->capacity = 0;
    return 0;
}

/* Returns how many ranges of several kernels one pass may have. */
static size_t ranges_that_fit(const struct range_collector *self)
{
    return self->capacity > 0 ? 2 * self->capacity : MOST_RANGES;
}

/* Has the next configuration reserve that many ranges, unless they fit already. */
static int reserve(struct range_collector *self, size_t ranges, struct problem *problem)
{
    if (self->capacity > 0 && ranges > ranges_that_fit(self)) {
        disable(self);
        TRY(enable(self, problem));
    }
    if (self->capacity == 0) {
        const size_t foreseen = self->job->largest_batch * (size_t)self->job->samples * USUAL_RANGES + ENDS;
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
    free(self->once);
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
        problem_set(problem,
                    "the driver supports CUDA %d.%d, but this cugate was built with CUPTI of CUDA %d.%d: update the "
                    "driver, or build with the CUDA %d.%d toolkit (make CUDA_HOME=...)",
                    driver / 1000, driver % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, driver / 1000,
                    driver % 1000 / 10);
        goto failed;
    }
    if (gpu_context(&self->context, problem) < 0 || launch_log_open(&self->log, problem) < 0 ||
        cupti_check("starting CUPTI's profiler", cuptiProfilerInitialize(&start), problem) < 0)
        goto failed;
    /* THE LINE: everything above it is done while another worker still measures on this GPU.
     * cuptiProfilerGetCounterAvailability would return CUPTI_ERROR_HARDWARE_BUSY during that. */
    message_await_go(job->pipe);
    /* The profiler is enabled once now, so that denied or busy counters are found before any kernel runs. */
    if (open_counters(self, problem) < 0 || enable(self, problem) < 0 ||
        gpu_condition_open(&self->condition, problem) < 0)
        goto failed;
    if (job->backend->warm)
        gpu_condition_keep_caches(self->condition);
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

/* Runs the variant once without measuring, to learn what it launches. */
static int plan(struct range_collector *self, const struct batch *batch, size_t i, struct plan *plan,
                struct problem *problem)
{
    batch->works(batch->self, i);
    TRY(take_sample(self, batch->workloads[i], gpu_condition_apply, true, plan, problem));
    plan->samples = (size_t)samples_of_length(self->job->samples, plan->seconds);
    plan->pins = gpu_condition_is_carved(self->condition);
    if (plan->measured == 0)
        return problem_set(problem,
                           "no kernel was launched; a family that only copies must have the kind CUGATE_TRANSFER");
    launch_log_hand_over(&self->log, batch->results[i]);
    return 0;
}

/* Adds as many more kernels to the part as fit, at least one. */
static void fill_part(const struct range_collector *self, struct part *part)
{
    part->short_passes = self->short_passes;
    part->known_passes = self->known_passes;
    part->from = part->to++;
    for (; part->to < part->batch->count && !part->plans[part->to].pins; part->to++) {
        struct part larger = *part;
        larger.to++;
        if (part_ranges(&larger) > ranges_that_fit(self))
            break;
    }
    part->ranges = part_ranges(part);
}

static int measure_part(struct range_collector *self, const struct part *part, struct plan *plans,
                        struct problem *problem)
{
    TRY(reserve(self, part->ranges, problem));
    return part_measure(self, part, plans, problem);
}

/* Measures a kernel that pins lines of the L2: one sample after the other, each with nothing pinned before it. */
static int measure_pinning(struct range_collector *self, const struct batch *batch, struct plan *plans, size_t i,
                           struct problem *problem)
{
    const size_t samples = plans[i].samples, count = self->job->metrics->count;
    OWNED_MEMORY struct value *values = x_calloc(samples * count, sizeof *values);
    int failed = 0;
    for (size_t s = 0; s < samples && failed == 0; s++) {
        struct part part = {.batch = batch, .plans = plans, .from = i, .to = i + 1, .sample = &values[s * count]};
        part.ranges = part_ranges(&part);
        failed = measure_part(self, &part, plans, problem);
    }
    if (failed == 0)
        samples_fill(batch->results[i], self->job->metrics, values, samples, NULL);
    return failed;
}

/* What was not read has no row. */
static void leave_known(const struct range_collector *self, bool follows, struct result *result)
{
    const struct metrics *metrics = self->job->metrics;
    for (size_t m = 0; m < metrics->count; m++)
        if (metric_is_instrumented(&metrics->list[m]) || (follows && metrics->list[m].follows))
            result_remove(result, metrics->list[m].name);
}

static int range_measure_batch(void *opened, const struct batch *batch, struct problem *problem)
{
    struct range_collector *self = opened;
    OWNED_MEMORY struct plan *plans = x_calloc(batch->count, sizeof *plans);
    struct part part = {.batch = batch, .plans = plans};
    int failed = 0;
    for (size_t i = 0; i < batch->count && failed == 0; i++)
        failed = plan(self, batch, i, &plans[i], problem);
    while (part.to < batch->count && failed == 0) {
        if (plans[part.to].pins) {
            failed = measure_pinning(self, batch, plans, part.to++, problem);
            continue;
        }
        fill_part(self, &part);
        failed = measure_part(self, &part, plans, problem);
    }
    for (size_t i = 0; i < batch->count && failed == 0; i++) {
        if (!plans[i].differs && batch->workloads[i]->known != KNOWN_NOT)
            leave_known(self, batch->workloads[i]->known == KNOWN_ALL && self->known_passes > self->short_passes,
                        batch->results[i]);
        if (!plans[i].differs)
            continue;
        part = (struct part){.batch = batch, .plans = plans, .from = i, .to = i + 1};
        part.ranges = part_ranges(&part);
        failed = measure_part(self, &part, plans, problem);
    }
    return failed;
}

static void works_alone(void *self, size_t i)
{
    (void)self, (void)i;
}

/* Verifies nothing here: the worker does it afterwards. */
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

static int range_on_family(void *opened, bool is_open, struct problem *problem)
{
    const struct range_collector *self = opened;
    return gpu_condition_on_family(self->condition, is_open, problem);
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
    .on_family = range_on_family,
    .close = range_close,
    .awaits_go = true,
};
