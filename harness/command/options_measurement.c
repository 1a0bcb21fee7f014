#include "command.h"

#include "base/base.h"
#include "worker/worker.h"

#include <unistd.h>

int options_measurement(struct measurement *measurement, const struct options *options, const struct metrics *metrics)
{
    const struct backend *backend = backend_find(options->collector);
    if (!backend)
        return error("there is no collector '%s'; `cugate list --collectors` shows them", options->collector);
    *measurement = (struct measurement){
        .kernels = options->kernels,
        .metrics = metrics,
        .backend = backend,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .device = options->device,
        .samples = options->samples,
        .timeout = options->timeout,
        .progress = isatty(STDERR_FILENO) && !options->quiet,
    };
    return 0;
}
