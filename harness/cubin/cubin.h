/* cubin.h - the functions in the machine code that a library carries, read from the file; needs no GPU and no CUDA. */
#ifndef CUBIN_H
#define CUBIN_H

#include "cubin_function.h"
#include "cubin_image.h"
#include "line_table.h"
#include "occupancy.h"
#include "source_text.h"
#include "static_facts.h"
#include "static_files.h"

#include <stdbool.h>
#include <stddef.h>

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

/* Hash in hexadecimal of the code of all functions, in whatever order and under whatever names; NULL where there is
 * none. Caller frees. In cubin_hash.c. */
char *cubin_code(const struct cubin *cubin);

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

/* The same of a container of images in memory, which begins with its size, as the runtime of CUDA is given it.
 * Compressed images are left out and counted. */
int cubin_each_image_of(const char *name, const unsigned char *container, size_t *compressed,
                        int (*take)(void *data, const unsigned char *bytes, size_t size), void *data);

/* The function for a GPU of that capability (90): the one of the same major number and the highest minor not above it,
 * which is what the driver would load. Without one NULL; *status says why. */
const struct cubin_function *cubin_find(const struct cubin *cubin, const char *name, int capability,
                                        enum cubin_status *status);

#endif
