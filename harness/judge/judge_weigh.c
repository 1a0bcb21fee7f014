/* Gives a kernel its verdict. Rows are its evidence: most optimisations pay for one count with another, so a row that
 * is worse fails only where the table below keeps it. */
#include "judge_parts.h"

/* ---- Evidence ---- */

/* What is known of a kernel's time, what excuses most first. */
enum known_time {
    TIME_FASTER,  /* by pairs, or beyond its limit, and by other code */
    TIME_EQUAL,   /* by pairs */
    TIME_ONCE,    /* faster beyond its limit, in one session alone */
    TIME_UNKNOWN, /* there is none, or it lies within its limit */
    TIME_MAYBE,   /* faster beyond its limit, and unsure for another reason */
    TIME_OPEN,    /* it is unsure, or pairs do not decide it */
    TIME_SLOWER,
};

/* What the rows of a kernel say together. */
struct evidence {
    enum known_time time;
    size_t pairs;
    const char *was, *is; /* the toolchains, where they differ; else NULL */
    char better[160];     /* the metrics that are better; empty: none is */
    double change;        /* of the time, relative to the baseline's */
    double larger;        /* the threads of a block relative to the baseline's; 1 where that is unknown */
    double least, sms;    /* the shorter estimated time of both sides in ns, and SMs; 0: unknown */
};

/* How often a program launches a kernel is the program's, and neither paid nor gained by the kernel's code. */
static bool is_judged(const struct judgement *judgement)
{
    return judgement->metric && judgement->compared && judgement->verdict != VERDICT_INFO &&
           !is_metric_of_program(judgement->metric);
}

/* A gain of more than unchanged code may show by chance needs no second session, nor many of the baseline. On a GPU
 * that the baseline does not know nothing less is a gain. */
static enum known_time time_of(const struct judgement *judgement, bool other_code)
{
    if (judgement->verdict == VERDICT_REGRESSED)
        return TIME_SLOWER;
    if (judgement->pairs > 0)
        return judgement->paired == PAIRED_BETTER ? TIME_FASTER
               : judgement->paired == PAIRED_SAME ? TIME_EQUAL
                                                  : TIME_OPEN;
    if (judgement->verdict == VERDICT_UNSURE)
        return other_code && judgement->drift - judgement->change > judgement->limit ? TIME_MAYBE : TIME_OPEN;
    if (judgement->verdict != VERDICT_IMPROVED || !other_code)
        return TIME_UNKNOWN;
    if (fabs(judgement->change) > RULE_SAME_CODE * fabs(judgement->base))
        return TIME_FASTER;
    if (judgement->other_gpus > 0 && judgement->other_gpus < RULE_GPUS)
        return TIME_UNKNOWN;
    return judgement->base_sessions < rule_sessions_needed(METRIC_TIME) ? TIME_UNKNOWN
           : judgement->run_sessions == 1                               ? TIME_ONCE
                                                                        : TIME_FASTER;
}

/* Appends the name of a metric; what does not fit is left out. */
static void add_name(char *names, size_t size, const char *name)
{
    const size_t used = strlen(names);
    if (used + strlen(name) + sizeof ", " < size)
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
}

/* Whether a launch of other code that is too short to be judged by its time took clearly longer all the same. */
static bool is_short_and_slower(const struct judgement *judgement, bool other_code)
{
    return other_code && judgement->metric && judgement->metric->class == METRIC_TIME && judgement->compared &&
           judgement->verdict == VERDICT_INFO && !is_metric_of_program(judgement->metric) &&
           judgement->base < RULE_SHORT &&
           judgement->change > fmax(RULE_SAME_CODE * judgement->base, RULE_ESTIMATED_FLOOR);
}

/* Whether a row is of more than how work is divided: the longest warp and the busiest block matter where either, alone
 * on an SM, may take longer than the kernel; `time` is an estimate of that in ns, 0 where there is none. */
static bool may_decide(const struct judgement *judgement, double time)
{
    const double most = fmax(judgement->base, judgement->now);
    const enum computed_counter counter = computed_counter_of(judgement->metric);
    return counter == COMPUTED_LONGEST_WARP    ? most * RULE_WARP_ALONE > time
           : counter == COMPUTED_BUSIEST_BLOCK ? most * RULE_BLOCK_ALONE > time
                                               : true;
}

