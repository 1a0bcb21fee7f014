/* aa_parts.h - the parts of analysis_make. Private to the aa*.c files. */
#ifndef AA_PARTS_H
#define AA_PARTS_H

#include "aa.h"

/* The sessions, and where each was measured. All runs have the same kernels. */
struct sessions {
    const struct run *runs;
    size_t count;
    const struct metrics *metrics;
    size_t *gpu;  /* of each session, from 0 */
    size_t *cell; /* of each session: its GPU and day together */
    size_t gpus, days, cells;
};

/* Leaves out of the runs what not all of them have, and describes the rest in *analysis. Borrows runs. */
void sessions_open(struct sessions *sessions, struct analysis *analysis, struct run *runs, size_t count,
                   char *const *names, const struct metrics *metrics);
void sessions_close(struct sessions *sessions);

/* The row of a kernel in a session, or NULL where it was not measured. */
const struct row *measured_row(const struct sessions *sessions, size_t session, size_t kernel,
                               const struct metric *metric);

/* Fill views and noisy_rows; spreads; exactness; detectables. */
void analyse_alarms(struct analysis *analysis, const struct sessions *sessions);
void analyse_spread(struct analysis *analysis, const struct sessions *sessions);
void analyse_exactness(struct analysis *analysis, const struct sessions *sessions);
void analyse_detectable(struct analysis *analysis, const struct sessions *sessions);

#endif
