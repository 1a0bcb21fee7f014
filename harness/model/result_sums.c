#include "computed_counters.h"
#include "exact_counters.h"
#include "result.h"

enum { SAMPLES = 3 }; /* of a count between two bounds: itself, and these */

/* Launches without waits have no row of what is outside of these: it is all that they execute. */
static const struct row *row_of(const struct result *result, const struct metrics *metrics, size_t m)
{
    const struct row *row = result_find(result, metrics->list[m].name);
    for (size_t k = 0; !row && is_computed(&metrics->list[m], COMPUTED_OUTSIDE_WAITS) && k < metrics->count; k++)
        if (exact_counter_of(&metrics->list[k]) == EXACT_INSTRUCTIONS)
            row = result_find(result, metrics->list[k].name);
    return row;
}

/* Nothing at all reads 0. Another row that only other launches have is not counted in these. */
static void read_rows(const struct result *result, const struct metrics *metrics, size_t sample, struct value *readings)
{
    const enum value_state absent = result->row_count > 0 ? VALUE_NOT_COUNTED : VALUE_MEASURED;
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *row = row_of(result, metrics, m);
        readings[m] = (struct value){.state = row ? row->state : absent};
        if (row && row->state == VALUE_MEASURED)
            readings[m].number = row->sessions[0].samples[row->sessions[0].count == SAMPLES ? sample : 0];
    }
}

/* Sets the row to a value and its bounds, which may all be one. The reason stays. */
static void set_row(struct row *row, enum value_state state, const double numbers[SAMPLES])
{
    char *reason = row->reason;
    row->reason = NULL;
    row_clear(row);
    row->state = state;
    row->reason = reason;
    if (state == VALUE_MEASURED)
        row_add_session(row, numbers, numbers[1] == numbers[2] ? 1 : SAMPLES);
}

void result_add_up(struct result *result, const struct result *more, const struct metrics *metrics)
{
    const size_t count = metrics->count;
    OWNED_MEMORY struct value *readings = x_calloc(2 * count, sizeof *readings),
                              *sums = x_calloc(SAMPLES * count, sizeof *sums);
    for (size_t i = 0; i < SAMPLES; i++) {
        read_rows(result, metrics, i, readings);
        read_rows(more, metrics, i, readings + count);
        sample_combine(metrics, readings, 2, &sums[i * count]);
    }
    for (size_t m = 0; m < count; m++) {
        const struct row *other = result_find(more, metrics->list[m].name);
        struct row *row = result_find(result, metrics->list[m].name);
        if (!row && !other)
            continue;
        row = row ? row : result_add(result, metrics->list[m].name);
        if (!row->reason && other)
            row->reason = x_strdup(other->reason);
        set_row(row, sums[m].state,
                (const double[]){sums[m].number, sums[count + m].number, sums[2 * count + m].number});
    }
}

void result_divide(struct result *result, const struct metrics *metrics, double count)
{
    for (size_t m = 0; m < metrics->count; m++) {
        struct row *row = metrics->list[m].weight ? NULL : result_find(result, metrics->list[m].name);
        for (size_t i = 0; row && row->state == VALUE_MEASURED && i < row->sessions[0].count; i++)
            row->sessions[0].samples[i] = round_value(row->sessions[0].samples[i] / count);
    }
}

bool result_counts_alike(const struct result *one, const struct result *other)
{
    bool alike = one->row_count == other->row_count;
    for (size_t r = 0; alike && r < one->row_count; r++) {
        const struct row *a = &one->rows[r], *b = &other->rows[r];
        alike = strcmp(a->metric, b->metric) == 0 && a->state == b->state;
        for (size_t i = 0; alike && a->state == VALUE_MEASURED && i < SAMPLES; i++)
            alike = a->sessions[0].samples[a->sessions[0].count == SAMPLES ? i : 0] ==
                    b->sessions[0].samples[b->sessions[0].count == SAMPLES ? i : 0];
    }
    return alike;
}
