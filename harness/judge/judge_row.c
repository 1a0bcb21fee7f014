/* Judges one row, first by the states of both sides. If both have a number, the rule decides, and further conditions
 * that a metric of its class must meet to fail. */
#include "judge_parts.h"

/* Pairs with the base build settle a time. The baseline's sessions only raised the question. */
static void judge_pairs(struct judgement *judgement, const struct row *now)
{
    size_t better;
    const enum paired paired = rule_pairs(now, judgement->metric, &judgement->pairs_worse, &better);
    judgement->pairs = now->pair_count;
    judgement->paired = paired;
    judgement->worse = judgement->worse || paired == PAIRED_WORSE;
    judgement->verdict = paired == PAIRED_WORSE    ? VERDICT_REGRESSED
                         : paired == PAIRED_BETTER ? VERDICT_IMPROVED
                         : paired == PAIRED_SAME   ? VERDICT_SAME
                                                   : VERDICT_UNSURE;
    if (paired == PAIRED_UNDECIDED)
        set_reason(judgement, "%zu pair%s with the base build do%s not decide it", now->pair_count,
                   plural(now->pair_count), now->pair_count == 1 ? "es" : "");
    else if (paired == PAIRED_DOUBTFUL)
        set_reason(judgement, "more pairs are worse than chance explains, but too few to be sure");
}

/* Whether the number is worse than `value` by more than that share of it and by more than a limit. */
static bool is_past(const struct judgement *judgement, double value, double share, double limit)
{
    const double sign = judgement->metric->better == METRIC_LOWER ? 1 : -1;
    return sign * (judgement->now - judgement->drift - value) > fmax(share * fabs(value), limit);
}

/* Fails a row by slow drift: each step was within its limit, but their sum is not. Returns whether that is so. */
static bool judge_drift(struct judgement *judgement, const struct row *base)
{
    if (!base->has_drift_reference ||
        !is_past(judgement, base->drift_reference, RULE_DRIFT_REFERENCE, judgement->limit))
        return false;
    char reference[64];
    metric_format(judgement->metric, base->drift_reference, reference, sizeof reference);
    judgement->verdict = VERDICT_REGRESSED;
    judgement->worse = true;
    set_reason(judgement, "each step was small, but together they are more than %g %% past the drift reference of %s",
               100 * RULE_DRIFT_REFERENCE, reference);
    return true;
}

static bool tells_code(const struct run *run)
{
    return ANY(i, run->result_count, result_has_code(&run->results[i]));
}

/* A count may be equal in all launches of a process and differ in the next process, by a spin loop or a library's
 * choice. So it takes several processes to see that it repeats. Sessions with other code count as well. Sessions with
 * the same code that counted something else contradict, and so do those of the same functions, where the code of others
 * is known and theirs is not, as that of cuBLAS. Returns true when there are too few for a changed count to fail. */
static bool judge_exactness(struct judgement *judgement, const struct pairing *pairing)
{
    const size_t needed = rule_sessions_needed(METRIC_EXACT);
    const bool known = result_has_code(pairing->base_result);
    const bool same = !is_metric_of_host(judgement->metric) && pairing->base_result->launch_count > 0 &&
                      (known || tells_code(pairing->sides->run)) &&
                      order_of_code(pairing->base_result, pairing->now_result) == 0;
    /* A computed count repeats by construction. */
    const size_t own = pairing->sides->origin->computed ? needed : judgement->run_sessions;
    const size_t witnesses = judgement->base_sessions + (same ? 0 : own);
    if (!judgement->worse || witnesses >= needed)
        return false;
    judgement->verdict = VERDICT_UNSURE;
    add_reason(judgement, "%zu session%s of the %zu needed to show that it repeats%s", witnesses, plural(witnesses),
               needed,
               !same   ? ""
               : known ? ": counts of the same machine code differed"
                       : ": counts of the same functions differed");
    return true;
}

/* Returns true when the baseline has too few sessions for a moved value to fail: it moved no further than chance may
 * move it, or its machine code is the same, so that nothing else can have. */
