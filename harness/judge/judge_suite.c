/* The shift of the whole suite in time: what the GPU, its clock or its driver did, and no kernel's code. */
#include "judge_parts.h"

#include <math.h>
#include <stdlib.h>

/* Relative changes of the suite's kernels that both sides measured. Caller frees. */
static double *relative_changes(const struct sides *sides, const struct suite *suite, bool only_same_code,
                                size_t *count)
{
    const struct run *baseline = sides->baseline;
    const struct metric *metric = suite->metric;
    double *changes = NULL;
    *count = 0;
    for (size_t i = 0; i < baseline->result_count; i++) {
        const struct result *base = &baseline->results[i];
        const struct result *now = run_find(sides->run, base->id);
        if (!now || (only_same_code && !same_code(base, now)) || !is_of_suite(suite, sides->run, now))
            continue;
        const struct row *was = result_find(base, metric->name), *is = result_find(now, metric->name);
        if (!was || !is || was->state != VALUE_MEASURED || is->state != VALUE_MEASURED)
            continue;
        const double value = row_value(was);
        if (value != 0)
            *ARRAY_GROW(changes, *count) = row_value(is) / value - 1;
    }
    return changes;
}

/* Kernels whose code did not change are the better witnesses: a change of code in most kernels moves the others'
 * median. */
static void find_suite(struct comparison *comparison, const struct sides *sides, struct suite suite)
{
    suite.same_code = true;
    double *changes = relative_changes(sides, &suite, true, &suite.kernels);
    if (suite.kernels < RULE_DRIFT) {
        free(changes);
        suite.same_code = false;
        changes = relative_changes(sides, &suite, false, &suite.kernels);
    }
    if (suite.kernels >= RULE_DRIFT) {
        suite.shift = median(changes, suite.kernels);
        suite.moved = fabs(suite.shift) > RULE_SUITE_SHIFT;
    }
    if (suite.kernels > 0)
        *ARRAY_GROW(comparison->suites, comparison->suite_count) = suite;
    free(changes);
}

/* Each GPU of the run once; "" are those that are not known. Caller frees the list. */
static size_t find_gpus(const struct run *run, const char ***gpus)
{
    const char **all = x_calloc(run->session_count, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < run->session_count; i++)
        all[i] = run->sessions[i].facts[SESSION_GPU_UUID] ? run->sessions[i].facts[SESSION_GPU_UUID] : "";
    size_t *first = first_of_equals(all, run->session_count, sizeof *all, by_text);
    for (size_t i = 0; i < run->session_count; i++)
        if (first[i] == i)
            all[count++] = all[i];
    free(first);
    *gpus = all;
    return count;
}

void find_suites(struct comparison *comparison, const struct sides *sides)
{
    const char **gpus;
    const size_t gpu_count = find_gpus(sides->run, &gpus);
    for (size_t i = 0; i < sides->metrics->count; i++) {
        const struct metric *metric = &sides->metrics->list[i];
        char *why = NULL;
        const bool comparable = metric->class == METRIC_TIME && same_definition(sides, metric, &why);
        if (comparable && gpu_count < 2)
            find_suite(comparison, sides, (struct suite){.metric = metric});
        for (size_t g = 0; comparable && gpu_count > 1 && g < gpu_count; g++)
            find_suite(comparison, sides,
                       (struct suite){.metric = metric, .one_of_several = true, .gpu = *gpus[g] ? gpus[g] : NULL});
        free(why);
    }
    free(gpus);
}

/* Whether a time was judged by the baseline, and not by pairs alone, which run on one GPU in turn. */
static bool leans_on_baseline(const struct comparison *comparison, const struct run *run, const struct suite *suite)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (judgement->metric == suite->metric && judgement->compared && judgement->pairs == 0 &&
            is_of_suite(suite, run, run_find(run, judgement->kernel)))
            return true;
    }
    return false;
}

void judge_suites(struct comparison *comparison, const struct sides *sides)
{
    for (size_t i = 0; i < comparison->suite_count; i++) {
        const struct suite *suite = &comparison->suites[i];
        if (!suite->moved || !leans_on_baseline(comparison, sides->run, suite))
            continue;
        const char *gpu = suite->one_of_several ? suite->gpu ? suite->gpu : "an unknown GPU" : NULL;
        set_reason(add_judgement(comparison, COMPARISON_SUITE, suite->metric, VERDICT_UNSURE),
                   "the whole suite moved by %+.1f %%%s%s, the median of %zu kernels%s: look at the GPU, its clock and "
                   "its driver, not at the kernels",
                   100 * suite->shift, gpu ? " on " : "", gpu ? gpu : "", suite->kernels,
                   suite->same_code ? " whose code is the same" : "");
    }
}
