#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <unistd.h>

/* getopt_long returns the index of an option's row plus this number, so that it differs from every letter. */
#define FIRST_ROW 256

#define ROWS_MAX 48 /* how many options a command takes at most */

static const char *const color_words[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

static size_t place_of(const struct command *command, const struct option_row *row)
{
    size_t place = 0;
    while (options_row(command, place) != row)
        place++;
    return place;
}

/* Returns an option as it is typed: "-k" or "--kernels". */
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

/* Parses "all", or ordinals separated by commas. */
static int read_devices(const struct option_row *row, const char *name, const char *text, struct device_list *devices)
{
    *devices = (struct device_list){.all = strcmp(text, "all") == 0};
    OWNED_TEXT copy = x_strdup(text);
    char *rest = copy, *word;
    while (!devices->all && (word = strsep(&rest, ","))) {
        const long number = strtol(word, NULL, 10);
        if (!*word || word[strspn(word, "0123456789")] || number < row->minimum || number > row->maximum)
            return error("%s needs all, or ordinals of GPUs such as 0 or 0,1,3, not '%s'", name, text);
        for (size_t i = 0; i < devices->count; i++)
            if (devices->list[i] == number)
                return error("%s names GPU %ld twice in '%s'", name, number, text);
        if (devices->count == DEVICES_MAX)
            return error("%s names more than %d GPUs", name, DEVICES_MAX);
        devices->list[devices->count++] = (int)number;
    }
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
    for (size_t i = 0; i < ARRAY_SIZE(color_words); i++) {
        if (strcmp(text, color_words[i]) == 0) {
            *mode = (enum color_mode)i;
            return 0;
        }
    }
    return error("%s needs auto, always or never, not '%s'", name, text);
}

static void add_to_list(void *place, char *word)
{
    struct list {
        char **words;
        size_t count;
    } *list = place;
    *ARRAY_GROW(list->words, list->count) = word;
}

/* Returns the text behind a leading `+` for options that have a second list; NULL for others. Such texts are added to
 * those of cugate.ini. */
static char *added(const struct option_row *row, char *argument)
{
    return row->place_more && argument && *argument == '+' ? argument + 1 : NULL;
}

/* Stores a text, or with a leading `+` appends it to the option's second list. */
static int take_text(struct options *options, const struct option_row *row, const char *name, const char **place,
                     char *text)
{
    char *more = added(row, text);
    if (!more)
        *place = text;
    else if (*more)
        add_to_list((char *)options + row->place_more, more);
    else
        return error("%s needs a folder, a file or a name after the +", name);
    return 0;
}

static void *field_of(const struct options *options, const struct option_row *row)
{
    return (row->own ? (char *)options->own : (char *)options) + row->place;
}

static const char **second_field(struct options *options, const struct option_row *row)
{
    return (void *)((char *)options + row->place_2);
}

/* Stores an option's value. name is for messages. */
static int store(struct options *options, const struct option_row *row, const char *name, char *argument)
{
    void *place = field_of(options, row);
    const char *text = argument ? argument : "";

    if (argument && !*argument)
        return error("%s needs %s, not an empty string", name, row->argument);

    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)place = true;
        return 0;
    case KIND_TEXT:
    case KIND_FORMAT:
        return take_text(options, row, name, place, argument);
    case KIND_TEXT_OR_FLAG:
        *(bool *)place = true;
        return argument ? take_text(options, row, name, second_field(options, row), argument) : 0;
    case KIND_LIST:
        add_to_list(place, argument);
        return 0;
    case KIND_INTEGER:
        return read_integer(row, name, text, place);
    case KIND_SECONDS:
        return read_seconds(row, name, text, place);
    case KIND_DEVICES:
        return read_devices(row, name, text, place);
    case KIND_COLOR:
        return read_color(name, text, place);
    }
    BUG("option %s has no kind", name);
}

