/* Checks the files of a command line: none may be both read and written, or written twice. */
#include "options.h"

#include <sys/stat.h>

/* A file that the command writes, and the option that named it: "--report" "json=out". */
struct written {
    const char *option, *argument, *file;
    bool is_report; /* several reports may go to standard output, one after the other */
};

static bool same_inode(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool options_same_file(const char *a, const char *b)
{
    if (strcmp(a, b) == 0 || same_inode(a, b))
        return true;
    OWNED_TEXT folder_a = folder_of(a), *folder_b = folder_of(b);
    return strcmp(basename(a), basename(b)) == 0 && same_inode(folder_a, folder_b);
}

static bool is_standard_output(const char *file)
{
    return strcmp(file, "-") == 0;
}

/* Whether the file is, or would be, one of the folders in that folder. */
static bool is_below(const char *file, const char *folder)
{
    OWNED_TEXT beside = folder_of(file);
    OWNED_TEXT place = realpath(beside, NULL), *root = folder ? realpath(folder, NULL) : NULL;
    const size_t length = root ? strlen(root) : 0;
    return place && root && strncmp(place, root, length) == 0 && place[length] == '/';
}

/* Refuses to write over a file that is read: a recording that its own report replaces would be lost. */
static int check_overwriting(const struct options *options, const struct written *written)
{
    const char *const inputs[] = {options->replay, options->against, options->kernels, options->from_check,
                                  options->code};
    if (is_standard_output(written->file))
        return 0;
    if (is_below(written->file, options->baselines))
        return error("%s %s would be a file of the baseline in %s: choose another path", written->option,
                     written->argument, options->baselines);
    for (size_t i = 0; i < ARRAY_SIZE(inputs) + options->argument_count; i++) {
        const char *input = i < ARRAY_SIZE(inputs) ? inputs[i] : options->arguments[i - ARRAY_SIZE(inputs)];
        if (input && options_same_file(written->file, input))
            return error("%s %s would overwrite %s, which is read here: choose another path", written->option,
                         written->argument, input);
    }
    return 0;
}

static int check_outputs(const struct options *options, const struct written *outputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TRY(check_overwriting(options, &outputs[i]));
        for (size_t k = 0; k < i; k++)
            if (options_same_file(outputs[k].file, outputs[i].file) &&
                !(outputs[k].is_report && outputs[i].is_report && is_standard_output(outputs[i].file)))
                return error("%s %s and %s %s name the same file: choose another path for one", outputs[k].option,
                             outputs[k].argument, outputs[i].option, outputs[i].argument);
    }
    return 0;
}

bool options_is_run_file(const char *word)
{
    return strlen(word) > 5 && strcmp(word + strlen(word) - 5, ".json") == 0;
}

const char *options_out_name(size_t place)
{
    size_t count;
    const struct format *formats = format_list(&count);
    return place < count ? formats[place].file : place == count ? "run.json" : NULL;
}

const char *options_report_file(const char *report)
{
    const char *equals = strchr(report, '=');
    return equals ? equals + 1 : NULL;
}

int options_check_files(const struct options *options, const struct command *command)
{
    OWNED_MEMORY struct written *outputs = NULL;
    size_t count = 0;
    OWNED_MEMORY char **paths = NULL; /* of --out */
    size_t path_count = 0;
    int result = 0;
    const bool prints_table = command->makes_run_file && options->subject != SUBJECT_PROGRAM;
    if (options->save)
        *ARRAY_GROW(outputs, count) = (struct written){"--save", options->save, options->save, false};
    if (options->output && prints_table && options_is_run_file(options->output))
        result = error("-o %s would write the table, as text; to keep the run file, use --save %s", options->output,
                       options->output);
    else if (options->output)
        *ARRAY_GROW(outputs, count) = (struct written){"-o", options->output, options->output, true};
    else if (!prints_table || !options->save || !is_standard_output(options->save))
        *ARRAY_GROW(outputs, count) = (struct written){"the report on", "-", "-", true};
    for (size_t i = 0; i < options->report_count && result == 0; i++) {
        const char *report = options->reports[i], *file = options_report_file(report);
        if (!file || !*file)
            result = error("--report needs FORMAT=FILE, for example junit=report.xml, not '%s'", report);
        else
            *ARRAY_GROW(outputs, count) = (struct written){"--report", report, file, true};
    }
    const char *name;
    for (size_t i = 0; i < options->out_count; i++) {
        for (size_t n = 0; (name = options_out_name(n)); n++) {
            char *path = *ARRAY_GROW(paths, path_count) = x_sprintf("%s/%s", options->out[i], name);
            const bool is_run = !options_out_name(n + 1);
            if (!(is_run && options->replay && options_same_file(path, options->replay))) /* it stays as it is */
                *ARRAY_GROW(outputs, count) = (struct written){"--out", options->out[i], path, true};
        }
    }
    if (result == 0)
        result = check_outputs(options, outputs, count);
    while (path_count > 0)
        free(paths[--path_count]);
    return result;
}
