#include "command.h"
#include "outputs.h"

static int cmd_merge(const struct options *options)
{
    const size_t count = options->argument_count;
    OWNED(metrics) metrics = {0};
    OWNED(run) merged = {0};
    OWNED_MEMORY struct run *parts = x_calloc(count, sizeof *parts);
    AT_END(run_files_abandon) struct run_files files = {0};
    if (options_read_metrics(options, &metrics) < 0 ||
        runs_read(parts, (const char *const *)options->arguments, count) < 0)
        return EXIT_USAGE;
    int code = run_merge(&merged, parts, options->arguments, count);
    for (size_t i = 0; i < count; i++)
        run_release(&parts[i]);
    if (code != 0)
        return code;
    code = (int)run_exit_code(&merged);
    return run_files_open(&files, options) < 0 || output_run(options, &metrics, &merged, code, &files) < 0 ? EXIT_USAGE
                                                                                                           : code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_save, &option_output, &option_metrics, NULL,
};

const struct command command_merge = {
    .name = "merge",
    .arguments = "PART.json...",
    .summary = "join the parts of `run --shard` into one run",
    .details = "Joins the parts that `cugate run --shard` measured into one run. It has every kernel once, and each "
               "number names the GPU and session that measured it.\n"
               "Parts must have the same GPU model, library, compiler, commit, collector and metrics. A missing part "
               "or kernel is named, and then nothing is written. A kernel that failed in its part fails here, but the "
               "run is written. `cugate check --replay` judges the run.",
    .exits = EXITS({EXIT_SAME, "every kernel was measured"},
                   {EXIT_USAGE, NULL},
                   {EXIT_UNSURE, "a kernel failed on one GPU and succeeded on another"},
                   {EXIT_BASELINE, "the parts do not belong to one run"},
                   {EXIT_NOT_MEASURED, "a part or a kernel is missing, or a kernel failed"}),
    .example = "cugate merge part-*.json --save run.json && cugate check --replay run.json",
    .takes = takes,
    .minimum = 1, .maximum = -1, .run = cmd_merge,
    .makes_run_file = true,
};
/* clang-format on */
