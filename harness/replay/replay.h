/* replay.h - how long a launch takes: the warps of one SM, as they were recorded (machine/record.h), issue their
 * instructions cycle by cycle. A warp's next one is issued when the machine code's stall is over, the scoreboards that
 * it names are free, and the unit of its scheduler is. Accesses to memory go through the L1, whose lines are known by
 * address, and then wait in queues for the L2 and DRAM, of which the SM has its share. Pure.
 *
 * In the manner of GPUs since Volta, as Huerta et al. describe them ("Analyzing Modern NVIDIA GPU cores",
 * arXiv 2503.20481, 2025). */
#pragma once

#include "stalled.h"
#include "timing.h"

#include "machine/machine.h"

/* Times of one version and of the same constants are comparable. */
enum { REPLAY_VERSION = 4 };

/* What a launch moves to and from memory, by what one SM does. */
struct traffic {
    /* For each place of the recorder, and for what is in none, which part of the sectors that the SM touches first it
     * has to bring from DRAM itself: others may touch the same ones, since all together cannot touch more than the
     * allocation has, nor those that work at once more than lies between their blocks. What the L2 cannot keep
     * comes again. */
    double *shares;
    double stored; /* bytes that all SMs store */
    double whole;  /* and which part of the sectors where they do */
    double serial; /* atomics of all SMs that come one after the other, since they are in one line */
};

/* What a launch is made of beside its warps. */
struct replayed {
    const struct function *function;
    const struct recorder *recorder;
    const unsigned char *rows;                    /* as replay_rows() returns them */
    struct traffic traffic;                       /* as replay_traffic() returns it */
    size_t l1_bytes;                              /* that the L1 has beside shared memory */
    double atomics, meetings, hottest, addresses; /* of the whole launch, as struct tally has them */
    struct stalls *stalls; /* for each instruction, zeros: is set to its part of the time, in ns; NULL: nobody asks */
};

/* What the time of a launch is bounded by, most of all. */
enum bound_by {
    BOUND_BY_LATENCY, /* none of the others is busy for most of the time */
    BOUND_BY_ISSUE,
    BOUND_BY_UNIT, /* one of arithmetic */
    BOUND_BY_L1,   /* the L1 and shared memory */
    BOUND_BY_L2,
    BOUND_BY_DRAM,
    BOUND_BY_ATOMICS,
    BOUND_BY_CONSTANTS,
    BOUND_BYS
};
const char *bound_by_name(enum bound_by by); /* "latency", "issue of instructions", ... */
/* Returns the factor within which the time of 9 of 10 kernels is that are bounded so; of a chip whose constants were
 * not measured it is larger. */
double bound_by_error(enum bound_by by, const struct chip *chip);

/* The time of a launch, and how long each bound would take alone. */
struct replay_time {
    double ns;
    double busy[BOUND_BYS]; /* ns */
};

/* Returns which row of the table of needs.c each instruction of a function has, the same for all constants. Caller
 * frees. In needs.c. */
unsigned char *replay_rows(const struct function *function);
/* Finds it, for an L2 as `timing` has it. Caller frees `shares`. In traffic.c. */
struct traffic replay_traffic(const struct recorder *recorder, const struct timing *timing);
/* The place of a sector among the recorder's; as many as there are: it is in none. */
size_t traffic_place(const struct recorder *recorder, uint32_t sector);

/* Returns why the time of a launch cannot be modelled, by the instructions that were executed, and sets
 * *where to the first such one; NULL: it can. `tallies` is of the launch. */
const char *replay_refused(const struct grid *grid, const struct tally *tallies, size_t *where);

/* Replays a launch, of each warp at most so many instructions. */
struct replay_time replay(const struct replayed *launch, const struct chip *chip, uint64_t most);