static bool judge_provisional(struct judgement *judgement, const struct pairing *pairing)
{
    const struct metric *metric = judgement->metric;
    const size_t needed = rule_sessions_needed(metric->class);
    if (metric->class == METRIC_EXACT)
        return judge_exactness(judgement, pairing);
    if (!judgement->worse || judgement->base_sessions >= needed)
        return false;
    const bool same = !is_metric_of_program(metric) && row_kind(judgement->kernel) == ROW_KERNEL &&
                      same_code(pairing->base_result, pairing->now_result);
    if (!same && is_past(judgement, judgement->base, 0, judgement->chance))
        return false;
    judgement->verdict = VERDICT_UNSURE;
    add_reason(judgement, "the baseline has too few sessions of this row to know its spread: %zu of %zu",
               judgement->base_sessions, needed);
    if (!same && judgement->chance < HUGE_VAL) {
        char chance[64];
        metric_format(metric, judgement->chance, chance, sizeof chance);
        add_reason(judgement, "noise alone may change it by %s", chance);
    }
    return true;
}

/* Sessions of one GPU all share its peculiarities, so on a GPU that the baseline does not know they prove no more than
 * one does. Of 4 recorded GPUs, one always had a kernel 2.4 % slower, and one a hit rate 1.5 points lower; of 23, one
 * time in a thousand was 10 % off. A program as a whole feels less of that. */
static void judge_gpu(struct judgement *judgement)
{
    const size_t gpus = judgement->other_gpus;
    if (judgement->verdict != VERDICT_REGRESSED || gpus == 0 || gpus >= RULE_GPUS)
        return;
    const double differ = row_kind(judgement->kernel) != ROW_KERNEL ? RULE_DRIFT_REFERENCE : RULE_SAME_CODE;
    if (judgement->metric->class == METRIC_TIME && is_past(judgement, judgement->base, differ, judgement->limit))
        return;
    judgement->verdict = VERDICT_UNSURE;
    add_reason(
        judgement,
        "measured on a different GPU, and the baseline has only %zu, too few to know how GPUs differ (%d needed)%s",
        gpus, RULE_GPUS, judgement->metric->class == METRIC_TIME ? "; pass --against with a base library" : "");
}

/* Whether values may differ between GPUs of a model. Machine code and exact counts do not. */
static bool differs_by_gpu(const struct metric *metric, const struct row *base)
{
    return metric->class == METRIC_TIME || metric->class == METRIC_STEADY ||
           (metric->class == METRIC_EXACT && row_equal_readings(base) == 0);
}

/* Whether a time is worse and its lower samples are not, or is better and its higher samples are worse. */
static bool is_torn(const struct judgement *judgement, double low, double high)
{
    const double best = low - judgement->drift - judgement->base, worst = high - judgement->drift - judgement->base;
    return judgement->worse ? best <= judgement->limit : best < -judgement->limit && worst > judgement->limit;
}

/* Whether clocks and samples allow judging the time. Launches of a program each have their own clock, so there it is
 * checked only when the time is worse. A time that moved further than the clock did is judged (widen_limit). */
static bool is_steady_enough(const struct judgement *judgement, const struct pairing *pairing, char *why, size_t size)
{
    const char *clock = judgement->metric->clock;
    const struct row *now = result_measured(pairing->now_result, clock),
                     *base = result_measured(pairing->base_result, clock);
    double low, high;
    if (!judgement->worse && pairing->sides->origin->own_caches)
        return true;
    if (base && !now) {
        snprintf(why, size, "the clock is unknown in this run, but known in the baseline");
        return false;
    }
    const bool explained = judgement->verdict != VERDICT_SAME || rule_clock_apart(now, base) <= RULE_CLOCK_APART;
    return rule_precondition(now, explained && !pairing->sides->origin->own_caches ? NULL : base, why, size) &&
           !(rule_two_groups(pairing->now, &low, &high, why, size) && is_torn(judgement, low, high));
}

/* Whether a time moved beyond its limit, and no further than twice as far as all kernels did, of which too few have
 * unchanged code to tell the GPU from the code. */
static bool is_unwitnessed(const struct assessment *found, const struct pairing *pairing, const struct metric *metric)
{
    const struct suite *suite = pairing->suite;
    if (metric->class != METRIC_TIME || !suite || suite->same_code || found->finding == FOUND_SAME)
        return false;
    const double moved = found->now - found->base.mean, beyond = found->now / (1 + suite->shift) - found->base.mean;
    return fabs(beyond) <= fmax(found->limit, fabs(suite->shift * found->base.mean)) || (beyond > 0) != (moved > 0);
}

