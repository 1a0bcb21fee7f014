#include "baseline.h"
#include "commands.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

#define ENOUGH_SESSIONS 3 /* below, the spread between sessions says little */

static int accept_runs(const struct options *options, const struct run *runs, size_t count)
{
    struct accepted accepted;
    struct acceptance acceptance = {
        .baselines = options->baselines,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .metrics = options->metric_globs,
        .metric_count = options->metric_glob_count,
        .reason = options->reason,
        .names = options->arguments,
    };
    int result = baseline_accept(&acceptance, runs, count, &accepted);
    if (result != 0)
        return result;
    char *folder = baseline_folder(options->baselines, &runs[0].device);
    if (!options->quiet)
        printf("accepted %zu row%s of %zu kernel%s in %s (%zu session%s)\n", accepted.rows,
               accepted.rows == 1 ? "" : "s", accepted.kernels, accepted.kernels == 1 ? "" : "s", folder, count,
               count == 1 ? "" : "s");
    free(folder);
    if (count < ENOUGH_SESSIONS)
        warning(
            "with fewer than %d sessions the baseline knows little of how far values move by themselves, so its limits "
            "are weak: accept %d or more run files, each of its own `cugate run`",
            ENOUGH_SESSIONS, ENOUGH_SESSIONS);
    return 0;
}

int cmd_accept(const struct options *options)
{
    if (!options->reason || options->reason[strspn(options->reason, " \t\n")] == '\0') {
        error("accept needs --reason TEXT: say why this is the new baseline; it is kept in the file");
        return EXIT_USAGE;
    }
    size_t count = options->argument_count;
    if (count == 0) {
        error("accept needs a run file: measure with `cugate run -o run.json`");
        return EXIT_USAGE;
    }
    int result = 0;
    struct run *runs = x_calloc(count, sizeof *runs);
    for (size_t i = 0; i < count && result == 0; i++)
        if (run_read(&runs[i], options->arguments[i]) < 0)
            result = EXIT_USAGE;
    if (result == 0)
        result = accept_runs(options, runs, count);
    for (size_t i = 0; i < count; i++)
        run_release(&runs[i]);
    free(runs);
    return result;
}
