/* collector.h - executes a workload once and counts. Counts repeat, so one sample is a session, however many the job
 * asks for. */
#pragma once

#include "launch_log.h"

#include "worker/worker.h"

extern const struct collector sim_collector;

/* Executes a workload in all orders that its counts ask for, and adds rows of the metrics to the result. log->times
 * says whether a time is wanted as well. -1 with *problem. */
int workload_count(struct launches *log, const struct workload *workload, const struct metrics *metrics,
                   struct result *result, struct problem *problem);
