/* baseline_files.h - the family files of one device, each a whole run. Private to the baseline*.c files. */
#ifndef BASELINE_FILES_H
#define BASELINE_FILES_H

#include "baseline.h"

struct family_file {
    char *family;
    char *path;
    struct run run; /* its kernels are all of this family */
    bool changed;
};

/* Owned list in the order of the files' names, which is also that of the kernels in them. */
struct baseline_files {
    char *folder;
    struct family_file *list;
    size_t count;
};

/* Reads every family file of the folder of a device; a folder that does not exist holds none. 0, or an exit_code
 * after error() as baseline_read has them. Either way *files may be released. */
int baseline_files_read(struct baseline_files *files, const char *baselines, const struct device *device);
void baseline_files_release(struct baseline_files *files);

/* The file of the family that the kernel id names; a new one, empty but for its device, when there is none. */
struct family_file *baseline_files_add(struct baseline_files *files, const char *id, const struct device *device);

/* What the runs give: kernels with rows of one sample a session, and the notes of these rows. 0, or an exit_code
 * after error(); either way *fresh may be released. */
int baseline_gather(struct run *fresh, const struct acceptance *acceptance, const struct run *runs, size_t count);

#endif
