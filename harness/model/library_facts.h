/* library_facts.h - what a kernel library says of itself, without any of it running in this process. */
#ifndef LIBRARY_FACTS_H
#define LIBRARY_FACTS_H

#include <stdbool.h>
#include <stddef.h>

struct kernel_facts {
    char *id;        /* family/variant */
    char *doc;       /* NULL where it has none */
    char *not_built; /* the reason; NULL when it is built */
    bool transfer;   /* of a family that only copies memory */
};

struct library_facts {
    char *compiler, *flags;       /* NULL where unknown */
    struct kernel_facts *kernels; /* in the library's order; at least one */
    size_t count;
};

void library_facts_release(struct library_facts *facts);

/* The kernel of that id, or NULL. */
const struct kernel_facts *library_facts_find(const struct library_facts *facts, const char *id);

#endif
