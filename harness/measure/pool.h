/* pool.h - starts, watches and replaces the workers of a measurement, one on each GPU. */
#pragma once

#include "measure.h"

/* Measures as measure_run() does, without computing what follows from the values. */
int pool_measure(const struct measurement *measurement, struct run *run);

/* Returns the same measurement of only those metrics that the backend has. The caller frees the list of *kept, which
 * borrows the rest. */
struct measurement measurement_of_provided(const struct measurement *measurement, struct metrics *kept);

/* Starts the workers of a measurement, which open their GPUs and wait until it begins. It needs a relay. */
void pool_start_ahead(const struct measurement *measurement);

/* Runs several measurements. At a time, at_once of them run on each GPU; a measurement's GPU is the first one that it
 * names. The exit code of list[i] is put into codes[i]. */
void pool_measure_all(const struct measurement *list, struct run *runs, int *codes, size_t count, size_t at_once);