/* Makes the tables that getopt_long needs from the options that the command takes. */
static void tell_getopt(const struct command *command, struct option *longs, char *shorts)
{
    if (command->runs_arguments)
        *shorts++ = '+';
    *shorts++ = ':'; /* so that a missing argument differs from an unknown option */
    const struct option_row *row;
    for (int i = 0; (row = options_row(command, (size_t)i)); i++) {
        if (i == ROWS_MAX)
            BUG("`cugate %s` takes more than %d options", command->name, ROWS_MAX);
        if (row->name[1]) {
            int has = row->kind == KIND_TEXT_OR_FLAG ? optional_argument
                      : row->argument                ? required_argument
                                                     : no_argument;
            *longs++ = (struct option){.name = row->name, .has_arg = has, .val = FIRST_ROW + i};
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

/* Returns the row that getopt_long found. */
static const struct option_row *row_of(const struct command *command, int found)
{
    const struct option_row *row;
    if (found >= FIRST_ROW)
        return options_row(command, (size_t)(found - FIRST_ROW));
    for (size_t i = 0; (row = options_row(command, i)); i++)
        if (row->letter == found)
            return row;
    BUG("getopt found an option -%c that has no row", found);
}

/* Whether the command takes an option, given by long name or letter. */
static bool takes(const struct command *command, const char *name, bool is_long)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(command, i)); i++)
        if (is_long ? row->name[1] && strcmp(row->name, name) == 0 : row->letter == *name)
            return true;
    return false;
}

/* Whether another command takes the option, so it is not misspelled. */
static bool known_elsewhere(const char *name, bool is_long)
{
    size_t count;
    const struct command *const *list = commands(&count);
    return ANY(i, count, takes(list[i], name, is_long));
}

static int refuse_long(const struct command *command, const char *word, const struct option_row *meant)
{
    const char *names[ROWS_MAX];
    size_t count = 0;
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(command, i)); i++)
        if (row->name[1])
            names[count++] = row->name;

    OWNED_TEXT name = x_sprintf("%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = meant ? meant->name : nearest_name(name, names, count);
    if (takes(command, name, true))
        error("--%s takes no argument, so '%s' is not understood", name, word);
    else if (known_elsewhere(name, true))
        error("`cugate %s` does not take --%s; see cugate %s --help", command->name, name, command->name);
    else if (nearest)
        error("unknown option --%s; did you mean --%s?", name, nearest);
    else
        error("unknown option --%s; see cugate %s --help", name, command->name);
    return -1;
}

static int refuse_short(const struct command *command, char letter)
{
    const char name[] = {letter, '\0'};
    if (known_elsewhere(name, false))
        return error("`cugate %s` does not take -%s; see cugate %s --help", command->name, name, command->name);
    return error("unknown option -%s; see cugate %s --help", name, command->name);
}

static void set_defaults(struct options *options)
{
    static const char *const libraries[] = {"libkernels.so", "../lib/cugate/libkernels.so"};
    static const char *const folders[] = {"../metrics", "../share/cugate/metrics"};

    options->found[0] = program_beside(libraries, ARRAY_SIZE(libraries));
    options->found[1] = program_beside(folders, ARRAY_SIZE(folders));
    options->kernels = options->found[0];
    options->metrics = options->found[1];
    options->baselines = OPTIONS_BASELINES;
    options->format = "text";
    options->collector = OPTIONS_COLLECTOR;
    options->samples = OPTIONS_SAMPLES;
    options->sessions = 10;
    options->explain = -1;
}

static int check_arguments(const struct options *options, const struct command *command)
{
    size_t count = options->argument_count;
    if (count < (size_t)command->minimum)
        return error("`cugate %s` needs %s; see cugate %s --help", command->name, command->arguments, command->name);
    if (command->maximum >= 0 && count > (size_t)command->maximum &&
        capsules_is_file(options->arguments[command->maximum]))
        return error("`cugate %s` takes a file of capsules as --kernels %s", command->name,
                     options->arguments[command->maximum]);
    if (options->behind_dashes && command->maximum >= 0 && count > (size_t)command->maximum)
        return error("`cugate %s` runs no program: run it by `cugate run --lines --save RUN.json -- PROGRAM`, and pass "
                     "RUN.json (see cugate %s --help)",
                     command->name, command->name);
    if (command->maximum >= 0 && count > (size_t)command->maximum)
        return error("`cugate %s` does not expect '%s'; see cugate %s --help", command->name,
                     options->arguments[command->maximum], command->name);
    return 0;
}

/* ---- cugate.ini ---- */

