/* known_regression.h - known regressions, which are declared by hand (baseline/known_regression_file.h).
 *
 * Until the last day of a declaration (inclusive, by the date of the run) its row is `expected` and does not fail. When
 * it passes again, that fails, so that the declaration is removed. */
#pragma once

#include "model/model.h"

#define KNOWN_REGRESSION_FILE "expected.ini"
#define KNOWN_REGRESSION_REMOVED "removed" /* stands in place of a metric: the kernel is removed */
#define KNOWN_NOT_COMPUTED "not_computed"  /* likewise: the kernel cannot be computed */

struct known_regression {
    char *kernel, *metric;
    char *issue;
    char *expires; /* last day of the declaration, YYYY-MM-DD */
    double worst;  /* worst expected value in the metric's unit; NAN: no limit */
    char *file;    /* path of the declaring file, for messages */
    int line;
};

/* An owned list, sorted by kernel and metric; `= {0}` is empty. */
struct known_regressions {
    struct known_regression *list;
    size_t count;
};

/* Orders declarations by kernel and metric, as the list is sorted. */
int known_regression_order(const void *left, const void *right);

/* Returns the declaration for that row, or NULL. */
const struct known_regression *known_regressions_find(const struct known_regressions *regressions, const char *kernel,
                                                      const char *metric);

/* Whether a run of that date (SESSION_DATE) is after the declaration's last day. That also holds for a run without a
 * date (NULL). */
bool known_regression_is_over(const struct known_regression *known, const char *date);
