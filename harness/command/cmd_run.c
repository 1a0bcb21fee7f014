#include "base/base.h"
#include "gate/gate.h"
#include "measure/measure.h"

#include "command.h"
#include "outputs.h"

static int measure(const struct options *options, const struct metrics *metrics, struct run *run)
{
    struct measurement measurement;
    if (options_measurement(&measurement, options, metrics) < 0 || options_has_library(options) < 0)
        return EXIT_USAGE;
    if (options->lines && !(measurement.backend->provides & PROVIDES_LINE_COUNTS)) {
        error("--lines needs the collector cupti or sim: no other sees source lines");
        return EXIT_USAGE;
    }
    struct interrupts interrupts; /* also between two measurements */
    if (interrupts_open(&interrupts) < 0)
        return EXIT_NOT_MEASURED;
    int code = measure_whole(&measurement, run);
    if (code == EXIT_SAME && options->lines)
        code = measure_profile(&measurement, run, NULL, 0, PROVIDES_LINE_COUNTS | PROVIDES_STALLS);
    computed_add_excess(run, metrics);
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
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
               "worse than a baseline that was accepted from such a run.",
    .example = "cugate run -k 'transpose/*' -o run.json",
    .takes = takes,
    .minimum = 0, .maximum = -1, .run = cmd_run,
};
/* clang-format on */