/* Collects the evidence from the rows of a kernel. Of several times the worst counts. A ratio that rose is no gain in
 * itself, but for what a launch has: its occupancy, and how evenly it lies. */
static struct evidence find_evidence(const struct comparison *comparison, size_t first, bool other_code, double least)
{
    struct evidence evidence = {.time = TIME_FASTER};
    bool timed = false;
    EACH(const struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (is_short_and_slower(judgement, other_code)) {
            evidence.time = TIME_SLOWER;
            timed = true;
        }
        if (!is_judged(judgement))
            continue;
        if (judgement->metric->class == METRIC_TIME) {
            const enum known_time time = time_of(judgement, other_code);
            evidence.time = time > evidence.time ? time : evidence.time;
            evidence.pairs = judgement->pairs > 0 ? judgement->pairs : evidence.pairs;
            evidence.change = judgement->base != 0 ? judgement->change / judgement->base : 0;
            timed = true;
        } else if (judgement->verdict == VERDICT_IMPROVED && may_decide(judgement, least) &&
                   (!judgement->metric->trade || judgement->metric->class == METRIC_STATIC)) {
            add_name(evidence.better, sizeof evidence.better, judgement->metric->name);
        }
    }
    if (!timed)
        evidence.time = TIME_UNKNOWN;
    return evidence;
}

/* ---- The table ---- */

/* What becomes of the rows that are worse. */
enum outcome {
    STAYS,   /* they fail */
    PAID,    /* trade-offs: what was paid for a kernel that is better */
    AGAIN,   /* unsure: a better known time decides */
    ASKED,   /* unsure: pairs with a base build decide */
    WEIGHED, /* unsure: an estimate of the time would decide */
};

enum whether { NO, YES, ANY };

/* The first line that applies decides. To let more pass: a line, and a mutant in tests/selftest/mutations.txt. */
static const struct line {
    enum known_time time;
    enum whether better;   /* other rows of the kernel are better */
    enum whether upgraded; /* another toolchain made the code */
    enum outcome outcome;
    const char *words; /* why */
} table[] = {
    {TIME_SLOWER, ANY, ANY, STAYS, NULL},
    {TIME_FASTER, ANY, YES, PAID, "built by another toolchain, and faster"},
    {TIME_FASTER, ANY, NO, PAID, "the kernel is faster"},
    {TIME_EQUAL, ANY, YES, PAID, "built by another toolchain"},
    {TIME_EQUAL, YES, NO, PAID, "the kernel improved elsewhere"},
    {TIME_EQUAL, NO, NO, STAYS, NULL},
    {TIME_ONCE, ANY, ANY, AGAIN, "the kernel is faster in only one session, and a second must agree"},
    {TIME_MAYBE, ANY, ANY, AGAIN, "the kernel seems faster, but its time, which decides, is uncertain"},
    {TIME_OPEN, ANY, YES, ASKED, "built by another toolchain"},
    {TIME_OPEN, YES, NO, AGAIN, "other counts are better, but the time, which decides, is uncertain"},
    {TIME_OPEN, NO, NO, STAYS, NULL},
    {TIME_UNKNOWN, ANY, YES, ASKED, "built by another toolchain"},
    {TIME_UNKNOWN, YES, NO, WEIGHED, NULL},
    {TIME_UNKNOWN, NO, NO, STAYS, NULL},
};

static const struct line *find_line(const struct evidence *evidence)
{
    const enum whether better = *evidence->better ? YES : NO, upgraded = evidence->is ? YES : NO;
    const struct line *line = table;
    while (line->time != evidence->time || (line->better != ANY && line->better != better) ||
           (line->upgraded != ANY && line->upgraded != upgraded))
        line++;
    return line;
}

