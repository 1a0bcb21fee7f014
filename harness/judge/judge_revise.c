/* Revises judgements by other rows: of the same kernel, or of all kernels. */
#include "judge_parts.h"

/* Whether unchanged code excuses a row. It excuses a time, within limits. On a GPU that the baseline does not know it
 * also excuses a steady row, within limits, because GPUs of one model differ. (The L1 hit rate of one kernel is 9.9 %
 * on most H200s and 8.0 % on some.) On a known GPU, a changed hit rate or traffic has another cause, such as a lost
 * cache hint in the host's code. */
static bool is_explained_by_same_code(const struct judgement *judgement)
{
    /* A row that was not judged needs no excuse, and must not become the same by one. */
    if (!judgement->metric || !judgement->compared || judgement->verdict == VERDICT_INFO)
        return false;
    if (judgement->metric->class == METRIC_TIME) /* pairs tell about other code than the baseline's */
        return judgement->pairs > 0 ? judgement->paired == PAIRED_SAME : !judgement->far;
    return judgement->metric->class == METRIC_STEADY && judgement->other_gpus > 0 &&
           fabs(judgement->change) <= RULE_OTHER_GPU_LIMITS * judgement->limit;
}

/* Unchanged code whose time is far worse: its input, its memory or the GPU must differ. */
static void revise_far(struct judgement *judgement)
{
    const bool judged =
        judgement->verdict == VERDICT_REGRESSED || (judgement->verdict == VERDICT_UNSURE && judgement->wants_session);
    if (!judgement->far || judgement->pairs > 0 || !judged)
        return;
    judgement->verdict = VERDICT_UNSURE;
    set_reason(judgement,
               "more than %g %% off with the same machine code and launch: the input, the memory or the GPU "
               "differs; to decide, pass --against with a base library",
               100 * RULE_SAME_CODE);
}

/* Unchanged code cannot count less, if its count repeats. */
static void revise_counted_less(struct comparison *comparison, size_t first, const struct result *base,
                                const struct result *now)
{
    if (!base || !now || !same_code(base, now))
        return;
    EACH(struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (judgement->verdict != VERDICT_IMPROVED || judgement->metric->class != METRIC_EXACT ||
            is_metric_of_host(judgement->metric) ||
            row_equal_readings(result_find(base, judgement->metric->name)) == 0 ||
            row_equal_readings(result_find(now, judgement->metric->name)) == 0)
            continue;
        judgement->verdict = VERDICT_UNSURE;
        set_reason(judgement,
                   "a lower count with the same machine code and launch: the input differs, or the counter failed");
    }
}

/* A count computed for unchanged code must equal the measured one. If not, one of the two had other inputs, or the
 * simulation is wrong. That is neither a regression nor a pass. Of a program that was computed before, too, and that
 * counted the same in each session, only the inputs can be others: more work is worse. */
static void revise_counted_otherwise(struct comparison *comparison, size_t first, const struct sides *sides,
                                     const struct result *base, const struct result *now)
{
    if (!sides->origin->computed || !base || !now || !same_code(base, now))
        return;
    EACH(struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (!judgement->compared || judgement->metric->class == METRIC_STATIC ||
            is_metric_of_host(judgement->metric) || /* what the host decides */
            (judgement->verdict != VERDICT_REGRESSED && judgement->verdict != VERDICT_IMPROVED))
            continue;
        if (judgement->verdict == VERDICT_REGRESSED && sides->origin->own_caches &&
            run_origin(sides->baseline)->computed) {
            add_reason(judgement, "the same machine code and launch: its arguments or data differ");
            continue;
        }
        judgement->verdict = VERDICT_UNSURE;
        set_reason(judgement, "the computed count differs from the baseline with the same machine code and launch: the "
                              "input differs, or the simulation is wrong; measure on a GPU to decide");
    }
}

static size_t launches_of(const struct result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->launch_count; i++)
        count += result->launches[i].times;
    return count;
}

/* Returns what is in doubt of a kernel of a library that writes less, or NULL. One that writes almost nothing any more
 * has its results from elsewhere, such as open() or restore(), whose work is not counted. Other host code, which may be
 * verify(), may no longer compare what as many launches leave out; stores of whole warps or vectors are fewer too, but
 * not in both counts. */
static const char *doubt_of_writes(const struct sides *sides, const struct result *base, const struct result *now)
{
    static const char stores[] = "global_store_requests";
    const double was = writes_of(base), is = writes_of(now);
    if (sides->origin->computed && is * RULE_UNWRITTEN < was)
        return "the launch writes less than 1 % of what it wrote: are its results computed elsewhere, such as in "
               "restore(), which is not counted?";
    return was > 0 && is <= RULE_LOST_LAUNCHES * was &&
                   result_value(now, stores) <= RULE_LOST_LAUNCHES * result_value(base, stores) &&
                   launches_of(now) == launches_of(base) && run_has_other_host(sides->run, base)
               ? "it stores half as much or less, and the host code changed: accept it if verify() still compares all"
               : NULL;
}

