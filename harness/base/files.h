/* files.h - files that are read whole or written whole, and directories. */
#ifndef FILES_H
#define FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a whole regular file of at most limit bytes. *text is NUL-terminated and the caller's to free. */
int file_read(const char *path, size_t limit, char **text, size_t *length);

/* Creates a directory and its parents; existing ones are fine. */
int make_directories(const char *path);

/* The directory of a file, without a trailing slash: "." for a name alone. Caller frees. */
char *directory_of(const char *path);

/* For scandir: by bytes, so that the order does not depend on the locale. */
int by_entry_name(const struct dirent **a, const struct dirent **b);

/* The directory of the running program, without a trailing slash. Caller frees. */
char *program_directory(void);

/* Whether the program was installed, with cugate-fetch beside it; else it is one that `make` built in cugate's tree. */
bool program_is_installed(void);

/* A file that appears whole or not at all: a temporary file in the same directory, fsync, rename. Open it before
 * measuring, so that an unwritable place is known at once. `-` is standard output, written directly, as are devices
 * and pipes. A symbolic link stays, and the file that it names is replaced. Opening also removes from the directory
 * what writers left there that were killed.
 *
 *     struct atomic_file file;
 *     if (atomic_file_open(&file, path) < 0) ...
 *     fprintf(file.stream, ...);
 *     if (atomic_file_commit(&file) < 0) ...      or atomic_file_abandon(&file); both end it */
struct atomic_file {
    FILE *stream;
    char *path;
    char *temporary; /* NULL when written directly */
};
int atomic_file_open(struct atomic_file *file, const char *path);
/* The same for the next of several files that are open at once; before: the last one, or NULL. */
int atomic_file_open_next(struct atomic_file *file, const char *path, const struct atomic_file *before);
int atomic_file_sync(struct atomic_file *file);   /* for one of several files: all but putting it in its place */
int atomic_file_commit(struct atomic_file *file); /* reports write errors such as a full disk; removes the temporary */
void atomic_file_abandon(struct atomic_file *file);

#endif