/* Whether the row is worse, and no time: what a kernel may pay with. */
static bool is_cost(const struct judgement *judgement, const struct sides *sides)
{
    return is_judged(judgement) && judgement->worse && judgement->metric->class != METRIC_TIME &&
           !judgement->metric->never_paid && !sides->metrics->never_paid &&
           (judgement->verdict == VERDICT_REGRESSED || judgement->verdict == VERDICT_UNSURE);
}

/* Whether the row is unsure only since its count does not repeat: a kernel that is faster has nothing to pay for. */
static bool is_doubt(const struct judgement *judgement)
{
    return is_judged(judgement) && judgement->verdict == VERDICT_UNSURE && judgement->metric->class == METRIC_EXACT;
}

/* Gives the rows that are worse what a line says. */
static void apply(struct comparison *comparison, size_t first, const struct sides *sides, const struct line *line,
                  const struct evidence *evidence)
{
    EACH(struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (!is_cost(judgement, sides) && !(evidence->time == TIME_FASTER && is_doubt(judgement)))
            continue;
        judgement->verdict = line->outcome == PAID ? VERDICT_TRADED : VERDICT_UNSURE;
        judgement->paid = line->outcome == PAID && evidence->time == TIME_FASTER;
        judgement->wants_session |= evidence->time == TIME_ONCE;
        if (line->outcome == ASKED)
            set_reason(judgement, "%s, %s -> %s: to decide, time both builds in pairs (--against)", line->words,
                       evidence->was, evidence->is);
        else if (line->upgraded == YES && evidence->time == TIME_EQUAL)
            set_reason(judgement, "%s, %s -> %s: in %zu pairs its time is not %g %% worse", line->words, evidence->was,
                       evidence->is, evidence->pairs, 100 * RULE_MARGIN);
        else if (line->upgraded == YES)
            set_reason(judgement, "%s, %s -> %s", line->words, evidence->was, evidence->is);
        else if (evidence->time == TIME_EQUAL)
            set_reason(judgement, "%s (%s): in %zu pairs its time is not %g %% worse", line->words, evidence->better,
                       evidence->pairs, 100 * RULE_MARGIN);
        else if (evidence->time == TIME_FASTER)
            set_reason(judgement, "%s (time %+.1f %%)", line->words, 100 * evidence->change);
        else
            set_reason(judgement, "%s", line->words);
    }
}

/* ---- Where no time is known ---- */

/* Returns the judgement of a kernel's instructions if both sides counted them; else NULL. */
static const struct judgement *find_instructions(const struct comparison *comparison, size_t first)
{
    for (size_t i = first; i < comparison->count; i++)
        if (comparison->list[i].metric && strcmp(comparison->list[i].metric->name, "instructions") == 0)
            return comparison->list[i].compared ? &comparison->list[i] : NULL;
    return NULL;
}

/* Leaves open what is better against what is worse. why: there is no estimate; NULL: none was wanted. */
static void leave_open(struct comparison *comparison, size_t first, const struct sides *sides, const char *why)
{
    EACH(struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (!is_cost(judgement, sides))
            continue;
        judgement->verdict = VERDICT_UNSURE;
        if (why)
            set_reason(
                judgement,
                "other counts are better, but the time cannot be estimated: %s. Run both builds in pairs on a GPU",
                why);
        else
            set_reason(judgement,
                       "other counts are better, but the time is uncertain: run both builds in pairs (--against)");
    }
}

static bool is_traffic(const struct metric *metric)
{
    static const char *const traffic[] = {"global_load_sectors", "global_store_sectors", "sectors_past_l1",
                                          "local_sectors"};
    return metric && ANY(i, ARRAY_SIZE(traffic), strcmp(metric->name, traffic[i]) == 0);
}

/* Whether the row has several times the count: of sectors, which the caches may hold in a test and not in life, unless
 * those that are more are few of all; of anything where no time is gained, but of how the work is shared, which the
 * estimate knows. */
