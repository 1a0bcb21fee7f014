/* The second step of accepting: merges the new rows of one kernel with the old ones, in memory. */

#include "baseline_files.h"

static bool is_gated(const struct metric *metric)
{
    return metric && metric->class != METRIC_INFO;
}

static bool is_exact(const struct metric *metric)
{
    return metric && (metric->class == METRIC_EXACT || metric->class == METRIC_STATIC);
}

/* Whether sessions or samples of a run disagree with each other. Changed arguments would have moved all alike. */
static bool disagrees(enum finding finding)
{
    return finding == FOUND_MIXED || finding == FOUND_NONREPEATING;
}

static void remove_sessions(struct row *row, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        free(row->sessions[i].samples);
    row->session_count -= count;
    memmove(&row->sessions[first], &row->sessions[first + count], (row->session_count - first) * sizeof *row->sessions);
}

struct choice {
    const struct metric *metric;
    enum accepted_step step;
    enum finding finding;
    bool far; /* a session is further from the baseline's mean than noise of the same code may be */
};

static void add_move(const struct merging *merging, const char *kernel, const struct row *old, const struct row *fresh,
                     const struct choice *choice)
{
    struct accepted *accepted = merging->accepted;
    *ARRAY_GROW(accepted->moves, accepted->move_count) = (struct accepted_move){
        .kernel = x_strdup(kernel),
        .metric = x_strdup(fresh->metric),
        .finding = choice->finding,
        .left = choice->step == ACCEPTED_LEFT,
        .was_state = old->state,
        .now_state = fresh->state,
        .was = old->state == VALUE_MEASURED ? row_value(old) : 0,
        .now = fresh->state == VALUE_MEASURED ? row_value(fresh) : 0,
    };
}

static bool is_same_note(const struct merging *merging, const struct kernel_file *file, const char *metric)
{
    const struct metric_note *was = run_find_note(&file->run, metric);
    const struct metric_note *now = run_find_note(merging->fresh, metric);
    return was && now ? note_is_equal(was, now) : was == now;
}

/* Returns how far from its drift reference a value may be without failing a check. */
static double drift_reference_allows(double reference, const struct assessment *found)
{
    return fmax(RULE_DRIFT_REFERENCE * fabs(reference), found->limit);
}

static bool is_far(struct merging *merging, const struct metric *metric, const struct row *fresh,
                   const struct assessment *found)
{
    const double mean = found->base.mean;
    const double limit_one = rule_limit(&merging->quantiles, rule_floor(metric, mean), &found->base, 1);
    const bool known = found->base.sessions >= rule_sessions_needed(metric->class);
    const double allowed = fmax(drift_reference_allows(mean, found), known ? limit_one : 0);
    return ANY(i, fresh->session_count, round_value(fabs(row_session_value(fresh, i) - mean)) > allowed);
}

/* Applies the rule to a row, with two exceptions. Exact values that ceased to repeat did not move. And a value too far
 * from its drift reference has moved: it would fail as long as that drift reference stays. */
static enum finding judge_row(struct merging *merging, const struct metric *metric, const struct row *old,
                              const struct row *fresh, bool *far)
{
    const struct metric judged = rule_metric(metric, run_origin(merging->candidates[0].run));
    const struct assessment found = rule_assess(&merging->quantiles, &judged, old, fresh, 0, NULL, (struct prior){0});
    const double sign = metric->better == METRIC_LOWER ? 1 : -1;
    const double past = sign * (found.now - old->drift_reference);
    *far = is_far(merging, &judged, fresh, &found);
    const bool repeats_no_more = is_exact(metric) && disagrees(found.finding) && !*far;
    if (found.finding != FOUND_SAME && !repeats_no_more)
        return found.finding;
    const bool drifted = old->has_drift_reference && past > drift_reference_allows(old->drift_reference, &found);
    return drifted ? FOUND_WORSE : FOUND_SAME;
}

