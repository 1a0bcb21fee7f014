/* The first step of accepting: chooses from several runs the rows that can become a baseline. */

#include "baseline_files.h"

#define REFUSALS_SHOWN 20 /* warnings that name what is refused; further ones are only counted */

struct gathering {
    const struct acceptance *acceptance;
    const struct candidate *candidates;
    size_t count;
    struct run *fresh; /* the accepted kernels with their rows and notes */
    size_t refused;
};

void baseline_refuse(size_t *refused, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if ((*refused)++ < REFUSALS_SHOWN)
        warning("not accepted: %s", text);
}

void baseline_refused(size_t refused)
{
    if (refused > REFUSALS_SHOWN)
        warning("not accepted: %zu more", refused - REFUSALS_SHOWN);
}

static bool is_ok_everywhere(struct gathering *gathering, const char *id)
{
    EACH(const struct candidate, candidate, gathering->candidates, gathering->count) {
        const struct result *result = run_find(candidate->run, id);
        if (!result || result->status == RESULT_OK)
            continue;
        const bool computed = run_origin(candidate->run)->computed;
        OWNED_TEXT declared = computed && result_is_not_computed(result)
                                  ? x_sprintf("; if that is acceptable, declare it: add [%s " KNOWN_NOT_COMPUTED
                                              "] to " KNOWN_REGRESSION_FILE,
                                              id)
                                  : x_strdup("");
        baseline_refuse(&gathering->refused, "%s, because in %s it is \"%s\"%s%s%s", id, candidate->name,
                        result_status_name(result->status), result->reason ? ": " : "",
                        result->reason ? result->reason : "", declared);
        return false;
    }
    return true;
}

/* Returns the session of a value; the last one if the run has more values than sessions. */
static size_t session_of(const struct run *run, const struct row *row, size_t value)
{
    const size_t session = row->sessions[value].session;
    return session < run->session_count ? session : run->session_count - 1;
}

/* Fills an empty row with the sessions of each run; false when it cannot be accepted. */
static bool gather_row(struct gathering *gathering, const char *id, struct row *row)
{
    enum value_state state = VALUE_STATES;
    size_t place = 0; /* index of the candidate's first session among those of all candidates */
    for (size_t i = 0; i < gathering->count; place += gathering->candidates[i++].run->session_count) {
        const struct result *result = run_find(gathering->candidates[i].run, id);
        const struct row *found = result ? result_find(result, row->metric) : NULL;
        const char *name = gathering->candidates[i].name;
        if (!found)
            continue;
        if (found->state == VALUE_NOT_COUNTED && !row_is_open(found)) {
            baseline_refuse(&gathering->refused, "%s of %s, because it was not counted in %s%s%s", row->metric, id,
                            name, found->reason ? ": " : "", found->reason ? found->reason : "");
            return false;
        }
        if (state != VALUE_STATES && state != found->state) {
            baseline_refuse(&gathering->refused, "%s of %s, because it is %s in %s, but %s in earlier runs",
                            row->metric, id, value_state_name(found->state), name, value_state_name(state));
            return false;
        }
        state = found->state;
        free(row->reason);
        row->reason = x_strdup(found->reason);
        for (size_t k = 0; k < found->session_count; k++) {
            row_add_session(row, found->sessions[k].samples, found->sessions[k].count);
            row->sessions[row->session_count - 1].session = place + session_of(gathering->candidates[i].run, found, k);
        }
    }
    row->state = state;
    return true;
}

/* Adds the notes of all gathered rows, each from the first run that has one. They are added sorted by name, since
 * inserting in between is slow. */
static void add_notes(struct gathering *gathering)
{
    const struct run *fresh = gathering->fresh;
    OWNED_MEMORY const char **names = NULL;
    size_t count = 0;
    for (size_t i = 0; i < fresh->result_count; i++)
        for (size_t k = 0; k < fresh->results[i].row_count; k++)
            *ARRAY_GROW(names, count) = fresh->results[i].rows[k].metric;
    SORT(names, count, by_text);
    for (size_t n = 0; n < count; n++) {
        const struct metric_note *note = NULL;
        if (n > 0 && strcmp(names[n - 1], names[n]) == 0)
            continue;
        for (size_t i = 0; i < gathering->count && !note; i++)
            note = run_find_note(gathering->candidates[i].run, names[n]);
        if (note)
            run_set_note(gathering->fresh, note);
    }
}

/* Fills an empty result of fresh. It gets no rows when none can be accepted. */
static void gather_result(struct gathering *gathering, struct result *fresh)
{
    const struct acceptance *acceptance = gathering->acceptance;
    if (!is_ok_everywhere(gathering, fresh->id))
        return;
    for (size_t i = 0; i < gathering->count; i++) {
        const struct result *result = run_find(gathering->candidates[i].run, fresh->id);
        if (!result)
            continue;
        if (!same_code(fresh, result))
            profile_release(&fresh->profile); /* the lines are of other code than the newest run's */
        const bool mixed = fresh->launch_count > 0 && order_of_texts(fresh->inputs, result->inputs) != 0;
        result_copy_facts(fresh, result); /* the facts of the last, newest run prevail */
        if (mixed)
            result_forget_inputs(fresh);
        if (result->profile.counted || result->profile.period) {
            profile_release(&fresh->profile);
            profile_copy(&fresh->profile, &result->profile);
        }
        result_add_like(fresh, result, acceptance->metric_globs, acceptance->metric_glob_count);
    }
    size_t kept = 0;
    for (size_t i = 0; i < fresh->row_count; i++) {
        struct row row = fresh->rows[i];
        if (gather_row(gathering, fresh->id, &row)) {
            fresh->rows[kept++] = row;
        } else {
            row_clear(&row);
            free(row.metric);
        }
    }
    fresh->row_count = kept;
}

int baseline_gather(struct run *fresh, const struct acceptance *acceptance, const struct candidate *candidates,
                    size_t count)
{
    struct gathering gathering = {acceptance, candidates, count, fresh, 0};
    *fresh = (struct run){0};
    for (size_t i = 0; i < count; i++)
        run_add_like(fresh, candidates[i].run, acceptance->globs, acceptance->glob_count);
    if (fresh->result_count == 0)
        return FAIL(EXIT_USAGE,
                    "nothing was accepted: -k matches no kernel of these runs; `cugate list` lists them all");
    OWNED_MEMORY bool *kept = x_calloc(fresh->result_count, sizeof *kept);
    for (size_t i = 0; i < fresh->result_count; i++) {
        gather_result(&gathering, &fresh->results[i]);
        kept[i] = fresh->results[i].row_count > 0;
    }
    run_keep(fresh, kept);
    add_notes(&gathering);
    baseline_refused(gathering.refused);
    if (fresh->result_count > 0)
        return 0;
    if (gathering.refused > 0)
        return FAIL(EXIT_NOT_MEASURED, "nothing was accepted: fix the warnings above, then measure again");
    return FAIL(EXIT_USAGE,
                "nothing was accepted: -m matches no metric of these kernels; `cugate list metrics` lists them all");
}
