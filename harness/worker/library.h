/* library.h - a loaded kernel library and the kernels in it. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "base/base.h"

#include "cugate/kernel.h"

#include <stddef.h>

/* One variant of one family. Borrowed from the library. */
struct kernel {
    char *id; /* family/variant, or family/variant[point]; first, for by_text */
    const struct cugate_family *family;
    const struct cugate_variant *variant;
};

struct library {
    void *handle;
    const struct cugate_library *table;
    struct kernel *kernels; /* in the library's order: families together, variants in ladder order */
    size_t count;
};

/* Loads path with dlopen and checks it: its ABI number, names of [a-z0-9_]+, no id twice, no missing function. 0, or -1
 * with *problem. */
int library_open(struct library *library, const char *path, struct problem *problem);
void library_close(struct library *library);

/* The first glob that matches no kernel, or NULL. */
const char *library_unmatched(const struct library *library, char *const *globs, size_t count);

#endif
