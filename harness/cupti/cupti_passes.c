/* Measures samples of some kernels in several passes, and makes rows of CUPTI's ranges.
 *
 * Which range belongs to which launch: every launch of this process is counted (cupti_launches.c). So the ranges before
 * the measured launch are known and skipped: those of restore() and of conditioning. If a range is lost in one pass,
 * the ranges behind it hold counters of other launches there, and the last ones hold none. So in a pass over several
 * kernels the last range is the conditioning kernel once more. It has to hold every counter that its first range holds.
 *
 * Short passes: counts of instrumented code repeat to the digit wherever exact counts of the hardware do, and take the
 * most time. So their passes, the last ones, are over the first sample of each kernel only. CUPTI puts the n-th ranges
 * of all passes together, so a pass may have fewer ranges than those before it, from the front. That is why the first
 * samples of all kernels come first. Their order does not matter, since each launch finds inputs, caches and clocks as
 * every other one does (in short passes only inputs). A kernel whose exact counts differ from sample to sample is
 * measured again, with every pass over all samples. If ranges do not hold what they should, all kernels are, from then
 * on.
 *
 * Kernels whose counts are known have no sample in passes of those, which may then be over the range at the end only.
 * (A configuration without those passes would not do: after a change of the configuration CUPTI 13.0 confuses the
 * passes of both, unless the profiler is enabled again, which takes longer.) */
#include "cupti_passes.h"

enum { ROUNDS = 3 };

/* Samples of all kernels of a part that follow each other. A short pass covers the first round, passes of what may be
 * known the first two, other passes all. */
struct round {
    size_t first_range, ranges; /* the last range is the one that shows that none was lost, where has_end() says so */
};

static bool is_known(const struct part *part, size_t i)
{
    return part->short_passes > 0 && part->batch->workloads[i]->known != KNOWN_NOT;
}

/* Returns the first round that has samples of a kernel: the last one if nothing that may be known is read of it. */
static int first_round_of(const struct part *part, size_t i)
{
    return !is_known(part, i) ? 0 : part->batch->workloads[i]->known == KNOWN_ALL ? ROUNDS - 1 : 1;
}

/* Whether a pass covers a round. `left`: how many passes follow. */
static bool covers(const struct part *part, int round, size_t left)
{
    return round == 0 || left >= (round == 1 ? part->short_passes : part->known_passes);
}

/* Returns whether the part has several kernels, so that one kernel's counters could be taken for those of another, or
 * short passes that need another range. */
static bool has_end(const struct part *part)
{
    return is_known(part, part->from) || part->to - part->from > 1;
}

static size_t stride_of(const struct plan *plan)
{
    return plan->before + plan->measured;
}

static size_t samples_of(const struct part *part, size_t i)
{
    return part->sample ? 1 : part->plans[i].samples;
}

/* Returns how many samples of a kernel are in a round. Where the part has short passes, the first round has the first
 * sample and the second the others, or one of the rounds has all samples of a kernel whose counts are known. Otherwise
 * the first has all. */
static size_t samples_in(const struct part *part, int round, size_t i)
{
    const size_t samples = samples_of(part, i);
    if (is_known(part, i) || part->short_passes == 0)
        return round == first_round_of(part, i) ? samples : 0;
    return round == 0 ? 1 : round == 1 ? samples - 1 : 0;
}

static void make_rounds(const struct part *part, struct round rounds[ROUNDS])
{
    size_t first = 0;
    for (int r = 0; r < ROUNDS; r++) {
        rounds[r] = (struct round){.first_range = first};
        for (size_t i = part->from; i < part->to; i++)
            rounds[r].ranges += stride_of(&part->plans[i]) * samples_in(part, r, i);
        rounds[r].ranges += has_end(part) && (r == 0 || rounds[r].ranges > 0);
        first += rounds[r].ranges;
    }
}

size_t part_ranges(const struct part *part)
{
    struct round rounds[ROUNDS];
    make_rounds(part, rounds);
    return rounds[ROUNDS - 1].first_range + rounds[ROUNDS - 1].ranges;
}

int take_sample(struct range_collector *self, const struct workload *workload, condition_gpu *condition, bool details,
                struct plan *seen, struct problem *problem)
{
    struct launch_log *log = &self->log;
    const size_t begin = log->count;
    if (workload_restore(workload, problem) < 0 || condition(self->condition, problem) < 0)
        return -1;
    seen->before = log->count - begin;
    log->recording = details;
    const double start = now_seconds();
    const int run = workload_run(workload, problem);
    seen->seconds = now_seconds() - start;
    log->recording = false;
    seen->measured = log->count - begin - seen->before;
    return run;
}

