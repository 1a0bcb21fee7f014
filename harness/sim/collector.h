/* collector.h - a workload is executed once and counted; what is counted repeats, so one sample is a session, whatever
 * the job says. */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include "worker/worker.h"

extern const struct collector sim_collector;

#endif
