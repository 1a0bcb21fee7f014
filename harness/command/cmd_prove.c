#include "base/base.h"
#include "measure/measure.h"

#include "command.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static double megabytes(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (double)file.st_size / 1e6 : 0;
}

/* Says what came of all, and of each that is refused. */
static int say_results(const struct prove *prove, bool quiet)
{
    size_t identical = 0, varying = 0, refused = 0;
    for (size_t i = 0; i < prove->count; i++) {
        const struct proof_result *result = &prove->results[i];
        identical += !result->refused && !result->varies;
        varying += !result->refused && result->varies;
        refused += result->refused != NULL;
        if (result->refused)
            warning("%s is refused: %s", result->id, result->refused);
    }
    if (!quiet)
        fprintf(stderr,
                "%zu kernel%s: %zu replayed bit for bit, %zu replayed but for what varies from replay to replay, "
                "%zu refused; %s has %.1f MB\n",
                prove->count, plural(prove->count), identical, varying, refused, prove->to, megabytes(prove->to));
    return refused > 0 ? EXIT_NOT_MEASURED : EXIT_SAME;
}

static int cmd_prove(const struct options *options)
{
    struct prove prove = {
        .from = options->arguments[0],
        .to = options->output,
        .timeout = options_timeout(options),
        .progress = isatty(STDERR_FILENO) && !options->quiet,
    };
    if (!options->output)
        die(EXIT_USAGE, "where to? add -o FILE.capsule; %s stays as it is", prove.from);
    int code = measure_prove(&prove);
    if (code == EXIT_SAME)
        code = say_results(&prove, options->quiet);
    prove_release(&prove);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "output", .letter = 'o', .argument = "FILE.capsule", .kind = KIND_TEXT, .place = PLACE(output),
           .doc = "write the capsules that are whole to FILE, whole or not at all"),
    &option_timeout, NULL,
};

const struct command command_prove = {
    .name = "prove",
    .arguments = "FILE.capsule",
    .summary = "replay captured kernels, and keep those that are whole",
    .details = "Replays each capsule several times in a process of its own, on this GPU. One whose replays leave in memory "
               "what the program's launch left, bit for bit, is kept. Where replays differ from each other, the bits "
               "that vary are masked. Any other is refused: it needs something that was not captured, such as a texture, "
               "or memory that the kernel itself allocates.\n"
               "Pages of memory that the result does not need are dropped. `cugate capture` does all this by itself.",
    .exits = EXITS({EXIT_SAME, "all were kept"}, {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "some were refused and are not in the file; or there is no GPU"},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate prove kernels.capsule -o proved.capsule",
    .takes = takes,
    .minimum = 1, .maximum = 1, .run = cmd_prove,
};
/* clang-format on */
