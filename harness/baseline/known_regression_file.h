/* known_regression_file.h - known regressions, which are declared by hand in <baselines>/<gpu>/expected.ini, one
 * section each:
 *
 *     [transpose/padded time]
 *     issue = https://example.org/issues/12
 *     expires = 2026-12-31
 *     worst = 55000
 *
 * Until that day (inclusive, by the date of the run) the row is `expected` and does not fail. When it passes again,
 * that fails, so that the section is removed. `worst` is optional: a value in the metric's unit, beyond which the row
 * fails like any other.
 *
 * [transpose/old removed] declares that a kernel is removed which the base build still has: until that day it is not
 * missing.
 *
 * [gemm/wgmma not_computed] declares that a kernel cannot be computed without a GPU. Until that day it is `expected` in
 * a computed run, and counted there; a measured run judges it like any other. When it can be computed, that fails. */
#pragma once

#include "judge/judge.h"

/* Reads <folder>/expected.ini; without that file nothing is declared. -1 after error() with file and line for
 * anything malformed. That is a section other than "KERNEL METRIC", a missing, unknown or repeated key, a repeated
 * section, an invalid date. */
int known_regressions_read(struct known_regressions *regressions, const char *folder);
int known_regressions_read_text(struct known_regressions *regressions, const char *path, const char *text);
void known_regressions_release(struct known_regressions *regressions);

/* Checks that each declaration names a metric that can regress; -1 after error() with file and line for one that does
 * not. Warns about a kernel without a baseline in the folder, since its section is obsolete; but a computed baseline
 * lacks what is not computed. */
int known_regressions_check(const struct known_regressions *regressions, const struct metrics *metrics,
                            const char *folder);
