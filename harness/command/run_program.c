/* `cugate run -- PROGRAM`: measures the kernels of an unmodified program. */

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

int run_program(const struct options *options)
{
    OWNED(metrics) metrics = {0};
    struct metrics chosen = {0};
    OWNED(run) run = {0};
    AT_END(atomic_file_abandon) struct atomic_file file = {0};
    OWNED(outputs) outputs = {0};
    int code = EXIT_USAGE, status = 0;

    if (options_read_metrics(options, &metrics) < 0 || options_choose_metrics(&chosen, &metrics, options) < 0 ||
        (options->save && output_open(&file, options->save) < 0) || outputs_open_reports(&outputs, options) < 0)
        goto out;
    code = measure(options, &chosen, &run, &status);
    if (run.result_count > 0 && output_save(&run, &file) < 0 && code == EXIT_SAME)
        code = EXIT_USAGE;
    const bool reports = run.result_count > 0 || (outputs.count > 0 && code == EXIT_NOT_MEASURED);
    const int told = code == EXIT_SAME && status != 0 ? EXIT_NOT_MEASURED : code;
    if (reports && report_run(options, &chosen, &run, told, &outputs) < 0 && code == EXIT_SAME)
        code = EXIT_USAGE;
out:
    free(chosen.list);
    /* The program's exit status, unless it is 0, precedes cugate's. But of a program that is simulated cugate says
     * whether its kernels did what they should. */
    const bool decides = options->way == ORIGIN_COMPUTED_PROGRAM && code == EXIT_NOT_MEASURED;
    return status != 0 && !decides ? status : code;
}
