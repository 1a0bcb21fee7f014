#include "baseline/baseline.h"
#include "test.h"

Test(known_regression, a_file_is_read_whole)
{
    static const char text[] = "\xef\xbb\xbf; why\n"
                               "\n"
                               "[transpose/padded time] ; until the new driver\r\n"
                               "issue = https://example.org/issues/12  ; comment\r\n"
                               "expires: 2028-02-29\r\n"
                               "  # a comment may be indented\n"
                               "[reduce/tree\t instructions]\n"
                               "expires=2026-12-31\n"
                               "issue=a;b#c\n"
                               "worst = 1.5e6";
    struct known_regressions known_regressions;
    cr_assert_eq(known_regressions_read_text(&known_regressions, "x.ini", text), 0);
    cr_assert_eq(known_regressions.count, 2);
    const struct known_regression *time = known_regressions_find(&known_regressions, "transpose/padded", "time");
    cr_assert_not_null(time);
    cr_expect_str_eq(time->issue, "https://example.org/issues/12");
    cr_expect_str_eq(time->expires, "2028-02-29");
    cr_expect_str_eq(time->file, "x.ini");
    cr_expect_eq(time->line, 3);
    const struct known_regression *instructions =
        known_regressions_find(&known_regressions, "reduce/tree", "instructions");
    cr_assert_not_null(instructions);
    cr_expect_str_eq(instructions->issue, "a;b#c");
    cr_expect_eq(instructions->worst, 1.5e6);
    cr_expect(isnan(time->worst));
    cr_expect_eq(instructions->line, 7);
    cr_expect_null(known_regressions_find(&known_regressions, "transpose/padded", "instructions"));
    cr_expect_null(known_regressions_find(&known_regressions, "transpose", "time"));
    known_regressions_release(&known_regressions);
    cr_expect_eq(known_regressions.count, 0);
}

/* inih alone would cut section names at 49 characters. */
Test(known_regression, long_names_are_kept)
{
    char family[101], text[512];
    memset(family, 'f', sizeof family - 1);
    family[sizeof family - 1] = '\0';
    snprintf(text, sizeof text, "[%s/%s branch_targets_divergent]\nissue=x\nexpires=2026-01-01\n", family, family);
    OWNED_TEXT kernel = x_sprintf("%s/%s", family, family);
    OWNED(known_regressions) known_regressions;
    cr_assert_eq(known_regressions_read_text(&known_regressions, "x.ini", text), 0);
    cr_expect_not_null(known_regressions_find(&known_regressions, kernel, "branch_targets_divergent"));
}

#define SECTION "[a/b time]\n"
#define ISSUE "issue = i\n"
#define EXPIRES "expires = 2026-12-31\n"

static int read_text(const char *text)
{
    OWNED(known_regressions) known_regressions;
    const int result = known_regressions_read_text(&known_regressions, "x.ini", text);
    cr_expect(result == 0 || (known_regressions.count == 0 && !known_regressions.list), "%s", text);
    return result;
}

REFUSED_TEXTS(known_regression, what_is_wrong_is_said_with_its_line, "tests/unit/baseline/known_regression_file.txt",
              read_text)

static void expect_folder(const char *folder, int expected, const char *words)
{
    struct known_regressions known_regressions;
    HEAR(result, known_regressions_read(&known_regressions, folder));
    cr_expect_eq(result, expected, "%s", said);
    cr_expect(words ? strstr(said, words) != NULL : *said == '\0', "\"%s\" lacks \"%s\"", said, words);
    cr_expect_eq(known_regressions.count, 0);
}

