/* launch_log.h - the launches of a workload: how they were made, and what they did, by launch and by source line. */
#ifndef LAUNCH_LOG_H
#define LAUNCH_LOG_H

#include "counters.h"

#include "machine/machine.h"
#include "model/model.h"

/* Sets the chosen order of blocks, below ALL_ORDERS, of the launches that follow. Forgets where blocks met. */
void launches_order(unsigned chosen);
/* Returns whether blocks have met since then, so that another order may give other counts. */
bool launches_meet(void);
/* Returns what the launches did in order 0 that is a fault if anything depends on it; NULL: nothing. */
const char *launches_doubt(void);
/* Whether the launches made atomics, which add up floats in the order in which they come. */
bool launches_add_up(void);
/* Whether every instruction was executed by as many threads as in the order that was kept. */
bool launches_are_alike(void);
/* Finds the counts to which a loop adds that waits, of launches whose blocks did not meet, for launches_open(). */
void launches_find_waits(void);
/* Keeps the counts, for launches_compare() after other executions of the same workload. */
void launches_keep(void);
/* Compares the counts with those that were kept. Which of them differ is known to launches_open(). -1 with *problem,
 * "not simulated: ...", where there were more launches, or fewer. */
int launches_compare(struct problem *problem);
/* Returns where blocks met in the execution that was kept. */
const char *launches_place(void);
/* Returns where blocks met, if the counter depends on which of them comes first; NULL: it does not. An execution in
 * order 0 forgets it. */
const char *launches_open(enum exact_counter counter);

/* Launches between these two calls are counted. launches_begin() forgets earlier ones. */
void launches_begin(void);
void launches_end(void);

/* From now on launches are not executed, but only noted, with the hash of their inputs (inputs.h). */
void launches_only_note(void);

/* Returns how many launches were counted. */
size_t launches_counted(void);
const double *launches_values(size_t launch, enum bound bound); /* a launch's EXACT_COUNTERS values, in order */

/* Moves the launches to a result, and adds the lines if they were counted. */
void launches_hand_over(struct result *result);

#endif
