/* check_parts.h - the parts of a check that have files of their own. Private to the check*.c files. */
#pragma once

#include "check.h"

/* For --static: makes a run of the facts of the machine code of --kernels, and reads the baseline, reduced to the same
 * metrics. Sets *name to the baseline's folder (caller frees). Returns 0, or an exit_code after error().
 * EXIT_BASELINE: no baseline fits the library. EXIT_USAGE: several fit and --static names none. EXIT_NOT_MEASURED: the
 * library has no code for the GPU that it names. */
int check_static(const struct check_request *request, struct run *run, struct run *baseline, char **name);

/* check_static for files (static_files.h), whose baseline is of a capability and not of a GPU. If there is none,
 * *baseline is empty, and error() has said how to start one. EXIT_NOT_MEASURED: a file has no code for that capability.
 * EXIT_USAGE also: a file cannot be read. */
int check_files(const struct check_request *request, struct run *run, struct run *baseline, char **name);

/* The two steps of a check that computes. check_dry records what each kernel launches: the run has its device and the
 * launches. It returns 0, or the exit code when there is nothing to report. Then check->baseline is set, and
 * check_computed simulates the kernels whose code, launches or inputs differ from the baseline's, or with request->all
 * every one. check->measured is the exit code of computing. */
int check_dry(struct check *check);
void check_computed(struct check *check);

/* Measures a library by the counters of a GPU, with the hashes of its inputs. Counts that the baseline in the folder
 * `baselines` knows are not read (NULL: all are). Returns 0, or the exit code of measuring. */
int check_known(const struct measurement *measurement, const char *baselines, struct run *run);

/* Reads all of the kernels whose counts were left, though *baseline, which may be empty, does not know them. */
int check_unknown(const struct measurement *measurement, const struct run *baseline, struct run *run);

/* Whether the two have anything to do: instrumented code is to count. */
bool check_reads_instrumented(const struct measurement *measurement);

/* Measures in the base build `against` what the baseline lacks: kernels, or gated numbers that the run has. It also
 * measures kernels that only the base build has. They stand in for the baseline (run_stand_in). *baseline may be empty.
 * Kernels of the run are measured on the GPU where they were. Kernels of the baseline that neither library has are
 * removed from it and counted. Returns 0, or the exit code of measuring. */
int check_base(const struct measurement *measurement, const char *against, const struct run *run, struct run *baseline,
               size_t *neither);

/* Measures those of the kernels again for which the base build stands in. */
int check_base_again(const struct measurement *measurement, const char *against, char *const *ids, size_t count,
                     const struct run *run, struct run *baseline);

/* Whether the base build stands in for the baseline of a kernel. */
bool check_has_stand_in(const struct run *baseline, const char *id);

/* Adds a further session of the base build, of those kernels for which it stands in; the others leave *base. */
void check_base_add(struct run *base, struct run *baseline);

/* Adds a note that says where the base build stands in for the baseline. */
void check_note_stand_ins(struct comparison *comparison, const struct run *baseline);

/* Sets the occupancy of functions that nobody launched (block 0 x 0 x 0) on both sides, for a block that the code
 * allows, so that it is judged: it must hold for each. settled is false: takes that away again, since no file may have
 * it. */
void check_settle_blocks(struct run *baseline, struct run *run, const struct metrics *metrics, bool settled);

/* Adds a note in a check of machine code: which functions have other code than the baseline's. Those that another
 * toolchain made are left out, since the report lists them (explain/upgrade.h). */
void check_note_code(struct comparison *comparison, const struct run *baseline, const struct run *run);

/* Counts bank conflicts (cugate.excess_wavefronts) for kernels whose row in the baseline has some and that do not do
 * the same work as there. Kernels without shared wavefronts have none. Other kernels are left out, because each needs a
 * process. In a second session, comparison is that of the first (else NULL): a row that was no worse is not counted
 * again. *next (or NULL) is given lines of the second session in the first, where counting twice takes no longer, and
 * has them in the second. Returns 0, or EXIT_INTERRUPTED. */
int check_conflicts(const struct measurement *measurement, const struct run *baseline,
                    const struct comparison *comparison, struct run *run, struct run *next);

/* Makes the row not counted if a second session could not count it, because it is not confirmed then. Call it before
 * run_append. */
void check_confirm_conflicts(struct run *run, const struct run *again, const struct metrics *metrics);

/* Notes kernels of the run whose capsules in two files of capsules have other inputs, or code of another compiler. Of
 * other files it notes nothing. */
void check_note_inputs(struct comparison *comparison, const char *kernels, const char *against,
                       const struct run *baseline, const struct run *run);

/* Collects the source lines of kernels with a regressed row, the worst first. Lines of the base build `against` (or
 * NULL) are collected too, where the baseline does not keep those of the same machine code. It stops after `seconds`;
 * what has begun by then is aborted. */
void check_explain(const struct measurement *measurement, const struct comparison *comparison,
                   const struct run *baseline, const char *against, double seconds, struct run *run);

/* Makes what was read of a base build the baseline, and releases what either was before. */
void check_take_base(struct run *baseline, struct run *base);
