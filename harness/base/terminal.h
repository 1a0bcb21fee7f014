/* terminal.h - text for people: colour, columns, wrapping. Text out of files may be hostile, so no control character of
 * it reaches the terminal. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "columns.h"

#include <stdbool.h>
#include <stdio.h>

#define TEXT_WIDTH 120 /* of lines of words where there is no terminal, and at most on a wide one */

struct text {
    FILE *stream;
    bool color;
    int columns; /* of the terminal; 0: it is none, so that tables are as wide as they need */
};

/* Where lines of words end. */
int text_width(const struct text *text);

/* Whether a line of a table fits. */
bool text_fits(const struct text *text, int columns);

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_RED, INK_YELLOW, INK_GREEN, INKS };

/* The first characters of it, at most so many, with "..." at the end when that is not all; likewise the last ones: the
 * end of a path says more than its beginning. Caller frees. */
char *text_cut(const char *text, size_t max);
char *text_cut_before(const char *text, size_t max);

/* Its beginning and its end with "..." between, when all of it is too long: where names differ. Caller frees. */
char *text_cut_middle(const char *text, size_t max);

/* printf in a colour. Newlines end a line in the format, and become blanks in its arguments; other control characters,
 * and what is not UTF-8, become '?'. Returns how many columns it took. */
__attribute__((format(printf, 3, 4))) int text_print(const struct text *text, enum ink ink, const char *format, ...);

/* The same to standard output, from the beginning of a line: for commands, in place of printf. */
__attribute__((format(printf, 1, 2))) void print_harmless(const char *format, ...);

/* A line to standard output, which needs no newline; where a terminal has no room for it, what stands behind the last
 * two blanks goes on at `indent` in the next. */
__attribute__((format(printf, 2, 3))) void print_wrapped(int indent, const char *format, ...);

/* Breaks words into lines of text_width(). The first begins at `column`, where the cursor is, the others at `indent`.
 * Ends the last line. None begins with "::", which CI servers take for a command. On a terminal a word that is wider
 * than a line is broken too. */
void text_wrap(const struct text *text, enum ink ink, int column, int indent, const char *words);

/* Prints a word as a shell takes it: in quotes when it needs them. */
void text_shell_word(const struct text *text, const char *word);

#endif