/* Whether one session is enough, because none that was recorded went so far by chance on the same GPU. By the host's
 * clock some did. */
static bool stands_out(const struct judgement *judgement, const struct pairing *pairing)
{
    const bool known = prior_of(judgement->metric, judgement->base, pairing->sides->origin->own_caches).freedom > 0;
    return known && is_past(judgement, judgement->base, RULE_SAME_CODE, 2 * judgement->chance);
}

/* Applies the further conditions that a time must meet to fail. */
static void judge_time(struct judgement *judgement, const struct pairing *pairing)
{
    char why[160];
    if (pairing->suite && pairing->suite->moved) {
        judgement->verdict = judgement->verdict == VERDICT_SAME ? VERDICT_SAME : VERDICT_UNSURE;
        add_reason(judgement, "not judged, because all kernels shifted together");
    } else if (judgement->unwitnessed && pairing->suite) {
        judgement->verdict = VERDICT_UNSURE;
        add_reason(judgement,
                   "all kernels shifted together by %+.1f %%, and too few have unchanged code to show whether the "
                   "GPU or the code changed; to decide, pass --against with a base library",
                   100 * pairing->suite->shift);
    } else if (has_gpu_processes(pairing->sides->run, pairing->now)) {
        judgement->verdict = VERDICT_UNSURE;
        add_reason(judgement, "other processes used the GPU: measure when it is free");
    } else if (!is_steady_enough(judgement, pairing, why, sizeof why)) {
        judgement->verdict = VERDICT_UNSURE;
        /* a limit that another clock widened does not make it one that unchanged code excuses */
        judgement->far |= is_past(judgement, judgement->base, RULE_SAME_CODE, 0);
        add_reason(judgement, "%s", why);
    } else if (!judge_provisional(judgement, pairing) && judgement->verdict == VERDICT_REGRESSED &&
               judgement->run_sessions == 1 && !stands_out(judgement, pairing)) {
        judgement->verdict = VERDICT_UNSURE;
        judgement->wants_session = true;
        add_reason(judgement, "only one session shows it, and a second must agree");
    } else {
        judge_gpu(judgement);
    }
}

static void judge_static(struct judgement *judgement, const struct pairing *pairing)
{
    const char *was;
    const char *is = other_compiler(pairing->sides, pairing->base_result, pairing->base, &was);
    const char *doubt = pairing->now_result->reason;
    if (doubt && judgement->verdict != VERDICT_REGRESSED) {
        judgement->verdict = VERDICT_UNSURE;
        set_reason(judgement, "%s", doubt);
    }
    if (!is || judgement->verdict != VERDICT_REGRESSED)
        return;
    judgement->verdict = VERDICT_UNSURE;
    set_reason(judgement, "%s compiled this code, but %s compiled the baseline's", is, was);
}

/* Holds both numbers against each other by the rule, and sets what stands behind the row. */
static struct assessment assess(struct judgement *judgement, const struct pairing *pairing, struct quantiles *quantiles)
{
    const struct metric *metric = judgement->metric;
    const double shift = pairing->suite && pairing->suite->same_code ? pairing->suite->shift : 0;
    struct gpus others = {x_calloc(pairing->base->session_count, sizeof *others.of), 0};
    const bool other = differs_by_gpu(metric, pairing->base) &&
                       find_other_gpus(pairing->sides, pairing->base_result, pairing->base, pairing->now, &others);
    const struct metric judged = rule_metric(metric, pairing->sides->origin);
    struct assessment found =
        rule_assess(quantiles, &judged, pairing->base, pairing->now, shift, other ? &others : NULL,
                    prior_of(metric, row_value(pairing->base), pairing->sides->origin->own_caches));
    free(others.of);
    judgement->unwitnessed = is_unwitnessed(&found, pairing, metric);
    widen_limit(&found, pairing, metric);
    judgement->compared = true;
    judgement->computed = pairing->sides->origin->computed && metric->class != METRIC_STATIC;
    judgement->change = round_value(judgement->now - judgement->base);
    judgement->limit = found.limit;
    judgement->chance = fmax(found.chance, found.limit);
    judgement->drift = found.drift;
    judgement->base_sessions = found.base.sessions;
    judgement->run_sessions = found.sessions;
    judgement->agree = found.agree;
    judgement->other_gpus = other ? others.count : 0;
    return found;
}

