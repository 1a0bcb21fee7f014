#include "compare_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[VERDICTS] = {
    [VERDICT_MISSING] = "missing", [VERDICT_REGRESSED] = "regressed", [VERDICT_UNEXPECTED] = "unexpected-pass",
    [VERDICT_UNSURE] = "unsure",   [VERDICT_TRADED] = "trade-off",    [VERDICT_EXPECTED] = "expected",
    [VERDICT_NEW] = "new",         [VERDICT_IMPROVED] = "improved",   [VERDICT_SAME] = "same",
    [VERDICT_INFO] = "info",
};

const char *verdict_name(enum verdict verdict)
{
    return verdict_names[verdict];
}

/* What becomes of a row by the states of its two sides, where the last state is a row that is not there at all. A
 * counter that could not be read is missing whatever the baseline says, also one that is only shown; one that the chip
 * lacks is only missed when the baseline expects it. A number is nothing to go by without one in the baseline, which
 * knows the kernel: its row was never accepted, or taken away. Two numbers are judged by their values. */
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
    [VALUE_NOT_COUNTED] = "not counted: reading the counter failed",
    [VALUE_NOT_SUPPORTED] = "not supported: this chip or collector lacks the counter",
    [VALUE_NOT_APPLICABLE] = "not applicable",
    [ABSENT] = "not in this run",
};

struct judgement *add_judgement(struct comparison *comparison, const char *kernel, const struct metric *metric,
                                enum verdict verdict)
{
    struct judgement *judgement = ARRAY_ADD(comparison->list, comparison->count);
    judgement->kernel = kernel;
    judgement->metric = metric;
    judgement->verdict = verdict;
    judgement->detectable = NAN;
    return judgement;
}

void set_reason(struct judgement *judgement, const char *format, ...)
{
    va_list list;
    free(judgement->reason);
    va_start(list, format);
    if (vasprintf(&judgement->reason, format, list) < 0)
        die(EXIT_USAGE, "cannot allocate memory for a reason");
    va_end(list);
}

bool same_definition(const struct sides *sides, const struct metric *metric, char **why)
{
    const struct {
        const struct run *run;
        const char *whose;
    } both[] = {{sides->baseline, "the baseline"}, {sides->run, "this run"}};
    for (size_t i = 0; i < ROWS(both); i++) {
        const struct metric_note *note = run_find_note(both[i].run, metric->name);
        if (!note || (strcmp(note->counter, metric->counter) == 0 && strcmp(note->unit, metric->unit) == 0))
            continue;
        *why = x_sprintf("%s measured it as %s in %s, but %s:%d defines it as %s in %s", both[i].whose, note->counter,
                         note->unit, metric->file, metric->line, metric->counter, metric->unit);
        return false;
    }
    return true;
}

/* Bank conflicts take a process of their own to count, so they are not, where nothing can have changed them. */
static bool is_known_to_be_same(const struct pairing *pairing, const struct metric *metric)
{
    return !pairing->now && strcmp(metric->counter, COUNTER_EXCESS) == 0 &&
           same_work(pairing->base_result, pairing->now_result, pairing->sides->metrics);
}

