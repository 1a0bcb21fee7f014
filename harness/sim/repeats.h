/* repeats.h - launches that do what an earlier one did, so that they need not be executed. The function, its arguments
 * and its grid are the same. Of the allocations that it reads and writes none has changed since, and it reads none that
 * it writes: then all that it reads is as it was, and all that it would write is there. */
#pragma once

#include "machine/machine.h"
#include "model/model.h"

/* Whether the launch is one, and sets the time that it takes and its counts, which stay here. */
bool repeats_find(const struct grid *grid, double *ns, const struct result **counts);

/* Between these a launch is executed. The second time that it comes, what it reads and writes is noted. plain: it did
 * nothing that is not in memory, as printing, and its outcome is in no doubt. The rows of *counts
 * are moved. */
void repeats_begin(const struct grid *grid);
void repeats_end(bool plain, double ns, struct result *counts);
