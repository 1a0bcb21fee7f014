/* outputs.h - the reports that a command line asks for, and where each goes. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "base/base.h"
#include "report/report.h"

#include "options.h"

/* Prints in the format with the colour, -q, -v and --baselines of the command line. -1 when the stream failed. */
int output_print(const struct format *format, struct report *report, const struct options *options, FILE *stream);

/* For commands that make a run: the run file of -o, which is open, and the table unless that file itself goes to
 * standard output. name is what the run is called without a file. -1 when either could not be written. */
int output_run(const struct options *options, const struct metrics *metrics, const struct run *run, const char *name,
               int code, struct atomic_file *file);

/* A format, and where it goes. */
struct output {
    const struct format *format;
    struct atomic_file file;
};

/* The reports of a command line: that of --format and -o first, then those of --report.
 * `struct outputs outputs = {0}` is empty and may be released. */
struct outputs {
    struct output *list;
    size_t count;
};

/* Opens every file. -1 after error() that lists the formats, or says which file cannot be written. */
int outputs_open(struct outputs *outputs, const struct options *options);

/* Prints each and puts its file in its place, whatever came of those before: -1 after error() when one could not be
 * written. */
int outputs_print(struct outputs *outputs, struct report *report, const struct options *options);

/* Files that nothing was printed into do not appear. */
void outputs_release(struct outputs *outputs);

#endif
