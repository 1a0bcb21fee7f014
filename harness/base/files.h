/* files.h - reads whole files, writes files atomically, and handles folders. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a whole regular file of at most limit bytes. *text ends with a NUL; the caller frees it. */
int file_read(const char *path, size_t limit, char **text, size_t *length);

/* Whether nothing has the path. */
bool is_absent(const char *path);

/* Creates a folder and its parents unless they exist. */
int make_folders(const char *path);

/* Makes an empty folder for this process's own files, in TMPDIR or else in /tmp. NULL after error(). Caller frees. */
char *make_temporary_folder(void);
/* Removes such a folder with the files in it, and frees its path. */
void remove_temporary_folder(char *path);

/* Returns the folder of a file, without a trailing slash; "." for a name alone. Caller frees. */
char *folder_of(const char *path);

/* Orders folder entries by bytes, for scandir, so that the order does not depend on the locale. */
int by_entry_name(const struct dirent **a, const struct dirent **b);

/* Returns the folder of the running program, without a trailing slash. Caller frees. */
char *program_folder(void);

/* Returns the path of a program that the PATH leads to; NULL: it leads to none. Caller frees. */
char *program_on_path(const char *name);

/* Returns the first of the paths, relative to that folder, that exists; else the first. Caller frees. */
char *program_beside(const char *const *candidates, size_t count);

/* Whether the program was installed, with cugate-fetch beside it. Else `make` built it in cugate's tree. */
bool program_is_installed(void);

/* A file that appears complete or not at all: it is written to a temporary file in the same folder, synced and
 * renamed. Open it before measuring, so that an unwritable place is known at once. `-` is standard output; it is
 * written directly, and so are devices and pipes. A symbolic link stays, and the file that it refers to is replaced.
 * Opening also removes temporary files that killed writers left in the folder.
 *
 *     struct atomic_file file;
 *     if (atomic_file_open(&file, path) < 0) ...
 *     fprintf(file.stream, ...);
 *     if (atomic_file_commit(&file) < 0) ...      or atomic_file_abandon(&file); both end it */
struct atomic_file {
    FILE *stream;
    char *path;
    char *temporary; /* path of the temporary file; NULL when the file is written directly */
    bool is_brief;   /* set by the caller: the file is read and removed soon, so it need not survive a power failure */
};
int atomic_file_open(struct atomic_file *file, const char *path);
/* Opens a file whose content is of use even if its writer is killed. So nothing is removed from the folder but what
 * such a writer of the same file left. */
int atomic_file_open_beside(struct atomic_file *file, const char *path);
/* Opens the next of several files that are open at once; before is the one opened last, or NULL. */
int atomic_file_open_next(struct atomic_file *file, const char *path, const struct atomic_file *before);
int atomic_file_sync(struct atomic_file *file); /* does all of commit but the rename, for one of several files */
/* reports write errors such as a full disk; removes the temporary file */
int atomic_file_commit(struct atomic_file *file);
void atomic_file_abandon(struct atomic_file *file);
