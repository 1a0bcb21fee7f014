/* Measures a library on a GPU without reading again what is known (judge/known_counts.h). Launches and inputs are
 * recorded on the CPU while the GPU opens. Three bounds hold it: each kernel is read all the same on some day; all of a
 * kernel is read where an exact count of the hardware is not the baseline's; and --all reads everything. */
#include "check_parts.h"

#include "baseline/baseline.h"

#include <time.h>

enum { DAY_SECONDS = 24 * 60 * 60 };

/* What a baseline knows. */
struct knowing {
    const struct measurement *measurement;
    const char *baselines;
};

/* Lists the kernels whose counts the baseline knows, but for those that are read all the same. */
static struct known_kernel *find_known(void *self, const struct run *dry, size_t *count)
{
    const struct knowing *knowing = self;
    const long day = (long)(time(NULL) / DAY_SECONDS);
    OWNED(run) baseline = {0};
    struct known_kernel *known = NULL;
    *count = 0;
    if (baseline_exists(knowing->baselines, &dry->device))
        baseline_read(&baseline, knowing->baselines, &dry->device);
    for (size_t i = 0; i < dry->result_count; i++) {
        const struct result *now = &dry->results[i], *base = run_find(&baseline, now->id);
        if (base && !counts_have_their_day(now->id, day) &&
            counts_are_known(&baseline, base, dry, now, knowing->measurement->metrics))
            *ARRAY_GROW(known, *count) = (struct known_kernel){now->id, result_has_code_of_others(base)};
    }
    return known;
}

/* Whether the metric weighs the launches of a kernel by what instrumented code counts. */
static bool is_weighed_by_them(const struct metrics *metrics, const struct metric *metric)
{
    const struct metric *weight = metric->weight ? metrics_find(metrics, metric->weight) : NULL;
    return !metric_is_instrumented(metric) && weight && metric_is_instrumented(weight);
}

bool check_reads_instrumented(const struct measurement *measurement)
{
    bool reads = false, weighs = false;
    for (size_t m = 0; m < measurement->metrics->count; m++) {
        reads |= metric_is_instrumented(&measurement->metrics->list[m]);
        weighs |= is_weighed_by_them(measurement->metrics, &measurement->metrics->list[m]);
    }
    return reads && !weighs && measurement->backend->provides & PROVIDES_COUNTERS && !measurement->program;
}

int check_known(const struct measurement *measurement, const char *baselines, struct run *run)
{
    struct knowing knowing = {measurement, baselines};
    return measure_with_inputs(measurement, baselines ? find_known : NULL, &knowing, run);
}

int check_unknown(const struct measurement *measurement, const struct run *baseline, struct run *run)
{
    struct measurement again = *measurement;
    OWNED_MEMORY char **ids = NULL;
    int code = EXIT_SAME;
    again.glob_count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *now = &run->results[i], *base = run_find(baseline, now->id);
        const bool known = base && counts_are_known(baseline, base, run, now, measurement->metrics) &&
                           same_work(base, now, measurement->metrics);
        if (!known && counts_were_left(now, measurement->metrics))
            *ARRAY_GROW(ids, again.glob_count) = now->id;
    }
    again.globs = ids;
    if (again.glob_count > 0) {
        OWNED(run) all = {0};
        code = measure_whole(&again, &all);
        inputs_take(&all, run);
        run_take(run, &all);
    }
    return code;
}
