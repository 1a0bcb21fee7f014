#include "compare.h"

#include "judge_parts.h"

/* Metrics in the files that the metric folder does not define. A note names them; they are never judged. */
struct unknown {
    const char **names;
    size_t count;
};

/* Removes repeated names; each stays where it was first. */
static void forget_repeated(struct unknown *unknown)
{
    size_t *first = first_of_equals(unknown->names, unknown->count, sizeof *unknown->names, by_text), kept = 0;
    for (size_t i = 0; i < unknown->count; i++)
        if (first[i] == i)
            unknown->names[kept++] = unknown->names[i];
    unknown->count = kept;
    free(first);
}

/* The state of a whole comparison. */
struct judging {
    struct comparison *comparison;
    const struct sides *sides;
    const struct result **renamed; /* for each kernel of the baseline its new one: see find_renamed */
    struct unknown unknown;
    struct quantiles quantiles;
    /* For a computed run: kernels that are not judged, for one reason each. */
    struct note_items not_simulated, elsewhere, without_launch;
};

static void note_unknown(struct comparison *comparison, const struct unknown *unknown)
{
    struct note_items items = {0};
    for (size_t i = 0; i < unknown->count; i++)
        note_items_add(&items, "%s", unknown->names[i]);
    comparison_add_items(comparison, &items, "these metrics are not judged, because no metric file defines them");
}

static bool is_gated_number(const struct metric *metric, const struct row *row)
{
    return metric && metric->class != METRIC_INFO && row->state == VALUE_MEASURED;
}

/* Whether the baseline's number was accepted under a definition by which it would be judged. */
static bool was_judged(const struct judging *judging, const struct row *base)
{
    const struct metric_note *note = base ? run_find_note(judging->sides->baseline, base->metric) : NULL;
    return note && note->judged && note->class != METRIC_INFO && base->state == VALUE_MEASURED &&
           !judging->sides->origin->computed;
}

/* Judges metrics that used to be judged and are not defined any more, for example because a folder is not named this
 * time. That must not look like a pass. */
static void judge_undefined(struct judging *judging, const char *kernel, char *names)
{
    if (names)
        set_reason(add_judgement(judging->comparison, kernel, NULL, VERDICT_UNSURE),
                   "its baseline has metrics that no metric file defines: %s; add their folder with --metrics +DIR, "
                   "or remove them from the baseline",
                   names);
    free(names);
}

/* Sets *row to the value of a metric that launches of a kernel determine, which older runs lack; false: it is not one
 * of these. Launches are the same in all sessions of the kernel, so each has the value. The caller releases it. */
static bool row_of_launches(struct row *row, const struct run *run, const struct result *result,
                            const struct metric *metric)
{
    const enum computed_counter counter = computed_counter_of(metric);
    const struct row *longest = NULL; /* a row of all sessions */
    double launches = 0;
    for (size_t i = 0; i < result->launch_count; i++)
        launches += (double)result->launches[i].times;
    for (size_t i = 0; i < result->row_count; i++)
        if (!longest || result->rows[i].session_count > longest->session_count)
            longest = &result->rows[i];
    const double value = counter == COMPUTED_BALANCE ? grid_balance(result, run->device.sm_count)
                         : counter == COMPUTED_KERNEL_LAUNCHES && launches > 0 ? launches
                                                                               : NAN;
    *row = (struct row){0};
    if (isnan(value))
        return false;
    const double number = round_value(value);
    row->metric = metric->name;
    for (size_t s = 0; s == 0 || (longest && s < longest->session_count); s++) {
        row_add_session(row, &number, 1);
        row->sessions[s].session = longest && longest->session_count > 0 ? longest->sessions[s].session : 0;
    }
    return true;
}

/* Judges the metrics of which no file has rows, of kernels of libraries (which `cugate run` measures again), unless all
 * that they launch is the baseline's. */
