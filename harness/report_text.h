/* report_text.h - the parts of the text report: report_kernels.c has the table of kernels, report_rows.c the rows that
 * need attention, report_text.c what stands above and below. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report.h"
#include "text.h"

/* The short mark of a state without a number: "n/a", "!", "-". */
const char *text_mark(enum value_state state);

/* Writes by how much now differs from base: "+1.2 %", "<0.1 %", "17.0 x" from ten times on, "from 0", or nothing when
 * they are both 0. */
void text_share(double base, double now, char *text, size_t size);

enum ink verdict_ink(enum verdict verdict);

/* Prints the table: a line a kernel, with its worst verdict when there is a comparison. */
void text_kernels(const struct text *text, const struct report *report);

/* Prints the rows that are not fine, every row when verbose, or the kernels without a result when nothing was compared;
 * and how to accept what regressed. */
void text_rows(const struct text *text, const struct report *report);

/* Prints " --baselines DIR" when the report's commands need it. */
void text_baselines_option(const struct text *text, const struct report *report);

#endif
