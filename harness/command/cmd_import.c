#include "import/import.h"

#include "command.h"
#include "outputs.h"

struct own_options {
    const char *gpu; /* the GPU that the file was measured on */
};

static int cmd_import(const struct options *options)
{
    OWNED(metrics) metrics = {0};
    OWNED(run) run = {0};
    AT_END(run_files_abandon) struct run_files files = {0};
    struct import_request request = {
        .format = import_format_find(options->arguments[0]), .metrics = &metrics, .gpu = OWN(options)->gpu};
    if (!request.format || options_read_metrics(options, &metrics) < 0 || run_files_open(&files, options) < 0 ||
        import_files(&run, &request, options->arguments + 1, options->argument_count - 1) < 0)
        return EXIT_USAGE;
    const int code = (int)run_exit_code(&run);
    return output_run(options, &metrics, &run, code, &files) < 0 ? EXIT_USAGE : code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_save, &option_output,
    OPTION(.name = "gpu", .argument = "NAME", .kind = KIND_TEXT, .place = OWN_PLACE(gpu),
           .doc = "GPU that measured it, if the file does not name one: 'NVIDIA H200'"),
    &option_metrics, NULL,
};

const struct command command_import = {
    OWN_DEFAULTS(0),
    .name = "import",
    .arguments = "FORMAT FILE...",
    .summary = "convert another tool's results into a run file",
    .details = "Converts another tool's results into a run file. FORMAT is one of\n"
               "  nvbench           the file of its --json. A kernel is a state, BENCHMARK/AXIS:VALUE,AXIS:VALUE. "
               "Its time is the median of the cold GPU times, else their mean, one sample, since the file has no more. "
               "The SM clock "
               "and the CUPTI values of nvbench are imported too.\n"
               "  google-benchmark  the file of its --benchmark_out, as JSON. A kernel is BENCHMARK/ARGUMENTS. Its"
               " samples are the real times of the repetitions, which are the host's: wall_time.\n"
               "  ncu               the output of `ncu --csv`, best with --page raw --print-units base: the details "
               "page rounds. A kernel is "
               "PROCESS/FUNCTION@GRID,BLOCK. Its samples are the launches. Its metrics are those of the metric files.\n"
               "  nsys              the output of `nsys stats --report cuda_gpu_kern_sum --format csv`. A kernel is "
               "program/FUNCTION. Its time is the median of its launches, one sample.\n"
               "  pytest-benchmark  the file of its --benchmark-json. A kernel is FILE/TEST. Its samples are the "
               "rounds with --benchmark-save-data, else it has their median: the host's wall_time.\n"
               "  criterion         the output of `cargo criterion --message-format=json`. A kernel is GROUP/REST of "
               "its id. It has the typical time, which is the host's: wall_time.\n"
               "  github-action-benchmark  its list of names, units and values, as check --format writes too. A kernel is GROUP/REST of the name. A value is a time, the host's, or of a metric that the name ends with.\n"
               "  bmf               Bencher Metric Format, as check --format writes it too. A measure is a metric, or "
               "latency, the host's. Other measures are left out.\n"
               "Characters that are not allowed in names become '_'. Long names are cut and end with a hash of the whole "
               "name. Two benchmarks of one name in a file are refused.\n"
               "Each file is a session. A time fails only when two sessions agree, so pass files of several processes. "
               "If a file has no date in it, its modification time is used. Missing facts stay unknown.\n"
               "Such a run is compared only with runs and baselines of the same format. Keep its baselines in a "
               "folder of their own, with --baselines.",
    .exits = EXITS({EXIT_SAME, "every number was imported"},
                   {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "a benchmark failed, or a number is missing"}),
    .example = "cugate import nvbench bench_1.json bench_2.json --save run.json && cugate check --replay run.json",
    .takes = takes,
    .minimum = 2, .maximum = -1, .run = cmd_import,
    .makes_run_file = true,
};
/* clang-format on */
