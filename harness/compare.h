/* compare.h - the verdict: a pure function of (baseline, run, metric definitions). */
#ifndef COMPARE_H
#define COMPARE_H

#include "run.h"
#include "util.h"

enum verdict {
    VERDICT_MISSING, /* expected, not measured: never a pass */
    VERDICT_REGRESSED,
    VERDICT_UNSURE, /* has a reason */
    VERDICT_NEW,    /* no baseline */
    VERDICT_IMPROVED,
    VERDICT_SAME,
    VERDICT_INFO, /* not gated: class info, or not applicable on both sides */
    VERDICTS      /* in this order, worst first */
};

const char *verdict_name(enum verdict verdict);

/* One (kernel, metric), or a whole kernel when metric is NULL (missing or new as a whole). */
struct judgement {
    const char *kernel; /* borrowed from run or baseline */
    const struct metric *metric;
    enum verdict verdict;
    bool has_base, has_now;
    double base, now; /* in the metric's unit, where has_... says so */
    double change;    /* now - base; meaningful when both are there and no reason speaks against comparing them */
    double limit;     /* the largest change that is none; not for info */
    char *reason;     /* for missing, unsure and new, and where the two are not of one counter; else NULL. Owned */
};

#define COMPARISON_NOTES 8

struct comparison {
    struct judgement *list; /* worst first; then by how many limits it moved, by its share; then by name */
    size_t count;
    size_t kernels;                    /* kernels judged */
    size_t counts[VERDICTS];           /* judgements */
    size_t kernel_counts[VERDICTS];    /* kernels, each by its worst judgement */
    char notes[COMPARISON_NOTES][256]; /* "driver 580.1; the baseline has 570.2", and unknown metrics */
    size_t note_count;
};

/* Judges. Both runs must be of the same device: callers check device_difference first. Borrows from baseline, run and
 * metrics, which must outlive *comparison. A kernel of the run with status "not built" that the baseline lacks is left
 * out; so are metrics that no metric file defines, which a note names.
 *
 * The rule: limit = max(floor_absolute, floor_relative * |base|, the range of the baseline's own sessions), where exact
 * metrics have floor 0, or 1 % of base if they do not repeat in the baseline. Worse than base by more than limit in the
 * metric's bad direction is regressed, better by more than limit improved. An exact metric that repeats in the sessions
 * of the baseline and not in the run has that floor too, and is unsure when it stays within it. */
void compare_runs(struct comparison *comparison, const struct run *baseline, const struct run *run,
                  const struct metrics *metrics);
void comparison_release(struct comparison *comparison);

/* 5 > 1 > 3 > 0. Nothing judged at all is 5: a gate never passes on nothing. */
enum exit_code comparison_exit_code(const struct comparison *comparison);

/* EXIT_NOT_MEASURED when a kernel that was built is not ok, or there is no kernel at all; else 0. For runs that have
 * nothing to be compared with. */
enum exit_code run_exit_code(const struct run *run);

#endif
