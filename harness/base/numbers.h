/* numbers.h - rounding, the median, numbers for people, the clock. */
#pragma once

#include <stddef.h>

/* Rounds to 9 significant digits (counters have fewer); whole numbers below 2^53 stay exact. Each measured value is
 * rounded once, so that it is unchanged after writing and reading. */
double round_value(double value);

/* Returns the median of count > 0 values; for an even count the mean of the middle two. values stay in their order. */
double median(const double *values, size_t count);

/* Returns seconds of a monotonic clock, for differences. */
double now_seconds(void);

/* plural returns "" for a count of 1, else "s". plural_of returns one of two words, "pass" or "passes". */
const char *plural(size_t count);
const char *plural_of(size_t count, const char *one, const char *more);

/* Writes a number >= 0 with commas into text, 1234567 -> "1,234,567", and returns text. It is cut if size is too
 * small. */
const char *group_digits(double whole, char *text, size_t size);
