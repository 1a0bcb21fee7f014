#include "model/metric.h"
#include "test.h"

#define BODY "title = T\ncounter = c.sum\nunit = ns\nclass = time\nbetter = lower\ndoc = d\n"

Test(metric_read, a_section_is_read_whole)
{
    static const char text[] = "\xef\xbb\xbf; comment\n"
                               "# comment\n"
                               "[time]\n"
                               "title   = Time\r\n"
                               "counter = gpu__time_duration.sum  ; the GPU's own timer\n"
                               "unit: ns\n"
                               "class=time\n"
                               "better = lower\n"
                               "floor = 2 % and 250 ns\n"
                               "weight = cycles\n"
                               "law = > 0,\n"
                               "    <= 2 * cycles ; comment\n"
                               "doc = First line,\n"
                               "    second line ; comment\n"
                               "\n"
                               "    third = line.\n"
                               "[cycles]\n"
                               "counter = a.sum b.sum\n"
                               "title = Cycles\nunit = count\nclass = exact\nbetter = higher\ndoc = x";
    struct metrics metrics = {0};
    cr_assert_eq(metrics_read_text(&metrics, "core.ini", text), 0);
    cr_assert_eq(metrics.count, 2);
    cr_expect_eq(metrics_check(&metrics), 0);
    const struct metric *time = metrics_find(&metrics, "time");
    cr_assert_not_null(time);
    cr_expect_str_eq(time->title, "Time");
    cr_expect_str_eq(time->counter, "gpu__time_duration.sum");
    cr_expect_str_eq(time->unit, "ns");
    cr_expect_eq(time->class, METRIC_TIME);
    cr_expect_eq(time->better, METRIC_LOWER);
    cr_expect_eq(time->floor_relative, 0.02);
    cr_expect_eq(time->floor_absolute, 250);
    cr_expect_str_eq(time->weight, "cycles");
    cr_assert_eq(time->laws.count, 2);
    cr_expect_str_eq(time->laws.list[0].text, "> 0");
    cr_expect_str_eq(time->laws.list[1].text, "<= 2 * cycles");
    cr_expect_eq(time->laws_line, 11);
    cr_expect_str_eq(time->doc, "First line, second line third = line.");
    cr_expect_str_eq(time->file, "core.ini");
    cr_expect_eq(time->line, 3);
    const struct metric *cycles = metrics_find(&metrics, "cycles");
    cr_assert_not_null(cycles);
    cr_expect_str_eq(cycles->counter, "a.sum b.sum");
    cr_expect_eq(cycles->class, METRIC_EXACT);
    cr_expect_eq(cycles->better, METRIC_HIGHER);
    cr_expect_eq(cycles->floor_relative, 0);
    cr_expect_eq(cycles->floor_absolute, 0);
    cr_expect_null(cycles->weight);
    cr_expect_eq(metrics_index(&metrics, "cycles"), 1);
    cr_expect_null(metrics_find(&metrics, "none"));
    metrics_release(&metrics);
    cr_expect_eq(metrics.count, 0);
}

