#include "computed.h"

/* ---- Rates ---- */

/* Returns the row of times that rates are computed by; NULL when there is none. */
static const struct row *find_times(const struct result *result, const struct metrics *metrics)
{
    const struct row *times = NULL;
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *row = result_measured(result, metrics->list[m].name);
        if (row && strcmp(metrics->list[m].counter, COUNTER_TIME) == 0)
            return row;
        if (row && is_computed(&metrics->list[m], COMPUTED_WALL_TIME))
            times = row;
    }
    return times;
}

static void add_rate(struct result *result, const char *metric, double amount, const struct metrics *metrics)
{
    struct row *row = result_add(result, metric);
    const struct row *times = find_times(result, metrics); /* found only now, because result_add() moves rows */
    row_clear(row);
    if (amount <= 0)
        row->state = VALUE_NOT_APPLICABLE;
    if (amount <= 0 || !times)
        return;
    for (size_t s = 0; s < times->session_count; s++) {
        const struct session_samples *session = &times->sessions[s];
        OWNED_MEMORY double *rates = x_calloc(session->count, sizeof *rates);
        for (size_t i = 0; i < session->count; i++)
            rates[i] = round_value(amount / session->samples[i] * 1e9);
        row_add_session(row, rates, session->count);
        if (row->state == VALUE_MEASURED)
            row->sessions[s].session = session->session;
    }
}

void computed_add_rates(struct run *run, const struct metrics *metrics)
{
    EACH(struct result, result, run->results, run->result_count) {
        for (size_t m = 0; result->status == RESULT_OK && m < metrics->count; m++) {
            const enum computed_counter counter = computed_counter_of(&metrics->list[m]);
            if (counter == COMPUTED_BANDWIDTH)
                add_rate(result, metrics->list[m].name, result->bytes, metrics);
            else if (counter == COMPUTED_FLOP_RATE)
                add_rate(result, metrics->list[m].name, result->flops, metrics);
        }
    }
}

/* ---- Bank conflicts ---- */

/* Returns the state of conflicts for a result without launches. Without the GPU's counters nothing is known of them. */
static enum value_state state_without_launches(const struct result *result)
{
    for (size_t i = 0; i < result->row_count; i++)
        if (result->rows[i].state == VALUE_NOT_SUPPORTED)
            return VALUE_NOT_SUPPORTED;
    return VALUE_NOT_APPLICABLE;
}

/* Returns the row of all passes through shared memory, or NULL. */
static const struct row *wavefronts_of(const struct result *result, const struct metrics *metrics)
{
    char wavefronts[128];
    snprintf(wavefronts, sizeof wavefronts, "%s.sum", line_counter_metric(LINE_SHARED));
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *row = result_measured(result, metrics->list[m].name);
        if (row && strcmp(metrics->list[m].counter, wavefronts) == 0)
            return row;
    }
    return NULL;
}

/* Returns whether the kernel is known to make no pass through shared memory at all. */
static bool has_no_wavefronts(const struct result *result, const struct metrics *metrics)
{
    const struct row *row = wavefronts_of(result, metrics);
    return row && row_equal_readings(row) > 0 && row_value(row) == 0;
}

/* Returns by how much the passes may be wrong, if they were computed and known only between two bounds. */
static double margin_of_wavefronts(const struct result *result, const struct metrics *metrics)
{
    const struct row *row = wavefronts_of(result, metrics);
    double margin = 0;
    for (size_t i = 0; row && row->session_count == 1 && i < row->sessions[0].count; i++)
        margin = fmax(margin, fabs(row->sessions[0].samples[i] - row_value(row)));
    return margin;
}

/* Returns why counts of the kernel depend on timing; NULL: none does. Caller frees. */
static char *reason_of_open(const struct result *result)
{
    for (size_t i = 0; i < result->row_count; i++)
        if (row_is_open(&result->rows[i]))
            return x_strdup(result->rows[i].reason);
    return NULL;
}

static void add_excess(struct result *result, const char *metric, const struct metrics *metrics, bool is_computed)
{
    const unsigned both = 1u << LINE_SHARED | 1u << LINE_SHARED_IDEAL;
    const bool counted = (result->profile.counted & both) == both;
    char *open = is_computed && !counted ? reason_of_open(result) : NULL;
    if (result->launch_count > 0 && !counted && !open && !has_no_wavefronts(result, metrics))
        return;
    const size_t session = result_session(result);
    struct row *row = result_add(result, metric);
    row_clear(row);
    row->state = open ? VALUE_NOT_COUNTED : state_without_launches(result);
    row->reason = open;
    if (open || result->launch_count == 0)
        return;
    const double excess =
        counted ? profile_total(&result->profile, LINE_SHARED) - profile_total(&result->profile, LINE_SHARED_IDEAL) : 0;
    const double margin = is_computed ? margin_of_wavefronts(result, metrics) : 0;
    const double bounds[] = {excess, fmax(excess - margin, 0), excess + margin};
    row_add_session(row, bounds, margin > 0 ? ARRAY_SIZE(bounds) : 1);
    if (row->state == VALUE_MEASURED)
        row->sessions[0].session = session;
}

void computed_complete(struct run *run, const struct metrics *metrics, const char *name)
{
    const bool is_computed = run_origin(run)->computed;
    for (size_t m = 0; m < metrics->count; m++) {
        if (computed_counter_of(&metrics->list[m]) != COMPUTED_EXCESS)
            continue;
        for (size_t i = 0; i < run->result_count; i++)
            if (run->results[i].status == RESULT_OK)
                add_excess(&run->results[i], metrics->list[m].name, metrics, is_computed);
    }
    run_apply_laws(run, metrics, name);
}
