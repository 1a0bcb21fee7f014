/* judge_parts.h - the parts of compare_runs. Private: compare.c calls judge_*.c, and these comparison.c. */
#ifndef JUDGE_PARTS_H
#define JUDGE_PARTS_H

#include "comparison.h"
#include "known_regression.h"

/* What is compared. */
struct sides {
    const struct run *baseline, *run;
    const struct metrics *metrics;
    const struct known_regressions *known_regressions; /* may be NULL */
    bool computed;                                     /* the run is: run_is_computed */
};

struct judgement *add_judgement(struct comparison *comparison, const char *kernel, const struct metric *metric,
                                enum verdict verdict);
__attribute__((format(printf, 2, 3))) void set_reason(struct judgement *judgement, const char *format, ...);

/* For qsort: which stands first, the worst. */
int judgements_worst_first(const void *left, const void *right);

/* One row of both sides, and what stands around it. */
struct pairing {
    const struct sides *sides;
    const struct suite *suite; /* of the metric, or NULL */
    const struct result *base_result, *now_result;
    const struct row *base, *now;
};

/* Whether other processes computed on the GPU in a session that the row of the run is from. */
bool has_gpu_processes(const struct run *run, const struct row *row);

/* Adds the judgement of one row, by all that stands around it but other rows. */
void judge_row(struct comparison *comparison, const struct pairing *pairing, const char *kernel,
               const struct metric *metric, struct quantiles *quantiles);

/* Looks at the judgements of one kernel, from number first on, once more: same code, trade-offs, known regressions.
 * base and now may be NULL. */
void settle_kernel(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                   const struct result *now);

/* Finds the shift of every metric of class time into comparison->suites. */
void find_suites(struct comparison *comparison, const struct sides *sides);

/* Adds a judgement for each suite that moved, unless pairs settled all of its times. */
void judge_suites(struct comparison *comparison, const struct sides *sides);

/* Of a computed run, adds a judgement for each gated metric that computing does not know although it was asked for, or
 * repeats to the digit: that its rows are not there shall not read as good. */
void judge_uncomputed(struct comparison *comparison, const struct sides *sides);

/* Whether both runs, as far as they say, measured the metric by the counter and in the unit of its definition; if not,
 * *why is the reason, for the caller to free. */
bool same_definition(const struct sides *sides, const struct metric *metric, char **why);

/* The suite of that metric that the kernel's row of the run is of, or NULL. now may be NULL. */
const struct suite *suite_of(const struct comparison *comparison, const struct run *run, const struct result *now,
                             const struct metric *metric);

/* For each kernel of the baseline that the run lacks the kernel that is new there and launches what it did; else NULL.
 * Caller frees. */
const struct result **find_renamed(const struct sides *sides);

/* Whether the run, which is computed, cannot know that metric: it has no note of it. */
bool is_beyond_computing(const struct sides *sides, const char *metric);

/* The compiler of the run when none of the sessions behind that row of the baseline has the same, else NULL; *was is
 * one of theirs. */
const char *other_compiler(const struct sides *sides, const struct result *base, const struct row *row,
                           const char **was);

/* Finds on which GPU each session of a row of the baseline was measured, into gpus->of, which has room for them, when
 * none of them is one that the row of the run was measured on; false when one is, or one is not recorded. */
bool find_other_gpus(const struct sides *sides, const struct result *base, const struct row *row, const struct row *now,
                     struct gpus *gpus);

/* Metrics of the files that the metric directory does not define: told once in a note, never judged. */
struct unknown {
    const char **names;
    size_t count;
};

/* The notes: definitions of metrics and facts of the session that changed, a stale baseline, unknown metrics. */
void add_notes(struct comparison *comparison, const struct sides *sides, const struct unknown *unknown);

#endif
