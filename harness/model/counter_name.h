/* counter_name.h - takes names of CUPTI's counters apart: "smsp__sass_inst_executed.sum" is of the unit smsp, counts in
 * instrumented code, and ends with the rollup ".sum". Pure. */
#pragma once

#include "metric.h"

struct counter_name {
    const char *text;  /* borrowed; the name ends after `length` characters, not with a NUL */
    size_t length;     /* length of the whole name */
    size_t base;       /* length of what is before rollup and submetric: "smsp__sass_inst_executed" */
    bool instrumented; /* code that CUPTI puts into the kernel counts it, so the kernel runs several times as long */
};

/* Splits the name at the beginning of a text, up to a blank. */
struct counter_name counter_split(const char *text);

/* Iterates over the names in a metric's `counter`: *rest begins as that text. Returns false at the end. */
bool counter_next(const char **rest, struct counter_name *name);

/* Whether a metric has the counter of that whole name among its own. */
bool metric_has_counter(const struct metric *metric, const char *counter);

/* Whether instrumented code counts the metric on some chip. */
bool metric_is_instrumented(const struct metric *metric);

/* Whether its number need not be read again where machine code, launches and inputs are the baseline's. */
bool metric_may_be_known(const struct metric *metric);
