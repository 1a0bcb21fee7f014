/* ncu_unit.h - parses units as Nsight Compute prints them, scaled by the number: us, Kbyte, cycle/nsecond. */
#pragma once

#include <stdbool.h>

/* Whether numbers in ncu's unit can be converted to a metric's unit. Sets *scale to the factor. */
bool ncu_unit(const char *unit, const char *metric_unit, double *scale);

/* Parses a number that ncu prints as 1,234,567.89; false when the text is none. */
bool ncu_number(const char *text, double *number);
