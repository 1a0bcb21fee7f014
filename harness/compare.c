#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[VERDICTS] = {
    [VERDICT_MISSING] = "missing", [VERDICT_REGRESSED] = "regressed", [VERDICT_UNSURE] = "unsure",
    [VERDICT_NEW] = "new",         [VERDICT_IMPROVED] = "improved",   [VERDICT_SAME] = "same",
    [VERDICT_INFO] = "info",
};

const char *verdict_name(enum verdict verdict)
{
    return verdict_names[verdict];
}

/* Share of the baseline value that an exact metric may move where it does not repeat. The one that does not, the shared
 * wavefronts of cuBLAS' SGEMM on an H200, differs by 0.001 % from one launch to the next. */
#define INEXACT_FLOOR 0.01

/* What becomes of a row by the states of its two sides, where the last state is a row that is not there at all. A
 * counter that could not be read is missing whatever the baseline says, also one that is only shown; one that the chip
 * lacks is only missed when the baseline expects it. Two numbers are judged by their values. */
#define ABSENT VALUE_STATES

/* clang-format off */
static const enum verdict by_state[VALUE_STATES + 1][VALUE_STATES + 1] = {
    /* the run has              a number         not counted      not supported    not applicable  no such row */
    [VALUE_MEASURED]       = {VERDICT_SAME,   VERDICT_MISSING, VERDICT_MISSING, VERDICT_UNSURE, VERDICT_MISSING},
    [VALUE_NOT_COUNTED]    = {VERDICT_NEW,    VERDICT_MISSING, VERDICT_MISSING, VERDICT_INFO,   VERDICT_MISSING},
    [VALUE_NOT_SUPPORTED]  = {VERDICT_NEW,    VERDICT_MISSING, VERDICT_INFO,    VERDICT_INFO,   VERDICT_INFO},
    [VALUE_NOT_APPLICABLE] = {VERDICT_UNSURE, VERDICT_MISSING, VERDICT_MISSING, VERDICT_INFO,   VERDICT_MISSING},
    [ABSENT]               = {VERDICT_NEW,    VERDICT_MISSING, VERDICT_INFO,    VERDICT_INFO,   VERDICT_INFO},
};
/* clang-format on */

static const char *const state_reasons[VALUE_STATES + 1] = {
    [VALUE_MEASURED] = "",
    [VALUE_NOT_COUNTED] = "not counted: reading the counter failed",
    [VALUE_NOT_SUPPORTED] = "not supported: this chip or collector lacks the counter",
    [VALUE_NOT_APPLICABLE] = "not applicable",
    [ABSENT] = "not in this run",
};

static struct judgement *add(struct comparison *comparison, const char *kernel, const struct metric *metric,
                             enum verdict verdict)
{
    struct judgement *judgement = ARRAY_ADD(comparison->list, comparison->count);
    judgement->kernel = kernel;
    judgement->metric = metric;
    judgement->verdict = verdict;
    return judgement;
}

__attribute__((format(printf, 2, 3))) static void set_reason(struct judgement *judgement, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (vasprintf(&judgement->reason, format, list) < 0)
        die(EXIT_USAGE, "cannot allocate memory for a reason");
    va_end(list);
}

