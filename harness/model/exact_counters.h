/* exact_counters.h - hardware counters that depend on machine code and inputs alone, so that a simulation computes them
 * to the digit. */
#pragma once

#include "metric.h"

/* To add a counter: a name here, a row in exact_counters.c, and how it is counted in sim/counters.c. */
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
    EXACT_FP16_CONVERTED,
    EXACT_FP16,
    EXACT_FP16_FUSED,
    EXACT_LOAD_WAITS,
    EXACT_ATOMICS,
    EXACT_ATOMIC_MEETINGS,
    EXACT_HOTTEST,
    EXACT_CONSTANT_REPLAYS,
    EXACT_LOCAL_SECTORS,
    EXACT_LONGEST_WARP,
    EXACT_BUSIEST_BLOCK,
    EXACT_SLOW,
    EXACT_BARRIERS,
    EXACT_SLEEP,
    EXACT_PAST_L1,
    EXACT_HOST_BYTES,
    EXACT_MANAGED_BYTES,
    EXACT_OUTSIDE_WAITS,
    EXACT_COUNTERS
};

/* Returns the exact counter that a metric reads, by any of the metric's alternatives; EXACT_COUNTERS when it reads
 * none. */
enum exact_counter exact_counter_of(const struct metric *metric);

/* Whether it counts threads whose guard is true. */
bool exact_counts_threads(enum exact_counter counter);

/* Whether a metric can be computed from these counters and the machine code. */
bool exact_provides(const struct metric *metric);
