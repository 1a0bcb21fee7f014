#ifndef ESTIMATE_H
#define ESTIMATE_H
#include "model/model.h"
enum weighed { WEIGHED_OPEN, WEIGHED_FASTER, WEIGHED_SLOWER };
enum weighed estimate_weigh(const struct metrics *metrics, const struct device *device, const struct result *base, const struct result *now, char *why, size_t size);
#endif