/* Chooses what happens to a row, regardless of other rows. Sets the finding when its value moved. */
static enum accepted_step choose_step(struct merging *merging, const struct kernel_file *file, const struct row *old,
                                      struct row *fresh, struct choice *choice)
{
    if (!old)
        return ACCEPTED_FIRST;
    if (!is_same_note(merging, file, fresh->metric) || old->state != fresh->state)
        return ACCEPTED_REPLACED;
    if (fresh->state != VALUE_MEASURED)
        return ACCEPTED_KNOWN;
    baseline_forget_known(old, fresh);
    if (fresh->session_count == 0)
        return ACCEPTED_KNOWN;
    if (is_gated(choice->metric))
        choice->finding = judge_row(merging, choice->metric, old, fresh, &choice->far);
    return choice->finding == FOUND_SAME ? ACCEPTED_ADDED : ACCEPTED_REPLACED;
}

static size_t newest_session_of(const struct row *row)
{
    size_t newest = 0;
    for (size_t i = 0; i < row->session_count; i++)
        newest = row->sessions[i].session > newest ? row->sessions[i].session : newest;
    return newest;
}

/* Returns what is remembered of a replaced row; NULL when it has no comparable value. */
static struct previous *remember(const struct run *run, const struct row *old)
{
    if (old->state != VALUE_MEASURED)
        return NULL;
    const size_t place = newest_session_of(old);
    const struct session *newest = place < run->session_count ? &run->sessions[place] : NULL;
    struct previous *previous = x_calloc(1, sizeof *previous);
    previous->value = row_value(old);
    if (newest) {
        previous->date = x_strdup(newest->facts[SESSION_DATE]);
        previous->commit = x_strdup(newest->facts[SESSION_COMMIT]);
        previous->reason = x_strdup(newest->facts[SESSION_REASON]);
    }
    return previous;
}

/* Returns the readings behind both rows when all are equal, else 0. */
static size_t equal_readings(const struct row *old, const struct row *fresh)
{
    const size_t more = row_equal_readings(fresh);
    if (old->session_count == 0)
        return more;
    const size_t had = row_equal_readings(old);
    return had > 0 && more > 0 && row_session_value(old, 0) == row_session_value(fresh, 0) ? had + more : 0;
}

/* Appends the new sessions to a row that has the old ones or none; each becomes its median. What is computed keeps its
 * bounds. */
static void add_sessions_to_row(struct row *row, const struct row *fresh, const struct metric *metric, bool computed)
{
    if (fresh->state != VALUE_MEASURED) {
        row->state = fresh->state;
        free(row->reason);
        row->reason = x_strdup(fresh->reason);
        return;
    }
    if (is_gated(metric) && !row->has_drift_reference) {
        row->drift_reference = row_value(row->session_count > 0 ? row : fresh);
        row->has_drift_reference = true;
    }
    if (is_exact(metric)) {
        row->readings = equal_readings(row, fresh);
        row->has_readings = true;
    }
    for (size_t i = 0; i < fresh->session_count; i++) {
        const double value = row_session_value(fresh, i);
        row_add_session(row, computed ? fresh->sessions[i].samples : &value, computed ? fresh->sessions[i].count : 1);
        row->sessions[row->session_count - 1].session = fresh->sessions[i].session;
    }
    if (row->session_count > BASELINE_SESSIONS)
        remove_sessions(row, 0, row->session_count - BASELINE_SESSIONS);
}

/* Restores the drift reference of a replaced row, unless a check would fail the new value by it. So many small steps
 * add up, while a large step was accepted knowingly. */
static void keep_drift_reference(struct merging *merging, const struct metric *metric, struct row *row,
                                 double reference, const struct row *fresh)
{
    const struct metric judged = rule_metric(metric, run_origin(merging->candidates[0].run));
    const struct assessment found = rule_assess(&merging->quantiles, &judged, fresh, fresh, 0, NULL, (struct prior){0});
    row->has_drift_reference = fabs(found.now - reference) <= drift_reference_allows(reference, &found);
    row->drift_reference = row->has_drift_reference ? reference : 0;
}

static void replace_row(struct merging *merging, const struct kernel_file *file, struct row *row,
                        const struct row *fresh, const struct metric *metric)
{
    const bool comparable = fresh->state == VALUE_MEASURED && is_same_note(merging, file, fresh->metric);
    const bool referenced = comparable && row->has_drift_reference && is_gated(metric);
    const double reference = row->drift_reference;
    struct previous *previous = comparable ? remember(&file->run, row) : NULL;
    row_clear(row);
    row->previous = previous;
    if (referenced)
        keep_drift_reference(merging, metric, row, reference, fresh);
}

