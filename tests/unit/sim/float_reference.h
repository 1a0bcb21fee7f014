/* float_reference.h - rounding as it is defined, by the library of C and its rounding modes. */
#ifndef FLOAT_REFERENCE_H
#define FLOAT_REFERENCE_H

#include "sim/small_float.h"

/* The value of a format's bits. */
double reference_value(enum format format, uint64_t bits);

/* The number nearest to value that the format has, in that rounding; infinite or NaN as the format has it. */
double reference_rounded(enum format format, double value, enum rounding rounding, bool finite);

/* a * b + c rounded to odd: rounding it to a format of far fewer digits is the same as rounding the exact sum. */
double reference_fused(double a, double b, double c);

/* FE_TONEAREST and so on. */
int reference_mode(enum rounding rounding);

/* Equal, or neither is a number. -0 is not 0. */
bool reference_same(double a, double b);

#endif
