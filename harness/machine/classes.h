/* classes.h - counts a launch by one block of each class. */
#pragma once

#include "turns.h"

/* Tries to count the launch so. True: *tallies has the counts of all its blocks, and *done names those that were
 * executed, a bit each (caller frees). False: the same of those that were executed alone, the others are left to do; or
 * run->failed. The reason is in run->grid->proved. */
bool classes_count(struct run_state *run, struct tally *tallies, uint64_t **done);
