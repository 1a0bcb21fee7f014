/* computed_counters.h - counters that no hardware has, because cugate computes them. A metric asks for one with
 * `counter = cugate.NAME`. */
#pragma once

#include "metric.h"

/* To add a counter: a name here, a row in computed_counters.c, and its value in the file that enum metric_source
 * names. */
enum computed_counter {
    COMPUTED_NONE,      /* not computed: the hardware counts this metric */
    COMPUTED_WALL_TIME, /* ns from before the launch until the device is idle, by the host's clock: for transfers and
                           host time */
    COMPUTED_BANDWIDTH, /* bandwidth in B/s: stated bytes / time */
    COMPUTED_FLOP_RATE, /* arithmetic rate in FLOP/s: stated flops / time */
    COMPUTED_REGISTERS, /* registers of a thread; the maximum over all launches */
    COMPUTED_LOCAL, /* bytes of local memory of a thread, where spilled registers live; the maximum over all launches */
    COMPUTED_LOCAL_ACCESSES, /* instructions of the code that read or write it; the maximum over all launches */
    COMPUTED_SHARED,         /* bytes of shared memory of a block, static and dynamic; the maximum over all launches */
    COMPUTED_OCCUPANCY,      /* theoretical occupancy in %: warps that fit on an SM, of its limit; the minimum over all
                                launches */
    COMPUTED_EXCESS,         /* shared wavefronts beyond the ideal number, summed over instructions */
    COMPUTED_LAUNCHES,       /* launches in one run of an unmodified program */
    COMPUTED_PROCESSES,      /* processes of it that launched */
    COMPUTED_GPU_TIME,       /* ns that all its launches took together, by CUPTI's activity records */
    COMPUTED_BUSY_TIME,      /* the same, where kernels that run at a time count once */
    COMPUTED_ELAPSED,        /* ns from the first to the last work on the GPU */
    COMPUTED_COMPUTING,      /* the part of that, in ns, which the process that computes longest computes, */
    COMPUTED_COMMUNICATION,  /* and which its collectives take */
    COMPUTED_SYNCHRONIZATIONS, /* calls by which the host waited for the GPU */
    COMPUTED_ALLOCATIONS,      /* of memory, without those in the order of a stream */
    COMPUTED_STREAM_CALLS,     /* calls that put anything else into a stream than what it counts by itself */
    COMPUTED_COPIES,           /* copies of memory that the GPU made for it */
    COMPUTED_COPY_BYTES,
    COMPUTED_COPY_TIME,           /* ns */
    COMPUTED_HOST_COPY_BYTES,     /* of copies from or to memory of the host, */
    COMPUTED_PAGEABLE_COPY_BYTES, /* and of those where that is not pinned */
    COMPUTED_LONGEST_CHAIN,       /* launches and copies that come one behind the other */
    COMPUTED_HOST_CALLS,          /* calls that launch, and that make or free what is launched with */
    COMPUTED_PROGRAMMATIC,        /* launches that may begin before the one before has ended */
    COMPUTED_COPY_ROWS,           /* rows of copies beyond the first of each */
    COMPUTED_FILLS,               /* how often the GPU set memory for it */
    COMPUTED_FILL_BYTES,
    COMPUTED_FILL_TIME, /* ns */
    COMPUTED_REFUSED,   /* how many of its launches returned an error */
    COMPUTED_GPU_BUSY,  /* % of the time from its first to its last work, without that in which something is measured */
    COMPUTED_FIRST_PART, /* 1: a kernel that it launched only before the longest stretch without a new one; else 0 */
    COMPUTED_BALANCE,    /* blocks of the launches, as a share in % of those that there would be if each SM had as many
                            as the one with most */
    COMPUTED_KERNEL_LAUNCHES,  /* launches of one sample of a kernel */
    COMPUTED_LOAD_WAITS,       /* warps that wait for loads from global memory */
    COMPUTED_ATOMICS,          /* threads' atomics on global memory */
    COMPUTED_ATOMIC_MEETINGS,  /* those of lanes that meet an earlier lane of their warp at an address */
    COMPUTED_HOTTEST,          /* atomics at the address that most come to, in one launch */
    COMPUTED_CONSTANT_REPLAYS, /* turns beyond the first of reads of constant memory */
    COMPUTED_OUTSIDE_WAITS,    /* instructions, as if each wait for a barrier in memory looked once */
    COMPUTED_LOCAL_SECTORS,    /* sectors of local memory that are loaded and stored */
    /* From here on the estimate has no term for them. */
    COMPUTED_LONGEST_WARP,  /* instructions of the warp that executes most, of each launch */
    COMPUTED_BUSIEST_BLOCK, /* and of the block */
    COMPUTED_SLOW,          /* cycles for which instructions hold slow pipes */
    COMPUTED_BARRIERS,      /* barriers, and fences as so many */
    COMPUTED_SLEEP,         /* ns for which warps ask to sleep */
    COMPUTED_PAST_L1,       /* sectors of loads that the L1 does not answer, and of copies of the hardware */
    COMPUTED_HOST_BYTES,    /* bytes that a kernel accesses in memory of the host, */
    COMPUTED_MANAGED_BYTES, /* and in managed memory */
    COMPUTED_CONVERTED,     /* threads whose instruction of halves is no arithmetic */
    COMPUTED_COUNTERS
};

/* Which part of the program computes the rows of a metric. */
enum metric_source {
    SOURCE_SAMPLES, /* backends do, which also read the hardware's counters: worker/samples.h */
    SOURCE_RUN,     /* the parent process does, from times and source lines: measure/computed.h */
    SOURCE_CODE,    /* the parent process does, from the machine code of the launched functions: cubin/static_facts.h */
    SOURCE_CODE_ALONE, /* likewise, and only where nothing ran (`check --static`): else its accesses are counted */
    SOURCE_SIMULATION, /* only the simulator does, sim/counters.c: no GPU counts them, so no measured run has the rows
                        */
    SOURCE_LAUNCHES,   /* no file has the rows: the judge reads them off the launches of both sides, judge/compare.c */
    SOURCE_PROGRAM     /* the parent process does, from the launches of a program: measure/program_total.c. Machine code
                          determines none of it */
};

enum computed_counter computed_counter_of(const struct metric *metric);

/* Returns whether it asks for that counter: the same, and faster where many metrics are asked. */
bool is_computed(const struct metric *metric, enum computed_counter counter);

enum metric_source metric_source(const struct metric *metric);

/* Whether the metric is measured only on demand, in a process of its own. A row without such a number is no fault. */
bool metric_is_on_demand(const struct metric *metric);

/* Puts the names of up to `capacity` computed counters, such as "cugate.wall_time", into names. Returns how many
 * exist. */
size_t computed_counter_names(const char **names, size_t capacity);
