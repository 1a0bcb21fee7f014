/* computed.h - counters that are worked out here, in the parent, from what workers measured: rows of metrics whose
 * counter is cugate.bandwidth, cugate.flop_rate or cugate.excess_wavefronts. */
#ifndef COMPUTED_H
#define COMPUTED_H

#include "model/model.h"
#include "worker/worker.h"

/* Bandwidth and FLOP rate of each sample of the kernels that are ok: by the GPU's time where it was measured, else by
 * the host's, else they are not counted. Not applicable where a kernel states no bytes, or no operations. No row
 * where the backend that measured has none of the metric. */
void computed_add_rates(struct run *run, const struct metrics *metrics, const struct backend *backend);

/* Adds what the lines of a result say in sum: a row for each metric whose counter is cugate.excess_wavefronts. Where
 * lines were counted it is their sum; 0 where shared_wavefronts read 0, for then there was nothing to conflict; not
 * applicable where nothing is launched. Otherwise there is no row. */
void computed_add_excess(struct run *run, const struct metrics *metrics);

#endif
