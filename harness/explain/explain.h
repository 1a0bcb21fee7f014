/* explain.h - explains why a kernel is as fast as it is. It shows what its launches need of the GPU, how near it came
 * to the roofs, and on which source lines its warps spent their time. Pure. */
#pragma once

#include "base/base.h"
#include "cubin/cubin.h"

#include "diagnosis.h"
#include "differences.h"
#include "pattern.h"
#include "roofline.h"
#include "stall.h"
#include "upgrade.h"

#define EXPLAIN_STEPS 5     /* limit of steps: one for each resource */
#define EXPLAIN_LAUNCHES 32 /* how many launches are examined: the first ones, and the largest */
#define EXPLAIN_HOTSPOTS 20 /* lines kept for each pattern */

/* One launch of the explained kernel. Numbers that are not known are NaN. */
struct explained_launch {
    const struct launch *launch;
    bool known; /* the GPU and the resources of the code are known; else there is no occupancy */
    struct occupancy occupancy;
    struct occupancy_step steps[EXPLAIN_STEPS]; /* changes of one resource with which more warps would fit */
    size_t step_count;
    double threads;  /* threads of a block */
    double blocks;   /* blocks of the grid */
    double capacity; /* blocks that fit on the whole GPU at once */
    double waves;    /* how many waves of blocks the launch needs: blocks / capacity */
    size_t same_as;  /* index of the first launch with the same code, block and shared memory; maybe its own */
};

/* Why fewer warps were active than fit: a guess from the numbers of the largest launch. */
enum explained_gap {
    GAP_UNKNOWN,      /* an occupancy is not known, or the time where it matters */
    GAP_NONE,         /* at least 95 % of the warps that fit were active */
    GAP_FEW_BLOCKS,   /* the grid has fewer blocks than fit on the GPU at once */
    GAP_TAIL,         /* the last wave has far fewer blocks than fit */
    GAP_SHORT_KERNEL, /* the launch takes less than 5 us, of which starting and ending are a good part */
    GAP_SHORT_BLOCKS, /* a wave takes less than 5 us, so slots are often empty while blocks change */
    GAP_IMBALANCE,    /* none of the above: warps of a block, or blocks, end at different times */
    GAPS
};

const char *explained_gap_name(enum explained_gap gap); /* returns "few_blocks" and the like, for JSON */

struct explained_pattern {
    const struct pattern *pattern;
    enum explained_kind kind;
    bool known;
    double total;
    const char *of;                            /* for a fault: what it is a part of, "shared wavefronts"; else NULL */
    double whole, part;                        /* whole: the amount of what it is a part of; part: total / whole */
    struct hotspot hotspots[EXPLAIN_HOTSPOTS]; /* source lines, the largest amount first */
    size_t hotspot_count;
};

/* A warp stall reason, over all lines; the most frequent first. They are estimated if those of the profile are. */
struct explained_stall {
    const char *reason;
    double share;
};

struct explanation {
    const struct run *run;
    const struct result *result;
    const char *run_name; /* file that the run was read from, or NULL */
    bool replay;          /* the run was read from a file, not measured */
    enum exit_code exit_code;
    struct explained_launch *launches;
    size_t launch_count;
    double launches_in_all;                 /* number of launches, including repetitions */
    const struct explained_launch *largest; /* the launch with most threads; NULL without launches */
    double achieved;                        /* achieved occupancy of the kernel in % */
    enum explained_gap gap;
    struct roofline roofline;
    bool has_profile;
    struct explained_pattern *patterns; /* time first, then faults (the largest part first), then the others */
    size_t pattern_count;
    struct explained_stall *stalls;
    size_t stall_count;
};

/* Explains a result of the run, which must be ok. Borrows from run and result. */
void explain_make(struct explanation *explanation, const struct run *run, const struct result *result);
void explain_release(struct explanation *explanation);
