#include "base/base.h"
#include "import/import.h"
#include "judge/judge.h"

#include "command.h"
#include "outputs.h"

static int cmd_import(const struct options *options)
{
    struct metrics metrics = {0};
    struct run run = {0};
    struct atomic_file file = {0};
    struct import_request request = {
        .format = import_format_find(options->arguments[0]), .metrics = &metrics, .gpu = options->measured_on};
    int code = EXIT_USAGE;

    if (!request.format || options_read_metrics(options, &metrics) < 0 ||
        (options->output && atomic_file_open(&file, options->output) < 0) ||
        import_files(&run, &request, options->arguments + 1, options->argument_count - 1) < 0)
        goto out;
    code = (int)run_exit_code(&run);
    if (output_run(options, &metrics, &run, options->arguments[1], code, &file) < 0)
        code = EXIT_USAGE;
out:
    atomic_file_abandon(&file);
    run_release(&run);
    metrics_release(&metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_output,
    OPTION(.name = "gpu", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(measured_on),
           .doc = "on which GPU it was measured, where the file does not say: 'NVIDIA H200'"),
    &option_metrics, NULL,
};

const struct command command_import = {
    .name = "import",
    .arguments = "FORMAT FILE...",
    .summary = "make a run file of what another program measured",
    .details = "FORMAT is one of\n"
               "  nvbench           what --json wrote. A kernel is a state, BENCHMARK/AXIS:VALUE,AXIS:VALUE; its time\n"
               "                    is the mean of the cold GPU times, one sample, for the file has no more of them;\n"
               "                    with the SM clock and what nvbench read by CUPTI, where it did\n"
               "  google-benchmark  what --benchmark_out wrote, as JSON. A kernel is BENCHMARK/ARGUMENTS; its samples\n"
               "                    are the repetitions' real times, which are the host's: wall_time\n"
               "  ncu               what `ncu --csv --page raw --print-units base` printed. A kernel is\n"
               "                    PROCESS/FUNCTION@GRID,BLOCK; its samples are the launches, and its metrics the\n"
               "                    columns whose counters metric files name\n"
               "What an id cannot hold becomes '_', a long name is cut, and digits of the whole name tell apart what is\n"
               "the same then; two benchmarks of one name in a file are refused. A file is a session: give several, of\n"
               "as many processes, for what takes a second session to be red. Its date is the file's own where it says\n"
               "none. What the file does not know stays unknown, and what it has no number of is no row. The run is\n"
               "compared with runs and baselines of the same format alone: keep its baselines in a folder of their own,\n"
               "with --baselines.",
    .example = "cugate import nvbench bench_1.json bench_2.json -o run.json && cugate check --replay run.json",
    .takes = takes,
    .minimum = 2, .maximum = -1, .run = cmd_import,
};
/* clang-format on */
