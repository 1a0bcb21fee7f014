#include "weakened.h"

#include "baseline/baseline.h"

/* A row that was made worse, and the reason that was given; rows with one reason share a note. */
struct worsened {
    char *words;
    const char *reason; /* reason for accepting; NULL: no reason was given */
};

/* The state of comparing two baselines. */
struct weighing {
    const struct standards *was, *now;
    struct quantiles quantiles;
    bool incomparable; /* the new baseline is of another collector */
    struct note_items kernels, rows, wider, drift_references, inputs;
    struct worsened *worsened;
    size_t worsened_count;
};

/* Returns the definition before the change, because the change may have reversed the direction. */
static const struct metric *definition_of(const struct weighing *weighing, const char *name)
{
    const struct metrics *was = weighing->was->metrics;
    const struct metric *metric = was ? metrics_find(was, name) : NULL;
    return metric ? metric : metrics_find(weighing->now->metrics, name);
}

/* Returns the reason of the row's newest session, if the change added that session. NULL otherwise: then the value was
 * edited without a reason. */
static const char *reason_of(const struct result *was, const struct result *now, const struct row *row)
{
    const size_t place = row->sessions[row->session_count - 1].session;
    if (place >= now->session_count ||
        ANY(i, was->session_count, session_is_equal(&was->sessions[i], &now->sessions[place])))
        return NULL;
    return now->sessions[place].facts[SESSION_REASON];
}

static bool is_worse(struct weighing *weighing, const struct metric *metric, const struct row *was,
                     const struct row *now)
{
    const struct assessment found = rule_assess(&weighing->quantiles, metric, was, now, 0, NULL, (struct prior){0});
    return found.finding == FOUND_WORSE || found.finding == FOUND_MIXED;
}

/* Whether a row's spread grew, so that its limit is twice as large. The same number of sessions is used for both
 * limits, since more sessions are no weakness. One session says nothing about the spread. */
static bool is_wider(struct weighing *weighing, const struct metric *metric, const struct row *was,
                     const struct row *now)
{
    if (metric->class == METRIC_EXACT || metric->class == METRIC_STATIC)
        return row_equal_readings(was) > 0 && row_equal_readings(now) == 0;
    if (was->session_count < 2 || now->session_count < 2)
        return false;
    const struct spread is = rule_spread(now);
    struct spread before = rule_spread(was);
    const double floor = rule_floor(metric, before.mean);
    before.sessions = is.sessions;
    before.freedom = is.freedom;
    return rule_limit(&weighing->quantiles, floor, &is, 1) > 2 * rule_limit(&weighing->quantiles, floor, &before, 1);
}

static bool has_moved_drift_reference(const struct metric *metric, const struct row *was, const struct row *now)
{
    if (!was->has_drift_reference)
        return false;
    const double change = now->drift_reference - was->drift_reference;
    return !now->has_drift_reference ||
           (metric->better == METRIC_LOWER ? change : -change) > rule_floor(metric, was->drift_reference);
}

static void weigh_values(struct weighing *weighing, const struct result *was_result, const struct row *was,
                         const struct result *result, const struct row *now)
{
    const struct metric *metric = definition_of(weighing, was->metric);
    if (!metric || metric->class == METRIC_INFO)
        return;
    if (is_worse(weighing, metric, was, now)) {
        char before[80], after[80];
        *ARRAY_GROW(weighing->worsened, weighing->worsened_count) = (struct worsened){
            .words = x_sprintf("%s %s: %s -> %s", result->id, was->metric,
                               metric_format(metric, row_value(was), before, sizeof before),
                               metric_format(metric, row_value(now), after, sizeof after)),
            .reason = reason_of(was_result, result, now),
        };
    } else if (has_moved_drift_reference(metric, was, now)) {
        note_items_add(&weighing->drift_references, "%s %s", result->id, was->metric);
    }
    if (is_wider(weighing, metric, was, now))
        note_items_add(&weighing->wider, "%s %s", result->id, was->metric);
}

