/* outputs.h - the reports that a command line asks for, and where they go. */
#pragma once

#include "options.h"

/* Prints a report in the format, with the colour, -q, -v and --baselines of the command line. -1 when the stream
 * failed. */
int output_print(const struct format *format, struct report *report, const struct options *options, FILE *stream);

/* Opens a file for what this command finds, and removes the one of an earlier command, which must not pass for that.
 * -1 after error(). */
int output_open(struct atomic_file *file, const char *path);

/* Checks that a file of capsules can be written there. -1 after error(). */
int output_expect_file(const char *path);

/* Keeps the run in the file of --save, unless none was opened. -1 when it could not be written. */
int output_save(const struct run *run, struct atomic_file *file);

/* What commands that make a run write: the run file of --save, and the table, to where -o says. There is none where the
 * run file itself goes to standard output. `struct run_files files = {0}` is empty and may be abandoned. */
struct run_files {
    struct atomic_file run, document;
};
int run_files_open(struct run_files *files, const struct options *options); /* -1 after error() */
void run_files_abandon(struct run_files *files);                            /* what was not written does not appear */

/* Writes both. -1 when either could not be written. */
int output_run(const struct options *options, const struct metrics *metrics, const struct run *run, int code,
               struct run_files *files);

/* A report in a format, or the run file, and where it goes. */
struct output {
    const struct format *format; /* NULL: the run file */
    struct atomic_file file;
};

/* The files of a command line: the report of --format and -o first, then those of --report, those of --out, and the run
 * file of --save. `struct outputs outputs = {0}` is empty and may be released. */
struct outputs {
    struct output *list;
    size_t count;
};

/* Opens every file, and makes the folders of --out, from which it removes what an earlier check left there.
 * -1 after error() that lists the formats, or says which file cannot be written. */
int outputs_open(struct outputs *outputs, const struct options *options);
/* The same of --report alone. */
int outputs_open_reports(struct outputs *outputs, const struct options *options);

/* Whether there will be a run to keep: of a library whose machine code alone is read there is none. */
bool outputs_has_run(const struct options *options);

/* Writes the run file wherever one was asked for: of --replay it is a copy. -1 after error() when one could not be. */
int outputs_save(struct outputs *outputs, const struct run *run, const struct options *options);

/* Prints each report and puts its file in its place, whatever came of those before: -1 after error() for any. */
int outputs_print(struct outputs *outputs, struct report *report, const struct options *options);

/* Files into which nothing was printed do not appear. */
void outputs_release(struct outputs *outputs);
