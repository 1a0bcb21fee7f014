#include "options.h"

#include "base/base.h"
#include "report/report.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind {
    KIND_FLAG,         /* bool */
    KIND_TEXT,         /* const char * */
    KIND_TEXT_OR_FLAG, /* --name sets the bool, --name=TEXT the text as well */
    KIND_LIST,         /* char ** and, right behind it, its size_t count */
    KIND_INTEGER,      /* int */
    KIND_SECONDS,      /* double */
    KIND_COLOR,        /* enum color_mode */
    KIND_FORMAT,       /* const char *, the name of a format of `document` */
};

struct option_row {
    const char *name;     /* the long name; one letter: there is only -x */
    char letter;          /* 0: there is only the long name */
    const char *argument; /* NULL: takes none */
    enum kind kind;
    size_t place;          /* in struct options */
    size_t place_2;        /* KIND_TEXT_OR_FLAG: of the text */
    long minimum, maximum; /* KIND_SECONDS: minimum is excluded */
    bool common;           /* every command takes it */
    const char *key;       /* what `takes` calls it where two rows share a name, else NULL */
    enum document document;
    const char *doc; /* KIND_FORMAT: NULL, for the names of the formats are */
};

/* What getopt_long calls a row: beyond every letter, so that the two are told apart. */
#define FIRST_ROW 256

#define PLACE(field) offsetof(struct options, field)

/* clang-format off */
/* To add an option: a field in struct options, a row here, its name in `takes` of the commands that use it. */
static const struct option_row table[] = {
    {.name = "k", .letter = 'k', .argument = "GLOB", .kind = KIND_LIST, .place = PLACE(globs),
     .doc = "only kernels that match, for example 'transpose/*'; repeatable"},
    {.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
     .doc = "only metrics that match this name or glob; repeatable"},
    {.name = "output", .letter = 'o', .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(output),
     .doc = "write to FILE, whole or not at all; - is standard output"},
    {.name = "save", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(save),
     .doc = "keep what was measured as a run file"},
    {.name = "save", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(save), .key = "save_folder",
     .doc = "keep each session that was measured as a run file in DIR"},
    {.name = "replay", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(replay),
     .doc = "measure nothing: judge a recorded run"},
    {.name = "replay", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(replay), .key = "replay_explained",
     .doc = "measure nothing: explain kernels of a recorded run"},
    {.name = "static", .argument = "GPU", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(static_only), .place_2 = PLACE(gpu),
     .doc = "judge only the facts of the machine code, for the baseline named GPU; needs no GPU"},
    {.name = "against", .argument = "BASE.so", .kind = KIND_TEXT, .place = PLACE(against),
     .doc = "settle times in doubt and those of changed code by running this build in turn with --kernels"},
    {.name = "paired", .kind = KIND_FLAG, .place = PLACE(paired),
     .doc = "run every kernel in turn with --against"},
    {.name = "power", .kind = KIND_FLAG, .place = PLACE(power),
     .doc = "show beside each row the smallest change that would be caught in 99 of 100 cases"},
    {.name = "explain", .argument = "SECONDS", .kind = KIND_INTEGER, .place = PLACE(explain), .minimum = 0,
     .maximum = 86400, .doc = "time for finding the source lines of what regressed (default: 20; 0: none)"},
    {.name = "lines", .kind = KIND_FLAG, .place = PLACE(lines),
     .doc = "also collect counts and stalls by source line: a second for each kernel"},
    {.name = "anchor", .kind = KIND_FLAG, .place = PLACE(anchor),
     .doc = "measure slow drift from these values on, as after a release"},
    {.name = "was", .argument = "KERNEL", .kind = KIND_TEXT, .place = PLACE(was),
     .doc = "the one kernel of -k was called this: take over its baseline"},
    {.name = "sessions", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(sessions), .minimum = 2, .maximum = 1000,
     .doc = "sessions to measure, each a process of its own (default: 10)"},
    {.name = "baselines", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(baselines),
     .doc = "folder of the baselines (default: " OPTIONS_BASELINES ")"},
    {.name = "before", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(before),
     .doc = "say what was weakened since DIR/baselines and DIR/metrics, those of the revision before"},
    {.name = "reason", .argument = "TEXT", .kind = KIND_TEXT, .place = PLACE(reason),
     .doc = "why these values are right; kept in the baseline"},
    {.name = "kernels", .argument = "LIB.so", .kind = KIND_TEXT, .place = PLACE(kernels),
     .doc = "kernel library (default: libkernels.so beside cugate)"},
    {.name = "metrics", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(metrics),
     .doc = "folder of metric definitions (default: the one that came with cugate)"},
    {.name = "metrics", .argument = "DIR", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(list_metrics),
     .place_2 = PLACE(metrics), .key = "list_metrics", .doc = "list the metrics, those defined in DIR when given"},
    {.name = "devices", .kind = KIND_FLAG, .place = PLACE(list_devices), .doc = "list the GPUs"},
    {.name = "collectors", .kind = KIND_FLAG, .place = PLACE(list_collectors), .doc = "list the ways to measure"},
    {.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(chip),
     .doc = "check every counter for this chip, for example GH100; needs no GPU"},
    {.name = "collector", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(collector),
     .doc = "how to measure (default: cupti)"},
    {.name = "device", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(device), .minimum = 0, .maximum = 1023,
     .doc = "ordinal of the GPU (default: 0)"},
    {.name = "samples", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(samples), .minimum = 1, .maximum = 1000,
     .doc = "samples a kernel (default: 5)"},
    {.name = "timeout", .argument = "SECONDS", .kind = KIND_SECONDS, .place = PLACE(timeout), .minimum = 0,
     .maximum = 86400, .doc = "time limit a kernel (default: 60)"},
    {.name = "format", .argument = "FORMAT", .kind = KIND_FORMAT, .place = PLACE(format), .document = DOCUMENT_CHECK},
    {.name = "format", .argument = "FORMAT", .kind = KIND_FORMAT, .place = PLACE(format), .key = "text_or_json",
     .document = DOCUMENT_EXPLAIN},
    {.name = "report", .argument = "FORMAT=FILE", .kind = KIND_LIST, .place = PLACE(reports),
     .doc = "also write the report in this format to FILE, whole or not at all; repeatable"},
    {.name = "color", .argument = "WHEN", .kind = KIND_COLOR, .place = PLACE(color), .common = true,
     .doc = "auto, always or never (default: auto, which honours NO_COLOR)"},
    {.name = "quiet", .letter = 'q', .kind = KIND_FLAG, .place = PLACE(quiet), .common = true,
     .doc = "say only what needs attention"},
    {.name = "verbose", .letter = 'v', .kind = KIND_FLAG, .place = PLACE(verbose), .common = true,
     .doc = "say everything, every row"},
    {.name = "version", .kind = KIND_FLAG, .place = PLACE(version), .common = true, .doc = "print the version"},
    {.name = "help", .letter = 'h', .kind = KIND_FLAG, .place = PLACE(help), .common = true, .doc = "print this"},
};
/* clang-format on */

