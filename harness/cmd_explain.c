#include "commands.h"
#include "explain.h"
#include "library.h"
#include "measure.h"
#include "measure_interrupt.h"
#include "measure_lines.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

/* To add a format: a function in explain_<name>.c and a row here. */
static const struct format {
    const char *name;
    int (*print)(const struct explanation *explanation, const struct explain_style *style, FILE *stream);
} formats[] = {{"text", explain_text}, {"json", explain_json}};

/* What the command works with; everything is empty at first and released at the end. */
struct work {
    const struct options *options;
    const struct format *format;
    struct metrics metrics;
    struct measurement measurement;
    struct whole_file output, run_file;
    struct run run;
    char *id; /* of the kernel that is explained */
};

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < ROWS(formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    error("--format of `cugate explain` needs text or json, not '%s'", name);
    return NULL;
}

/* Files are opened before anything is measured: minutes of measuring are not lost to a slip in a path. */
static int prepare(struct work *work)
{
    const struct options *options = work->options;
    work->format = find_format(options->format);
    if (!work->format)
        return -1;
    if (options->replay && options->save)
        return error("--save keeps what was measured, but --replay measures nothing: leave one of them out");
    if (!options->replay && (metrics_read_folder(&work->metrics, options->metrics) < 0 ||
                             measurement_init(&work->measurement, options, &work->metrics) < 0))
        return -1;
    if (options->save && whole_file_open(&work->run_file, options->save) < 0)
        return -1;
    return whole_file_open(&work->output, options->output ? options->output : "-");
}

/* ---- Which kernel ---- */

/* Of a run; so after Ctrl-C, which may have left the kernel out. */
static int choose_recorded(struct work *work)
{
    const char **names = x_calloc(work->run.result_count + 1, sizeof *names);
    for (size_t i = 0; i < work->run.result_count; i++)
        names[i] = work->run.results[i].id;
    const char *id = explain_choose(work->options->arguments[0], names, work->run.result_count, work->options->replay);
    work->id = x_strdup(id);
    free(names);
    return id ? 0 : -1;
}

/* Of the kernel library, before anything is measured. */
static int choose_built(struct work *work)
{
    struct library library;
    char why[1024];
    if (library_open(&library, work->options->kernels, why, sizeof why) < 0)
        return error("%s", why);
    const char **names = x_calloc(library.count + 1, sizeof *names);
    for (size_t i = 0; i < library.count; i++)
        names[i] = library.kernels[i].id;
    const char *id = explain_choose(work->options->arguments[0], names, library.count, work->options->kernels);
    work->id = x_strdup(id);
    free(names);
    library_close(&library);
    return id ? 0 : -1;
}

/* ---- From a recording, or measured now ---- */

static int replay(struct work *work)
{
    return run_read(&work->run, work->options->replay) < 0 || choose_recorded(work) < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* Keeps the run, also when it could not be explained. */
static int save(struct work *work)
{
    if (!work->options->save || work->run.result_count == 0)
        return EXIT_SAME;
    (void)run_write(&work->run, work->run_file.stream); /* a failure of the stream shows in the commit */
    return whole_file_commit(&work->run_file) < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* Its values, then its source lines. Ctrl-C between the two is kept for the end. */
static int measure_kernel(struct work *work)
{
    const char *const ids[] = {work->id};
    struct interrupts interrupts;
    work->measurement.globs = &work->id;
    work->measurement.glob_count = 1;
    if (interrupts_open(&interrupts) < 0)
        return EXIT_NOT_MEASURED;
    int code = measure_whole(&work->measurement, &work->run);
    const struct result *result = run_find(&work->run, work->id);
    if (code == EXIT_SAME && result && result->status == RESULT_OK) {
        code = measure_lines(&work->measurement, &work->run, ids, ROWS(ids), LINES_COUNTS | LINES_STALLS);
        lines_add_rows(&work->run, &work->metrics);
    }
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
}

static int measure(struct work *work)
{
    if (choose_built(work) < 0)
        return EXIT_USAGE;
    const int code = measure_kernel(work);
    const int saved = save(work);
    return code == EXIT_SAME ? saved : code;
}

/* ---- The explanation ---- */

/* Says why there is none when the kernel was not measured. */
static int explain(struct work *work, int code)
{
    const struct options *options = work->options;
    const struct result *result = work->id ? run_find(&work->run, work->id) : NULL;
    if (!result || (code != EXIT_SAME && code != EXIT_INTERRUPTED))
        return code == EXIT_SAME ? EXIT_NOT_MEASURED : code;
    if (result->status != RESULT_OK) {
        error("nothing explains %s: it was not measured, %s%s%s", result->id, result_status_name(result->status),
              result->reason ? ": " : "", result->reason ? result->reason : "");
        return code == EXIT_SAME ? EXIT_NOT_MEASURED : code;
    }

    struct explanation explanation;
    explain_make(&explanation, &work->run, result);
    explanation.run_name = options->replay ? options->replay : options->save;
    explanation.replay = options->replay != NULL;
    explanation.exit_code = (enum exit_code)code;
    const struct explain_style style = {
        .color = options_color(options, work->output.stream),
        .quiet = options->quiet,
        .verbose = options->verbose,
    };
    (void)work->format->print(&explanation, &style, work->output.stream); /* a failure shows in the commit */
    explain_release(&explanation);
    return whole_file_commit(&work->output) < 0 ? EXIT_USAGE : code;
}

int cmd_explain(const struct options *options)
{
    struct work work = {.options = options};
    int code = EXIT_USAGE;

    if (prepare(&work) == 0) {
        code = options->replay ? replay(&work) : measure(&work);
        code = explain(&work, code);
    }

    whole_file_abandon(&work.output);
    whole_file_abandon(&work.run_file);
    run_release(&work.run);
    metrics_release(&work.metrics);
    free(work.id);
    return code;
}