/* Says what was found where sessions, or readings, do not agree. */
static void tell_disagreement(struct judgement *judgement, const struct assessment *found, bool chance,
                              const struct pairing *pairing)
{
    const char *same =
        chance ? found->finding == FOUND_MIXED ? ", and its machine code is the same" : "; its machine code is the same"
               : "";
    if (found->finding == FOUND_MIXED)
        set_reason(judgement, "only %zu of %zu sessions agree%s", found->agree, found->sessions, same);
    else if (found->finding == FOUND_NONREPEATING)
        set_reason(judgement, "all %zu readings of the baseline are identical, but this run's are not%s",
                   row_equal_readings(pairing->base), same);
}

/* Applies what a metric of its class must meet to fail. */
static void judge_class(struct judgement *judgement, const struct pairing *pairing)
{
    if (judgement->metric->class == METRIC_TIME)
        judge_time(judgement, pairing);
    else if (judgement->metric->class == METRIC_STATIC)
        judge_static(judgement, pairing);
    else if (!judge_provisional(judgement, pairing))
        judge_gpu(judgement);
}

static void judge_values(struct judgement *judgement, const struct pairing *pairing, struct quantiles *quantiles)
{
    static const enum verdict by_finding[] = {
        [FOUND_SAME] = VERDICT_SAME,    [FOUND_BETTER] = VERDICT_IMPROVED,     [FOUND_WORSE] = VERDICT_REGRESSED,
        [FOUND_MIXED] = VERDICT_UNSURE, [FOUND_NONREPEATING] = VERDICT_UNSURE,
    };
    const struct metric *metric = judgement->metric;
    const struct assessment found = assess(judgement, pairing, quantiles);
    const bool chance = is_chance(&found, pairing, metric);
    const char *little = why_not_judged(judgement, pairing);
    if (little) {
        judgement->verdict = VERDICT_INFO;
        set_reason(judgement, "%s", little);
    }
    if (little || metric->class == METRIC_INFO)
        return;

    judgement->detectable = found.detectable;
    judgement->verdict = chance ? VERDICT_SAME : by_finding[found.finding];
    judgement->worse = !chance && (found.finding == FOUND_WORSE || found.finding == FOUND_MIXED);
    judgement->far = metric->class == METRIC_TIME &&
                     (is_past(judgement, judgement->base, RULE_SAME_CODE, judgement->limit) ||
                      (pairing->base->has_drift_reference &&
                       is_past(judgement, pairing->base->drift_reference, RULE_SAME_CODE, judgement->limit)));
    if (pairing->now->pair_count > 0) {
        judge_pairs(judgement, pairing->now);
        /* Pairs compare the base build with the new one, while the drift reference belongs to the baseline. So drift
         * has to meet the other conditions too. */
        if (judgement->verdict == VERDICT_SAME && judge_drift(judgement, pairing->base))
            judge_time(judgement, pairing);
        return;
    }
    tell_disagreement(judgement, &found, chance, pairing);
    if (judgement->verdict == VERDICT_SAME)
        judge_drift(judgement, pairing->base);
    judge_class(judgement, pairing);
}

/* ---- By states ---- */

/* The verdict by the states of both sides; the last state is a row that does not exist. A counter that could not be
 * read is missing whatever the baseline has, even for class info. One that the chip lacks is missing only if the
 * baseline has it. A number without one in a baseline that knows the kernel is unsure: the row was never accepted, or
 * was deleted. Two numbers are judged by their values. */
#define ABSENT VALUE_STATES

/* clang-format off */
static const enum verdict by_state[VALUE_STATES + 1][VALUE_STATES + 1] = {
    /* the run has              a number         not counted      not supported    not applicable  no such row */
    [VALUE_MEASURED]       = {VERDICT_SAME,   VERDICT_MISSING, VERDICT_MISSING, VERDICT_UNSURE, VERDICT_MISSING},
    [VALUE_NOT_COUNTED]    = {VERDICT_UNSURE, VERDICT_MISSING, VERDICT_MISSING, VERDICT_INFO,   VERDICT_MISSING},
    [VALUE_NOT_SUPPORTED]  = {VERDICT_UNSURE, VERDICT_MISSING, VERDICT_INFO,    VERDICT_INFO,   VERDICT_INFO},
    [VALUE_NOT_APPLICABLE] = {VERDICT_UNSURE, VERDICT_MISSING, VERDICT_MISSING, VERDICT_INFO,   VERDICT_MISSING},
    [ABSENT]               = {VERDICT_UNSURE, VERDICT_MISSING, VERDICT_INFO,    VERDICT_INFO,   VERDICT_INFO},
};
/* clang-format on */

