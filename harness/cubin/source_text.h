/* source_text.h - source files as line information names them. */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include "model/model.h"

#include <stdbool.h>

/* Gives the lines of a kernel names that mean something to people, and their texts. A path that compilers wrote is that
 * of the machine where they ran: it becomes relative where it lies below the current directory; where nothing is at the
 * path, the longest end of it that names a file below the current directory takes its place (kernels/reduce.cu for
 * /builds/17/kernels/reduce.cu); else it stays. A text is kept without the space around it and cut to SOURCE_TEXT
 * bytes. It is NULL where the file is not really below the current directory, without links and "..", or is hidden
 * there, cannot be read, is shorter, or is newer than the library (or NULL: no matter), so that its lines may be others
 * by now. Lines that thereby are one become one. */
void source_resolve(struct profile *profile, const char *library);

/* The name of a file that a compiler wrote, by the same rules; caller frees. */
char *source_name(const char *path);

/* Whether a path that a compiler wrote is that of a file below the current directory, by the same rules. */
bool source_is_below(const char *path);

#define SOURCE_TEXT 200

#endif
