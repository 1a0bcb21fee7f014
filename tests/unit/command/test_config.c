#include "command/command.h"
#include "test.h"

static const struct config_key *key(const struct config *config, const char *name)
{
    return FIND(key, config->keys, config->count, strcmp(key->name, name) == 0);
}

Test(config, keys_with_their_lines_and_paths_from_the_file)
{
    struct config config = {0};
    static const char text[] = "# ours\n\nkernels = build/libmine.so\nbaselines=/abs/b\n  ; indented comment\n"
                               "metrics = +perf/more\r\nsamples = 9 \n[links]\n"
                               "commit = https://x.org/a/commit/{commit}\n"
                               "line = https://x.org/a/blob/{commit}/{path}#L{line}\n";
    cr_assert_eq(config_read_text(&config, "../up/cugate.ini", text), 0);
    cr_assert_eq(config.count, 4);
    cr_expect_str_eq(key(&config, "kernels")->value, "../up/build/libmine.so");
    cr_expect_eq(key(&config, "kernels")->line, 3);
    cr_expect_str_eq(key(&config, "baselines")->value, "/abs/b");
    cr_expect_str_eq(key(&config, "metrics")->value, "+../up/perf/more", "a + says that the folder adds to others");
    cr_expect_str_eq(key(&config, "samples")->value, "9");
    cr_expect_eq(key(&config, "samples")->line, 7);
    config_release(&config);

    cr_assert_eq(config_read_text(&config, "cugate.ini", "kernels = lib.so\n"), 0);
    cr_expect_str_eq(key(&config, "kernels")->value, "lib.so", "no ./ before it");
    config_release(&config);
    cr_assert_eq(config_read_text(&config, "cugate.ini", ""), 0);
    cr_expect_eq(config.count, 0);
    config_release(&config);
}

static int read_text(const char *text)
{
    OWNED(config) config = {0};
    return config_read_text(&config, "c.ini", text);
}

REFUSED_TEXTS(config, what_is_wrong_is_told_with_its_line, "tests/unit/command/config.txt", read_text)

/* A folder in which is a home with folders; the test is in home/tree/src. */
static void enter(void)
{
    scratch_enter();
    cr_assert(mkdir("home", 0700) == 0 && mkdir("home/tree", 0700) == 0 && mkdir("home/tree/src", 0700) == 0);
    cr_assert_eq(setenv("HOME", "/nowhere", 1), 0);
    cr_assert_eq(chdir("home/tree/src"), 0);
}

static void expect_found(const char *wanted)
{
    OWNED(config) config;
    cr_assert_eq(config_read(&config), 0);
    cr_expect((config.path == NULL) == (wanted == NULL), "%s", config.path ? config.path : "none");
    if (config.path && wanted)
        cr_expect_str_eq(config.path, wanted);
}

Test(config, the_nearest_file_upwards_is_found, .init = enter, .fini = scratch_leave)
{
    free(scratch_file(scratch, "cugate.ini", "samples = 1\n"));
    expect_found("../../../cugate.ini");
    free(scratch_file(scratch, "home/cugate.ini", "samples = 2\n"));
    expect_found("../../cugate.ini");
    free(scratch_file(scratch, "home/tree/cugate.ini", "samples = 3\n"));
    expect_found("../cugate.ini");
    free(scratch_file(scratch, "home/tree/src/cugate.ini", "samples = 4\n"));
    expect_found("cugate.ini");
}

Test(config, nothing_above_the_home_folder_counts, .init = enter, .fini = scratch_leave)
{
    OWNED_TEXT home = x_sprintf("%s/home", scratch);
    cr_assert_eq(setenv("HOME", home, 1), 0);
    free(scratch_file(scratch, "cugate.ini", "samples = 1\n"));
    expect_found(NULL);
    free(scratch_file(scratch, "home/cugate.ini", "samples = 2\n"));
    expect_found("../../cugate.ini");
}

static void expect_refused(const char *words)
{
    OWNED(config) config;
    HEAR(result, config_read(&config));
    cr_expect(result == -1 && strstr(said, words), "%d, expected \"%s\" in \"%s\"", result, words, said);
}

