/* units.h - the units of metrics, and numbers as people read them. */
#ifndef UNITS_H
#define UNITS_H

#include "metric.h"

#include <stddef.h>

/* Puts the names of up to `capacity` units into names and returns how many there are. */
size_t metric_units(const char **names, size_t capacity);

/* Writes value with its unit, scaled for people: 18700 ns -> "18.7 us", 67108864 B -> "67.1 MB", 99.5 % -> "99.5 %".
 * Returns text (size bytes). */
const char *metric_format(const struct metric *metric, double value, char *text, size_t size);

#endif
