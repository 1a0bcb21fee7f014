#include "command.h"

#include "outputs.h"

/* Both files are read and comparable, and filtered by -k. */
static int read_files(struct run *base, struct run *run, const struct options *options, const struct metrics *metrics)
{
    struct run runs[2];
    TRY_AS(EXIT_USAGE, gate_read(runs, (const char *const *)options->arguments, 2, metrics));
    *base = runs[0];
    *run = runs[1];
    if (run_refuse_part(base, options->arguments[0]) < 0 || run_refuse_part(run, options->arguments[1]) < 0)
        return EXIT_USAGE;
    TRY_AS(EXIT_BASELINE, gate_comparable(run, base));
    return gate_filter(run, base, options->globs, options->glob_count) < 0 ? EXIT_USAGE : EXIT_SAME;
}

static int cmd_compare(const struct options *options)
{
    OWNED(metrics) metrics = {0};
    OWNED(run) base = {0}, run = {0};
    OWNED(comparison) comparison = {0};
    OWNED(diagnosis) diagnosis = {0};
    OWNED(outputs) outputs = {0};
    if (outputs_open(&outputs, options) < 0 || options_read_metrics(options, &metrics) < 0)
        return EXIT_USAGE;
    TRY_CODE(read_files(&base, &run, options, &metrics));

    run_number_like(&run, &base);
    run_follow_launches(&base, &run, &metrics);
    compare_runs(&comparison, &base, &run, &metrics, NULL);
    note_differences(&comparison, &base, &run, &metrics);
    diagnosis_make(&diagnosis, &comparison, &base, &run);
    struct report report = {
        .metrics = &metrics,
        .run = &run,
        .baseline = &base,
        .comparison = &comparison,
        .diagnosis = &diagnosis,
        .run_name = options->arguments[1],
        .baseline_name = options->arguments[0],
        .exit_code = comparison_exit_code(&comparison),
    };
    return outputs_print(&outputs, &report, options) < 0 ? EXIT_USAGE : (int)report.exit_code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k, &option_output, &option_power, &option_metrics, &option_trades, &option_format, &option_report, NULL,
};

const struct command command_compare = {
    .name = "compare",
    .arguments = "BASE.json RUN.json",
    .summary = "judge one run file against another",
    .details = "Judges RUN.json against BASE.json as `cugate check` judges a run against its baseline. Both must be from the same GPU model and collector. It needs no GPU.",
    .exits = EXITS({EXIT_SAME, NULL},
                   {EXIT_REGRESSED, NULL},
                   {EXIT_USAGE, NULL},
                   {EXIT_UNSURE, NULL},
                   {EXIT_BASELINE, "the runs are of different GPUs or collectors"},
                   {EXIT_NOT_MEASURED, "a kernel failed, or is in BASE.json only"}),
    .example = "cugate compare before.json after.json",
    .takes = takes,
    .minimum = 2, .maximum = 2, .run = cmd_compare,
};
/* clang-format on */
