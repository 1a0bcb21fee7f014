/* baseline_files.h - the files of one device, each a whole run of one kernel. Private to the baseline*.c files. */
#ifndef BASELINE_FILES_H
#define BASELINE_FILES_H

#include "baseline.h"

struct kernel_file {
    char *id; /* family/variant, as the path says */
    char *path;
    struct run run; /* of this kernel alone; new ones hold none yet */
    bool changed;
};

/* Owned list, sorted by id as it was read. */
struct baseline_files {
    char *folder;
    struct kernel_file *list;
    size_t count;
};

/* Reads every file of the folder of a device; a folder that does not exist holds none. 0, or an exit_code after error()
 * as baseline_read has them. Either way *files may be released. */
int baseline_files_read(struct baseline_files *files, const char *baselines, const struct device *device);
void baseline_files_release(struct baseline_files *files);

/* The file of that kernel, or NULL; and the same, or a new one, empty but for its device, at the end of the list. */
struct kernel_file *baseline_files_find(const struct baseline_files *files, const char *id);
struct kernel_file *baseline_files_add(struct baseline_files *files, const char *id, const struct device *device);

/* Where the file of a kernel is. Caller frees. */
char *baseline_files_path(const struct baseline_files *files, const char *id);

/* The session of the baseline that is this one, whatever it was accepted for; or NULL. */
struct session *baseline_find_session(const struct run *baseline, const struct session *session);

/* A run to be accepted. */
struct source {
    const struct run *run;
    const char *name;
};

/* What the runs give, sources[0..count) in the order in which they were measured: kernels with all sessions and samples
 * of their rows, each with its place among the sessions of all sources, and the notes of these rows. 0, or an exit_code
 * after error(); either way *fresh may be released. */
int baseline_gather(struct run *fresh, const struct acceptance *acceptance, const struct source *sources, size_t count);

struct merging {
    const struct acceptance *acceptance;
    const struct source *sources;
    size_t count;
    const struct run *fresh; /* as gathered */
    struct accepted *accepted;
    struct quantiles quantiles;
};

/* Merges one kernel of merging->fresh into its file, and counts what became of its rows. */
void baseline_merge(struct merging *merging, struct kernel_file *file, struct result *fresh);

#endif
