/* repeats.h - launches that do what an earlier one did, so that they need not be executed. The function, its arguments
 * and its grid are the same. Either none of the allocations that it reads and writes has changed since, and it reads
 * none that it writes: then all that it would write is there. Or their content is, by a hash, as it was before that
 * one: then what that left is written again. */
#pragma once

#include "machine/machine.h"
#include "model/model.h"

/* Whether the launch is one, and sets the time that it takes and its counts, which stay here. */
bool repeats_find(const struct grid *grid, double *ns, const struct result **counts);

/* Between these a launch is executed. The second time that it comes, what it reads and writes is noted, and from then
 * on what it leaves is kept: true, then all of its blocks are to be executed. plain: it did nothing that is not in
 * memory, as printing, and its outcome is in no doubt. The rows of
 * *counts are moved. */
bool repeats_begin(const struct grid *grid);
void repeats_end(bool plain, double ns, double instructions, struct result *counts);
