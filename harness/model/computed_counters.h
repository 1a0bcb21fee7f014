/* computed_counters.h - counters that no hardware has: what cugate works out itself. A metric asks for one with
 * `counter = cugate.NAME`. */
#ifndef COMPUTED_COUNTERS_H
#define COMPUTED_COUNTERS_H

#include "metric.h"

#include <stdbool.h>
#include <stddef.h>

/* To add one: a name here, a row in computed_counters.c, and its value where its kind is filled in. */
enum computed_counter {
    COMPUTED_NONE,      /* the hardware has it */
    COMPUTED_WALL_TIME, /* ns by the host's clock from before the launch until the device is idle: transfers, host */
    COMPUTED_BANDWIDTH, /* stated bytes / time, in B/s */
    COMPUTED_FLOP_RATE, /* stated flops / time, in FLOP/s */
    COMPUTED_REGISTERS, /* of a thread; the most of any launch */
    COMPUTED_LOCAL,     /* bytes of local memory of a thread, where spilled registers live; the most of any launch */
    COMPUTED_SHARED,    /* bytes of shared memory of a block, static and dynamic; the most of any launch */
    COMPUTED_OCCUPANCY, /* warps that fit on an SM as a share of the most, in %; the least of any launch */
    COMPUTED_EXCESS,    /* shared wavefronts beyond the ideal, summed over instructions */
    COMPUTED_COUNTERS
};

/* Who fills in the rows of a metric. */
enum metric_source {
    SOURCE_SAMPLES, /* backends, which read the hardware's counters as well: worker/samples.h */
    SOURCE_RUN,     /* the parent, from times and from source lines: measure/computed.h */
    SOURCE_CODE /* the parent, from the machine code of the functions that a kernel launches: cubin/static_facts.h */
};

enum computed_counter computed_counter_of(const struct metric *metric);
enum metric_source metric_source(const struct metric *metric);

/* Whether it is counted for a kernel only when someone asks, in a process of its own: having no number is no fault. */
bool metric_is_on_demand(const struct metric *metric);

/* Puts the names of up to `capacity` of them into names, "cugate.wall_time", and returns how many there are. */
size_t computed_counter_names(const char **names, size_t capacity);

#endif