static void judge_row(struct comparison *comparison, const struct pairing *pairing, const char *kernel,
                      const struct metric *metric, struct quantiles *quantiles)
{
    enum value_state was = pairing->base ? pairing->base->state : ABSENT;
    enum value_state is = pairing->now ? pairing->now->state : ABSENT;
    struct judgement *judgement = add_judgement(comparison, kernel, metric, by_state[was][is]);

    judgement->has_base = was == VALUE_MEASURED;
    judgement->has_now = is == VALUE_MEASURED;
    if (judgement->has_base)
        judgement->base = row_value(pairing->base);
    if (judgement->has_now)
        judgement->now = row_value(pairing->now);

    if (was == ABSENT && judgement->has_now && strcmp(metric->counter, COUNTER_EXCESS) == 0)
        judgement->verdict = VERDICT_NEW; /* sessions count it for few kernels, or for all */
    if (metric->class == METRIC_INFO && judgement->verdict != VERDICT_MISSING)
        judgement->verdict = VERDICT_INFO;
    if (judgement->has_base && judgement->has_now) {
        if (same_definition(pairing->sides, metric, &judgement->reason))
            judge_values(judgement, pairing, quantiles);
        else if (metric->class != METRIC_INFO)
            judgement->verdict = VERDICT_UNSURE;
    } else if (judgement->verdict == VERDICT_MISSING && is_known_to_be_same(pairing, metric)) {
        judgement->verdict = VERDICT_SAME;
        set_reason(judgement, "not counted again: the machine code and the exact counts are the baseline's");
    } else if (judgement->verdict == VERDICT_MISSING && is == ABSENT && strcmp(metric->counter, COUNTER_EXCESS) == 0) {
        set_reason(judgement, "not in this run: `cugate run --lines` and `cugate check` count it");
    } else if (judgement->verdict == VERDICT_MISSING) {
        const char *law = pairing->now ? pairing->now->reason : NULL;
        set_reason(judgement, "%s%s", law ? "not counted: " : state_reasons[is], law ? law : "");
    } else if (judgement->verdict == VERDICT_NEW) {
        set_reason(judgement, "not in the baseline yet");
    } else if (judgement->verdict == VERDICT_UNSURE && pairing->base && pairing->base->reason) {
        set_reason(judgement, "in the baseline, %s", pairing->base->reason);
    } else if (judgement->verdict == VERDICT_UNSURE) {
        set_reason(judgement, "%s",
                   judgement->has_base           ? "had a value, is now not applicable"
                   : was == VALUE_NOT_APPLICABLE ? "was not applicable, has now a value"
                                                 : "the baseline has this kernel and no number of this, so there is "
                                                   "nothing to judge it by; `cugate accept` adds it");
    }
}

/* Leaves each name once, where it was first. */
static void forget_repeated(struct unknown *unknown)
{
    size_t *first = first_of_equals(unknown->names, unknown->count, sizeof *unknown->names, by_text), kept = 0;
    for (size_t i = 0; i < unknown->count; i++)
        if (first[i] == i)
            unknown->names[kept++] = unknown->names[i];
    unknown->count = kept;
    free(first);
}

/* What goes through a whole comparison. */
struct judging {
    struct comparison *comparison;
    const struct sides *sides;
    const struct result **renamed; /* of each kernel of the baseline, see find_renamed */
    struct unknown unknown;
    struct quantiles quantiles;
};

static void judge_rows(struct judging *judging, const struct result *base, const struct result *now)
{
    struct pairing pairing = {.sides = judging->sides, .base_result = base, .now_result = now};
    for (size_t b = 0, n = 0; b < base->row_count || n < now->row_count;) {
        int order = b == base->row_count  ? 1
                    : n == now->row_count ? -1
                                          : strcmp(base->rows[b].metric, now->rows[n].metric);
        const char *name = order <= 0 ? base->rows[b].metric : now->rows[n].metric;
        pairing.base = order <= 0 ? &base->rows[b++] : NULL;
        pairing.now = order >= 0 ? &now->rows[n++] : NULL;
        const struct metric *metric = metrics_find(judging->sides->metrics, name);
        if (!metric) {
            *ARRAY_ADD(judging->unknown.names, judging->unknown.count) = name;
            continue;
        }
        pairing.suite = suite_of(judging->comparison, metric);
        judge_row(judging->comparison, &pairing, now->id, metric, &judging->quantiles);
    }
}

/* The declaration that the kernel goes, or NULL. */
static const struct expectation *find_removal(const struct sides *sides, const char *kernel)
{
    return sides->expectations ? expectations_find(sides->expectations, kernel, EXPECTATION_REMOVED) : NULL;
}

static void judge_absent(const struct judging *judging, const struct result *base)
{
    struct judgement *judgement = add_judgement(judging->comparison, base->id, NULL, VERDICT_MISSING);
    const struct sides *sides = judging->sides;
    const struct result *renamed = judging->renamed[base - sides->baseline->results];
    const struct expectation *removal = find_removal(sides, base->id);
    const bool only_base = base->row_count > 0 && base->rows[0].stands_in;
    if (removal && !expectation_is_over(removal, run_date(sides->run))) {
        judgement->verdict = VERDICT_EXPECTED;
        set_reason(judgement, "removed, see %s", removal->issue);
    } else if (only_base) {
        set_reason(judgement,
                   "the base build has it and this one does not%s%s; if it was removed on purpose, declare "
                   "[%s " EXPECTATION_REMOVED "] in " EXPECTATION_FILE,
                   renamed ? ", but runs the same code as " : "", renamed ? renamed->id : "", base->id);
    } else if (renamed) {
        set_reason(judgement,
                   "not in this run, but %s is new and runs the same code; if it was renamed, accept it with "
                   "-k %s --was %s",
                   renamed->id, renamed->id, base->id);
    } else {
        set_reason(judgement, "not in this run; if it was removed on purpose, remove its baseline file");
    }
}

