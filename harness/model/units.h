/* units.h - the units of metrics, and printing numbers for people. */
#pragma once

#include "metric.h"

/* Puts the names of up to `capacity` units into names. Returns how many exist. */
size_t metric_units(const char **names, size_t capacity);

/* Writes a value with its unit into text, scaled for people: 18700 ns -> "18.7 us", 67108864 B -> "67.1 MB". size is
 * that of text in bytes. Returns text. */
const char *metric_format(const struct metric *metric, double value, char *text, size_t size);
