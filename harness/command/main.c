#include "fresh_process.h"
#include "list_chip.h"

#include <fcntl.h>
#include <unistd.h>

/* What one wants with a command and those behind it. */
static const struct {
    const struct command *first;
    const char *wish;
} wishes[] = {
    {&command_check, "to judge"},
    {&command_explain, "to find the cause"},
    {&command_init, "to begin"},
    {&command_run, "to keep numbers in a file without judging them"},
    {&command_capture, "to work on captured kernels"},
};

static void print_help(FILE *stream)
{
    fputs("cugate - a performance gate for CUDA kernels\n"
          "\nusage: cugate COMMAND [OPTION]... [ARGUMENT]...\n\ncommands\n",
          stream);
    size_t count;
    const struct command *const *list = commands(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t w = 0; w < ARRAY_SIZE(wishes); w++)
            if (wishes[w].first == list[i])
                fprintf(stream, "%s:\n", wishes[w].wish);
        fprintf(stream, "  %-10s  %s\n", list[i]->name, list[i]->summary);
    }
    fputs("\n"
          "`cugate COMMAND --help` explains a command, and `cugate help words` explains the terms in reports.\n"
          "For completion in bash, type: source <(cugate help completion)\n"
          "\n"
          "example\n"
          "  cugate check --replay run.json\n"
          "\n"
          "exit codes\n",
          stream);
    exit_code_help(stream);
}

static int print_version(void)
{
    printf("cugate %s\n", CUGATE_VERSION);
    return EXIT_SAME;
}

/* Returns the command, or NULL: after error(), unless `tries`. */
static const struct command *find_command(const char *name, bool tries)
{
    size_t count;
    const struct command *const *list = commands(&count);
    OWNED_MEMORY const char **names = x_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = list[i]->name;
        if (strcmp(names[i], name) == 0)
            return list[i];
    }
    if (tries)
        return NULL;
    const char *nearest = nearest_name(name, names, count);
    if (*name == '-')
        error("the command comes first: cugate COMMAND %s; see cugate --help", name);
    else if (nearest)
        error("unknown command '%s'; did you mean %s?", name, nearest);
    else
        error("unknown command '%s'; see cugate --help", name);
    return NULL;
}

/* Prints what a metric counts. False: there is no such metric. */
static bool explain_metric(const char *name)
{
    char *words[] = {"list", "metrics", NULL};
    OWNED(options) options = {0};
    OWNED(metrics) metrics = {0};
    if (options_parse(&options, &command_list, 2, words) < 0 || options_read_metrics(&options, &metrics) < 0)
        return false;
    const struct metric *metric = metrics_find(&metrics, name);
    options.verbose = true;
    if (metric)
        list_metric(&options, metric, NULL);
    return metric;
}

/* Spellings of an earlier release, which work until the next: of a command, or of a word behind it. One that ends in
 * "=" has a value, for the %s of the new one. Without a new one it is passed over. */
static const struct {
    const char *command, *old, *now;
} old_spellings[] = {
    {"exec", NULL, "run"},
    {"prove", NULL, "capture"},
    {"completion", NULL, "help"},
    {NULL, "--explain-words", NULL},
    {"help", "bash", "completion"},
    {"list", "--devices", "gpus"},
    {"list", "--collectors", "collectors"},
    {"list", "--config", "config"},
    {"list", "--chip=", "%s"},
    {"bisect", "--measure", "--device=0"},
    {"swap", "--function=", "--launch=%s"},
    {"swap", "--grid=", "--launch=<<<(%s)>>>"},
    {"swap", "--block=", "--launch=<<<,(%s)>>>"},
    {"swap", "--shared=", "--launch=<<<,,%s>>>"},
    {"referee", "--function=", "--launch=%s"},
    {"referee", "--grid=", "--launch=<<<(%s)>>>"},
    {"referee", "--block=", "--launch=<<<,(%s)>>>"},
    {"referee", "--shared=", "--launch=<<<,,%s>>>"},
};

/* Puts the new spelling in the place of argv[i], and of its value if that is the next word. */
static void take_new_spelling(int *argc, char **argv, int i, const char *now, const char *value)
{
    const size_t before = strcspn(now, "%");
    if (value && value == argv[i + 1])
        memmove(argv + i + 1, argv + i + 2, (size_t)(--*argc - i) * sizeof *argv);
    argv[i] = value ? x_sprintf("%.*s%s%s", (int)before, now, value, now + before + strlen("%s")) : (char *)now;
}

