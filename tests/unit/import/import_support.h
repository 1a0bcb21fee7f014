/* import_support.h - a text of another program, imported. */
#ifndef IMPORT_SUPPORT_H
#define IMPORT_SUPPORT_H

#include "import/import.h"

/* What came of it; said is what went to standard error. */
struct imported {
    struct metrics metrics;
    struct run run;
    int result;
    char *said;
};

/* Imports a text that is called "x", of a file that was changed at import_date, by metrics whose counters are those of
 * metrics/. */
#define import_date "2026-11-21T08:00:00.123Z"
void import_begin(struct imported *imported, const char *format, const char *gpu, const char *text);
void import_end(struct imported *imported);

/* Expects that the text is refused with an error that has these words. */
void import_expect_error(const char *format, const char *gpu, const char *text, const char *words);

/* Expects of a kernel and a metric these samples of its first session. */
void import_expect_samples(const struct imported *imported, const char *id, const char *metric, const double *samples,
                           size_t count);
#define EXPECT_SAMPLES(imported, id, metric, ...)                                                                      \
    import_expect_samples(imported, id, metric, (const double[]){__VA_ARGS__},                                         \
                          sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* Expects that a kernel has no number of a metric, for that reason; a state without one has none. */
void import_expect_none(const struct imported *imported, const char *id, const char *metric, enum value_state state,
                        const char *reason);

#endif
