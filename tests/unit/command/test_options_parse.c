#include "command/command.h"
#include "test.h"

/* clang-format off */
static const struct option_row *const all_rows[] = {
    &option_k, &option_output, &option_save, &option_replay, &option_baselines, &option_kernels, &option_metrics,
    &option_collector, &option_device, &option_samples, &option_timeout, &option_format, &option_report,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = ""),
    OPTION(.name = "reason", .argument = "TEXT", .kind = KIND_TEXT, .place = PLACE(reason), .doc = ""),
    OPTION(.name = "devices", .kind = KIND_FLAG, .place = PLACE(paired), .doc = ""),
    OPTION(.name = "collectors", .kind = KIND_FLAG, .place = PLACE(power), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(was), .doc = ""),
    NULL,
};
static const struct option_row *const list_rows[] = {
    &option_k,
    OPTION(.name = "metrics", .argument = "DIR", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(list_metrics),
           .place_2 = PLACE(metrics), .place_more = PLACE(metric_sets), .doc = ""),
    OPTION(.name = "chip", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(was), .doc = ""),
    NULL,
};
/* clang-format on */
static const struct option_row *const no_rows[] = {NULL};

#define MADE(words, of, use, rows, least, most)                                                                        \
    FIELDS(.name = (words), .arguments = (of), .summary = "made up for tests", .details = "Takes what it takes.",      \
           .exits = EXITS({EXIT_SAME, "done"}, {EXIT_USAGE, NULL}), .example = (use), .takes = (rows),                 \
           .minimum = (least), .maximum = (most))

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

Test(options_parse, defaults)
{
    OWNED(options) options;
    cr_assert_eq(parse(&options, &everything, (const char *const[]){NULL}), 0);
    cr_expect_str_eq(options.baselines, "baselines");
    cr_expect_str_eq(options.format, "text");
    cr_expect_str_eq(options.collector, "cupti");
    cr_expect_eq(options.devices.count, 0);
    cr_expect_eq(options.samples, 5);
    cr_expect_eq(options.timeout, 0); /* the default depends: 60 for a kernel, none for a program */
    cr_expect_eq(options_timeout(&options), 60);
    cr_expect_eq(options.color, COLOR_AUTO);
    cr_expect_not_null(strstr(options.kernels, "libkernels.so"));
    cr_expect_not_null(strstr(options.metrics, "metrics"));
    cr_expect_null(options.output);
    cr_expect_eq(options.glob_count + options.metric_glob_count + options.argument_count, 0);
    cr_expect_not(options.quiet || options.verbose || options.help || options.version || options.list_metrics);
}

Test(options_parse, every_option_reaches_its_field)
{
    struct options options;
    const char *const first[] = {"-k",  "a/*",    "-kb/*",    "file", "-m",    "time", "-qvo",
                                 "out", "--save", "run.json", "--",   "-dash", NULL};
    cr_assert_eq(parse(&options, &everything, first), 0);
    cr_assert_eq(options.glob_count, 2);
    cr_expect_str_eq(options.globs[0], "a/*");
    cr_expect_str_eq(options.globs[1], "b/*");
    cr_assert_eq(options.metric_glob_count, 1);
    cr_expect_str_eq(options.metric_globs[0], "time");
    cr_expect(options.quiet && options.verbose);
    cr_expect_str_eq(options.output, "out");
    cr_expect_str_eq(options.save, "run.json");
    cr_assert_eq(options.argument_count, 2, "what is no option may stand anywhere");
    cr_expect_str_eq(options.arguments[0], "file");
    cr_expect_str_eq(options.arguments[1], "-dash");
    options_release(&options);

    const char *const second[] = {"--replay=r", "--baselines=b", "--reason",  "why not",
                                  "--kernels",  "./l.so",        "--metrics", "m",
                                  "--chip=c",   "--color",       "always",    NULL};
    cr_assert_eq(parse(&options, &everything, second), 0);
    cr_expect_str_eq(options.replay, "r");
    cr_expect_str_eq(options.baselines, "b");
    cr_expect_str_eq(options.reason, "why not");
    cr_expect_str_eq(options.kernels, "./l.so");
    cr_expect_str_eq(options.metrics, "m");
    cr_expect_str_eq(options.was, "c");
    cr_expect_eq(options.color, COLOR_ALWAYS);
    options_release(&options);

    const char *const third[] = {"--devices", "--collectors",      "--device=1", "--samples",   "1000", "--timeout",
                                 "0.25",      "--format",          "json",       "--collector", "host", "--report",
                                 "junit=a=b", "--report=github=-", NULL};
    cr_assert_eq(parse(&options, &everything, third), 0);
    cr_expect(options.paired && options.power);
    cr_assert_eq(options.devices.count, 1);
    cr_expect_eq(options.devices.list[0], 1);
    cr_expect_eq(options.samples, 1000);
    cr_expect_eq(options.timeout, 0.25);
    cr_expect_str_eq(options.format, "json");
    cr_expect_str_eq(options.collector, "host");
    cr_assert_eq(options.report_count, 2);
    cr_expect_str_eq(options_report_file(options.reports[0]), "a=b");
    cr_expect_str_eq(options_report_file(options.reports[1]), "-");
    options_release(&options);
}

