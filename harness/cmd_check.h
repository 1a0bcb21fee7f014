/* cmd_check.h - the parts of `cugate check` that have files of their own. */
#ifndef CMD_CHECK_H
#define CMD_CHECK_H

#include "options.h"
#include "run.h"

/* For --static: which baseline, and what the machine code of --kernels says about its kernels. Both sides hold the
 * facts of the machine code only. Sets *name to the folder of the baseline (caller frees). 0, or an exit_code after
 * error(): EXIT_BASELINE when no baseline fits the library, EXIT_USAGE when several do and --static names none,
 * EXIT_NOT_MEASURED when the library has no code for the GPU that it names. */
int check_static(const struct options *options, const struct metrics *metrics, struct run *run, struct run *baseline,
                 char **name);

#endif