/* False when there is nothing to say of the kernel. */
static bool judge_kernel(struct judging *judging, const struct result *base, const struct result *now)
{
    struct comparison *comparison = judging->comparison;
    bool expected = base && base->status == RESULT_OK;
    if (!now) {
        if (expected)
            judge_absent(judging, base);
        return expected;
    }
    if (now->status == RESULT_NOT_BUILT && !expected)
        return false;
    const struct expectation *removal = find_removal(judging->sides, now->id);
    if (removal)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_UNEXPECTED),
                   "it is declared as removed and is there: remove [%s " EXPECTATION_REMOVED "] at %s:%d", now->id,
                   removal->file, removal->line);
    if (now->status != RESULT_OK)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_MISSING), "%s%s%s", result_status_name(now->status),
                   now->reason ? ": " : "", now->reason ? now->reason : "");
    else if (base && !expected && base->status != RESULT_NOT_BUILT)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_UNSURE),
                   "the base build gave \"%s\"%s%s, so there is nothing to compare it with",
                   result_status_name(base->status), base->reason ? ": " : "", base->reason ? base->reason : "");
    else if (!expected)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_NEW), "%s",
                   now->reason ? now->reason : "not in the baseline yet; `cugate accept` adds it");
    else
        judge_rows(judging, base, now);
    return true;
}

/* How far the value moved, in limits or as a share of what it was; without end from a limit or a base of 0. */
static double moved(const struct judgement *judgement, double measure)
{
    if (!judgement->has_base || !judgement->has_now || judgement->change == 0)
        return 0;
    return measure > 0 ? fabs(judgement->change) / measure : HUGE_VAL;
}

static int judgements_worst_first(const void *left, const void *right)
{
    const struct judgement *a = left;
    const struct judgement *b = right;
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict ? -1 : 1;

    double limits_a = moved(a, a->limit), limits_b = moved(b, b->limit);
    if (limits_a != limits_b)
        return limits_a > limits_b ? -1 : 1;

    double share_a = moved(a, fabs(a->base)), share_b = moved(b, fabs(b->base));
    if (share_a != share_b)
        return share_a > share_b ? -1 : 1;

    int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->metric ? a->metric->name : "", b->metric ? b->metric->name : "");
}

/* Counts the kernel whose judgements begin at first. */
static void count_kernel(struct comparison *comparison, size_t first)
{
    enum verdict worst = VERDICT_INFO;
    for (size_t i = first; i < comparison->count; i++)
        if (comparison->list[i].verdict < worst)
            worst = comparison->list[i].verdict;
    comparison->kernels++;
    comparison->kernel_counts[worst]++;
}

/* A time may be small and still matter. Pairs have a limit of their own. */
static bool is_blind(const struct judgement *judgement)
{
    const bool passed = judgement->verdict == VERDICT_SAME || judgement->verdict == VERDICT_IMPROVED;
    if (!passed || !judgement->compared || judgement->pairs > 0 || judgement->base == 0)
        return false;
    return judgement->limit > RULE_BLIND * fabs(judgement->base) &&
           (judgement->metric->class == METRIC_TIME || judgement->limit > judgement->metric->floor_absolute);
}