Test(known_regression, the_file_of_a_folder)
{
    OWNED_FOLDER folder = scratch_make();
    expect_folder("/nonexistent/folder", 0, NULL);
    expect_folder(folder, 0, NULL);
    free(scratch_file(folder, KNOWN_REGRESSION_FILE, ""));
    expect_folder(folder, 0, NULL);
    free(scratch_file(folder, KNOWN_REGRESSION_FILE, "[a/b]\n"));
    expect_folder(folder, -1, "expected.ini:1: ");
    OWNED_TEXT path = scratch_file(folder, KNOWN_REGRESSION_FILE, SECTION ISSUE EXPIRES);
    expect_folder(path, -1, "cannot read");
    OWNED(known_regressions) known_regressions;
    cr_assert_eq(known_regressions_read(&known_regressions, folder), 0);
    cr_assert_eq(known_regressions.count, 1);
    cr_expect_str_eq(known_regressions.list[0].file, path);

    write_bytes(path, "; \0\n", 4);
    expect_folder(folder, -1, "NUL byte");
    remove(path);
    cr_assert_eq(mkdir(path, 0777), 0);
    expect_folder(folder, -1, "it is a folder");
}

Test(known_regression, the_last_day_belongs_to_it)
{
    static const struct {
        const char *date;
        bool over;
    } cases[] = {
        {NULL, true}, /* a run without a date may be of any day */
        {"", false},
        {"2026-12-30T23:59:59.000Z", false},
        {"2026-12-31T00:00:00.000Z", false},
        {"2026-12-31T23:59:59.999Z", false},
        {"2026-12-31", false},
        {"2027-01-01T00:00:00.000Z", true},
        {"2027-01-01", true},
    };
    const struct known_regression known_regression = {.expires = (char[]){"2026-12-31"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        cr_expect_eq(known_regression_is_over(&known_regression, cases[i].date), cases[i].over, "%s", cases[i].date);
}

Test(known_regression, what_cannot_regress_is_no_known_regression)
{
    static const struct {
        const char *metric;
        int result;
        const char *words;
    } rows[] = {
        {"time", 0, ""},
        {"tiem", -1, "x.ini:1: unknown metric \"tiem\": did you mean time?"},
        {"bandwidth", -1, "x.ini:1: unknown metric \"bandwidth\"\n"},
        {"clock", -1, "x.ini:1: clock is only shown, never judged"},
    };
    struct metric list[] = {{.name = (char *)"clock", .class = METRIC_INFO},
                            {.name = (char *)"time", .class = METRIC_TIME}};
    const struct metrics metrics = {.list = list, .count = ARRAY_SIZE(list)};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT text = x_sprintf("[a/b %s]\n" ISSUE EXPIRES, rows[i].metric);
        OWNED(known_regressions) known_regressions;
        cr_assert_eq(known_regressions_read_text(&known_regressions, "x.ini", text), 0);
        HEAR(result, known_regressions_check(&known_regressions, &metrics, "tests/no_such_folder"));
        cr_expect_eq(result, rows[i].result, "%s", said);
        cr_expect(strstr(said, rows[i].words), "%s", said);
        expect_word(said, "x.ini:1: a/b has no baseline: remove [a/b ");
    }
}

/* A computed baseline lacks the kernel, so nothing is said of that. */
Test(known_regression, of_a_whole_kernel_only_the_day_is_declared)
{
    static const char *const wholes[] = {KNOWN_NOT_COMPUTED, KNOWN_REGRESSION_REMOVED};
    const struct metrics metrics = {0};
    for (size_t i = 0; i < 2 * ARRAY_SIZE(wholes); i++) {
        const bool has_worst = i % 2;
        OWNED_TEXT text = x_sprintf("[a/b %s]\n" ISSUE EXPIRES "%s", wholes[i / 2], has_worst ? "worst = 1\n" : "");
        OWNED(known_regressions) known_regressions;
        cr_assert_eq(known_regressions_read_text(&known_regressions, "x.ini", text), 0);
        HEAR(result, known_regressions_check(&known_regressions, &metrics, "tests/no_such_folder"));
        cr_expect_eq(result, has_worst ? -1 : 0, "%s", said);
        cr_expect_eq(strstr(said, "x.ini:1: a whole kernel has no worst value") != NULL, has_worst, "%s", said);
        cr_expect(has_worst || *said == '\0', "%s", said);
    }
}