static void revise_unwritten(struct comparison *comparison, size_t first, const struct sides *sides,
                             const struct result *base, const struct result *now)
{
    const char *doubt = base && now && !sides->origin->own_caches ? doubt_of_writes(sides, base, now) : NULL;
    EACH(struct judgement, judgement, comparison->list + first, doubt ? comparison->count - first : 0)
        if (judgement->verdict == VERDICT_IMPROVED) {
            judgement->verdict = VERDICT_UNSURE;
            set_reason(judgement, "%s", doubt);
        }
}

/* Unchanged code cannot have become slower, or not by much, unless its arguments changed; but then its counts usually
 * moved too. In a program other arguments, such as strides, are an ordinary cause. So a time that the program feels is
 * judged there, and one that it does not feel is excused, however far it is. */
static void revise_same_code(struct comparison *comparison, size_t first, const struct sides *sides,
                             const struct result *base, const struct result *now)
{
    if (!base || !now || !same_code(base, now))
        return;
    EACH(const struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (judgement->metric && judgement->metric->class == METRIC_EXACT && !is_metric_of_program(judgement->metric) &&
            judgement->verdict != VERDICT_SAME && judgement->verdict != VERDICT_INFO &&
            judgement->verdict != VERDICT_NEW)
            return;
    }
    EACH(struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (costs_program(sides, judgement, now))
            continue;
        /* the first launches of a program are at another clock, and its GPU time has them */
        judgement->far &=
            !(judgement->metric && judgement->metric->class == METRIC_TIME && is_seen_whole(sides, judgement->kernel));
        revise_far(judgement);
        if (!is_explained_by_same_code(judgement))
            continue;
        judgement->same_code = true;
        const bool moved = judgement->worse || judgement->verdict == VERDICT_IMPROVED;
        comparison->same_code += moved;
        if (judgement->verdict == VERDICT_SAME)
            continue;
        judgement->verdict = VERDICT_SAME;
        set_reason(judgement, "same code");
    }
}

/* A time that a base build should have settled but could not is not settled. */
static void revise_unpaired(struct judgement *judgement, const struct result *now)
{
    const bool fell = judgement->verdict == VERDICT_INFO && judgement->change < 0; /* an elapsed time, which may pay */
    if (!now || !now->unpaired || !judgement_wants_pairs(judgement) || judgement->verdict < VERDICT_NEW || fell)
        return;
    judgement->verdict = VERDICT_UNSURE;
    set_reason(judgement, "pairs of runs with the base build did not decide it: %s", now->unpaired);
}

static void revise_expected(struct judgement *judgement, const struct sides *sides, const struct suite *suite)
{
    const struct known_regression *known =
        sides->known_regressions && judgement->metric
            ? known_regressions_find(sides->known_regressions, judgement->kernel, judgement->metric->name)
            : NULL;
    if (!known || !judgement->compared)
        return;
    const struct run *run = sides->run;
    const double now = judgement->now - judgement->drift;
    const bool beyond = judgement->metric->better == METRIC_LOWER ? now > known->worst : now < known->worst;
    const char *date = run_fact(run, SESSION_DATE);
    const bool over = known_regression_is_over(known, date);
    /* If pairs show no difference to the base build, or all kernels shifted, that says nothing about a declared
     * regression. */
    const bool paired = judgement->pairs > 0 && judgement->verdict == VERDICT_SAME;
    if ((paired && (!judgement->worse || beyond || over)) || (!judgement->worse && suite && suite->moved))
        return;
    if (judgement->worse && over) {
        set_reason(judgement, "it was expected only until %s (%s:%d)%s, see %s", known->expires, known->file,
                   known->line, date ? "" : ", and this run has no date", known->issue);
    } else if (judgement->worse && beyond) {
        char worst[64];
        metric_format(judgement->metric, known->worst, worst, sizeof worst);
        set_reason(judgement, "worse than declared (%s, %s:%d), see %s", worst, known->file, known->line, known->issue);
    } else if (judgement->worse) {
        judgement->verdict = VERDICT_EXPECTED;
        set_reason(judgement, "expected until %s, see %s", known->expires, known->issue);
    } else if (judgement->verdict == VERDICT_SAME || judgement->verdict == VERDICT_IMPROVED) {
        judgement->verdict = VERDICT_UNEXPECTED;
        set_reason(judgement, "it is declared as a regression, but passes: remove [%s %s] at %s:%d", known->kernel,
                   known->metric, known->file, known->line);
    }
}

void revise_kernel(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                   const struct result *now)
{
    revise_same_code(comparison, first, sides, base, now);
    revise_counted_otherwise(comparison, first, sides, base, now);
    revise_counted_less(comparison, first, base, now);
    revise_unwritten(comparison, first, sides, base, now);
    for (size_t i = first; i < comparison->count; i++)
        revise_unpaired(&comparison->list[i], now);
    weigh_kernel(comparison, first, sides, base, now);
    for (size_t i = first; i < comparison->count; i++) {
        const struct metric *metric = comparison->list[i].metric;
        revise_expected(&comparison->list[i], sides, metric ? suite_of(comparison, sides->run, now, metric) : NULL);
    }
}
