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

static void expect_floor(const char *where, const char *floor, const char *words)
{
    const char *const unit = cut_at(&floor, ": ");
    OWNED_TEXT text = x_sprintf(
        "[m]\nfloor = %s\ntitle = T\ncounter = c\nunit = %s\nclass = steady\nbetter = lower\ndoc = d", floor, unit);
    OWNED(metrics) metrics = {0};
    HEAR(result, metrics_read_text(&metrics, "x.ini", text));
    if (result < 0) {
        cr_expect(strstr(said, words), "%s: %s", where, said);
        return;
    }
    const double relative = leading_number(&words), absolute = leading_number(&words);
    cr_expect_float_eq(metrics.list[0].floor_relative, relative, 1e-15, "%s", where);
    cr_expect_eq(metrics.list[0].floor_absolute, absolute, "%s", where);
}

TEXTS(metric_read, floors, "tests/unit/model/metric_read.txt#floors", expect_floor)

/* What is wrong is said in one line. */
static int read_text(const char *text)
{
    OWNED(metrics) metrics = {0};
    return metrics_read_text(&metrics, "x.ini", text);
}

REFUSED_TEXTS(metric_read, errors_say_file_line_and_remedy, "tests/unit/model/metric_read.txt#texts", read_text)

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
    expect_folder_error(scratch, "has no metric files");
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
