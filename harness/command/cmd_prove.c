#include "base/base.h"
#include "measure/measure.h"

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
        fprintf(stderr,
                "%zu kernel%s: the search for writes that change nothing ran out of time, so only those found "
                "are compared\n",
                count, plural(count));
}

/* Says what came of all, and of each that is refused. */
static int say_results(const struct prove *prove, bool quiet)
{
    size_t varying = 0;
    for (size_t i = 0; i < prove->count; i++) {
        const struct proof_result *result = &prove->results[i];
        varying += !result->refused && result->varies;
        if (result->refused)
            warning("%s is refused: %s", result->id, result->refused);
        else if (result->uncompared)
            warning("the whole result of %s varies from replay to replay: it can be measured, but its result is not "
                    "compared",
                    result->id);
        if (!result->refused && result->careful)
            warning(
                "%s fails on cleared memory: all its memory is kept, and writes that change nothing are not compared",
                result->id);
    }
    if (prove->kept == 0) {
        error("no kernel can be replayed: %s was not written", prove->to);
        return EXIT_NOT_MEASURED;
    }
    if (!quiet) {
        say_gaps(prove);
        say_file(prove, varying);
    }
    return prove->kept < prove->count ? EXIT_NOT_MEASURED : EXIT_SAME;
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
        die(EXIT_USAGE, "no output file: add -o FILE.capsule; %s does not change", prove.from);
    if (output_expect_file(prove.to) < 0)
        return EXIT_USAGE;
    int code = measure_prove(&prove);
    if (code == EXIT_SAME)
        code = say_results(&prove, options->quiet);
    prove_release(&prove);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "output", .letter = 'o', .argument = "FILE.capsule", .kind = KIND_TEXT, .place = PLACE(output),
           .doc = "write the replayed capsules to FILE, atomically"),
    &option_timeout, NULL,
};

const struct command command_prove = {
    .name = "prove",
    .arguments = "FILE.capsule",
    .summary = "replay captured kernels, and keep those that reproduce",
    .details = "Replays each capsule several times in a separate process, on this GPU. It is kept if its replays leave "
               "the same memory as the program's launch, bit for bit. Bits that vary between replays are masked. Any "
               "other capsule is refused: it needs something that was not captured, such as a texture, or memory that "
               "the kernel itself allocates.\n"
               "Pages of memory that the result does not need are dropped. `cugate capture` does all this by itself.",
    .exits = EXITS({EXIT_SAME, "all capsules were kept"}, {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "some kernels were refused and are not in the file, or no GPU"},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate prove kernels.capsule -o proved.capsule",
    .takes = takes,
    .minimum = 1, .maximum = 1, .replays_argument = true, .run = cmd_prove,
};
/* clang-format on */
