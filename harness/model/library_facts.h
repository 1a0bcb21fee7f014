/* library_facts.h - what a kernel library says of itself, without any of it running in this process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct kernel_facts {
    char *id;        /* the kernel's id, family/variant */
    char *doc;       /* the kernel's description; NULL where it has none */
    char *not_built; /* why the kernel was not built; NULL when it was */
    bool transfer;   /* the kernel's family only copies memory */
};

struct library_facts {
    char *compiler, *flags;       /* compiler version and flags; NULL where unknown */
    struct kernel_facts *kernels; /* the library's kernels in its order; at least one */
    size_t count;
};

void library_facts_release(struct library_facts *facts);

/* Returns the kernel with that id, or NULL. */
const struct kernel_facts *library_facts_find(const struct library_facts *facts, const char *id);
