/* estimate.h - how long a kernel takes, estimated by its counts, where no time says it: to weigh a change that made
 * some counts better and others worse. Pure. */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

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
    const char *unknown;    /* why it is not known: what the estimate was not calibrated for; else NULL */
    bool foreign;           /* of a GPU of another compute capability than the constants, which may be far off there */
    bool computed;          /* the counts were computed. Those that a GPU measured lack some, and have others */
    double sectors, stores; /* sectors of loads and stores together, and of stores alone */
    double waits, touched;  /* waits of a warp one after the other, and the sectors that one waits for */
    double least;           /* the sectors that the problem must move, as the kernel states them; 0: it does not */
};

/* Estimates how long all launches of a kernel take on the GPU. `known` is false where counts say too little. */
void estimate_time(struct estimate *estimate, const struct device *device, const struct result *result);

enum weighed { WEIGHED_OPEN, WEIGHED_FASTER, WEIGHED_SLOWER };

/* Weighs two sides of a kernel whose counts are mixed. It says faster or slower only where the answer stands whatever
 * one constant is wrong by its error. `why` gets the terms that moved most, or what is missing. */
enum weighed estimate_weigh(const struct estimate *was, const struct estimate *now, char *why, size_t size);

/* Lets both sides of a kernel reach memory alike, as estimate_share needs them. */
void estimate_pair(struct estimate *was, struct estimate *now);

/* Returns how much the term of a metric moved, as a share of the longer time, to order evidence by; 0: it has none. */
double estimate_share(const struct estimate *was, const struct estimate *now, const char *metric);

#endif
