#include "report/report_text.h"

#include "report_support.h"
#include "test.h"

/* Each test has a process of its own, and so these of its own. */
static struct fixture fixture;
static char *text; /* what was printed last */

static void forget(void)
{
    set_text(&text, NULL);
    report_tear_down(&fixture);
}

TestSuite(report_text, .fini = forget);

static void begin(const char *run)
{
    forget();
    fixture = report_set_up(run);
    judge(&fixture);
}

/* A report of the judgements that the test is going to invent. */
static void begin_empty(void)
{
    begin("same.json");
    forget_judgements(&fixture);
}

static void reprint(void)
{
    free(text);
    text = print(&fixture.report, report_text);
}

/* The verdict is the last line but for what to do next, if there is something to do. */
static void expect_verdict(const char *line)
{
    OWNED_TEXT wanted = x_sprintf("\n%s\n", line);
    const char *found = strstr(text, wanted);
    const char *rest = found ? found + strlen(wanted) : "";
    cr_expect(found || strncmp(text, wanted + 1, strlen(wanted) - 1) == 0, "expected \"%s\" in:\n%s", line, text);
    cr_expect(!*rest || strncmp(rest, "next: ", 6) == 0 || strncmp(rest, "not known: ", 11) == 0,
              "expected the verdict last in:\n%s", text);
}

static void expect_next(const char *words)
{
    const char *next = strstr(text, "\nnext: ");
    cr_expect(next && strstr(next, words), "expected \"%s\" to be next in:\n%s", words, text);
}

/* So many columns at most, in characters. */
static void expect_lines_to_fit(int columns, const char *what)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        cr_expect_leq((int)text_count_of(line, length), columns, "%s: %.*s", what, (int)length, line);
    }
}

static void expect_tidy_lines(const char *what)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        int length = (int)strcspn(line, "\n");
        cr_expect_leq(length, 120, "%s: %.*s", what, length, line);
        cr_expect(length == 0 || line[length - 1] != ' ', "%s: blank at the end of: %.*s", what, length, line);
        for (int i = 0; i < length; i++)
            cr_expect((unsigned char)line[i] >= 0x20 && line[i] != 0x7f, "%s: control character", what);
    }
}

/* A report, and what is expected of its text. */
struct scene {
    const char *run;
    void (*change)(void); /* what else is done to the report before it is printed, or NULL */
    bool alone;           /* the run is compared with nothing */
    enum exit_code code;  /* in the place of what the run or its comparison ends with, unless it is 0 */
    const char *baselines;
    bool other_baseline, replay, quiet, verbose, power;
    int columns;
    const char *verdict, *next;
    const char *says[4], *hides[2];
};

static void print_scene(const struct scene *scene)
{
    begin(scene->run);
    if (scene->alone)
        alone(&fixture, run_exit_code(&fixture.run));
    struct report *report = &fixture.report;
    if (scene->change)
        scene->change();
    report->baselines = scene->baselines;
    report->other_baseline = scene->other_baseline;
    report->replay = scene->replay;
    report->columns = scene->columns;
    report->quiet = scene->quiet;
    report->verbose = scene->verbose;
    report->power = scene->power;
    if (scene->code)
        report->exit_code = scene->code;
    reprint();
}

static void expect_scene(const struct scene *scene)
{
    print_scene(scene);
    if (scene->verdict)
        expect_verdict(scene->verdict);
    if (scene->next)
        expect_next(scene->next);
    for (size_t i = 0; i < ARRAY_SIZE(scene->says) && scene->says[i]; i++)
        expect_word(text, scene->says[i]);
    for (size_t i = 0; i < ARRAY_SIZE(scene->hides) && scene->hides[i]; i++)
        expect_no_word(text, scene->hides[i]);
}