static bool has_several(const struct comparison *comparison, size_t first, const struct judgement *judgement,
                        const struct estimated_change *change)
{
    const enum exact_counter counter = exact_counter_of(judgement->metric);
    bool counts = change->way == ESTIMATED_EQUAL && counter != EXACT_LONGEST_WARP && counter != EXACT_BUSIEST_BLOCK;
    double all = 0;
    EACH(const struct judgement, row, comparison->list + first, comparison->count - first)
        all += is_traffic(row->metric) && row->compared ? row->base : 0;
    counts |= is_traffic(judgement->metric) && judgement->now - judgement->base > RULE_FEW_SECTORS * all;
    return counts && judgement->base > 0 && judgement->now >= RULE_SEVERAL * judgement->base;
}

/* Returns the share of the kernel's time that further instructions take where nothing hides them: at the pace of a warp
 * or block alone, or shared by all schedulers. INFINITY: it is not known. */
static double share_of_issue(enum exact_counter counter, double more, const struct evidence *evidence)
{
    const double each = counter == EXACT_LONGEST_WARP    ? RULE_WARP_ALONE
                        : counter == EXACT_BUSIEST_BLOCK ? RULE_BLOCK_ALONE
                                                         : RULE_ISSUE / evidence->sms;
    return evidence->least > 0 && evidence->sms > 0 ? more * each / evidence->least : INFINITY;
}

/* Whether what is worse is issued instructions alone, by less than such a count is exact to, or than an estimate tells
 * apart even if nothing hides them, and a tenth at most: the code was rearranged. A block issues as much more as it has
 * more threads. No access may be worse, and an estimated time that was asked for is the same. */
static bool is_rearranged(const struct comparison *comparison, size_t first, const struct sides *sides,
                          const struct estimated_change *change, const struct evidence *evidence)
{
    static const enum exact_counter issued[] = {EXACT_INSTRUCTIONS, EXACT_OUTSIDE_WAITS, EXACT_LONGEST_WARP,
                                                EXACT_BUSIEST_BLOCK, EXACT_BRANCH_TARGETS};
    for (size_t i = first; i < comparison->count; i++) {
        const struct judgement *row = &comparison->list[i];
        const enum exact_counter counter = row->metric ? exact_counter_of(row->metric) : EXACT_COUNTERS;
        const double most = row->base * (counter == EXACT_BUSIEST_BLOCK ? fmax(evidence->larger, 1) : 1),
                     more = row->now - most;
        if (judgement_is_worse(row) &&
            (!is_cost(row, sides) || !ANY(k, ARRAY_SIZE(issued), counter == issued[k]) ||
             !(more <= RULE_INEXACT * most ||
               (more <= RULE_SAME_CODE * most && share_of_issue(counter, more, evidence) <= RULE_ESTIMATED_GAIN))))
            return false;
    }
    return change->way == ESTIMATED_EQUAL && change->likely <= 1 + RULE_INEXACT && asks_for_time(sides->metrics);
}

static double threads_of(const struct launch *launch)
{
    return (double)launch->block[0] * launch->block[1] * launch->block[2];
}

/* Lets the estimated time decide. False: it leaves that to the counts. */
static bool weigh_time(struct comparison *comparison, size_t first, const struct sides *sides,
                       const struct estimated_change *change, const struct evidence *evidence)
{
    char words[160];
    const bool pays = change->way == ESTIMATED_EQUAL || change->way == ESTIMATED_FASTER;
    if ((change->way == ESTIMATED_OPEN || change->way == ESTIMATED_EQUAL) && !*evidence->better &&
        !is_rearranged(comparison, first, sides, change, evidence))
        return false;
    estimated_words(change, words, sizeof words);
    EACH(struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (!is_cost(judgement, sides))
            continue;
        const bool little =
            pays && change->likely > 1 - RULE_ESTIMATED_OFF && has_several(comparison, first, judgement, change);
        if (change->way == ESTIMATED_OPEN || little)
            judgement->verdict = VERDICT_UNSURE;
        else if (pays)
            judgement->verdict = VERDICT_TRADED;
        set_reason(judgement, "%s%s", words,
                   little ? ", too little for so large an increase: to decide, run both builds in pairs on a GPU"
                   : change->way == ESTIMATED_OPEN ? ", which does not decide: run both builds in pairs on a GPU"
                   : change->way == ESTIMATED_EQUAL && change->likely > 1 ? ", within the limit of estimated_time"
                   : change->way == ESTIMATED_HIDDEN
                       ? ", but it does more work, and the timing model was never validated on this GPU"
                       : "");
    }
    return true;
}