static const char *const state_reasons[VALUE_STATES + 1] = {
    [VALUE_MEASURED] = "",
    [VALUE_NOT_COUNTED] = "not counted, because reading the counter failed",
    [VALUE_NOT_SUPPORTED] = "not supported, because this chip or collector does not have the counter",
    [VALUE_NOT_APPLICABLE] = "not applicable",
    [ABSENT] = "not in this run",
};

static const char no_code[] = "not known, because the machine code that was launched was not found";

/* Whether a count was not read again, because it is known. */
static bool is_not_read_again(const struct pairing *pairing, const struct metric *metric)
{
    const struct sides *sides = pairing->sides;
    return !pairing->now && !sides->origin->own_caches && metric_may_be_known(metric) &&
           count_was_known(sides->baseline, pairing->base_result, pairing->base, metric, sides->run,
                           pairing->now_result, sides->metrics);
}

/* Says why the row was not made again. */
static void set_unchanged_reason(struct judgement *judgement, const struct pairing *pairing)
{
    const struct row *row = pairing->base;
    const char *date = row && row->session_count > 0
                           ? fact_of(pairing->sides, pairing->base_result, row, row->session_count - 1, SESSION_DATE)
                           : NULL;
    const bool computed = pairing->sides->origin->computed;
    set_reason(judgement, "the same %s, so not %s again%s%.10s",
               result_has_code(pairing->base_result)
                   ? "code, launches and inputs"
                   : "launches and hardware counts as the baseline, in another library's code",
               computed ? "computed" : "read", date && !computed ? ", known since " : "",
               date && !computed ? date : "");
}

/* Returns whether the kernel takes too little of its program's time for the row to be asked of it, or is of its first
 * part only. Its time is. The program's own row lacks what any of its kernels does. */
static bool is_seldom(const struct sides *sides, const struct run *run, const struct result *result,
                      const struct metric *metric)
{
    const struct result *program = program_of(run, result->id);
    if (!sides->origin->own_caches || metric->class == METRIC_TIME || is_metric_of_program(metric) || !program)
        return false;
    return row_kind(result->id) != ROW_KERNEL || is_minor_first_part(sides, run, result) ||
           program_is_seldom(program_time(sides->metrics, result, NULL), program_time(sides->metrics, program, NULL));
}

/* Whether it takes a measured launch of a program's kernel. What follows from the machine code is a fact without it. */
static bool is_of_counting(const struct pairing *pairing, const struct metric *metric)
{
    return pairing->sides->origin->own_caches && metric->class != METRIC_TIME && metric->class != METRIC_STATIC &&
           !is_metric_of_program(metric);
}

static bool has_left_out(const struct session *sessions, size_t count)
{
    while (count > 0 && !sessions[count - 1].facts[SESSION_LEFT_OUT])
        count--;
    return count > 0;
}

/* Whether one side left the row out, since counting had no time left, or the program did not run again for it. The time
 * is judged. */
static bool is_left_out(const struct pairing *pairing, const struct metric *metric)
{
    OWNED_TEXT why = NULL;
    const struct sides *sides = pairing->sides;
    const struct result *base = pairing->base_result;
    const struct run *run = pairing->base ? sides->run : sides->baseline;
    const bool own = !pairing->base && base->session_count > 0;
    const bool told =
        own ? has_left_out(base->sessions, base->session_count) : has_left_out(run->sessions, run->session_count);
    return told && is_of_counting(pairing, metric) && is_seen_whole(sides, pairing->now_result->id) &&
           (!pairing->base || same_part(pairing, &why));
}

/* ---- The reasons ---- */

/* A row, as both sides have it. */
struct look {
    struct judgement *judgement;
    const struct pairing *pairing;
    const struct metric *metric;
    struct quantiles *quantiles;
    enum value_state was, is;
    bool is_missing; /* by the states of both sides */
};

