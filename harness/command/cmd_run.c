#include "base/base.h"
#include "gate/gate.h"
#include "measure/measure.h"

#include "command.h"
#include "outputs.h"
#include "sharding.h"

/* Whether the run will be judged by these baselines, on another machine. */
static bool has_judge(const struct options *options)
{
    return options->shard ||
           (strcmp(options->baselines, OPTIONS_BASELINES) != 0 && !config_gives(&options->config, "baselines"));
}

/* Measures the kernels. The run says which shard it is. Of an empty shard only the GPU is described. */
static int measure_all(struct measurement *measurement, const struct options *options, struct sharding *sharding,
                       struct run *run)
{
    sharding_apply(sharding, measurement);
    int code = measurement->backend->provides & PROVIDES_COUNTERS ? measure_with_inputs(measurement, NULL, NULL, run)
                                                                  : measure_whole(measurement, run);
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
        error("--lines needs the collector cupti, or --simulate");
        return EXIT_USAGE;
    }
    struct interrupts interrupts; /* signals stay held back between the measurements, too */
    if (interrupts_open(&interrupts) < 0)
        return EXIT_NOT_MEASURED;
    measurement.relay = relay_make();
    int code = sharding_make(&sharding, options, &measurement);
    if (code == EXIT_SAME)
        code = measure_all(&measurement, options, &sharding, run);
    relay_release(measurement.relay);
    sharding_release(&sharding);
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
}

/* Whether a shard has nothing to measure. With more shards than families some are empty, or have only kernels that were
 * not built. That is no failure, and merge needs their runs. */
static bool has_nothing_to_measure(const struct run *run)
{
    bool nothing = run->shard.of > 0 && run->result_count == run->shard.measures;
    for (size_t i = 0; i < run->result_count; i++)
        nothing &= run->results[i].status == RESULT_NOT_BUILT;
    return nothing;
}

static int cmd_run(const struct options *options)
{
    struct metrics metrics = {0}, chosen = {0};
    struct run run = {0};
    struct run_files files = {0};
    int code = EXIT_USAGE;

    if (options->argument_count > 0) {
        error("`cugate run` measures a kernel library; to measure a program: cugate exec -- %s", options->arguments[0]);
        return EXIT_USAGE;
    }
    if (options_read_metrics(options, &metrics) < 0 || options_choose_metrics(&chosen, &metrics, options) < 0 ||
        run_files_open(&files, options) < 0)
        goto out;
    code = measure(options, &chosen, &run);
    if (has_nothing_to_measure(&run)) {
        if (output_save(&run, &files.run) < 0 && code == EXIT_SAME)
            code = EXIT_USAGE;
        goto out;
    }
    if (code == EXIT_SAME)
        code = (int)run_exit_code(&run);
    if (run.result_count > 0 && output_run(options, &chosen, &run, code, &files) < 0 && code == EXIT_SAME)
        code = EXIT_USAGE;
out:
    run_files_abandon(&files);
    run_release(&run);
    free(chosen.list);
    metrics_release(&metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = "only metrics that match this name or glob, and those that they are judged by; repeatable"),
    &option_save, &option_output,
    OPTION(.name = "shard", .argument = "N/OF", .kind = KIND_TEXT, .place = PLACE(shard),
           .doc = "measure only this part of the kernels, such as 2/8; `cugate merge` joins the parts"),
    OPTION(.name = "costs", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(costs),
           .doc = "run file with kernel durations, to divide kernels evenly among shards or GPUs (default: the "
                  "baselines)"),
    &option_baselines,
    OPTION(.name = "lines", .kind = KIND_FLAG, .place = PLACE(lines),
           .doc = "also record counts and stalls by source line; takes about a second per kernel"),
    &option_kernels, &option_metrics, &option_collector,
    &option_simulate, &option_whole, &option_device, &option_samples, &option_timeout, &option_explain_words, NULL,
};

const struct command command_run = {
    .name = "run",
    .arguments = "",
    .summary = "measure the kernels and write a run file",
    .details = "Runs each kernel in a worker process, compares its output with a reference, and collects every "
               "metric. A kernel that crashes, hangs or gives a wrong result loses its own numbers only.\n"
               "--save keeps the run for compare, check --replay and accept. --lines adds counts by source line, "
               "which `cugate explain --replay` shows. A check against a baseline with lines names the line that "
               "got worse.\n"
               "--device all, or 0,1,3, divides the kernels among GPUs of one model, the longest first. A kernel "
               "that fails on one GPU is tried once on another. If it succeeds there, the exit code is 3 at best.\n"
               "--shard 2/8 measures the second of eight parts. Every machine computes the same parts from the same "
               "library, -k and --costs or baselines. The variants of a family stay together. `cugate merge` joins the "
               "parts.\n"
               "With --baselines or --shard, bank conflicts are counted wherever a check would count them, so check "
               "--replay has every row of the baseline.",
    .exits = EXITS({EXIT_SAME, "every kernel was measured"},
                   {EXIT_USAGE, NULL},
                   {EXIT_UNSURE, "a kernel failed on one GPU and succeeded on another"},
                   {EXIT_BASELINE, "the baseline of --baselines cannot be used"},
                   {EXIT_NOT_MEASURED, NULL},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate run -k 'transpose/*' --save run.json",
    .takes = takes,
    .minimum = 0, .maximum = -1, .run = cmd_run,
    .makes_run_file = true,
    .ways = WAYS_OF_LIBRARY | WAY(COMPUTED),
};
/* clang-format on */