Test(metric_read, floors)
{
    static const struct {
        const char *unit, *floor;
        double relative, absolute; /* expected floors; both 0: the text is refused */
    } cases[] = {
        {"ns", "2 %", 0.02, 0},
        {"ns", "2%", 0.02, 0},
        {"ns", "250 ns", 0, 250},
        {"ns", "250ns and 0.5 %", 0.005, 250},
        {"B", "2 % and 1000000 B", 0.02, 1000000},
        {"%", "1 point", 0, 1},
        {"%", "2 points", 0, 2},
        {"%", "5 % and 1 point", 0.05, 1},
        {"count", "10 % and 200000 count", 0.1, 200000},
        {"ratio", "0.05 ratio", 0, 0.05},
        {"ns", "250", 0, 0},
        {"ns", "250 us", 0, 0},
        {"ns", "1 point", 0, 0},
        {"ns", "2 % 250 ns", 0, 0},
        {"ns", "2 % and", 0, 0},
        {"ns", "2 % and 3 %", 0, 0},
        {"ns", "-2 %", 0, 0},
        {"ns", "0 %", 0, 0},
        {"ns", "nan %", 0, 0},
        {"ns", "inf ns", 0, 0},
        {"ns", "0x10 ns", 0, 0},
        {"ns", "1e400 ns", 0, 0},
        {"ns", "99.9 %", 0.999, 0},
        {"%", "99 points", 0, 99},
        {"ns", "100 ns", 0, 100},
        {"ns", "% 2", 0, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT text =
            x_sprintf("[m]\nfloor = %s\ntitle = T\ncounter = c\nunit = %s\nclass = steady\nbetter = lower\ndoc = d",
                      cases[i].floor, cases[i].unit);
        bool good = cases[i].relative > 0 || cases[i].absolute > 0;
        OWNED(metrics) metrics = {0};
        HEAR(result, metrics_read_text(&metrics, "x.ini", text));
        cr_expect_eq(result, good ? 0 : -1, "floor = %s: %s", cases[i].floor, said);
        if (good && result == 0) {
            cr_expect_float_eq(metrics.list[0].floor_relative, cases[i].relative, 1e-15, "floor = %s", cases[i].floor);
            cr_expect_eq(metrics.list[0].floor_absolute, cases[i].absolute, "floor = %s", cases[i].floor);
        } else {
            expect_word(said, "x.ini:2: cannot read the floor");
        }
    }
}

Test(metric_read, a_floor_of_everything_is_refused)
{
    static const struct {
        const char *unit, *floor, *words;
    } rows[] = {
        {"ns", "100 %", "x.ini:2: the floor \"100 %\" lets everything pass: write less than 100 %, or make [m] info"},
        {"ns", "1 ns and 1000 %", "less than 100 %"},
        {"%", "100 points", "x.ini:2: the floor \"100 points\" lets everything pass: write less than 100 points"},
        {"%", "100 %", "less than 100 %"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT text =
            x_sprintf("[m]\nfloor = %s\ntitle = T\ncounter = c\nunit = %s\nclass = steady\nbetter = lower\ndoc = d",
                      rows[i].floor, rows[i].unit);
        OWNED(metrics) metrics = {0};
        HEAR(result, metrics_read_text(&metrics, "x.ini", text));
        cr_expect_eq(result, -1, "row %zu", i);
        cr_expect_not_null(strstr(said, rows[i].words), "row %zu: %s", i, said);
    }
}

Test(metric_read, errors_say_file_line_and_remedy)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"title = T\n", "x.ini:1: \"title\" comes before the first section"},
        {"; c\noptional = no\n", "x.ini:2: the only value of optional is yes, not \"no\""},
        {"optional =\n", "x.ini:1: the only value of optional is yes"},
        {"optional = yes\n more\n", "x.ini:2: the line is indented, but no key"},
        {"[m]\noptional = yes\n", "x.ini:2: unknown key \"optional\""},
        {"[m]\n\n[n]\n" BODY, "x.ini:1: the section is empty"},
        {"[n]\n" BODY "[m]\n", "x.ini:8: the section is empty"},
        {"[m]\n" BODY "[m]\n" BODY, "x.ini:8: [m] is already defined at x.ini:1"},
        {"[m]\n" BODY "doc = again\n", "x.ini:8: \"doc\" is given twice"},
        {"[m]\ntitle = T\n", "x.ini:1: [m] lacks the key \"counter\""},
        {"[M]\n" BODY, "x.ini:1: [M] is not a metric name"},
        {"[]\n" BODY, "x.ini:1: [] is not a metric name"},
        {"[a-b]\n" BODY, "x.ini:1: [a-b] is not a metric name"},
        {"[a1234567890123456789012345678901234567890123456789012345]\n" BODY, "is not a metric name: use at most 48"},
        {"[m]\ntitel = T\n", "x.ini:2: unknown key \"titel\": did you mean title? There are title, counter,"},
        {"[m]\nclass = exat\n",
         "x.ini:2: unknown class \"exat\": did you mean exact? There are static, exact, steady, time, info"},
        {"[m]\nunit = furlong\n", "unknown unit \"furlong\": there are ns, B, B/s, FLOP/s, Hz, %, count, ratio"},
        {"[m]\nbetter = smaller\n", "unknown direction \"smaller\": there are lower, higher"},
        {"[m]\ncounter = a;b\n", "x.ini:2: \"a;b\" is not a counter"},
        {"[m]\ncounter = cugate.walltime\n", "did you mean cugate.wall_time? There are cugate.wall_time"},
        {"[m]\nweight = a b\n", "x.ini:2: \"a b\" is not a weight"},
        {"[m]\nclock = a b\n", "x.ini:2: \"a b\" is not a clock"},
        {"[m]\nfew = -1\n", "x.ini:2: cannot read \"-1\""},
        {"[m]\nfew = 1e5\n", "x.ini:2: cannot read \"1e5\""},
        {"[m]\nfew = 0\n", "x.ini:2: cannot read \"0\""},
        {"[m]\n" BODY "few = 10\n",
         "x.ini:1: [m] has the key \"few\", which only steady metrics with a weight may have"},
        {"[m]\ntrade =\n", "x.ini:2: "}, /* an empty trade would excuse any fall */
        {"[m]\ntrade = a -b\n", "x.ini:2: \"-b\" is not a trade"},
        {"[m]\nknown = no\n", "x.ini:2: the only value of known is yes, not \"no\""},
        {"[m]\nknown = yes\ntitle = T\ncounter = c\nunit = ns\nclass = time\nbetter = lower\ndoc = d\n",
         "x.ini:1: [m] has the key \"known\", which only steady metrics"},
        {"[m]\nheadline =\n", "x.ini:2: \"headline\" has no value"},
        {"[m]\nheadline = seventeen letters\n",
         "x.ini:2: the headline has 17 characters: write a column title of at most 16"},
        {"[m]\nunit =\n", "x.ini:2: \"unit\" has no value"},
        {"[m]\n" BODY "law = 32\n", "x.ini:8: one of > >= < <= is missing before \"32\" in the law \"32\""},
        {"[m]\nlaw = > 0,\n  <= a b\n" BODY, "x.ini:2: one of + - * / is missing before \"b\" in the law \"<= a b\""},
        {"[m]\nlaw =\n", "x.ini:2: \"law\" has no value"},
        {"[m]\ntitle = T\n  more\n", "x.ini:3: only \"law\" and \"doc\" may continue on the next line, not \"title\""},
        {"[m]\n  title = T\n", "x.ini:2: the line is indented, but no key"},
        {"[m]\nnonsense\n", "x.ini:2: this is neither [metric_name] nor key = value"},
        {"[m\n", "x.ini:1: this is neither"},
        {"[m]\ndoc = \a\n", "x.ini:2: column 7 holds the control character 7"},
        {"[m]\ntitle = T\ncounter = c\nunit = ns\nclass = exact\nbetter = lower\ndoc = d\nfloor = 2 %\n",
         "x.ini:8: [m] is exact, so any change counts"},
        {"[m]\ntitle = T\ncounter = cugate.registers\nunit = count\nclass = static\nbetter = lower\ndoc = d\nfloor = 1 "
         "count\n",
         "x.ini:8: [m] is static, so any change counts"},
        {"[m]\ntitle = T\ncounter = c\nunit = ns\nclass = time\nbetter = lower\ndoc =\n",
         "x.ini:1: [m] has an empty \"doc\""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(metrics) metrics = {0};
        HEAR(result, metrics_read_text(&metrics, "x.ini", cases[i].text));
        cr_expect_eq(result, -1, "case %zu", i);
        cr_expect(strstr(said, cases[i].words), "case %zu: \"%s\" lacks \"%s\"", i, said, cases[i].words);
        cr_expect_eq(strchr(said, '\n'), said + strlen(said) - 1, "case %zu: not one line: %s", i, said);
    }
}

