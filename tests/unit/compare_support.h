/* compare_support.h - what the tests of comparisons share: made-up metrics, two runs, what came of them. */
#ifndef COMPARE_SUPPORT_H
#define COMPARE_SUPPORT_H

#include "judge/judge.h"

/* What a test compares. The metrics are count and good (exact, lower and higher is better), share (steady, traded for
 * time), time (clock: clock), ceiling (static), rate and clock (info). */
struct fixture {
    struct metrics metrics;
    struct known_regressions known_regressions;
    struct run base, run;
    struct comparison comparison;
};

void set_up(struct fixture *fixture);
void tear_down(struct fixture *fixture);

/* Adds a session of one sample, or of several. */
void put(struct run *run, const char *kernel, const char *metric, double value);
void put_samples(struct run *run, const char *kernel, const char *metric, const double *samples, size_t count);
/* The same session so often. */
void put_times(struct run *run, const char *kernel, const char *metric, double value, size_t sessions);
void put_state(struct run *run, const char *kernel, const char *metric, enum value_state state);
void put_status(struct run *run, const char *kernel, enum result_status status, const char *reason);
void put_code(struct run *run, const char *kernel, const char *code); /* a launch */
/* Adds a session that has this fact alone. */
void put_fact(struct run *run, enum session_fact fact, const char *text);

/* Compares anew. */
const struct comparison *compare(struct fixture *fixture);

/* metric "" stands for the whole kernel. NULL when there is none. */
const struct judgement *find(const struct comparison *comparison, const char *kernel, const char *metric);

/* Whether the reason has that text. */
bool says(const struct judgement *judgement, const char *text);

#endif