#define EXPECT(...)                                                                                                    \
    do {                                                                                                               \
        const struct scene scenes_[] = {__VA_ARGS__};                                                                  \
        for (size_t i_ = 0; i_ < ARRAY_SIZE(scenes_); i_++)                                                            \
            expect_scene(&scenes_[i_]);                                                                                \
    } while (0)

static const struct scene modes[] = {
    {.quiet = false},
    {.quiet = true},
    {.verbose = true},
    {.verbose = true, .power = true},
    {.replay = true},
    {.alone = true},
    {.alone = true, .code = EXIT_BASELINE},
};
static const int widths[] = {40, 60, 80, 100, 120, 200};

static void print_mode(const char *run, const struct scene *mode, int columns)
{
    struct scene scene = *mode;
    scene.run = run;
    scene.columns = columns;
    print_scene(&scene);
}

Test(report_text, text_is_tidy_and_fits_a_terminal)
{
    for (size_t i = 0; i < fixture_run_count; i++)
        for (size_t mode = 0; mode < ARRAY_SIZE(modes); mode++) {
            print_mode(fixture_runs[i], &modes[mode], 0);
            expect_tidy_lines(fixture_runs[i]);
        }
}

Test(report_text, lines_fit_the_terminal)
{
    for (size_t i = 0; i < fixture_run_count * ARRAY_SIZE(widths); i++)
        for (size_t mode = 0; mode < ARRAY_SIZE(modes); mode++) {
            const int columns = widths[i % ARRAY_SIZE(widths)];
            print_mode(fixture_runs[i / ARRAY_SIZE(widths)], &modes[mode], columns);
            expect_lines_to_fit(columns, fixture_runs[i / ARRAY_SIZE(widths)]);
        }
}

Test(report_text, color_changes_no_word)
{
    for (size_t i = 0; i < fixture_run_count; i++) {
        begin(fixture_runs[i]);
        OWNED_TEXT plain = print(&fixture.report, report_text);
        fixture.report.color = true;
        OWNED_TEXT colored = print(&fixture.report, report_text);
        expect_word(colored, "\033[");
        expect_no_word(plain, "\033");

        char *to = colored;
        for (const char *from = colored; *from;) {
            if (*from == '\033')
                from += strcspn(from, "m") + 1;
            else
                *to++ = *from++;
        }
        *to = '\0';
        cr_expect_str_eq(colored, plain);
    }
}

