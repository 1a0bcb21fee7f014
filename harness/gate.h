/* gate.h - what the commands that judge share: which rows, whether they can be compared, where the report goes. */
#ifndef GATE_H
#define GATE_H

#include "options.h"
#include "report.h"

/* The reporter that --format names, or NULL after error() that lists them. */
const struct reporter *gate_reporter(const struct options *options);

/* Narrows both sides by -k; baseline may be NULL. -1 after error() that names near kernels when nothing is left. */
int gate_filter(struct run *run, struct run *baseline, const struct options *options);

/* 0 when the two were made on the same kind of device and by the same collector; else -1 after error() that says what
 * differs. */
int gate_comparable(const struct run *run, const struct run *baseline);

/* Prints by the reporter with the colour, -q, -v and --baselines of the command line. -1 when the stream failed. */
int gate_print(const struct reporter *reporter, struct report *report, const struct options *options, FILE *stream);

#endif
