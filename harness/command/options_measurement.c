#include "command.h"

#include "base/base.h"
#include "worker/worker.h"

#include <unistd.h>

int options_measurement(struct measurement *measurement, const struct options *options, const struct metrics *metrics)
{
    if (!collector_find(options->collector))
        return error("there is no collector '%s'; `cugate list --collectors` shows them", options->collector);
    *measurement = (struct measurement){
        .kernels = options->kernels,
        .metrics = metrics,
        .collector = options->collector,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .device = options->device,
        .samples = options->samples,
        .timeout = options->timeout,
        .progress = isatty(STDERR_FILENO) && !options->quiet,
    };
    return 0;
}