static void take_old_spellings(int *argc, char **argv)
{
    for (size_t o = 0; o < ARRAY_SIZE(old_spellings); o++) {
        const char *command = old_spellings[o].command, *old = old_spellings[o].old, *now = old_spellings[o].now;
        const size_t name = strcspn(old ? old : command, "="); /* without a value */
        for (int i = old ? 1 : 0;
             i < *argc && (!command || strcmp(argv[0], command) == 0) && strcmp(argv[i], "--") != 0; i++) {
            const char *word = argv[i], *end = word + name;
            const bool has_value = old && old[name];
            if (strncmp(word, old ? old : command, name) != 0 || (*end && !(has_value && *end == '=')) ||
                (has_value && !*end && i + 1 == *argc))
                continue;
            if (!now) {
                memmove(argv + i, argv + i + 1, (size_t)((*argc)-- - i) * sizeof *argv);
                warning("%s ends with the next release: `cugate help words` explains terms, `list metrics -v` metrics",
                        old);
                break;
            }
            take_new_spelling(argc, argv, i, now, !has_value ? NULL : *end ? end + 1 : argv[i + 1]);
            warning("`cugate %s%s%.*s` is now `cugate %s%s%s`; the old spelling ends with the next release", command,
                    old ? " " : "", old ? (int)name : 0, old ? old : "", argv[0], old ? " " : "", old ? argv[i] : "");
        }
    }
}

/* words are those of the command line; parsing puts arguments behind options. */
static int run_command(const struct command *command, int argc, char **argv, char **words)
{
    OWNED(options) options = {0};
    int code = EXIT_USAGE;

    if (options_parse(&options, command, argc, argv) == 0) {
        code = EXIT_SAME;
        if (options.help)
            options_help(command, options.verbose, stdout);
        else if (options.version)
            print_version();
        else
            code = fresh_process(command, &options, words) < 0 ? EXIT_NOT_MEASURED : command->run(&options);
    }
    return code;
}

/* Flushes standard output. A full disk behind `cugate list > file` is an error. */
static int flush_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    error("cannot write to standard output");
    return code == EXIT_SAME ? EXIT_USAGE : code;
}

/* Opens /dev/null for standard streams that are closed (`cugate check >&-`). Otherwise the next file would get their
 * number, and receive what is printed. Writing to that standard output fails, so a report is an error; warnings
 * vanish. */
static void fill_descriptors(void)
{
    static const int flags[] = {[STDIN_FILENO] = O_RDONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};
    for (int i = 0; i < (int)ARRAY_SIZE(flags); i++)
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", flags[i]) != i) /* NOLINT(android-cloexec-open): for children too */
            _exit(EXIT_USAGE);
}

int main(int argc, char **argv)
{
    fill_descriptors();
    processes_know_ends();
    if (argc > 1) {
        argc--;
        take_old_spellings(&argc, argv + 1);
        argc++;
    }
    const struct text text = {.stream = stdout, .columns = terminal_columns(stdout)};
    const char *word = argc > 1 ? argv[1] : NULL;
    int code;

    if (!word) {
        print_help(stderr);
        code = EXIT_USAGE;
    } else if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        code = print_version();
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (strcmp(word, "help") == 0 && argc == 2)) {
        print_help(stdout);
        code = EXIT_SAME;
    } else if (strcmp(word, "help") == 0 && strcmp(argv[2], "words") == 0) {
        (void)report_words(&text, NULL);
        code = EXIT_SAME;
    } else if (strcmp(word, "help") == 0 && strcmp(argv[2], "completion") == 0) {
        print_completion();
        code = EXIT_SAME;
    } else if (strcmp(word, "help") == 0 && !find_command(argv[2], true) &&
               (explain_metric(argv[2]) || report_words(&text, argv[2]))) {
        code = EXIT_SAME;
    } else if (strcmp(word, "help") == 0) {
        const struct command *command = find_command(argv[2], false);
        if (command)
            options_help(command, false, stdout);
        code = command ? EXIT_SAME : EXIT_USAGE;
    } else {
        const struct command *command = find_command(word, false);
        OWNED_MEMORY char **words = x_calloc((size_t)argc + 1, sizeof *words);
        memcpy(words, argv, (size_t)argc * sizeof *words);
        code = command ? run_command(command, argc - 1, argv + 1, words) : EXIT_USAGE;
    }
    return flush_output(code);
}
