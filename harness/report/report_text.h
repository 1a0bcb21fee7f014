/* report_text.h - the parts of the text report: report_kernels.c has the table of kernels, report_rows.c the rows that
 * need attention, report_text.c what stands above and below. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "base/base.h"

#include "words.h"

/* The short mark of a state without a number: "n/a", "!", "-". */
const char *text_mark(enum value_state state);

/* The colour of what is said so loudly. */
enum ink tone_ink(enum tone tone);

/* Prints the table: a line a kernel, with its worst verdict when there is a comparison. */
void text_kernels(const struct text *text, const struct report *report);

/* Prints the rows that are not fine, every row when verbose, or the kernels without a result when nothing was compared;
 * and how to accept what regressed. */
void text_rows(const struct text *text, const struct report *report);

#endif
