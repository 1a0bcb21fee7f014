/* aa_parts.h - the parts of analysis_make. Private to the aa*.c files. */
#pragma once

#include "aa.h"

/* The sessions, and where and when each was measured. All runs have the same kernels. */
struct sessions {
    const struct run *runs;
    size_t count;
    const struct metrics *metrics;
    size_t *gpu;  /* for each session: number of its GPU, from 0 */
    size_t *cell; /* for each session: number of its combination of GPU and day */
    size_t gpus, days, cells;
};

/* Removes from the runs what not all of them have, and fills in the general part of *analysis. Borrows runs. */
void sessions_open(struct sessions *sessions, struct analysis *analysis, struct run *runs, size_t count,
                   char *const *names, const struct metrics *metrics);
void sessions_close(struct sessions *sessions);

/* Returns the row of a kernel in a session, or NULL where it was not measured. */
const struct row *measured_row(const struct sessions *sessions, size_t session, size_t kernel,
                               const struct metric *metric);

/* Each fills a part of the analysis: views and noisy_rows; spreads; exactness; detectables. */
void analyse_alarms(struct analysis *analysis, const struct sessions *sessions);
void analyse_spread(struct analysis *analysis, const struct sessions *sessions);
void analyse_exactness(struct analysis *analysis, const struct sessions *sessions);
void analyse_detectable(struct analysis *analysis, const struct sessions *sessions);
