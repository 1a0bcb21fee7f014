#include "outputs.h"

#include <stdlib.h>
#include <string.h>

int output_print(const struct format *format, struct report *report, const struct options *options, FILE *stream)
{
    report->color = options_color(options, stream);
    report->columns = terminal_columns(stream);
    report->quiet = options->quiet;
    report->verbose = options->verbose;
    report->power = options->power;
    const bool is_default = strcmp(options->baselines, OPTIONS_BASELINES) == 0;
    report->baselines = is_default || config_gives(&options->config, "baselines") ? NULL : options->baselines;
    report->config = options->config.words;
    return format->check(report, stream);
}

int output_run(const struct options *options, const struct metrics *metrics, const struct run *run, const char *name,
               int code, struct atomic_file *file)
{
    if (options->output) {
        (void)run_write(run, file->stream); /* a failure of the stream shows in the commit */
        if (atomic_file_commit(file) < 0)
            return -1;
        if (strcmp(options->output, "-") == 0)
            return 0;
    }
    struct report report = {.metrics = metrics,
                            .run = run,
                            .run_name = options->output ? options->output : name,
                            .exit_code = (enum exit_code)code};
    return output_print(format_find(DOCUMENT_CHECK, options->format, "--format"), &report, options, stdout);
}

static int open_report(struct outputs *outputs, const char *option, const char *name, const char *file)
{
    const struct format *format = format_find(DOCUMENT_CHECK, name, option);
    if (!format)
        return -1;
    struct output *output = ARRAY_GROW(outputs->list, outputs->count);
    output->format = format;
    return atomic_file_open(&output->file, file);
}

int outputs_open(struct outputs *outputs, const struct options *options)
{
    int result = open_report(outputs, "--format", options->format, options->output ? options->output : "-");
    for (size_t i = 0; i < options->report_count && result == 0; i++) {
        const char *report = options->reports[i];
        char *format = x_sprintf("%.*s", (int)strcspn(report, "="), report);
        result = open_report(outputs, "--report", format, options_report_file(report));
        free(format);
    }
    return result;
}

int outputs_print(struct outputs *outputs, struct report *report, const struct options *options)
{
    int result = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        struct atomic_file *file = &outputs->list[i].file;
        output_print(outputs->list[i].format, report, options, file->stream);
        if (atomic_file_commit(file) < 0) /* also when the stream failed */
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
