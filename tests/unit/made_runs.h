/* made_runs.h - makes small runs for tests of baselines, and accepts them. */
#pragma once

#include "baseline/baseline.h"
#include "command/options.h"

/* Makes a run, whose session differs for each number up to 28. It has the kernels access/coalesced, reduce/tree and
 * reduce/warp, each with
 *
 *     time   class time, floor 10 ns: 100, 200 and 300 plus the number, the median of three samples
 *     count  class exact: 7, three times
 *     clock  class info: 1000 plus the number
 *     hits   class steady: not applicable */
struct run made_run(int number);

extern const char made_definitions[]; /* the definitions of these metrics, as a metric file */

/* Gives a row three equal samples. */
void made_set(const struct run *run, const char *kernel, const char *metric, double value);

/* How to accept runs[0..count), which are called a.json, b.json ..., into the folder. kernel, metric and was may be
 * NULL. */
struct trial {
    const char *folder, *kernel, *metric, *was;
    const char *reason; /* reason for accepting; NULL: "because" */
    bool drift_reference;
};
int made_accept(const struct trial *trial, const struct run *runs, size_t count, struct accepted *accepted);

/* Accepts one run, which must succeed and print nothing. */
void made_accept_one(const struct trial *trial, const struct run *run);

/* Accepts runs, and expects an exit code and these words in an error or warning. */
void made_expect(const struct trial *trial, const struct run *runs, size_t count, int expected, const char *words);

/* Accepts a run file, by the command. */
void made_accept_file(const char *baselines, const char *metrics, const char *path);

/* `cugate check` in a folder of its own, and what it gave the last time. */
struct made_check {
    char *folder, *baselines, *save, *report;
    struct options options;
    int code;
    char *said;    /* what was printed to standard error */
    char *printed; /* the report */
};
void made_check_begin(struct made_check *check);
void made_check_run(struct made_check *check);
void made_check_end(struct made_check *check);

/* Reads the baseline of the runs' device. Caller releases it. */
struct run made_baseline(const char *folder);

/* Returns the text of folder/name. Caller frees. */
char *made_text(const char *folder, const char *name);
