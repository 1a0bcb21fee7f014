#include "command/command.h"
#include "test.h"

struct own_options {
    const char *reason, *was;
    bool devices;
};

/* clang-format off */
static const struct option_row *const all_rows[] = {
    &option_k, &option_output, &option_save, &option_replay, &option_baselines, &option_kernels, &option_metrics,
    &option_collector, &option_device, &option_samples, &option_timeout, &option_format, &option_report,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = ""),
    OPTION(.name = "reason", .argument = "TEXT", .kind = KIND_TEXT, .place = OWN_PLACE(reason), .doc = ""),
    OPTION(.name = "devices", .kind = KIND_FLAG, .place = OWN_PLACE(devices), .doc = ""),
    OPTION(.name = "collectors", .kind = KIND_FLAG, .place = PLACE(power), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = OWN_PLACE(was), .doc = ""),
    NULL,
};
static const struct option_row *const list_rows[] = {
    &option_k,
    OPTION(.name = "metrics", .argument = "DIR", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(list_metrics),
           .place_2 = PLACE(metrics), .place_more = PLACE(metric_sets), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = OWN_PLACE(was), .doc = ""),
    NULL,
};
/* clang-format on */
static const struct option_row *const no_rows[] = {NULL};

#define MADE(words, of, use, rows, least, most)                                                                        \
    FIELDS(.name = (words), .arguments = (of), .summary = "made up for tests", .details = "Takes what it takes.",      \
           .exits = EXITS({EXIT_SAME, "done"}, {EXIT_USAGE, NULL}), .example = (use), .takes = (rows),                 \
           .minimum = (least), .maximum = (most), OWN_DEFAULTS(0))

/* Two commands, because `--metrics` is one option for most commands and another one for `list`. */
static const struct command everything = MADE("everything", "FILE...", "cugate everything file", all_rows, 0, -1);
static const struct command listing = MADE("listing", "", "cugate listing", list_rows, 0, 0);
static const struct command pair = MADE("pair", "BASE RUN", "cugate pair a b", no_rows, 2, 2);

#define WORDS 16

/* Parses words up to the first NULL. Options borrow from it until the next call. */
static int parse(struct options *options, const struct command *command, const char *const *words)
{
    static char *argv[WORDS + 1];
    int argc = 0;
    argv[argc++] = (char *)command->name;
    while (argc < WORDS && words[argc - 1]) {
        argv[argc] = (char *)words[argc - 1];
        argc++;
    }
    argv[argc] = NULL;
    return options_parse(options, command, argc, argv);
}

/* Returns what options have got, but for what they have without any: "k=a,b; samples=3". Caller frees. */
static char *described(const struct options *options)
{
    const struct {
        const char *name, *is, *none;
    } texts[] = {{"baselines", options->baselines, "baselines"},
                 {"collector", options->collector, "cupti"},
                 {"format", options->format, "text"},
                 {"kernels", options->kernels, options->found[0]},
                 {"metrics", options->metrics, options->found[1]},
                 {"output", options->output, NULL},
                 {"reason", OWN(options)->reason, NULL},
                 {"replay", options->replay, NULL},
                 {"save", options->save, NULL},
                 {"was", OWN(options)->was, NULL}};
    const struct {
        const char *name;
        char *const *list;
        size_t count;
    } lists[] = {{"k", options->globs, options->glob_count},
                 {"m", options->metric_globs, options->metric_glob_count},
                 {"report", options->reports, options->report_count},
                 {"sets", options->metric_sets, options->metric_set_count},
                 {"words", options->arguments, options->argument_count}};
    const struct {
        const char *name;
        double is, none;
    } numbers[] = {{"samples", options->samples, 5},
                   {"timeout", options->timeout, 0},
                   {"color", options->color, COLOR_AUTO},
                   {"all", options->devices.all, 0},
                   {"quiet", options->quiet, 0},
                   {"verbose", options->verbose, 0},
                   {"help", options->help, 0},
                   {"version", options->version, 0},
                   {"list_metrics", options->list_metrics, 0},
                   {"devices", OWN(options)->devices, 0},
                   {"power", options->power, 0}};
    char *text = x_strdup("");
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (order_of_texts(texts[i].is, texts[i].none) != 0)
            x_append(&text, "; ", "%s=%s", texts[i].name, texts[i].is);
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        for (size_t k = 0; k < lists[i].count; k++)
            x_append(&text, k ? "," : "; ", "%s%s%s", k ? "" : lists[i].name, k ? "" : "=", lists[i].list[k]);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (numbers[i].is - numbers[i].none != 0)
            x_append(&text, "; ", "%s=%g", numbers[i].name, numbers[i].is);
    for (size_t i = 0; i < options->devices.count; i++)
        x_append(&text, i ? "," : "; ", "%s%d", i ? "" : "device=", options->devices.list[i]);
    return text;
}

Test(options_parse, defaults)
{
    OWNED(options) options;
    cr_assert_eq(parse(&options, &everything, (const char *const[]){NULL}), 0);
    cr_expect_eq(options_timeout(&options), 60); /* of a kernel; a program has none */
    cr_expect_not_null(strstr(options.kernels, "libkernels.so"));
    cr_expect_not_null(strstr(options.metrics, "metrics"));
}

/* The words of a command, with | between: what they give, or what is said of the mistake. */
static void expect_parsed(const char *where, const char *text, const char *expected)
{
    const char *const name = cut_at(&text, " "), *words[WORDS] = {NULL};
    split_at(text, "|", words, WORDS - 1);
    OWNED(options) options;
    const struct command *command = *name == 'p' ? &pair : *name == 'l' ? &listing : &everything;
    HEAR(result, parse(&options, command, *text ? words : words + WORDS - 1));
    OWNED_TEXT gave = result == 0 ? described(&options) : x_strdup("");
    if (strncmp(expected, "gives ", 6) == 0)
        cr_expect(result == 0 && strcmp(gave, expected + 6) == 0, "%s: %s%s", where, said, gave);
    else
        cr_expect(result == -1 && strstr(said, expected), "%s: %s%s", where, said, gave);
}

TEXTS(options_parse, words_give_what_they_say, "tests/unit/command/options_parse.txt", expect_parsed)

Test(options_parse, help_names_every_option_that_is_taken)
{
    PRINT(OWNED_TEXT, text, stream, options_help(&everything, true, stream));
    expect_words(text, "usage: cugate everything [OPTION]... FILE...", "-k GLOB", "-m METRIC", "-o, --output FILE",
                 "--save RUN.json", "--replay RUN.json", "--baselines DIR", "--reason TEXT", "--kernels LIB.so",
                 "--metrics DIR", "--devices", "--collectors", "--chip NAME", "--collector NAME", "--device N",
                 "--samples N", "--timeout SECONDS", "--format FORMAT", "--report FORMAT=FILE", "--color WHEN",
                 "-q, --quiet", "-v, --verbose", "--version", "-h, --help", "cugate everything file", "exit codes",
                 "    0  done", "    2  unknown option");
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        cr_expect_leq(strcspn(line, "\n"), 120u);
}
