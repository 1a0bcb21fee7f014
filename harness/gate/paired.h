/* paired.h - times settled by running two builds of the kernels in turn on one GPU, each time in a fresh process: what
 * moves with the hour, the clock or the neighbours moves both. */
#ifndef PAIRED_H
#define PAIRED_H

#include "judge/judge.h"
#include "measure/measure.h"

/* Adds pairs (row_add_pair) to times of the run until rule_pairs decides each of them, RULE_PAIRS at most: to those
 * that want them (judgement_wants_pairs), or when comparison is NULL to all that were measured. `head` says how the run
 * was measured, `against` is the path of the base library; the two take turns, ABBA. Of each process only the times are
 * collected, and only of kernels with an undecided row.
 *
 * A warning names kernels that get no pair, because the base library lacks them or they fail there. A kernel that fails
 * in the head library takes that status. Returns 0 or, with the pairs so far kept, EXIT_INTERRUPTED, EXIT_USAGE when
 * the base library cannot be used, EXIT_NOT_MEASURED when measuring became impossible. */
int paired_run(const struct measurement *head, const char *against, const struct comparison *comparison,
               struct run *run);

#endif
