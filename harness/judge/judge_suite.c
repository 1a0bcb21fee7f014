/* Computes the shift in time that all kernels have in common. Its cause is the GPU, its clock or its driver, and no
 * kernel's code. */
#include "judge_parts.h"

/* A kernel for which both sides have a number. */
struct witness {
    const char *gpu; /* UUID of its GPU; NULL: not known, or the run is on one GPU */
    double change;   /* how far the kernel's value moved, relative to the baseline's */
    bool same_code;
};

static int by_gpu(const void *left, const void *right)
{
    const struct witness *a = left, *b = right;
    return order_of_texts(a->gpu, b->gpu);
}

/* Whether what the profiler adds to a launch of a program may look like a shift, where it was not taken off. */
static bool is_too_short(const struct sides *sides, double was, double is)
{
    return sides->origin->own_caches && fmin(was, is) < RULE_PROFILER / RULE_SUITE_SHIFT;
}

/* Collects these kernels, but for rows that are not judged, sorted by GPU if the run is on several. Caller frees the
 * list. */
static size_t find_witnesses(const struct sides *sides, const struct metric *metric, bool several,
                             struct witness **witnesses)
{
    const struct run *baseline = sides->baseline;
    size_t count = 0;
    *witnesses = NULL;
    for (size_t i = 0; i < baseline->result_count; i++) {
        const struct result *base = &baseline->results[i], *now = run_find(sides->run, base->id);
        const struct row *was = result_measured(base, metric->name), *is = result_measured(now, metric->name);
        if (!was || !is)
            continue;
        const double value = row_value(was);
        const struct judgement judgement = {.metric = metric, .base = value, .now = row_value(is)};
        const struct pairing pairing = {.sides = sides, .base_result = base, .now_result = now, .base = was, .now = is};
        if (value != 0 && row_kind(base->id) == ROW_KERNEL && /* which is the sum of the others */
            !base->former_id &&                               /* launched in another shape */
            !is_too_short(sides, value, row_value(is)) && !why_not_judged(&judgement, &pairing) &&
            !(same_code(base, now) && counts_moved(sides->metrics, base, now))) /* the time is of other work */
            *ARRAY_GROW(*witnesses, count) =
                (struct witness){several ? run_row_fact(sides->run, is, SESSION_GPU_UUID) : NULL,
                                 row_value(is) / value - 1, same_code(base, now)};
    }
    if (several && count > 0)
        SORT(*witnesses, count, by_gpu);
    return count;
}

/* Returns the changes of these kernels, or only of those with unchanged code. Caller frees. */
static double *changes_of(const struct witness *witnesses, size_t count, bool only_same_code, size_t *found)
{
    double *changes = NULL;
    *found = 0;
    for (size_t i = 0; i < count; i++)
        if (witnesses[i].same_code || !only_same_code)
            *ARRAY_GROW(changes, *found) = witnesses[i].change;
    return changes;
}

/* Adds a common shift. Kernels with unchanged code alone are its witnesses: a change of code in most kernels would
 * shift the median of the others. Where there are too few, the shift of all is known, and nobody knows whose it is. */
static void add_suite(struct comparison *comparison, struct suite suite, const struct witness *witnesses, size_t count)
{
    suite.same_code = true;
    double *changes = changes_of(witnesses, count, true, &suite.kernels);
    if (suite.kernels < RULE_DRIFT) {
        free(changes);
        suite.same_code = false;
        changes = changes_of(witnesses, count, false, &suite.kernels);
    }
    if (suite.kernels >= RULE_DRIFT) {
        suite.shift = median(changes, suite.kernels);
        suite.moved = suite.same_code && fabs(suite.shift) > RULE_SUITE_SHIFT;
    }
    *ARRAY_GROW(comparison->suites, comparison->suite_count) = suite;
    free(changes);
}

static bool has_several_gpus(const struct run *run)
{
    return ANY(i, run->session_count,
               order_of_texts(run->sessions[0].facts[SESSION_GPU_UUID], run->sessions[i].facts[SESSION_GPU_UUID]) != 0);
}

