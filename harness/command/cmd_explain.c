#include "names/names.h"

#include "command.h"
#include "outputs.h"

/* All state of the command. It is empty at first and released at the end. */
struct work {
    const struct options *options;
    const struct format *format;
    struct metrics metrics;
    struct measurement measurement;
    struct atomic_file output, run_file;
    struct run run;
};

/* Opens output files before measuring, so that a wrong path does not cost minutes of measuring. */
static int open_files(struct work *work)
{
    const struct options *options = work->options;
    work->format = format_find(DOCUMENT_EXPLAIN, options->format, "--format of `cugate explain`");
    if (!work->format)
        return -1;
    if (options_read_metrics(options, &work->metrics) < 0 ||
        (!options->replay &&
         (options_measurement(&work->measurement, options, &work->metrics) < 0 || options_has_library(options) < 0)))
        return -1;
    if (options->save && atomic_file_open(&work->run_file, options->save) < 0)
        return -1;
    return atomic_file_open(&work->output, options->output ? options->output : "-");
}

/* ---- Which kernels ---- */

static int find_recorded(const struct work *work)
{
    const struct run *run = &work->run;
    OWNED_MEMORY const char **names = x_calloc(run->result_count + 1, sizeof *names);
    for (size_t i = 0; i < run->result_count; i++)
        names[i] = run->results[i].id;
    return kernel_names_find(work->options->arguments[0], names, run->result_count, work->options->replay);
}

/* Checks before measuring that the kernel library has the kernels. Returns 0, or an exit_code after error(). */
static int find_built(const struct work *work)
{
    OWNED(library_facts) library = {0};
    struct problem problem;
    const int code = library_facts_read(&library, work->options->kernels, options_timeout(work->options), &problem);
    if (code != 0)
        return FAIL(code, "%s", problem.text);
    OWNED_MEMORY const char **names = x_calloc(library.count + 1, sizeof *names);
    for (size_t i = 0; i < library.count; i++)
        names[i] = library.kernels[i].id;
    const int result = kernel_names_find(work->options->arguments[0], names, library.count, work->options->kernels);
    return result < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* ---- The run, measured or read from a file; it has only the chosen kernels ---- */

static int replay(struct work *work)
{
    const struct options *options = work->options;
    if (gate_read(&work->run, &options->replay, 1, &work->metrics) < 0 || find_recorded(work) < 0)
        return EXIT_USAGE;
    run_filter(&work->run, options->arguments, options->argument_count);
    return EXIT_SAME;
}

/* Values, then source lines. Ctrl-C between the two is kept for the end. */
static int measure_kernels(struct work *work)
{
    struct interrupts interrupts;
    work->measurement.globs = work->options->arguments;
    work->measurement.glob_count = work->options->argument_count;
    TRY_AS(EXIT_NOT_MEASURED, interrupts_open(&interrupts));
    int code = measure_whole(&work->measurement, &work->run);
    if (code == EXIT_SAME)
        code = measure_profile(&work->measurement, &work->run, NULL, 0, PROVIDES_LINE_COUNTS | PROVIDES_STALLS);
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
}

static int measure(struct work *work)
{
    TRY_CODE(find_built(work));
    const int code = measure_kernels(work);
    /* What was measured is kept, whatever came of it. */
    const bool failed = work->run.result_count > 0 && output_save(&work->run, &work->run_file) < 0;
    const int saved = failed ? EXIT_USAGE : EXIT_SAME;
    return code == EXIT_SAME ? saved : code;
}

/* ---- The explanations ---- */

static void print_explanation(const struct work *work, const struct result *result, int code, bool follows)
{
    const struct options *options = work->options;
    struct explanation explanation;
    explain_make(&explanation, &work->run, result);
    explanation.run_name = options->replay ? options->replay : options->save;
    explanation.replay = options->replay != NULL;
    explanation.exit_code = (enum exit_code)code;
    const struct style style = {
        .columns = terminal_columns(work->output.stream),
        .color = options_color(options, work->output.stream),
        .quiet = options->quiet,
        .verbose = options->verbose,
        .follows = follows,
    };
    /* a write error is reported by the commit */
    work->format->explain(&explanation, &style, work->output.stream);
    explain_release(&explanation);
}

/* Prints the explanations; for a kernel that was not measured, why it has none. */
static int explain(struct work *work, int code)
{
    const struct run *run = &work->run;
    size_t good = 0, printed = 0;
    if (code != EXIT_SAME && code != EXIT_INTERRUPTED)
        return code;
    for (size_t i = 0; i < run->result_count; i++)
        good += run->results[i].status == RESULT_OK;
    if (code == EXIT_SAME && (good == 0 || good < run->result_count))
        code = EXIT_NOT_MEASURED;

    EACH(const struct result, result, run->results, run->result_count) {
        if (result->status == RESULT_OK) {
            print_explanation(work, result, code, printed++ > 0);
        } else {
            error("cannot explain %s: it was not measured, %s%s%s", result->id, result_status_name(result->status),
                  result->reason ? ": " : "", result->reason ? result->reason : "");
        }
    }
    return printed && atomic_file_commit(&work->output) < 0 ? EXIT_USAGE : code;
}

static int cmd_explain(const struct options *options)
{
    struct work work = {.options = options};
    int code = EXIT_USAGE;

    if (open_files(&work) == 0) {
        code = options->replay ? replay(&work) : measure(&work);
        code = explain(&work, code);
    }

    atomic_file_abandon(&work.output);
    atomic_file_abandon(&work.run_file);
    run_release(&work.run);
    metrics_release(&work.metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_output, &option_save,
    OPTION(.name = "replay", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(replay), .ways = WAY_RECORDED,
           .doc = "measure nothing: explain kernels of a recorded run"),
    &option_simulate, &option_whole, &option_kernels, &option_metrics, &option_collector, &option_device, &option_samples, &option_timeout,
    OPTION(.name = "format", .argument = "FORMAT", .kind = KIND_FORMAT, .place = PLACE(format),
           .document = DOCUMENT_EXPLAIN),
    NULL,
};

const struct command command_explain = {
    .name = "explain",
    .arguments = "KERNEL",
    .summary = "explain what limits a kernel, by source line",
    .details = "Measures a kernel, or all that a glob like 'reduce/*' matches. It shows the resources of its launches, "
               "the occupancy limiter and how much it must change, how close the kernel came to the peaks of this GPU, "
               "and which source lines take time, stall or do needless work. --format json: one document per kernel.\n"
               "--simulate computes source lines and occupancy limiters without a GPU.\n"
               "--replay explains kernels of a recorded run. Runs of `cugate run --lines` and `cugate explain --save` "
               "have source lines. Their text is read from the checkout of the kernel library. A kernel that could not "
               "be measured is named, and the others are explained.",
    .exits = EXITS({EXIT_SAME, "every kernel was explained"},
                   {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, NULL},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate explain reduce/interleaved_index",
    .takes = takes,
    .minimum = 1, .maximum = 1, .run = cmd_explain,
    .ways = WAYS_OF_LIBRARY | WAY(COMPUTED),
};
/* clang-format on */
