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
    OWNED(sharding) sharding = {0};
    if (options_measurement(&measurement, options, metrics) < 0 || options_has_library(options) < 0)
        return EXIT_USAGE;
    if (options->lines && !(measurement.backend->provides & PROVIDES_LINE_COUNTS))
        return FAIL(EXIT_USAGE, "--lines needs the collector cupti, or --simulate");
    struct interrupts interrupts; /* signals stay held back between the measurements, too */
    TRY_AS(EXIT_NOT_MEASURED, interrupts_open(&interrupts));
    measurement.relay = relay_make();
    int code = sharding_make(&sharding, options, &measurement);
    if (code == EXIT_SAME)
        code = measure_all(&measurement, options, &sharding, run);
    relay_release(measurement.relay);
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
    OWNED(metrics) metrics = {0};
    struct metrics chosen = {0};
    OWNED(run) run = {0};
    AT_END(run_files_abandon) struct run_files files = {0};
    int code = EXIT_USAGE;

    if (options->subject == SUBJECT_PROGRAM)
        return run_program(options);
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
    free(chosen.list);
    return code;
}

/* clang-format off */
#define LIBRARY (WAYS_OF_LIBRARY | WAY(COMPUTED))
static const struct option_row *const takes[] = {
    &option_k,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs), .ways = LIBRARY | WAY(PROGRAM),
           .doc = "only metrics that match this name or glob, plus those needed to judge them; repeatable"),
    &option_save,
    OPTION(.name = "output", .letter = 'o', .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(output), .ways = LIBRARY,
           .doc = "write the table to FILE, atomically; - is standard output"),
    OPTION(.name = "report", .argument = "FORMAT=FILE", .kind = KIND_LIST, .place = PLACE(reports), .ways = WAYS_OF_PROGRAM,
           .doc = "also write a report in this format to FILE, atomically; repeatable"),
    OPTION(.name = "shard", .argument = "N/OF", .kind = KIND_TEXT, .place = PLACE(shard), .ways = LIBRARY,
           .doc = "measure only this part of the kernels, such as 2/8; `cugate merge` joins the parts"),
    OPTION(.name = "baselines", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(baselines), .ways = LIBRARY,
           .doc = "folder of the baselines (default: " OPTIONS_BASELINES ")"),
    &option_first, &option_skip, &option_nvtx, &option_from_start,
    OPTION(.name = "lines", .kind = KIND_FLAG, .place = PLACE(lines), .ways = LIBRARY | WAY(PROGRAM),
           .doc = "also record counts and stalls by source line; takes about 1 s per kernel, or one run of PROGRAM"),
    &option_runs,
    OPTION(.name = "explain", .argument = "SECONDS", .kind = KIND_INTEGER, .place = PLACE(explain), .minimum = 0,
           .maximum = 86400, .ways = WAYS_OF_PROGRAM,
           .doc = "time limit for counters (default: an eighth of the run time, 2 to 60); 0: only times"),
    &option_name, &option_kernels, &option_metrics, &option_collector,
    &option_simulate, &option_suppress, &option_whole, &option_device, &option_samples, &option_timeout, NULL,
};

const struct command command_run = {
    .name = "run",
    .arguments = "[-- PROGRAM [ARG]...]",
    .summary = "measure the kernels of a library or a program, and write a run file",
    .details = "Measures the kernels of a library, or those that an unmodified PROGRAM and its child processes launch. "
               "--save keeps the run for check --replay and accept. `cugate check` measures and judges in one command.\n"
               "A library's kernels run in worker processes. Their output is compared with a reference. A kernel that "
               "crashes, hangs or gives a wrong result loses its own numbers only.\n"
               "--lines adds counts by source line, which `cugate explain --replay` shows. A check against a baseline "
               "with lines names the line that got worse.\n"
               "--device all, or 0,1,3, divides the kernels among GPUs of one model, the longest first. A kernel "
               "that fails on one GPU is tried once on another. If it succeeds there, the exit code is 3 at best.\n"
               "--shard 2/8 measures the second of eight parts. Every machine computes the same parts from the same "
               "library, -k and baselines. A family's variants stay together. `cugate merge` joins parts.\n"
               "With --baselines or --shard, bank conflicts are counted wherever a check would count them, so check "
               "--replay has every row of the baseline.\n"
               "PROGRAM uses PyTorch, Triton, CuPy, cuBLAS or any other CUDA. Its input, output and exit code do not "
               "change. The table goes to standard error.\n"
               "The GPU counts the metrics in sets, which change while the program runs. A count is known once two "
               "launches agree. Counting at most doubles the program's run time, unless --explain sets another limit. "
               "If a kernel then lacks a set, takes 1 % of the GPU time and is not part of a warm-up, the program runs "
               "a second time. It must do the same each time; its output is shown only the first time. For a program "
               "that can run only once, use --runs 1: missing counters are then not counted. -m chooses metrics; a few need one set.\n"
               "Launches of one kernel in one shape make one entry, NAME/KERNEL@GRID,BLOCK. The launch of a CUDA graph "
               "is one entry, named after its kernels. NAME/program is the whole program, NAME/program:RANGE the "
               "launches in an NVTX range that --nvtx names. Caches are not flushed, so the run is never compared with a library's.\n"
               "--simulate executes the launches on the CPU and counts them, without a GPU; times are estimated. A "
               "program has to link CUDA's runtime as a shared library (nvcc -cudart shared) or call the driver, as "
               "Triton does. If a kernel of it races or accesses memory out of bounds, or something is not simulated, "
               "the exit code is 5, whatever PROGRAM's exit code. --report sarif=FILE, junit=FILE or github=FILE reports "
               "each such kernel. --suppress lets known faults pass: the kernel is counted, stray loads read 0, stray stores are lost.",
    .exits = EXITS({EXIT_SAME, "every kernel was measured; if PROGRAM fails, its exit code is returned instead"},
                   {EXIT_USAGE, NULL},
                   {EXIT_UNSURE, "a kernel failed on one GPU and succeeded on another"},
                   {EXIT_BASELINE, "the baseline of --baselines cannot be used"},
                   {EXIT_NOT_MEASURED, "no GPU, counters denied, a kernel failed, --timeout expired, or --simulate found a fault"},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate run --save run.json -- python3 train.py",
    .takes = takes,
    .minimum = 0, .maximum = -1, .runs_arguments = true, .run = cmd_run,
    .makes_run_file = true,
    .ways = LIBRARY | WAYS_OF_PROGRAM,
};
/* clang-format on */
