#include "judge_parts.h"

#include <stdarg.h>

#define ITEMS 10 /* limit of items that a note lists */

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

/* ---- Judgements ---- */

struct judgement *add_judgement(struct comparison *comparison, const char *kernel, const struct metric *metric,
                                enum verdict verdict)
{
    struct judgement *judgement = ARRAY_GROW(comparison->list, comparison->count);
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
    judgement->reason = x_vsprintf(format, list);
    va_end(list);
}

void add_reason(struct judgement *judgement, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    OWNED_TEXT old = judgement->reason, *added = x_vsprintf(format, list);
    va_end(list);
    judgement->reason = old ? x_sprintf("%s; %s", old, added) : x_strdup(added);
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
    else if (judgement->computed && metric->class != METRIC_INFO)
        snprintf(text, size, "computed, not measured (baseline: %zu session%s)", judgement->base_sessions,
                 plural(judgement->base_sessions));
    else if (judgement->compared && metric->class != METRIC_INFO)
        snprintf(text, size, "beyond the limit in %zu of %zu session%s (%zu in the baseline)", judgement->agree,
                 judgement->run_sessions, plural(judgement->run_sessions), judgement->base_sessions);
    return text;
}

enum verdict judgement_counts_as(const struct judgement *judgement)
{
    return judgement->paid ? VERDICT_IMPROVED : judgement->verdict;
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
    if (!metric || metric->class != METRIC_TIME || judgement->pairs > 0)
        return false;
    if (!judgement->compared || judgement->verdict == VERDICT_INFO) /* what is not judged is not by pairs either, */
        return judgement->wants_pairs;                              /* but an elapsed time */
    const bool other_code = !judgement->same_code && row_kind(judgement->kernel) == ROW_KERNEL; /* which has no code */
    /* Of a program that became faster no pair tells whether its work is gone. */
    const bool in_doubt =
        judgement->verdict == VERDICT_UNSURE && (judgement->worse || row_kind(judgement->kernel) == ROW_KERNEL);
    return in_doubt || judgement_is_suspect(judgement) || other_code;
}

/* ---- Notes ---- */

void comparison_add_note(struct comparison *comparison, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *ARRAY_GROW(comparison->notes, comparison->note_count) = x_vsprintf(format, list);
    va_end(list);
}

void note_items_add(struct note_items *items, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *ARRAY_GROW(items->list, items->count) = x_vsprintf(format, list);
    va_end(list);
}

void comparison_add_items(struct comparison *comparison, struct note_items *items, const char *words)
{
    OWNED_TEXT all = x_strdup("");
    for (size_t i = 0; i < items->count; i++) {
        if (i < ITEMS)
            x_append(&all, ", ", "%s", items->list[i]);
        free(items->list[i]);
    }
    if (items->count > ITEMS)
        comparison_add_note(comparison, "%s: %s and %zu more", words, all, items->count - ITEMS);
    else if (items->count > 0)
        comparison_add_note(comparison, "%s: %s", words, all);
    free(items->list);
    *items = (struct note_items){0};
}

/* ---- The whole comparison ---- */

void comparison_release(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++)
        free(comparison->list[i].reason);
    for (size_t i = 0; i < comparison->note_count; i++)
        free(comparison->notes[i]);
    free(comparison->list);
    free(comparison->suites);
    free(comparison->notes);
    free(comparison->makers_was);
    free(comparison->makers_are);
    *comparison = (struct comparison){0};
}

size_t comparison_rows(const struct comparison *comparison)
{
    return comparison->count - comparison->counts[VERDICT_INFO] - comparison->computing.declared;
}

enum exit_code comparison_exit_code(const struct comparison *comparison)
{
    const bool unchanged = comparison->computing.unchanged_rows > 0;
    const size_t judged = comparison_rows(comparison);
    const bool nothing_judged = judged == 0 && !unchanged;
    const bool only_new = comparison->counts[VERDICT_NEW] == judged && !unchanged;
    return comparison->counts[VERDICT_MISSING] || nothing_judged                             ? EXIT_NOT_MEASURED
           : comparison->counts[VERDICT_REGRESSED] || comparison->counts[VERDICT_UNEXPECTED] ? EXIT_REGRESSED
           : only_new                                                                        ? EXIT_BASELINE
           : comparison->counts[VERDICT_UNSURE]                                              ? EXIT_UNSURE
                                                                                             : EXIT_SAME;
}