/* Takes samples of one kernel, one after the other. */
static int take_samples(struct range_collector *self, const struct part *part, size_t i, size_t samples,
                        condition_gpu *condition, struct problem *problem)
{
    const struct plan *plan = &part->plans[i];
    part->batch->works(part->batch->self, i);
    for (size_t s = 0; s < samples; s++) {
        struct plan seen;
        TRY(take_sample(self, part->batch->workloads[i], condition, false, &seen, problem));
        if (seen.before != plan->before || seen.measured != plan->measured)
            return problem_set(problem,
                               "not counted: %s launched %zu + %zu kernels (restore + measured) the first time and %zu "
                               "+ %zu in a later sample; a variant must launch the same kernels every time",
                               part->batch->workloads[i]->id, plan->before, plan->measured, seen.before, seen.measured);
    }
    return 0;
}

/* Whether it is the last turn of a kernel whose output is compared after it: only the first sample is in short passes,
 * or none if its counts are known. What is known whole has the output that it had, and was verified before. */
static bool is_last_turn(const struct part *part, size_t i, int round, size_t left)
{
    return part->batch->workloads[i]->known != KNOWN_ALL && round == first_round_of(part, i) &&
           left == (round == 0 ? 0 : part->short_passes);
}

/* Takes a round of samples. In its last turn the output of each kernel is compared, before another overwrites it. */
static int take_round(struct range_collector *self, const struct part *part, int round, size_t left,
                      struct problem *problem)
{
    /* Counts of instrumented code depend on neither caches nor clocks. */
    condition_gpu *const condition = left < part->short_passes ? gpu_condition_pretend : gpu_condition_flush;
    for (size_t i = part->from; i < part->to; i++) {
        const size_t samples = samples_in(part, round, i);
        if ((samples > 0 && take_samples(self, part, i, samples, condition, problem) < 0) ||
            (is_last_turn(part, i, round, left) && part->batch->verify(part->batch->self, i, problem) < 0))
            return -1;
    }
    if (!has_end(part))
        return 0;
    TRY(condition(self->condition, problem));
    return workload_wait(part->batch->workloads[part->from], problem);
}

/* Runs every pass over its samples of all kernels. */
static int collect(struct range_collector *self, const struct part *part, const struct round rounds[ROUNDS],
                   struct problem *problem)
{
    CUPTI_PARAMS(RangeProfiler_Start, start, .pRangeProfilerObject = self->profiler);
    CUPTI_PARAMS(RangeProfiler_Stop, stop, .pRangeProfilerObject = self->profiler);
    const size_t passes = self->counters.passes;
    size_t pass = 0;
    for (; pass < passes && !stop.isAllPassSubmitted; pass++) {
        const size_t left = passes - 1 - pass;
        TRY(gpu_condition_unpin(self->condition, problem));
        TRY(cupti_check("starting a pass", cuptiRangeProfilerStart(&start), problem));
        for (int r = 0; r < ROUNDS; r++)
            if (covers(part, r, left) && rounds[r].ranges > 0 && take_round(self, part, r, left, problem) < 0)
                return -1;
        TRY(cupti_check("ending a pass", cuptiRangeProfilerStop(&stop), problem));
    }
    if (pass < passes && part->batch->count > 1) /* one kernel alone is verified afterwards */
        return problem_set(problem, "CUPTI finished after only %zu of %zu passes, before the outputs were compared",
                           pass, passes);
    CUPTI_PARAMS(RangeProfiler_DecodeData, decode, .pRangeProfilerObject = self->profiler);
    TRY(cupti_check("decoding counters", cuptiRangeProfilerDecodeData(&decode), problem));
    if (!stop.isAllPassSubmitted || decode.numOfRangeDropped > 0)
        return problem_set(problem, "not counted: %zu ranges were dropped, %s", decode.numOfRangeDropped,
                           stop.isAllPassSubmitted ? "after all passes" : "but some passes are missing");
    return 0;
}

/* CUPTI answers NaN for what it could not count. */
static struct value counted(double number)
{
    if (number >= 0 && number < INFINITY)
        return (struct value){VALUE_MEASURED, number};
    return (struct value){VALUE_NOT_COUNTED, 0};
}

/* Turns the evaluated numbers of one launch into readings, one for each metric. numbers has only the counters that the
 * chip has. */
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

/* Returns whether each exact count of the hardware is the same in all samples. */
static bool repeats(const struct range_collector *self, const struct value *values, size_t samples)
{
    const struct metrics *metrics = self->job->metrics;
    for (size_t m = 0; m < metrics->count; m++) {
        if (metrics->list[m].class != METRIC_EXACT || self->once[m])
            continue;
        for (size_t s = 1; s < samples; s++) {
            const struct value *value = &values[s * metrics->count + m];
            if (value->state != values[m].state ||
                (value->state == VALUE_MEASURED && value->number != values[m].number))
                return false;
        }
    }
    return true;
}

