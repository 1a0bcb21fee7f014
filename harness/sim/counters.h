/* counters.h - turns what instructions did into the values of the GPU's counters. */
#pragma once

#include "machine/machine.h"
#include "model/model.h"

/* Lanes that reach the place where they join at different times are joined by chance. Then a count lies between two
 * bounds around the one that was executed here. Otherwise all three are the same. */
enum bound { BOUND_LEAST, BOUND_NONE, BOUND_MOST, BOUNDS };

/* Computes each counter over all instructions of a launch; traits[i] are those of instruction i. A ratio without a
 * divisor is NAN. */
void counters_of(const struct tally *tallies, const unsigned *traits, size_t count, enum bound bound,
                 double values[EXACT_COUNTERS]);

/* Finds the counters that depend on the order in which blocks and warps were executed, from the same launches in two
 * orders: those to which an instruction adds something else, or anything in a loop that waits. They are set; the others
 * stay as they are. open_lines has a bit 1 << counter for each such counter by source line. */
void counters_compare(const struct tally *one, const struct tally *other, const unsigned *traits, size_t count,
                      bool open[EXACT_COUNTERS], unsigned *open_lines);

/* Computes the counts by source line of one instruction. */
void counters_of_line(const struct tally *tally, unsigned traits, double counts[LINE_COUNTERS]);
