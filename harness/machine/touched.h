/* touched.h - which allocations a launch reads and writes, for those who leave out a launch that would do the same
 * again. */
#pragma once

#include <stdbool.h>

struct machine;
struct grid;
struct ranges;

/* Begins to note what a launch does. False: not all that it reads and writes would be noted, by its code. */
bool touched_begin(struct machine *machine, const struct grid *grid);
/* Ends it, and gives the allocations to the caller, who frees the lists. False: not all are known. */
bool touched_end(struct machine *machine, struct ranges *read, struct ranges *written);
/* Whether allocations are in both. */
bool touched_meet(const struct ranges *one, const struct ranges *other);
