/* grid_balance.h - how evenly the blocks of launches can lie on the SMs of a GPU. Pure. */
#pragma once

#include "result.h"

/* Returns the blocks of a kernel's launches in %, of those that there would be if every SM had as many as the one with
 * most: blocks / (SMs * ceil(blocks / SMs)), each launch weighed by its threads. NAN where launches or SMs are not
 * known. From GRID_BALANCE_EVEN on it is 100. The order in which the GPU hands out blocks does not matter, nor how many
 * an SM holds at once. */
#define GRID_BALANCE_EVEN 95.0
double grid_balance(const struct result *result, long long sm_count);
