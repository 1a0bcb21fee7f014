#include "estimate.h"
#include <stdio.h>
enum weighed estimate_weigh(const struct metrics *metrics, const struct device *device, const struct result *base, const struct result *now, char *why, size_t size)
{
    (void)metrics; (void)device; (void)base; (void)now;
    snprintf(why, size, "stub");
    return WEIGHED_OPEN;
}
