/* gate.h - what the commands that judge share: which rows, whether they can be compared, where the report goes. */
#ifndef GATE_H
#define GATE_H

#include "base/util.h"
#include "command/options.h"
#include "report/report.h"

/* Narrows both sides by -k; baseline may be NULL. -1 after error() that names near kernels when nothing is left. */
int gate_filter(struct run *run, struct run *baseline, const struct options *options);

/* 0 when the two were made on the same kind of device and by the same collector; else -1 after error() that says what
 * differs. */
int gate_comparable(const struct run *run, const struct run *baseline);

/* Prints by the reporter with the colour, -q, -v and --baselines of the command line. -1 when the stream failed. */
int gate_print(const struct reporter *reporter, struct report *report, const struct options *options, FILE *stream);

/* A format, and where it goes. */
struct gate_report {
    const struct reporter *reporter;
    struct whole_file file;
};

/* The reports of a command line: that of --format and -o first, then those of --report.
 * `struct gate_reports reports = {0}` is empty and may be released. */
struct gate_reports {
    struct gate_report *list;
    size_t count;
};

/* Opens every file. -1 after error() that lists the formats, or says which file cannot be written. */
int gate_reports_open(struct gate_reports *reports, const struct options *options);

/* Prints each and puts its file in its place, whatever came of those before: -1 after error() when one could not be
 * written. */
int gate_reports_print(struct gate_reports *reports, struct report *report, const struct options *options);

/* Files that nothing was printed into do not appear. */
void gate_reports_release(struct gate_reports *reports);

#endif
