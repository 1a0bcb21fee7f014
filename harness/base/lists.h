/* lists.h - sorted lists. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Orders texts, or structs that begin with one (their name), for qsort and bsearch. */
int by_text(const void *left, const void *right);

/* Functions for qsort and bsearch: by a number that is in structs, and by numbers themselves. */
#define ORDER_BY(name, type, field)                                                                                    \
    static int name(const void *left, const void *right)                                                               \
    {                                                                                                                  \
        const type *a = left, *b = right;                                                                              \
        return (a->field > b->field) - (a->field < b->field);                                                          \
    }
#define ORDER_OF(name, type)                                                                                           \
    static int name(const void *left, const void *right)                                                               \
    {                                                                                                                  \
        const type *a = left, *b = right;                                                                              \
        return (*a > *b) - (*a < *b);                                                                                  \
    }

/* Sets `first` to how many of so many places, `at`, a condition holds for that holds up to one of them. */
#define BISECT(first, count, at, condition)                                                                            \
    size_t first = 0, first##_end = (count);                                                                           \
    while (first < first##_end) {                                                                                      \
        const size_t at = first + (first##_end - first) / 2;                                                           \
        if (condition)                                                                                                 \
            first = at + 1;                                                                                            \
        else                                                                                                           \
            first##_end = at;                                                                                          \
    }                                                                                                                  \
    _Static_assert(true, "")

/* Sorts a list of structs that begin with a name. If it is sorted already, as in most files, it only compares
 * neighbours. */
void sort_by_name(void *list, size_t count, size_t size);

/* Returns for each element of a list the index of the first element equal to it, which may be its own. order is as in
 * qsort. It finds duplicates in a long list without comparing each pair. Caller frees. */
size_t *first_of_equals(const void *list, size_t count, size_t size, int (*order)(const void *, const void *));

/* Returns the index of the struct with that name in a list that is sorted by_text. Without such a struct it is the
 * index of the first one that comes after the name. */
size_t place_of_name(const void *list, size_t count, size_t size, const char *name);
/* Returns that struct; NULL: there is none. */
void *find_by_name(const void *list, size_t count, size_t size, const char *name);

/* Compares texts like strcmp; NULL (unknown) comes first. */
int order_of_texts(const char *a, const char *b);
