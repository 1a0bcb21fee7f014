/* static_files.h - the functions in the machine code of any files, as the kernels of a run. That is what is known of a
 * program, a library or a cache before it runs. */
#pragma once

#include "model/model.h"

/* A file with machine code; owned by struct static_files. cubin.h describes its functions. */
struct static_file {
    char *path;
    char *family;     /* family in the ids of its functions */
    size_t argument;  /* index of the path on the command line that it is, or is below */
    unsigned threads; /* block size that its functions are launched with; 0 where nobody says */
    unsigned shared;  /* dynamic shared memory of a block, in bytes */
    char *maker;      /* what made it of its source, as session facts have it, "triton 3.7.1"; NULL where unknown */
    struct cubin *cubin;
};

struct static_files {
    struct static_file *list;
    size_t count;
};

/* Reads programs, libraries, cubins and fatbins; of a folder every .cubin in it and below. The family is the file's
 * name (file_short_name). It is "triton" for a cubin with Triton's description, NAME.json, beside it, which gives the
 * block size. -1 after error(), with nothing to release, when a file cannot be read or a folder has no cubin. So it is
 * when a file has no machine code, or some in a form that is not known. */
int static_files_read(struct static_files *files, char *const *paths, size_t count);
void static_files_release(struct static_files *files);

/* Whether a GPU of that capability could run a function of the path, or of a file below it. */
bool static_files_fit(const struct static_files *files, size_t argument, int capability);

/* Returns the architectures that the path has code for, "sm_80, sm_90"; those of all paths when argument is SIZE_MAX.
 * Caller frees. */
char *static_files_architectures(const struct static_files *files, size_t argument);

/* Makes a run of all functions that a GPU of that capability could run; device and session hold only capability and
 * compilers. An id is the family and the function's short name. But a function that the baseline (which may be empty)
 * knows by its whole name keeps its id there. So another function of the same name changes no ids. Functions of one
 * whole name, as Triton has for each set of constants, become one kernel with several launches, of which the worst
 * counts. */
void static_files_run(struct run *run, const struct static_files *files, int capability, const struct run *baseline,
                      const struct metrics *metrics);

/* Sets a device that stands for all GPUs of a capability; tells whether a device is such a one. */
void static_files_device(struct device *device, int capability);
bool static_files_is_device(const struct device *device);
