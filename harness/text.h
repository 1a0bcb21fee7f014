/* text.h - text for people: colour, columns, wrapping. Text out of files may be hostile, so no control character of it
 * reaches the terminal. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdio.h>

#define TEXT_WIDTH 120

struct text {
    FILE *stream;
    bool color;
};

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_RED, INK_YELLOW, INK_GREEN, INKS };

/* printf in a colour. Control characters other than newlines become '?'. Returns how many columns it took. */
__attribute__((format(printf, 3, 4))) int text_print(const struct text *text, enum ink ink, const char *format, ...);

/* Breaks words into lines of TEXT_WIDTH. The first begins at `column`, where the cursor is, the others at `indent`.
 * Ends the last line. */
void text_wrap(const struct text *text, enum ink ink, int column, int indent, const char *words);

/* Prints a word as a shell takes it: in quotes when it needs them. */
void text_shell_word(const struct text *text, const char *word);

#endif
