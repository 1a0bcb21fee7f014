/* exact_counters.h - counters of the GPU that machine code and inputs alone decide, whatever the GPU does meanwhile: so
 * a simulation has them to the digit. */
#ifndef EXACT_COUNTERS_H
#define EXACT_COUNTERS_H

#include "model/model.h"

#include <stdbool.h>

/* To add one: a name here, a row in exact_counters.c, and how it is counted in sim/counters.c. */
enum exact_counter {
    EXACT_INSTRUCTIONS,
    EXACT_THREADS_PER_INSTRUCTION,
    EXACT_BRANCH_TARGETS,
    EXACT_DIVERGENT_TARGETS,
    EXACT_BRANCH_EFFICIENCY,
    EXACT_SHARED_WAVEFRONTS,
    EXACT_GLOBAL_LOAD_SECTORS,
    EXACT_GLOBAL_LOADS,
    EXACT_GLOBAL_STORE_SECTORS,
    EXACT_GLOBAL_STORES,
    EXACT_LOCAL_LOAD_SECTORS,
    EXACT_LOCAL_STORE_SECTORS,
    EXACT_FP64,
    EXACT_FP64_FUSED,
    EXACT_FP32,
    EXACT_FP32_FUSED,
    EXACT_FP16,
    EXACT_FP16_FUSED,
    EXACT_COUNTERS
};

/* The one that a metric is, by any of its counter's names; EXACT_COUNTERS when it is none. */
enum exact_counter exact_counter_of(const struct metric *metric);

/* Whether a metric follows from these counters and from the machine code. */
bool exact_provides(const struct metric *metric);

#endif