static bool no_gpu_counts_it(const struct look *look)
{
    return look->was == ABSENT && is_without_judge(look->pairing->sides, look->metric);
}

/* Of the parts of the program's GPU time, where there are collectives. */
static bool is_divided_once(const struct look *look)
{
    const enum computed_counter part = computed_counter_of(look->metric);
    return (part == COMPUTED_COMPUTING || part == COMPUTED_COMMUNICATION) &&
           look->judgement->has_base != look->judgement->has_now;
}

static void say_divided_once(const struct look *look)
{
    set_reason(look->judgement,
               "not judged, because %s has no collectives, or was measured before cugate distinguished them",
               look->judgement->has_base ? "the run" : "the baseline");
}

static bool is_in_program(const struct look *look)
{
    return computed_counter_of(look->metric) == COMPUTED_GPU_TIME &&
           row_kind(look->pairing->now_result->id) == ROW_KERNEL;
}

/* Whether the baseline does not know how kernels overlap, or this run does not and they did not: then the busy time was
 * the GPU time, and is no longer than that now. */
static bool had_no_overlap(const struct look *look)
{
    const double overlap = overlap_of(look->pairing->sides->metrics, look->pairing->base_result);
    return computed_counter_of(look->metric) == COMPUTED_BUSY_TIME &&
           (look->was == VALUE_NOT_APPLICABLE || (look->is == VALUE_NOT_APPLICABLE && overlap <= 1 + RULE_INEXACT));
}

static bool is_elapsed(const struct look *look)
{
    return computed_counter_of(look->metric) == COMPUTED_ELAPSED;
}

/* By pairs alone, since hosts differ, and their median has to be beyond the floor too. They stand for both sides. */
static void judge_elapsed(const struct look *look)
{
    struct judgement *judgement = look->judgement;
    const struct row *now = look->pairing->now;
    const size_t pairs = now ? now->pair_count : 0;
    OWNED_MEMORY double *base = x_calloc(pairs + 1, sizeof *base), *ratio = x_calloc(pairs + 1, sizeof *ratio);
    for (size_t i = 0; i < pairs; i++)
        ratio[i] = now->pairs[i].head / (base[i] = now->pairs[i].base);
    if (pairs > 0) {
        judge_pairs(judgement, now);
        judgement->has_base = judgement->has_now = true;
        judgement->base = median(base, pairs);
        judgement->now = round_value(judgement->base * median(ratio, pairs));
    }
    judgement->compared = judgement->has_base && judgement->has_now &&
                          (pairs > 0 || (same_definition(look->pairing->sides, look->metric, &judgement->reason) &&
                                         same_part(look->pairing, &judgement->reason)));
    judgement->change = judgement->compared ? round_value(judgement->now - judgement->base) : 0;
    judgement->limit = judgement->chance = rule_floor(look->metric, judgement->base);
    if (pairs == 0) {
        judgement->wants_pairs = judgement->compared && fabs(judgement->change) > judgement->limit;
        add_reason(judgement, "not judged, because hosts differ: pairs with a base build judge it (--against)");
    } else if (judgement->paired != PAIRED_UNDECIDED && fabs(judgement->change) <= judgement->limit) {
        judgement->paired = PAIRED_SAME;
        judgement->verdict = VERDICT_SAME;
        judgement->worse = false;
        set_reason(judgement, "the median of the pairs is within the floor");
    }
}

static bool is_too_seldom(const struct look *look)
{
    const struct pairing *pairing = look->pairing;
    const struct sides *sides = pairing->sides;
    return (look->was == ABSENT && is_seldom(sides, sides->baseline, pairing->base_result, look->metric)) ||
           (look->is == ABSENT && is_seldom(sides, sides->run, pairing->now_result, look->metric));
}

static bool is_waiting(const struct look *look)
{
    return (look->was == ABSENT) != (look->is == ABSENT) && is_of_counting(look->pairing, look->metric) &&
           program_holds(look->pairing->base_result) > 0 && program_holds(look->pairing->now_result) > 0;
}

static bool is_of_known_code(const struct look *look)
{
    OWNED_TEXT why = NULL;
    return look->was == VALUE_MEASURED && look->is == ABSENT && is_of_counting(look->pairing, look->metric) &&
           is_judged_by_time(look->pairing) && same_part(look->pairing, &why);
}

