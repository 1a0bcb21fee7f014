/* ncu_unit.h - units as Nsight Compute prints them, which depend on the number: us, Kbyte, cycle/nsecond. */
#ifndef NCU_UNIT_H
#define NCU_UNIT_H

#include <stdbool.h>

/* Whether a number of ncu's unit is one of a metric's unit, and by what it has to be multiplied to be so. */
bool ncu_unit(const char *unit, const char *metric_unit, double *scale);

/* The number that ncu prints as 1,234,567.89; false when the text is none. */
bool ncu_number(const char *text, double *number);

#endif
