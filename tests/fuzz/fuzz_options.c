/* fuzz_options.c - any words on the command line: no crash, no leak, numbers within their bounds; and what was
 * understood, written out again, is understood the same. A word a line; the first byte chooses the command. */
#include "command/options.h"
#include "fuzz.h"

#include <stdarg.h>

#define WORDS 64

/* clang-format off */
static const struct option_row *const all_rows[] = {
    &option_k, &option_output, &option_save, &option_replay, &option_baselines, &option_kernels, &option_metrics,
    &option_collector, &option_device, &option_samples, &option_timeout, &option_format,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = ""),
    OPTION(.name = "reason", .argument = "TEXT", .kind = KIND_TEXT, .place = PLACE(reason), .doc = ""),
    OPTION(.name = "devices", .kind = KIND_FLAG, .place = PLACE(paired), .doc = ""),
    OPTION(.name = "collectors", .kind = KIND_FLAG, .place = PLACE(power), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(suppress), .doc = ""),
    NULL,
};
static const struct option_row *const list_rows[] = {
    &option_k, &option_kernels,
    OPTION(.name = "metrics", .argument = "DIR", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(list_metrics),
           .place_2 = PLACE(metrics), .place_more = PLACE(metric_sets), .doc = ""),
    OPTION(.name = "devices", .kind = KIND_FLAG, .place = PLACE(paired), .doc = ""),
    OPTION(.name = "collectors", .kind = KIND_FLAG, .place = PLACE(power), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(suppress), .doc = ""),
    NULL,
};
/* clang-format on */
static const struct option_row *const compare_rows[] = {&option_k, &option_format, NULL};

static const struct command commands[] = {
    {
        .name = "check",
        .takes = all_rows,
        .arguments = "FILE...",
        .maximum = -1,
    },
    {.name = "list", .takes = list_rows, .arguments = ""},
    {.name = "compare", .takes = compare_rows, .arguments = "BASE RUN", .minimum = 2, .maximum = 2},
};

struct words {
    char *list[8 * WORDS];
    int count;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    words->list[words->count++] = x_vsprintf(format, list);
    va_end(list);
}

/* Adds an option; text is NULL where it has no argument. */
static void add_option(struct words *words, const struct option_row *row, const char *text)
{
    const bool is_long = row->name[1];
    add(words, "%s%s%s%s", is_long ? "--" : "-", row->name, is_long && text ? "=" : "", text ? text : "");
}

static void add_list(struct words *words, const struct option_row *row, const void *place, const char *before)
{
    const struct list {
        char **words;
        size_t count;
    } *list = place;
    for (size_t i = 0; i < list->count; i++) {
        OWNED_TEXT text = x_sprintf("%s%s", before, list->words[i]);
        add_option(words, row, text);
    }
}

static void add_devices(struct words *words, const struct option_row *row, const struct device_list *devices)
{
    char ordinals[5 * DEVICES_MAX + 1] = "";
    for (size_t i = 0, used = 0; i < devices->count; i++)
        used += (size_t)snprintf(ordinals + used, sizeof ordinals - used, "%s%d", i ? "," : "", devices->list[i]);
    if (devices->all || devices->count > 0)
        add_option(words, row, devices->all ? "all" : ordinals);
}

static void write_option(struct words *words, const struct option_row *row, const struct options *options)
{
    static const char *const colors[] = {"auto", "always", "never"};
    const void *place = (const char *)options + row->place, *place_2 = (const char *)options + row->place_2;
    if (row->place_more)
        add_list(words, row, (const char *)options + row->place_more, "+");
    if (row->kind == KIND_FLAG && *(const bool *)place)
        add_option(words, row, NULL);
    else if ((row->kind == KIND_TEXT || row->kind == KIND_FORMAT) && *(const char *const *)place)
        add_option(words, row, *(const char *const *)place);
    else if (row->kind == KIND_TEXT_OR_FLAG && *(const bool *)place)
        add_option(words, row, *(const char *const *)place_2);
    else if (row->kind == KIND_LIST)
        add_list(words, row, place, "");
    else if (row->kind == KIND_INTEGER)
        add(words, "--%s=%d", row->name, *(const int *)place);
    else if (row->kind == KIND_SECONDS && *(const double *)place > 0)
        add(words, "--%s=%.17g", row->name, *(const double *)place);
    else if (row->kind == KIND_DEVICES)
        add_devices(words, row, place);
    else if (row->kind == KIND_COLOR)
        add_option(words, row, colors[*(const enum color_mode *)place]);
}

static struct words written(const struct command *command, const struct options *options)
{
    struct words words = {0};
    const struct option_row *row;
    add(&words, "%s", command->name);
    for (size_t i = 0; (row = options_row(command, i)); i++)
        write_option(&words, row, options);
    if (options->argument_count > 0)
        add(&words, "--");
    for (size_t i = 0; i < options->argument_count; i++)
        add(&words, "%s", options->arguments[i]);
    return words;
}

static void check_bounds(const struct options *options, const struct command *command)
{
    if (options->samples < 1 || options->samples > 1000 || options->devices.count > DEVICES_MAX ||
        !(options->timeout >= 0 && options->timeout <= 86400) || options->first < 0 || options->skip < 0 ||
        options->runs < 0)
        BUG("a number is out of bounds");
    if (options->help || options->version)
        return;
    if (options->argument_count < (size_t)command->minimum ||
        (command->maximum >= 0 && options->argument_count > (size_t)command->maximum))
        BUG("%zu arguments", options->argument_count);
}

static void release_words(struct words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->list[i]);
}

static void parse_again(const struct command *command, const struct options *options)
{
    struct words words = written(command, options);
    char *argv[ARRAY_SIZE(words.list) + 1]; /* which parsing reorders */
    memcpy(argv, words.list, sizeof words.list);
    argv[words.count] = NULL;

    OWNED(options) again;
    if (options_parse(&again, command, words.count, argv) < 0)
        BUG("what was understood is not understood again");
    struct words now = written(command, &again);
    if (now.count != words.count)
        BUG("%d words became %d", words.count, now.count);
    for (int i = 0; i < now.count; i++)
        if (strcmp(words.list[i], now.list[i]) != 0)
            BUG("'%s' became '%s'", words.list[i], now.list[i]);
    release_words(&now);
    release_words(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const struct command *command = &commands[data[0] % ARRAY_SIZE(commands)];
    OWNED_TEXT text = x_calloc(size, 1); /* the rest and a NUL */
    memcpy(text, data + 1, size - 1);

    char *argv[WORDS + 2];
    int argc = 0;
    argv[argc++] = (char *)command->name;
    for (char *word = strtok(text, "\n"); word && argc <= WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    argv[argc] = NULL;

    OWNED(options) options;
    if (options_parse(&options, command, argc, argv) == 0) {
        check_bounds(&options, command);
        parse_again(command, &options);
    }
    return 0;
}
