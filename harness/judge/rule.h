/* rule.h - decides when a value is worse: the statistics of the verdict, on numbers alone. Pure.
 *
 * A value is worse when it moved in its metric's bad direction by more than
 *
 *     limit = max(floor, t(alpha, d0 + S - 1) * s * sqrt(1 / r + 1 / S)),   s^2 = (d0 * s0^2 + (S - 1) * s_own^2) / (d0
 * + S - 1)
 *
 * where S is the number of sessions in the baseline, s_own their standard deviation (with n - 1), r the number of
 * sessions in the run, and t the quantile of Student's distribution. That is the one-sided prediction interval for the
 * mean of r further sessions; alpha is RULE_ALPHA. s0 and d0 are the prior (prior.h), which speaks while S is less than
 * RULE_SESSIONS; then d0 is 0. */
#pragma once

#include "prior.h"

#define RULE_ALPHA 0.001        /* probability that a normally distributed metric moves beyond its limit by chance */
#define RULE_SESSIONS 10        /* with so many sessions a baseline knows its spread by itself */
#define RULE_POWER 0.99         /* probability with which the smallest detectable change is caught */
#define RULE_MARGIN 0.01        /* relative difference from which on a pair counts as slower */
#define RULE_GPUS 8             /* how many GPUs a baseline needs to know how GPUs of a model differ */
#define RULE_OTHER_GPU_LIMITS 3 /* how many limits a steady row of the same code may move on an unknown GPU */
#define RULE_PAIR_COUNT 14      /* number of pairs that settle a time */
#define RULE_EARLY 4            /* number of pairs from which on a large change settles it */
#define RULE_TWO_PAIRS 0.5      /* two pairs settle a time by the GPU's clock that moved by more than this share */
#define RULE_PAIR_SPREAD 0.01   /* least assumed spread of ln(head / base): a smaller one in few pairs is chance */
#define RULE_DOUBT 0.05         /* pairs are no pass if so many worse ones are less likely than this by chance */
#define RULE_SUITE_SHIFT 0.03   /* a common shift of all kernels beyond this is reported; no time is judged */
#define RULE_PROFILER 1e3 /* ns: what the profiler adds to a launch of a program; 0.8 to 1.3 us in 9 of 10 on H200s */
#define RULE_DRIFT 10     /* how many kernels it takes to know the common shift */
#define RULE_DRIFT_REFERENCE 0.05 /* slow drift: so far past the drift reference is worse though each step passed */
#define RULE_UNWRITTEN 100        /* a launch that writes so many times less has its results from elsewhere */
#define RULE_SAME_CODE 0.1        /* unchanged code excuses so much: a time moved 8.3 % in 25 nights of 62 kernels */
#define RULE_TOOLCHAIN 0.05       /* a count of another compiler's code that moves by less is no fault without a time */
#define RULE_PROGRAM_SHARE 0.01   /* a program feels a time that costs it so much of its GPU time as a whole */
#define RULE_CALL_COST 20e3       /* ns: what a launch, copy or wait more is taken to cost: chosen on the high side, */
#define RULE_STREAM_CALL_COST 1e4 /* what another call that puts something into a stream, */
#define RULE_ALLOCATION_COST 1e6  /* an allocation and its release, */
#define RULE_COPY_ROW_COST 1e3    /* a row of a 2D or 3D copy, */
#define RULE_COPY_COST 0.2        /* a byte that is copied, as from pageable memory, */
#define RULE_FILL_COST 1e-3       /* and one that is set; none was measured */
#define RULE_NEXT_TO_NOTHING 1e-3 /* a share of a program's GPU time that, by these prices, is no regression */
#define RULE_WAITING 2            /* collectives wait for other processes up to so many times as long as before */
#define RULE_IDLE 50              /* % of the time: a GPU that is busy for less waits for the host */
#define RULE_LOST_KERNELS 0.1     /* kernels that are gone from a program matter from this share of its GPU time on; */
#define RULE_LOST_LAUNCHES 0.5    /* one that is launched less often than this is gone; */
#define RULE_REPLACED 0.05        /* what takes at least this share of their time may be in their place; */
#define RULE_LOST_WORK 0.5        /* where they had this share of the program's, */
#define RULE_REPLACED_MOST 0.2    /* it has to take this one */
#define RULE_ESTIMATED                                                                                                 \
    0.05 /* an estimated time that is longer by more is slower, if that stands whichever constant                      \
          */