static bool is_of_lost_code(const struct look *look)
{
    const bool once = look->judgement->has_base != look->judgement->has_now;
    return once && metric_source(look->metric) == SOURCE_CODE && lacks_code_once(look->pairing);
}

static bool is_out_of_time(const struct look *look)
{
    const struct judgement *judgement = look->judgement;
    return ((look->was == ABSENT && judgement->has_now) || (judgement->has_base && look->is == ABSENT)) &&
           is_left_out(look->pairing, look->metric);
}

static void say_out_of_time(const struct look *look)
{
    set_reason(look->judgement, "not read%s, because the time for counting ran out; the kernel's time is judged",
               look->judgement->has_now ? " in the baseline" : "");
}

static bool has_both(const struct look *look)
{
    return look->judgement->has_base && look->judgement->has_now;
}

static void judge_both(const struct look *look)
{
    struct judgement *judgement = look->judgement;
    if (same_definition(look->pairing->sides, look->metric, &judgement->reason) &&
        same_part(look->pairing, &judgement->reason))
        judge_values(judgement, look->pairing, look->quantiles);
    else if (look->metric->class != METRIC_INFO)
        judgement->verdict = VERDICT_UNSURE;
    if (look->pairing->now->reason)
        add_reason(judgement, "%s", look->pairing->now->reason);
}

/* Because the kernel's launches and inputs are the baseline's, or the count is known. */
static bool is_not_made_again(const struct look *look)
{
    const struct pairing *pairing = look->pairing;
    return (pairing->sides->origin->computed && !pairing->now &&
            same_inputs(pairing->base_result, pairing->now_result)) ||
           is_not_read_again(look->pairing, look->metric);
}

static void say_not_made_again(const struct look *look)
{
    look->judgement->unchanged = look->judgement->has_base && look->metric->class != METRIC_INFO;
    set_unchanged_reason(look->judgement, look->pairing);
}

/* Bank conflicts take a process of their own, so they are not counted again where nothing can have changed them. */
static bool has_known_conflicts(const struct look *look)
{
    const struct pairing *pairing = look->pairing;
    return look->is_missing && !pairing->now && metric_is_on_demand(look->metric) &&
           same_work(pairing->base_result, pairing->now_result, pairing->sides->metrics);
}

static bool is_not_asked_for(const struct look *look)
{
    return look->is_missing && look->is == ABSENT && metric_is_on_demand(look->metric);
}

static bool is_open(const struct look *look)
{
    return look->is_missing && look->pairing->now && row_is_open(look->pairing->now);
}

static void judge_open(const struct look *look)
{
    const struct pairing *pairing = look->pairing;
    const bool same = same_code(pairing->base_result, pairing->now_result);
    const bool neither = pairing->base && row_is_open(pairing->base);
    const bool timed = neither && asks_for_time(pairing->sides->metrics); /* else nothing would judge other code */
    const bool info = look->metric->class == METRIC_INFO;                 /* a count would not be judged either */
    look->judgement->verdict = same || timed || info ? VERDICT_INFO : VERDICT_UNSURE;
    set_reason(look->judgement,
               same    ? "not judged: the machine code is the same, but its count %s"
               : timed ? "not judged, because neither this run nor the baseline can be counted: it %s"
                       : "not counted: %s",
               pairing->now->reason);
}

static bool is_missing(const struct look *look)
{
    return look->is_missing;
}

static void say_missing(const struct look *look)
{
    const char *law = look->pairing->now ? look->pairing->now->reason : NULL;
    const bool unread = look->metric->class == METRIC_STATIC && look->is == VALUE_NOT_SUPPORTED;
    set_reason(look->judgement, "%s%s",
               law      ? "not counted: "
               : unread ? no_code
                        : state_reasons[look->is],
               law ? law : "");
}

static bool is_new(const struct look *look)
{
    return look->judgement->verdict == VERDICT_NEW;
}

static bool is_unsure(const struct look *look)
{
    return look->judgement->verdict == VERDICT_UNSURE;
}

static void say_unsure(const struct look *look)
{
    const struct row *base = look->pairing->base, *now = look->pairing->now;
    if (base && base->reason)
        set_reason(look->judgement, "the baseline's value is in doubt: %s", base->reason);
    else if (now && now->reason)
        set_reason(look->judgement, "%s", now->reason);
    else
        set_reason(look->judgement, "%s",
                   look->judgement->has_base ? "the baseline has a value, but the metric is not applicable now"
                   : look->was == VALUE_NOT_APPLICABLE
                       ? "not applicable in the baseline, but it has a value now"
                       : "the baseline has the kernel, but not this metric; `cugate accept` adds it");
}

