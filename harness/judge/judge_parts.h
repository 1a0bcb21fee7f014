/* judge_parts.h - the parts of compare_runs. Private to the room: compare.c calls judge_*.c, which call
 * comparison.c. */
#pragma once

#include "comparison.h"
#include "known_counts.h"
#include "known_regression.h"

#include "estimate/estimate.h"

/* The two sides of a comparison. */
struct sides {
    const struct run *baseline, *run;
    const struct metrics *metrics;
    const struct known_regressions *known_regressions; /* may be NULL */
    const struct origin *origin;                       /* of the run: run_origin */
};

struct judgement *add_judgement(struct comparison *comparison, const char *kernel, const struct metric *metric,
                                enum verdict verdict);
__attribute__((format(printf, 2, 3))) void set_reason(struct judgement *judgement, const char *format, ...);
/* Sets a reason, or appends to the one that is there. */
__attribute__((format(printf, 2, 3))) void add_reason(struct judgement *judgement, const char *format, ...);

/* Says how much of the time each row of a kernel or program costs, and which of those that are worse account for
 * others.
 */
void order_evidence(struct judgement *rows, size_t count, const struct sides *sides);

/* Orders judgements for qsort, the worst first. */
int judgements_worst_first(const void *left, const void *right);

/* One row on both sides, and its context. */
struct pairing {
    const struct sides *sides;
    const struct suite *suite; /* the common shift of the metric, or NULL */
    const struct result *base_result, *now_result;
    const struct row *base, *now;
};

/* Whether only a simulation counts the metric, and nothing of the baseline was computed with it: a GPU measured that.
 * So there is nothing to judge it by. */
bool is_without_judge(const struct sides *sides, const struct metric *metric);

/* Whether other processes computed on the GPU during a session of the row. */
bool has_gpu_processes(const struct run *run, const struct row *row);

/* Why a row is excused: judge_excuses.c has the order. why_not_judged: the reason, or NULL. widen_limit: widens the
 * limit of a row that may stray. is_chance: whether a row of the same code moved by the machine's doing. */
const char *why_not_judged(const struct judgement *judgement, const struct pairing *pairing);
void widen_limit(struct assessment *found, const struct pairing *pairing, const struct metric *metric);
bool is_chance(const struct assessment *found, const struct pairing *pairing, const struct metric *metric);

/* Instructions outside of waits: sets those of a side that has no row of them, as judge_waits.c says, into was and is
 * where it has to make them. False: the instructions are judged. excuse_instructions: what is judged so is not unsure
 * for its instructions; its judgements begin at index first. */
bool stand_for_instructions(struct pairing *pairing, struct row *was, struct row *is);
void excuse_instructions(struct comparison *comparison, size_t first);

/* Adds the judgement of one row by everything except other rows. */
void judge_row(struct comparison *comparison, const struct pairing *pairing, const char *kernel,
               const struct metric *metric, struct quantiles *quantiles);

/* Revises the judgements of one kernel, which begin at index first: same code, trade-offs, known regressions. base and
 * now may be NULL. */
void revise_kernel(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                   const struct result *now);

/* Returns how much a kernel writes: sectors of stores and hardware copies, and atomics, as far as they were counted. */
double writes_of(const struct result *result);

/* How the estimated time of a kernel that was computed changed: the most likely ratio, and between which it is if a
 * constant of the model is wrong. Hidden: it is equal by a model that was never compared with such a GPU, and more work
 * by its counts (estimate.h). Close: it is slower, by less than a launch's estimate may be off. */
enum estimated_way {
    ESTIMATED_OPEN,
    ESTIMATED_EQUAL,
    ESTIMATED_HIDDEN,
    ESTIMATED_CLOSE,
    ESTIMATED_FASTER,
    ESTIMATED_SLOWER
};
struct estimated_change {
    bool known;
    const char *unknown; /* why it is not; else NULL */
    double likely, least, most;
    enum estimated_way way;
};

void estimate_change(struct estimated_change *change, const struct sides *sides, const struct result *base,
                     const struct result *now);
/* Writes "about 30 % slower by its estimated time (10 to 60 %)" into text, and returns it. */
const char *estimated_words(const struct estimated_change *change, char *text, size_t size);
/* Adds a row for it, if it is known: slower is regressed, whatever the counts say. */
void judge_estimate(struct comparison *comparison, const struct sides *sides, const struct result *base,
                    const struct result *now, const struct estimated_change *change);
/* Adds an unsure row where no estimate tells whether other code is slower, though the baseline was computed or has one,
 * and its judgements, which begin at index first, neither fail nor are unsure: lower counts do not tell. */
void judge_unknown(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                   const struct result *now, const char *why);
/* Whether times are among the metrics: if not, none is estimated. */
bool asks_for_time(const struct metrics *metrics);

/* Gives a kernel its verdict by the table of judge_weigh.c: its rows that are worse and do not fail become trade-offs,
 * or unsure. They begin at index first; base and now may be NULL. */
void weigh_kernel(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                  const struct result *now);

/* Whether exact counts of the kernel differ by more than a percent: it did other work. */
bool counts_moved(const struct metrics *metrics, const struct result *base, const struct result *now);

/* Computes the common shift of every metric of class time into comparison->suites. */
void find_suites(struct comparison *comparison, const struct sides *sides);

/* Adds a judgement for each common shift beyond its limit, unless pairs settled all of its times. */
void judge_suites(struct comparison *comparison, const struct sides *sides);

