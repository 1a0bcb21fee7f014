#include "collector.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* To add a collector: write collect_<name>.c and add a row. */
static const struct collector *const collectors[] = {
    &collector_cupti,
    &collector_host,
};

const struct collector *const *collector_list(size_t *count)
{
    *count = ROWS(collectors);
    return collectors;
}

const struct collector *collector_find(const char *name)
{
    for (size_t i = 0; i < ROWS(collectors); i++) {
        if (strcmp(collectors[i]->name, name) == 0)
            return collectors[i];
    }
    return NULL;
}

/* The sample's time in ns: the GPU's own where there is one, else the host's; 0 when neither was measured. */
static double sample_time(const struct metrics *metrics, const struct value *sample)
{
    double time = 0;
    for (size_t m = 0; m < metrics->count; m++) {
        if (sample[m].state != VALUE_MEASURED)
            continue;
        if (strcmp(metrics->list[m].counter, COUNTER_TIME) == 0)
            return sample[m].number;
        if (strcmp(metrics->list[m].counter, COUNTER_WALL_TIME) == 0)
            time = sample[m].number;
    }
    return time;
}

static struct value rate(double amount, double time_ns)
{
    if (amount <= 0)
        return (struct value){VALUE_NOT_APPLICABLE, 0};
    if (time_ns <= 0)
        return (struct value){VALUE_NOT_COUNTED, 0};
    return (struct value){VALUE_MEASURED, amount / time_ns * 1e9};
}

/* Facts of the machine code are nobody's to measure: resources.h adds them. */
static bool is_static_fact(const char *counter)
{
    static const char *const measured[] = {COUNTER_WALL_TIME, COUNTER_BANDWIDTH, COUNTER_FLOP_RATE};
    bool is_measured = strncmp(counter, "cugate.", 7) != 0;
    for (size_t i = 0; i < ROWS(measured) && !is_measured; i++)
        is_measured = strcmp(counter, measured[i]) == 0;
    return !is_measured;
}

void collector_fill(struct result *result, const struct metrics *metrics, struct value *values, size_t samples)
{
    for (size_t s = 0; s < samples; s++) {
        struct value *sample = &values[s * metrics->count];
        const double time = sample_time(metrics, sample);
        for (size_t m = 0; m < metrics->count; m++) {
            if (strcmp(metrics->list[m].counter, COUNTER_BANDWIDTH) == 0)
                sample[m] = rate(result->bytes, time);
            else if (strcmp(metrics->list[m].counter, COUNTER_FLOP_RATE) == 0)
                sample[m] = rate(result->flops, time);
        }
    }
    double *numbers = x_calloc(samples, sizeof *numbers);
    for (size_t m = 0; m < metrics->count; m++) {
        if (is_static_fact(metrics->list[m].counter))
            continue;
        struct row *row = result_add(result, metrics->list[m].name);
        row->state = VALUE_MEASURED;
        for (size_t s = 0; s < samples; s++) {
            const struct value *value = &values[s * metrics->count + m];
            if (value->state != VALUE_MEASURED)
                row->state = value->state;
            numbers[s] = round_value(value->number);
        }
        if (row->state == VALUE_MEASURED)
            row_add_session(row, numbers, samples);
    }
    free(numbers);
}