#define AS_IT_IS VERDICTS /* by the states, or by `judge` */

/* The first reason that applies is the row's. To add one: a row here, and one in the tests of judge_row or compare. */
static const struct reason {
    bool (*applies)(const struct look *look);
    enum verdict verdict;
    const char *words;                      /* NULL: `judge` says them */
    void (*judge)(const struct look *look); /* or NULL */
} reasons[] = {
    {no_gpu_counts_it, VERDICT_INFO,
     "not judged: no GPU counts it, so a measured baseline has no value; compare with a base build (--against)", NULL},
    {is_divided_once, VERDICT_INFO, NULL, say_divided_once},
    {is_in_program, VERDICT_INFO, "not judged in a program; see the time per launch and the program's time", NULL},
    {had_no_overlap, VERDICT_INFO,
     "not judged, because the baseline does not show that kernels overlap; see the GPU time", NULL},
    {is_elapsed, VERDICT_INFO, NULL, judge_elapsed},
    {is_too_seldom, VERDICT_INFO,
     "not judged, because the kernel takes less than 1 % of the program's GPU time, or runs only while the program "
     "starts, so some counters miss it",
     NULL},
    {is_waiting, VERDICT_INFO, "not read, because the kernel waits for others and its counts depend on how long", NULL},
    {is_of_known_code, VERDICT_INFO,
     "not read, because machine code and shape are the same; the kernel's time is judged", NULL},
    {is_of_lost_code, VERDICT_INFO,
     "not known, because the machine code was found in only one of the two runs; the kernel's time is judged", NULL},
    {is_out_of_time, VERDICT_INFO, NULL, say_out_of_time},
    {has_both, AS_IT_IS, NULL, judge_both},
    {is_not_made_again, VERDICT_INFO, NULL, say_not_made_again},
    {has_known_conflicts, VERDICT_SAME,
     "not counted again, because the machine code and the exact counts equal the baseline's", NULL},
    {is_not_asked_for, AS_IT_IS, "not in this run: `cugate run --lines` and `cugate check` count it", NULL},
    {is_open, AS_IT_IS, NULL, judge_open},
    {is_missing, AS_IT_IS, NULL, say_missing},
    {is_new, AS_IT_IS, "not in the baseline yet", NULL},
    {is_unsure, AS_IT_IS, NULL, say_unsure},
};

void judge_row(struct comparison *comparison, const struct pairing *pairing, const char *kernel,
               const struct metric *metric, struct quantiles *quantiles)
{
    const enum value_state was = pairing->base ? pairing->base->state : ABSENT;
    const enum value_state is = pairing->now ? pairing->now->state : ABSENT;
    struct judgement *judgement = add_judgement(comparison, kernel, metric, by_state[was][is]);
    const struct look look = {.judgement = judgement,
                              .pairing = pairing,
                              .metric = metric,
                              .quantiles = quantiles,
                              .was = was,
                              .is = is,
                              .is_missing = judgement->verdict == VERDICT_MISSING};

    judgement->has_base = was == VALUE_MEASURED;
    judgement->has_now = is == VALUE_MEASURED;
    if (judgement->has_base)
        judgement->base = row_value(pairing->base);
    if (judgement->has_now)
        judgement->now = row_value(pairing->now);
    const bool least = metric->class == METRIC_EXACT && metric->better == METRIC_LOWER && judgement->now == 0;
    if (was == ABSENT && judgement->has_now && (metric_is_on_demand(metric) || least))
        judgement->verdict = VERDICT_NEW; /* on demand: the baseline may have counted it for other kernels only */
    if (metric->class == METRIC_INFO && !look.is_missing)
        judgement->verdict = VERDICT_INFO;
    const struct reason *reason = FIND(one, reasons, ARRAY_SIZE(reasons), one->applies(&look));
    if (reason && reason->verdict != AS_IT_IS)
        judgement->verdict = reason->verdict;
    if (reason && reason->judge)
        reason->judge(&look);
    else if (reason)
        set_reason(judgement, "%s", reason->words);
}
