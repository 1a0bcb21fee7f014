/* aa.h - A/A analysis: judges sessions of the same code by each other, so every alarm is a false one. It also describes
 * the noise that causes them. Needs no GPU. */
#pragma once

#include "judge/judge.h"

#define ANALYSIS_READINGS 30     /* a counter of a kernel may be of class exact from so many equal readings on, */
#define ANALYSIS_READ_SESSIONS 3 /* and the readings must be from at least so many sessions */

/* Which sessions stand in for the baseline when a session is judged. */
enum view_kind {
    VIEW_PAIRS,  /* each other session by itself: all ordered pairs */
    VIEW_OTHERS, /* all other sessions together; needs three or more sessions */
    VIEW_GPUS,   /* the sessions of all other GPUs together; needs three or more GPUs */
    VIEWS
};

/* Counts of rows of one class in one view. worse and better count rows beyond their limit, whatever the verdict. A time
 * counts even if unchanged machine code or the lack of a second session kept it from being regressed. */
struct alarm_tally {
    size_t rows, regressed, unsure, worse, better;
};

struct view {
    size_t comparisons;
    size_t exits[EXIT_NOT_MEASURED + 1]; /* by exit code: how many comparisons ended with it */
    size_t moved;                        /* how many common shifts of all kernels exceeded RULE_SUITE_SHIFT */
    struct alarm_tally tallies[METRIC_CLASSES];
};

/* A row that was beyond its limit or unsure at least once. tallies[].rows says how often it was judged. */
struct noisy_row {
    const char *kernel;
    const struct metric *metric;
    struct alarm_tally tallies[VIEWS];
};

/* The standard deviation of a kernel's session values by its source, for S sessions with values v on G GPUs:
 *
 *   within    sqrt(sum (v - mean of its GPU and day)^2 / (S - number of GPUs and days)), pooled
 *   GPUs      sqrt(sum (mean of a GPU - their mean)^2 / (G - 1)); the noise within is not subtracted
 *   days      sqrt(sum (mean of a GPU and day - their mean on that GPU)^2 / (GPUs and days - G)), pooled: the
 *             difference that days make on one GPU */
enum spread_part { SPREAD_WITHIN, SPREAD_GPUS, SPREAD_DAYS, SPREAD_PARTS };

/* A deviation over all kernels of a metric. It is a share of the mean over all sessions, but of the metric's absolute
 * floor where the mean is less. A few bytes that double do not matter. For metrics in % it is in points. */
struct spread_of_kernels {
    size_t kernels; /* number of kernels; 0: the deviation is not known */
    double median, worst;
    const char *worst_kernel;
};

struct metric_spread {
    const struct metric *metric; /* the metric; any but of class static */
    struct spread_of_kernels parts[SPREAD_PARTS];
};

/* A row whose readings are not all equal. */
struct nonrepeating {
    const char *kernel;
    double low, high;
};

/* How well a metric repeats: of every metric of class exact, and of a metric of class steady that repeats too. */
struct exactness {
    const struct metric *metric;
    size_t kernels;                    /* number of kernels that measured it */
    size_t repeat;                     /* number of kernels whose readings were all equal */
    size_t admitted;                   /* number of kernels with enough equal readings, see ANALYSIS_READINGS */
    size_t readings, sessions;         /* the smallest number that a repeating kernel has */
    size_t all_readings;               /* number of readings of all kernels */
    struct nonrepeating *nonrepeating; /* counters that do not repeat: the widest first, relative to the value */
    size_t nonrepeating_count;
};

/* The smallest change of a time that is caught with probability RULE_POWER in one more session, with all sessions as
 * the baseline. */
struct detectable {
    const char *kernel;
    const struct metric *metric;
    double base, change; /* the baseline's value and the change, in the metric's unit */
};

/* A kernel that was excluded from the analysis, with the reason. */
struct left_out {
    char *kernel;
    char *why;
    bool failed; /* the kernel failed in one of the sessions */
};

struct analysis {
    const struct metrics *metrics;
    const struct device *device;
    size_t sessions, kernels, gpus, days;
    size_t programs;                                /* rows of a program as a whole, which are no kernels */
    const char *collector, *first_date, *last_date; /* facts of the sessions; NULL where unknown */
    struct view views[VIEWS];                       /* a view without enough sessions or GPUs has no comparisons */
    struct noisy_row *noisy_rows; /* sorted by how often they regressed, were beyond their limit, were unsure */
    size_t noisy_row_count;
    struct metric_spread *spreads;
    size_t spread_count;
    struct exactness *exactness;
    size_t exactness_count;
    struct detectable *detectables; /* sorted by metric, then by relative change, the largest first */
    size_t detectable_count;
    struct left_out *left_out;
    size_t left_out_count;
};

/* Analyses two or more runs of one session each, of the same device and collector. Kernels that are not ok in all runs,
 * or are known to differ in code, are removed from the runs and put into left_out. names are what the runs are called
 * there. Borrows from runs and metrics, which must outlive *analysis. */
void analysis_make(struct analysis *analysis, struct run *runs, size_t count, char *const *names,
                   const struct metrics *metrics);
void analysis_release(struct analysis *analysis);

/* Whether the run can be analysed with the others: it has one session, its metrics are defined as now, and its session
 * is none of runs[0..count). -1 after error(). */
int analysis_takes(const struct run *run, const char *name, const struct run *runs, size_t count, char *const *names,
                   const struct metrics *metrics);

/* Returns EXIT_NOT_MEASURED when a kernel failed or a comparison ended with that; EXIT_REGRESSED when a comparison in
 * any view did; else 0. */
enum exit_code analysis_exit_code(const struct analysis *analysis);
