#include "base/base.h"

#include "command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
/* To add a command: a file cmd_<name>.c, its declaration in commands.h, and a row here. */
static const struct command commands[] = {
    {
        .name = "list",
        .arguments = "",
        .summary = "what there is: kernels, metrics, GPUs, collectors",
        .details = "Lists the kernels of the library, one a line, unless an option names something else to list.\n"
                   "--metrics --chip NAME checks for any chip that each counter exists there, and says how many\n"
                   "passes over a kernel the whole set takes; it needs no GPU.",
        .example = "cugate list --metrics --chip GH100",
        .takes = "k kernels list_metrics devices collectors chip timeout",
        .minimum = 0, .maximum = 0, .run = cmd_list,
    },
    {
        .name = "run",
        .arguments = "",
        .summary = "measure the kernels and write a run file",
        .details = "Runs every kernel in a worker process, checks its output against a reference and collects every\n"
                   "metric. A kernel that crashes, hangs or gives a wrong result costs its own result only.\n"
                   "-o keeps the run as a file for compare, check --replay and accept; the table goes to standard\n"
                   "output. --lines adds what `cugate explain --replay` needs, and what names the line when a kernel gets\n"
                   "worse than a baseline that was accepted from such a run.",
        .example = "cugate run -k 'transpose/*' -o run.json",
        .takes = "k output lines kernels metrics collector device samples timeout",
        .minimum = 0, .maximum = 0, .run = cmd_run,
    },
    {
        .name = "compare",
        .arguments = "BASE.json RUN.json",
        .summary = "judge one run file by another",
        .details = "Needs no GPU. Both must have been measured on the same model of GPU by the same collector.",
        .example = "cugate compare before.json after.json",
        .takes = "k output metrics format report power",
        .minimum = 2, .maximum = 2, .run = cmd_compare,
    },
    {
        .name = "check",
        .arguments = "",
        .summary = "measure, and judge by the baseline of this GPU",
        .details = "The gate. Measures as `cugate run` does, then judges by the baseline of this model of GPU. Kernels\n"
                   "with something worse are measured again, in another process, before that counts.\n"
                   "A filter by -k narrows both sides. With no GPU it exits 5: a gate never passes on nothing.\n"
                   "--against settles the times of code that changed by running BASE.so and --kernels in turn, up to 14\n"
                   "times each, until it is clear. Where no baseline fits this GPU, and for kernels and rows that it\n"
                   "lacks, what BASE.so measures now takes its place.\n"
                   "--static reads the machine code in --kernels and runs no kernel: registers, local and shared memory,\n"
                   "theoretical occupancy in blocks of the baseline's sizes. --replay judges a recorded run instead and\n"
                   "says so in its first line.\n"
                   "What regressed is explained by the source lines whose counts changed, when the base library or the\n"
                   "baseline knows its own (`cugate run --lines`), else by those with most of them now; --explain bounds\n"
                   "the time.\n"
                   "--before names what a change took away from the gate: rows of the baseline, limits, declared\n"
                   "regressions. That changes no verdict.\n"
                   "-o writes the report to a file, --report others of the same verdicts, for example junit=report.xml;\n"
                   "--save keeps the run that was measured.",
        .example = "cugate check --save run.json",
        .takes = "k baselines before replay static against paired explain save output kernels metrics collector device samples timeout "
                 "format report power",
        .minimum = 0, .maximum = 0, .run = cmd_check,
    },
    {
        .name = "accept",
        .arguments = "RUN.json...",
        .summary = "make runs, or some of their rows, the baseline",
        .details = "Writes each chosen row into the baseline of the runs' model of GPU, with the reason; no other row\n"
                   "changes. A row that agrees with the baseline gains the sessions of the runs, so that its limit\n"
                   "becomes sharper: accept good runs now and then. One that moved is replaced, and its old value is\n"
                   "kept beside it. But when the kernel's machine code and its exact counts are the same, a move is\n"
                   "noise: up to 5 % or the limit it is added, further off it is left out and named; -m takes it all\n"
                   "the same. A kernel that is gone is dropped by removing its file.",
        .example = "cugate accept run.json -k transpose/padded -m time --reason \"two more words of padding\"",
        .takes = "k m baselines metrics reason was anchor",
        .minimum = 1, .maximum = -1, .run = cmd_accept,
    },
    {
        .name = "aa",
        .arguments = "[RUN.json...]",
        .summary = "how often the gate would fail without a reason on this machine",
        .details = "Measures the same code in many sessions, judges them by each other, and prints the false alarms, the\n"
                   "spread of each metric, the counters that do not repeat, and the smallest change of time that would be\n"
                   "caught. --save keeps each session as DIR/<its date>.json as soon as it is measured. Run files of two\n"
                   "or more such sessions, of many GPUs and days for example, are analysed without a GPU.\n"
                   "Exit code 1 is a false alarm. Ctrl-C ends it with the sessions that are whole.",
        .example = "cugate aa --sessions 20 --save sessions",
        .takes = "k sessions save_folder output kernels metrics collector device samples timeout text_or_json",
        .minimum = 0, .maximum = -1, .run = cmd_aa,
    },
    {
        .name = "explain",
        .arguments = "KERNEL",
        .summary = "why a kernel is as fast as it is",
        .details = "Measures a kernel, or each that a glob like 'reduce/*' matches, then shows what its launches take,\n"
                   "what limits occupancy and by how little that would change, how near it came to the most that this\n"
                   "GPU can do, and on which source lines it spends its time, waits or does needless work. Several are\n"
                   "explained one after the other; as JSON, a text each.\n"
                   "--replay explains kernels of a recorded run instead and needs no GPU; source lines are in runs of\n"
                   "`cugate run --lines` and `cugate explain --save`. Texts of source lines are looked for below the\n"
                   "current folder. A kernel that was not measured leaves exit code 5, and the others are explained.",
        .example = "cugate explain reduce/interleaved_index",
        .takes = "replay_explained save output kernels metrics collector device samples timeout text_or_json",
        .minimum = 1, .maximum = 1, .run = cmd_explain,
    },
    {
        .name = "doctor",
        .arguments = "",
        .summary = "can this machine measure, and what to change if not",
        .details = "Checks the GPU, its driver, the permission to read counters and the kernel library, and says the\n"
                   "remedy for each thing that is in the way.",
        .example = "cugate doctor",
        .takes = "kernels metrics collector device timeout",
        .minimum = 0, .maximum = 0, .run = cmd_doctor,
    },
};
/* clang-format on */