static const char *const color_words[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

static bool takes(const struct command *command, const struct option_row *row)
{
    if (row->common)
        return true;
    const char *key = row->key ? row->key : row->name;
    size_t length = strlen(key);
    for (const char *word = command->takes; *word; word += strspn(word, " ")) {
        size_t word_length = strcspn(word, " ");
        if (word_length == length && strncmp(word, key, length) == 0)
            return true;
        word += word_length;
    }
    return false;
}

/* "-k" or "--kernels", as it is typed. */
static const char *typed_name(const struct option_row *row, char *text, size_t size)
{
    snprintf(text, size, "%s%s", row->name[1] ? "--" : "-", row->name);
    return text;
}

static int read_integer(const struct option_row *row, const char *name, const char *text, int *number)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < row->minimum || value > row->maximum)
        return error("%s needs a whole number from %ld to %ld, not '%s'", name, row->minimum, row->maximum, text);
    *number = (int)value;
    return 0;
}

static int read_seconds(const struct option_row *row, const char *name, const char *text, double *number)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value <= (double)row->minimum || value > (double)row->maximum)
        return error("%s needs seconds, more than %ld and at most %ld, not '%s'", name, row->minimum, row->maximum,
                     text);
    *number = value;
    return 0;
}

static int read_color(const char *name, const char *text, enum color_mode *mode)
{
    for (size_t i = 0; i < ROWS(color_words); i++) {
        if (strcmp(text, color_words[i]) == 0) {
            *mode = (enum color_mode)i;
            return 0;
        }
    }
    return error("%s needs auto, always or never, not '%s'", name, text);
}

