/* compare_support.h - for tests of comparisons: made-up metrics, two runs, and their comparison. */
#pragma once

#include "judge/judge.h"

/* The two runs that a test compares. Metrics are count and good (exact; lower, or higher, is better), share (steady,
 * traded for time), time (whose clock is `clock`), ceiling (static), launches and processes (of a program), rate and
 * clock (info). */
struct fixture {
    struct metrics metrics;
    struct known_regressions known_regressions;
    struct run base, run;
    struct comparison comparison;
};

struct fixture set_up(void);
void tear_down(struct fixture *fixture);

/* Adds a session of one sample, or of several. */
void put(struct run *run, const char *kernel, const char *metric, double value);
void put_samples(struct run *run, const char *kernel, const char *metric, const double *samples, size_t count);
/* Adds so many sessions with the same value. */
void put_times(struct run *run, const char *kernel, const char *metric, double value, size_t sessions);
/* Adds a session to each of the two runs, or so many with the same value. */
void put_each(struct fixture *fixture, const char *kernel, const char *metric, double base, double now);
void put_sides(struct fixture *fixture, const char *kernel, const char *metric, double base, size_t base_sessions,
               double now, size_t sessions);
void put_state(struct run *run, const char *kernel, const char *metric, enum value_state state);
void put_code(struct run *run, const char *kernel, const char *code); /* adds a launch; code: its hash, NULL: unknown */
void put_codes(struct fixture *fixture, const char *kernel, const char *base, const char *now);

/* Compares the two runs again. */
const struct comparison *compare(struct fixture *fixture);

/* Returns the judgement of a row, or of the whole kernel if metric is "". NULL when there is none. */
const struct judgement *find(const struct comparison *comparison, const char *kernel, const char *metric);

/* Compares the two runs again, and returns the judgement of a row, which has to have that verdict. */
const struct judgement *expect_verdict(struct fixture *fixture, const char *kernel, const char *metric,
                                       enum verdict verdict, size_t row);

/* Whether the reason has that text. */
bool says(const struct judgement *judgement, const char *text);
