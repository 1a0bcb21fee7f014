/* known_counts.h - counts that need not be read again. They take most of the time of a check on a GPU, and follow from
 * machine code, launches and inputs: those of instrumented code, and those whose metric says so. Pure. */
#pragma once

#include "model/model.h"

/* Whether the baseline knows them all of this kernel: each has a value that never varied, by the same compiler and
 * CUPTI as far as these are known, for the same machine code, launches and inputs. Of code that is not the library's,
 * as cuBLAS's, launches, driver and the hardware's counts stand in for those, and what only follows is read. `now` may
 * be of a dry run, which has no launches of such. */
bool counts_are_known(const struct run *baseline, const struct result *base, const struct run *run,
                      const struct result *now, const struct metrics *metrics);

/* Whether a row of the baseline was rightly not read again: it is known, and every exact count that the hardware gave
 * is the baseline's. */
bool count_was_known(const struct run *baseline, const struct result *base, const struct row *row,
                     const struct metric *metric, const struct run *run, const struct result *now,
                     const struct metrics *metrics);

/* Whether a result of a kernel that ran lacks all of them. */
bool counts_were_left(const struct result *result, const struct metrics *metrics);

/* Known counts of one kernel in KNOWN_READ are read all the same, of each on another day. `day` counts days. */
enum { KNOWN_READ = 32 };
bool counts_have_their_day(const char *kernel, long day);