Test(report_text, last_line_is_the_verdict)
{
    static const struct {
        const char *run, *verdict;
    } rows[] = {
        {"same.json", "nothing is worse: 31 rows in 6 kernels (exit 0)"},
        {"worse.json",
         "regressed: 4 of 32 rows in 3 of 7 kernels; 1 unsure; 1 new; 3 improved (-v lists them) (exit 1)"},
        {"unsure.json", "unsure: 6 of 31 rows in 5 of 6 kernels (exit 3)"},
        {"broken.json", "wrong: 1 of 6 kernels; 4 missing; 1 kernel not built (exit 5)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        EXPECT({rows[i].run, .verdict = rows[i].verdict},
               {rows[i].run, .quiet = true, .verdict = rows[i].verdict, .hides = {"Test GPU"}});
}

/* The base build, for example, cannot be loaded: what was computed until then is no judgement. */
Test(report_text, last_line_says_that_an_error_stopped_it)
{
    EXPECT({"same.json", .alone = true, .code = EXIT_USAGE,
            .verdict = "stopped by an error, nothing was judged; measured: 6 of 6 kernels (exit 2)",
            .next = "fix the error, then run the same command again"});
}

/* The rows alone would say that nothing is worse. */
Test(report_text, last_line_says_what_the_rows_do_not)
{
#define SAME_ROWS "nothing is worse: 31 rows in 6 kernels"
    EXPECT({"same.json", .code = EXIT_INTERRUPTED, .verdict = "interrupted; " SAME_ROWS " (exit 130)"},
           {"same.json", .code = EXIT_NOT_MEASURED, .verdict = "not measured; " SAME_ROWS " (exit 5)"},
           {"same.json", .code = EXIT_USAGE, .verdict = "stopped by an error; " SAME_ROWS " (exit 2)"});
}

Test(report_text, every_red_row_says_how_to_accept_it)
{
    begin("worse.json");
    fixture.report.run_name = "my run's.json";
    fixture.report.baselines = "other folder";
    reprint();
    expect_word(text, " -k transpose/padded -k reduce/atomic -k transpose/naive \\\n      --reason"); /* at once */
    fixture.report.verbose = true;
    reprint();
    for (size_t i = 0; i < fixture.comparison.count; i++) {
        const struct judgement *judgement = &fixture.comparison.list[i];
        char word[256];
        if (judgement->verdict != VERDICT_REGRESSED)
            continue;
        snprintf(word, sizeof word, "cugate accept 'my run'\\''s.json' --baselines 'other folder' -k %s -m ",
                 judgement->kernel);
        expect_word(text, word);
        snprintf(word, sizeof word, " -m %s", judgement->metric->name);
        expect_word(text, word);
    }
}

DO(be_computed(void), report_set_origin(&fixture.run, ORIGIN_COMPUTED));

Test(report_text, replay_is_said_first_and_loudly)
{
    for (int quiet = 0; quiet < 2; quiet++) {
        EXPECT({"same.json", .replay = true, .quiet = quiet,
                .says = {"run.json, recorded 2025-01-14T10:00:00Z on Test GPU, driver 555.42.01"}});
        cr_expect_eq(strncmp(text, "REPLAY: NOTHING WAS MEASURED HERE.", 34), 0);
        EXPECT({"same.json", be_computed, .replay = true, .quiet = quiet,
                .says = {"run.json, computed 2025-01-14T10:00:00Z: built by nvcc 12.5.40, simulated as Test GPU"},
                .hides = {"REPLAY"}});
        cr_expect_eq(strncmp(text, "COMPUTED: NO KERNEL RAN ON A GPU.", 33), 0);
    }
}

Test(report_text, run_alone_has_no_verdict_column)
{
    EXPECT({"broken.json", .alone = true, .code = EXIT_NOT_MEASURED, .says = {"element 4097: expected 17.25, found 0"},
            .hides = {"verdict", "change"},
            .verdict = "measured: 2 of 6 kernels; 1 wrong result; 1 crashed; 1 hung; 1 not built; 1 row not counted "
                       "(exit 5)"});
}

DO(be_baseless(void), fixture.report.baseless = true);
DO(be_cut(void), set_text(&fixture.run.sessions[0].facts[SESSION_CUT], "exit code 3"));

Test(report_text, a_run_alone_says_how_to_continue)
{
    EXPECT({"same.json", be_baseless, .alone = true,
            .next = "make it the first baseline: cugate accept run.json --reason \"first baseline\""},
           {"same.json", be_cut, .alone = true, .code = EXIT_NOT_MEASURED,
            .next = "fix the program, which ended by exit code 3, and measure again"});
}

/* What was measured is shown all the same. And accept would refuse to put two devices into one folder. */
Test(report_text, no_baseline_says_how_to_make_one)
{
    EXPECT({"same.json", .alone = true, .code = EXIT_BASELINE,
            .says = {"cugate aa --sessions 10 --save sessions",
                     "cugate accept sessions/*.json --reason \"first baseline\"", "transpose/padded"},
            .verdict = "no baseline; measured: 6 of 6 kernels (exit 4)"},
           {"same.json", .alone = true, .code = EXIT_BASELINE, .other_baseline = true, .baselines = "taken",
            .says = {"sessions/*.json --baselines OTHER_DIR --reason \"first baseline\"\n"
                     "  cugate check --baselines OTHER_DIR\n"},
            .hides = {"--baselines taken"}});
}

DO(be_computed_and_in_no_file(void), (be_computed(), fixture.report.run_name = NULL));

/* Where there is no GPU, `cugate aa` cannot measure; what was computed is a baseline as it is. */
Test(report_text, a_first_baseline_of_what_was_computed_takes_no_gpu)
{
    EXPECT({"same.json", be_computed, .alone = true, .code = EXIT_BASELINE,
            .says = {"To make one:\n  cugate accept run.json --reason \"first baseline\"\n"}, .hides = {"cugate aa"}},
           {"same.json", be_computed_and_in_no_file, .alone = true, .code = EXIT_BASELINE,
            .says = {"  cugate check --simulate --save RUN.json\n  cugate accept RUN.json --reason"}});
}

Test(report_text, text_of_files_does_not_reach_the_terminal_raw)
{
    fixture = report_set_up("broken.json");
    free(fixture.run.device.name);
    fixture.run.device.name = x_strdup("GPU \033]0;title\007");
    struct result *result = run_find(&fixture.run, "reduce/tree");
    set_text(&result->reason, "died\r\033[2J\nsaying \"\xff\"");
    judge(&fixture);
    invent(&fixture, "copy/plain", "time", VERDICT_UNSURE, "::error::planted\n::error::planted");
    fixture.report.replay = true;
    reprint();
    expect_tidy_lines("hostile");
    expect_word(text, "?::error::planted ::error::planted");
    expect_no_word(text, "  ::");
}

Test(report_text, unknown_facts_are_said_to_be_unknown)
{
    fixture = report_set_up("same.json");
    set_text(&fixture.run.device.name, NULL);
    for (size_t i = 0; i < SESSION_FACTS; i++)
        set_text(&fixture.run.sessions[0].facts[i], NULL);
    judge(&fixture);
    fixture.report.replay = true;
    reprint();
    expect_word(text, "IMPORTED: NOT MEASURED BY CUGATE");
    expect_no_word(text, "(null)");
}

static void count_verdict(struct judgement *judgement, double base, double now, double limit, size_t sessions)
{
    judgement->has_base = judgement->has_now = judgement->compared = judgement->worse = true;
    judgement->base = base;
    judgement->now = now;
    judgement->change = now - base;
    judgement->limit = limit;
    judgement->base_sessions = 12;
    judgement->run_sessions = judgement->agree = sessions;
}

Test(report_text, rows_say_what_stands_behind_them)
{
    begin_empty();
    struct judgement *judgement = invent(&fixture, "copy/plain", "time", VERDICT_REGRESSED, NULL);
    count_verdict(judgement, 20000, 21000, 400, 2);
    judgement->pairs = 14;
    judgement->pairs_worse = 13;
    judgement->drift = 100;
    judgement = invent(&fixture, "reduce/tree", "instructions", VERDICT_REGRESSED, NULL);
    count_verdict(judgement, 100, 101, 0, 2);
    judgement = invent(&fixture, "reduce/tree", "shared_wavefronts", VERDICT_REGRESSED, NULL);
    count_verdict(judgement, 100, 101, 0, 2);
    invent(&fixture, COMPARISON_SUITE, "time", VERDICT_UNSURE, "all kernels moved together, by +10.0 %");
    invent(&fixture, "copy/plain", "achieved_occupancy", VERDICT_TRADED, "a trade-off: time improved");
    fixture.report.verbose = true;
    reprint();
    expect_words(text, "13 of 14 pairs", "+100 ns of the change is common to all kernels");
    cr_expect_eq(count_words(text, "2 of 2 sessions against 12"), 2u, "each red row has its evidence:\n%s", text);
    expect_words(text, "\nunsure     (suite)\n  unsure     time\n", "all kernels moved together, by +10.0 %");
    cr_expect_eq(count_words(text, "(suite)"), 1u, "it is no kernel of the table:\n%s", text);
    expect_words(text, "\n  trade-off  achieved_occupancy", "a trade-off: time improved");
}

Test(report_text, verdicts_have_their_colors)
{
    static const struct {
        enum verdict verdict;
        const char *words;
    } rows[] = {
        {VERDICT_MISSING, "\033[31m  missing "},
        {VERDICT_REGRESSED, "\033[31m  regressed"},
        {VERDICT_UNEXPECTED, "\033[31m  unexpected-pass"},
        {VERDICT_UNSURE, "\033[33m  unsure"},
        {VERDICT_TRADED, "\033[33m  trade-off"},
        {VERDICT_EXPECTED, "\033[33m  expected"},
        {VERDICT_NEW, "\033[33m  new"},
        {VERDICT_IMPROVED, "\033[32m  improved"},
        {VERDICT_SAME, "\n  same"},
        {VERDICT_INFO, "\n  info"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin_empty();
        invent(&fixture, "copy/plain", "time", rows[i].verdict, NULL);
        fixture.report.color = fixture.report.verbose = true;
        reprint();
        expect_word(text, rows[i].words);
    }
    cr_expect_eq(ARRAY_SIZE(rows), (size_t)VERDICTS);
}

/* What is worse, but may be, must not read as if nothing were; nor as a failure. */
Test(report_text, a_warning_alone_is_no_failure)
{
    begin_empty();
    invent(&fixture, "copy/plain", "time", VERDICT_EXPECTED, "known until 2030-01-01, see issue 7");
    invent(&fixture, "copy/plain", "instructions", VERDICT_SAME, NULL);
    reprint();
    expect_verdict("nothing fails: 2 rows in 2 kernels; 1 expected (exit 0)");
}

Test(report_text, power_shows_what_would_be_caught)
{
    begin_empty();
    struct judgement *judgement = invent(&fixture, "copy/plain", "time", VERDICT_SAME, NULL);
    count_verdict(judgement, 20000, 20000, 400, 1);
    judgement->detectable = 650;
    judgement = invent(&fixture, "copy/plain", "instructions", VERDICT_SAME, NULL);
    count_verdict(judgement, 100, 100, 0, 1);
    judgement->detectable = 0;
    invent(&fixture, "copy/plain", "dram_throughput", VERDICT_INFO, NULL);
    reprint();
    expect_no_word(text, "detects");
    fixture.report.power = true;
    reprint();
    expect_words(text, "  limit  detects\n", " 400 ns   650 ns\n", " 0      any\n");
    expect_no_word(text, "dram_throughput");
}

Test(report_text, suite_shift_is_said)
{
    begin("same.json");
    const struct metric *metric = metrics_find(&fixture.metrics, "time");
    const struct suite suites[] = {
        {.metric = metric, .shift = -0.0031, .kernels = 62, .same_code = true},
        {.metric = metric, .shift = 0.0211, .kernels = 60},
        {.metric = metric, .shift = 0.0999, .kernels = 61, .same_code = true, .moved = true},
        {.metric = metric, .kernels = 9},
    };
    free(fixture.comparison.suites);
    fixture.comparison.suites = NULL;
    fixture.comparison.suite_count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(suites); i++)
        *ARRAY_GROW(fixture.comparison.suites, fixture.comparison.suite_count) = suites[i];
    reprint();
    expect_words(
        text, "\nshift     time -0.3 % (median of 62 kernels with unchanged machine code), taken off\n",
        "\nshift     time +2.1 % (median of 60 kernels), not subtracted\n",
        "\nshift     time +10.0 % (median of 61 kernels with unchanged machine code): all kernels moved together\n");
    cr_expect_eq(count_words(text, "\nshift "), 3u);
}

DO(have_moved_by_noise(void), fixture.comparison.same_code = 3);

Test(report_text, noise_of_the_same_code_is_counted_quietly)
{
    EXPECT({"same.json", have_moved_by_noise, .hides = {"same code"}},
           {"same.json", have_moved_by_noise, .verbose = true,
            .says = {"; 3 rows of the same code moved, which is noise (exit 0)\n"}});
}

/* A new metric lacks a base in every kernel: that must not bury what matters. */
Test(report_text, of_many_rows_that_the_baseline_lacks_ten_are_listed)
{
    fixture = report_set_up("same.json");
    for (size_t i = 0; i < fixture.base.result_count; i++) {
        struct result *result = &fixture.base.results[i];
        for (size_t r = 0; r < result->row_count; r++)
            row_clear(&result->rows[r]);
    }
    judge(&fixture);
    const size_t unsure = fixture.comparison.counts[VERDICT_UNSURE];
    cr_assert_gt(unsure, 10u);
    reprint();
    cr_expect_eq(count_words(text, "\n  unsure  "), 5); /* of three kernels, ten in all */
    expect_word(text, "\n  unsure     dram_bytes_read, instructions\n\n");
    OWNED_TEXT all = x_sprintf("unsure: %zu of", unsure);
    expect_word(text, all);
    fixture.report.verbose = true;
    reprint();
    cr_expect_eq(count_words(text, "\n  unsure  "), unsure);
}

/* ---- On a terminal ---- */

/* However narrow it is, no number is lost. */
Test(report_text, figures_are_never_cut)
{
    static const char *const figures[] = {"1,048,576", "17.83 M",  "+16.78 M", "17.0 x",
                                          "200,000",   "+17.20 M", "31.4 us"};
    for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
        begin("worse.json");
        fixture.report.columns = widths[i];
        fixture.report.verbose = true;
        reprint();
        for (size_t f = 0; f < ARRAY_SIZE(figures); f++)
            expect_word(text, figures[f]);
    }
}