/* Of code that another compiler made, a count that moved by a little says nothing of the time. */
static void allow_upgrade(struct comparison *comparison, size_t first, const struct sides *sides, const char *was,
                          const char *is)
{
    EACH(struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (!is_cost(judgement, sides) || judgement->metric->class == METRIC_STATIC ||
            !(fabs(judgement->change) <= RULE_TOOLCHAIN * fabs(judgement->base)))
            continue;
        judgement->verdict = VERDICT_TRADED;
        set_reason(judgement, "less than %g %% more with another toolchain (%s -> %s): measure the cost on a GPU",
                   100 * RULE_TOOLCHAIN, was, is);
    }
}

/* ---- Ratios ---- */

/* Whether a metric of the kernel is known not to be worse. A time within its limit may be worse: it must be better, or
 * the same by pairs. */
static bool is_no_worse(const struct comparison *comparison, size_t first, const char *metric)
{
    EACH(const struct judgement, judgement, comparison->list + first, comparison->count - first) {
        if (!judgement->metric || strcmp(judgement->metric->name, metric) != 0)
            continue;
        if (!judgement->compared || judgement->verdict == VERDICT_IMPROVED)
            return judgement->compared;
        return judgement->verdict == VERDICT_SAME &&
               (judgement->metric->class != METRIC_TIME || judgement->paired == PAIRED_SAME);
    }
    return false;
}

/* Whether a ratio fell and less is lost by it: idle lanes are instructions times (32 - threads), misses are requests
 * times the rate that is missing. Only a percentage and a ratio to instructions have a known whole. */
static bool is_less_lost(const struct judgement *judgement, const struct result *base, const struct result *now)
{
    const struct metric *metric = judgement->metric;
    const struct row *was = result_measured(base, metric->weight), *is = result_measured(now, metric->weight);
    const bool of_lanes = metric->weight && strcmp(metric->weight, "instructions") == 0;
    const double whole = strcmp(metric->unit, "%") == 0 ? 100 : of_lanes ? 32 : NAN;
    if (!was || !is)
        return false;
    return row_value(is) * (whole - judgement->now) <=
           row_value(was) * (whole - judgement->base) * (1 + RULE_INEXACT); /* a ratio is rounded */
}

/* A ratio is no cost in itself but hints at one. So it may fall while none of the metrics that it stands for (`trade`)
 * is worse. Where not all of these can be computed, the row is unsure. A static metric is excused only if all are
 * known. */
static void allow_ratio(struct comparison *comparison, size_t first, const struct sides *sides,
                        const struct result *base, const struct result *now, struct judgement *judgement)
{
    const char *rest = judgement->metric ? judgement->metric->trade : NULL;
    char name[METRIC_NAME];
    bool whole = true; /* all metrics of `trade` are known */
    if (!rest || !judgement->worse)
        return;
    if (is_less_lost(judgement, base, now)) {
        judgement->verdict = VERDICT_TRADED;
        set_reason(judgement, "trade-off: fewer %s, so the total is not worse", judgement->metric->weight);
        return;
    }
    while (metric_next_trade(&rest, name)) {
        if (is_beyond_computing(sides, name) && judgement->metric->class != METRIC_STATIC)
            whole = false;
        else if (!is_no_worse(comparison, first, name))
            return;
    }
    judgement->verdict = whole ? VERDICT_TRADED : VERDICT_UNSURE;
    if (whole)
        set_reason(judgement, "trade-off: %s did not get worse", judgement->metric->trade);
    else
        set_reason(judgement,
                   "it approximates %s, which the simulator cannot compute fully: measure on a GPU to decide",
                   judgement->metric->trade);
}

/* Slow instructions hold a pipe while others are issued. So more of them are no cost while they take no longer than
 * all instructions did, nor both one after the other longer than before. */
