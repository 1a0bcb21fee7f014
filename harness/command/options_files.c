/* The files of a command line: none is both read and written, and none is written twice. */
#include "options.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file that the command writes, and how that was asked for: "--report" "json=out". */
struct written {
    const char *option, *argument, *file;
    bool is_report; /* several may go to standard output, one after the other */
};

static bool same_inode(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* What stands behind the directory in a path. */
static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Two names of one file, which may be linked to, or not be there yet. */
static bool same_file(const char *a, const char *b)
{
    if (strcmp(a, b) == 0 || same_inode(a, b))
        return true;
    char *directory_a = directory_of(a), *directory_b = directory_of(b);
    const bool same = strcmp(name_in(a), name_in(b)) == 0 && same_inode(directory_a, directory_b);
    free(directory_a);
    free(directory_b);
    return same;
}

static bool is_standard_output(const char *file)
{
    return strcmp(file, "-") == 0;
}

/* A recording that gave way to its own report is gone. */
static int check_overwriting(const struct options *options, const struct written *written)
{
    const char *const inputs[] = {options->replay, options->against, options->kernels, options->costs};
    if (is_standard_output(written->file))
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(inputs) + options->argument_count; i++) {
        const char *input = i < ARRAY_SIZE(inputs) ? inputs[i] : options->arguments[i - ARRAY_SIZE(inputs)];
        if (input && same_file(written->file, input))
            return error("%s %s would overwrite %s, which is read here: give it another place", written->option,
                         written->argument, input);
    }
    return 0;
}

static bool may_share(const struct written *one, const struct written *other)
{
    return one->is_report && other->is_report && is_standard_output(one->file) && is_standard_output(other->file);
}

static int check_outputs(const struct options *options, const struct written *outputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (check_overwriting(options, &outputs[i]) < 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (same_file(outputs[k].file, outputs[i].file) && !may_share(&outputs[k], &outputs[i]))
                return error("%s %s and %s %s would both go to one place: give one of them another", outputs[k].option,
                             outputs[k].argument, outputs[i].option, outputs[i].argument);
    }
    return 0;
}

const char *options_report_file(const char *report)
{
    const char *equals = strchr(report, '=');
    return equals ? equals + 1 : NULL;
}

int options_check_files(const struct options *options)
{
    struct written *outputs = NULL;
    size_t count = 0;
    int result = 0;
    if (options->save)
        *ARRAY_GROW(outputs, count) = (struct written){"--save", options->save, options->save, false};
    if (options->output)
        *ARRAY_GROW(outputs, count) = (struct written){"-o", options->output, options->output, true};
    else
        *ARRAY_GROW(outputs, count) = (struct written){"the report on", "-", "-", true};
    for (size_t i = 0; i < options->report_count && result == 0; i++) {
        const char *report = options->reports[i], *file = options_report_file(report);
        if (!file || !*file)
            result = error("--report needs FORMAT=FILE, for example junit=report.xml, not '%s'", report);
        else
            *ARRAY_GROW(outputs, count) = (struct written){"--report", report, file, true};
    }
    if (result == 0)
        result = check_outputs(options, outputs, count);
    free(outputs);
    return result;
}
