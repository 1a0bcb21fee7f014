/* pool.h - the workers of a measurement: started, watched and replaced, one at a time. */
#ifndef POOL_H
#define POOL_H

#include "measure.h"

/* measure_run, without what is worked out from what was measured. */
int pool_measure(const struct measurement *measurement, struct run *run);

#endif
