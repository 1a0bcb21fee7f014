/* library.h - a loaded kernel library, or a file of capsules, and the kernels in it. */
#pragma once

#include "base/base.h"
#include "capsule/capsule.h"

#include "cugate/kernel.h"

/* One variant of one family of a kernel library, or a capsule. The library owns what it points to. */
struct kernel {
    char *id;      /* family/variant, or family/variant[point]; of a capsule its own. First member, for by_text */
    char *doc;     /* description; may be NULL */
    size_t group;  /* kernels of one group may be open at once: those of a family, neighbours among capsules */
    bool transfer; /* only copies memory */
    const char *not_built;              /* why it is not there; NULL: it is */
    double bytes, flops;                /* as in kernel.h */
    const struct cugate_family *family; /* NULL of a capsule */
    const struct cugate_variant *variant;
    const struct capsule *capsule; /* NULL of a kernel library */
};

struct library {
    void *handle;
    const struct cugate_library *table; /* of a file of capsules one that says nothing */
    struct capsules capsules;
    struct player player;   /* of a file of capsules, once somebody opened it */
    struct kernel *kernels; /* kernels in the library's order, groups together */
    size_t count;
};

/* Loads the library at `path` and checks it: its ABI number, names of [a-z0-9_]+, no id twice, no missing function. Or
 * opens a file of capsules. Returns 0, or -1 with *problem. */
int library_open(struct library *library, const char *path, struct problem *problem);
void library_close(struct library *library);

/* Surround a call of the library: it has its own locale and floating-point environment, as the calls before left them,
 * and the worker the default ones. Theirs ends with what the call returned. */
void theirs_begin(void);
int theirs_end(int returned);
#define THEIRS(call) (theirs_begin(), theirs_end(call))

/* Returns the first glob that matches no kernel, or NULL. */
const char *library_unmatched(const struct library *library, char *const *globs, size_t count);