static void print_help(FILE *stream)
{
    fputs("cugate - a performance gate for CUDA kernels\n"
          "\nusage: cugate COMMAND [OPTION]... [ARGUMENT]...\n\ncommands\n",
          stream);
    for (size_t i = 0; i < ROWS(commands); i++)
        fprintf(stream, "  %-8s  %s\n", commands[i].name, commands[i].summary);
    fputs("\n`cugate COMMAND --help` explains a command; `cugate --version` prints the version.\n"
          "\nexample\n  cugate check --replay run.json\n\nexit codes\n",
          stream);
    exit_code_help(stream);
}

static int print_version(void)
{
    printf("cugate %s\n", CUGATE_VERSION);
    return EXIT_SAME;
}

static const struct command *find_command(const char *name)
{
    const char *names[ROWS(commands)];
    for (size_t i = 0; i < ROWS(commands); i++) {
        names[i] = commands[i].name;
        if (strcmp(names[i], name) == 0)
            return &commands[i];
    }
    const char *nearest = nearest_name(name, names, ROWS(names));
    if (*name == '-')
        error("a command comes first: cugate COMMAND %s; see cugate --help", name);
    else if (nearest)
        error("unknown command '%s'; did you mean %s?", name, nearest);
    else
        error("unknown command '%s'; see cugate --help", name);
    return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct options options;
    int code = EXIT_USAGE;

    if (options_parse(&options, command, argc, argv) == 0) {
        code = EXIT_SAME;
        if (options.help)
            options_help(command, stdout);
        else if (options.version)
            print_version();
        else
            code = command->run(&options);
    }
    options_release(&options);
    return code;
}

/* What was printed counts only once it is written: a full disk behind `cugate list > file` is an error. */
static int flush_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    error("cannot write to standard output");
    return code == EXIT_SAME ? EXIT_USAGE : code;
}

/* The next file that is opened would else get the number of one that was closed (`cugate check >&-`), and what is meant
 * for that number be written into it. Number 1 cannot be written then, so that a report is an error; warnings vanish.
 */
static void fill_descriptors(void)
{
    static const int flags[] = {[STDIN_FILENO] = O_RDONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};
    for (int i = 0; i < (int)ROWS(flags); i++)
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", flags[i]) != i) /* NOLINT(android-cloexec-open): for children too */
            _exit(EXIT_USAGE);
}

int main(int argc, char **argv)
{
    fill_descriptors();
    const char *word = argc > 1 ? argv[1] : NULL;
    int code;

    if (!word) {
        print_help(stderr);
        code = EXIT_USAGE;
    } else if (strcmp(word, "--version") == 0) {
        code = print_version();
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (strcmp(word, "help") == 0 && argc == 2)) {
        print_help(stdout);
        code = EXIT_SAME;
    } else if (strcmp(word, "help") == 0) {
        const struct command *command = find_command(argv[2]);
        if (command)
            options_help(command, stdout);
        code = command ? EXIT_SAME : EXIT_USAGE;
    } else {
        const struct command *command = find_command(word);
        code = command ? run_command(command, argc - 1, argv + 1) : EXIT_USAGE;
    }
    return flush_output(code);
}
