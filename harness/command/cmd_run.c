#include "base/base.h"
#include "gate/gate.h"
#include "measure/measure.h"

#include "command.h"
#include "outputs.h"
#include "sharding.h"

#include <string.h>

/* Whether the run is to be judged by those baselines, elsewhere. */
static bool has_judge(const struct options *options)
{
    return options->shard ||
           (strcmp(options->baselines, OPTIONS_BASELINES) != 0 && !config_gives(&options->config, "baselines"));
}

/* What is measured says which part it is; of an empty shard nothing else is to be said. */
static int measure_all(struct measurement *measurement, const struct options *options, struct sharding *sharding,
                       struct run *run)
{
    sharding_narrow(sharding, measurement);
    int code = measure_whole(measurement, run);
    if (code == EXIT_SAME && options->lines && run->result_count > 0)
        code = measure_profile(measurement, run, NULL, 0, PROVIDES_LINE_COUNTS | PROVIDES_STALLS);
    if (code == EXIT_SAME && run->result_count > 0 && has_judge(options))
        code = check_supplement(measurement, options->baselines, run);
    if (run->session_count > 0) {
        run->shard = sharding->shard;
        sharding->shard = (struct shard){0};
    }
    return code;
}

static int measure(const struct options *options, const struct metrics *metrics, struct run *run)
{
    struct measurement measurement;
    struct sharding sharding;
    if (options_measurement(&measurement, options, metrics) < 0 || options_has_library(options) < 0)
        return EXIT_USAGE;
    if (options->lines && !(measurement.backend->provides & PROVIDES_LINE_COUNTS)) {
        error("--lines needs the collector cupti or sim: no other sees source lines");
        return EXIT_USAGE;
    }
    struct interrupts interrupts; /* also between two measurements */
    if (interrupts_open(&interrupts) < 0)
        return EXIT_NOT_MEASURED;
    int code = sharding_make(&sharding, options, &measurement);
    if (code == EXIT_SAME)
        code = measure_all(&measurement, options, &sharding, run);
    sharding_release(&sharding);
    computed_add_excess(run, metrics);
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
}

/* Of more shards than families some are empty, or have only what was not built. That is no fault of theirs, and merge
 * wants their runs. */
static bool has_nothing_to_measure(const struct run *run)
{
    bool nothing = run->shard.of > 0 && run->result_count == run->shard.measures;
    for (size_t i = 0; i < run->result_count; i++)
        nothing &= run->results[i].status == RESULT_NOT_BUILT;
    return nothing;
}

static int write_only(const struct run *run, struct atomic_file *file)
{
    if (!file->stream)
        return 0;
    (void)run_write(run, file->stream); /* a failure of the stream shows in the commit */
    return atomic_file_commit(file);
}

static int cmd_run(const struct options *options)
{
    struct metrics metrics = {0};
    struct run run = {0};
    struct atomic_file file = {0};
    int code = EXIT_USAGE;

    if (options->argument_count > 0) {
        error("`cugate run` measures a kernel library; a program is measured by: cugate exec -- %s",
              options->arguments[0]);
        return EXIT_USAGE;
    }
    if (options_read_metrics(options, &metrics) < 0 ||
        (options->output && atomic_file_open(&file, options->output) < 0))
        goto out;
    code = measure(options, &metrics, &run);
    if (has_nothing_to_measure(&run)) {
        if (write_only(&run, &file) < 0 && code == EXIT_SAME)
            code = EXIT_USAGE;
        goto out;
    }
    if (code == EXIT_SAME)
        code = (int)run_exit_code(&run);
    if (run.result_count > 0 && output_run(options, &metrics, &run, NULL, code, &file) < 0 && code == EXIT_SAME)
        code = EXIT_USAGE;
out:
    atomic_file_abandon(&file);
    run_release(&run);
    metrics_release(&metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k, &option_output,
    OPTION(.name = "shard", .argument = "N/OF", .kind = KIND_TEXT, .place = PLACE(shard),
           .doc = "only that part of the kernels, 2/8: `cugate merge` makes one run of all parts"),
    OPTION(.name = "costs", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(costs),
           .doc = "of --shard and of several GPUs: how long kernels take, by that run (default: the baselines)"),
    &option_baselines,
    OPTION(.name = "lines", .kind = KIND_FLAG, .place = PLACE(lines),
           .doc = "also collect counts and stalls by source line: a second for each kernel"),
    &option_kernels, &option_metrics, &option_collector,
    OPTION(.name = "gpu", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(gpu),
           .doc = "with --collector sim: which GPU, one of metrics/gpus, or a FILE with a slash in it"),
    &option_device, &option_samples, &option_timeout, NULL,
};

const struct command command_run = {
    .name = "run",
    .arguments = "",
    .summary = "measure the kernels and write a run file",
    .details = "Runs every kernel in a worker process, checks its output against a reference and collects every\n"
               "metric. A kernel that crashes, hangs or gives a wrong result costs its own result only.\n"
               "-o keeps the run as a file for compare, check --replay and accept; the table goes to standard\n"
               "output. --lines adds what `cugate explain --replay` needs, and what names the line when a kernel gets\n"
               "worse than a baseline that was accepted from such a run.\n"
               "--device all, or 0,1,3, has several GPUs of one model share the kernels. One that fails on a GPU is tried\n"
               "on another, once, and both are said: where it succeeds there, exit code 3 is the best that comes of it.\n"
               "What takes longest, by --costs or the baselines, comes first.\n"
               "--shard 2/8 measures one of eight parts, on any machine: all find the same parts when they are given the\n"
               "same library, -k and --costs or baselines. Variants of a family stay together. A part is not judged;\n"
               "`cugate merge` makes one run of all.\n"
               "With --baselines or --shard the bank conflicts that a check would count are counted as well, so that\n"
               "check --replay lacks nothing that the baseline has.",
    .example = "cugate run -k 'transpose/*' -o run.json",
    .takes = takes,
    .minimum = 0, .maximum = -1, .run = cmd_run,
};
/* clang-format on */
