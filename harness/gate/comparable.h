/* comparable.h - checks whether two runs can be compared, and which of their rows. */
#pragma once

#include "model/model.h"

/* Reads files of runs that are to be judged or shown, and holds each against the laws of the metrics (run_laws.h): 0,
 * or -1 after error(), and then all runs are empty. A run that was cut (SESSION_CUT) is refused. */
int gate_read(struct run *runs, const char *const *paths, size_t count, const struct metrics *metrics);

/* Keeps the kernels that -k chose, on both sides. -1 after error() that names near kernels when
 * nothing is left. */
int gate_filter(struct run *run, struct run *baseline, char *const *globs, size_t count);

/* Returns 0 when both are of the same kind of device and the same collector. The collectors may also be the simulator
 * for the run and a GPU for the baseline. Else -1 after error(), which says what differs. */
int gate_comparable(const struct run *run, const struct run *baseline);

/* Removes rows of metrics from the baseline that the run has in no kernel. It was made in a way that cannot provide
 * them, so they are not missing. */
void gate_keep_metrics(struct run *baseline, const struct run *run, const struct metrics *metrics);

/* Removes rows of metrics from the baseline that were not asked for: they are neither measured nor judged. Returns how
 * many of them would be judged. */
size_t gate_keep_asked(struct run *baseline, const struct metrics *asked, const struct metrics *all);

/* Removes programs from a baseline that are not in the run: the baseline of a GPU may have several. */
void gate_keep_programs(struct run *baseline, const struct run *run);