/* Only root, as in CI, can give a file to another user. */
Test(config, a_file_that_somebody_else_left_for_all_is_none, .init = enter, .fini = scratch_leave)
{
    OWNED_TEXT path = scratch_file(scratch, "home/cugate.ini", "samples = 2\n");
    cr_assert_eq(chmod("../..", 01777), 0);
    expect_found("../../cugate.ini");
    if (geteuid() == 0) {
        cr_assert_eq(chown(path, 12345, 12345), 0);
        expect_found(NULL);
        cr_assert_eq(chmod("../..", 0755), 0);
        expect_refused("../../cugate.ini is not read, because others can write to it");
        cr_assert_eq(chown("../..", 12345, 12345), 0);
        expect_found("../../cugate.ini"); /* the checkout in a container may belong to another user */
    }
}

/* In a shared folder, anybody may put files beside the link's target. */
Test(config, a_link_in_a_folder_for_all_is_none, .init = enter, .fini = scratch_leave)
{
    free(scratch_file(scratch, "home/mine.ini", "kernels = l.so\n"));
    cr_assert_eq(symlink("../mine.ini", "../cugate.ini"), 0);
    expect_found("../cugate.ini");
    cr_assert_eq(chmod("..", 01777), 0);
    expect_found(NULL);
    cr_assert_eq(chmod("..", 0755), 0);
    cr_assert_eq(chmod("../..", 0777), 0);
    expect_refused("because others can replace it");
    cr_assert_eq(chmod("../..", 01777), 0);
    expect_found("../cugate.ini");
    cr_assert_eq(unlink("../../mine.ini"), 0);
    expect_found(NULL); /* the link's target does not exist */
}

Test(config, a_file_that_others_can_write_or_replace_is_refused, .init = enter, .fini = scratch_leave)
{
    static const struct {
        const char *path;
        gid_t group;
        mode_t mode;
        const char *words;
    } rows[] = {
        {"..", 0, 0777, "../cugate.ini is not read, because others can replace it"},
        {"..", 12345, 0775, "chmod go-w its folder, or put a cugate.ini nearer"},
        {"..", 0, 0775, NULL},
        {"..", 12345, 0755, NULL},
        {"../cugate.ini", 0, 0666, "../cugate.ini is not read, because others can write to it"},
        {"../cugate.ini", 12345, 0664, "chmod go-w it"},
        {"../cugate.ini", 0, 0664, NULL},
    };
    free(scratch_file(scratch, "home/tree/cugate.ini", "samples = 2\n"));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const bool is_folder = strcmp(rows[i].path, "..") == 0;
        if (rows[i].group && geteuid() != 0)
            continue; /* only root can give a file to another group */
        cr_assert_eq(chown(rows[i].path, (uid_t)-1, rows[i].group ? rows[i].group : getegid()), 0);
        cr_assert_eq(chmod(rows[i].path, rows[i].mode), 0);
        if (rows[i].words)
            expect_refused(rows[i].words);
        else
            expect_found("../cugate.ini");
        cr_assert_eq(chmod(rows[i].path, is_folder ? 0700 : 0600), 0);
    }
}

static const struct option_row *const rows[] = {
    &option_kernels,
    &option_baselines,
    &option_samples,
    &option_timeout,
    OPTION(.name = "metrics", .argument = "DIR", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(list_metrics),
           .place_2 = PLACE(metrics), .place_more = PLACE(metric_sets), .doc = ""),
    NULL,
};
static const struct command command = {.name = "made",
                                       .arguments = "",
                                       .summary = "made up",
                                       .details = "",
                                       .example = "cugate made",
                                       .exits = EXITS({EXIT_SAME, NULL}),
                                       .takes = rows,
                                       .maximum = 0};

static int parse(struct options *options, char *first, char *second)
{
    char *argv[] = {"made", first, second, NULL};
    return options_parse(options, &command, 1 + (first != NULL) + (second != NULL), argv);
}

Test(config, gives_what_the_command_line_does_not, .init = enter, .fini = scratch_leave)
{
    struct options options;
    free(scratch_file(scratch, "home/tree/cugate.ini",
                      "kernels = l.so\nbaselines = b\nmetrics = m\nsamples = 9\ntimeout = 2.5\nsessions = 3\n"));
    cr_assert_eq(parse(&options, NULL, NULL), 0);
    cr_expect_str_eq(options.kernels, "../l.so");
    cr_expect_str_eq(options.baselines, "../b");
    cr_expect_str_eq(options.metrics, "../m");
    cr_expect_not(options.list_metrics, "which metrics there are says not that they are listed");
    cr_expect_eq(options.samples, 9);
    cr_expect_eq(options.timeout, 2.5);
    cr_expect_eq(options.sessions, 10, "the command has no such option");
    cr_expect_str_eq(options.config.words, "../cugate.ini: kernels, baselines, metrics, samples, timeout");
    cr_expect(config_gives(&options.config, "samples") && !config_gives(&options.config, "sessions"));
    options_release(&options);

    cr_assert_eq(parse(&options, "--samples=5", "--metrics=other"), 0);
    cr_expect_eq(options.samples, 5);
    cr_expect_str_eq(options.metrics, "other");
    cr_expect_str_eq(options.config.words, "../cugate.ini: kernels, baselines, timeout");
    cr_expect_not(config_gives(&options.config, "samples"));
    options_release(&options);

    cr_assert_eq(parse(&options, "--metrics", NULL), 0);
    cr_expect(options.list_metrics);
    cr_expect_str_eq(options.metrics, "../m", "no folder was named");
    options_release(&options);
}