static void weigh_kernel(struct weighing *weighing, const struct result *was)
{
    const struct result *now = run_find(weighing->now->baseline, was->id);
    if (was->status != RESULT_OK)
        return;
    if (!now || now->status != RESULT_OK) {
        note_items_add(&weighing->kernels, "%s", was->id);
        return;
    }
    if (weighing->incomparable)
        return;
    const bool other_code = result_has_code(was) && result_has_code(now) && !same_code(was, now);
    if (now->inputs && !other_code && order_of_texts(was->inputs, now->inputs) != 0)
        note_items_add(&weighing->inputs, "%s", was->id);
    for (size_t i = 0; i < was->row_count; i++) {
        const struct row *before = &was->rows[i], *row = result_find(now, before->metric);
        if (!row || (before->state == VALUE_MEASURED && row->state != VALUE_MEASURED))
            note_items_add(&weighing->rows, "%s %s", was->id, before->metric);
        else if (before->state == VALUE_MEASURED)
            weigh_values(weighing, was, before, now, row);
    }
}

/* Adds a note for each reason, in the order of the rows. */
static void note_worsened(struct comparison *comparison, struct weighing *weighing)
{
    for (size_t i = 0; i < weighing->worsened_count; i++) {
        const char *reason = weighing->worsened[i].reason;
        struct note_items rows = {0};
        for (size_t k = i; k < weighing->worsened_count; k++) {
            struct worsened *other = &weighing->worsened[k];
            if (!other->words || strcmp(other->reason ? other->reason : "", reason ? reason : "") != 0)
                continue;
            note_items_add(&rows, "%s", other->words);
            free(other->words);
            other->words = NULL;
        }
        OWNED_TEXT words = reason && *reason
                               ? x_sprintf("values made worse in the baseline, with the reason \"%s\"", reason)
                               : x_strdup("WEAKENED: values were made worse in the baseline without a reason");
        comparison_add_items(comparison, &rows, words);
    }
    free(weighing->worsened);
}

static void weigh_baselines(struct comparison *comparison, const struct standards *was, const struct standards *now)
{
    const char *other, *before = run_collector(was->baseline, &other), *after = run_collector(now->baseline, &other);
    struct weighing weighing = {.was = was, .now = now};
    weighing.incomparable =
        was->baseline->session_count > 0 && now->baseline->session_count > 0 && strcmp(before, after) != 0;
    if (weighing.incomparable)
        comparison_add_note(
            comparison,
            "WEAKENED: the baseline is now from the collector %s, not %s, so weakened values cannot be found", after,
            before);
    for (size_t i = 0; i < was->baseline->result_count; i++)
        weigh_kernel(&weighing, &was->baseline->results[i]);
    comparison_add_items(comparison, &weighing.kernels, "WEAKENED: kernels are gone from the baseline");
    comparison_add_items(comparison, &weighing.rows, "WEAKENED: values are gone from the baseline");
    note_worsened(comparison, &weighing);
    comparison_add_items(comparison, &weighing.wider,
                         "WEAKENED: the baseline's spread grew so much that these limits have doubled");
    comparison_add_items(comparison, &weighing.drift_references,
                         "WEAKENED: drift references of the baseline got worse");
    comparison_add_items(comparison, &weighing.inputs,
                         "WEAKENED: the baseline was made with other inputs than before; kernels with these inputs are "
                         "not simulated (--all simulates them)");
}

static void weigh_metrics(struct comparison *comparison, const struct metrics *was, const struct metrics *now)
{
    struct note_items gone = {0}, laxer = {0};
    for (size_t i = 0; i < was->count; i++) {
        const struct metric *metric = metrics_find(now, was->list[i].name);
        if (!metric) {
            note_items_add(&gone, "%s", was->list[i].name);
            continue;
        }
        const struct metric_note before = note_of_metric(&was->list[i]), after = note_of_metric(metric);
        OWNED_TEXT words = NULL;
        if (note_compare(&before, &after, &words) == NOTE_WEAKENED)
            note_items_add(&laxer, "%s (%s)", metric->name, words);
        else if (was->list[i].never_paid && !metric->never_paid)
            note_items_add(&laxer, "%s (a worse value may now be traded for speed)", metric->name);
        else if (!was->list[i].follows && metric->follows)
            note_items_add(&laxer, "%s (it may now be left out when the machine code is unchanged)", metric->name);
    }
    comparison_add_items(comparison, &gone, "WEAKENED: metrics are gone from the metric files");
    comparison_add_items(comparison, &laxer, "WEAKENED: metrics are defined less strictly");
}

