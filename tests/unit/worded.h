/* worded.h - reads tests/data/units.txt: how numbers are printed, by the pages as by the reports. */
#pragma once

#include <stddef.h>

/* One line, "value ns 84700 = 84.7 us": a kind, two operands and the expected text. */
struct worded {
    char kind[16], first[32], second[32], text[64];
};

/* Returns the lines of that kind, at least one. Caller frees. */
struct worded *worded_read(const char *kind, size_t *count);
