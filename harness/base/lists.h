/* lists.h - lists that are in order. */
#ifndef LISTS_H
#define LISTS_H

#include <stddef.h>

/* For qsort of a list of texts. */
int by_text(const void *left, const void *right);

/* For each element of a list the place of the first that is equal to it, which may be its own; order is as qsort has
 * it. What is alike in a long list is found with this, and not by looking at each pair. Caller frees. */
size_t *first_of_equals(const void *list, size_t count, size_t size, int (*order)(const void *, const void *));

#endif
