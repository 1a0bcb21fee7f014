/* lists.h - lists that are in order. */
#ifndef LISTS_H
#define LISTS_H

#include <stddef.h>

/* For qsort and bsearch of a list of texts, or of structs that begin with one: their name. */
int by_text(const void *left, const void *right);

/* Sorts such a list. One that is in order already, as most files are, costs a look at each pair of neighbours. */
void sort_by_name(void *list, size_t count, size_t size);

/* For each element of a list the place of the first that is equal to it, which may be its own; order is as qsort has
 * it. What is alike in a long list is found with this, and not by looking at each pair. Caller frees. */
size_t *first_of_equals(const void *list, size_t count, size_t size, int (*order)(const void *, const void *));

/* Where the struct of that name is in such a list, sorted by_text, or would be: the first that does not come before. */
size_t place_of_name(const void *list, size_t count, size_t size, const char *name);

/* strcmp of texts that may be unknown: NULL comes first. */
int order_of_texts(const char *a, const char *b);

#endif
