/* `cugate capture FILE.capsule`: replays captured kernels, and keeps those that reproduce. */

#include "command.h"
#include "outputs.h"

#include <sys/stat.h>
#include <unistd.h>

static double bytes_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (double)file.st_size : 0;
}

/* Says what is in the file, and what that means for whoever passes it on. */
static void say_file(const struct prove *prove, size_t varying)
{
    const double bytes = bytes_of(prove->to);
    const bool is_large = bytes >= 1e6;
    fprintf(
        stderr,
        "%zu kernel%s: %zu replayed bit for bit, %zu replayed except for varying bits, %zu refused; %s has %.1f %s\n"
        "%s contains the program's data: inputs, weights, everything that its kernels can reach\n",
        prove->count, plural(prove->count), prove->kept - varying, varying, prove->count - prove->kept, prove->to,
        bytes / (is_large ? 1e6 : 1e3), is_large ? "MB" : "kB", prove->to);
}

/* Says of how many results a part may not be compared. */
static void say_gaps(const struct prove *prove)
{
    size_t count = 0;
    for (size_t i = 0; i < prove->count; i++)
        count += !prove->results[i].refused && prove->results[i].in_part;
    if (count > 0)
        fprintf(
            stderr,
            "%zu kernel%s: the search for writes that change nothing ran out of time; only those found are compared\n",
            count, plural(count));
}

/* Says what came of all, and of each that is refused. */
static int say_results(const struct prove *prove, bool quiet)
{
    size_t varying = 0;
    EACH(const struct proof_result, result, prove->results, prove->count) {
        varying += !result->refused && result->varies;
        if (result->refused)
            warning("%s is refused: %s", result->id, result->refused);
        else if (result->uncompared)
            warning("the whole result of %s varies from replay to replay, so it can be measured, but not compared",
                    result->id);
        if (!result->refused && result->careful)
            warning("%s fails on cleared memory, so all its memory is kept; writes that change nothing are ignored",
                    result->id);
    }
    if (prove->kept == 0)
        return FAIL(EXIT_NOT_MEASURED, "no kernel can be replayed: %s was not written", prove->to);
    if (!quiet) {
        say_gaps(prove);
        say_file(prove, varying);
    }
    return prove->kept < prove->count ? EXIT_NOT_MEASURED : EXIT_SAME;
}

int prove_file(const struct options *options)
{
    OWNED(prove)
    prove = {
        .from = options->arguments[0],
        .to = options->output,
        .timeout = options_timeout(options),
        .progress = isatty(STDERR_FILENO) && !options->quiet,
    };
    TRY_AS(EXIT_USAGE, output_expect_file(prove.to));
    const int code = measure_prove(&prove);
    return code == EXIT_SAME ? say_results(&prove, options->quiet) : code;
}
