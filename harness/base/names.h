/* names.h - names of kernels, devices and options: globs, slugs, slips. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Where that name is in the list, which is in no order; count when it is not there. */
size_t name_index(const char *name, const char *const *names, size_t count);

/* How long the name is that the text begins with: as many of a-z, 0-9 and _ as there are. */
size_t name_length(const char *text);

/* True when text matches a shell glob, where `*` also matches `/`; an empty list matches everything. */
bool glob_any(char *const *globs, size_t count, const char *text);

/* "NVIDIA H200" -> "nvidia-h200": lower case, runs of other characters become one '-'. Caller frees. */
char *slug(const char *text);

/* The name that text was probably meant to be ("did you mean ..."), or NULL when none is near. */
const char *nearest_name(const char *text, const char *const *names, size_t count);

#endif
