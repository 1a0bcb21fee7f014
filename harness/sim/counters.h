/* counters.h - from what instructions did to what the GPU's counters say of it. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "grid.h"

#include "model/model.h"
#include "worker/worker.h"

/* Where lanes that come to where they meet at different times meet by chance, a count lies between two bounds, about the
 * one that was executed here; else all are the same. */
enum bound { BOUND_LEAST, BOUND_NONE, BOUND_MOST, BOUNDS };

/* What all instructions of a launch did together, in each counter; traits[i] are those of instruction i. A ratio of
 * nothing is NAN. */
void counters_of(const struct tally *tallies, const unsigned *traits, size_t count, enum bound bound,
                 double values[EXACT_COUNTERS]);

/* The same of one instruction, by source line. */
void counters_of_line(const struct tally *tally, unsigned traits, double counts[LINE_COUNTERS]);

#endif
