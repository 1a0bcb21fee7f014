/* selftest.h - how good the gate is, in figures: each bar is tried by the real rule on recorded sessions and on noise
 * that is simulated from a fixed seed, and printed with what came of it. */
#pragma once

#include "judge/judge.h"

#include <gsl/gsl_rng.h>

/* A recorded session: a run of one session, and its file. */
struct recording {
    char *path;
    struct run run;
};

/* What the bars work with. */
struct selftest {
    struct metrics metrics; /* the shipped ones */
    struct metrics plain;   /* "steady" and "time" without a floor: what the t-limit alone does */
    struct recording *sessions;
    size_t session_count;
    gsl_rng *rng; /* seeded anew for every part */
    const char *part;
    bool until_failed; /* the first bar that fails ends the program, with 1 */
    size_t passed, failed;
};

/* A part of the table: prints rows by the functions below. */
typedef void part_fn(struct selftest *selftest);
part_fn q1_pairs, q1_one_more, q2_simulated, q2_distribution, q2_recorded, q3_screen, q3_caution, q4_judge, q4_recorded,
    q4_early, q5_noise, q5_clean, q5_planted, q5_hiccup, q5_recorded, q6_simulated, q6_recorded, q6_clock,
    q8_repetition, q10_unchanged, q10_slower;

/* One row each. A rate fails when chance explains what was seen with less than 1 in 1,000 if the true rate were `rate`.
 * expect_none fails on the first; expect_alike when the split between two directions is no accident. */
void expect_at_most(struct selftest *selftest, size_t count, size_t trials, double rate, const char *words);
void expect_at_least(struct selftest *selftest, size_t count, size_t trials, double rate, const char *words);
void expect_alike(struct selftest *selftest, size_t up, size_t down, const char *words);
void expect_none(struct selftest *selftest, size_t count, size_t trials, const char *words);
void expect_all(struct selftest *selftest, size_t count, size_t trials, const char *words);
/* A figure without a bar. */
__attribute__((format(printf, 2, 3))) void tell(const struct selftest *selftest, const char *format, ...);

/* The judgement of that row, or NULL; metric NULL is the kernel as a whole. */
const struct judgement *judgement_of(const struct comparison *comparison, const char *kernel, const char *metric);

/* A row of a made-up run, with that value in so many sessions more; and one launch more of a made-up kernel, of that
 * machine code, NULL: unknown. */
struct row *put_row(struct run *run, const char *kernel, const char *metric, double value, size_t sessions);
void put_launch(struct result *result, const char *code);

/* Judgements of a class that were flagged worse or improved. */
struct flags {
    size_t judged, worse, improved;
};
struct flags count_flags(const struct comparison *comparison, enum metric_class class);

/* ---- recorded.c: the recorded sessions ---- */

/* Reads every *.json of a folder, in the order of the names. -1 after error(). */
int sessions_read(struct selftest *selftest, const char *folder);

/* The GPU of a session: equal for two that ran on the same one. */
const char *session_gpu(const struct run *session);

/* A baseline of those sessions that `wanted` names. Release it. */
void merge_sessions(struct run *baseline, const struct selftest *selftest, const bool *wanted);

/* How a value moves, in its metric's unit: from GPU to GPU, from session to session on one of them, and from sample to
 * sample. Of a time, after the suite's shift is taken off. */
struct noise {
    double mean, gpu, session, sample;
};

/* False when the metric was not measured in every session. */
bool noise_find(struct noise *noise, const struct selftest *selftest, const char *kernel, const char *metric);
