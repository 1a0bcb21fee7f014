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

/* Lets a process of its own load the library at `path` and tell, within `seconds`. 0, or after writing one line into
 * why: EXIT_USAGE when it is no kernel library, EXIT_NOT_MEASURED when the process died, hung or told nothing that can
 * be true, EXIT_INTERRUPTED after a signal. Then *facts is empty. Texts have no control characters. */
int library_facts_read(struct library_facts *facts, const char *path, double seconds, char *why, size_t why_size);
void library_facts_release(struct library_facts *facts);

/* The kernel of that id, or NULL. */
const struct kernel_facts *library_facts_find(const struct library_facts *facts, const char *id);

#endif
