/* names.h - names of kernels, devices and options: globs, slugs, typing errors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns the index of a name in an unsorted list; count when it is not there. */
size_t name_index(const char *name, const char *const *names, size_t count);

/* Whether the name is one of those in a list, each between spaces: " a b ". */
bool name_is_one_of(const char *name, const char *list);

/* Returns the length of the name at the beginning of text: as many of a-z, 0-9 and _ as there are. */
size_t name_length(const char *text);

/* Returns the length of the kernel id at the beginning of text; 0 when there is none. An id is FAMILY/VARIANT, or
 * FAMILY/VARIANT[POINT] where the family has axes (points.h). Names in kernel libraries consist of a-z, 0-9 and _.
 * Names of programs and their functions, such as app/scale<float,4>, may also have A-Z and ID_MARKS, but not as first
 * character. */
size_t id_length(const char *text);

#define ID_MARKS "#+,-.:<>@~"
#define ID_OF_LAUNCH '@' /* stands in ids of launches of programs, function@grid,block, and in no others */

/* Returns the path of a kernel's baseline file below the folder of its GPU, without extension. For a kernel library it
 * is the id. Other ids have characters that file systems refuse or do not tell apart, or are too long. So parts of
 * app/scale<float,4> are slugged and get a hash: app/scale-float-4.6f0e1a2b. Caller frees. */
char *id_path(const char *id);

/* Whether text matches one of the shell globs, where `*` also matches `/`; an empty list matches everything. A bracket
 * with = at the end of a glob is a list of AXIS=VALUE that the kernel's point must all have: softmax/x[n=16M]. */
bool glob_any(char *const *globs, size_t count, const char *text);

/* Makes a slug: "NVIDIA H200" -> "nvidia-h200". Letters become lower case, and each run of other characters one '-'.
 * Caller frees. */
char *slug(const char *text);

/* Returns the name that text was probably meant to be ("did you mean ..."), or NULL when none is similar. */
const char *nearest_name(const char *text, const char *const *names, size_t count);
