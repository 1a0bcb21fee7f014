/* glossary.h - what the words of a text mean, for those who read it the first time. */
#ifndef GLOSSARY_H
#define GLOSSARY_H

#include "base/base.h"

/* Prints a line for each word of the glossary that stands in `said`, in the order in which they do. Escapes for colour
 * are no part of words. Returns how many lines. */
size_t glossary_print(const struct text *text, const char *said);

/* What a document prints into, so that its words can be looked up; glossary_end writes that out and returns it, and the
 * caller frees it. */
struct glossary {
    struct text text; /* as that of the document, but for its stream */
    FILE *stream;
    char *said;
    size_t size;
};
void glossary_begin(struct glossary *glossary, const struct text *text);
char *glossary_end(struct glossary *glossary);

/* The table, for tests: NULL behind the last. */
const char *glossary_word(size_t index);

#endif
