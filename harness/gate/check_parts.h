/* check_parts.h - the parts of a check that have files of their own. Private to the check*.c files. */
#ifndef CHECK_PARTS_H
#define CHECK_PARTS_H

#include "check.h"

/* For --static: which baseline, and what the machine code of --kernels says about its kernels. Both sides hold the
 * facts of the machine code only. Sets *name to the directory of the baseline (caller frees). 0, or an exit_code after
 * error(): EXIT_BASELINE when no baseline fits the library, EXIT_USAGE when several do and --static names none,
 * EXIT_NOT_MEASURED when the library has no code for the GPU that it names. */
int check_static(const struct check_request *request, struct run *run, struct run *baseline, char **name);

/* The same for files (static_files.h), whose baseline is of no GPU but of a capability. Where there is none yet,
 * *baseline is empty, and error() has said how to begin one. EXIT_NOT_MEASURED when one of the files has no code for
 * that capability, EXIT_USAGE also when one cannot be read. */
int check_files(const struct check_request *request, struct run *run, struct run *baseline, char **name);

/* Computes the run in place of measuring it: learns what each kernel launches, and simulates those whose machine code
 * or launch is not the baseline's, or with request->all every one. find_baseline is called in between, when the run has
 * its device and the launches, and sets check->baseline. 0, or the exit code when there is nothing to report; how
 * computing went is in check->measured. */
int check_simulated(struct check *check, int (*find_baseline)(struct check *check));

/* Measures in the base library `against` the kernels that the baseline lacks, as a whole or a gated number that the run
 * has, and those that only that library has; and lets them stand in (run_stand_in). *baseline may be empty. What the
 * run has is measured on the GPU where it was. 0, or what measuring ended with. */
int check_base(const struct measurement *measurement, const char *against, const struct run *run, struct run *baseline);

/* Once more, those of the kernels of which something stands in. */
int check_base_again(const struct measurement *measurement, const char *against, char *const *ids, size_t count,
                     const struct run *run, struct run *baseline);

/* Says what stands in for what. */
void check_note_stand_ins(struct comparison *comparison, const struct run *baseline);

/* Counts bank conflicts (cugate.excess_wavefronts) of those of the run's kernels whose row in the baseline says some
 * and that do not do the same work as it; of those that make no pass through shared memory they are known to be 0. Not
 * all kernels, because each takes a process. For a second session the comparison of the first, else NULL: a row that it
 * found no worse is not counted again. 0, or EXIT_INTERRUPTED. */
int check_conflicts(const struct measurement *measurement, const struct run *baseline,
                    const struct comparison *comparison, struct run *run);

/* A second session that could not be counted leaves the first without the confirmation that it needs: then the row is
 * not counted. Before run_append. */
void check_confirm_conflicts(struct run *run, const struct run *again, const struct metrics *metrics);

/* Collects the source lines of the kernels with a regressed row, worst first, and of the same kernels in the base
 * library `against` (or NULL), as far as the baseline does not keep those of the same machine code, until `seconds` are
 * over: what has begun is ended. */
void check_explain(const struct measurement *measurement, const struct comparison *comparison,
                   const struct run *baseline, const char *against, double seconds, struct run *run);

#endif
