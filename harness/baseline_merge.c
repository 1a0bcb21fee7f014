/* The second step of accepting: what becomes of the old rows of one kernel. In memory alone. */
#include "baseline_files.h"
#include "util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_gated(const struct metric *metric)
{
    return metric && metric->class != METRIC_INFO;
}

static bool is_exact(const struct metric *metric)
{
    return metric && (metric->class == METRIC_EXACT || metric->class == METRIC_STATIC);
}

static bool is_known(const struct kernel_file *file, const struct run *run)
{
    for (size_t i = 0; i < run->session_count; i++)
        if (baseline_find_session(&file->run, &run->sessions[i]))
            return true;
    return false;
}

static bool holds_value(const struct row *row, double value)
{
    for (size_t i = 0; i < row->session_count; i++)
        if (row_session_value(row, i) == value)
            return true;
    return false;
}

static void remove_sessions(struct row *row, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        free(row->sessions[i].samples);
    row->session_count -= count;
    memmove(&row->sessions[first], &row->sessions[first + count], (row->session_count - first) * sizeof *row->sessions);
}

/* Takes the sessions off the new row that the old one has already: accepting a run twice is no second reading. */
static void forget_known(const struct merging *merging, const struct kernel_file *file, const struct row *old,
                         const char *kernel, struct row *fresh)
{
    size_t place = 0; /* fresh holds the sessions of all sources one after the other */
    for (size_t i = 0; i < merging->count; i++) {
        const struct run *run = merging->sources[i].run;
        const struct result *result = run_find(run, kernel);
        const struct row *row = result ? result_find(result, fresh->metric) : NULL;
        const bool known = is_known(file, run);
        for (size_t k = 0; row && k < row->session_count; k++) {
            if (known && holds_value(old, row_session_value(fresh, place)))
                remove_sessions(fresh, place, 1);
            else
                place++;
        }
    }
}

