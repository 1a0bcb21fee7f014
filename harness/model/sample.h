/* sample.h - what came of reading one metric: a number, or the reason there is none; and how the launches of one sample
 * become one value. Pure. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "metric.h"

#include <stddef.h>

/* Different words for different things: none of the last three is ever a number. */
enum value_state {
    VALUE_MEASURED,
    VALUE_NOT_COUNTED,    /* the counter exists but reading it failed */
    VALUE_NOT_SUPPORTED,  /* this chip or collector does not have the counter */
    VALUE_NOT_APPLICABLE, /* the question has no answer here: branch efficiency without a branch */
    VALUE_STATES
};

/* "measured", "not counted", "not supported", "not applicable": the words in files and tables. */
const char *value_state_name(enum value_state state);

/* The state of that name, or VALUE_STATES when there is none. */
enum value_state value_state_of(const char *name);

struct value {
    enum value_state state;
    double number; /* meaningful only when measured */
};

/* Turns the values of every launch of one sample into one value a metric.
 *
 * readings[launch * metrics->count + m] is metric m of that launch. A metric without a weight adds up over launches
 * (counts, bytes, time). A metric with a weight is the mean weighed by that metric, which is exact for any ratio whose
 * denominator is the weight: (sum n) / (sum d) = sum (n/d * d) / sum d. When the weights add up to 0 the ratio is 0/0:
 * not applicable. One launch whose reading is missing makes the sum missing, with that launch's state.
 *
 * combined has room for metrics->count values. launches > 0. */
void sample_combine(const struct metrics *metrics, const struct value *readings, size_t launches,
                    struct value *combined);

#endif
