/* made_runs.h - small runs for the tests of baselines, and accepting them. */
#ifndef MADE_RUNS_H
#define MADE_RUNS_H

#include "baseline/baseline.h"

/* A session of its own for each number up to 28: kernels access/coalesced, reduce/tree and reduce/warp, each with
 *
 *     time   class time, floor 10 ns: 100, 200 and 300 plus the number, the median of three samples
 *     count  class exact: 7, three times
 *     clock  class info: 1000 plus the number
 *     hits   class steady: not applicable */
struct run made_run(int number);

extern const char made_definitions[]; /* of these metrics, as a metric file */

/* The row of a kernel; it must be there. */
struct row *made_row(const struct run *run, const char *kernel, const char *metric);

/* Sets three equal samples. */
void made_set(const struct run *run, const char *kernel, const char *metric, double value);

/* Accepts runs[0..count), called a.json, b.json ..., into the directory; kernel, metric and was may be NULL. */
struct trial {
    const char *directory, *kernel, *metric, *was;
    const char *reason; /* NULL: "because" */
    bool drift_reference;
};
int made_accept(const struct trial *trial, const struct run *runs, size_t count, struct accepted *accepted);

/* The same for one run, quietly and with nothing in the way. */
void made_accept_one(const struct trial *trial, const struct run *run);

/* The same, with words that an error or warning must have. */
void made_expect(const struct trial *trial, const struct run *runs, size_t count, int expected, const char *words);

/* The baseline of the runs' device in the directory. Caller releases it. */
struct run made_baseline(const char *directory);

/* Text of directory/name; caller frees. */
char *made_text(const char *directory, const char *name);

#endif
