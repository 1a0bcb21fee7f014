#include "outputs.h"

#include "baseline/baseline.h"

#include "command.h"

#include <unistd.h>

#define RUN_LIMIT (1u << 30) /* bytes; what was read as a run is far smaller */

/* Adds " --NAME VALUE", if it was typed: what cugate.ini gives needs no typing. */
static void add_said(const struct text *words, const struct options *options, const char *name, const char *value)
{
    if (!value || config_gives(&options->config, name))
        return;
    fprintf(words->stream, " --%s ", name);
    text_shell_word(words, value);
}

/* Returns the options of this command that others of its kind need as well, or of these those of metrics. Caller frees.
 */
static char *said(const struct options *options, bool metrics_only)
{
    char *all = NULL, number[32];
    const struct text words = {.stream = x_memstream(&all, NULL)};
    if (!metrics_only && !options_library_is_own(options) && options->subject != SUBJECT_PROGRAM)
        add_said(&words, options, "kernels", options->kernels);
    add_said(&words, options, "metrics", options->metrics == options->found[1] ? NULL : options->metrics);
    for (size_t i = 0; i < options->metric_set_count; i++) {
        OWNED_TEXT set = x_sprintf("+%s", options->metric_sets[i]);
        add_said(&words, options, "metrics", set);
    }
    snprintf(number, sizeof number, "%d", options->devices.list[0]);
    if (!metrics_only && options->devices.count == 1 && options->subject != SUBJECT_PROGRAM)
        add_said(&words, options, "device", number);
    snprintf(number, sizeof number, "%g", options->timeout);
    if (!metrics_only && options->timeout > 0)
        add_said(&words, options, "timeout", number);
    fclose(words.stream);
    return all;
}

/* Returns "=NAME" where commands that simulate have to name the GPU; NULL where they need not. Caller frees. */
static char *said_gpu(const struct options *options, const struct run *run)
{
    const char *device = config_gpu(&options->config) ? NULL : run->device.name;
    OWNED_TEXT name = options->gpu ? shell_word(options->gpu) : device ? slug(device) : NULL;
    return name ? x_sprintf("=%s", name) : NULL;
}

