/* launch_log.h - the launches of a workload: how they were made, what they did, by launch and by source line. */
#ifndef LAUNCH_LOG_H
#define LAUNCH_LOG_H

#include "counters.h"
#include "grid.h"

#include "model/model.h"
#include "worker/worker.h"

/* The order of blocks from now on: below ORDERS. Forgets where they met. */
void launches_order(unsigned order);
/* Whether blocks have met since then, so that another order may give other counts. */
bool launches_meet(void);
/* Keeps what was counted, for launches_compare() after the next run of the same. */
void launches_keep(void);
/* -1 with *problem, "not simulated: ...", where another order has given other counts, of any instruction. */
int launches_compare(struct problem *problem);

/* Launches are counted between these two. Beginning forgets what is there. */
void launches_begin(void);
void launches_end(void);

/* From now on nothing is executed: launches are only noted, with what they are given (inputs.h). */
void launches_only_note(void);

/* Executes a launch, as grid_run does, and counts it while that is on. */
int launches_run(const struct grid *grid, bool *fault, struct problem *problem);

/* What was counted: of each launch all counters, in order. */
size_t launches_counted(void);
const double *launches_values(size_t launch, enum bound bound); /* EXACT_COUNTERS of them */

/* Moves the launches to a result, and adds its lines where they were counted. */
void launches_hand_over(struct result *result);

#endif