static void judge_launches(struct judging *judging, const struct result *base, const struct result *now)
{
    const struct sides *sides = judging->sides;
    const bool judged = sides->origin->rerun && !(sides->origin->computed && same_inputs(base, now));
    EACH(const struct metric, metric, sides->metrics->list, judged ? sides->metrics->count : 0) {
        struct row was = {0}, is = {0};
        const struct pairing pairing = {sides, NULL, base, now, &was, &is};
        if (metric_source(metric) == SOURCE_LAUNCHES && row_of_launches(&was, sides->baseline, base, metric) &&
            row_of_launches(&is, sides->run, now, metric))
            judge_row(judging->comparison, &pairing, now->id, metric, &judging->quantiles);
        row_clear(&was);
        row_clear(&is);
    }
}

static void judge_rows(struct judging *judging, const struct result *base, const struct result *now)
{
    char *undefined = NULL;
    const size_t first = judging->comparison->count;
    struct row filled = {0}, standing = {0};
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
            *ARRAY_GROW(judging->unknown.names, judging->unknown.count) = name;
            if (was_judged(judging, pairing.base))
                x_append(&undefined, ", ", "%s", name);
            continue;
        }
        if (!pairing.now && is_beyond_computing(judging->sides, name)) {
            judging->comparison->computing.absent += is_gated_number(metric, pairing.base);
            continue;
        }
        if (!pairing.base && row_of_launches(&filled, judging->sides->baseline, base, metric))
            pairing.base = &filled;
        else if (!pairing.now && row_of_launches(&filled, judging->sides->run, now, metric))
            pairing.now = &filled;
        if (is_computed(metric, COMPUTED_OUTSIDE_WAITS) &&
            (!stand_for_instructions(&pairing, &filled, &standing) || (!pairing.base && same_code(base, now))))
            continue; /* an older baseline has no row of other waits than those for phases */
        if (!pairing.base && pairing.now && is_without_judge(judging->sides, metric))
            judging->comparison->computing.baseless++;
        pairing.suite = suite_of(judging->comparison, judging->sides->run, now,
                                 metric_of_shift(judging->sides->metrics, now, metric));
        judge_row(judging->comparison, &pairing, now->id, metric, &judging->quantiles);
        row_clear(&filled);
        row_clear(&standing);
    }
    excuse_instructions(judging->comparison, first);
    judge_launches(judging, base, now);
    judge_undefined(judging, now->id, undefined);
}

/* Judges the rows of a kernel, and that it states no smaller problem: with less work everything seems to improve. */
static void judge_both(struct judging *judging, const struct result *base, const struct result *now)
{
    const bool bytes = now->bytes < base->bytes * (1 - RULE_INEXACT);
    if (bytes || now->flops < base->flops * (1 - RULE_INEXACT))
        set_reason(add_judgement(judging->comparison, now->id, NULL, VERDICT_UNSURE),
                   "the library now states a smaller problem: %.4g %s instead of %.4g. Accept it if this is intended",
                   bytes ? now->bytes : now->flops, bytes ? "bytes" : "operations", bytes ? base->bytes : base->flops);
    judge_rows(judging, base, now);
}

/* Returns the declaration that the kernel is removed on purpose, or NULL. */
static const struct known_regression *find_removal(const struct sides *sides, const char *kernel)
{
    return sides->known_regressions ? known_regressions_find(sides->known_regressions, kernel, KNOWN_REGRESSION_REMOVED)
                                    : NULL;
}

/* Returns the shapes in which a program launches the function of a kernel in one run and not in the other: "@48,256,
 * @12,256". Empty when there is none. Caller frees. */
static char *other_shapes(const struct run *there, const struct run *here, const char *id)
{
    enum { SHOWN = 3 };
    const size_t length = strcspn(id, "@");
    char *shapes = x_strdup("");
    size_t count = 0;
    for (size_t i = 0; i < there->result_count && id[length]; i++) {
        const char *other = there->results[i].id;
        if (strncmp(other, id, length + 1) == 0 && !run_find(here, other) && count++ < SHOWN)
            x_append(&shapes, ", ", "%s", other + length);
    }
    if (count > SHOWN)
        x_append(&shapes, "", " and %zu more", count - SHOWN);
    return shapes;
}

