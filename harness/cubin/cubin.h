/* cubin.h - the functions in the machine code that a library carries, read from the file; needs no GPU and no CUDA. */
#ifndef CUBIN_H
#define CUBIN_H

#include "line_table.h"
#include "occupancy.h"
#include "source_text.h"
#include "static_facts.h"
#include "static_files.h"

#include <stdbool.h>
#include <stddef.h>

struct cubin_function {
    char *name;            /* as launches have it: "copy_coalesced(float const*, float*)" */
    int capability;        /* that it was compiled for: 90 for 9.0 */
    char *code;            /* hash in hexadecimal, see below */
    unsigned registers;    /* a thread */
    unsigned local_bytes;  /* stack of a thread with all that it calls: spilled registers and local arrays; of a
                            * recursive  function its own frame */
    unsigned shared_bytes; /* static shared memory of a block */
    unsigned max_threads;  /* largest block that it was compiled for (launch bounds), 0 where it does not say */
    unsigned barriers;     /* named barriers a block */
    size_t image;          /* the image that it is in, from 0: one of each source file, unless code was linked */
};

/* Two functions with the same hash do the same in the same way: it covers the instructions, what they refer to, the
 * facts above, and of the image (one source file, unless device code was linked) all constants, initialised variables
 * and functions that are no kernels. Names, paths, comments and line information do not move it, nor does another
 * kernel beside it, unless that brings constants or initialised variables: which of those a function reads is not
 * written down anywhere, and "same code" must never be said in error. */

/* Owned list, sorted by name, then capability. */
struct cubin {
    struct cubin_function *list;
    size_t count;
    size_t images;
    size_t compressed; /* images that were left out */
    char **compilers;  /* of the images that say so, each once: "ptxas 13.0.88" */
    size_t compiler_count;
};

/* Reads every image for a GPU in a shared library, a program, a cubin or a fatbin. A file that carries none gives an
 * empty list; compressed images are left out with a warning. Anything malformed is an error: then -1 after error(), and
 * *cubin is empty. */
int cubin_read(struct cubin *cubin, const char *path);
/* The same for the bytes of a file; name is for messages. */
int cubin_parse(struct cubin *cubin, const char *name, const unsigned char *bytes, size_t size);
void cubin_release(struct cubin *cubin);

/* Why there is no function to speak of. */
enum cubin_status {
    CUBIN_FOUND,
    CUBIN_ABSENT,     /* nowhere in the file */
    CUBIN_OTHER_GPUS, /* compiled for others only */
    CUBIN_SEVERAL     /* different functions have that name, and a launch does not say which one it was */
};

/* Hands over the bytes of each image for a GPU in a file, in their order, until take returns other than 0, which is
 * what comes back then. -1 after error(). */
int cubin_each_image(const char *path, int (*take)(void *data, const unsigned char *bytes, size_t size), void *data);

/* The function for a GPU of that capability (90): the one of the same major number and the highest minor not above it,
 * which is what the driver would load. Without one NULL; *status says why. */
const struct cubin_function *cubin_find(const struct cubin *cubin, const char *name, int capability,
                                        enum cubin_status *status);

#endif
