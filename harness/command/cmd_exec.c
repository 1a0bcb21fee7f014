#include "base/base.h"
#include "measure/measure.h"

#include "command.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

/* Adds a metric, and what it is judged by: how long a launch was decides whether more than its exact counts is. */
static void choose_metric(struct metrics *chosen, const struct metrics *all, const struct metric *metric)
{
    metrics_need(chosen, all, metric->name);
    for (size_t m = 0; m < all->count && metric->class == METRIC_STEADY; m++)
        if (strcmp(all->list[m].counter, COUNTER_TIME) == 0)
            metrics_need(chosen, all, all->list[m].name);
}

/* Those that -m matches; *chosen borrows all of them. -1 after error() when that is none. */
static int choose_metrics(struct metrics *chosen, const struct metrics *all, const struct options *options)
{
    for (size_t g = 0; g < options->metric_glob_count; g++) {
        bool matched = false;
        for (size_t m = 0; m < all->count; m++) {
            const bool now = glob_any(&options->metric_globs[g], 1, all->list[m].name);
            matched |= now;
            if (now)
                choose_metric(chosen, all, &all->list[m]);
        }
        if (!matched)
            return error("no metric matches -m '%s'; `cugate list --metrics` names them", options->metric_globs[g]);
    }
    if (options->metric_glob_count == 0)
        for (size_t m = 0; m < all->count; m++)
            choose_metric(chosen, all, &all->list[m]);
    return 0;
}

/* The table goes where it does not mix with what the program prints. */
static int report_run(const struct options *options, const struct metrics *metrics, const struct run *run, int code)
{
    struct report report = {
        .metrics = metrics, .run = run, .run_name = options->save, .exit_code = (enum exit_code)code};
    return options->quiet ? 0 : output_print(format_find(DOCUMENT_CHECK, "text", "--format"), &report, options, stderr);
}

/* *status is the program's. */
static int measure(const struct options *options, const struct metrics *metrics, struct run *run, int *status)
{
    struct measurement measurement;
    struct program program;
    if (options_measurement(&measurement, options, metrics) < 0 || options_program(&program, &measurement, options) < 0)
        return EXIT_USAGE;
    program.speaks = true;
    program.status = status;
    int code = measure_whole(&measurement, run);
    if (code == EXIT_SAME && *status == 0 && options->lines) {
        code = measure_profile(&measurement, run, NULL, 0, PROVIDES_LINE_COUNTS);
        computed_add_excess(run, metrics);
    }
    if (code == EXIT_SAME)
        code = (int)run_exit_code(run);
    free(program.name);
    return code;
}

static int cmd_exec(const struct options *options)
{
    struct metrics metrics = {0}, chosen = {0};
    struct run run = {0};
    struct atomic_file file = {0};
    int code = EXIT_USAGE, status = 0;

    if (options_read_metrics(options, &metrics) < 0 || choose_metrics(&chosen, &metrics, options) < 0 ||
        (options->save && atomic_file_open(&file, options->save) < 0))
        goto out;
    code = measure(options, &chosen, &run, &status);
    if (run.result_count > 0 && options->save) {
        (void)run_write(&run, file.stream); /* a failure of the stream shows in the commit */
        if (atomic_file_commit(&file) < 0 && code == EXIT_SAME)
            code = EXIT_USAGE;
    }
    if (run.result_count > 0 && report_run(options, &chosen, &run, code) < 0 && code == EXIT_SAME)
        code = EXIT_USAGE;
out:
    atomic_file_abandon(&file);
    run_release(&run);
    free(chosen.list);
    metrics_release(&metrics);
    return status != 0 ? status : code; /* what the program says of itself comes first */
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_save, &option_k, &option_first, &option_skip, &option_nvtx,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = "only metrics that match this name or glob, and those that they are judged by; repeatable"),
    OPTION(.name = "lines", .kind = KIND_FLAG, .place = PLACE(lines),
           .doc = "also count by source line, for `cugate explain`: a run of the program for each kernel"),
    OPTION(.name = "runs", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(runs), .minimum = 1, .maximum = 100,
           .doc = "run the program so often at most (default: as the metrics take, 3 for all on an H200)"),
    &option_name, &option_metrics, &option_timeout, NULL,
};

const struct command command_exec = {
    .name = "exec",
    .arguments = "-- PROGRAM [ARG]...",
    .summary = "measure the kernels of an unmodified program",
    .details = "Runs PROGRAM and measures the kernels that it and its children launch: PyTorch, Triton, CuPy, cuBLAS,\n"
               "any CUDA program. What it reads, prints and exits with is its own; the table goes to standard error.\n"
               "It runs once for each set of metrics that the GPU can count at a time, and must do the same each time;\n"
               "what it prints is seen the first time only. --runs 1 with -m is for a program that can run once.\n"
               "Launches of one kernel in one shape are one row, called NAME/KERNEL@GRID,BLOCK. Caches are as the\n"
               "program leaves them, so that such a run is never compared with one of `cugate run`.\n"
               "The launch of a CUDA graph is a row of its own, named by its kernels.\n"
               "`cugate accept` makes the run file a baseline; `cugate check -- PROGRAM` measures and judges at once.\n"
               "It exits with what the program exits with, when that is not 0; with 5 when --timeout ended it; else with\n"
               "0, 2, 5 or 130 of those below.",
    .example = "cugate exec --save run.json -- python3 train.py",
    .takes = takes,
    .minimum = 1, .maximum = -1, .runs_arguments = true, .run = cmd_exec,
};
/* clang-format on */
