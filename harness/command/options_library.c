/* Reports a kernel library that does not exist. The remedy depends on who named it. */
#include "command.h"

#include <unistd.h>

#define NAME_ONE "name yours with --kernels LIB.so, or as `kernels` in " CONFIG_FILE ", which `cugate init` writes"

bool options_library_is_own(const struct options *options)
{
    return options->kernels == options->found[0];
}

/* Returns the line of the key `kernels` in cugate.ini. */
static int line_of_kernels(const struct config *config)
{
    const size_t key = FIRST(i, config->count, strcmp(config->keys[i].name, "kernels") == 0);
    return key < config->count ? config->keys[key].line : 0;
}

int options_find_library(const struct options *options, struct problem *problem)
{
    const char *const end = strrchr(options->kernels, '.');
    const bool has = access(options->kernels, F_OK) == 0;
    const bool is_code = end && (strcmp(end, ".cubin") == 0 || strcmp(end, ".fatbin") == 0);
    if (has && is_code && options->way != ORIGIN_CODE)
        return problem_set(problem,
                           "%s has machine code, but no launches: judge its code with `cugate check --static %s`, or "
                           "describe a launch with `cugate task`",
                           options->kernels, options->kernels);
    if (has)
        return 0;
    if (options_library_is_own(options) && program_is_installed())
        return problem_set(problem, "there is no kernel library here: %s" NAME_ONE,
                           options->way == ORIGIN_CODE ? "name the files, --static FILE..., or " : "");
    if (options_library_is_own(options))
        return problem_set(problem, "no kernel library %s: build it with `make`, or " NAME_ONE, options->kernels);
    if (config_gives(&options->config, "kernels"))
        return problem_set(problem, "no kernel library %s (set in %s:%d): build your project first", options->kernels,
                           options->config.path, line_of_kernels(&options->config));
    return problem_set(problem, "no kernel library %s (from --kernels): build your project first, or pass another file",
                       options->kernels);
}

/* Counts images, until one has the lines of a function. */
static int look_for_lines(void *count, const unsigned char *bytes, size_t size)
{
    OWNED(line_table) table = {0};
    line_table_open(&table, bytes, size);
    const bool has = table.function_count > 0;
    ++*(size_t *)count;
    return has;
}

void options_note_lines(const struct options *options, const char *path)
{
    struct problem ignored; /* what is wrong with the file is said by those who need it */
    size_t images = 0;
    if (options->quiet || options->way == ORIGIN_CODE || options->subject == SUBJECT_CAPSULES)
        return;
    struct problem *before = error_into(&ignored);
    const int has = cubin_each_image(path, look_for_lines, &images);
    error_into(before);
    if (has == 0 && images > 0)
        remark("%s has no line information, so reports cannot name source lines: build it with nvcc -lineinfo", path);
}

int options_has_library(const struct options *options)
{
    struct problem problem;
    if (options_find_library(options, &problem) < 0)
        return error("%s", problem.text);
    options_note_lines(options, options->kernels);
    return 0;
}