/* A counter data image that CUPTI decoded. */
struct image {
    uint8_t *bytes;
    size_t size;
};

/* Reads all samples of one kernel, whose first range in each round is known, as values. */
static int read_samples(struct range_collector *self, const struct image *image, const struct part *part, size_t i,
                        const size_t first[ROUNDS], struct value *values, struct problem *problem)
{
    const struct metrics *metrics = self->job->metrics;
    const struct plan *plan = &part->plans[i];
    OWNED_MEMORY double *numbers = x_calloc(self->counters.count, sizeof *numbers);
    OWNED_MEMORY struct value *readings = x_calloc(plan->measured * metrics->count, sizeof *readings);
    int failed = 0;
    for (size_t s = 0; s < samples_of(part, i) && failed == 0; s++) {
        size_t before = s; /* samples of its round that precede it */
        int round = 0;
        for (; before >= samples_in(part, round, i); round++)
            before -= samples_in(part, round, i);
        const size_t sample = first[round] + before * stride_of(plan);
        for (size_t launch = 0; launch < plan->measured && failed == 0; launch++) {
            failed = counters_evaluate(&self->counters, image->bytes, image->size, sample + plan->before + launch,
                                       numbers, problem);
            read_range(self, numbers, &readings[launch * metrics->count]);
        }
        sample_combine(metrics, readings, plan->measured, &values[s * metrics->count]);
    }
    return failed;
}

/* Returns the first conditioning kernel's range in the first round; SIZE_MAX: only the one at the end is there. */
static size_t first_range_of(const struct part *part)
{
    for (size_t i = part->from; i < part->to; i++)
        if (samples_in(part, 0, i) > 0)
            return part->plans[i].before - 1;
    return SIZE_MAX;
}

/* Whether passes that leave out a round count the metric. */
static bool is_left_in(const struct range_collector *self, const struct part *part, int round, size_t metric)
{
    return (round > 0 && metric_is_instrumented(&self->job->metrics->list[metric])) ||
           (round == ROUNDS - 1 && part->known_passes > part->short_passes && self->job->metrics->list[metric].follows);
}

/* Checks that the range at the end of a round has every counter which an earlier range of the same kernel has: the
 * first one, or that at the end of the first round. What is counted by passes that leave out the round is not looked
 * for. */
static int check_end(struct range_collector *self, const struct image *image, const struct part *part,
                     const struct round rounds[ROUNDS], int r, size_t begin, struct problem *problem)
{
    const size_t count = self->counters.count;
    double *first = x_calloc(count, sizeof *first), *last = x_calloc(count, sizeof *last);
    int failed = -1;
    if (counters_evaluate(&self->counters, image->bytes, image->size, begin, first, problem) < 0 ||
        counters_evaluate(&self->counters, image->bytes, image->size, rounds[r].first_range + rounds[r].ranges - 1,
                          last, problem) < 0)
        goto out;
    for (size_t m = 0, i = 0; m < self->job->metrics->count; m++) {
        if (!self->counters.names[m])
            continue;
        const bool is_lost = counted(first[i]).state == VALUE_MEASURED && counted(last[i]).state != VALUE_MEASURED;
        if (is_lost && !is_left_in(self, part, r, m)) {
            problem_set(problem, "not counted, because CUPTI lost ranges, so %s cannot be assigned to kernels",
                        self->counters.wanted[i]);
            goto out;
        }
        i++;
    }
    failed = 0;
out:
    free(first);
    free(last);
    return failed;
}

/* Checks that short passes gave the first range a counter. The conditioning kernel always has instructions to count. */
static int check_short(struct range_collector *self, const struct image *image, size_t begin, struct problem *problem)
{
    OWNED_MEMORY double *first = x_calloc(self->counters.count, sizeof *first);
    int failed = counters_evaluate(&self->counters, image->bytes, image->size, begin, first, problem);
    const bool has =
        ANY(i, self->counters.count,
            counter_split(self->counters.wanted[i]).instrumented && counted(first[i]).state == VALUE_MEASURED);
    if (failed == 0 && !has)
        failed = problem_set(problem, "not counted, because the first range has no instrumented counter");
    return failed;
}

static int check_ranges(struct range_collector *self, const struct image *image, const struct part *part,
                        const struct round rounds[ROUNDS], struct problem *problem)
{
    const size_t begin = first_range_of(part);
    if (part->short_passes > 0 && begin != SIZE_MAX && check_short(self, image, begin, problem) < 0)
        return -1;
    for (int r = 0; r < ROUNDS && has_end(part); r++) {
        const size_t earlier = r == 0 ? begin : rounds[0].ranges - 1;
        if (rounds[r].ranges > 0 && earlier != SIZE_MAX &&
            check_end(self, image, part, rounds, r, earlier, problem) < 0)
            return -1;
    }
    return 0;
}

