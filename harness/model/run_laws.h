/* run_laws.h - holds a run against the laws of its metrics (law.h). Whatever measures or reads a run does so before
 * anything else looks at its numbers. */
#ifndef RUN_LAWS_H
#define RUN_LAWS_H

#include "run.h"

/* A row that breaks a law of its metric, and every other row that the law is about, becomes not counted, with the law
 * as its reason: which of them is wrong nobody knows. Warns of each; name is the run's, or NULL where it was measured
 * now. Returns how many there were. A law is not asked where the run lacks a number that it is about. */
size_t run_apply_laws(struct run *run, const struct metrics *metrics, const char *name);

#endif
