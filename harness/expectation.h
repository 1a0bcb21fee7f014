/* expectation.h - known regressions: declared by hand in <baselines>/<gpu>/expected.ini, one section each.
 *
 *     [transpose/padded time]
 *     issue = https://example.org/issues/12
 *     expires = 2026-12-31
 *
 * Until that day (inclusive, by the date of the run) the regression is `expected` and does not fail. When the row
 * passes again, that fails too, so that the section is removed. */
#ifndef EXPECTATION_H
#define EXPECTATION_H

#include <stdbool.h>
#include <stddef.h>

#define EXPECTATION_FILE "expected.ini"

struct expectation {
    char *kernel, *metric;
    char *issue;
    char *expires; /* YYYY-MM-DD */
    char *file;    /* for messages */
    int line;
};

/* Owned list; `= {0}` is empty. */
struct expectations {
    struct expectation *list;
    size_t count;
};

/* Reads <folder>/expected.ini; a file that is not there declares nothing. -1 after error() with file and line for
 * anything malformed: a section that is not "KERNEL METRIC", a missing, unknown or doubled key, a doubled section, a
 * date that is none. */
int expectations_read(struct expectations *expectations, const char *folder);
int expectations_read_text(struct expectations *expectations, const char *path, const char *text);
void expectations_release(struct expectations *expectations);

/* The one for that row, or NULL. */
const struct expectation *expectations_find(const struct expectations *expectations, const char *kernel,
                                            const char *metric);

/* Whether a run of that date (SESSION_DATE; NULL is today's unknown and counts as not over) is after it. */
bool expectation_is_over(const struct expectation *expectation, const char *date);

#endif