/* ---- Programs, judge_seen.c ---- */

/* Whether both sides saw every launch of the program that the kernel is of, know its GPU time, and the run has kernels
 * of it. Then its own row judges which kernels it launches. */
bool is_seen_whole(const struct sides *sides, const char *kernel);
/* Whether both sides simulated every launch of the program. Its time is not known, so what is gone is unsure. */
bool is_counted_whole(const struct sides *sides, const char *kernel);

/* Returns the metric whose common shift applies to that one: for the GPU time of a program the time of a launch. */
const struct metric *metric_of_shift(const struct metrics *metrics, const struct result *now,
                                     const struct metric *metric);

/* Returns how many kernels of a program run at a time, on average while any does; NAN where that is not known. */
double overlap_of(const struct metrics *metrics, const struct result *program);

/* Returns words such as "10 launches, 1.20 ms of the program's 4.62 ms". Caller frees. */
char *share_of_program(const struct metrics *metrics, const struct run *run, const struct result *kernel);

/* Whether kernels of the program may wait for other processes: false where both sides launched from one alone. */
bool program_may_wait(const struct sides *sides, const char *kernel);

/* Whether the judgement is of a time that is worse, and by that costs the program RULE_PROGRAM_SHARE of its GPU time.
 * False where that is not known. */
bool costs_program(const struct sides *sides, const struct judgement *judgement, const struct result *now);

/* Whether the run launched the kernel in its first part only, for less than 1 % of its GPU time. */
bool is_minor_first_part(const struct sides *sides, const struct run *run, const struct result *kernel);
/* Whether both sides launched the kernel in the first part of a program only, which was seen whole, and for less than 1
 * % of its GPU time. */
bool is_of_first_part(const struct pairing *pairing);
/* Whether the kernel's machine code and shape are the baseline's, in a program that was seen as a whole on both sides.
 * Then its time is judged, and its counts explain that: a check need not read them. */
bool is_judged_by_time(const struct pairing *pairing);
/* Whether the machine code of such a kernel was found on one side alone. Then its time and counts are judged, and not
 * what its code is like. */
bool lacks_code_once(const struct pairing *pairing);
/* Whether the metric of a kernel explains its time and is not judged itself: an exact count of the same machine code in
 * the same shape, in a program that was seen whole and timed. Its arguments or data are others. */
bool explains_only(const struct pairing *pairing, const struct metric *metric);
/* Notes kernels in which such a count moved by more than a percent. */
void note_moved_counts(struct comparison *comparison, const struct sides *sides);
/* Notes kernels of new or changed code that were not counted in all sets. */
void note_unread(struct comparison *comparison, const struct sides *sides);

/* ---- Programs, judge_program.c ---- */

/* Revises judgements of launches, and of times of the same machine code, when all others are made: more of them are a
 * trade-off if the program's time as a whole improved. */
void revise_programs(struct comparison *comparison, const struct sides *sides);

/* ---- The sides of a row: judge_sides.c, judge_suite.c ---- */

/* For a computed run, adds a judgement for each gated metric that should have been computed and cannot be. The user
 * asked for it, or it repeats to the digit. Its missing rows must not look like a pass. */
void judge_uncomputed(struct comparison *comparison, const struct sides *sides);

/* Whether both runs, as far as they tell, measured the metric by the counter and in the unit of its definition. If not,
 * *why is the reason; the caller frees it. */
bool same_definition(const struct sides *sides, const struct metric *metric, char **why);

/* Whether both runs count the same part of the program. If not, *why is the reason; the caller frees it. */
bool same_part(const struct pairing *pairing, char **why);

/* Returns the common shift that applies to the kernel's row of that metric, or NULL. now may be NULL. */
const struct suite *suite_of(const struct comparison *comparison, const struct run *run, const struct result *now,
                             const struct metric *metric);

/* For each kernel of the baseline that the run lacks, finds the new kernel that launches what it did; else NULL. Caller
 * frees. */
const struct result **find_renamed(const struct sides *sides);

/* Whether that metric cannot be computed in a run that is: then the run has no note of it. */
bool is_beyond_computing(const struct sides *sides, const char *metric);

/* Returns a fact of the session of a value of the baseline; NULL where it is not known. */
const char *fact_of(const struct sides *sides, const struct result *base, const struct row *row, size_t value,
                    enum session_fact fact);

/* ---- Toolchains: judge_toolchain.c, judge_sides.c, judge_libraries.c ---- */

/* Returns the compiler of the run if no session of the baseline's row has the same, else NULL. *was is one of theirs.
 * NULL for a row that a base build stands in for. */
const char *other_compiler(const struct sides *sides, const struct result *base, const struct row *row,
                           const char **was);

/* Returns the toolchain of the run if another one made other code of the kernel, else NULL: a compiler that differs, or
 * in a program packages and libraries that make kernels. *was is that of the baseline. */
const char *other_toolchain(const struct comparison *comparison, const struct sides *sides, const struct result *base,
                            const struct result *now, const char **was);

/* Numbers the GPUs that each session of a baseline's row was measured on, into gpus->of, which has space for them.
 * Returns false when the run's row was measured on one of them, or a GPU is not recorded. */
bool find_other_gpus(const struct sides *sides, const struct result *base, const struct row *row, const struct row *now,
                     struct gpus *gpus);

/* Sets comparison->makers_*, and adds a note for each loaded library that differs: judge_libraries.c. */
void compare_libraries(struct comparison *comparison, const struct sides *sides);
