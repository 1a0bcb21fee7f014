/* worded.h - tests/data/units.txt: how numbers are worded, on the pages as in the reports. */
#ifndef WORDED_H
#define WORDED_H

#include <stddef.h>

/* "value ns 84700 = 84.7 us": kind, two operands, text. */
struct worded {
    char kind[16], first[32], second[32], text[64];
};

/* The rows of that kind, at least one. Caller frees. */
struct worded *worded_read(const char *kind, size_t *count);

#endif
