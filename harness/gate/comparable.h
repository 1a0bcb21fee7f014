/* comparable.h - which rows of two runs are compared, and whether they can be. */
#ifndef COMPARABLE_H
#define COMPARABLE_H

#include "model/model.h"

/* Narrows both sides by -k; baseline may be NULL. -1 after error() that names near kernels when nothing is left. */
int gate_filter(struct run *run, struct run *baseline, char *const *globs, size_t count);

/* 0 when the two were made on the same kind of device and by the same collector, or the run was computed and the
 * baseline counted by the GPU; else -1 after error() that says what differs. */
int gate_comparable(const struct run *run, const struct run *baseline);

/* Takes from the baseline the rows of metrics of which the run has no row in any kernel: what was measured in such a
 * way that it cannot have them is not to lack them. */
void gate_narrow(struct run *baseline, const struct run *run, const struct metrics *metrics);

/* Of the baseline of a GPU, which may be of several programs, keeps those that the run is of. */
void gate_keep_programs(struct run *baseline, const struct run *run);

#endif
