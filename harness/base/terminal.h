/* terminal.h - prints text for people: colour, columns, wrapping. Text from files may be hostile, so none of its
 * control characters reaches the terminal. */
#pragma once

#include "columns.h"

#include <stdbool.h>

#define TEXT_WIDTH 120 /* width of wrapped text without a terminal, and the maximum on a wide one */

struct text {
    FILE *stream;
    bool color;
    int columns; /* width of the terminal; 0: it is none */
};

/* Returns the column at which text is wrapped. */
int text_width(const struct text *text);

/* Returns how wide a table may be: as the terminal, or TEXT_WIDTH where there is none. */
int text_room(const struct text *text);

/* Whether a table line of so many columns fits. */
bool text_fits(const struct text *text, int columns);

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_RED, INK_YELLOW, INK_GREEN, INKS };

/* text_cut returns the first `max` characters of a text, ending with "..." if it was cut. text_cut_before returns the
 * last ones, since the end of a path says more than its beginning. Caller frees. */
char *text_cut(const char *text, size_t max);
char *text_cut_before(const char *text, size_t max);

/* Returns the beginning and the end of a text that is too long, with "..." between: names may differ at either end.
 * The point or launch at the end of a kernel's id, "[n=8K]" or "@grid,block", stays whole unless it takes most of the
 * room. Caller frees. */
char *text_cut_middle(const char *text, size_t max);

/* Prints in a colour, like printf. Newlines in the format end a line; in arguments they become blanks. Other control
 * characters, and bytes that are not UTF-8, become '?'. Returns how many columns were printed. */
__attribute__((format(printf, 3, 4))) int text_print(const struct text *text, enum ink ink, const char *format, ...);

/* Prints to standard output, like text_print, from the beginning of a line. Commands use it in place of printf. */
__attribute__((format(printf, 1, 2))) void print_harmless(const char *format, ...);

/* Prints one line to standard output and adds the newline. If it does not fit on a terminal, the text behind its last
 * two blanks is wrapped, and continues at column `indent`. */
__attribute__((format(printf, 2, 3))) void print_wrapped(int indent, const char *format, ...);

/* Prints words as lines of text_width(). The first line begins at `column`, where the cursor is, the others at
 * `indent`; the last line is ended. No line begins with "::", which CI servers take for a command. A word that is wider
 * than a line is broken. */
void text_wrap(const struct text *text, enum ink ink, int column, int indent, const char *words);

/* text_shell_word prints a word as a shell would need it: quoted if necessary. shell_word returns it so; caller frees.
 */
void text_shell_word(const struct text *text, const char *word);
char *shell_word(const char *word);