static void merge_row(struct merging *merging, const struct kernel_file *file, struct row *row, const struct row *fresh,
                      enum accepted_step step)
{
    struct accepted *accepted = merging->accepted;
    const struct metric *metric = metrics_find(merging->acceptance->metrics, fresh->metric);
    const bool referenced = row->has_drift_reference;
    const double reference = row->drift_reference;
    const bool stays = step == ACCEPTED_KNOWN || step == ACCEPTED_LEFT;
    accepted->rows += step != ACCEPTED_LEFT;
    accepted->counts[step]++;
    if (step == ACCEPTED_REPLACED || step == ACCEPTED_INFO)
        replace_row(merging, file, row, fresh, metric);
    if (!stays)
        add_sessions_to_row(row, fresh, metric, run_origin(merging->candidates[0].run)->computed);
    if (row->state != VALUE_MEASURED)
        return;
    if (merging->acceptance->drift_reference && is_gated(metric) && step != ACCEPTED_LEFT) {
        row->drift_reference = row_value(row);
        row->has_drift_reference = true;
    }
    accepted->drift_references += referenced && row->has_drift_reference && row->drift_reference != reference;
    if (metric && metric->class == METRIC_TIME &&
        (accepted->time_sessions == 0 || row->session_count < accepted->time_sessions))
        accepted->time_sessions = row->session_count;
}

/* Whether the runs launched the machine code of the baseline. */
static bool is_same_code(const struct merging *merging, const struct result *old)
{
    for (size_t i = 0; i < merging->count; i++) {
        const struct result *now = run_find(merging->candidates[i].run, old->id);
        if (now && !same_code(old, now))
            return false;
    }
    return true;
}

/* Adjusts the choices to the other rows of the kernel. If the code did not change, a value moves only by its spread,
 * unless its arguments changed; but then counts moved too. A value that is far off is left out: otherwise the limit
 * would become so wide that real regressions pass. */
static void adjust_choices(struct choice *choices, size_t count, bool only_spread)
{
    bool moved = false;
    for (size_t i = 0; i < count; i++) {
        const bool replaced = choices[i].step == ACCEPTED_REPLACED;
        moved = moved || (replaced && is_gated(choices[i].metric));
        only_spread = only_spread && !(replaced && is_exact(choices[i].metric) && !disagrees(choices[i].finding));
    }
    EACH(struct choice, choice, choices, count) {
        if (only_spread && choice->far)
            choice->step = ACCEPTED_LEFT;
        else if (only_spread && choice->finding != FOUND_SAME)
            choice->step = ACCEPTED_NOISE;
        else if (!only_spread && moved && choice->step == ACCEPTED_ADDED && !is_gated(choice->metric))
            choice->step = ACCEPTED_INFO;
    }
}

static void merge_rows(struct merging *merging, const struct kernel_file *file, struct result *result,
                       struct result *fresh, bool only_spread)
{
    OWNED_MEMORY struct choice *choices = x_calloc(fresh->row_count, sizeof *choices);
    for (size_t i = 0; i < fresh->row_count; i++) {
        struct row *row = &fresh->rows[i];
        const struct row *old = result_find(result, row->metric);
        choices[i].metric = metrics_find(merging->acceptance->metrics, row->metric);
        choices[i].step = choose_step(merging, file, old, row, &choices[i]);
    }
    adjust_choices(choices, fresh->row_count, only_spread);
    result_add_like(result, fresh, NULL, 0);
    for (size_t i = 0; i < fresh->row_count; i++) {
        struct row *new = &fresh->rows[i];
        struct row *old = result_find(result, new->metric);
        const bool left = choices[i].step == ACCEPTED_LEFT;
        if (left || (choices[i].step == ACCEPTED_REPLACED && is_same_note(merging, file, new->metric)))
            add_move(merging, result->id, old, new, &choices[i]);
        if (left)
            remove_sessions(new, 0, new->session_count);
        if (is_exact(choices[i].metric) && (choices[i].step == ACCEPTED_REPLACED || choices[i].step == ACCEPTED_FIRST))
            result_forget_inputs(result); /* the file's inputs belong to its old counts */
        merge_row(merging, file, old, new, choices[i].step);
    }
}

