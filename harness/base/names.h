/* names.h - names of kernels, devices and options: globs, slugs, slips. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Where that name is in the list, which is in no order; count when it is not there. */
size_t name_index(const char *name, const char *const *names, size_t count);

/* How long the name is that the text begins with: as many of a-z, 0-9 and _ as there are. */
size_t name_length(const char *text);

/* How long the id of a kernel is that the text begins with; 0 when it begins with none. It is FAMILY/VARIANT, or where
 * the family has axes FAMILY/VARIANT[POINT] (points.h). Names in kernel libraries are of a-z, 0-9 and _; those of
 * programs and their functions, such as app/scale<float,4>, also of A-Z and ID_MARKS, which are no first characters. */
size_t id_length(const char *text);

#define ID_MARKS "#+,-.:<>@~"

/* Where the file of a kernel is below the folder of its kind, without its ending. Only an id of a kernel library is its
 * own path: others hold what file systems do not tell apart or do not take, or are too long for them, so a part of
 * app/scale<float,4> is slugged and has a hash behind it, app/scale-float-4.6f0e1a2b. Caller frees. */
char *id_path(const char *id);

/* True when text matches a shell glob, where `*` also matches `/`; an empty list matches everything. A bracket with =
 * at the end of a glob is a list of AXIS=VALUE, all of which have to be at the point of a kernel: softmax/x[n=16M]. */
bool glob_any(char *const *globs, size_t count, const char *text);

/* "NVIDIA H200" -> "nvidia-h200": lower case, runs of other characters become one '-'. Caller frees. */
char *slug(const char *text);

/* The name that text was probably meant to be ("did you mean ..."), or NULL when none is near. */
const char *nearest_name(const char *text, const char *const *names, size_t count);

#endif
