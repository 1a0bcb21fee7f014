/* line_support.h - makes source lines for tests. */
#pragma once

#include "explain/pattern.h"
#include "support.h"

#define COUNTED(counter) (1u << (counter))

/* A line of function f() and file k/a.cu, unless it says otherwise. Without a number it has no file. */
struct made_line {
    unsigned number;
    const char *text;     /* source text of the line; may be NULL */
    double count;         /* the line's count of the counter that made_lines is given */
    const char *function; /* name of the function; NULL: f() */
    const char *file;     /* path of the file; NULL: k/a.cu */
    unsigned offset;
};

/* Shorthands for tables of lines. */
#define LINE(n, words) FIELDS(.number = (n), .text = (words))
#define LINE_WITH(n, words, amount) FIELDS(.number = (n), .text = (words), .count = (amount))
#define INSTRUCTION(name, at) FIELDS(.function = (name), .offset = (at))

/* Makes a profile of lines, up to the first without number, offset and function. Caller releases it. */
struct profile made_lines(enum line_counter counter, const struct made_line *list);

/* Returns the line with that number; without a file, the one with that offset. */
struct profile_line *line_at(const struct profile *profile, unsigned number);

/* Expects these lines: the words of a case, from that one on, which say NUMBER:AMOUNT[:BASE_AMOUNT[@BASE_NUMBER]]. */
void expect_hotspots(const struct hotspot *hotspots, size_t count, size_t first);
