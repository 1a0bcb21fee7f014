/* compare.h - the verdicts as a pure function of (baseline, run, metric definitions, known regressions). */
#ifndef COMPARE_H
#define COMPARE_H

#include "comparison.h"
#include "known_regression.h"

/* Judges. Both runs must be of the same device: callers check device_difference first. Borrows from baseline, run and
 * metrics, which must outlive *comparison. known_regressions may be NULL. A kernel of the run with status "not built"
 * that the baseline lacks is left out; so are metrics that no metric file defines, which a note names.
 *
 * The rule is in rule.h. Beside it: time that moved while the same machine code was launched in the same way, and no
 * exact count of the kernel moved, is same, and so is what is steady, on a GPU that the baseline does not know and up
 * to RULE_OTHER_GPU_LIMITS limits; time is judged after the suite's shift is taken off; a time worse in one session
 * only is unsure until a second session or the pairs agree. Excess wavefronts that the run lacks are the same where the
 * kernel did the same work (same_work).
 *
 * Of a computed run (run_is_computed) one session is enough; what it cannot know is no row at all, and counted in
 * computing.absent, and where it was asked for, unsure; what has the baseline's code, launches and inputs and was not
 * computed again is not judged, but counted in computing.unchanged_rows; a kernel that could not be simulated is
 * unsure, or left out with a note where it is the baseline's code; and so is code of another compiler, whose counts
 * cannot be compared. */
void compare_runs(struct comparison *comparison, const struct run *baseline, const struct run *run,
                  const struct metrics *metrics, const struct known_regressions *known_regressions);

/* The compiler of a computed run, when it made other machine code of this kernel than that of the baseline, which is by
 * another compiler: then counts cannot be compared. Else NULL. */
const char *compare_other_counts(const struct run *baseline, const struct result *base, const struct run *run,
                                 const struct result *now);

#endif
