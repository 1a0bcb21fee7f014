/* compare_parts.h - the parts of compare_runs. Private to the compare*.c files. */
#ifndef COMPARE_PARTS_H
#define COMPARE_PARTS_H

#include "compare.h"

/* What is compared. */
struct sides {
    const struct run *baseline, *run;
    const struct metrics *metrics;
    const struct expectations *expectations; /* may be NULL */
};

struct judgement *add_judgement(struct comparison *comparison, const char *kernel, const struct metric *metric,
                                enum verdict verdict);
__attribute__((format(printf, 2, 3))) void set_reason(struct judgement *judgement, const char *format, ...);

/* Looks at the judgements of one kernel, from number first on, once more: same code, trade-offs, expectations. base and
 * now may be NULL. */
void settle_kernel(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                   const struct result *now);

/* Adds a judgement for each suite that moved, unless pairs settled all of its times. */
void judge_suites(struct comparison *comparison);

/* Whether both runs, as far as they say, measured the metric by the counter and in the unit of its definition; if not,
 * *why is the reason, for the caller to free. */
bool same_definition(const struct sides *sides, const struct metric *metric, char **why);

/* Finds the shift of every metric of class time into comparison->suites. */
void find_suites(struct comparison *comparison, const struct sides *sides);

/* The suite of that metric, or NULL. */
const struct suite *suite_of(const struct comparison *comparison, const struct metric *metric);

/* The compiler of the run when no session of the baseline has the same, else NULL; *base is one of the baseline's. */
const char *other_compiler(const struct sides *sides, const char **base);

/* 0 when the baseline of that kernel knows the GPU of the run, or it is not recorded; else the number of GPUs that it
 * knows. */
size_t other_gpus(const struct sides *sides, const struct result *base);

/* Metrics of the files that the metric folder does not define: told once in a note, never judged. */
struct unknown {
    const char **names;
    size_t count;
};

/* The notes: facts of the session that changed, a stale baseline, unknown metrics. */
void add_notes(struct comparison *comparison, const struct sides *sides, const struct unknown *unknown);

#endif
