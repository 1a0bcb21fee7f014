#include "base/base.h"
#include "judge/judge.h"
#include "model/model.h"

#include "command.h"
#include "outputs.h"

#include <stdlib.h>

static int cmd_merge(const struct options *options)
{
    const size_t count = options->argument_count;
    struct metrics metrics = {0};
    struct run merged = {0}, *parts = x_calloc(count, sizeof *parts);
    struct atomic_file file = {0};
    int code = EXIT_USAGE;

    if (options_read_metrics(options, &metrics) < 0)
        goto out;
    if (runs_read(parts, (const char *const *)options->arguments, count) < 0)
        goto out;
    code = run_merge(&merged, parts, options->arguments, count);
    if (code != 0)
        goto out;
    if (options->output && atomic_file_open(&file, options->output) < 0) {
        code = EXIT_USAGE;
        goto out;
    }
    code = (int)run_exit_code(&merged);
    if (output_run(options, &metrics, &merged, "the parts", code, &file) < 0)
        code = EXIT_USAGE;
out:
    atomic_file_abandon(&file);
    run_release(&merged);
    for (size_t i = 0; i < count; i++)
        run_release(&parts[i]);
    free(parts);
    metrics_release(&metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_output, &option_metrics, NULL,
};

const struct command command_merge = {
    .name = "merge",
    .arguments = "PART.json...",
    .summary = "make one run of what `run --shard` measured in parts",
    .details = "The run has every kernel once, and its numbers name the session, which is that of the GPU that measured\n"
               "it. Refused, with exit code 4, are parts of different GPUs, libraries, compilers, commits, collectors or\n"
               "definitions of metrics. What is missing, a shard or a kernel, is said: exit code 5, and nothing is\n"
               "written. A kernel that failed in its part fails here: 5 as well, but the run is written.\n"
               "`cugate check --replay` judges the run.",
    .example = "cugate merge part-*.json -o run.json && cugate check --replay run.json",
    .takes = takes,
    .minimum = 1, .maximum = -1, .run = cmd_merge,
};
/* clang-format on */