/* Gives up short passes: from now on every pass is over all samples. */
static void give_up_short(struct range_collector *self, const struct part *part, struct plan *plans)
{
    self->short_passes = 0;
    for (size_t i = part->from; i < part->to; i++)
        plans[i].differs = true;
}

/* Turns a decoded image into rows, except of kernels that have to be measured again. */
static int evaluate(struct range_collector *self, const struct image *image, const struct part *part,
                    struct plan *plans, const struct round rounds[ROUNDS], struct problem *problem)
{
    if (check_ranges(self, image, part, rounds, problem) < 0) {
        if (part->short_passes == 0)
            return -1;
        give_up_short(self, part, plans);
        return 0;
    }
    const struct metrics *metrics = self->job->metrics;
    size_t first[ROUNDS];
    for (int r = 0; r < ROUNDS; r++)
        first[r] = rounds[r].first_range;
    if (part->sample)
        return read_samples(self, image, part, part->from, first, part->sample, problem);
    int failed = 0;
    for (size_t i = part->from; i < part->to && failed == 0; i++) {
        const size_t samples = samples_of(part, i);
        OWNED_MEMORY struct value *values = x_calloc(samples * metrics->count, sizeof *values);
        failed = read_samples(self, image, part, i, first, values, problem);
        for (int r = 0; r < ROUNDS; r++)
            first[r] += stride_of(&plans[i]) * samples_in(part, r, i);
        plans[i].differs = part->short_passes > 0 && samples > 1 && !repeats(self, values, samples);
        if (failed == 0 && !plans[i].differs)
            samples_fill(part->batch->results[i], metrics, values, samples, part->short_passes > 0 ? self->once : NULL);
    }
    return failed;
}

/* Measures a part with a counter data image of its own, and evaluates it. */
static int profile(struct range_collector *self, const struct part *part, struct plan *plans,
                   const struct round rounds[ROUNDS], struct problem *problem)
{
    struct image image = {0};
    int failed = -1;
    CUPTI_PARAMS(RangeProfiler_GetCounterDataSize, size, .pRangeProfilerObject = self->profiler,
                 .pMetricNames = self->counters.wanted, .numMetrics = self->counters.count,
                 .maxNumOfRanges = part->ranges, .maxNumRangeTreeNodes = (uint32_t)part->ranges);
    if (cupti_check("sizing the counter data", cuptiRangeProfilerGetCounterDataSize(&size), problem) < 0)
        goto out;
    image = (struct image){x_calloc(1, size.counterDataSize), size.counterDataSize};
    CUPTI_PARAMS(RangeProfiler_CounterDataImage_Initialize, blank, .pRangeProfilerObject = self->profiler,
                 .counterDataSize = size.counterDataSize, .pCounterData = image.bytes);
    CUPTI_PARAMS(RangeProfiler_SetConfig, config, .pRangeProfilerObject = self->profiler,
                 .configSize = self->counters.config_size, .pConfig = self->counters.config,
                 .counterDataImageSize = image.size, .pCounterDataImage = image.bytes, .range = CUPTI_AutoRange,
                 .replayMode = CUPTI_UserReplay,
                 .maxRangesPerPass = part->ranges > self->capacity ? part->ranges : self->capacity,
                 .numNestingLevels = 1, .minNestingLevel = 1);
    CUPTI_PARAMS(RangeProfiler_GetCounterDataInfo, info, .pCounterDataImage = image.bytes,
                 .counterDataImageSize = image.size);
    if (cupti_check("preparing the counter data", cuptiRangeProfilerCounterDataImageInitialize(&blank), problem) < 0 ||
        cupti_check("setting up the counters", cuptiRangeProfilerSetConfig(&config), problem) < 0 ||
        collect(self, part, rounds, problem) < 0 ||
        cupti_check("counting ranges", cuptiRangeProfilerGetCounterDataInfo(&info), problem) < 0)
        goto out;
    if (info.numTotalRanges != part->ranges) {
        problem_set(problem,
                    "not counted, because %zu kernels were launched, but CUPTI has ranges of %zu; launches in CUDA "
                    "graphs or other contexts are not supported",
                    part->ranges, info.numTotalRanges);
        goto out;
    }
    failed = evaluate(self, &image, part, plans, rounds, problem);
out:
    free(image.bytes);
    return failed;
}

int part_measure(struct range_collector *self, const struct part *part, struct plan *plans, struct problem *problem)
{
    struct round rounds[ROUNDS];
    make_rounds(part, rounds);
    return profile(self, part, plans, rounds, problem);
}
