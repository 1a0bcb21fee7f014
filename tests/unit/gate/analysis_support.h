/* analysis_support.h - sessions made up in memory, for the tests of the analysis. */
#ifndef ANALYSIS_SUPPORT_H
#define ANALYSIS_SUPPORT_H

#include "gate/gate.h"

#define MOST_SESSIONS 40 /* of a test */

/* Metrics: count (exact), bytes, share (steady), time, rate (info). */
struct sessions_fixture {
    struct metrics metrics;
    struct run runs[MOST_SESSIONS];
    char names[MOST_SESSIONS][32]; /* s0.json, s1.json, ... */
    char *name_list[MOST_SESSIONS];
    size_t count;
    struct analysis analysis;
};

/* Sessions without kernels. Session i is of GPU i / per_gpu; of a day of its own when days is set, else all are of one.
 */
void aa_set_up(struct sessions_fixture *fixture, size_t count, size_t per_gpu, bool days);
void aa_tear_down(struct sessions_fixture *fixture);

/* One sample: in one session, or the same in all. */
void aa_put(struct sessions_fixture *fixture, size_t session, const char *kernel, const char *metric, double value);
void aa_put_all(struct sessions_fixture *fixture, const char *kernel, const char *metric, double value);

struct analysis *aa_analyse(struct sessions_fixture *fixture);

/* NULL when there is none. */
const struct exactness *exactness_of(const struct analysis *analysis, const char *metric);

#endif