Test(report_text, the_kernel_that_lost_most_time_is_first)
{
    fixture = report_set_up("worse.json");
    forget_judgements(&fixture);
    static const char *const kernels[] = {"copy/plain", "transpose/naive", "transpose/padded"};
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
        invent(&fixture, kernels[i], "instructions", VERDICT_REGRESSED, NULL);
    invent(&fixture, "reduce/tree", "instructions", VERDICT_IMPROVED, NULL);
    invent(&fixture, "reduce/atomic", "instructions", VERDICT_UNSURE, "made up");
    fixture.report.verbose = true;
    reprint();
    static const char *const order[] = {
        "\nWorse: ",
        "\nregressed  transpose/padded\n",
        "\nregressed  transpose/naive\n",
        "\nregressed  copy/plain\n",
        "\nUnsure: ",
        "\nunsure     reduce/atomic  time ",
        "\nImproved: ",
        "\nimproved   reduce/tree  time -4.27 us (-17.7 %)\n",
    };
    const char *at = text;
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        const char *found = strstr(at, order[i]);
        cr_expect(found, "expected \"%s\" behind what comes before it in:\n%s", order[i], text);
        at = found ? found : at;
    }
}

static void have_a_new_row(void)
{
    invent(&fixture, "copy/plain", NULL, VERDICT_NEW, "made up");
    fixture.comparison.counts[VERDICT_NEW]++;
}

