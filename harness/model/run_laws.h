/* run_laws.h - compares a run with the laws of its metrics (law.h). Whatever measures or reads a run does that before
 * anything else uses its numbers. */
#pragma once

#include "run.h"

/* Finds rows that break a law. Such a row, and every other row that the law is about, becomes not counted, with the law
 * as its reason: nobody knows which number is wrong. Warns of each; name is the run's, or NULL where it was measured
 * now. Returns how many rows there were. A law is skipped where the run lacks one of its numbers. */
size_t run_apply_laws(struct run *run, const struct metrics *metrics, const char *name);