/* Judges a kernel of a program that is gone. */
static void judge_gone(struct comparison *comparison, const struct sides *sides, const struct result *base,
                       struct judgement *judgement)
{
    OWNED_TEXT shapes = other_shapes(sides->run, sides->baseline, base->id);
    OWNED_TEXT share = share_of_program(sides->metrics, sides->baseline, base);
    const char *where = *shapes ? "; its function is now launched as " : "";
    if (is_seen_whole(sides, base->id)) {
        judgement->verdict = VERDICT_INFO;
        comparison->gone++;
        set_reason(judgement, "gone: the program no longer launches it (%s in the baseline)%s%s", share, where, shapes);
    } else if (is_counted_whole(sides, base->id)) {
        judgement->verdict = VERDICT_UNSURE;
        OWNED_TEXT same = *shapes && !strstr(shapes, ", ")
                              ? x_sprintf("; if it is the same work, accept it with -k %.*s%s --was %s",
                                          (int)strcspn(base->id, "@"), base->id, shapes, base->id)
                              : x_strdup("");
        set_reason(
            judgement,
            "gone: the program no longer launches it (%s in the baseline)%s%s. If intended, accept it with --gone%s",
            share, where, shapes, same);
    } else if (row_kind(base->id) != ROW_KERNEL) {
        set_reason(judgement, "not in this run: %s",
                   row_kind(base->id) == ROW_RANGE
                       ? "--nvtx does not select this range, or nothing was launched in it"
                       : "the run has no row of the whole program, because -k chose kernels or some were not measured");
    } else {
        set_reason(judgement, "not in this run%s%s", where, shapes);
    }
}

static void judge_absent(const struct judging *judging, const struct result *base)
{
    struct judgement *judgement = add_judgement(judging->comparison, base->id, NULL, VERDICT_MISSING);
    const struct sides *sides = judging->sides;
    const struct result *renamed = judging->renamed[base - sides->baseline->results];
    const struct known_regression *removal = find_removal(sides, base->id);
    const bool only_base = base->row_count > 0 && base->rows[0].from_base_build,
               seen_whole = is_seen_whole(sides, base->id); /* then it is gone, whatever else is known of it */
    if (removal && !known_regression_is_over(removal, run_fact(sides->run, SESSION_DATE))) {
        judgement->verdict = VERDICT_EXPECTED;
        set_reason(judgement, "removed, see %s", removal->issue);
    } else if (only_base && !seen_whole) {
        set_reason(judgement,
                   "the base build has it, but this build does not%s%s; if it was removed on purpose, declare "
                   "[KERNEL " KNOWN_REGRESSION_REMOVED "] in " KNOWN_REGRESSION_FILE,
                   renamed ? ", but runs the same code as " : "", renamed ? renamed->id : "");
    } else if (renamed && !seen_whole) {
        judgement->verdict = is_counted_whole(sides, base->id) ? VERDICT_UNSURE : VERDICT_MISSING;
        set_reason(judgement,
                   "not in this run, but %s is new and runs the same code; if renamed, accept it with -k %s --was %s",
                   renamed->id, renamed->id, base->id);
    } else if (sides->origin->own_caches) {
        judge_gone(judging->comparison, sides, base, judgement);
    } else {
        set_reason(judgement, "not in this run; if it was removed on purpose, remove its baseline file");
    }
}

/* Returns the declaration that the kernel cannot be computed; NULL: there is none, or the run is a measured one. */
static const struct known_regression *find_not_computed(const struct sides *sides, const char *kernel)
{
    return sides->known_regressions && sides->origin->computed
               ? known_regressions_find(sides->known_regressions, kernel, KNOWN_NOT_COMPUTED)
               : NULL;
}

