/* source_text.h - source files as line information names them. */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include "model/model.h"

/* Gives the lines of a kernel names that mean something to people, and their texts. Names are from a folder on: the
 * checkout of git that the library lies in, or where there is none (library may be NULL) that around the current
 * directory, or else this directory. A path that compilers wrote is that of the machine where they ran: it becomes
 * relative where it lies below the folder; where nothing is at the path, the longest end of it that names a file below
 * the folder takes its place (kernels/reduce.cu for /builds/17/kernels/reduce.cu); else it stays. A text is kept
 * without the space around it and cut to SOURCE_TEXT bytes. It is NULL where the file is not really below the folder,
 * without links and "..", or is hidden there, cannot be read, is shorter, or is newer than the library, so that its
 * lines may be others by now. Lines that thereby are one become one. */
void source_resolve(struct profile *profile, const char *library);

/* The name of a file that a compiler wrote, by the same rules; caller frees. */
char *source_name(const char *path, const char *library);

#define SOURCE_TEXT 200

#endif
