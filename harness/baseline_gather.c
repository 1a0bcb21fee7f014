/* The first step of accepting: out of several runs, the rows that can become a baseline. */
#include "baseline_files.h"
#include "util.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define REFUSALS_SHOWN 20 /* then their number alone */

struct gathering {
    const struct acceptance *acceptance;
    const struct run *runs;
    size_t count;
    struct run *fresh; /* what is accepted: rows with one sample a session, and their notes */
    size_t refused;
};

__attribute__((format(printf, 2, 3))) static void refuse(struct gathering *gathering, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (gathering->refused++ < REFUSALS_SHOWN)
        warning("not accepted: %s", text);
}

static bool is_ok_everywhere(struct gathering *gathering, const char *id)
{
    for (size_t i = 0; i < gathering->count; i++) {
        const struct result *result = run_find(&gathering->runs[i], id);
        if (!result || result->status == RESULT_OK)
            continue;
        refuse(gathering, "%s, because in %s it is \"%s\"%s%s", id, gathering->acceptance->names[i],
               result_status_name(result->status), result->reason ? ": " : "", result->reason ? result->reason : "");
        return false;
    }
    return true;
}

/* Fills the empty row with the value of each run; false when it cannot be accepted. */
static bool gather_row(struct gathering *gathering, const char *id, struct row *row)
{
    enum value_state state = VALUE_STATES;
    for (size_t i = 0; i < gathering->count; i++) {
        const struct result *result = run_find(&gathering->runs[i], id);
        const struct row *found = result ? result_find(result, row->metric) : NULL;
        const char *name = gathering->acceptance->names[i];
        if (!found)
            continue;
        if (found->state == VALUE_NOT_COUNTED) {
            refuse(gathering, "%s of %s, because in %s it is not counted", row->metric, id, name);
            return false;
        }
        if (state != VALUE_STATES && state != found->state) {
            refuse(gathering, "%s of %s, because in %s it is %s, but %s in the runs before", row->metric, id, name,
                   value_state_name(found->state), value_state_name(state));
            return false;
        }
        state = found->state;
        if (state == VALUE_MEASURED) {
            double value = row_value(found);
            row_add_session(row, &value, 1);
        }
    }
    row->state = state;
    return true;
}

static void add_note(struct gathering *gathering, const char *metric)
{
    const struct metric_note *note = run_find_note(gathering->fresh, metric);
    for (size_t i = 0; i < gathering->count && !note; i++) {
        note = run_find_note(&gathering->runs[i], metric);
        if (note)
            run_set_note(gathering->fresh, note);
    }
}

/* Fills the empty result of fresh; it keeps no rows when nothing of it can be accepted. */
static void gather_result(struct gathering *gathering, struct result *fresh)
{
    const struct acceptance *acceptance = gathering->acceptance;
    if (!is_ok_everywhere(gathering, fresh->id))
        return;
    for (size_t i = gathering->count; i-- > 0;) {
        const struct result *result = run_find(&gathering->runs[i], fresh->id);
        if (!result)
            continue;
        result_copy_facts(fresh, result); /* the first run's in the end */
        for (size_t j = 0; j < result->row_count; j++)
            if (glob_any(acceptance->metrics, acceptance->metric_count, result->rows[j].metric))
                result_add(fresh, result->rows[j].metric);
    }
    size_t kept = 0;
    for (size_t i = 0; i < fresh->row_count; i++) {
        struct row row = fresh->rows[i];
        if (gather_row(gathering, fresh->id, &row)) {
            fresh->rows[kept++] = row;
            add_note(gathering, row.metric);
        } else {
            row_clear(&row);
            free(row.metric);
        }
    }
    fresh->row_count = kept;
}

int baseline_gather(struct run *fresh, const struct acceptance *acceptance, const struct run *runs, size_t count)
{
    struct gathering gathering = {acceptance, runs, count, fresh, 0};
    *fresh = (struct run){0};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].result_count; j++)
            if (glob_any(acceptance->globs, acceptance->glob_count, runs[i].results[j].id))
                run_add(fresh, runs[i].results[j].id);
    if (fresh->result_count == 0) {
        error("nothing was chosen: no kernel of the runs matches -k; `cugate list` names them all");
        return EXIT_USAGE;
    }
    size_t kept = 0;
    for (size_t i = 0; i < fresh->result_count; i++) {
        gather_result(&gathering, &fresh->results[i]);
        if (fresh->results[i].row_count > 0)
            fresh->results[kept++] = fresh->results[i];
        else
            result_release(&fresh->results[i]);
    }
    fresh->result_count = kept;
    if (gathering.refused > REFUSALS_SHOWN)
        warning("not accepted: %zu more", gathering.refused - REFUSALS_SHOWN);
    if (kept > 0)
        return 0;
    if (gathering.refused > 0) {
        error("nothing could be accepted: measure again once what the warnings say is repaired");
        return EXIT_NOT_MEASURED;
    }
    error("nothing was chosen: no metric of these kernels matches -m; `cugate list --metrics` names them all");
    return EXIT_USAGE;
}
