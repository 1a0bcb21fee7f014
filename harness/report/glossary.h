/* glossary.h - explains the words of a report to those who read one for the first time. */
#pragma once

#include "base/base.h"

/* Prints a line for each word of the glossary that occurs in `said`, in the order in which they do. Escape sequences of
 * colours are ignored. Returns the number of lines. */
size_t glossary_print(const struct text *text, const char *said);

/* Collects what a document prints, so that its words can be looked up. glossary_end prints that and returns it; the
 * caller frees it. */
struct glossary {
    struct text text; /* the document's text settings, with another stream */
    FILE *stream;
    char *said;
    size_t size;
};
void glossary_begin(struct glossary *glossary, const struct text *text);
char *glossary_end(struct glossary *glossary);

/* Iterates over the glossary, for tests: NULL behind the last word. */
const char *glossary_word(size_t index);
