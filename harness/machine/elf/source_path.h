/* source_path.h - what source files of line information are called: a path is from the machine that compiled. */
#pragma once

/* Returns the folder that names are relative to: the library's checkout, else the current one, else the current folder.
 * NULL where not even that exists. Caller frees. */
char *source_tree(const char *library);

/* Returns the path relative to the tree, with links resolved, of a file that really is below the tree, else NULL. A
 * line table can name any file, and reports may be public. Hidden files are no source: .git/config may hold a password.
 * Caller frees. */
char *source_place_below(const char *path, const char *tree);

/* Returns the name of a file: relative where it lies below the tree, by its longest end that does if there is no such
 * file, else the path. Caller frees. */
char *source_name_below(const char *path, const char *tree);

/* The same with the tree of a library, which may be NULL. Caller frees. */
char *source_name(const char *path, const char *library);
