/* baseline_files.h - the baseline files of one device; each is a whole run of one kernel. Private to baseline*.c. */
#pragma once

#include "baseline.h"

struct kernel_file {
    char *id; /* id of the kernel, family/variant */
    char *path;
    struct run run; /* a run of this kernel only; of a new file it is empty */
    bool changed;
};

/* An owned list, sorted by id. */
struct baseline_files {
    char *folder;
    struct kernel_file *list;
    size_t count;
};

/* Reads every file in the folder of a device; a folder that does not exist has none. Returns 0, or an exit_code
 * after error() as baseline_read does. *files may be released in either case. */
int baseline_files_read(struct baseline_files *files, const char *baselines, const struct device *device);
void baseline_files_release(struct baseline_files *files);

/* Returns the file of that kernel, or NULL. */
struct kernel_file *baseline_files_find(const struct baseline_files *files, const char *id);

/* baseline_files_add adds a file, empty but for its device, for each kernel of the run that has none.
 * baseline_files_rename gives a file another name. Both invalidate pointers to files. */
void baseline_files_add(struct baseline_files *files, const struct run *run, const struct device *device);
void baseline_files_rename(struct baseline_files *files, struct kernel_file *file, const char *id);

/* Locks the folder of baselines, and creates it if needed: two simultaneous accepts must not lose each other's rows.
 * Returns a descriptor; closing it ends the lock. -1 after error(). */
int baseline_lock(const char *folder);

/* Writes all changed files to the disk, then renames each into its place, then removes the files at the old paths.
 * Signals such as Ctrl-C are delayed until then. -1 after error(), which says how many files were done. */
int baseline_write(const struct baseline_files *files, char *const *old_paths, size_t old_count);

/* A run that is to be accepted. */
struct candidate {
    const struct run *run;
    const char *name;
};

/* Warns of something that is not accepted, and counts it. After the first 20 warnings it only counts, and
 * baseline_refused says how many. */
__attribute__((format(printf, 2, 3))) void baseline_refuse(size_t *refused, const char *format, ...);
void baseline_refused(size_t refused);

/* Refuses candidates of which two differ in the machine code, launches or inputs of a chosen kernel, or in the
 * program's command: EXIT_USAGE after error(), which names the odd one. */
int baseline_refuse_odd(const struct acceptance *acceptance, const struct candidate *candidates, size_t count);

/* Gathers what the runs, candidates[0..count) in the order of measurement, have to offer. That is kernels with all
 * sessions and samples of their rows, and the notes of these rows. Each sample's session is its index among the
 * sessions of all candidates. Returns 0, or an exit_code after error(); *fresh may be released in either case. */
int baseline_gather(struct run *fresh, const struct acceptance *acceptance, const struct candidate *candidates,
                    size_t count);

struct merging {
    const struct acceptance *acceptance;
    const struct candidate *candidates;
    size_t count;
    const struct session **sessions; /* the sessions of all candidates, one after the other; owned */
    size_t session_count;
    const struct run *fresh; /* what baseline_gather made */
    struct accepted *accepted;
    struct quantiles quantiles;
};

/* Merges one kernel of merging->fresh into its file, and counts what happened to its rows. */
void baseline_merge(struct merging *merging, struct kernel_file *file, struct result *fresh);

/* Adds the sessions of a kernel's new values to its file. Each value's session becomes its index there instead of the
 * one among the candidates. */
void baseline_add_sessions(const struct merging *merging, struct run *run, struct result *fresh);

/* Removes the sessions from the new row that the old row has already, so that accepting a run twice adds nothing. */
void baseline_forget_known(const struct row *old, struct row *fresh);

/* Drops the sessions of a file that no value is from; if no value has one, keeps the newest. */
void baseline_forget_unused(struct run *run, struct result *result);