/* Whether the kernel could not be computed, for which nothing is held against it; `expected`: the baseline has it. Then
 * only what is not simulated is left. */
static bool is_not_computed(const struct sides *sides, bool expected, const struct result *now)
{
    return sides->origin->computed && (expected ? result_is_not_simulated(now) : result_is_not_computed(now));
}

/* Judges a kernel that cannot be computed. It is unsure, unless that is declared. */
static void judge_not_simulated(struct comparison *comparison, const struct sides *sides, const struct result *now)
{
    struct judgement *judgement = add_judgement(comparison, now->id, NULL, VERDICT_UNSURE);
    const struct known_regression *known = find_not_computed(sides, now->id);
    if (!known && !result_is_not_simulated(now)) {
        set_reason(judgement, "not computed, and not in the baseline: %s", now->reason);
    } else if (!known) {
        set_reason(judgement, "%s", now->reason);
    } else if (known_regression_is_over(known, run_fact(sides->run, SESSION_DATE))) {
        set_reason(judgement, "%s; it was declared as not computed only until %s (%s:%d), see %s", now->reason,
                   known->expires, known->file, known->line, known->issue);
    } else {
        judgement->verdict = VERDICT_EXPECTED;
        comparison->computing.declared++;
        set_reason(judgement, "declared as not computed until %s, see %s; %s", known->expires, known->issue,
                   now->reason);
    }
}

/* Says where the declaration that a kernel is not computed excuses nothing: then it has to go. */
static void judge_needless(struct comparison *comparison, const struct sides *sides, bool expected,
                           const struct result *now)
{
    const struct known_regression *known = find_not_computed(sides, now->id);
    if (!known || is_not_computed(sides, expected, now))
        return;
    if (now->status == RESULT_OK && now->launch_count > 0)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_UNEXPECTED),
                   "it is declared as not computed, but can be computed: remove [%s %s] at %s:%d", known->kernel,
                   known->metric, known->file, known->line);
    else
        comparison_add_note(comparison, "%s is declared as not computed, which has no effect: remove [%s %s] at %s:%d",
                            known->kernel, known->kernel, known->metric, known->file, known->line);
}

static void judge_new(const struct sides *sides, const struct result *now, struct judgement *judgement)
{
    OWNED_TEXT shapes = sides->origin->own_caches ? other_shapes(sides->baseline, sides->run, now->id) : x_strdup("");
    OWNED_TEXT share = is_seen_whole(sides, now->id) ? share_of_program(sides->metrics, sides->run, now) : NULL;
    const char *where = *shapes ? ", which has this function in other shapes: " : "";
    if (share)
        set_reason(judgement, "it is new: %s; it is not in the baseline%s%s", share, where, shapes);
    else if (*shapes)
        set_reason(judgement, "not in the baseline%s%s", where, shapes);
    else
        set_reason(judgement, "%s", now->reason ? now->reason : "not in the baseline yet; `cugate accept` adds it");
}

/* Whether a kernel cannot be computed, and no change of the library's code can be hidden by that. Then it is left out,
 * and a note names it. */
static bool leave_out(struct judging *judging, const struct result *base, const struct result *now)
{
    struct note_items *items = NULL;
    if (result_is_not_simulated(now) && same_code(base, now) && !find_not_computed(judging->sides, now->id))
        items = &judging->not_simulated;
    else if ((result_is_elsewhere(now) || now->status == RESULT_NOT_BUILT) && result_has_code_of_others(base))
        items = &judging->elsewhere;
    else if (now->status == RESULT_OK && now->launch_count == 0 && base->launch_count == 0 &&
             row_kind(now->id) == ROW_KERNEL)
        items = &judging->without_launch;
    if (!items)
        return false;
    note_items_add(items, "%s", now->id);
    for (size_t i = 0; i < base->row_count; i++)
        judging->comparison->computing.absent +=
            is_gated_number(metrics_find(judging->sides->metrics, base->rows[i].metric), &base->rows[i]);
    return true;
}

