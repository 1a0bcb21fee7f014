/* Reports a kernel library that does not exist. The remedy depends on who named it. */
#include "command.h"

#include "base/base.h"

#include <string.h>
#include <unistd.h>

#define NAME_ONE "name yours with --kernels LIB.so, or as `kernels` in " CONFIG_FILE

bool options_library_is_own(const struct options *options)
{
    return options->kernels == options->found[0];
}

/* Returns the line of the key `kernels` in cugate.ini. */
static int line_of_kernels(const struct config *config)
{
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->keys[i].name, "kernels") == 0)
            return config->keys[i].line;
    return 0;
}

int options_find_library(const struct options *options, struct problem *problem)
{
    if (access(options->kernels, F_OK) == 0)
        return 0;
    if (options_library_is_own(options))
        return problem_set(problem, "there is no kernel library %s: %s", options->kernels,
                           program_is_installed() ? NAME_ONE : "build it with `make`, or " NAME_ONE);
    if (config_gives(&options->config, "kernels"))
        return problem_set(problem,
                           "there is no kernel library %s, which %s:%d names: build it, by your own project's build",
                           options->kernels, options->config.path, line_of_kernels(&options->config));
    return problem_set(problem,
                       "there is no kernel library %s, which --kernels names: build it, by your own project's build, "
                       "or name another",
                       options->kernels);
}

int options_has_library(const struct options *options)
{
    struct problem problem;
    return options_find_library(options, &problem) < 0 ? error("%s", problem.text) : 0;
}
