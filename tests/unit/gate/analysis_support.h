/* analysis_support.h - makes sessions in memory, for tests of A/A analysis. */
#pragma once

#include "gate/gate.h"

#define MOST_SESSIONS 40 /* limit of sessions in a test */

/* Sessions with the metrics count (exact), bytes, share (steady), time and rate (info). */
struct sessions_fixture {
    struct metrics metrics;
    struct run runs[MOST_SESSIONS];
    char names[MOST_SESSIONS][32]; /* names of the sessions: s0.json, s1.json, ... */
    char *name_list[MOST_SESSIONS];
    size_t count;
    struct analysis analysis;
};

/* Makes sessions without kernels. Session i is on GPU i / per_gpu. If days is set, each is on a day of its own, else
 * all are on one day. */
void aa_set_up(struct sessions_fixture *fixture, size_t count, size_t per_gpu, bool days);
void aa_tear_down(struct sessions_fixture *fixture);

/* Adds one sample, to one session or to all. */
void aa_put(struct sessions_fixture *fixture, size_t session, const char *kernel, const char *metric, double value);
void aa_put_all(struct sessions_fixture *fixture, const char *kernel, const char *metric, double value);

struct analysis *aa_analyse(struct sessions_fixture *fixture);

/* Returns the exactness of a metric, or NULL. */
const struct exactness *exactness_of(const struct analysis *analysis, const char *metric);
