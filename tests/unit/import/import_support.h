/* import_support.h - imports a text of another program, for tests. */
#pragma once

#include "import/import.h"

/* The result of importing; said is what was printed to standard error. */
struct imported {
    struct metrics metrics;
    struct run run;
    int result;
    char *said;
};

/* Imports a text called "x", from a file that was last changed at import_date. Its metrics have the counters of
 * metrics/. */
#define import_date "2026-11-21T08:00:00.123Z"
void import_begin(struct imported *imported, const char *format, const char *gpu, const char *text);
void import_end(struct imported *imported);

/* Expects that the text is refused, with these words in the error. */
void import_expect_error(const char *format, const char *gpu, const char *text, const char *words);

/* Imports each text of a file (see each_text() of test.h), of which an error must come with these words, or exactly
 * these kernels: "KERNEL: METRIC SAMPLES, METRIC STATE (REASON); KERNEL STATUS (REASON)". */
void import_texts(const char *path, const char *format, const char *gpu);

/* Expects these samples of a kernel and a metric in its first session. */
void import_expect_samples(const struct imported *imported, const char *id, const char *metric, const double *samples,
                           size_t count);
#define EXPECT_SAMPLES(imported, id, metric, ...)                                                                      \
    import_expect_samples(imported, id, metric, (const double[]){__VA_ARGS__},                                         \
                          sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
