#include "check_parts.h"

#include "baseline/baseline.h"

static bool can_see_lines(const struct measurement *measurement)
{
    return measurement->backend->provides & PROVIDES_LINE_COUNTS;
}

/* Whether the baseline has bank conflicts of the kernel, and the run's may differ. To count them takes a run of the
 * program, of whose kernels the same machine code is judged by its time where the program was seen as a whole. */
static bool wants_conflicts(const struct measurement *measurement, const struct run *baseline, const struct result *now)
{
    const struct metrics *metrics = measurement->metrics;
    const struct result *base = run_find(baseline, now->id);
    const bool is_whole = measurement->program && (measurement->glob_count == 0 || measurement->like);
    if (is_whole && base && same_code(base, now))
        return false;
    for (size_t m = 0; base && m < metrics->count; m++) {
        const char *name = metrics->list[m].name;
        if (metric_is_on_demand(&metrics->list[m]) && result_measured(base, name) && !result_find(now, name))
            return !same_work(base, now, metrics);
    }
    return false;
}

/* Whether the kernel's bank conflicts were compared and are no worse. As for all rows, a second session only confirms
 * what is worse. */
static bool is_good(const struct comparison *comparison, const struct result *result)
{
    EACH(const struct judgement, judgement, comparison->list, comparison->count)
        if (judgement->metric && metric_is_on_demand(judgement->metric) && strcmp(judgement->kernel, result->id) == 0)
            return judgement->compared && !judgement->worse && judgement->verdict != VERDICT_UNSURE;
    return false;
}

/* Marks bank conflicts as not counted: they were tried and failed, which differs from not being asked for. */
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
            struct row *first = result_find(run_find(run, again->results[i].id), metric);
            if (first && second && second->state == VALUE_NOT_COUNTED)
                row_clear(first);
        }
    }
}

/* Counts them for the run, and for *next as well, unless that is NULL: each in a process of its own, all at once. */
static int count_conflicts(const struct measurement *measurement, struct run *run, struct run *next,
                           const char *const *ids, size_t count)
{
    OWNED_MEMORY struct line_request *requests = x_calloc(2 * count, sizeof *requests);
    for (size_t i = 0; i < count && next; i++)
        result_copy_facts(run_add(next, ids[i]), run_find(run, ids[i]));
    for (size_t i = 0; i < (next ? 2 : 1) * count; i++)
        requests[i] =
            (struct line_request){measurement->kernels, NULL, run_find(i < count ? run : next, ids[i % count]),
                                  PROVIDES_LINE_COUNTS, measurement->skip_unmatched};
    const int code = measure_lines(measurement, requests, (next ? 2 : 1) * count);
    computed_complete(run, measurement->metrics, NULL);
    return code;
}

int check_conflicts(const struct measurement *measurement, const struct run *baseline,
                    const struct comparison *comparison, struct run *run, struct run *next)
{
    OWNED_MEMORY const char **ids = NULL;
    size_t count = 0;
    int code = EXIT_SAME;
    EACH(struct result, result, run->results, run->result_count) {
        if (!wants_conflicts(measurement, baseline, result) || (comparison && is_good(comparison, result)))
            continue;
        const struct result *counted = comparison && next ? run_find(next, result->id) : NULL;
        if (counted)
            profile_merge(&result->profile, &counted->profile); /* and so it is not counted now */
        *ARRAY_GROW(ids, count) = result->id;
    }
    if (count > 0 && can_see_lines(measurement)) {
        const bool fits = !comparison && 2 * count <= measure_lines_at_once(measurement);
        code = count_conflicts(measurement, run, fits ? next : NULL, ids, count);
        for (size_t i = 0; i < count && code == EXIT_SAME; i++)
            mark_uncounted(measurement->metrics, run_find(run, ids[i]));
    }
    return code;
}

int check_supplement(const struct measurement *measurement, const char *baselines, struct run *run)
{
    OWNED(run) baseline = {0};
    const char *other;
    if (!baseline_exists(baselines, &run->device))
        return EXIT_SAME;
    TRY_CODE(baseline_read(&baseline, baselines, &run->device));
    return strcmp(run_collector(&baseline, &other), measurement->backend->name) == 0 && !other
               ? check_conflicts(measurement, &baseline, NULL, run, NULL)
               : EXIT_SAME;
}

/* Returns the kinds of lines of a kernel that need not be collected in the base build. The baseline has them, and its
 * machine code is the same. The program in a command is not read here. */