/* Merges two notes: accepted values were judged by the definitions in use, so the new one counts. But a run of an older
 * version lacks some members, which are kept. */
static struct metric_note merge_note(const struct metric_note *known, const struct metric_note *fresh,
                                     const struct metrics *metrics)
{
    const struct metric *metric = metrics_find(metrics, fresh->name);
    const struct metric_note in_use = metric ? note_of_metric(metric) : *fresh;
    const struct metric_note note = note_is_equal(&in_use, fresh) ? in_use : *fresh;
    return known && !note.judged && note_is_equal(known, &note) ? *known : note;
}

/* Keeps for each row the note that says how its metric was defined: the run's, or the old file's if the run has none.
 */
static void merge_notes(const struct merging *merging, struct run *run, const struct result *result)
{
    OWNED(run) merged = {0};
    for (size_t i = 0; i < result->row_count; i++) {
        const char *metric = result->rows[i].metric;
        const struct metric_note *now = run_find_note(merging->fresh, metric), *known = run_find_note(run, metric);
        struct metric_note note; /* a note whose members are borrowed */
        if (now)
            note = merge_note(known, now, merging->acceptance->metrics);
        else if (known)
            note = *known;
        if (now || known)
            run_set_note(&merged, &note);
    }
    const struct run old = {.notes = run->notes, .note_count = run->note_count};
    run->notes = merged.notes;
    run->note_count = merged.note_count;
    merged = old;
}

/* Whether a time of the runs was merged, because only times are excused by equal code. */
static bool has_time(const struct merging *merging, const struct result *fresh)
{
    for (size_t i = 0; i < fresh->row_count; i++) {
        const struct metric *metric = metrics_find(merging->acceptance->metrics, fresh->rows[i].metric);
        if (metric && metric->class == METRIC_TIME && fresh->rows[i].session_count > 0)
            return true;
    }
    return false;
}

/* Keeps the lines that a check can name: those with a source file. A library without line information has thousands of
 * single instructions instead. */
static void keep_source_lines(struct result *result, const struct profile *profile)
{
    profile_release(&result->profile);
    profile_copy(&result->profile, profile);
    profile_keep_files(&result->profile);
}

/* Merges the lines. Lines of other machine code than the values' are useless. Lines with fewer counters than before
 * replace nothing. */
static void merge_lines(struct result *result, const struct result *fresh, bool was_same_code)
{
    const struct profile *profile = &fresh->profile;
    const bool has_profile = profile->counted || profile->period;
    if (!was_same_code)
        profile_release(&result->profile);
    const bool loses = (result->profile.period && !profile->period) || (result->profile.counted & ~profile->counted);
    if (has_profile && !loses && same_code(result, fresh))
        keep_source_lines(result, profile);
}

void baseline_merge(struct merging *merging, struct kernel_file *file, struct result *fresh)
{
    const bool is_new = !run_find(&file->run, fresh->id);
    /* the user named metrics, so their values are not mixed with old ones */
    const bool named = merging->acceptance->metric_glob_count > 0;
    struct result *result = run_add(&file->run, fresh->id);
    const bool only_spread = !is_new && !named && is_same_code(merging, result);
    baseline_add_sessions(merging, &file->run, fresh);
    merge_rows(merging, file, result, fresh, only_spread);
    const bool takes_launches = is_new || !named || has_time(merging, fresh);
    const bool was_same_code = same_code(result, fresh);
    if (was_same_code && !fresh->inputs) /* the new runs do not know the inputs */
        fresh->inputs = x_strdup(result->inputs);
    if (takes_launches)
        result_copy_facts(result, fresh);
    else if (order_of_texts(result->inputs, fresh->inputs) != 0)
        result_forget_inputs(result); /* the rows are now from runs with different inputs */
    merge_lines(result, fresh, was_same_code);
    baseline_forget_unused(&file->run, result);
    merge_notes(merging, &file->run, result);
    merging->accepted->kernels += row_kind(result->id) == ROW_KERNEL;
    file->changed = true;
}