static int store(struct options *options, const struct option_row *row, char *argument)
{
    void *place = (char *)options + row->place;
    const char *text = argument ? argument : "";
    char name[64];
    typed_name(row, name, sizeof name);

    if (argument && !*argument)
        return error("%s needs %s, not an empty word", name, row->argument);

    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)place = true;
        return 0;
    case KIND_TEXT:
    case KIND_FORMAT:
        *(const char **)place = argument;
        return 0;
    case KIND_TEXT_OR_FLAG:
        *(bool *)place = true;
        if (argument)
            *(const char **)(void *)((char *)options + row->place_2) = argument;
        return 0;
    case KIND_LIST: {
        struct list {
            char **words;
            size_t count;
        } *list = place;
        *ARRAY_ADD(list->words, list->count) = argument;
        return 0;
    }
    case KIND_INTEGER:
        return read_integer(row, name, text, place);
    case KIND_SECONDS:
        return read_seconds(row, name, text, place);
    case KIND_COLOR:
        return read_color(name, text, place);
    }
    BUG("option %s has no kind", name);
}

/* What getopt_long wants to know, made of the rows that the command takes. */
static void tell_getopt(const struct command *command, struct option *longs, char *shorts)
{
    *shorts++ = ':'; /* a missing argument is told apart from an unknown option */
    for (size_t i = 0; i < ROWS(table); i++) {
        const struct option_row *row = &table[i];
        if (!takes(command, row))
            continue;
        if (row->name[1]) {
            int has = row->kind == KIND_TEXT_OR_FLAG ? optional_argument
                      : row->argument                ? required_argument
                                                     : no_argument;
            *longs++ = (struct option){.name = row->name, .has_arg = has, .val = FIRST_ROW + (int)i};
        }
        if (row->letter) {
            *shorts++ = row->letter;
            if (row->argument)
                *shorts++ = ':';
        }
    }
    *longs = (struct option){0};
    *shorts = '\0';
}

/* The row of what getopt_long found. */
static const struct option_row *row_of(int found)
{
    if (found >= FIRST_ROW)
        return &table[found - FIRST_ROW];
    for (size_t i = 0; i < ROWS(table); i++)
        if (table[i].letter == found)
            return &table[i];
    BUG("getopt found an option -%c that has no row", found);
}

static const struct option_row *row_of_name(const struct command *command, const char *name)
{
    for (size_t i = 0; i < ROWS(table); i++)
        if (table[i].name[1] && strcmp(table[i].name, name) == 0 && takes(command, &table[i]))
            return &table[i];
    return NULL;
}

/* Whether another command takes the option, so that it is not a slip of the finger. */
static bool known_elsewhere(const char *name, bool is_long)
{
    for (size_t i = 0; i < ROWS(table); i++)
        if (is_long ? strcmp(table[i].name, name) == 0 : table[i].letter == *name)
            return true;
    return false;
}

