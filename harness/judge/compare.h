/* compare.h - computes all verdicts, as a pure function of baseline, run, definitions of metrics, and known
 * regressions. */
#pragma once

#include "comparison.h"
#include "known_regression.h"

/* Compares a run with a baseline. Both must be of the same device: callers check device_difference first. Borrows from
 * baseline, run and metrics, which must outlive *comparison. known_regressions may be NULL. Left out are kernels with
 * the status "not built" that the baseline lacks, and metrics that no metric file defines, which a note names.
 *
 * The rule for a single row is in rule.h. In addition:
 *
 * Where both sides have the row of a program as a whole (program_row.h), every launch of it was seen. A kernel that it
 * launches no more is then gone, which is no fault, since the row judges all launches together.
 *
 * Where another compiler made other code of a kernel, its time decides by pairs with the base build, and what else is
 * worse says why: a trade-off if no time is worse, unsure if no pairs tell. In a computed run, whose counts are then
 * held against those of the base build, a count is a trade-off that moved by less than RULE_TOOLCHAIN.
 *
 * Of a computed run (run_origin) one session is enough; what it cannot know is no row at all, and counted in
 * computing.absent, and where it was asked for, unsure; what has the baseline's code, launches and inputs and was not
 * computed again is not judged, but counted in computing.unchanged_rows; a kernel that could not be simulated is
 * unsure, or left out with a note where it is the baseline's code; and so is code of another compiler, whose counts
 * cannot be compared. */
void compare_runs(struct comparison *comparison, const struct run *baseline, const struct run *run,
                  const struct metrics *metrics, const struct known_regressions *known_regressions);

/* Returns the compiler of a computed run if counts of this kernel cannot be compared. That is so if its machine code
 * differs from the baseline's, which another compiler made. Else NULL. */
const char *compare_other_counts(const struct run *baseline, const struct result *base, const struct run *run,
                                 const struct result *now);

/* Returns the compiler of the run if another one made other code of this kernel in the baseline, or in the base build
 * that stands in; else, of a program's kernel of other code, the packages and libraries of the run that make kernels
 * and differ. *was is what the baseline has. NULL: the same toolchain, or the same code. Borrowed from the three. */
const char *compare_other_toolchain(const struct comparison *comparison, const struct run *baseline,
                                    const struct result *base, const struct run *run, const struct result *now,
                                    const char **was);

/* Shows the rows of a kernel, and judges none of them, for that reason. One that is missing or new as a whole stays. */
void comparison_show_only(struct comparison *comparison, const char *kernel, const char *reason);
