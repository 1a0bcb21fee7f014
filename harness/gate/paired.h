/* paired.h - settles times by running two builds of the kernels in turn on one GPU, each time in a fresh process. What
 * changes with the time of day, the clock or other users then affects both. */
#pragma once

#include "judge/judge.h"
#include "measure/measure.h"

/* Adds pairs (row_add_pair) to times of the run until rule_pairs decides each of them, at most RULE_PAIRS. These are
 * the times that want pairs (judgement_wants_pairs), or all measured ones when comparison is NULL. `head` says how the
 * run was measured, and `against` is the path of the base build; the two alternate, ABBA. Each process measures only
 * times, and only of kernels with an undecided row.
 *
 * A warning names kernels without pairs because the base build lacks them or they fail there. A kernel that fails in
 * the new build gets that status. Returns 0; or, keeping the pairs so far, EXIT_INTERRUPTED, EXIT_USAGE when the base
 * build cannot be used, or EXIT_NOT_MEASURED when measuring became impossible. */
int paired_run(const struct measurement *head, const char *against, const struct comparison *comparison,
               struct run *run);