#define RULE_ESTIMATED_FLOOR 400     /* ns: how wrong the time is of what a launch does beside its work */
#define RULE_ESTIMATED_GAIN 0.02     /* one that is shorter by more is faster, if that stands as well */
#define RULE_ESTIMATED_OFF 0.23      /* 9 of 10 are less off: what it takes to pay for */
#define RULE_FEW_SECTORS 0.05        /* so small a part of all that a kernel accesses decides nothing */
#define RULE_SEVERAL 2               /* times the sectors, which the caches of a larger problem may not hold */
#define RULE_CONSTANTS 1.5           /* of the model is wrong by so many times its error */
#define RULE_UNCALIBRATED 0.05       /* atomics and sleeps that differ by more leave it open */
#define RULE_UNCALIBRATED_FACTOR 1.5 /* up to this factor */
#define RULE_WARP_ALONE 4            /* ns that an instruction of a warp alone may take: 8 cycles at 2 GHz, */
#define RULE_BLOCK_ALONE 0.5         /* one of a block alone on an SM: a cycle; */
#define RULE_ISSUE 0.125             /* and one of many on an SM, whose four schedulers issue at once */
#define RULE_INEXACT 0.01            /* floor of an exact metric that ceased to repeat, as a share of its value */
#define RULE_BLIND 0.25              /* a row with a larger limit, as a share of its value, can hardly fail */
#define RULE_CLOCK 0.02              /* clocks that differ by more explain a time that moved by as much, */
#define RULE_CLOCK_APART 0.05        /* up to this; beyond it a time that moved by less than they did is unsure */
#define RULE_MODES 0.02              /* samples in two groups further apart than this are of two conditions */
#define RULE_SHORT 10e3              /* ns: of shorter launches in a program only what repeats to the digit is judged */
#define RULE_FEW_BYTES 4e6           /* bytes: less traffic of a program depends on its caches and is not judged */
#define RULE_SAMPLES_AT_CLOCK 0.8    /* share of the samples that must have been taken at the same clock */

/* Statistics of a baseline's sessions for one row. */
struct spread {
    double mean;
    double deviation; /* standard deviation; 0 for one session */
    size_t sessions;
    double freedom; /* degrees of freedom of the deviation */
};

/* Computes the spread of a measured row. */
struct spread rule_spread(const struct row *row);

/* A cache for t(alpha, freedom), which is expensive. The caller keeps the struct for many rows and starts with
 * {0}. */
struct quantiles {
    struct quantile {
        double freedom, alpha, power;
    } known[64];
};

/* Returns the limit for a run of `run_sessions` sessions; only the floor where nothing is known of the spread. */
double rule_limit(struct quantiles *quantiles, double floor, const struct spread *base, size_t run_sessions);

/* Returns the metric as values of that origin are judged by it. The absolute floor of a time by the host's clock is
 * what one launch and one wait may take; other programs time many iterations, so of theirs only the share counts. */
struct metric rule_metric(const struct metric *metric, const struct origin *origin);

/* Returns the smallest change that is caught with probability RULE_POWER; NAN where nothing is known of the spread. */
double rule_detectable(struct quantiles *quantiles, double floor, const struct spread *base, size_t run_sessions);

/* Returns the floor of a metric for a baseline value; 0 for exact and static metrics. */
double rule_floor(const struct metric *metric, double base);

/* Returns how many baseline sessions a metric of that class needs. With fewer it is provisional: a value that moved no
 * further than chance may move it is unsure. In return its limit is at most RULE_DRIFT_REFERENCE of the value, or the
 * floor. */
size_t rule_sessions_needed(enum metric_class class);

/* Returns how many of `pairs` must be beyond RULE_MARGIN so that chance explains it with a probability of at most
 * alpha. It is the exact binomial test with probability one half. pairs + 1 when no number is enough. */
size_t rule_pairs_needed(size_t pairs, double alpha);

enum paired {
    PAIRED_UNDECIDED,
    PAIRED_SAME,
    PAIRED_WORSE,
    PAIRED_BETTER,
    PAIRED_DOUBTFUL /* too few worse ones to fail, but more than chance explains at RULE_DOUBT */
};

