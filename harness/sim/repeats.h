/* repeats.h - finds launches that need not be executed, because an equal launch (function, arguments, grid) did the
 * same before. Either no memory that the launch reads or writes has changed since, and it reads none that it writes:
 * the results are still there. Or a hash shows that the memory is as it was before the earlier launch: what that launch
 * left is copied back. */
#pragma once

#include "machine/machine.h"
#include "model/model.h"

/* Whether the launch is such a repeat; then sets its time and its counts, which this file owns. */
bool repeats_find(const struct grid *grid, double *ns, const struct result **counts);

/* Between these a launch is executed. The second time that it comes, what it reads and writes is noted, and from then
 * on what it leaves is kept: true, then all of its blocks are to be executed. plain: it did nothing that is not in
 * memory, as printing, and its outcome is in no doubt. The rows of
 * *counts are moved. */
bool repeats_begin(const struct grid *grid);
void repeats_end(bool plain, double ns, double instructions, struct result *counts);