void compare_runs(struct comparison *comparison, const struct run *baseline, const struct run *run,
                  const struct metrics *metrics, const struct expectations *expectations)
{
    const struct sides sides = {baseline, run, metrics, expectations, has_neighbours(run)};
    struct judging judging = {.comparison = comparison, .sides = &sides, .renamed = find_renamed(&sides)};
    *comparison = (struct comparison){0};
    find_suites(comparison, &sides);

    for (size_t b = 0, n = 0; b < baseline->result_count || n < run->result_count;) {
        int order = b == baseline->result_count ? 1
                    : n == run->result_count    ? -1
                                                : strcmp(baseline->results[b].id, run->results[n].id);
        const struct result *base = order <= 0 ? &baseline->results[b++] : NULL;
        const struct result *now = order >= 0 ? &run->results[n++] : NULL;
        size_t first = comparison->count;
        if (!judge_kernel(&judging, base, now))
            continue;
        settle_kernel(comparison, first, &sides, base, now);
        count_kernel(comparison, first);
    }
    judge_suites(comparison);
    forget_repeated(&judging.unknown);
    add_notes(comparison, &sides, &judging.unknown);
    free(judging.unknown.names);
    free(judging.renamed);

    for (size_t i = 0; i < comparison->count; i++) {
        struct judgement *judgement = &comparison->list[i];
        judgement->blind = is_blind(judgement);
        comparison->blind += judgement->blind;
        comparison->counts[judgement->verdict]++;
    }
    if (comparison->count > 0)
        qsort(comparison->list, comparison->count, sizeof *comparison->list, judgements_worst_first);
}

void comparison_release(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++)
        free(comparison->list[i].reason);
    for (size_t i = 0; i < comparison->note_count; i++)
        free(comparison->notes[i]);
    free(comparison->list);
    free(comparison->suites);
    free(comparison->notes);
    *comparison = (struct comparison){0};
}

const char *judgement_evidence(const struct judgement *judgement, char *text, size_t size)
{
    const struct metric *metric = judgement->metric;
    text[0] = '\0';
    if (judgement->pairs > 0)
        snprintf(text, size, "%zu of %zu pairs worse by more than %g %%", judgement->pairs_worse, judgement->pairs,
                 100 * RULE_MARGIN);
    else if (judgement->compared && metric->class == METRIC_STATIC)
        snprintf(text, size, "machine code");
    else if (judgement->compared && metric->class != METRIC_INFO)
        snprintf(text, size, "%zu of %zu session%s against %zu", judgement->agree, judgement->run_sessions,
                 judgement->run_sessions == 1 ? "" : "s", judgement->base_sessions);
    return text;
}

bool judgement_is_worse(const struct judgement *judgement)
{
    return judgement->worse && judgement->verdict >= VERDICT_REGRESSED && judgement->verdict <= VERDICT_EXPECTED;
}

bool judgement_is_suspect(const struct judgement *judgement)
{
    const struct metric *metric = judgement->metric;
    return metric && judgement->worse && (judgement->pairs == 0 || judgement->wants_session) &&
           metric->class != METRIC_STATIC &&
           (judgement->verdict == VERDICT_REGRESSED || judgement->verdict == VERDICT_UNSURE);
}

bool judgement_wants_pairs(const struct judgement *judgement)
{
    const struct metric *metric = judgement->metric;
    if (!metric || metric->class != METRIC_TIME || !judgement->compared || judgement->pairs > 0)
        return false;
    return judgement->verdict == VERDICT_UNSURE || judgement_is_suspect(judgement) || !judgement->same_code;
}

enum exit_code comparison_exit_code(const struct comparison *comparison)
{
    const bool nothing_judged = comparison->counts[VERDICT_INFO] == comparison->count;
    const bool only_new = comparison->counts[VERDICT_INFO] + comparison->counts[VERDICT_NEW] == comparison->count;
    return comparison->counts[VERDICT_MISSING] || nothing_judged                             ? EXIT_NOT_MEASURED
           : comparison->counts[VERDICT_REGRESSED] || comparison->counts[VERDICT_UNEXPECTED] ? EXIT_REGRESSED
           : only_new                                                                        ? EXIT_BASELINE
           : comparison->counts[VERDICT_UNSURE]                                              ? EXIT_UNSURE
                                                                                             : EXIT_SAME;
}

enum exit_code run_exit_code(const struct run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->result_count; i++) {
        enum result_status status = run->results[i].status;
        if ((status != RESULT_OK && status != RESULT_NOT_BUILT) || result_uncounted(&run->results[i]) > 0)
            return EXIT_NOT_MEASURED;
        any |= status == RESULT_OK;
    }
    return any ? EXIT_SAME : EXIT_NOT_MEASURED;
}
