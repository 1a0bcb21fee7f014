/* kernel_names.h - looks up kernels by their ids, family/variant. It finds out whether a name stands for any kernel,
 * and if not, which one was meant. */
#pragma once

#include <stddef.h>

/* Returns 0 when `wanted`, an id or a glob, matches at least one of the count ids. Else -1 after error(), which says
 * where it looked ("run.json") and suggests similar names. */
int kernel_names_find(const char *wanted, const char *const *ids, size_t count, const char *where);

/* Returns the id that `wanted` was probably meant to be, or whose variant it is without its shape or point. NULL when
 * none is similar, or `wanted` is a glob or a family alone. */
const char *kernel_names_near(const char *wanted, const char *const *ids, size_t count);

/* Returns a glob for the family that `wanted` was probably meant to be. `wanted` may be the family's name, an id in it,
 * or a misspelling of either. NULL when none is similar. Caller frees. */
char *kernel_names_family(const char *wanted, const char *const *ids, size_t count);

/* Joins the ids that match the glob, or all without one, into "a, b, c, d, e and 8 more". Caller frees. */
char *kernel_names_join(const char *const *ids, size_t count, char *glob);
