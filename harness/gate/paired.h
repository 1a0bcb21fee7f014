/* paired.h - settles times by running two builds of the kernels in turn on one GPU, each time in a fresh process. What
 * changes with the time of day, the clock or other users then affects both. */
#pragma once

#include "judge/judge.h"
#include "measure/measure.h"

/* What the first pairs measure beside times, so that counts in doubt need no processes of their own. */
struct pair_sessions {
    size_t wanted; /* how many pairs measure all metrics, 2 at most */
    size_t count;  /* how many did; the caller releases the runs of both sides, which have all kernels of their pair */
    struct run base[2], head[2];
};

/* Adds pairs (row_add_pair) to times of the run until rule_pairs decides each of them, at most RULE_PAIR_COUNT. These
 * are the times that want pairs (judgement_wants_pairs), or all measured ones when comparison is NULL. `head` says how
 * the run was measured, and `against` is the path of the base build, of which the baseline has former names of kernels;
 * the two alternate, ABBA. Each process measures only times, or in the first pairs what *sessions wants too, and only
 * of kernels with an undecided row.
 *
 * A warning names kernels without pairs because the base build lacks them or they fail there. A kernel that fails in
 * the new build gets that status. Returns 0; or, keeping the pairs so far, EXIT_INTERRUPTED, EXIT_USAGE when the base
 * build cannot be used, or EXIT_NOT_MEASURED when measuring became impossible. */
int paired_run(const struct measurement *head, const char *against, const struct run *baseline,
               const struct comparison *comparison, struct pair_sessions *sessions, struct run *run);
