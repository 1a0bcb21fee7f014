/* pool.h - the workers of a measurement: started, watched and replaced, one on each GPU. */
#ifndef POOL_H
#define POOL_H

#include "measure.h"

/* measure_run, without what is worked out from what was measured. */
int pool_measure(const struct measurement *measurement, struct run *run);

/* The same of several measurements, of which so many go on at once on each GPU, told by the first that each names;
 * codes[i] is what came of list[i]. */
void pool_measure_all(const struct measurement *list, struct run *runs, int *codes, size_t count, size_t at_once);

#endif
