/* explain.h - why a kernel is as fast as it is: what its launches take of the GPU, how near it came to the roofs, and
 * which source lines its warps spent their time on. Pure. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "base/base.h"
#include "cubin/cubin.h"

#include "diagnosis.h"
#include "pattern.h"
#include "roofline.h"
#include "stall.h"

#include <stdio.h>

#define EXPLAIN_STEPS 5     /* a launch has one for each resource at most */
#define EXPLAIN_LAUNCHES 32 /* the first so many, and the largest, are looked at closely */
#define EXPLAIN_HOTSPOTS 20 /* lines kept of a pattern */

/* Numbers that are not known are NaN in all of these. */
struct explained_launch {
    const struct launch *launch;
    bool known; /* what the code takes, and the GPU: else there is no occupancy */
    struct occupancy occupancy;
    struct occupancy_step steps[EXPLAIN_STEPS]; /* what would let more warps in */
    size_t step_count;
    double threads;  /* of a block */
    double blocks;   /* of the grid */
    double capacity; /* blocks that the whole GPU holds at once */
    double waves;    /* blocks / capacity */
    size_t same_as;  /* the first launch with the same code, block and shared memory: maybe this one */
};

/* Why fewer warps were active than fit: a guess from the numbers of the largest launch. */
enum explained_gap {
    GAP_UNKNOWN,      /* one of the two occupancies is not known, or the time where it matters */
    GAP_NONE,         /* at least 95 % of what fits was active */
    GAP_FEW_BLOCKS,   /* the grid does not fill the GPU once */
    GAP_TAIL,         /* the last wave of blocks is far from full */
    GAP_SHORT_KERNEL, /* starting and ending are a good part of less than 5 us */
    GAP_SHORT_BLOCKS, /* a wave takes less than 5 us, so places are empty while blocks change */
    GAP_IMBALANCE,    /* none of these: warps of a block, or blocks, end at different times */
    GAPS
};

const char *explained_gap_name(enum explained_gap gap); /* "few_blocks" */

struct explained_pattern {
    const struct pattern *pattern;
    enum explained_kind kind;
    bool known;
    double total;
    const char *of;                            /* of a fault: what it is a part of, "shared wavefronts"; else NULL */
    double whole, part;                        /* how much that is, and total / whole */
    struct hotspot hotspots[EXPLAIN_HOTSPOTS]; /* most first */
    size_t hotspot_count;
};

/* Why warps waited, over all lines; most first. */
struct explained_stall {
    const char *reason;
    double share;
};

struct explanation {
    const struct run *run;
    const struct result *result;
    const char *run_name; /* file of the run, or NULL */
    bool replay;          /* nothing was measured here */
    enum exit_code exit_code;
    struct explained_launch *launches;
    size_t launch_count;
    double launches_in_all;                 /* with repetitions */
    const struct explained_launch *largest; /* with the most threads; NULL without launches */
    double achieved;                        /* occupancy, % */
    enum explained_gap gap;
    struct roofline roofline;
    bool has_profile;
    struct explained_pattern *patterns; /* time first, then faults by part, most first, then the others */
    size_t pattern_count;
    struct explained_stall *stalls;
    size_t stall_count;
};

/* Borrows from run and result, one of the run's that is ok. */
void explain_make(struct explanation *explanation, const struct run *run, const struct result *result);
void explain_release(struct explanation *explanation);

#endif
