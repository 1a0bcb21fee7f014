/* float_reference.h - rounding by its definition, with the C library and its rounding modes. */
#pragma once

#include "machine/small_float.h"

/* Returns the value of the bits of a format. */
double reference_value(enum format format, uint64_t bits);

/* Returns the number of a format that the rounding chooses for value; infinite or NaN as the format has it. */
double reference_rounded(enum format format, double value, enum rounding rounding, bool finite);

/* Returns a * b + c rounded to odd. Rounding that to a format of far fewer digits gives the same as rounding the exact
 * sum. */
double reference_fused(double a, double b, double c);

/* Returns the C library's name for a rounding, such as FE_TONEAREST. */
int reference_mode(enum rounding rounding);

/* Returns whether two numbers are equal, or both NaN. -0 does not equal 0. */
bool reference_same(double a, double b);
