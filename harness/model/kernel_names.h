/* kernel_names.h - kernels by their ids, family/variant: whether a name stands for some, and which was probably meant
 * by one that does not. */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

#include <stddef.h>

/* 0 when an id or a glob matches one of count ids at least; else -1 after error() that says where it looked
 * ("run.json") and names near ones. */
int kernel_names_find(const char *wanted, const char *const *ids, size_t count, const char *where);

/* The id that was probably meant by another; NULL when none is near, or wanted is a glob or a family alone. */
const char *kernel_names_near(const char *wanted, const char *const *ids, size_t count);

/* The family that was probably meant by its name, an id in it or a slip in either, as a glob of all that it has. NULL
 * when none is near. Caller frees. */
char *kernel_names_family(const char *wanted, const char *const *ids, size_t count);

#endif