static void allow_slow(const struct comparison *comparison, size_t first, struct judgement *judgement)
{
    const struct judgement *all = judgement->worse ? find_instructions(comparison, first) : NULL;
    if (!judgement->metric || computed_counter_of(judgement->metric) != COMPUTED_SLOW || !all ||
        judgement->now > all->base || judgement->change + all->change > 0)
        return;
    judgement->verdict = VERDICT_TRADED;
    set_reason(judgement, "trade-off: fewer instructions, and no more issue cycles in total");
}

/* A larger stack is no cost by itself: its accesses are. */
static void allow_stack(const struct comparison *comparison, size_t first, const struct sides *sides,
                        struct judgement *judgement)
{
    if (!is_cost(judgement, sides) || computed_counter_of(judgement->metric) != COMPUTED_LOCAL ||
        !is_no_worse(comparison, first, "local_sectors"))
        return;
    judgement->verdict = VERDICT_TRADED;
    set_reason(judgement, "trade-off: local_sectors did not get worse");
}

/* Registers that hold what was spilled cost occupancy: which of both costs more is not known without a launch. */
static void doubt_unspilled(const struct comparison *comparison, size_t first, const struct sides *sides,
                            struct judgement *judgement)
{
    if (!is_cost(judgement, sides) || computed_counter_of(judgement->metric) != COMPUTED_OCCUPANCY ||
        !FIND(one, &comparison->list[first], comparison->count - first,
              one->metric && computed_counter_of(one->metric) == COMPUTED_LOCAL_ACCESSES &&
                  one->verdict == VERDICT_IMPROVED))
        return;
    judgement->verdict = VERDICT_UNSURE;
    set_reason(judgement, "more registers, and less is spilled: simulate or measure a launch to decide");
}

/* ---- The whole ---- */

void weigh_kernel(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                  const struct result *now)
{
    if (first == comparison->count || row_kind(comparison->list[first].kernel) != ROW_KERNEL)
        return;
    for (size_t i = first; i < comparison->count; i++)
        allow_ratio(comparison, first, sides, base, now, &comparison->list[i]);
    for (size_t i = first; i < comparison->count; i++) {
        allow_slow(comparison, first, &comparison->list[i]);
        allow_stack(comparison, first, sides, &comparison->list[i]);
        doubt_unspilled(comparison, first, sides, &comparison->list[i]);
    }
    if (!base || !now || sides->origin->code_only)
        return;
    struct estimated_change change = {0};
    const bool other_code = !same_code(base, now);
    const char *was, *is = other_toolchain(comparison, sides, base, now, &was);
    const bool built = base->row_count > 0 && base->rows[0].from_base_build;
    if (sides->origin->computed && other_code && is && !built)
        change.unknown = "another compiler compiled the baseline";
    else if (sides->origin->computed && other_code)
        estimate_change(&change, sides, base, now);
    const double least = change.known ? fmin(base->estimated->ns, now->estimated->ns) : 0;
    struct evidence evidence = find_evidence(comparison, first, other_code, least);
    evidence.larger =
        base->launch_count == 1 && now->launch_count == 1 ? threads_of(now->launches) / threads_of(base->launches) : 1;
    evidence.least = least;
    evidence.sms = (double)sides->run->device.sm_count;
    evidence.was = was;
    evidence.is = sides->origin->computed ? NULL : is; /* else the counts that are left decide */
    if (is && sides->origin->computed)
        allow_upgrade(comparison, first, sides, was, is);
    const struct line *line = find_line(&evidence);
    const bool weighed =
        change.known && evidence.time == TIME_UNKNOWN && weigh_time(comparison, first, sides, &change, &evidence);
    if (!weighed && line->outcome == WEIGHED)
        leave_open(comparison, first, sides, change.unknown);
    else if (!weighed && line->outcome != STAYS)
        apply(comparison, first, sides, line, &evidence);
    /* The same code that is slower has other arguments or data. If it is faster, they pay for nothing. */
    if (sides->origin->computed && !other_code)
        estimate_change(&change, sides, base, now);
    if (other_code || change.way == ESTIMATED_SLOWER)
        judge_estimate(comparison, sides, base, now, &change);
    if (change.unknown && (!is || built))
        judge_unknown(comparison, first, sides, base, now, change.unknown);
}