/* Returns the verdict of a row's pairs, or that RULE_PAIR_COUNT of them cannot be decided yet. The verdict does not
 * change with further pairs, so measuring may stop once it is decided. Sets *worse and *better to their counts; both
 * may be NULL.
 *
 * Two tests share RULE_ALPHA. By counting: 13 of 14 pairs beyond RULE_MARGIN have a probability of 0.00092 by chance,
 * whatever the noise. By size, for large changes: from RULE_EARLY pairs on, each must be beyond RULE_MARGIN, and so
 * must the lower end of their mean's confidence interval,
 *
 *     mean(d) - t(a, n - 1) * max(s, RULE_PAIR_SPREAD) / sqrt(n) > ln(1 + RULE_MARGIN),    d = ln(head / base)
 *
 * where a is what counting leaves of RULE_ALPHA, in equal parts for nine looks, at 4 to 12 pairs (Bonferroni: 9e-6
 * each). Few pairs that agree by chance say little about the spread, so it is assumed to be at least RULE_PAIR_SPREAD.
 * One recorded kernel in six has a larger spread between equal builds. Pairs that agree decide +30 % at 4 pairs, +8 %
 * at 6, and +3 % by counting.
 *
 * Where a prior knows how a time spreads (prior.h), two pairs decide what is beyond RULE_TWO_PAIRS in both, slower or
 * as much faster. Equal builds do that with a probability of 1e-6, by variances of the prior's freedom of 3.2 around
 * RULE_PAIR_SPREAD. A time by the host's clock has no prior. */
enum paired rule_pairs(const struct row *row, const struct metric *metric, size_t *worse, size_t *better);

/* Returns how far the two clocks are apart, as a share of the lower one: a time may move by as much. 0 where one of the
 * two is NULL. */
double rule_clock_apart(const struct row *now_clock, const struct row *base_clock);

/* Whether a time can be judged: the clock of its samples was steady, and equal to the baseline's. The rows are those of
 * metric->clock; NULL where there is none. If not, the reason is in why, which is empty otherwise. */
bool rule_precondition(const struct row *now_clock, const struct row *base_clock, char *why, size_t size);

/* Whether the samples of a session form two groups that are more than RULE_MODES apart. Each needs at least two samples
 * and a fifth of all, and the gap must be twice as wide as either. Then their median says little, and a time that seems
 * slower is unsure, unless the lower group, up to *low, is slower too. So is one that seems faster, if the other group,
 * from *high on, is slower. Otherwise a time that does not seem slower passes: one session in 16 of a noisy kernel
 * looks so by chance, with five samples. */
bool rule_two_groups(const struct row *now, double *low, double *high, char *why, size_t size);

/* How a row of a run compares with the baseline's, when both are measured. */
enum finding {
    FOUND_SAME,
    FOUND_BETTER,
    FOUND_WORSE,
    FOUND_MIXED,       /* worse in the mean, but the sessions of the run do not agree */
    FOUND_NONREPEATING /* an exact metric that ceased to repeat, and is at most RULE_INEXACT worse */
};

struct assessment {
    enum finding finding;
    struct spread base;
    double now;        /* mean over the run's sessions */
    double drift;      /* what was subtracted for the common shift of all kernels, in the metric's unit */
    double limit;      /* limit of the change, for a run with as many sessions as the row */
    double chance;     /* how far chance may move it: the limit, or more where that is provisional */
    double detectable; /* smallest detectable change; NAN where unknown, 0: any */
    size_t sessions;   /* number of sessions of the run */
    size_t agree;      /* how many sessions are beyond the limit of one session, in the finding's direction */
};

/* The GPU of each session of a baseline's row, as a number from 0 to count - 1. */
struct gpus {
    size_t *of;
    size_t count;
};

/* Compares a row with the baseline's. shift is the common relative change of all kernels, 0 where it is not subtracted.
 * others are the baseline's GPUs if the run's is none of them, else NULL. Then each GPU counts once, by its mean, and
 * the run is one more GPU, whatever its sessions: sessions of one GPU share its peculiarities. With fewer than
 * RULE_GPUS, others counts as NULL. A prior without freedom says nothing. */
struct assessment rule_assess(struct quantiles *quantiles, const struct metric *metric, const struct row *base,
                              const struct row *now, double shift, const struct gpus *others, struct prior prior);
