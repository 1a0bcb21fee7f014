/* estimate.h - how much of a kernel's time each of its counts explains, so that what costs most is told first. It
 * decides nothing. Pure. */
#pragma once

#include "model/model.h"

/* The parts of the time: the table of estimate.c says what each is, and of which metrics. */
enum estimate_term {
    ESTIMATE_ISSUE,
    ESTIMATE_SHARED,
    ESTIMATE_L1,
    ESTIMATE_TRAFFIC,
    ESTIMATE_PARTIAL,
    ESTIMATE_ATOMICS,
    ESTIMATE_HOTTEST,
    ESTIMATE_CONSTANTS,
    ESTIMATE_FP64,
    ESTIMATE_WAITS,
    ESTIMATE_BLOCKS,
    ESTIMATE_LOCAL,
    ESTIMATE_LAUNCHES,
    ESTIMATE_TERMS
};

struct estimate {
    double terms[ESTIMATE_TERMS]; /* ns, each as if it were alone */
    double time;                  /* ns, of all together */
    bool known;
    bool computed;          /* the counts were computed. Those that a GPU measured lack some, and have others */
    double sectors, stores; /* sectors of loads and stores together, and of stores alone */
    double waits, touched;  /* waits of a warp one after the other, and the sectors that one waits for */
    double least;           /* the sectors that the problem must move, as the kernel states them; 0: it does not */
};

/* Estimates how long all launches of a kernel take on the GPU. `known` is false where counts say too little. */
void estimate_time(struct estimate *estimate, const struct device *device, const struct result *result);

/* Lets both sides of a kernel reach memory alike, as estimate_share needs them: what neither can avoid is no more than
 * the lesser of them moves. */
void estimate_pair(struct estimate *was, struct estimate *now);

/* Returns how much the term of a metric moved, as a share of the longer time, to order evidence by; 0: it has none. */
double estimate_share(const struct estimate *was, const struct estimate *now, const char *metric);