/* A time beside the name of a red kernel is taken for the reason, so it is there only where it is red. */
Test(report_text, the_heading_of_a_red_kernel_names_what_is_red)
{
    begin("worse.json");
    reprint();
    expect_word(text, "\nregressed  transpose/padded  shared_wavefronts +16.78 M (17.0 x); 1 of 1 session against 3\n");
    expect_word(text, "\n  regressed  shared_bank_conflicts +17.20 M (177 x)\n"); /* what else was paid, in a line */
    expect_word(text, "\nregressed  transpose/naive\n");                          /* whose only row says it */
    expect_word(text, "\nregressed  reduce/atomic\n");
    for (size_t i = 0; i < fixture.comparison.count; i++) {
        struct judgement *judgement = &fixture.comparison.list[i];
        if (strcmp(judgement->kernel, "transpose/padded") == 0 && strcmp(judgement->metric->name, "time") == 0)
            judgement->verdict = VERDICT_REGRESSED;
    }
    reprint();
    expect_word(text, "\nregressed  transpose/padded  time +11.5 us (+58.0 %); 1 of 1 session against 3\n");
}

Test(report_text, a_line_says_what_to_do_next)
{
    EXPECT({"worse.json", .next = "if it is intended: cugate explain transpose/padded"},
           {"broken.json", .next = "cugate run -k transpose/padded"}, {"same.json", .hides = {"next: "}},
           {"same.json", have_a_new_row, .next = "cugate accept run.json --reason \"...\""},
           {"same.json", .alone = true, .code = EXIT_BASELINE, .next = "make the first baseline"});
}

