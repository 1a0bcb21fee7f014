/* sample.h - one reading of a metric: a number, or the reason why there is none. Also combines the launches of a sample
 * into one value. Pure. */
#pragma once

#include "metric.h"

/* The states of a reading. Only a measured one has a number. */
enum value_state {
    VALUE_MEASURED,
    VALUE_NOT_COUNTED,    /* the counter exists but reading it failed */
    VALUE_NOT_SUPPORTED,  /* this chip or collector lacks the counter */
    VALUE_NOT_APPLICABLE, /* the metric has no meaning here: branch efficiency without a branch */
    VALUE_STATES
};

/* Returns "measured", "not counted", "not supported" or "not applicable": the words in files and tables. */
const char *value_state_name(enum value_state state);

struct value {
    enum value_state state;
    double number; /* the reading's number; meaningful only when measured */
};

/* Combines the readings of all launches of one sample into one value for each metric.
 *
 * readings[launch * metrics->count + m] is metric m of that launch. A metric without a weight (counts, bytes, time) is
 * summed over launches. A metric with a weight is the mean weighted by that metric. That is exact for any ratio whose
 * denominator is the weight: (sum n) / (sum d) = sum (n/d * d) / sum d. When the weights add up to 0 the ratio is 0/0:
 * not applicable. When one launch has no reading, the sum has that launch's state.
 *
 * combined has space for metrics->count values. launches > 0. */
void sample_combine(const struct metrics *metrics, const struct value *readings, size_t launches,
                    struct value *combined);
