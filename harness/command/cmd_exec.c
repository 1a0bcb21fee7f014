#include "base/base.h"
#include "measure/measure.h"

#include "command.h"
#include "outputs.h"

/* Prints the table to standard error, so that it does not mix with the program's output, and other reports to files. */
static int report_run(const struct options *options, const struct metrics *metrics, const struct run *run, int code,
                      struct outputs *outputs)
{
    struct report report = {
        .metrics = metrics, .run = run, .run_name = options->save, .exit_code = (enum exit_code)code};
    if (run->result_count > 0 && !options->quiet &&
        output_print(format_find(DOCUMENT_CHECK, "text", "--format"), &report, options, stderr) < 0)
        return -1;
    return outputs_print(outputs, &report, options);
}

/* Measures the program; *status is its exit status. */
static int measure(const struct options *options, const struct metrics *metrics, struct run *run, int *status)
{
    struct measurement measurement;
    struct program program;
    if (options_measurement(&measurement, options, metrics) < 0 || options_program(&program, &measurement, options) < 0)
        return EXIT_USAGE;
    program.speaks = true;
    program.status = status;
    program.repeats = options->lines;
    int code = measure_whole(&measurement, run);
    if (code == EXIT_SAME && *status == 0 && options->lines)
        code = measure_profile(&measurement, run, NULL, 0, PROVIDES_LINE_COUNTS);
    if (code == EXIT_SAME)
        code = (int)run_exit_code(run);
    suppressions_say(&program.suppressed);
    suppressions_release(&program.suppressed);
    free(program.name);
    return code;
}

static int cmd_exec(const struct options *options)
{
    struct metrics metrics = {0}, chosen = {0};
    struct run run = {0};
    struct atomic_file file = {0};
    struct outputs outputs = {0};
    int code = EXIT_USAGE, status = 0;

    if (options_read_metrics(options, &metrics) < 0 || options_choose_metrics(&chosen, &metrics, options) < 0 ||
        (options->save && output_open(&file, options->save) < 0) || outputs_open_reports(&outputs, options) < 0)
        goto out;
    code = measure(options, &chosen, &run, &status);
    if (run.result_count > 0 && output_save(&run, &file) < 0 && code == EXIT_SAME)
        code = EXIT_USAGE;
    const bool reports = run.result_count > 0 || (outputs.count > 0 && code == EXIT_NOT_MEASURED);
    if (reports && report_run(options, &chosen, &run, code, &outputs) < 0 && code == EXIT_SAME)
        code = EXIT_USAGE;
out:
    atomic_file_abandon(&file);
    outputs_release(&outputs);
    run_release(&run);
    free(chosen.list);
    metrics_release(&metrics);
    /* The program's exit status, unless it is 0, precedes cugate's. But of a program that is simulated cugate says
     * whether its kernels did what they should. */
    const bool decides = options->way == ORIGIN_COMPUTED_PROGRAM && code == EXIT_NOT_MEASURED;
    return status != 0 && !decides ? status : code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_save, &option_report, &option_k, &option_first, &option_skip, &option_nvtx, &option_from_start,
    &option_m, &option_lines, &option_runs, &option_explain,
    &option_name, &option_simulate, &option_suppress, &option_metrics, &option_timeout, &option_explain_words, NULL,
};

const struct command command_exec = {
    .name = "exec",
    .arguments = "-- PROGRAM [ARG]...",
    .summary = "measure the kernels of an unmodified program",
    .details = "Runs PROGRAM and measures the kernels that it and its child processes launch: PyTorch, Triton, CuPy, "
               "cuBLAS or any other CUDA program. Its input, output and exit code do not change. The table goes to "
               "standard error.\n"
               "The GPU counts the metrics in sets, which change while the program runs. A count is known once two "
               "launches agree. Counting at most doubles the program's run time, unless --explain sets another limit. "
               "If a kernel then lacks a set, takes 1 % of the GPU time and is not part of a warm-up, the program runs "
               "a second time. It must do the same each time; its output is shown only the first time. For a program "
               "that can run only once, use --runs 1: missing counters are then not counted. -m chooses metrics; a few "
               "of them need one set.\n"
               "Launches of one kernel in one shape make one entry, NAME/KERNEL@GRID,BLOCK. The launch of a CUDA graph "
               "is one entry, named after its kernels. NAME/program is the whole program, NAME/program:RANGE the "
               "launches in an NVTX range that --nvtx names. Caches are not flushed, so such a run is never compared "
               "with one of `cugate run`.\n"
               "--simulate runs the program on a machine without a GPU, if it links CUDA's runtime as a shared library "
               "(nvcc -cudart shared) or calls the driver, as Triton does. Its launches are executed and counted on "
               "the CPU, and times are estimated. A kernel that races or accesses memory out of bounds, and anything "
               "that is not simulated, ends with exit code 5, whatever PROGRAM's exit code. --report sarif=FILE, junit=FILE or "
               "github=FILE reports each such kernel. --suppress lets known faults pass: the kernel is counted, stray loads read 0 "
               "and stray stores do nothing.\n"
               "`cugate accept` makes the run file a baseline. `cugate check -- PROGRAM` measures and judges in "
               "one command.",
    .exits = EXITS({EXIT_SAME, "the kernels were measured; if PROGRAM fails, its exit code is returned instead"},
                   {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "no GPU, counters denied, --timeout ended the program, or --simulate found a "
                                       "fault"},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate exec --save run.json -- python3 train.py",
    .takes = takes,
    .minimum = 1, .maximum = -1, .runs_arguments = true, .run = cmd_exec,
    .ways = WAYS_OF_PROGRAM,
};
/* clang-format on */
