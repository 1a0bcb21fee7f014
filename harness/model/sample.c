#include "sample.h"

static const char *const state_names[VALUE_STATES] = {
    [VALUE_MEASURED] = "measured",
    [VALUE_NOT_COUNTED] = "not counted",
    [VALUE_NOT_SUPPORTED] = "not supported",
    [VALUE_NOT_APPLICABLE] = "not applicable",
};

const char *value_state_name(enum value_state state)
{
    return state_names[state];
}

/* Adds up the readings of all launches. If one launch has no number, neither has the sum. */
static struct value add_up(const struct value *readings, size_t stride, size_t launches)
{
    struct value sum = {VALUE_MEASURED, 0};
    for (size_t launch = 0; launch < launches; launch++) {
        const struct value *reading = &readings[launch * stride];
        if (reading->state != VALUE_MEASURED)
            return *reading;
        sum.number += reading->number;
    }
    return sum;
}

static struct value weighed_mean(const struct value *readings, const struct value *weights, size_t stride,
                                 size_t launches)
{
    const struct value total = add_up(weights, stride, launches);
    if (total.state != VALUE_MEASURED)
        return total;
    if (total.number <= 0)
        return (struct value){VALUE_NOT_APPLICABLE, 0};
    struct value mean = {VALUE_MEASURED, 0};
    for (size_t launch = 0; launch < launches; launch++) {
        const struct value *reading = &readings[launch * stride];
        const double weight = weights[launch * stride].number;
        if (weight <= 0)
            continue; /* 0/0 in this launch: it does not count in the mean */
        if (reading->state != VALUE_MEASURED)
            return *reading;
        /* Dividing first leaves the reading of a single launch exact to the last bit. */
        mean.number += reading->number * (weight / total.number);
    }
    return mean;
}

void sample_combine(const struct metrics *metrics, const struct value *readings, size_t launches,
                    struct value *combined)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const struct metric *metric = &metrics->list[m];
        if (metric->weight) {
            const size_t w = metrics_index(metrics, metric->weight);
            combined[m] = weighed_mean(&readings[m], &readings[w], metrics->count, launches);
        } else {
            combined[m] = add_up(&readings[m], metrics->count, launches);
        }
    }
}
