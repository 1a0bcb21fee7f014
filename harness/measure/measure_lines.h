/* measure_lines.h - the source lines behind a kernel's counters. */
#ifndef MEASURE_LINES_H
#define MEASURE_LINES_H

#include "measure.h"

/* Which kinds: or'ed. */
enum lines_kind {
    LINES_COUNTS = 1, /* exact counts: a process a function (CUPTI counts the first function of a process only) */
    LINES_STALLS = 2  /* samples of why warps wait: a process a kernel */
};

/* Collects the lines of those of the run's kernels that ids names (all: NULL), in that order, from the measurement's
 * library into result->lines; a kind that is there already stays as it is. Kernels that are not ok, are not of the
 * library or launch nothing are passed over. What cannot be
 * collected is a warning, and leaves the lines of that kernel as they are. Reads the text of the lines from the source
 * files where they are found. 0, or EXIT_INTERRUPTED after SIGINT. */
int measure_lines(const struct measurement *measurement, struct run *run, const char *const *ids, size_t count,
                  unsigned kinds);

/* Adds what the lines of a result say in sum: a row for each metric whose counter is cugate.excess_wavefronts. Where
 * lines were counted it is their sum; 0 where shared_wavefronts read 0, for then there was nothing to conflict; not
 * applicable where nothing is launched. Otherwise there is no row. */
void lines_add_rows(struct run *run, const struct metrics *metrics);

#endif