static unsigned kept_kinds(const struct measurement *measurement, const char *against, const struct run *baseline,
                           const char *id)
{
    const struct result *kept = run_find(baseline, id);
    unsigned kinds = 0;
    const unsigned counted = (1u << LINE_GPU_COUNTERS) - 1;
    if (kept && (kept->profile.counted & counted) == counted)
        kinds |= PROVIDES_LINE_COUNTS;
    if (kept && kept->profile.period > 0)
        kinds |= PROVIDES_STALLS;
    if (!kinds || measurement->program)
        return 0;
    OWNED(run) base = {.device = baseline->device};
    result_copy_facts(run_add(&base, kept->id), kept);
    const bool same = static_facts_add(&base, against, measurement->metrics) == 0 && same_code(kept, &base.results[0]);
    base.device = (struct device){0}; /* the device belongs to the baseline */
    return same ? kinds : 0;
}

/* Whether lines may tell why the row is worse: not how often a program launches something, nor what waits for other
 * processes, which would wait for each launch that is counted by line. */
static bool has_lines(const struct judgement *judgement, const struct result *result)
{
    return judgement->verdict == VERDICT_REGRESSED && row_kind(result->id) == ROW_KERNEL &&
           program_holds(result) == 0 && !(judgement->metric && is_metric_of_program(judgement->metric));
}

/* Whether an earlier judgement is of that kernel, and lines may tell of it too. */
static bool was_explained(const struct comparison *comparison, size_t end, const struct result *result)
{
    return ANY(i, end, strcmp(comparison->list[i].kernel, result->id) == 0 && has_lines(&comparison->list[i], result));
}

/* Kernels whose lines are collected together, in the run and in the base build. */
struct explaining {
    const struct measurement *measurement;
    const struct run *baseline;
    const char *against; /* path of the base build, or NULL */
    struct line_request *requests;
    size_t count;
    struct result **results; /* those of the run that lines are collected for; borrowed */
    size_t result_count;
    struct run base; /* results of the base build */
};

enum { ALL_LINES = PROVIDES_LINE_COUNTS | PROVIDES_STALLS };

static void add_kernel(struct explaining *explaining, struct result *result)
{
    const struct measurement *measurement = explaining->measurement;
    *ARRAY_GROW(explaining->results, explaining->result_count) = result;
    *ARRAY_GROW(explaining->requests, explaining->count) =
        (struct line_request){measurement->kernels, NULL, result, ALL_LINES, measurement->skip_unmatched};
}

/* Adds the base build's kernels. Call it after all kernels were added: a run that grows moves its results. */
static void add_base(struct explaining *explaining)
{
    for (size_t i = 0; i < explaining->result_count; i++)
        result_copy_facts(run_add(&explaining->base, explaining->results[i]->id), explaining->results[i]);
    for (size_t i = 0; i < explaining->result_count; i++) {
        const char *id = explaining->results[i]->id;
        const unsigned kept = kept_kinds(explaining->measurement, explaining->against, explaining->baseline, id);
        *ARRAY_GROW(explaining->requests, explaining->count) = (struct line_request){
            explaining->against, explaining->baseline, run_find(&explaining->base, id), ALL_LINES & ~kept, true};
    }
}

static int explain_all(struct explaining *explaining)
{
    if (explaining->against)
        add_base(explaining);
    const int code = measure_lines(explaining->measurement, explaining->requests, explaining->count);
    for (size_t i = 0; i < explaining->result_count && explaining->against; i++) {
        struct result *result = explaining->results[i];
        profile_release(&result->base_profile);
        profile_copy(&result->base_profile, &run_find(&explaining->base, result->id)->profile);
    }
    run_release(&explaining->base);
    explaining->base = (struct run){0};
    explaining->count = explaining->result_count = 0;
    return code;
}

void check_explain(const struct measurement *measurement, const struct comparison *comparison,
                   const struct run *baseline, const char *against, double seconds, struct run *run)
{
    const double end = now_seconds() + seconds;
    const size_t processes = measure_lines_at_once(measurement),
                 most = against && processes > 1 ? processes / 2 : processes;
    struct explaining explaining = {.measurement = measurement, .baseline = baseline, .against = against};
    int code = EXIT_SAME;
    for (size_t i = 0; i < comparison->count && can_see_lines(measurement) && code == EXIT_SAME; i++) {
        const char *id = comparison->list[i].kernel;
        struct result *result = run_find(run, id);
        if (!result || !has_lines(&comparison->list[i], result) || was_explained(comparison, i, result))
            continue;
        if (now_seconds() >= end) {
            warning(
                "%g s were not enough to find all source lines: %s and later regressions have none (--explain SECONDS)",
                seconds, explaining.result_count > 0 ? explaining.results[0]->id : id);
            explaining.result_count = explaining.count = 0;
            break;
        }
        add_kernel(&explaining, result);
        if (explaining.result_count == most)
            code = explain_all(&explaining);
    }
    if (code == EXIT_SAME && explaining.result_count > 0)
        explain_all(&explaining);
    free(explaining.requests);
    free(explaining.results);
}
