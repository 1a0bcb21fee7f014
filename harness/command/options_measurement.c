#include "command.h"

#include <unistd.h>

#define KERNEL_SECONDS 60
#define SIMULATED_SECONDS 600 /* default time limit: simulating what a GPU does in milliseconds may take minutes */

double options_timeout(const struct options *options)
{
    return options->timeout > 0              ? options->timeout
           : options->way == ORIGIN_COMPUTED ? SIMULATED_SECONDS
                                             : KERNEL_SECONDS;
}

static bool is_same_row(const char *range, const char *other)
{
    OWNED_TEXT id = program_range_id("", range), *other_id = program_range_id("", other);
    return strcmp(id, other_id) == 0;
}

/* Checks the options that bound the part of the program that counts. */
static int expect_bounds(const struct options *options)
{
    if (options->from_start && strcmp(options->from_start, "on") != 0 && strcmp(options->from_start, "off") != 0)
        return error("--from-start needs on or off, not '%s'", options->from_start);
    if (options->nvtx_count > NVTX_MAX)
        return error("--nvtx is given %zu times, but at most %d ranges are allowed", options->nvtx_count, NVTX_MAX);
    for (size_t i = 0; i < options->nvtx_count; i++)
        for (size_t j = 0; j < i; j++)
            if (is_same_row(options->nvtx[i], options->nvtx[j]))
                return error("--nvtx '%s' and --nvtx '%s' would share a row: leave one out", options->nvtx[j],
                             options->nvtx[i]);
    return 0;
}

int options_program(struct program *program, struct measurement *measurement, const struct options *options)
{
    const char *first = options->arguments[0];
    if (options_is_run_file(first))
        return error("%s is not a program; to judge a recorded run: cugate check --replay %s", first, first);
    if (capsules_is_file(first))
        return error("%s is not a program; to measure a file of capsules: --kernels %s", first, first);
    if (!*options->arguments[0])
        return error("the program's name is empty");
    TRY(expect_bounds(options));
    if (options->lines && !options->save && options->out_count == 0)
        return error("--lines needs a run file to record to: add --save RUN.json");
    struct suppressions suppressed = {0};
    if (options->suppress && suppressions_read(&suppressed, options->suppress) < 0)
        return -1;
    OWNED_TEXT name = options->name ? x_strdup(options->name) : program_name(options->arguments);
    if (name_length(name) != strlen(name) || strlen(name) > PROGRAM_NAME_MAX || !*name) {
        error("--name %s: use at most %d characters of a-z, 0-9 and _", name, PROGRAM_NAME_MAX);
        suppressions_release(&suppressed);
        return -1;
    }
    if (strchr(first, '/') && access(first, R_OK) == 0)
        options_note_lines(options, first);
    *program = (struct program){
        .arguments = options->arguments,
        .name = x_strdup(name),
        .skip = (size_t)options->skip,
        .first = options->first > 0 ? (size_t)options->first : PROGRAM_FIRST,
        .known = options->first > 0 ? (size_t)options->first + 1 : PROGRAM_KNOWN, /* one is the cold one */
        .enough = options->first > 0 ? (size_t)options->first : 1,
        .part = {.nvtx_count = options->nvtx_count,
                 .waits = options->from_start && strcmp(options->from_start, "off") == 0},
        .runs = options->runs,
        .seconds = options->explain < 0 && options->runs > 0 ? PROGRAM_COUNTS_ALL : options->explain,
        .quiet = options->quiet,
        .timeout = options->timeout,
        .suppressed = suppressed,
    };
    for (size_t i = 0; i < options->nvtx_count; i++)
        program->part.nvtx[i] = options->nvtx[i];
    measurement->program = program;
    measurement->kernels = NULL;
    measurement->backend = options->way == ORIGIN_COMPUTED_PROGRAM ? &simulated_program_backend : &program_backend;
    return 0;
}

/* --device all, as ordinals. */
static int find_devices(struct device_list *devices, const struct options *options)
{
    struct problem problem;
    const int count = gpu_count_read(options_timeout(options), &problem);
    if (count < 0)
        return error("--device all: %s", problem.text);
    if (count > DEVICES_MAX)
        return error("--device all: this machine has %d GPUs, but a run uses at most %d; pass --device 0,1,2", count,
                     DEVICES_MAX);
    devices->all = false;
    for (int i = 0; i < count; i++)
        devices->list[devices->count++] = i;
    return 0;
}

int options_measurement(struct measurement *measurement, const struct options *options, const struct metrics *metrics)
{
    const bool computes = origin_of(options->way)->computed; /* of a program: options_program() */
    const char *name = computes ? origin_of(ORIGIN_COMPUTED)->collector : options->collector;
    const struct backend *backend = backend_find(name);
    if (!backend)
        return error("unknown collector '%s'; `cugate list collectors` shows them", name);
    if (!computes && origin_find(name)->computed)
        return error("--collector %s does not measure: use --simulate, or --simulate=GPU", name);
    *measurement = (struct measurement){
        .subject = options->subject,
        .kernels = options->kernels,
        .metrics = metrics,
        .backend = backend,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .devices = options->devices,
        .samples = options->samples,
        .timeout = options_timeout(options),
        .gpu = options->description,
        .whole = options->whole,
        .progress = isatty(STDERR_FILENO) && !options->quiet,
        .log_progress = !isatty(STDERR_FILENO) && options->verbose,
    };
    const bool measures = !options->replay && 1u << options->way & WAYS_OF_LIBRARY;
    return options->devices.all && measures ? find_devices(&measurement->devices, options) : 0;
}