Test(options_parse, the_last_of_two_counts)
{
    OWNED(options) options;
    const char *const words[] = {"--samples", "3", "-o", "a", "--samples=7", "--output", "b", NULL};
    cr_assert_eq(parse(&options, &everything, words), 0);
    cr_expect_eq(options.samples, 7);
    cr_expect_str_eq(options.output, "b");
}

static void expect_sets(const struct command *command, const char *const *words, const char *folder, const char *first,
                        const char *second)
{
    OWNED(options) options;
    cr_assert_eq(parse(&options, command, words), 0);
    cr_expect_str_eq(options.metrics, folder ? folder : options.found[1]);
    cr_assert_eq(options.metric_set_count, (size_t)(first != NULL) + (second != NULL));
    if (first)
        cr_expect_str_eq(options.metric_sets[0], first);
    if (second)
        cr_expect_str_eq(options.metric_sets[1], second);
}

Test(options_parse, metrics_with_a_plus_are_added)
{
    expect_sets(&everything, (const char *const[]){"--metrics", "+a", NULL}, NULL, "a", NULL);
    expect_sets(&everything, (const char *const[]){"--metrics=+a", "--metrics", "+b/c.ini", NULL}, NULL, "a",
                "b/c.ini");
    expect_sets(&everything, (const char *const[]){"--metrics", "+a", "--metrics", "d", NULL}, "d", "a", NULL);
    expect_sets(&everything, (const char *const[]){"--metrics", "d", "--metrics", "e", NULL}, "e", NULL, NULL);
    expect_sets(&listing, (const char *const[]){"--metrics=+a", "--metrics", "+b", NULL}, NULL, "a", "b");
    expect_sets(&listing, (const char *const[]){"--metrics", "--chip", "GH100", NULL}, NULL, NULL, NULL);
}

Test(options_parse, metrics_of_list_may_name_a_folder)
{
    struct options options;
    cr_assert_eq(parse(&options, &listing, (const char *const[]){"--metrics", "--chip", "GH100", NULL}), 0);
    cr_expect(options.list_metrics);
    cr_expect_str_eq(options.was, "GH100");
    cr_expect_eq(options.metrics, options.found[1], "the default folder stays");
    options_release(&options);

    cr_assert_eq(parse(&options, &listing, (const char *const[]){"--metrics=dir", NULL}), 0);
    cr_expect(options.list_metrics);
    cr_expect_str_eq(options.metrics, "dir");
    options_release(&options);
}

static void expect_mistake(const char *where, const char *text, const char *message)
{
    const char *const name = cut_at(&text, " "), *words[WORDS] = {NULL};
    split_at(text, "|", words, WORDS - 1);
    OWNED(options) options;
    const struct command *command = *name == 'p' ? &pair : *name == 'l' ? &listing : &everything;
    HEAR(result, parse(&options, command, words));
    cr_expect(result == -1 && strstr(said, message), "%s: %s", where, said);
}

Test(options_parse, mistakes_are_named)
{
    each_text("tests/unit/command/options_parse.txt", expect_mistake);
}

Test(options_parse, help_and_version_need_no_arguments)
{
    struct options options;
    cr_expect_eq(parse(&options, &pair, (const char *const[]){"--help", NULL}), 0);
    cr_expect(options.help);
    options_release(&options);
    cr_expect_eq(parse(&options, &pair, (const char *const[]){"--version", NULL}), 0);
    cr_expect(options.version);
    options_release(&options);
}

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

Test(options_parse, gpus_are_named_or_all)
{
    struct options options;
    char *one[] = {(char[]){"all"}, (char[]){"--device"}, (char[]){"3,0,1"}, NULL};
    cr_assert_eq(options_parse(&options, &everything, 3, one), 0);
    cr_assert_eq(options.devices.count, 3);
    cr_expect_eq(options.devices.list[0], 3);
    cr_expect_eq(options.devices.list[2], 1);
    cr_expect_not(options.devices.all);
    options_release(&options);
    char *all[] = {(char[]){"all"}, (char[]){"--device=all"}, NULL};
    cr_assert_eq(options_parse(&options, &everything, 2, all), 0);
    cr_expect(options.devices.all && options.devices.count == 0);
    options_release(&options);
    char *first[] = {(char[]){"all"}, (char[]){"--device=0"}, NULL};
    cr_assert_eq(options_parse(&options, &everything, 2, first), 0);
    options_release(&options);
}
