/* computed.h - computes metrics in the parent from what workers measured: those whose counter is cugate.bandwidth,
 * cugate.flop_rate or cugate.excess_wavefronts. */
#pragma once

#include "worker/worker.h"

/* Adds bandwidth and FLOP rate to each kernel that is ok, for each sample of its time. That is the GPU's time where it
 * was measured, otherwise the host's. Without a time they are not counted. They are not applicable where a kernel
 * states no bytes, or no operations. */
void computed_add_rates(struct run *run, const struct metrics *metrics);

/* Completes a run after it is measured, and again after its lines were counted. First it adds a row for each metric
 * whose counter is cugate.excess_wavefronts. If lines were counted, that is their sum. It is 0 if shared_wavefronts is
 * 0, since nothing can conflict then. It is not applicable if nothing is launched. Otherwise there is no row. Then it
 * applies the laws of the metrics (run_laws.h); name is the run's in warnings, or NULL. */
void computed_complete(struct run *run, const struct metrics *metrics, const char *name);
