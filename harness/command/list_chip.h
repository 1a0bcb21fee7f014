/* list_chip.h - the part of `cugate list` that asks CUPTI about a chip; no GPU is needed. */
#ifndef LIST_CHIP_H
#define LIST_CHIP_H

#include "options.h"

/* One line of `list --metrics`, and with -v what the metric says. chosen[m] is the chip's counter for it or NULL;
 * chosen itself is NULL when no chip was asked about. */
void list_metric(const struct options *options, const struct metric *metric, const char *const *chosen);

/* What a chip has of the metrics, or of all counters what --search finds. Returns an exit code. */
int list_chip(const struct options *options, const struct metrics *metrics);

#endif
