/* numbers.h - rounding, the median, digits for people, the clock. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stddef.h>

/* The nearest number with 9 significant digits (counters carry fewer); whole numbers below 2^53 stay exact. What is
 * measured is rounded once, so that a value survives being written and read unchanged. */
double round_value(double value);

/* Median of count > 0 values; the mean of the middle two for an even count. Reorders nothing. */
double median(const double *values, size_t count);

/* Seconds of a clock that nobody sets: for differences. */
double now_seconds(void);

/* The word for so many: "" or "s" behind a noun, or the one or the other of two words, "pass" or "passes". */
const char *plural(size_t count);
const char *plural_of(size_t count, const char *one, const char *more);

/* 1234567 -> "1,234,567", of a number from 0 on, in text, which it returns; cut where there is no room. */
const char *group_digits(double whole, char *text, size_t size);

#endif