Test(config, metrics_may_be_a_folder_beside_others_or_one_of_cugates_sets, .init = enter, .fini = scratch_leave)
{
    struct options options;
    cr_assert_eq(mkdir("../mine", 0700), 0);
    static const struct {
        const char *text, *set;
    } cases[] = {{"metrics = +mine\n", "../mine"}, {"metrics = +tensor\n", "tensor"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        free(scratch_file(scratch, "home/tree/cugate.ini", cases[i].text));
        cr_assert_eq(parse(&options, NULL, NULL), 0);
        cr_assert_eq(options.metric_set_count, 1);
        cr_expect_str_eq(options.metric_sets[0], cases[i].set);
        options_release(&options);
        cr_assert_eq(parse(&options, "--metrics=+more", NULL), 0);
        cr_expect_eq(options.metric_set_count, 2, "the command line's as well");
        options_release(&options);
        cr_assert_eq(parse(&options, "--metrics=other", NULL), 0);
        cr_expect_eq(options.metric_set_count, 0, "in place of all others");
        options_release(&options);
    }
}

Test(config, values_are_held_to_the_options_rules_in_every_command, .init = enter, .fini = scratch_leave)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"\nsamples = 0\n", "../cugate.ini:2: samples needs a whole number from 1 to 1000, not '0'"},
        {"timeout = long\n", "../cugate.ini:1: timeout needs seconds"},
        /* checked although the command lacks the option */
        {"sessions = 1\n", "../cugate.ini:1: sessions needs a whole number from 2"},
        {"samples : \n", "../cugate.ini:1: \"samples\" has no value"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct options options;
        free(scratch_file(scratch, "home/tree/cugate.ini", cases[i].text));
        HEAR(result, parse(&options, NULL, NULL));
        cr_expect_eq(result, -1);
        cr_expect_not_null(strstr(said, cases[i].message), "expected \"%s\" in \"%s\"", cases[i].message, said);
        options_release(&options);
        cr_expect_eq(parse(&options, "--help", NULL), 0, "help is had all the same");
        options_release(&options);
    }
}

Test(config, every_key_is_an_option)
{
    const char *names[32];
    const size_t count = config_names(names, ARRAY_SIZE(names));
    size_t command_count;
    const struct command *const *list = commands(&command_count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t c = 0; c < command_count; c++)
            for (const struct option_row *const *row = list[c]->takes; *row; row++)
                if (strcmp((*row)->name, names[i]) == 0) {
                    found = true;
                    cr_expect(!(*row)->own || strcmp(names[i], "gpu") == 0, "%s of %s", names[i], list[c]->name);
                }
        cr_expect(found, "%s", names[i]);
    }
}

struct own_options {
    int first;
};

Test(config, an_option_of_one_command_is_not_a_key, .init = enter, .fini = scratch_leave, .signal = SIGABRT)
{
    const struct option_row *const own[] = {
        OPTION(.name = "first", .argument = "N", .kind = KIND_INTEGER, .place = OWN_PLACE(first), .maximum = 9), NULL};
    const struct command has = {.name = "has", .takes = own, OWN_DEFAULTS(0)};
    char *words[] = {"has", "--first=2", NULL};
    struct options options;
    free(scratch_file(scratch, "home/tree/cugate.ini", "first = 1\n"));
    options_parse(&options, &has, 2, words);
}

Test(config, help_says_what_is_in_force, .init = enter, .fini = scratch_leave)
{
    OWNED_TEXT text = NULL;
    size_t size = 0;
    free(scratch_file(scratch, "home/tree/cugate.ini", "samples = 9\nsessions = 3\n"));
    FILE *stream = open_memstream(&text, &size);
    options_help(&command, false, stream);
    fclose(stream);
    expect_word(text, "here: samples = 9, set in ../cugate.ini:1\n");
    cr_expect_null(strstr(text, "sessions"));
}
