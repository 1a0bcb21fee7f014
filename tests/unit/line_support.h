/* line_support.h - made-up source lines. */
#ifndef LINE_SUPPORT_H
#define LINE_SUPPORT_H

#include "model/profile.h"

#define COUNTED(counter) (1u << (counter))

/* A line of function f() and file k/a.cu where nothing else is said. Without a number it has no file. */
struct made_line {
    unsigned number;
    const char *text;     /* may be NULL */
    double count;         /* of the counter */
    const char *function; /* NULL: f() */
    const char *file;     /* NULL: k/a.cu */
    unsigned offset;
};

/* For tables of them. */
#define LINE(n, words)                                                                                                 \
    {                                                                                                                  \
        .number = (n), .text = (words)                                                                                 \
    }
#define LINE_WITH(n, words, amount)                                                                                    \
    {                                                                                                                  \
        .number = (n), .text = (words), .count = (amount)                                                              \
    }
#define INSTRUCTION(name, at)                                                                                          \
    {                                                                                                                  \
        .function = (name), .offset = (at)                                                                             \
    }

/* The lines up to the first without a number, an offset and a function, sorted. Caller releases. */
struct profile made_lines(enum line_counter counter, const struct made_line *list);

/* The line with that number, or that offset where it has no file. */
struct profile_line *line_at(const struct profile *profile, unsigned number);

#endif
