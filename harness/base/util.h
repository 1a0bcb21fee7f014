/* util.h - errors, memory, text and whole-file writes. */
#ifndef UTIL_H
#define UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The documented exit codes: constants, never counts. */
enum exit_code {
    EXIT_SAME = 0,         /* nothing worse */
    EXIT_REGRESSED = 1,    /* at least one confirmed regression */
    EXIT_USAGE = 2,        /* unknown flag, unreadable or malformed file; nothing was measured */
    EXIT_UNSURE = 3,       /* inconclusive */
    EXIT_BASELINE = 4,     /* no baseline for this GPU, or it does not match */
    EXIT_NOT_MEASURED = 5, /* no GPU, counters denied, a kernel crashed, hung or gave a wrong result */
    EXIT_INTERRUPTED = 130
};

/* Prints "cugate: error: ..." and a newline to standard error. Always returns -1: `return error("...")`. */
__attribute__((format(printf, 1, 2))) int error(const char *format, ...);

/* The same with "warning:" and "note:"; warning returns nothing because the caller goes on. */
__attribute__((format(printf, 1, 2))) void warning(const char *format, ...);

/* error(), then exit with code. For the edge of a command only, never in library functions. */
__attribute__((format(printf, 2, 3), noreturn)) void die(enum exit_code code, const char *format, ...);

/* For what cannot happen: prints file and line and aborts. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
__attribute__((format(printf, 3, 4), noreturn)) void bug_at(const char *file, int line, const char *format, ...);

/* Allocation that ends the program with a clear message when memory is exhausted. Free with free(). */
void *x_calloc(size_t count, size_t size);
void *x_realloc(void *memory, size_t count, size_t size);
char *x_strdup(const char *text); /* NULL stays NULL */
__attribute__((format(printf, 1, 2))) char *x_sprintf(const char *format, ...);

/* Makes room for one more element at the end of a growing array and returns it zeroed. The array starts as NULL and
 * grows by ARRAY_ADD alone, because its capacity follows from its count:
 *     struct row *row = ARRAY_ADD(result->rows, result->row_count); */
#define ARRAY_ADD(array, count) ((array) = x_grow((array), (count), sizeof *(array)), &(array)[(count)++])
void *x_grow(void *memory, size_t count, size_t size);

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* The nearest number with 9 significant digits (counters carry fewer); whole numbers below 2^53 stay exact. What is
 * measured is rounded once, so that a value survives being written and read unchanged. */
double round_value(double value);

/* Median of count > 0 values; the mean of the middle two for an even count. Reorders nothing. */
double median(const double *values, size_t count);

/* For qsort of a list of texts. */
int by_text(const void *left, const void *right);

/* For each element of a list the place of the first that is equal to it, which may be its own; order is as qsort has
 * it. What is alike in a long list is found with this, and not by looking at each pair. Caller frees. */
size_t *first_of_equals(const void *list, size_t count, size_t size, int (*order)(const void *, const void *));

/* Seconds of a clock that nobody sets: for differences. */
double now_seconds(void);

/* 1234567 -> "1,234,567", of a number from 0 on, in text, which it returns; cut where there is no room. */
const char *group_digits(double whole, char *text, size_t size);

/* True when text matches a shell glob, where `*` also matches `/`; an empty list matches everything. */
bool glob_any(char *const *globs, size_t count, const char *text);

/* "NVIDIA H200" -> "nvidia-h200": lower case, runs of other characters become one '-'. Caller frees. */
char *slug(const char *text);

/* The name that text was probably meant to be ("did you mean ..."), or NULL when none is near. */
const char *nearest_name(const char *text, const char *const *names, size_t count);

/* Reads a whole regular file of at most limit bytes. *text is NUL-terminated and the caller's to free. */
int file_read(const char *path, size_t limit, char **text, size_t *length);

/* A file that appears whole or not at all: a temporary file in the same folder, fsync, rename. Open it before
 * measuring, so that an unwritable place is known at once. `-` is standard output, written directly, as are devices
 * and pipes. A symbolic link stays, and the file that it names is replaced. Opening also removes from the folder what
 * writers left there that were killed.
 *
 *     struct whole_file file;
 *     if (whole_file_open(&file, path) < 0) ...
 *     fprintf(file.stream, ...);
 *     if (whole_file_commit(&file) < 0) ...      or whole_file_abandon(&file); both end it */
struct whole_file {
    FILE *stream;
    char *path;
    char *temporary; /* NULL when written directly */
};
int whole_file_open(struct whole_file *file, const char *path);
/* The same for the next of several files that are open at once; before: the last one, or NULL. */
int whole_file_open_next(struct whole_file *file, const char *path, const struct whole_file *before);
int whole_file_settle(struct whole_file *file); /* for one of several files: all but putting it in its place */
int whole_file_commit(struct whole_file *file); /* reports write errors such as a full disk; removes the temporary */
void whole_file_abandon(struct whole_file *file);

/* Creates a folder and its parents; existing ones are fine. */
int make_folders(const char *path);

/* The folder of the running program, without a trailing slash. Caller frees. */
char *program_folder(void);

#endif