static int refuse_long(const struct command *command, const char *word, const struct option_row *meant)
{
    const char *names[ROWS(table)];
    size_t count = 0;
    for (size_t i = 0; i < ROWS(table); i++)
        if (table[i].name[1] && takes(command, &table[i]))
            names[count++] = table[i].name;

    char *name = x_sprintf("%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = meant ? meant->name : nearest_name(name, names, count);
    if (row_of_name(command, name))
        error("--%s takes no argument, so '%s' is not understood", name, word);
    else if (known_elsewhere(name, true))
        error("`cugate %s` does not take --%s; see cugate %s --help", command->name, name, command->name);
    else if (nearest)
        error("unknown option --%s; did you mean --%s?", name, nearest);
    else
        error("unknown option --%s; see cugate %s --help", name, command->name);
    free(name);
    return -1;
}

static int refuse_short(const struct command *command, char letter)
{
    const char name[] = {letter, '\0'};
    if (known_elsewhere(name, false))
        return error("`cugate %s` does not take -%s; see cugate %s --help", command->name, name, command->name);
    return error("unknown option -%s; see cugate %s --help", name, command->name);
}

/* The first of the candidates beside the program that exists, else the first. Caller frees. */
static char *find_beside(const char *const *candidates, size_t count)
{
    char *folder = program_folder();
    char *path = NULL;
    for (size_t i = 0; i < count; i++) {
        path = x_sprintf("%s/%s", folder, candidates[i]);
        if (access(path, F_OK) == 0)
            break;
        free(path);
        path = NULL;
    }
    if (!path)
        path = x_sprintf("%s/%s", folder, candidates[0]);
    free(folder);
    return path;
}

static void set_defaults(struct options *options)
{
    static const char *const libraries[] = {"libkernels.so", "../lib/cugate/libkernels.so"};
    static const char *const folders[] = {"../metrics", "../share/cugate/metrics"};

    options->found[0] = find_beside(libraries, ROWS(libraries));
    options->found[1] = find_beside(folders, ROWS(folders));
    options->kernels = options->found[0];
    options->metrics = options->found[1];
    options->baselines = OPTIONS_BASELINES;
    options->format = "text";
    options->collector = "cupti";
    options->samples = 5;
    options->timeout = 60;
    options->sessions = 10;
    options->explain = 20;
}

static int check_arguments(const struct options *options, const struct command *command)
{
    size_t count = options->argument_count;
    if (count < (size_t)command->minimum)
        return error("`cugate %s` needs %s; see cugate %s --help", command->name, command->arguments, command->name);
    if (command->maximum >= 0 && count > (size_t)command->maximum)
        return error("`cugate %s` does not know what to do with '%s'; see cugate %s --help", command->name,
                     options->arguments[command->maximum], command->name);
    return 0;
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv)
{
    struct option longs[ROWS(table) + 1];
    char shorts[2 * ROWS(table) + 2];
    char name[64];

    *options = (struct options){0};
    set_defaults(options);
    tell_getopt(command, longs, shorts);

    optind = 0; /* glibc: start anew, also after another parse in this process */
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, shorts, longs, NULL)) >= 0;) {
        /* The word of a long option: an argument may stand behind it. In the midst of -qv it is no such word. */
        const char *word = argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
        if (found == '?')
            return optopt == 0 || optopt >= FIRST_ROW ? refuse_long(command, word, NULL)
                                                      : refuse_short(command, (char)optopt);

        int which = found == ':' ? optopt : found;
        const struct option_row *row = row_of(which);
        /* getopt takes abbreviations. They are refused: the next version's options would change their sense. */
        if (which >= FIRST_ROW && strlen(row->name) != strcspn(word + 2, "="))
            return refuse_long(command, word, row);
        if (found == ':')
            return error("%s needs %s behind it", typed_name(row, name, sizeof name), row->argument);
        if (store(options, row, optarg) < 0)
            return -1;
    }
    options->arguments = argv + optind;
    options->argument_count = (size_t)(argc - optind);
    if (options->help || options->version)
        return 0;
    return check_arguments(options, command) < 0 ? -1 : options_check_files(options);
}

bool options_color(const struct options *options, FILE *stream)
{
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0) && isatty(fileno(stream));
}

void options_release(struct options *options)
{
    free(options->globs);
    free(options->metric_globs);
    free(options->reports);
    for (size_t i = 0; i < ROWS(options->found); i++)
        free(options->found[i]);
    *options = (struct options){0};
}

static void print_rows(const struct command *command, bool common, FILE *stream)
{
    for (size_t i = 0; i < ROWS(table); i++) {
        const struct option_row *row = &table[i];
        if (row->common != common || !takes(command, row))
            continue;
        char letter[4] = "   ";
        char name[64] = "";
        if (row->letter)
            snprintf(letter, sizeof letter, "-%c%s", row->letter, row->name[1] ? "," : "");
        if (row->name[1])
            snprintf(name, sizeof name, "--%s%s", row->name, row->kind == KIND_TEXT_OR_FLAG ? "[=" : "");
        char left[128];
        snprintf(left, sizeof left, "%s %s%s%s%s", letter, name,
                 row->argument && row->kind != KIND_TEXT_OR_FLAG && row->name[1] ? " " : "",
                 row->argument ? row->argument : "", row->kind == KIND_TEXT_OR_FLAG ? "]" : "");
        char *formats = row->kind == KIND_FORMAT ? format_names(row->document) : NULL;
        fprintf(stream, "  %-24s  %s%s\n", left, formats ? formats : row->doc, formats ? " (default: text)" : "");
        free(formats);
    }
}

void options_help(const struct command *command, FILE *stream)
{
    fprintf(stream, "cugate %s - %s\n\n", command->name, command->summary);
    fprintf(stream, "usage: cugate %s [OPTION]...%s%s\n\n", command->name, *command->arguments ? " " : "",
            command->arguments);
    fprintf(stream, "%s\n\noptions\n", command->details);
    print_rows(command, false, stream);
    fputs("\noptions of every command\n", stream);
    print_rows(command, true, stream);
    fprintf(stream, "\nexample\n  %s\n\nexit codes\n", command->example);
    exit_code_help(stream);
}
