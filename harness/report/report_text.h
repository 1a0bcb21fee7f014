/* report_text.h - the parts of the text report: report_kernels.c has the table of kernels, report_rows.c the rows that
 * need attention, report_next.c what to do about them, glossary.c what words mean, report_text.c the rest. */
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

/* Prints the rows that are not fine, every row when verbose, by kernel, under what they are. */
void text_rows(const struct text *text, const struct report *report);

/* Prints the command that accepts what regressed, a kernel each; nothing when nothing did. */
void text_accept(const struct text *text, const struct report *report);

/* Prints, of a run that is compared with nothing, the kernels without a result. */
void text_failures(const struct text *text, const struct report *report);

/* Prints the commands that make a first baseline. */
void text_first_baseline(const struct text *text, const struct report *report);

/* Prints the one thing that is best done next; nothing when there is nothing to do. */
void text_advice(const struct text *text, const struct report *report);

/* Prints a command; where it is too long for a line, as lines that a shell takes for one. */
void text_command(const struct text *text, int indent, const char *command);

#endif
