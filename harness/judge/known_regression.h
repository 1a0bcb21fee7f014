/* known_regression.h - known regressions: declared by hand in <baselines>/<gpu>/expected.ini, one section each.
 *
 *     [transpose/padded time]
 *     issue = https://example.org/issues/12
 *     expires = 2026-12-31
 *     worst = 55000
 *
 * Until that day (inclusive, by the date of the run) the regression is `expected` and does not fail. When the row
 * passes again, that fails too, so that the section is removed. `worst` may be left out: in the metric's unit, the
 * worst value that is expected; beyond it the row is a regression as any other.
 *
 * [transpose/old removed] declares that a kernel goes, which a base library still has: until that day it is not
 * missing. */
#ifndef KNOWN_REGRESSION_H
#define KNOWN_REGRESSION_H

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

#define KNOWN_REGRESSION_FILE "expected.ini"
#define KNOWN_REGRESSION_REMOVED "removed" /* in place of a metric: the kernel goes */

struct known_regression {
    char *kernel, *metric;
    char *issue;
    char *expires; /* YYYY-MM-DD */
    double worst;  /* in the metric's unit; NAN: any value */
    char *file;    /* for messages */
    int line;
};

/* Owned list, sorted by kernel and metric; `= {0}` is empty. */
struct known_regressions {
    struct known_regression *list;
    size_t count;
};

/* Reads <directory>/expected.ini; a file that is not there declares nothing. -1 after error() with file and line for
 * anything malformed: a section that is not "KERNEL METRIC", a missing, unknown or doubled key, a doubled section, a
 * date that is none. */
int known_regressions_read(struct known_regressions *regressions, const char *directory);
int known_regressions_read_text(struct known_regressions *regressions, const char *path, const char *text);
void known_regressions_release(struct known_regressions *regressions);

/* Whether each names a metric that can regress: -1 after error() with file and line for one that does not. Warns of a
 * kernel that has no baseline in the directory: its section is left over. */
int known_regressions_check(const struct known_regressions *regressions, const struct metrics *metrics,
                            const char *directory);

/* The one for that row, or NULL. */
const struct known_regression *known_regressions_find(const struct known_regressions *regressions, const char *kernel,
                                                      const char *metric);

/* Whether a run of that date (SESSION_DATE) is after it; one without a date (NULL) may be of any day, so it is. */
bool known_regression_is_over(const struct known_regression *known, const char *date);

#endif