Test(metric_read, a_long_line_is_refused_and_not_cut)
{
    char filler[1000];
    memset(filler, 'x', sizeof filler);
    filler[sizeof filler - 1] = '\0';
    OWNED_TEXT text = x_sprintf("[m]\ndoc = %s\n" BODY, filler);
    OWNED(metrics) metrics = {0};
    HEAR(result, metrics_read_text(&metrics, "x.ini", text));
    cr_expect_eq(result, -1);
    expect_word(said, "x.ini:2: the line has 1005 characters");
}

Test(metric_read, a_folder_is_read_in_the_order_of_its_names, .init = scratch_begin, .fini = scratch_leave)
{
    char *paths[] = {
        scratch_file(scratch, "b.ini", "[m3]\n" BODY),
        scratch_file(scratch, "a.ini", "[m1]\n" BODY "[m2]\n" BODY),
        scratch_file(scratch, ".hidden.ini", "nonsense"),
        scratch_file(scratch, "notes.txt", "nonsense"),
    };
    OWNED(metrics) metrics;
    cr_assert_eq(metrics_read_folder(&metrics, scratch), 0);
    cr_assert_eq(metrics.count, 3);
    cr_expect_str_eq(metrics.list[0].name, "m1");
    cr_expect_str_eq(metrics.list[1].name, "m2");
    cr_expect_str_eq(metrics.list[2].name, "m3");
    cr_expect_str_eq(metrics.list[2].file, paths[0]);
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        free(paths[i]);
}

static void expect_folder_error(const char *folder, const char *words)
{
    struct metrics metrics;
    HEAR(result, metrics_read_folder(&metrics, folder));
    cr_expect_eq(result, -1);
    cr_expect_eq(metrics.count, 0);
    cr_expect_null(metrics.list);
    cr_expect(strstr(said, words), "\"%s\" lacks \"%s\"", said, words);
}

Test(metric_read, a_folder_that_cannot_be_used_is_an_error, .init = scratch_begin, .fini = scratch_leave)
{
    expect_folder_error(scratch, "holds no metric files");
    expect_folder_error("/no/such/folder", "No such file or directory");
    free(scratch_file(scratch, "a.ini", "[m1]\n" BODY));
    free(scratch_file(scratch, "b.ini", "[m1]\n" BODY));
    expect_folder_error(scratch, "b.ini:1: [m1] is already defined at ");
    OWNED_TEXT path = x_sprintf("%s/b.ini", scratch);
    FILE *file = fopen(path, "w");
    fwrite("[m2]\n\0\n", 1, 7, file);
    fclose(file);
    expect_folder_error(scratch, "b.ini contains a NUL byte");
    free(scratch_file(scratch, "b.ini", "[m2]\n" BODY "weight = m9\n"));
    expect_folder_error(scratch, "[m2] is weighed by \"m9\"");
}