Test(report_text, a_label_as_wide_as_its_column_stands_apart)
{
    size_t size;
    FILE *stream = x_memstream(&text, &size);
    text_fact(&(const struct text){.stream = stream}, "not proved", "f/c");
    text_fact(&(const struct text){.stream = stream}, "device", "d");
    fclose(stream);
    cr_expect_str_eq(text, "not proved f/c\ndevice    d\n");
}

/* Kernels that are gone for one reason are one list, with one command; with -v each has its line. */
Test(report_text, kernels_that_are_gone_are_one_list)
{
    begin_empty();
    fixture.report.baseline_name = "base/h200";
    invent(&fixture, "gone/a", NULL, VERDICT_MISSING, "not in this run");
    invent(&fixture, "gone/b", NULL, VERDICT_MISSING, "not in this run");
    reprint();
    expect_words(
        text, "\nmissing    gone/a, gone/b  not in this run\n",
        "measure gone/a and 1 more too, or exclude them on both sides with -k; if gone on purpose, remove their",
        "git rm base/h200/gone/a.json base/h200/gone/b.json\n");
    fixture.report.verbose = true;
    reprint();
    expect_words(text, "\nmissing    gone/a  not in this run\n", "\nmissing    gone/b  ");
}

/* A fault at two sizes of a kernel is one entry; a further fault, or another kernel, has its own. */
Test(report_text, one_fault_at_two_sizes_is_one_entry)
{
    static const char *const kernels[] = {"sort/a[n=1K]", "sort/a[n=1M]", "sort/a[n=4M]", "sort/b[n=1M]"};
    begin_empty();
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
        count_verdict(invent(&fixture, kernels[i], "instructions", VERDICT_REGRESSED, NULL), 100, 110 + (double)i, 0,
                      1);
    count_verdict(invent(&fixture, kernels[2], "shared_wavefronts", VERDICT_REGRESSED, NULL), 1, 2, 0, 1);
    reprint();
    expect_words(text, "\n           the same at [n=1M]: instructions +11 (+11.0 %)\n", "\nregressed  sort/a[n=4M]  ",
                 "\nregressed  sort/b[n=1M]\n");
    cr_expect_null(strstr(text, "regressed  sort/a[n=1M]"), "%s", text);
    fixture.report.verbose = true;
    reprint();
    expect_words(text, "\nregressed  sort/a[n=1M]\n");
}

/* An improvement says by how much the baseline is worse, of the row that gained most, in Markdown too. */
Test(report_text, an_improvement_says_how_much_worse_the_baseline_is)
{
    begin_empty();
    count_verdict(invent(&fixture, "copy/plain", "time", VERDICT_IMPROVED, NULL), 10000, 9000, 100, 1);
    count_verdict(invent(&fixture, "reduce/tree", "time", VERDICT_IMPROVED, NULL), 12500, 10000, 100, 1);
    reprint();
    expect_next("this run is better (time of reduce/tree by 20.0 %): accept it, or losing the gain goes unnoticed:");
    OWNED_TEXT page = print(&fixture.report, report_markdown);
    expect_word(page, "(exit 0)\n\n- **next**: this run is better (time of reduce/tree by 20.0 %)");
}
