/* cubin.h - reads the machine code of a library file and lists its functions. Needs no GPU and no CUDA. */
#pragma once

#include "machine/elf/elf.h"

#include "kernel_code.h"
#include "kernel_find.h"
#include "occupancy.h"
#include "replacement.h"
#include "source_text.h"
#include "static_facts.h"
#include "static_files.h"
#include "swap.h"
#include "task_launch.h"
#include "triton.h"

/* An owned list of functions, sorted by name, then by compute capability. */
struct cubin {
    struct cubin_function *list;
    size_t count;
    size_t images;
    size_t unknown;   /* how many images were left out, in a form that is not known */
    char **compilers; /* compilers that the images name, each once: "ptxas 13.0.88" */
    size_t compiler_count;
};

/* Reads every GPU image in a shared library, a program, a cubin, a fatbin or a file of capsules. A file without any
 * gives an empty list. Compressed images are expanded; those in a form that is not known are left out with a warning. A
 * malformed file is an error: then -1 after error(), and *cubin is empty. */
int cubin_read(struct cubin *cubin, const char *path);
/* Reads images from the bytes of a file as cubin_read does; name is for messages. */
int cubin_parse(struct cubin *cubin, const char *name, const unsigned char *bytes, size_t size);
void cubin_release(struct cubin *cubin);

/* Returns a hash in hexadecimal of the code of all functions, independent of their order and names; NULL where there is
 * none. Caller frees. */
char *cubin_code(const struct cubin *cubin);

/* Returns a hash in hexadecimal of a kernel library's host code and constants, which launch its kernels and verify
 * their results. Equal for the same code compiled elsewhere, and beside other machine code; NULL where there is no
 * library. Caller frees. */
char *cubin_host_code(const char *path);

/* Sorts names of compilers and returns them with commas between, each once; NULL where there are none. Caller frees. */
char *cubin_join_compilers(const char **names, size_t count);

/* Whether cubin_find found a function, and if not, why. */
enum cubin_status {
    CUBIN_FOUND,
    CUBIN_ABSENT,     /* the file has no function of that name */
    CUBIN_OTHER_GPUS, /* the file has the function for other GPUs only */
    CUBIN_SEVERAL     /* the file has different functions of that name, and a launch does not say which one it was */
};

/* Calls take for the bytes of each GPU image in a file, in their order, until it returns other than 0. The bytes are
 * gone after the call. Returns what the last call returned, or -1 after error(). */
int cubin_each_image(const char *path, int (*take)(void *data, const unsigned char *bytes, size_t size), void *data);

/* Calls take for each image of a container in memory, such as the CUDA runtime is given, and for its PTX, which need
 * not end in a NUL. The container begins with its size. Images in a form that is not known are left out and counted. */
int cubin_each_image_of(const char *name, const unsigned char *container, size_t *unknown,
                        int (*take)(void *data, const unsigned char *bytes, size_t size), void *data);

/* Returns the function that the driver would load on a GPU of that compute capability (90 for 9.0). It has the same
 * major number, and the highest minor number not above. NULL when there is none; *status says why. */
const struct cubin_function *cubin_find(const struct cubin *cubin, const char *name, int capability,
                                        enum cubin_status *status);
