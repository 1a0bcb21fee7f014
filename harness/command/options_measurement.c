#include "command.h"

#include "base/base.h"
#include "worker/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_SECONDS 60

double options_timeout(const struct options *options)
{
    return options->timeout > 0 ? options->timeout : KERNEL_SECONDS;
}

int options_program(struct program *program, struct measurement *measurement, const struct options *options)
{
    const char *first = options->arguments[0];
    if (strlen(first) > 5 && strcmp(first + strlen(first) - 5, ".json") == 0)
        return error("%s is no program; a recorded run is judged by: cugate check --replay %s", first, first);
    if (!*options->arguments[0])
        return error("an empty word is no program");
    char *name = options->name ? x_strdup(options->name) : program_name(options->arguments);
    if (name_length(name) != strlen(name) || strlen(name) > PROGRAM_NAME_MAX || !*name) {
        error("--name %s: a name has at most %d of a-z, 0-9 and _", name, PROGRAM_NAME_MAX);
        free(name);
        return -1;
    }
    *program = (struct program){
        .arguments = options->arguments,
        .name = name,
        .skip = (size_t)options->skip,
        .first = options->first > 0 ? (size_t)options->first : PROGRAM_FIRST,
        .nvtx = options->nvtx,
        .runs = options->runs,
        .timeout = options->timeout,
    };
    measurement->program = program;
    measurement->kernels = NULL;
    measurement->backend = &program_backend;
    return 0;
}

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
        .timeout = options_timeout(options),
        .progress = isatty(STDERR_FILENO) && !options->quiet,
    };
    return 0;
}
