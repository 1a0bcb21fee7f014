/* static_files.h - the functions in the machine code of any files as the kernels of a run: what is known of a program,
 * a library or a cache before anyone has run it. */
#ifndef STATIC_FILES_H
#define STATIC_FILES_H

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* Owned; cubin.h has the functions. */
struct static_file {
    char *path;
    char *family;     /* of the ids of its functions */
    size_t argument;  /* which of the paths it is, or is below */
    unsigned threads; /* of the blocks that they are launched in; 0 where nobody says */
    unsigned shared;  /* and the dynamic shared memory of each */
    struct cubin *cubin;
};

struct static_files {
    struct static_file *list;
    size_t count;
};

/* Reads programs, libraries, cubins and fatbins, and of a folder every .cubin in it and below. The family is the name
 * of the file (file_short_name), or "triton" for a cubin beside which Triton's description lies, NAME.json: it says in
 * what blocks the function is launched. -1 after error(), with nothing to release, when a file cannot be read, holds no
 * machine code or some that is compressed, or a folder no cubin. */
int static_files_read(struct static_files *files, char *const *paths, size_t count);
void static_files_release(struct static_files *files);

/* Whether a GPU of that capability would run a function of the path, or of any file below it. */
bool static_files_fit(const struct static_files *files, size_t argument, int capability);

/* "sm_80, sm_90": what the path has code for, or all of them where argument is SIZE_MAX. Caller frees. */
char *static_files_architectures(const struct static_files *files, size_t argument);

/* The run of all functions that a GPU of that capability would run: device and session say what is known, the
 * capability and the compilers. An id is the family and the function's short name; but a function that the baseline
 * (empty, or read) knows by its whole name has the id that it has there, so that one more function of that name renames
 * none. Functions of one whole name, as Triton has for each set of its constants, are one kernel with several launches,
 * of which the worst counts. */
void static_files_run(struct run *run, const struct static_files *files, int capability, const struct run *baseline,
                      const struct metrics *metrics);

/* The device of functions that are for GPUs of a capability, whichever; and whether a device is one of those. */
void static_files_device(struct device *device, int capability);
bool static_files_is_device(const struct device *device);

#endif
