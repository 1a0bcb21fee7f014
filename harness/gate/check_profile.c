#include "check_parts.h"

#include "measure/measure.h"

#include <stdlib.h>
#include <string.h>

static bool can_see_lines(const struct measurement *measurement)
{
    return measurement->backend->provides & PROVIDES_LINE_COUNTS;
}

/* Whether the baseline has conflicts of the kernel that this run may not share. */
static bool wants_conflicts(const struct metrics *metrics, const struct run *baseline, const struct result *now)
{
    const struct result *base = run_find(baseline, now->id);
    for (size_t m = 0; base && m < metrics->count; m++) {
        const struct row *row = result_find(base, metrics->list[m].name);
        if (metric_is_on_demand(&metrics->list[m]) && row && row->state == VALUE_MEASURED &&
            !result_find(now, metrics->list[m].name))
            return !same_work(base, now, metrics);
    }
    return false;
}

/* It was tried, and failed: that is not as if nobody had asked. */
static void mark_uncounted(const struct metrics *metrics, struct result *result)
{
    for (size_t m = 0; m < metrics->count; m++)
        if (metric_is_on_demand(&metrics->list[m]) && !result_find(result, metrics->list[m].name))
            result_add(result, metrics->list[m].name);
}

void check_confirm_conflicts(struct run *run, const struct run *again, const struct metrics *metrics)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const char *metric = metrics->list[m].name;
        if (!metric_is_on_demand(&metrics->list[m]))
            continue;
        for (size_t i = 0; i < again->result_count; i++) {
            const struct row *second = result_find(&again->results[i], metric);
            struct result *result = run_find(run, again->results[i].id);
            struct row *first = result ? result_find(result, metric) : NULL;
            if (first && second && second->state == VALUE_NOT_COUNTED)
                row_clear(first);
        }
    }
}

int check_conflicts(const struct measurement *measurement, const struct run *baseline, struct run *run)
{
    const char **ids = NULL;
    size_t count = 0;
    int code = EXIT_SAME;
    computed_add_excess(run, measurement->metrics);
    for (size_t i = 0; i < run->result_count; i++)
        if (wants_conflicts(measurement->metrics, baseline, &run->results[i]))
            *ARRAY_GROW(ids, count) = run->results[i].id;
    if (count > 0 && can_see_lines(measurement)) {
        code = measure_profile(measurement, run, ids, count, PROVIDES_LINE_COUNTS);
        computed_add_excess(run, measurement->metrics);
        for (size_t i = 0; i < count && code == EXIT_SAME; i++)
            mark_uncounted(measurement->metrics, run_find(run, ids[i]));
    }
    free(ids);
    return code;
}

/* Whether one of the judgements before `end` is of that kernel and regressed, too. */
static bool was_explained(const struct comparison *comparison, size_t end)
{
    for (size_t i = 0; i < end; i++)
        if (comparison->list[i].verdict == VERDICT_REGRESSED &&
            strcmp(comparison->list[i].kernel, comparison->list[end].kernel) == 0)
            return true;
    return false;
}

/* Lines that are collected at once: of kernels, and of the same ones in the base library. */
struct explaining {
    struct line_request *requests;
    size_t count;
    struct result **results; /* of the run */
    size_t result_count;
    struct run base; /* those of the base library */
};

static void add_kernel(struct explaining *explaining, const struct measurement *measurement, struct result *result)
{
    *ARRAY_GROW(explaining->results, explaining->result_count) = result;
    *ARRAY_GROW(explaining->requests, explaining->count) =
        (struct line_request){measurement->kernels, result, measurement->skip_unmatched};
}

/* After all kernels were added, since a run moves its results. */
static void add_base(struct explaining *explaining, const char *against)
{
    for (size_t i = 0; i < explaining->result_count; i++)
        result_copy_facts(run_add(&explaining->base, explaining->results[i]->id), explaining->results[i]);
    for (size_t i = 0; i < explaining->result_count; i++)
        *ARRAY_GROW(explaining->requests, explaining->count) =
            (struct line_request){against, run_find(&explaining->base, explaining->results[i]->id), true};
}

static int explain_all(struct explaining *explaining, const struct measurement *measurement, const char *against)
{
    if (against)
        add_base(explaining, against);
    const int code =
        measure_lines(measurement, explaining->requests, explaining->count, PROVIDES_LINE_COUNTS | PROVIDES_STALLS);
    for (size_t i = 0; i < explaining->result_count && against; i++) {
        struct result *result = explaining->results[i];
        profile_release(&result->base_profile);
        profile_copy(&result->base_profile, &run_find(&explaining->base, result->id)->profile);
    }
    run_release(&explaining->base);
    free(explaining->requests);
    free(explaining->results);
    *explaining = (struct explaining){0};
    return code;
}

void check_explain(const struct measurement *measurement, const struct comparison *comparison, const char *against,
                   double seconds, struct run *run)
{
    const double end = now_seconds() + seconds;
    const size_t processes = measure_lines_at_once(measurement),
                 most = against && processes > 1 ? processes / 2 : processes;
    struct explaining explaining = {0};
    int code = EXIT_SAME;
    for (size_t i = 0; i < comparison->count && can_see_lines(measurement) && code == EXIT_SAME; i++) {
        const char *id = comparison->list[i].kernel;
        struct result *result = run_find(run, id);
        if (comparison->list[i].verdict != VERDICT_REGRESSED || !result || was_explained(comparison, i))
            continue;
        if (now_seconds() >= end) {
            warning(
                "%g s were not enough to find the source lines of all that regressed: %s and what follows have none "
                "(--explain SECONDS)",
                seconds, explaining.result_count > 0 ? explaining.results[0]->id : id);
            explaining.result_count = explaining.count = 0;
            break;
        }
        add_kernel(&explaining, measurement, result);
        if (explaining.result_count == most)
            code = explain_all(&explaining, measurement, against);
    }
    if (code == EXIT_SAME && explaining.result_count > 0)
        explain_all(&explaining, measurement, against);
    free(explaining.requests);
    free(explaining.results);
}