/* Adds the note about kernels that were left out. */
static void note_left_out(struct judging *judging)
{
    comparison_add_items(
        judging->comparison, &judging->not_simulated,
        "left out, because they cannot be simulated, and their machine code and launches are unchanged");
    comparison_add_items(judging->comparison, &judging->elsewhere,
                         "left out, because they call a library whose code is not simulated");
    comparison_add_items(judging->comparison, &judging->without_launch, "left out, because they launch nothing");
}

/* Counts of different machine code are comparable only if the same compiler made both. Returns NULL if they are;
 * otherwise the compiler of the run, and *was is that of the baseline. */
static const char *other_counts(const struct sides *sides, const struct result *base, const struct result *now,
                                const char **was)
{
    for (size_t i = 0; sides->origin->computed && !same_code(base, now) && i < base->row_count; i++) {
        const char *is = base->rows[i].session_count > 0 ? other_compiler(sides, base, &base->rows[i], was) : NULL;
        if (is)
            return is;
    }
    return NULL;
}

const char *compare_other_counts(const struct run *baseline, const struct result *base, const struct run *run,
                                 const struct result *now)
{
    const struct sides sides = {.baseline = baseline, .run = run, .origin = run_origin(run)};
    const char *was;
    return other_counts(&sides, base, now, &was);
}

/* Judges one kernel. False when there is nothing to report about it. */
static bool judge_kernel(struct judging *judging, const struct result *base, const struct result *now)
{
    struct comparison *comparison = judging->comparison;
    bool expected = base && base->status == RESULT_OK;
    if (!now) {
        if (expected)
            judge_absent(judging, base);
        return expected;
    }
    if (now->status == RESULT_NOT_BUILT && !expected) {
        comparison->not_built++;
        return false;
    }
    judge_needless(comparison, judging->sides, expected, now);
    if (judging->sides->origin->computed && expected && leave_out(judging, base, now))
        return false;
    const char *was, *is = expected ? other_counts(judging->sides, base, now, &was) : NULL;
    const struct known_regression *removal = find_removal(judging->sides, now->id);
    if (removal)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_UNEXPECTED),
                   "it is declared as removed, but exists: remove [%s " KNOWN_REGRESSION_REMOVED "] at %s:%d", now->id,
                   removal->file, removal->line);
    if (is_not_computed(judging->sides, expected, now))
        judge_not_simulated(comparison, judging->sides, now);
    else if (now->status != RESULT_OK)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_MISSING), "%s%s%s", result_status_name(now->status),
                   now->reason ? ": " : "", now->reason ? now->reason : "");
    else if (base && !expected && base->status != RESULT_NOT_BUILT)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_UNSURE),
                   "the base build's result was \"%s\"%s%s, so it cannot be compared", result_status_name(base->status),
                   base->reason ? ": " : "", base->reason ? base->reason : "");
    else if (!expected)
        judge_new(judging->sides, now, add_judgement(comparison, now->id, NULL, VERDICT_NEW));
    else if (is)
        set_reason(
            add_judgement(comparison, now->id, NULL, VERDICT_UNSURE),
            "built by %s, but the baseline by %s, so counts do not compare: pass --against with a computed base build",
            is, was);
    else
        judge_both(judging, base, now);
    if (now->status == RESULT_OK && now->elsewhere)
        set_reason(add_judgement(comparison, now->id, NULL, VERDICT_UNSURE),
                   "%s; the values shown are from another GPU, so either the kernel or the failing GPU is faulty",
                   now->elsewhere);
    return true;
}