/* How far apart the sessions of a baseline were: a change within it proves nothing. */
static double session_range(const struct row *row)
{
    if (row->session_count == 1)
        return 0;
    double least = row_session_value(row, 0);
    double most = least;
    for (size_t i = 1; i < row->session_count; i++) {
        double value = row_session_value(row, i);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    return most - least;
}

/* Whether every sample of every session is the same number. */
static bool repeats(const struct row *row)
{
    for (size_t i = 0; i < row->session_count; i++) {
        for (size_t k = 0; k < row->sessions[i].count; k++) {
            if (row->sessions[i].samples[k] != row->sessions[0].samples[0])
                return false;
        }
    }
    return true;
}

/* The change that the metric's definition allows. */
static double floor_of(const struct metric *metric, const struct row *base, const struct row *now)
{
    const double size = fabs(row_value(base));
    if (metric->class == METRIC_EXACT)
        return repeats(base) && repeats(now) ? 0 : INEXACT_FLOOR * size;
    return fmax(metric->floor_absolute, metric->floor_relative * size);
}

/* Whole numbers are exact in a double up to 2^53, and a run file rounds none below it, so one count more is seen. */
static void judge_values(struct judgement *judgement, const struct row *base, const struct row *now)
{
    const struct metric *metric = judgement->metric;
    double floor = floor_of(metric, base, now);

    /* Rounded, lest 93.1 - 92.1 be more than 1. */
    judgement->change = round_value(judgement->now - judgement->base);
    judgement->limit = round_value(fmax(floor, session_range(base)));
    if (metric->class == METRIC_INFO)
        return;

    double worse = metric->better == METRIC_LOWER ? judgement->change : -judgement->change;
    judgement->verdict = worse > judgement->limit    ? VERDICT_REGRESSED
                         : worse < -judgement->limit ? VERDICT_IMPROVED
                                                     : VERDICT_SAME;
    /* One session's median says nothing about whether the samples behind it were equal. */
    if (judgement->verdict == VERDICT_SAME && metric->class == METRIC_EXACT && base->session_count > 1 &&
        repeats(base) && !repeats(now)) {
        judgement->verdict = VERDICT_UNSURE;
        set_reason(judgement, "it repeated to the digit in the baseline, and its samples differ now");
    }
}

/* Numbers of different counters or units say nothing about each other. */
static bool same_definition(const struct run *run, const char *whose, struct judgement *judgement)
{
    const struct metric *metric = judgement->metric;
    const struct metric_note *note = run_find_note(run, metric->name);
    if (!note || (strcmp(note->counter, metric->counter) == 0 && strcmp(note->unit, metric->unit) == 0))
        return true;
    set_reason(judgement, "%s measured it as %s in %s, but %s:%d defines it as %s in %s", whose, note->counter,
               note->unit, metric->file, metric->line, metric->counter, metric->unit);
    return false;
}

static void judge_row(struct comparison *comparison, const struct run *baseline, const struct run *run,
                      const char *kernel, const struct metric *metric, const struct row *base, const struct row *now)
{
    enum value_state was = base ? base->state : ABSENT;
    enum value_state is = now ? now->state : ABSENT;
    struct judgement *judgement = add(comparison, kernel, metric, by_state[was][is]);

    judgement->has_base = was == VALUE_MEASURED;
    judgement->has_now = is == VALUE_MEASURED;
    if (judgement->has_base)
        judgement->base = row_value(base);
    if (judgement->has_now)
        judgement->now = row_value(now);

    if (metric->class == METRIC_INFO && judgement->verdict != VERDICT_MISSING)
        judgement->verdict = VERDICT_INFO;
    if (judgement->has_base && judgement->has_now) {
        if (same_definition(baseline, "the baseline", judgement) && same_definition(run, "this run", judgement))
            judge_values(judgement, base, now);
        else if (metric->class != METRIC_INFO)
            judgement->verdict = VERDICT_UNSURE;
    } else if (judgement->verdict == VERDICT_MISSING) {
        set_reason(judgement, "%s", state_reasons[is]);
    } else if (judgement->verdict == VERDICT_NEW) {
        set_reason(judgement, "not in the baseline yet");
    } else if (judgement->verdict == VERDICT_UNSURE) {
        set_reason(judgement,
                   judgement->has_base ? "had a value, is now not applicable" : "was not applicable, has now a value");
    }
}

/* Metrics of the files that the metric folder does not define: told once in a note, never judged. */
struct unknown {
    const char **names;
    size_t count;
};

static void add_unknown(struct unknown *unknown, const char *name)
{
    for (size_t i = 0; i < unknown->count; i++)
        if (strcmp(unknown->names[i], name) == 0)
            return;
    *ARRAY_ADD(unknown->names, unknown->count) = name;
}

static void judge_rows(struct comparison *comparison, const struct run *baseline, const struct run *run,
                       const struct metrics *metrics, const struct result *base, const struct result *now,
                       struct unknown *unknown)
{
    for (size_t b = 0, n = 0; b < base->row_count || n < now->row_count;) {
        int order = b == base->row_count  ? 1
                    : n == now->row_count ? -1
                                          : strcmp(base->rows[b].metric, now->rows[n].metric);
        const char *name = order <= 0 ? base->rows[b].metric : now->rows[n].metric;
        const struct row *base_row = order <= 0 ? &base->rows[b++] : NULL;
        const struct row *now_row = order >= 0 ? &now->rows[n++] : NULL;
        const struct metric *metric = metrics_find(metrics, name);
        if (metric)
            judge_row(comparison, baseline, run, now->id, metric, base_row, now_row);
        else
            add_unknown(unknown, name);
    }
}

/* False when there is nothing to say of the kernel. */
static bool judge_kernel(struct comparison *comparison, const struct run *baseline, const struct run *run,
                         const struct metrics *metrics, const struct result *base, const struct result *now,
                         struct unknown *unknown)
{
    bool expected = base && base->status == RESULT_OK;
    if (!now) {
        if (expected)
            set_reason(add(comparison, base->id, NULL, VERDICT_MISSING),
                       "not in this run; if it was removed on purpose, delete it from the baseline's file");
        return expected;
    }
    if (now->status == RESULT_NOT_BUILT && !expected)
        return false;
    if (now->status != RESULT_OK)
        set_reason(add(comparison, now->id, NULL, VERDICT_MISSING), "%s%s%s", result_status_name(now->status),
                   now->reason ? ": " : "", now->reason ? now->reason : "");
    else if (!expected)
        set_reason(add(comparison, now->id, NULL, VERDICT_NEW), "not in the baseline yet; `cugate accept` adds it");
    else
        judge_rows(comparison, baseline, run, metrics, base, now, unknown);
    return true;
}

__attribute__((format(printf, 2, 3))) static void add_note(struct comparison *comparison, const char *format, ...)
{
    if (comparison->note_count == COMPARISON_NOTES)
        BUG("more notes than COMPARISON_NOTES");
    va_list list;
    va_start(list, format);
    vsnprintf(comparison->notes[comparison->note_count++], sizeof comparison->notes[0], format, list);
    va_end(list);
}

/* Facts that explain a change without being the code's. To add one: a row here, and COMPARISON_NOTES. */
static const struct soft_fact {
    enum session_fact fact;
    const char *title;
} soft_facts[] = {
    {SESSION_DRIVER, "driver"},     {SESSION_CUDA, "CUDA"},   {SESSION_CUPTI, "CUPTI"},
    {SESSION_COMPILER, "compiler"}, {SESSION_FLAGS, "flags"}, {SESSION_GPU_UUID, "GPU UUID"},
    {SESSION_CUGATE, "cugate"},
};

_Static_assert(ROWS(soft_facts) + 1 == COMPARISON_NOTES, "a note for each soft fact and one for unknown metrics");

static void note_changes(struct comparison *comparison, const struct run *baseline, const struct run *run)
{
    for (size_t i = 0; run->session_count > 0 && i < ROWS(soft_facts); i++) {
        const char *now = run->sessions[run->session_count - 1].facts[soft_facts[i].fact];
        const char *other = NULL;
        bool known = false;
        for (size_t s = 0; now && s < baseline->session_count && !known; s++) {
            const char *was = baseline->sessions[s].facts[soft_facts[i].fact];
            known = was && strcmp(was, now) == 0;
            other = was ? was : other;
        }
        if (now && other && !known)
            add_note(comparison, "%s %s; the baseline has %s", soft_facts[i].title, now, other);
    }
}

static void note_unknown(struct comparison *comparison, const struct unknown *unknown)
{
    char names[128] = "";
    size_t length = 0;
    for (size_t i = 0; i < unknown->count && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", unknown->names[i]);
    if (unknown->count > 0)
        add_note(comparison, "not judged, since no metric file defines them: %s%s", names,
                 length >= sizeof names ? "..." : "");
}

/* How far the value moved, in limits or as a share of what it was; without end from a limit or a base of 0. */
static double moved(const struct judgement *judgement, double measure)
{
    if (!judgement->has_base || !judgement->has_now || judgement->change == 0)
        return 0;
    return measure > 0 ? fabs(judgement->change) / measure : HUGE_VAL;
}

static int worst_first(const void *left, const void *right)
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

void compare_runs(struct comparison *comparison, const struct run *baseline, const struct run *run,
                  const struct metrics *metrics)
{
    struct unknown unknown = {0};
    *comparison = (struct comparison){0};

    for (size_t b = 0, n = 0; b < baseline->result_count || n < run->result_count;) {
        int order = b == baseline->result_count ? 1
                    : n == run->result_count    ? -1
                                                : strcmp(baseline->results[b].id, run->results[n].id);
        const struct result *base = order <= 0 ? &baseline->results[b++] : NULL;
        const struct result *now = order >= 0 ? &run->results[n++] : NULL;
        size_t first = comparison->count;
        if (judge_kernel(comparison, baseline, run, metrics, base, now, &unknown))
            count_kernel(comparison, first);
    }
    note_changes(comparison, baseline, run);
    note_unknown(comparison, &unknown);
    free(unknown.names);

    for (size_t i = 0; i < comparison->count; i++)
        comparison->counts[comparison->list[i].verdict]++;
    if (comparison->count > 0)
        qsort(comparison->list, comparison->count, sizeof *comparison->list, worst_first);
}

void comparison_release(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++)
        free(comparison->list[i].reason);
    free(comparison->list);
    *comparison = (struct comparison){0};
}

enum exit_code comparison_exit_code(const struct comparison *comparison)
{
    const bool nothing_judged = comparison->counts[VERDICT_INFO] == comparison->count;
    return comparison->counts[VERDICT_MISSING] || nothing_judged ? EXIT_NOT_MEASURED
           : comparison->counts[VERDICT_REGRESSED]               ? EXIT_REGRESSED
           : comparison->counts[VERDICT_UNSURE]                  ? EXIT_UNSURE
                                                                 : EXIT_SAME;
}

enum exit_code run_exit_code(const struct run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->result_count; i++) {
        enum result_status status = run->results[i].status;
        if (status != RESULT_OK && status != RESULT_NOT_BUILT)
            return EXIT_NOT_MEASURED;
        any |= status == RESULT_OK;
    }
    return any ? EXIT_SAME : EXIT_NOT_MEASURED;
}