/* Returns the option of that long name and its index; NULL when the command takes none. */
static const struct option_row *row_named(const struct command *command, const char *name, size_t *place)
{
    const struct option_row *row;
    for (*place = 0; (row = options_row(command, *place)); ++*place)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static const struct option_row *row_of_any_command(const char *name)
{
    size_t count, place;
    const struct command *const *list = commands(&count);
    for (size_t i = 0; i < count; i++) {
        const struct option_row *row = row_named(list[i], name, &place);
        if (row)
            return row;
    }
    BUG("cugate.ini has the key %s, which is not an option", name);
}

/* Whether the command uses a key of cugate.ini. */
bool options_takes_key(const struct command *command, const char *name)
{
    const struct option_row *row;
    size_t place;
    if (strcmp(name, "gpu") != 0)
        return row_named(command, name, &place);
    for (size_t i = 0; (row = options_row(command, i)); i++)
        if (!row->own && (row->kind == KIND_TEXT_OR_FLAG ? row->place_2 : row->place) == PLACE(gpu))
            return true;
    return false;
}

/* Takes a value from cugate.ini. It is checked even if the command does not use it, so an error in the file is one for
 * every command. */
static int take_from_config(struct options *options, const struct command *command, struct config_key *key,
                            const bool *given)
{
    size_t place;
    const struct option_row *row = row_named(command, key->name, &place);
    struct options unused = {0};
    if (key->names_gpu) {
        /* where a GPU model is needed and none is named; files are judged for a capability instead */
        key->in_force =
            !options->gpu && !options->replay && (options->way == ORIGIN_CODE || options->way == ORIGIN_COMPUTED);
        return 0;
    }
    key->in_force = row && !given[place];
    struct options *taker = key->in_force ? options : &unused;
    if (!row)
        row = row_of_any_command(key->name);
    if (row->own)
        BUG("cugate.ini has the key %s, but --%s is a field of one command alone", key->name, row->name);
    OWNED_TEXT name = x_sprintf("%s:%d: %s", options->config.path, key->line, key->name);
    /* For a flag with an optional text, cugate.ini gives only the text: `list --metrics` lists metrics, and cugate.ini
     * says which. */
    const int result = row->kind == KIND_TEXT_OR_FLAG
                           ? take_text(taker, row, name, second_field(taker, row), key->value)
                           : store(taker, row, name, key->value);
    free(unused.metric_sets);
    return result;
}

/* Takes all values from cugate.ini that the command line does not have. given[i]: the command line has option i. */
static int take_config(struct options *options, const struct command *command, const bool *given)
{
    struct config *config = &options->config;
    TRY(config_read(config));
    for (size_t i = 0; i < config->count; i++)
        TRY(take_from_config(options, command, &config->keys[i], given));
    config_word(config);
    return 0;
}

static int find_description(struct options *options, const struct command *command)
{
    const bool computes = origin_of(options->way)->computed;
    struct problem problem; /* what is to be simulated is asked before on which GPU */
    if (options->replay || !(1u << options->way & (WAYS_OF_LIBRARY | WAY(COMPUTED_PROGRAM) | WAY(COMPUTED))))
        return 0;
    if (options->way == ORIGIN_COMPUTED && !command->replays_argument && !options->gpu &&
        !config_gpu(&options->config) && options_library_is_own(options) && options_find_library(options, &problem) < 0)
        return error("%s", problem.text);
    struct problem *before = computes ? NULL : error_into(&problem); /* a measurement without it only knows less */
    options->description = options->found[2] = options_find_gpu(options);
    if (!computes)
        error_into(before);
    return options->description || !computes ? 0 : -1;
}

/* Whether a word names a library, or a file of capsules or code: it is not a program, but what --kernels names. */
static bool is_library(const char *word)
{
    static const char *const endings[] = {".so", ".capsule", ".cubin", ".fatbin"};
    const char *end = strrchr(word, '.');
    return (end && end > word && ANY(i, ARRAY_SIZE(endings), strcmp(end, endings[i]) == 0)) ||
           (*word && capsules_is_file(word));
}

/* Takes a library as the only argument, without "--", for --kernels. */
static void take_library(struct options *options, const struct command *command, bool *given, bool *typed)
{
    size_t place;
    if (command->minimum > 0 || options->argument_count != 1 || options->behind_dashes || options->is_static ||
        !row_named(command, "kernels", &place) || typed[place] || !is_library(options->arguments[0]))
        return;
    options->kernels = options->arguments[0];
    options->argument_count = 0;
    given[place] = typed[place] = true;
}

/* getopt_long. Options of a command that runs a program end at its name. A library is not one: it becomes the last
 * word, and the options behind it are read. */
static int next_option(const struct command *command, int argc, char **argv, const char *shorts,
                       const struct option *longs)
{
    const int found = getopt_long(argc, argv, shorts, longs, NULL), left = argc - optind - 1;
    if (found >= 0 || !command->runs_arguments || left < 1 || *argv[optind + 1] != '-' ||
        strcmp(argv[optind - 1], "--") == 0 || !is_library(argv[optind]))
        return found;
    for (int i = optind; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return found;
    char *library = argv[optind];
    memmove(argv + optind, argv + optind + 1, (size_t)left * sizeof *argv);
    argv[argc - 1] = library;
    return getopt_long(argc, argv, shorts, longs, NULL);
}

/* Whether the word behind `--simulate` is its GPU, as in `--simulate H200`: it has a digit, and is nothing that
 * could be executed or read, nor a kernel's name. */
static bool names_gpu(const char *word)
{
    OWNED_TEXT program = isalnum((unsigned char)*word) && !strpbrk(word, "/.") ? program_on_path(word) : x_strdup("");
    return !program && access(word, F_OK) < 0 && strpbrk(word, "0123456789") && !strchr(word, '_');
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv)
{
    struct option longs[ROWS_MAX + 1];
    char shorts[2 * ROWS_MAX + 3];
    char name[64];
    bool given[ROWS_MAX] = {false}, typed[ROWS_MAX] = {false};

    *options = (struct options){.command = command, .own = x_calloc(1, command->own_size)};
    if (command->own)
        memcpy(options->own, command->own, command->own_size);
    set_defaults(options);
    tell_getopt(command, longs, shorts);

    optind = 0; /* glibc: reset, since this process may have parsed before */
    opterr = 0;
    const char *taken = NULL; /* the word that the last option took behind it */
    for (int found; (found = next_option(command, argc, argv, shorts, longs)) >= 0;) {
        /* The word of a long option; its argument may be the word behind it. In a cluster such as -qv there is no such
         * word. */
        const char *word = argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
        if (found == '?')
            return optopt == 0 || optopt >= FIRST_ROW ? refuse_long(command, word, NULL)
                                                      : refuse_short(command, (char)optopt);

        int which = found == ':' ? optopt : found;
        const struct option_row *row = row_of(command, which);
        /* getopt accepts abbreviations. They are refused, because options of the next version would change their
         * meaning. */
        if (which >= FIRST_ROW && strlen(row->name) != strcspn(word + 2, "="))
            return refuse_long(command, word, row);
        typed_name(row, name, sizeof name);
        if (found == ':')
            return error("%s needs %s after it", name, row->argument);
        /* `list --metrics +DIR`: a word that begins with `+` is no argument of any command. */
        if (!optarg && row->place_more && optind < argc && *argv[optind] == '+')
            optarg = argv[optind++];
        if (!optarg && row == &option_simulate && optind < argc && names_gpu(argv[optind]))
            optarg = argv[optind++];
        taken = optarg;
        TRY(store(options, row, name, optarg));
        typed[place_of(command, row)] = true;
        if (!added(row, optarg) && (optarg || row->kind != KIND_TEXT_OR_FLAG))
            given[place_of(command, row)] = true;
    }
    options->arguments = argv + optind;
    options->argument_count = (size_t)(argc - optind);
    options->behind_dashes = argv[optind - 1] != taken && strcmp(argv[optind - 1], "--") == 0;
    if (options->help || options->version)
        return 0;
    if (options->behind_dashes && options->argument_count == 0 && command->minimum == 0 && command->maximum != 0)
        return error("no program follows --: name one, or remove --");
    take_library(options, command, given, typed);
    options->subject = options_subject(options, command);
    options->way = options_way(options, command);
    if (check_arguments(options, command) < 0 || take_config(options, command, given) < 0)
        return -1;
    options->subject = options_subject(options, command); /* cugate.ini may name a library and a collector */
    options->way = options_way(options, command);
    if (options_refuse_idle(options, command, typed) < 0 || options_check_files(options, command) < 0)
        return -1;
    return find_description(options, command);
}

void options_release(struct options *options)
{
    const struct option_row *row;
    for (size_t i = 0; options->command && (row = options_row(options->command, i)); i++)
        if (row->kind == KIND_LIST)
            free(*(char ***)field_of(options, row));
    free(options->metric_sets);
    free(options->own);
    for (size_t i = 0; i < ARRAY_SIZE(options->found); i++)
        free(options->found[i]);
    config_release(&options->config);
    *options = (struct options){0};
}
