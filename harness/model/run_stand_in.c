/* Completes a baseline by the numbers of a base library, where it has none of its own. */

#include "run.h"

/* Copies rows of `from` to the result where it has no number of its own. */
static void stand_in_rows(struct result *result, const struct result *from, size_t session)
{
    EACH(const struct row, more, from->rows, from->row_count) {
        struct row *row = result_find(result, more->metric);
        const bool lacking = !row || (row->state != VALUE_MEASURED && row->state != VALUE_NOT_APPLICABLE);
        if (lacking) {
            row = result_add(result, more->metric);
            row_clear(row);
            row->state = more->state;
            row->reason = x_strdup(more->reason);
            row->from_base_build = true;
        }
        for (size_t k = 0; row->from_base_build && more->state == VALUE_MEASURED && k < more->session_count; k++) {
            row_add_session(row, more->sessions[k].samples, more->sessions[k].count);
            if (row->state == VALUE_MEASURED)
                row->sessions[row->session_count - 1].session = session;
        }
    }
}

/* The baseline's file may be older than a fact of the machine code that the base build tells. */
static void stand_in_machine(struct result *result, const struct result *from)
{
    for (size_t i = 0; i < result->launch_count && i < from->launch_count; i++)
        if (result->launches[i].code && order_of_texts(result->launches[i].code, from->launches[i].code) == 0)
            result->launches[i].machine = from->launches[i].machine;
}

static bool only_stands_in(const struct result *result)
{
    return ALL(i, result->row_count, result->rows[i].from_base_build);
}

void run_stand_in(struct run *baseline, const struct run *base)
{
    bool alone = true;
    for (size_t i = 0; i < baseline->result_count; i++)
        alone = alone && only_stands_in(&baseline->results[i]);
    for (size_t i = 0; alone && i < base->session_count; i++)
        run_add_session(baseline, &base->sessions[i]);
    EACH(const struct result, from, base->results, base->result_count) {
        const bool known = run_find(baseline, from->id);
        struct result *result = run_add(baseline, from->id);
        if (!known)
            result_copy_facts(result, from);
        if (from->status == RESULT_OK && result->status == RESULT_OK && base->session_count > 0) {
            const struct session_samples measured = {.session = result_session(from)};
            session_copy(ARRAY_GROW(result->sessions, result->session_count), run_session(base, &measured));
            stand_in_rows(result, from, result->session_count - 1);
            stand_in_machine(result, from);
        } else if (from->status != RESULT_OK && only_stands_in(result)) {
            result_fail(result, from->status, from->reason);
        }
    }
}
