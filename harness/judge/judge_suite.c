/* The shift of the whole suite in time: what the GPU, its clock or its driver did, and no kernel's code. */
#include "judge_parts.h"

#include <math.h>
#include <stdlib.h>

/* Relative changes of the kernels that both sides measured. Caller frees. */
static double *relative_changes(const struct sides *sides, const struct metric *metric, bool only_same_code,
                                size_t *count)
{
    const struct run *baseline = sides->baseline;
    double *changes = NULL;
    *count = 0;
    for (size_t i = 0; i < baseline->result_count; i++) {
        const struct result *base = &baseline->results[i];
        const struct result *now = run_find(sides->run, base->id);
        if (!now || (only_same_code && !same_code(base, now)))
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
static void find_suite(struct comparison *comparison, const struct sides *sides, const struct metric *metric)
{
    struct suite suite = {.metric = metric, .same_code = true};
    double *changes = relative_changes(sides, metric, true, &suite.kernels);
    if (suite.kernels < RULE_DRIFT) {
        free(changes);
        suite.same_code = false;
        changes = relative_changes(sides, metric, false, &suite.kernels);
    }
    if (suite.kernels >= RULE_DRIFT) {
        suite.shift = median(changes, suite.kernels);
        suite.moved = fabs(suite.shift) > RULE_SUITE_SHIFT;
    }
    if (suite.kernels > 0)
        *ARRAY_GROW(comparison->suites, comparison->suite_count) = suite;
    free(changes);
}

void find_suites(struct comparison *comparison, const struct sides *sides)
{
    for (size_t i = 0; i < sides->metrics->count; i++) {
        const struct metric *metric = &sides->metrics->list[i];
        char *why = NULL;
        if (metric->class == METRIC_TIME && same_definition(sides, metric, &why))
            find_suite(comparison, sides, metric);
        free(why);
    }
}

/* Whether a time was judged by the baseline, and not by pairs alone, which run on one GPU in turn. */
static bool leans_on_baseline(const struct comparison *comparison, const struct metric *metric)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (judgement->metric == metric && judgement->compared && judgement->pairs == 0)
            return true;
    }
    return false;
}

void judge_suites(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->suite_count; i++) {
        const struct suite *suite = &comparison->suites[i];
        if (suite->moved && leans_on_baseline(comparison, suite->metric))
            set_reason(
                add_judgement(comparison, COMPARISON_SUITE, suite->metric, VERDICT_UNSURE),
                "the whole suite moved by %+.1f %%, the median of %zu kernels%s: look at the GPU, its clock and its "
                "driver, not at the kernels",
                100 * suite->shift, suite->kernels, suite->same_code ? " whose code is the same" : "");
    }
}
