/* source_text.h - names and texts of the source files that line information refers to. */
#pragma once

#include "model/model.h"

/* Gives the lines of a kernel readable file names and their texts. Names are relative to a folder: the git checkout in
 * which the library lies, else the one around the current folder, else that folder. (library may be NULL.)
 *
 * A path in line information is from the machine that compiled. It becomes relative where it lies below the folder
 * (source_path.h). If no file is there, its longest end that names a file below the folder takes its place:
 * kernels/reduce.cu for /builds/17/kernels/reduce.cu. Else it stays.
 *
 * A text is stripped of space and cut to SOURCE_TEXT bytes. It is NULL where the file cannot be read, is too short,
 * lies outside the folder (by a link or "..") or is hidden there. It is NULL too where the file is newer than the
 * library, since its lines may have moved. Lines that become equal are merged. */
void source_resolve(struct profile *profile, const char *library);

/* Lists the source files that line information of the library names, that are there by that path below the folder, and
 * that are newer than the library: it was not built since they changed. Their names are relative to the folder. Caller
 * frees each, and the list. */
char **source_newer(const char *library, size_t *count);

#define SOURCE_TEXT 200
