/* list_chip.h - the part of `cugate list` that asks CUPTI about a chip. Needs no GPU. */
#pragma once

#include "options.h"

/* Prints the titles of those lines. */
void list_metric_titles(void);

/* Prints one line of `list --metrics`, and with -v the metric's documentation. chosen[m] is the chip's counter for
 * metric m, or NULL; chosen is NULL when no chip was named. */
void list_metric(const struct options *options, const struct metric *metric, const char *const *chosen);

/* Prints which metrics the chip of that name has; of "help" which chips there are. Returns an exit code. */
int list_chip(const struct options *options, const struct metrics *metrics, const char *named);
