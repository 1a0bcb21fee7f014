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
    OPTION(.name = "devices", .kind = KIND_FLAG, .place = PLACE(list_devices), .doc = ""),
    OPTION(.name = "collectors", .kind = KIND_FLAG, .place = PLACE(list_collectors), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(chip), .doc = ""),
    NULL,
};
static const struct option_row *const list_rows[] = {
    &option_k, &option_kernels,
    OPTION(.name = "metrics", .argument = "DIR", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(list_metrics),
           .place_2 = PLACE(metrics), .place_more = PLACE(metric_sets), .doc = ""),
    OPTION(.name = "devices", .kind = KIND_FLAG, .place = PLACE(list_devices), .doc = ""),
    OPTION(.name = "collectors", .kind = KIND_FLAG, .place = PLACE(list_collectors), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(chip), .doc = ""),
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
    if (vasprintf(&words->list[words->count++], format, list) < 0)
        BUG("no memory");
    va_end(list);
}

static void add_text(struct words *words, const char *name, const char *text)
{
    if (text)
        add(words, "--%s=%s", name, text);
}

static void write_options(struct words *words, const struct command *command, const struct options *options)
{
    bool all = command == &commands[0];
    bool list = command == &commands[1];
    static const char *const colors[] = {"auto", "always", "never"};

    add(words, "%s", command->name);
    for (size_t i = 0; i < options->glob_count; i++)
        add(words, "-k%s", options->globs[i]);
    for (size_t i = 0; i < options->metric_glob_count; i++)
        add(words, "-m%s", options->metric_globs[i]);
    if (all) {
        add_text(words, "output", options->output);
        add_text(words, "save", options->save);
        add_text(words, "replay", options->replay);
        add_text(words, "baselines", options->baselines);
        add_text(words, "reason", options->reason);
        add_text(words, "collector", options->collector);
        if (options->devices.all)
            add(words, "--device=all");
        char ordinals[5 * DEVICES_MAX + 1] = "";
        for (size_t i = 0, used = 0; i < options->devices.count; i++)
            used += (size_t)snprintf(ordinals + used, sizeof ordinals - used, "%s%d", i ? "," : "",
                                     options->devices.list[i]);
        add_text(words, "device", *ordinals ? ordinals : NULL);
        add(words, "--samples=%d", options->samples);
        if (options->timeout > 0)
            add(words, "--timeout=%.17g", options->timeout);
        add_text(words, "metrics", options->metrics);
    }
    if (all || list) {
        add_text(words, "kernels", options->kernels);
        add_text(words, "chip", options->chip);
        if (options->list_devices)
            add(words, "--devices");
        if (options->list_collectors)
            add(words, "--collectors");
    }
    if (options->list_metrics)
        add_text(words, "metrics", options->metrics);
    for (size_t i = 0; i < options->metric_set_count; i++)
        add(words, "--metrics=+%s", options->metric_sets[i]);
    if (!list)
        add_text(words, "format", options->format);
    add_text(words, "color", colors[options->color]);
    if (options->quiet)
        add(words, "-q");
    if (options->verbose)
        add(words, "-v");
    if (options->help)
        add(words, "-h");
    if (options->version)
        add(words, "--version");
    add(words, "--");
    for (size_t i = 0; i < options->argument_count; i++)
        add(words, "%s", options->arguments[i]);
}

static void same_text(const char *what, const char *a, const char *b)
{
    if ((a == NULL) != (b == NULL) || (a && strcmp(a, b) != 0))
        BUG("%s: '%s' became '%s'", what, a ? a : "(none)", b ? b : "(none)");
}

static void same_list(const char *what, char *const *a, size_t a_count, char *const *b, size_t b_count)
{
    if (a_count != b_count)
        BUG("%s: %zu words became %zu", what, a_count, b_count);
    for (size_t i = 0; i < a_count; i++)
        same_text(what, a[i], b[i]);
}

static void same_options(const struct options *a, const struct options *b)
{
    same_list("-k", a->globs, a->glob_count, b->globs, b->glob_count);
    same_list("-m", a->metric_globs, a->metric_glob_count, b->metric_globs, b->metric_glob_count);
    same_list("arguments", a->arguments, a->argument_count, b->arguments, b->argument_count);
    same_text("--output", a->output, b->output);
    same_text("--save", a->save, b->save);
    same_text("--replay", a->replay, b->replay);
    same_text("--baselines", a->baselines, b->baselines);
    same_text("--reason", a->reason, b->reason);
    same_text("--kernels", a->kernels, b->kernels);
    same_text("--metrics", a->metrics, b->metrics);
    same_list("--metrics +", a->metric_sets, a->metric_set_count, b->metric_sets, b->metric_set_count);
    same_text("--chip", a->chip, b->chip);
    same_text("--collector", a->collector, b->collector);
    same_text("--format", a->format, b->format);
    if (memcmp(&a->devices, &b->devices, sizeof a->devices) != 0 || a->samples != b->samples ||
        !(a->timeout == b->timeout) || a->color != b->color)
        BUG("a number or the colour changed");
    if (a->quiet != b->quiet || a->verbose != b->verbose || a->help != b->help || a->version != b->version ||
        a->list_metrics != b->list_metrics || a->list_devices != b->list_devices ||
        a->list_collectors != b->list_collectors)
        BUG("a flag changed");
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

static void parse_again(const struct command *command, const struct options *options)
{
    struct words words = {0};
    write_options(&words, command, options);
    char *argv[ARRAY_SIZE(words.list) + 1];
    memcpy(argv, words.list, sizeof words.list);
    argv[words.count] = NULL;

    struct options again;
    if (options_parse(&again, command, words.count, argv) < 0)
        BUG("what was understood is not understood again");
    same_options(options, &again);
    options_release(&again);
    for (int i = 0; i < words.count; i++)
        free(words.list[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const struct command *command = &commands[data[0] % ARRAY_SIZE(commands)];
    char *text = x_calloc(size, 1); /* the rest and a NUL */
    memcpy(text, data + 1, size - 1);

    char *argv[WORDS + 2];
    int argc = 0;
    argv[argc++] = (char *)command->name;
    for (char *word = strtok(text, "\n"); word && argc <= WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    argv[argc] = NULL;

    struct options options;
    if (options_parse(&options, command, argc, argv) == 0) {
        check_bounds(&options, command);
        parse_again(command, &options);
    }
    options_release(&options);
    free(text);
    return 0;
}