static void add_move(const struct merging *merging, const char *kernel, const struct row *old, const struct row *fresh,
                     enum finding finding)
{
    struct accepted *accepted = merging->accepted;
    *ARRAY_ADD(accepted->moves, accepted->move_count) = (struct accepted_move){
        .kernel = x_strdup(kernel),
        .metric = x_strdup(fresh->metric),
        .finding = finding,
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

/* The rule, and two cases in which what is within its limit has moved all the same: few sessions say so little of the
 * spread that they would let anything in, and what is past its anchor would fail for as long as the anchor stays. */
static enum finding judge_row(struct merging *merging, const struct metric *metric, const struct row *old,
                              const struct row *fresh)
{
    const struct assessment found = rule_assess(&merging->quantiles, metric, old, fresh, 0);
    const double mean = found.base.mean;
    const double sign = metric->better == METRIC_LOWER ? 1 : -1;
    if (found.finding != FOUND_SAME)
        return found.finding;
    if (found.base.sessions < rule_sessions_needed(metric->class)) {
        const double allowed = fmax(rule_floor(metric, mean), RULE_ANCHOR * fabs(mean));
        const double worse = sign * (found.now - mean);
        return worse > allowed ? FOUND_WORSE : worse < -allowed ? FOUND_BETTER : FOUND_SAME;
    }
    const double past = sign * (found.now - old->anchor);
    return old->has_anchor && past > fmax(RULE_ANCHOR * fabs(old->anchor), found.limit) ? FOUND_WORSE : FOUND_SAME;
}

static enum accepted_step choose_step(struct merging *merging, const struct kernel_file *file, const char *kernel,
                                      const struct row *old, struct row *fresh)
{
    if (!old)
        return ACCEPTED_FIRST;
    if (!is_same_note(merging, file, fresh->metric))
        return ACCEPTED_REPLACED;
    if (old->state != fresh->state) {
        add_move(merging, kernel, old, fresh, FOUND_SAME);
        return ACCEPTED_REPLACED;
    }
    if (fresh->state != VALUE_MEASURED)
        return ACCEPTED_ADDED;
    forget_known(merging, file, old, kernel, fresh);
    if (fresh->session_count == 0)
        return ACCEPTED_KNOWN;
    const struct metric *metric = metrics_find(merging->acceptance->metrics, fresh->metric);
    if (!is_gated(metric))
        return ACCEPTED_ADDED;
    const enum finding finding = judge_row(merging, metric, old, fresh);
    if (finding == FOUND_SAME)
        return ACCEPTED_ADDED;
    add_move(merging, kernel, old, fresh, finding);
    return ACCEPTED_REPLACED;
}

/* What is remembered of a row that goes; NULL when there is no value of the same meaning. */
static struct previous *remember(const struct run *run, const struct row *old)
{
    if (old->state != VALUE_MEASURED)
        return NULL;
    const struct session *newest = NULL;
    for (size_t i = 0; i < run->session_count; i++) {
        const char *date = run->sessions[i].facts[SESSION_DATE];
        if (!newest || !newest->facts[SESSION_DATE] || (date && strcmp(date, newest->facts[SESSION_DATE]) >= 0))
            newest = &run->sessions[i];
    }
    struct previous *previous = x_calloc(1, sizeof *previous);
    previous->value = row_value(old);
    if (newest) {
        previous->date = x_strdup(newest->facts[SESSION_DATE]);
        previous->commit = x_strdup(newest->facts[SESSION_COMMIT]);
        previous->reason = x_strdup(newest->facts[SESSION_REASON]);
    }
    return previous;
}

/* Readings behind both rows when all are equal, else 0. */
static size_t equal_readings(const struct row *old, const struct row *fresh)
{
    const size_t more = row_equal_readings(fresh);
    if (old->session_count == 0)
        return more;
    const size_t had = row_equal_readings(old);
    return had > 0 && more > 0 && row_session_value(old, 0) == row_session_value(fresh, 0) ? had + more : 0;
}

/* Appends the new sessions, each as its median, to a row that holds the old ones or none. */
static void add_sessions_to_row(struct row *row, const struct row *fresh, const struct metric *metric)
{
    if (fresh->state != VALUE_MEASURED) {
        row->state = fresh->state;
        return;
    }
    if (is_gated(metric) && !row->has_anchor) {
        row->anchor = row_value(row->session_count > 0 ? row : fresh);
        row->has_anchor = true;
    }
    if (is_exact(metric)) {
        row->readings = equal_readings(row, fresh);
        row->has_readings = true;
    }
    for (size_t i = 0; i < fresh->session_count; i++) {
        const double value = row_session_value(fresh, i);
        row_add_session(row, &value, 1);
    }
    if (row->session_count > BASELINE_SESSIONS)
        remove_sessions(row, 0, row->session_count - BASELINE_SESSIONS);
}

static void merge_row(struct merging *merging, const struct kernel_file *file, struct row *row, const struct row *fresh,
                      enum accepted_step step)
{
    struct accepted *accepted = merging->accepted;
    const struct metric *metric = metrics_find(merging->acceptance->metrics, fresh->metric);
    accepted->rows++;
    accepted->counts[step]++;
    if (step == ACCEPTED_REPLACED) {
        const bool comparable = fresh->state == VALUE_MEASURED && is_same_note(merging, file, fresh->metric);
        struct previous *previous = comparable ? remember(&file->run, row) : NULL;
        row_clear(row);
        row->previous = previous;
    }
    if (step != ACCEPTED_KNOWN)
        add_sessions_to_row(row, fresh, metric);
    if (row->state != VALUE_MEASURED)
        return;
    if (merging->acceptance->anchor && is_gated(metric)) {
        row->anchor = row_value(row);
        row->has_anchor = true;
    }
    if (metric && metric->class == METRIC_TIME &&
        (accepted->time_sessions == 0 || row->session_count < accepted->time_sessions))
        accepted->time_sessions = row->session_count;
}

static void merge_rows(struct merging *merging, const struct kernel_file *file, struct result *result,
                       struct result *fresh)
{
    enum accepted_step *steps = x_calloc(fresh->row_count, sizeof *steps);
    bool moved = false;
    for (size_t i = 0; i < fresh->row_count; i++) {
        struct row *row = &fresh->rows[i];
        steps[i] = choose_step(merging, file, result->id, result_find(result, row->metric), row);
        moved = moved ||
                (steps[i] == ACCEPTED_REPLACED && is_gated(metrics_find(merging->acceptance->metrics, row->metric)));
    }
    for (size_t i = 0; i < fresh->row_count; i++) {
        struct row *row = &fresh->rows[i];
        if (moved && steps[i] == ACCEPTED_ADDED && !is_gated(metrics_find(merging->acceptance->metrics, row->metric)))
            steps[i] = ACCEPTED_REPLACED;
        merge_row(merging, file, result_add(result, row->metric), row, steps[i]);
    }
    free(steps);
}

static void merge_notes(struct run *run, const struct result *result, const struct run *fresh)
{
    for (size_t i = 0; i < fresh->note_count; i++)
        if (result_find(result, fresh->notes[i].name))
            run_set_note(run, &fresh->notes[i]);
    for (size_t i = run->note_count; i-- > 0;)
        if (!result_find(result, run->notes[i].name))
            run_remove_note(run, &run->notes[i]);
}

/* A session that is there already keeps its reason and gains the new one. */
static void add_session(struct run *run, const struct session *session, const char *reason)
{
    struct session *known = baseline_find_session(run, session);
    if (!known) {
        struct session copy = *session; /* borrows */
        copy.facts[SESSION_REASON] = x_strdup(reason);
        run_add_session(run, &copy);
        free(copy.facts[SESSION_REASON]);
        return;
    }
    char *old = known->facts[SESSION_REASON];
    if (old && strstr(old, reason))
        return;
    known->facts[SESSION_REASON] = x_sprintf("%s%s%s", old ? old : "", old ? "; " : "", reason);
    free(old);
}

static void remove_oldest_sessions(struct run *run, size_t kept)
{
    struct session *sessions = run->sessions;
    if (run->session_count <= kept)
        return;
    const size_t gone = run->session_count - kept;
    for (size_t i = 0; i < gone; i++)
        for (size_t fact = 0; fact < SESSION_FACTS; fact++)
            free(sessions[i].facts[fact]);
    memmove(sessions, &sessions[gone], kept * sizeof *sessions);
    run->session_count = kept;
}

/* The sessions behind the rows: those of the longest row when every row was accepted just now. */
static void merge_sessions(const struct merging *merging, struct run *run, const struct result *result,
                           const struct result *fresh)
{
    size_t added = 0, longest = 0;
    for (size_t i = 0; i < merging->count; i++) {
        const struct run *source = merging->sources[i].run;
        if (!run_find(source, result->id))
            continue;
        for (size_t k = 0; k < source->session_count; k++)
            add_session(run, &source->sessions[k], merging->acceptance->reason);
        added += source->session_count;
    }
    for (size_t i = 0; i < result->row_count; i++)
        if (!result_find(fresh, result->rows[i].metric))
            longest = BASELINE_SESSIONS;
        else if (result->rows[i].session_count > longest)
            longest = result->rows[i].session_count;
    const size_t kept = longest > added ? longest : added;
    remove_oldest_sessions(run, kept < BASELINE_SESSIONS ? kept : BASELINE_SESSIONS);
}

void baseline_merge(struct merging *merging, struct kernel_file *file, struct result *fresh)
{
    const bool is_new = !run_find(&file->run, fresh->id);
    struct result *result = run_add(&file->run, fresh->id);
    if (is_new || merging->acceptance->metric_glob_count == 0)
        result_copy_facts(result, fresh);
    merge_rows(merging, file, result, fresh);
    merge_sessions(merging, &file->run, result, fresh);
    merge_notes(&file->run, result, merging->fresh);
    merging->accepted->kernels++;
    file->changed = true;
}
