/* library.h - a loaded kernel library and the kernels in it. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "base/base.h"

#include "cugate/kernel.h"

#include <stddef.h>

/* One variant of one family. The library owns what it points to. */
struct kernel {
    char *id; /* family/variant, or family/variant[point]; first member, as by_text expects */
    const struct cugate_family *family;
    const struct cugate_variant *variant;
};

struct library {
    void *handle;
    const struct cugate_library *table;
    struct kernel *kernels; /* kernels in the library's order, families together */
    size_t count;
};

/* Loads the library at `path` and checks it: its ABI number, names of [a-z0-9_]+, no id twice, no missing function.
 * Returns 0, or -1 with *problem. */
int library_open(struct library *library, const char *path, struct problem *problem);
void library_close(struct library *library);

/* Returns the first glob that matches no kernel, or NULL. */
const char *library_unmatched(const struct library *library, char *const *globs, size_t count);

#endif