static void find_suites_of(struct comparison *comparison, const struct sides *sides, const struct metric *metric,
                           bool several)
{
    struct witness *witnesses;
    const size_t count = find_witnesses(sides, metric, several, &witnesses);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && by_gpu(&witnesses[begin], &witnesses[end]) == 0;)
            end++;
        const struct suite suite = {.metric = metric, .one_of_several = several, .gpu = witnesses[begin].gpu};
        add_suite(comparison, suite, &witnesses[begin], end - begin);
    }
    free(witnesses);
}

void find_suites(struct comparison *comparison, const struct sides *sides)
{
    const bool several = has_several_gpus(sides->run);
    EACH(const struct metric, metric, sides->metrics->list, sides->metrics->count) {
        OWNED_TEXT why = NULL;
        /* The part of a program's time that its kernels have moves with their launches. */
        if (metric->class == METRIC_TIME && !is_metric_of_program(metric) && same_definition(sides, metric, &why))
            find_suites_of(comparison, sides, metric, several);
    }
}

/* Orders shifts by metric, in the order of the list of metrics. */
static int order_of_suites(const void *left, const void *right)
{
    const struct suite *a = left, *b = right;
    return a->metric != b->metric ? (a->metric < b->metric ? -1 : 1) : order_of_texts(a->gpu, b->gpu);
}

const struct suite *suite_of(const struct comparison *comparison, const struct run *run, const struct result *now,
                             const struct metric *metric)
{
    if (comparison->suite_count == 0)
        return NULL;
    struct suite wanted = {.metric = metric};
    if (comparison->suites[0].one_of_several) {
        const struct row *row = now ? result_find(now, metric->name) : NULL;
        if (!row || row->session_count == 0)
            return NULL;
        wanted.gpu = run_row_fact(run, row, SESSION_GPU_UUID);
    }
    return bsearch(&wanted, comparison->suites, comparison->suite_count, sizeof wanted, order_of_suites);
}

/* Returns for each shift whether it influenced a verdict. It did if a time of it was judged by the baseline, and not by
 * pairs alone, which compare on one GPU at one time. Caller frees. */
static bool *find_leaning(const struct comparison *comparison, const struct run *run)
{
    bool *leaning = x_calloc(comparison->suite_count, sizeof *leaning);
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->metric || judgement->metric->class != METRIC_TIME || !judgement->compared ||
            judgement->pairs > 0)
            continue;
        const struct suite *suite = suite_of(comparison, run, run_find(run, judgement->kernel), judgement->metric);
        if (suite)
            leaning[suite - comparison->suites] = true;
    }
    return leaning;
}

void judge_suites(struct comparison *comparison, const struct sides *sides)
{
    OWNED_MEMORY bool *leaning = find_leaning(comparison, sides->run);
    for (size_t i = 0; i < comparison->suite_count; i++) {
        const struct suite *suite = &comparison->suites[i];
        if (!suite->moved || !leaning[i])
            continue;
        const char *gpu = suite->one_of_several ? suite->gpu ? suite->gpu : "an unknown GPU" : NULL;
        set_reason(add_judgement(comparison, COMPARISON_SUITE, suite->metric, VERDICT_UNSURE),
                   "all kernels shifted together by %+.1f %%%s%s (median of %zu kernels%s): check the GPU, its "
                   "clock and its driver, not the kernels",
                   100 * suite->shift, gpu ? " on " : "", gpu ? gpu : "", suite->kernels,
                   suite->same_code ? " with unchanged code" : "");
    }
}

void judge_uncomputed(struct comparison *comparison, const struct sides *sides)
{
    EACH(const struct metric, metric, sides->metrics->list, sides->metrics->count) {
        const bool expected = (metric->class == METRIC_EXACT && !is_metric_of_program(metric) &&
                               metric_source(metric) != SOURCE_LAUNCHES && !is_without_judge(sides, metric)) ||
                              (metric->asked && metric->class != METRIC_INFO);
        if (expected && is_beyond_computing(sides, metric->name))
            set_reason(add_judgement(comparison, COMPARISON_SUITE, metric, VERDICT_UNSURE),
                       "requested, but only a GPU counts it");
    }
}