/* Counts the judgements of one kernel that were computed, and those that were not made again. */
static void count_computed(struct comparison *comparison, size_t first)
{
    size_t rows = 0, unchanged = 0;
    EACH(const struct judgement, judgement, comparison->list + first, comparison->count - first) {
        rows += judgement->computed && judgement->verdict != VERDICT_INFO;
        unchanged += judgement->unchanged;
    }
    comparison->computing.rows += rows;
    comparison->computing.kernels += rows > 0 && row_kind(comparison->list[first].kernel) == ROW_KERNEL;
    comparison->computing.unchanged += unchanged > 0;
    comparison->computing.unchanged_rows += unchanged;
}

/* Gives the kernel whose judgements begin at first its verdict, which is that of its worst row; but what a faster
 * kernel paid does not count. Returns the index behind them. */
static size_t conclude_kernel(struct comparison *comparison, size_t first)
{
    enum verdict worst = VERDICT_INFO;
    size_t end = first;
    bool worse = false;
    for (; end < comparison->count && strcmp(comparison->list[end].kernel, comparison->list[first].kernel) == 0;
         end++) {
        const struct judgement *judgement = &comparison->list[end];
        worst = judgement_counts_as(judgement) < worst ? judgement_counts_as(judgement) : worst;
        worse |= judgement_is_worse(judgement);
    }
    for (size_t i = first; i < end; i++) {
        comparison->list[i].of_kernel = worst;
        comparison->list[i].gained = worse && comparison->list[i].verdict == VERDICT_IMPROVED &&
                                     comparison->list[i].metric && !comparison->list[i].metric->trade;
    }
    return end;
}

/* Notes computed kernels that passed with other code, or another launch, and have no estimated time that could be
 * worse. */
static void note_new_code(struct comparison *comparison, const struct sides *sides)
{
    struct note_items items = {0};
    size_t count = 0;
    for (size_t i = 0; sides->origin->computed && !sides->origin->code_only && i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        const struct result *base = run_find(sides->baseline, judgement->kernel),
                            *now = run_find(sides->run, judgement->kernel);
        const bool begins = i == 0 || strcmp(judgement->kernel, comparison->list[i - 1].kernel) != 0;
        struct estimated_change change = {0};
        if (begins && base && now)
            estimate_change(&change, sides, base, now);
        if (!begins || judgement->of_kernel < VERDICT_IMPROVED || !base || !now || change.known ||
            order_of_code(base, now) == 0)
            continue;
        note_items_add(&items, "%s", judgement->kernel);
        count++;
    }
    OWNED_TEXT words = x_sprintf("%zu kernel%s new code; whether %s slower is not known without a GPU", count,
                                 plural_of(count, " has", "s have"), plural_of(count, "it is", "they are"));
    comparison_add_items(comparison, &items, words);
}

/* Counts a kernel, by its first judgement. A program as a whole is none, nor is a kernel that is gone, or declared not
 * to be computed. */
static void count_kernel(struct comparison *comparison, const struct judgement *first, const struct run *run)
{
    const bool is_out = !first->metric && (first->verdict == VERDICT_INFO ||
                                           (first->verdict == VERDICT_EXPECTED && run_find(run, first->kernel)));
    if (is_out || row_kind(first->kernel) != ROW_KERNEL || strcmp(first->kernel, COMPARISON_SUITE) == 0)
        return;
    comparison->kernels++;
    comparison->kernel_counts[first->of_kernel]++;
}

/* Whether a row passed that could hardly have failed (blind). Except for a time, the limit must also exceed the
 * absolute floor, since small amounts do not matter. Pairs have a limit of their own. */
static bool is_blind(const struct judgement *judgement)
{
    const bool passed = judgement->verdict == VERDICT_SAME || judgement->verdict == VERDICT_IMPROVED;
    if (!passed || !judgement->compared || judgement->pairs > 0 || judgement->base == 0)
        return false;
    return judgement->limit > RULE_BLIND * fabs(judgement->base) &&
           (judgement->metric->class == METRIC_TIME || judgement->limit > judgement->metric->floor_absolute);
}

