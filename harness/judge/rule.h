/* rule.h - when a value is worse: the arithmetic of the verdict, on numbers alone. Pure.
 *
 * A value is worse when it moved in its metric's bad direction by more than
 *
 *     limit = max(floor, t(alpha, S - 1) * s * sqrt(1 / r + 1 / S))
 *
 * S sessions in the baseline, s their standard deviation (of n - 1), r sessions in the run, t the quantile of Student's
 * distribution: the prediction interval for the mean of r further sessions. One-sided, alpha RULE_ALPHA. */
#ifndef RULE_H
#define RULE_H

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

#define RULE_ALPHA 0.001          /* how often a metric whose sessions are normal moves beyond its limit by itself */
#define RULE_POWER 0.99           /* how surely the smallest detectable change is caught */
#define RULE_MARGIN 0.01          /* a pair counts as slower from this share on */
#define RULE_GPUS 8               /* GPUs that a baseline needs to know how those of a model differ */
#define RULE_OTHER_GPU_LIMITS 3   /* limits that steady rows may move on a GPU new to the baseline, by the same code */
#define RULE_PAIRS 14             /* pairs that settle a time */
#define RULE_EARLY 4              /* pairs from which on a large change settles it */
#define RULE_PAIR_SPREAD 0.01     /* of ln(head / base) of a pair: that few pairs show less is chance */
#define RULE_DOUBT 0.05           /* pairs that are worse more often than this chance are no pass */
#define RULE_SUITE_SHIFT 0.03     /* beyond this shift the whole suite moved, and no time is judged */
#define RULE_DRIFT 10             /* kernels that it takes to know the suite's shift */
#define RULE_DRIFT_REFERENCE 0.05 /* slow drift: this far past the reference is worse although each step passed */
#define RULE_SAME_CODE 0.1        /* the same code explains so much of a time: 8.3 % in 25 clean nights of 62 kernels */
#define RULE_INEXACT 0.01         /* floor of an exact metric that ceased to repeat, as a share of its value */
#define RULE_BLIND 0.25           /* a row with a larger limit, as a share of its value, can hardly fail */
#define RULE_CLOCK 0.02           /* a clock further off is another condition */
#define RULE_MODES 0.02           /* two modes of samples further apart than this are two things, not one */
#define RULE_SHORT 10e3           /* ns: of launches of a program below this only what repeats to the digit is judged */
#define RULE_FEW_BYTES 4e6        /* of a program's traffic, which depends on what its caches hold: below, none is */
#define RULE_SAMPLES_AT_CLOCK 0.8 /* share of the samples that must have been taken at the clock of the others */

/* What the sessions of a baseline say about one value. */
struct spread {
    double mean;
    double deviation; /* 0 for one session */
    size_t sessions;
};

/* Of a measured row. */
struct spread rule_spread(const struct row *row);

/* t(alpha, sessions - 1) without its price: the caller keeps the struct for many rows. Start with {0}. */
struct quantiles {
    size_t sessions;
    double alpha, power;
};

/* The limit for a run of `run_sessions` sessions; the floor alone for a baseline of one session. */
double rule_limit(struct quantiles *quantiles, double floor, const struct spread *base, size_t run_sessions);

/* The smallest change that the limit catches with RULE_POWER; NAN when one session says nothing about it. */
double rule_detectable(struct quantiles *quantiles, double floor, const struct spread *base, size_t run_sessions);

/* The floor of a metric for a baseline value; for exact and static metrics 0. */
double rule_floor(const struct metric *metric, double base);

/* Below so many baseline sessions a metric of that class is provisional: what moved is unsure, never regressed. In
 * return its limit is no more than RULE_DRIFT_REFERENCE of the value, or the floor. */
size_t rule_sessions_needed(enum metric_class class);

/* The least number of `pairs` beyond RULE_MARGIN that chance explains with a probability of at most alpha: exact
 * binomial for a probability of one half. pairs + 1 when no number is enough. */
size_t rule_pairs_needed(size_t pairs, double alpha);

enum paired {
    PAIRED_UNDECIDED,
    PAIRED_SAME,
    PAIRED_WORSE,
    PAIRED_BETTER,
    PAIRED_DOUBTFUL /* too few worse ones to fail, and more than chance explains at RULE_DOUBT */
};

/* What the pairs of a row say, or that RULE_PAIRS of them cannot be decided yet. The same answer for the pairs so far
 * as for all of them: so measuring may stop as soon as it is decided. Counts in *worse and *better, which may be NULL.
 *
 * Two tests share RULE_ALPHA. Counting: 13 of 14 pairs beyond RULE_MARGIN are 0.00092 by chance, whatever the noise. By
 * size, for what is large: from RULE_EARLY pairs on, when each is beyond RULE_MARGIN, and so is the low end of their
 * mean,
 *
 *     mean(d) - t(a, n - 1) * max(s, RULE_PAIR_SPREAD) / sqrt(n) > ln(1 + RULE_MARGIN),    d = ln(head / base)
 *
 * where a is what counting leaves, in equal parts for nine looks, at 4 to 12 pairs (Bonferroni: 9e-6 each). Pairs that
 * happen to agree say little of the spread, so it is taken for no less than RULE_PAIR_SPREAD, which that of equal
 * builds exceeds for one recorded kernel in six. Pairs that agree decide +30 % at 4, +8 % at 6, and +3 % by counting.
 */
enum paired rule_pairs(const struct row *row, enum metric_better better_is, size_t *worse, size_t *better);

/* Whether a time can be judged at all: the clock of its samples was steady, and that of the baseline. The rows are
 * those of metric->clock, NULL where there is none. Writes what is in the way into why and returns false; why stays
 * empty otherwise. */
bool rule_precondition(const struct row *now_clock, const struct row *base_clock, char *why, size_t size);

/* Whether the samples of a session fall into two groups more than RULE_MODES apart, with at least two samples and a
 * fifth of all in each, and a gap twice as wide as either: then their median says little, and a time that seems slower
 * is unsure. One that does not is let be: of five samples of a noisy kernel, one session in 16 looks so by chance. */
bool rule_two_groups(const struct row *now, char *why, size_t size);

/* How one row of a run stands to its row of the baseline, when both are measured. */
enum finding {
    FOUND_SAME,
    FOUND_BETTER,
    FOUND_WORSE,
    FOUND_MIXED,       /* worse on the whole, but the sessions of the run do not agree */
    FOUND_NONREPEATING /* an exact metric that ceased to repeat, and no more than RULE_INEXACT worse */
};

struct assessment {
    enum finding finding;
    struct spread base;
    double now;        /* mean of the run's sessions */
    double drift;      /* what was taken off for the suite's shift, in the metric's unit */
    double limit;      /* for a run of as many sessions as the row has */
    double detectable; /* NAN where unknown, 0: any change is seen */
    size_t sessions;   /* of the run */
    size_t agree;      /* of them beyond the limit of one session in the finding's direction */
};

/* Which GPU each session of a baseline's row was measured on: numbers from 0 to count - 1. */
struct gpus {
    size_t *of;
    size_t count;
};

/* shift is the suite's relative change, 0 where it is not taken off. others are the GPUs of a baseline that does not
 * know the GPU of the run, else NULL: sessions of one GPU repeat what is peculiar to it, so what counts is then GPUs by
 * their means, and the run is one more of them, whatever its sessions. Below RULE_GPUS, where nothing may fail, it is
 * taken for NULL. */
struct assessment rule_assess(struct quantiles *quantiles, const struct metric *metric, const struct row *base,
                              const struct row *now, double shift, const struct gpus *others);

#endif
