/* utf8.h - characters of UTF-8 text, and which of them must not reach a terminal or a page. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Decodes the character at *text and moves *text behind it. A byte that is not UTF-8 gives TEXT_REPLACEMENT (the
 * encoded character itself takes three bytes). *text must not be at its end. */
#define TEXT_REPLACEMENT 0xfffdu
unsigned text_next(const char **text);

/* Whether a character controls a terminal or a page instead of being displayed. These are control characters including
 * newline, line separators, and marks that change the writing direction. */
bool text_is_control(unsigned character);

/* Encodes a character as UTF-8 with a NUL at the end. Returns text. */
const char *text_utf8(unsigned character, char text[5]);

/* Replaces in place newlines by `newline`, and other control characters and bytes that are not UTF-8 by '?'. Returns
 * the number of characters. */
int text_make_harmless(char *words, char newline);

/* text_count returns the number of characters in a text; text_count_of in so many bytes of it. */
size_t text_count(const char *text);
size_t text_count_of(const char *text, size_t bytes);