/* A check of which every judged row could hardly fail has judged nothing: these rows are unsure. */
static void doubt_blind(struct comparison *comparison)
{
    EACH(const struct judgement, judgement, comparison->list, comparison->count)
        if (judgement->unchanged ||
            (judgement->verdict != VERDICT_INFO && judgement->verdict != VERDICT_NEW && !is_blind(judgement)))
            return;
    EACH(struct judgement, row, comparison->list, comparison->count) {
        if (!is_blind(row))
            continue;
        row->verdict = VERDICT_UNSURE;
        add_reason(row,
                   "it fails only if it changes by more than %.0f %%, and no other judged row of the kernel can fail",
                   100 * row->limit / fabs(row->base));
    }
}

void compare_runs(struct comparison *comparison, const struct run *baseline, const struct run *run,
                  const struct metrics *metrics, const struct known_regressions *known_regressions)
{
    const struct sides sides = {baseline, run, metrics, known_regressions, run_origin(run)};
    struct judging judging = {.comparison = comparison, .sides = &sides, .renamed = find_renamed(&sides)};
    *comparison = (struct comparison){0};
    find_suites(comparison, &sides);
    compare_libraries(comparison, &sides);

    for (size_t b = 0, n = 0; b < baseline->result_count || n < run->result_count;) {
        int order = b == baseline->result_count ? 1
                    : n == run->result_count    ? -1
                                                : strcmp(baseline->results[b].id, run->results[n].id);
        const struct result *base = order <= 0 ? &baseline->results[b++] : NULL,
                            *now = order >= 0 ? &run->results[n++] : NULL;
        comparison->computing.not_simulated += now && is_not_computed(&sides, base && base->status == RESULT_OK, now);
        const size_t first = comparison->count;
        if (!judge_kernel(&judging, base, now))
            continue;
        revise_kernel(comparison, first, &sides, base, now);
        if (comparison->count > first)
            count_computed(comparison, first);
        else
            comparison->kernel_counts[VERDICT_INFO]++, comparison->kernels++;
    }
    revise_programs(comparison, &sides);
    judge_suites(comparison, &sides);
    judge_uncomputed(comparison, &sides);
    forget_repeated(&judging.unknown);
    note_moved_counts(comparison, &sides);
    note_unread(comparison, &sides);
    note_unknown(comparison, &judging.unknown);
    note_left_out(&judging);
    free(judging.unknown.names);
    free(judging.renamed);
    doubt_blind(comparison);

    for (size_t i = 0, end; i < comparison->count; i = end) {
        end = conclude_kernel(comparison, i);
        count_kernel(comparison, &comparison->list[i], run);
        order_evidence(&comparison->list[i], end - i, &sides);
    }
    note_new_code(comparison, &sides);
    EACH(struct judgement, judgement, comparison->list, comparison->count) {
        judgement->blind = is_blind(judgement);
        comparison->blind += judgement->blind;
        comparison->counts[judgement->verdict]++;
    }
    SORT(comparison->list, comparison->count, judgements_worst_first);
}

void comparison_show_only(struct comparison *comparison, const char *kernel, const char *reason)
{
    EACH(struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->metric || judgement->verdict == VERDICT_INFO || strcmp(judgement->kernel, kernel) != 0)
            continue;
        comparison->counts[judgement->verdict]--;
        comparison->counts[VERDICT_INFO]++;
        judgement->verdict = VERDICT_INFO;
        free(judgement->reason);
        judgement->reason = x_strdup(reason);
        comparison->kernel_counts[judgement->of_kernel]--;
        comparison->kernel_counts[VERDICT_INFO]++;
        EACH(struct judgement, other, comparison->list, comparison->count)
            other->of_kernel = strcmp(other->kernel, kernel) == 0 ? VERDICT_INFO : other->of_kernel;
    }
    SORT(comparison->list, comparison->count, judgements_worst_first);
}