/* Whether the allowed worst value is worse than before; NAN allows any value, and a kernel as a whole has no other. */
static bool reaches_further(const struct metric *metric, double was, double now)
{
    if (isnan(was) || isnan(now))
        return isnan(now) && !isnan(was);
    return metric->better == METRIC_HIGHER ? now < was : now > was;
}

static void weigh_known_regressions(struct comparison *comparison, const struct standards *was,
                                    const struct standards *now)
{
    struct note_items items = {0};
    EACH(const struct known_regression, is, now->known_regressions->list, now->known_regressions->count) {
        const struct known_regression *before = known_regressions_find(was->known_regressions, is->kernel, is->metric);
        const struct metric *metric = metrics_find(now->metrics, is->metric);
        if (!before)
            note_items_add(&items, "%s %s (newly declared, until %s)", is->kernel, is->metric, is->expires);
        else if (strcmp(is->expires, before->expires) > 0)
            note_items_add(&items, "%s %s (extended from %s to %s)", is->kernel, is->metric, before->expires,
                           is->expires);
        else if (reaches_further(metric, before->worst, is->worst) && isnan(is->worst))
            note_items_add(&items, "%s %s (the worst allowed value is no longer %.9g, but any)", is->kernel, is->metric,
                           before->worst);
        else if (reaches_further(metric, before->worst, is->worst))
            note_items_add(&items, "%s %s (the worst allowed value moved from %.9g to %.9g)", is->kernel, is->metric,
                           before->worst, is->worst);
    }
    comparison_add_items(comparison, &items, "WEAKENED: " KNOWN_REGRESSION_FILE " excuses more");
}

void weakened_note(struct comparison *comparison, const struct standards *was, const struct standards *now)
{
    if (was->metrics)
        weigh_metrics(comparison, was->metrics, now->metrics);
    if (was->known_regressions)
        weigh_known_regressions(comparison, was, now);
    if (was->baseline)
        weigh_baselines(comparison, was, now);
}

/* Reads the baseline of the device. A folder without one has nothing to lose. Returns EXIT_BASELINE when what is
 * there does not fit; *baseline is empty then. */
static int read_baseline(struct run *baseline, const char *baselines, const struct device *device)
{
    OWNED_TEXT folder = baseline_folder(baselines, device);
    return is_absent(folder) ? EXIT_SAME : baseline_read(baseline, baselines, device);
}

/* Whether the folder exists; if not, adds a note. */
static bool is_there(struct comparison *comparison, const char *folder, const char *before, const char *what)
{
    const bool absent = is_absent(folder);
    if (absent)
        comparison_add_note(comparison, "%s has no folder %s, so weakened metrics cannot be found", before, what);
    return !absent;
}

int weakened_since(struct comparison *comparison, const char *before, const struct device *device,
                   const char *baselines, const struct metrics *metrics, bool own_metrics,
                   const struct known_regressions *known_regressions)
{
    OWNED_TEXT old_metrics = x_sprintf("%s/metrics", before), *old_baselines = x_sprintf("%s/baselines", before);
    OWNED_TEXT old_folder = baseline_folder(old_baselines, device);
    OWNED(metrics) was_metrics = {0};
    OWNED(known_regressions) was_known = {0};
    OWNED(run) was_baseline = {0}, now_baseline = {0};
    struct standards was = {0};
    const struct standards now = {
        .metrics = metrics, .baseline = &now_baseline, .known_regressions = known_regressions};
    const bool shipped = !own_metrics && is_absent(old_metrics); /* cugate's own then and now */
    if (!shipped && is_there(comparison, old_metrics, before, "metrics")) {
        TRY_AS(EXIT_USAGE, metrics_read_folder(&was_metrics, old_metrics));
        was.metrics = &was_metrics;
    }
    if (is_there(comparison, old_baselines, before, "baselines")) {
        const int old = read_baseline(&was_baseline, old_baselines, device);
        if (old == EXIT_USAGE || read_baseline(&now_baseline, baselines, device) == EXIT_USAGE ||
            known_regressions_read(&was_known, old_folder) < 0)
            return EXIT_USAGE;
        if (old == EXIT_BASELINE)
            comparison_add_note(comparison, "%s has no baseline that fits this GPU, so weakened values cannot be found",
                                old_folder);
        was.baseline = old == EXIT_SAME ? &was_baseline : NULL;
        was.known_regressions = &was_known;
    }
    weakened_note(comparison, &was, &now);
    return EXIT_SAME;
}
