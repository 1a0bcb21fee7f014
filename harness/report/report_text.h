/* report_text.h - the parts of the text report. report_kernels.c prints the table of kernels, report_rows.c the rows
 * that need attention, report_next.c what to do about them, report_text.c prints the
 * rest. */
#pragma once

#include "words.h"

/* Returns the colour for text of that tone. */
enum ink tone_ink(enum tone tone);

/* Print the banner, where there is one, and a title with a text beside it. */
void text_banner(const struct text *text, const struct report *report);
void text_fact(const struct text *text, const char *title, const char *words);

/* Prints the table: a line a kernel, with its worst verdict when there is a comparison. */
void text_kernels(const struct text *text, const struct report *report);

/* Prints what another toolchain did to the kernels; nothing where one toolchain made both sides. */
void text_upgrade(const struct text *text, const struct report *report);

/* Prints rows by kernel under their headings: those that need attention, or with verbose every row. */
void text_rows(const struct text *text, const struct report *report);

/* Prints a command for each kernel that accepts its regressions; nothing without one. */
void text_accept(const struct text *text, const struct report *report);

/* Prints the kernels without a result, for a run that is compared with nothing. */
void text_failures(const struct text *text, const struct report *report);

/* Prints the commands that make a first baseline. */
void text_first_baseline(const struct text *text, const struct report *report);

/* Prints the one thing that should be done next; nothing when there is nothing to do. */
void text_advice(const struct text *text, const struct report *report);

/* Prints a command. If it is too long for a line it is continued in a way that a shell accepts. */
void text_command(const struct text *text, int indent, const char *command);
