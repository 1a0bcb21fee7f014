#include "command.h"
#include "from_check.h"
#include "outputs.h"

#include <errno.h>

struct own_options {
    int launch; /* 0: none was given */
};

/* Replays what was captured, in a new image of this program: its addresses must be free there. */
static int prove(const struct options *options, const char *path, const struct interrupts *interrupts)
{
    OWNED_TEXT timeout = options->timeout > 0 ? x_sprintf("--timeout=%.17g", options->timeout) : NULL;
    const char *const first = timeout ? timeout : options->quiet ? "-q" : NULL;
    const char *words[] = {
        "/proc/self/exe", "capture", path, "-o", options->output, first, timeout && options->quiet ? "-q" : NULL, NULL};
    struct signalfd_siginfo taken;
    int status = 0;
    const pid_t process =
        process_start(&(struct process_start){.words = words, .mask = &interrupts->before, .dies_with_us = true});
    if (process < 0)
        return FAIL(EXIT_NOT_MEASURED, "cannot start cugate again: %s", strerror(errno));
    while (!process_ends_within(process, 0.02, &status))
        if (interrupts_take(interrupts, &taken))
            kill(process, (int)taken.ssi_signo);
    return process_exit_code(status);
}

/* What chooses kernels: globs of -k, and names from a check. */
struct choice {
    char **globs;
    size_t glob_count;
    char **named; /* owned */
    size_t named_count;
};

/* Puts both into one list. -1 after error(). */
static int choose(struct choice *choice, const struct options *options)
{
    *choice = (struct choice){0};
    if (options->from_check && from_check_read(options->from_check, &choice->named, &choice->named_count) < 0)
        return -1;
    for (size_t i = 0; i < options->glob_count; i++)
        *ARRAY_GROW(choice->globs, choice->glob_count) = options->globs[i];
    for (size_t i = 0; i < choice->named_count; i++)
        *ARRAY_GROW(choice->globs, choice->glob_count) = choice->named[i];
    return 0;
}

static void choice_release(struct choice *choice)
{
    for (size_t i = 0; i < choice->named_count; i++)
        free(choice->named[i]);
    free(choice->named);
    free(choice->globs);
}

static int capture(const struct options *options, const struct metrics *metrics, const struct choice *choice,
                   const char *path, const struct interrupts *interrupts)
{
    struct measurement measurement;
    struct program program;
    struct captured captured = {.path = path, .launch = (size_t)OWN(options)->launch};
    if (options_measurement(&measurement, options, metrics) < 0 || options_program(&program, &measurement, options) < 0)
        return EXIT_USAGE;
    measurement.globs = choice->globs;
    measurement.glob_count = choice->glob_count;
    program.speaks = true;
    program.first = 0; /* nothing is measured */
    int code = program_capture(&measurement, &captured);
    free(program.name);
    if (code == EXIT_SAME)
        code = prove(options, path, interrupts);
    return code == EXIT_SAME && captured.refused > 0 ? EXIT_NOT_MEASURED : code;
}

/* Captures into a file that is removed, since only what can be replayed is kept. */
static int capture_and_prove(const struct options *options, const struct metrics *metrics, const struct choice *choice)
{
    struct interrupts interrupts; /* signals stay held back between the parts, too: the folder is removed */
    TRY_AS(EXIT_NOT_MEASURED, interrupts_open(&interrupts));
    int code = EXIT_USAGE;
    char *folder = make_temporary_folder();
    if (folder) {
        OWNED_TEXT path = x_sprintf("%s/as_captured.capsule", folder);
        code = capture(options, metrics, choice, path, &interrupts);
        remove_temporary_folder(folder);
    }
    return interrupts_close(&interrupts) && code == EXIT_SAME ? EXIT_INTERRUPTED : code;
}

static int cmd_capture(const struct options *options)
{
    OWNED(metrics) metrics = {0};
    OWNED(choice) choice = {0};
    if (!options->output)
        die(EXIT_USAGE, "no output file: add -o FILE.capsule before %s", options->arguments[0]);
    const bool proves = options->subject == SUBJECT_CAPSULES;
    if (proves && options->argument_count > 1)
        die(EXIT_USAGE, "`cugate capture %s` does not expect '%s'", options->arguments[0], options->arguments[1]);
    if (proves)
        return prove_file(options);
    if (output_expect_file(options->output) < 0 || options_read_metrics(options, &metrics) < 0)
        return EXIT_USAGE;
    return choose(&choice, options) < 0 ? EXIT_USAGE : capture_and_prove(options, &metrics, &choice);
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "output", .letter = 'o', .argument = "FILE.capsule", .kind = KIND_TEXT, .place = PLACE(output),
           .doc = "write the capsules to FILE, atomically"),
    OPTION(.name = "k", .letter = 'k', .argument = "GLOB", .kind = KIND_LIST, .place = PLACE(globs), .ways = WAY(PROGRAM),
           .doc = "only kernels that match: 'train/softmax*'; quoted; repeatable"),
    OPTION(.name = "from-check", .argument = "REPORT.json", .kind = KIND_TEXT, .place = PLACE(from_check), .ways = WAY(PROGRAM),
           .doc = "capture the kernels that `cugate check --report json=REPORT.json -- PROGRAM` found worse"),
    OPTION(.name = "launch", .argument = "N", .kind = KIND_INTEGER, .place = OWN_PLACE(launch), .minimum = 1, .maximum = 1000000000, .ways = WAY(PROGRAM),
           .doc = "which launch of each kernel to capture (default: the middle one)"),
    &option_nvtx, &option_from_start, &option_name, &option_metrics, &option_timeout, NULL,
};

const struct command command_capture = {
    OWN_DEFAULTS(0),
    .name = "capture",
    .arguments = "-- PROGRAM [ARG]... | FILE.capsule",
    .summary = "capture launches of an unmodified program as kernels that run anywhere",
    .details = "Runs PROGRAM twice: first to list its launches, then to capture the middle launch of each kernel and "
               "shape, with its machine code, arguments and all reachable memory, before and after. Each capture is "
               "replayed several times in another process, on this GPU. It is kept if every replay leaves the same memory, bit for "
               "bit; bits that vary between replays are masked. Any other capsule is refused: it needs something that was "
               "not captured, such as a texture. --timeout applies to each run of PROGRAM and to each replay.\n"
               "The file is a kernel library: `cugate check --kernels FILE.capsule` measures its kernels, with inputs "
               "restored before each launch and their results compared, and with --simulate computes them without a "
               "GPU. `cugate capture FILE.capsule -o NEW.capsule` replays the kernels of a file anew, on another GPU for "
               "example, and keeps those that reproduce.\n"
               "FILE contains the program's data: inputs, weights, all that its kernels can reach. Share it with the same care.",
    .exits = EXITS({EXIT_SAME, "all chosen kernels were captured and replayed"}, {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "some kernels were refused and are not in the file, no GPU, or PROGRAM failed"},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate capture -k 'train/softmax*' -o softmax.capsule -- python3 train.py",
    .takes = takes,
    .minimum = 1, .maximum = -1, .runs_arguments = true, .run = cmd_capture,
    .replays_argument = true,
    .ways = WAY(PROGRAM) | WAY(MEASURED),
};
/* clang-format on */
