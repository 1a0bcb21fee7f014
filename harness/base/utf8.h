/* utf8.h - the characters of a text, and what of it must not reach a terminal or a page. */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The character that begins at *text, which moves past it; TEXT_REPLACEMENT for each byte that is not UTF-8.
 * One that was written takes three bytes. Not at the end. */
#define TEXT_REPLACEMENT 0xfffdu
unsigned text_next(const char **text);

/* Whether a character works on a terminal or a page instead of standing there: control characters, separators of lines,
 * marks that turn the direction of writing. Of these, a newline too. */
bool text_is_control(unsigned character);

/* Writes the character as UTF-8 and ends it. Returns text. */
const char *text_utf8(unsigned character, char text[5]);

/* Replaces, in place, newlines by `newline`, and other control characters and what is not UTF-8 by '?'. Returns the
 * number of characters. */
int text_make_harmless(char *words, char newline);

/* How many characters it has, or so many bytes of it. */
size_t text_count(const char *text);
size_t text_count_of(const char *text, size_t bytes);

#endif