int output_print(const struct format *format, struct report *report, const struct options *options, FILE *stream)
{
    OWNED_TEXT all = said(options, false), *metrics = said(options, true), *gpu = said_gpu(options, report->run);
    report->color = options_color(options, stream);
    report->columns = terminal_columns(stream);
    report->quiet = options->quiet;
    report->verbose = options->verbose;
    report->power = options->power;
    const bool is_default = strcmp(options->baselines, OPTIONS_BASELINES) == 0;
    report->baselines = is_default || config_gives(&options->config, "baselines") ? NULL : options->baselines;
    report->baseless = !baseline_exists(options->baselines, &report->run->device);
    report->config = options->config.words;
    report->said = all;
    report->against = options->against;
    report->metrics_said = metrics;
    report->gpu = gpu;
    format->check(report, stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}

int output_open(struct atomic_file *file, const char *path)
{
    TRY(atomic_file_open(file, path));
    if (file->temporary)
        (void)unlink(file->path);
    return 0;
}

int output_expect_file(const char *path)
{
    struct atomic_file file;
    if (strcmp(path, "-") == 0)
        return error("-o -: capsules cannot be written to standard output: use -o FILE.capsule");
    TRY(atomic_file_open_beside(&file, path));
    atomic_file_abandon(&file);
    return 0;
}

int output_save(const struct run *run, struct atomic_file *file)
{
    if (!file->stream)
        return 0;
    (void)run_write(run, file->stream); /* a failure of the stream shows in the commit */
    return atomic_file_commit(file);
}

int run_files_open(struct run_files *files, const struct options *options)
{
    const bool fills_output = options->save && strcmp(options->save, "-") == 0;
    if (options->save && output_open(&files->run, options->save) < 0)
        return -1;
    return options->output || !fills_output ? output_open(&files->document, options->output ? options->output : "-")
                                            : 0;
}

void run_files_abandon(struct run_files *files)
{
    atomic_file_abandon(&files->run);
    atomic_file_abandon(&files->document);
}

int output_run(const struct options *options, const struct metrics *metrics, const struct run *run, int code,
               struct run_files *files)
{
    TRY(output_save(run, &files->run));
    if (!files->document.stream)
        return 0;
    struct report report = {.metrics = metrics,
                            .run = run,
                            .run_name = options->save,
                            .each = options->metric_glob_count > 0,
                            .exit_code = (enum exit_code)code};
    output_print(format_find(DOCUMENT_CHECK, options->format, "--format"), &report, options, files->document.stream);
    return atomic_file_commit(&files->document);
}

static int open_output(struct outputs *outputs, const struct format *format, const char *file)
{
    struct output *output = ARRAY_GROW(outputs->list, outputs->count);
    output->format = format;
    return output_open(&output->file, file);
}

static int open_report(struct outputs *outputs, const char *option, const char *name, const char *file)
{
    const struct format *format = format_find(DOCUMENT_CHECK, name, option);
    return format ? open_output(outputs, format, file) : -1;
}

bool outputs_has_run(const struct options *options)
{
    return options->way != ORIGIN_CODE;
}

/* The files of one --out, also those that this check does not write. */
static int open_folder(struct outputs *outputs, const struct options *options, const char *folder)
{
    size_t count;
    const struct format *formats = format_list(&count);
    const char *name;
    int result = make_folders(folder);
    for (size_t i = 0; (name = options_out_name(i)) && result == 0; i++) {
        OWNED_TEXT path = x_sprintf("%s/%s", folder, name);
        if (!(options->replay && options_same_file(path, options->replay))) {
            (void)unlink(path);
            if (i < count || outputs_has_run(options))
                result = open_output(outputs, i < count ? &formats[i] : NULL, path);
        }
    }
    return result;
}

int outputs_open_reports(struct outputs *outputs, const struct options *options)
{
    int result = 0;
    for (size_t i = 0; i < options->report_count && result == 0; i++) {
        const char *report = options->reports[i];
        OWNED_TEXT format = x_sprintf("%.*s", (int)strcspn(report, "="), report);
        result = open_report(outputs, "--report", format, options_report_file(report));
    }
    return result;
}

int outputs_open(struct outputs *outputs, const struct options *options)
{
    int result = open_report(outputs, "--format", options->format, options->output ? options->output : "-");
    if (result == 0)
        result = outputs_open_reports(outputs, options);
    for (size_t i = 0; i < options->out_count && result == 0; i++)
        result = open_folder(outputs, options, options->out[i]);
    if (result == 0 && options->save)
        result = open_output(outputs, NULL, options->save);
    return result;
}

/* The bytes of a recording, as they are. */
static int copy_file(const char *path, FILE *stream)
{
    OWNED_TEXT text = NULL;
    size_t length;
    TRY(file_read(path, RUN_LIMIT, &text, &length));
    fwrite(text, 1, length, stream);
    return 0;
}

int outputs_save(struct outputs *outputs, const struct run *run, const struct options *options)
{
    int result = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        struct atomic_file *file = &outputs->list[i].file;
        if (outputs->list[i].format)
            continue;
        if (!options->replay)
            (void)run_write(run, file->stream); /* a failure of the stream shows in the commit */
        else if (copy_file(options->replay, file->stream) < 0)
            atomic_file_abandon(file);
        if (!file->stream || atomic_file_commit(file) < 0)
            result = -1;
    }
    return result;
}

int outputs_print(struct outputs *outputs, struct report *report, const struct options *options)
{
    int result = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        struct atomic_file *file = &outputs->list[i].file;
        if (!outputs->list[i].format)
            continue;
        output_print(outputs->list[i].format, report, options, file->stream);
        if (atomic_file_commit(file) < 0) /* the commit also fails when writing to the stream failed */
            result = -1;
    }
    return result;
}

void outputs_release(struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        atomic_file_abandon(&outputs->list[i].file);
    free(outputs->list);
    *outputs = (struct outputs){0};
}
