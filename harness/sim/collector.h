/* collector.h - executes a workload once and counts. Counts repeat, so one sample is a session, however many the job
 * asks for. */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include "worker/worker.h"

extern const struct collector sim_collector;

#endif
