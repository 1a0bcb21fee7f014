/* aa.h - what sessions of the same code say of the gate: its false alarms, and the noise that they come from.
 * Needs no GPU. */
#ifndef AA_H
#define AA_H

#include "judge/judge.h"

#define ANALYSIS_READINGS 30     /* equal readings that admit a counter of a kernel to the class exact, */
#define ANALYSIS_READ_SESSIONS 3 /* and the sessions that they come from, at least */

/* Who judges a session. */
enum view_kind {
    VIEW_PAIRS,  /* each other session by itself: all ordered pairs */
    VIEW_OTHERS, /* all other sessions together; with three or more sessions */
    VIEW_GPUS,   /* the sessions of all other GPUs together; with three or more GPUs */
    VIEWS
};

/* Rows of one class in one view. worse and better count what was beyond the limit, whatever the verdict: the screen
 * alone. So a time counts that the same machine code, or the want of a second session, kept from being regressed. */
struct tally {
    size_t rows, regressed, unsure, worse, better;
};

struct view {
    size_t comparisons;
    size_t exits[EXIT_NOT_MEASURED + 1]; /* comparisons that ended with that code */
    size_t moved;                        /* shifts of the whole suite beyond RULE_SUITE_SHIFT */
    struct tally tallies[METRIC_CLASSES];
};

/* A row that was beyond its limit or unsure at least once; tallies[].rows says how often it was judged. */
struct noisy_row {
    const char *kernel;
    const struct metric *metric;
    struct tally tallies[VIEWS];
};

/* The standard deviation of a kernel's session values by where it comes from, S sessions v on G GPUs:
 *
 *   within    sqrt(sum (v - mean of its GPU and day)^2 / (S - number of GPUs and days)), pooled
 *   GPUs      sqrt(sum (mean of a GPU - their mean)^2 / (G - 1)); the noise within is not taken off
 *   days      sqrt(sum (mean of a GPU and day - their mean on that GPU)^2 / (GPUs and days - G)), pooled: what a day
 *             does to one GPU */
enum spread_part { SPREAD_WITHIN, SPREAD_GPUS, SPREAD_DAYS, SPREAD_PARTS };

/* Over the kernels of a metric. Shares of the mean over all sessions, or of the metric's absolute floor where the mean
 * is less: that a handful of bytes doubles is no news. For metrics in %, points. */
struct spread_of_kernels {
    size_t kernels; /* 0: not known, there is nothing to tell it from */
    double median, worst;
    const char *worst_kernel;
};

struct metric_spread {
    const struct metric *metric; /* not of class static */
    struct spread_of_kernels parts[SPREAD_PARTS];
};

/* A row whose readings differ. */
struct nonrepeating {
    const char *kernel;
    double low, high;
};

/* Of every metric of class exact; and of one of class steady that repeats as well. */
struct exactness {
    const struct metric *metric;
    size_t kernels;                    /* that measured it */
    size_t repeat;                     /* of which every reading was equal */
    size_t admitted;                   /* of which there were enough as well, see ANALYSIS_READINGS */
    size_t readings, sessions;         /* the fewest behind a kernel that repeats */
    size_t all_readings;               /* of all kernels */
    struct nonrepeating *nonrepeating; /* widest first, by their share */
    size_t nonrepeating_count;
};

/* The smallest change of a time that is caught with RULE_POWER in one more session, with all sessions as the
 * baseline. */
struct detectable {
    const char *kernel;
    const struct metric *metric;
    double base, change; /* in the metric's unit */
};

/* A kernel that says nothing here. */
struct left_out {
    char *kernel;
    char *why;
    bool failed; /* in one of the sessions */
};

struct analysis {
    const struct metrics *metrics;
    const struct device *device;
    size_t sessions, kernels, gpus, days;
    const char *collector, *first_date, *last_date; /* NULL where unknown */
    struct view views[VIEWS];                       /* without comparisons where there are too few sessions or GPUs */
    struct noisy_row *noisy_rows; /* those that regressed most often first, then beyond the limit, then unsure */
    size_t noisy_row_count;
    struct metric_spread *spreads;
    size_t spread_count;
    struct exactness *exactness;
    size_t exactness_count;
    struct detectable *detectables; /* a metric after the other, largest share first */
    size_t detectable_count;
    struct left_out *left_out;
    size_t left_out_count;
};

/* Analyses two or more runs of one session each, of the same device and collector. What is not the same code in all of
 * them, as far as that is known, or not ok in all, leaves the runs and stands in left_out; names are what the runs are
 * called there. Borrows from runs and metrics, which must outlive *analysis. */
void analysis_make(struct analysis *analysis, struct run *runs, size_t count, char *const *names,
                   const struct metrics *metrics);
void analysis_release(struct analysis *analysis);

/* Whether the run can be one of those: one session, metrics as they are defined now, and no session of runs[0..count)
 * once more. -1 after error(). */
int analysis_takes(const struct run *run, const char *name, const struct run *runs, size_t count, char *const *names,
                   const struct metrics *metrics);

/* EXIT_NOT_MEASURED when a kernel failed or a comparison ended with that; EXIT_REGRESSED when one in any view did; else
 * 0. */
enum exit_code analysis_exit_code(const struct analysis *analysis);

#endif
