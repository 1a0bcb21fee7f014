/* baseline_files.h - the files of one device, each a whole run of one kernel. Private to the baseline*.c files. */
#ifndef BASELINE_FILES_H
#define BASELINE_FILES_H

#include "baseline.h"

struct kernel_file {
    char *id; /* family/variant */
    char *path;
    struct run run; /* of this kernel alone; new ones hold none yet */
    bool changed;
};

/* Owned list, sorted by id. */
struct baseline_files {
    char *directory;
    struct kernel_file *list;
    size_t count;
};

/* Reads every file of the directory of a device; a directory that does not exist holds none. 0, or an exit_code after
 * error() as baseline_read has them. Either way *files may be released. */
int baseline_files_read(struct baseline_files *files, const char *baselines, const struct device *device);
void baseline_files_release(struct baseline_files *files);

/* The file of that kernel, or NULL. */
struct kernel_file *baseline_files_find(const struct baseline_files *files, const char *id);

/* Adds a file, empty but for its device, for each kernel of the run that has none; and gives one another name. Pointers
 * to files are of no use after either. */
void baseline_files_add(struct baseline_files *files, const struct run *run, const struct device *device);
void baseline_files_rename(struct baseline_files *files, struct kernel_file *file, const char *id);

/* Locks the directory of baselines, which is made where there is none: two accepts at once must not lose each other's
 * rows. A descriptor that ends the lock when it is closed; -1 after error(). */
int baseline_lock(const char *directory);

/* Puts every changed file in its place once all of them are on the disk, then removes the one at old_path (NULL: none).
 * Ctrl-C and its like wait, and then take effect. -1 after error() that says how far it came. */
int baseline_write(const struct baseline_files *files, const char *old_path);

/* A run to be accepted. */
struct candidate {
    const struct run *run;
    const char *name;
};

/* Warns of what is not accepted, and counts it; after the first 20 it only counts, and at the end says how many. */
__attribute__((format(printf, 2, 3))) void baseline_refuse(size_t *refused, const char *format, ...);
void baseline_refused(size_t refused);

/* What the runs give, candidates[0..count) in the order in which they were measured: kernels with all sessions and
 * samples of their rows, each with its place among the sessions of all candidates, and the notes of these rows. 0, or
 * an exit_code after error(); either way *fresh may be released. */
int baseline_gather(struct run *fresh, const struct acceptance *acceptance, const struct candidate *candidates,
                    size_t count);

struct merging {
    const struct acceptance *acceptance;
    const struct candidate *candidates;
    size_t count;
    const struct session **sessions; /* of all candidates, one after the other; owned */
    size_t session_count;
    const struct run *fresh; /* as gathered */
    struct accepted *accepted;
    struct quantiles quantiles;
};

/* Merges one kernel of merging->fresh into its file, and counts what became of its rows. */
void baseline_merge(struct merging *merging, struct kernel_file *file, struct result *fresh);

/* Whether there are files, and none is of a computed run. */
bool baseline_was_measured(const struct baseline_files *files);

/* Gives the files, which were measured, the inputs of merging->fresh, which was computed, and writes them: as
 * baseline_accept has it, and its exit codes. */
int baseline_take_inputs(struct merging *merging, struct baseline_files *files);

/* Adds the sessions that the new values of a kernel are from to its file, and gives the values their places there in
 * place of those among the candidates'. */
void baseline_add_sessions(const struct merging *merging, struct run *run, struct result *fresh);

/* Takes the sessions off the new row that the old one has already: accepting a run twice is no second reading. */
void baseline_forget_known(const struct row *old, struct row *fresh);

/* Keeps the sessions that a value is from; the newest when there is none. */
void baseline_forget_unused(struct run *run, struct result *result);

#endif
