/* Tests how formats describe the lines behind a row. */
#include "report_support.h"
#include "test.h"

#include "report/words.h"

/* Makes a report of one regressed row that is blamed on one line. */
static void set_up_one(struct fixture *fixture, const char *file, const char *function, const char *source)
{
    *fixture = report_set_up("same.json");
    forget_judgements(fixture);
    struct judgement *judgement = invent(fixture, "reduce/tree", "shared_wavefronts", VERDICT_REGRESSED, NULL);
    judgement->has_base = judgement->has_now = judgement->compared = true;
    blame_of(fixture, judgement)->is_worst = true;
    judgement->now = judgement->change = 6938624;
    invent_blame(fixture, judgement, file, function, source);
}

/* ---- Text ---- */

/* ---- Names ---- */

static void expect_becomes(char *words, const char *expected)
{
    cr_expect_str_eq(words, expected);
    free(words);
}

static void expect_function(const char *where, const char *function, const char *words)
{
    (void)where;
    expect_becomes(words_function(function, 40), words);
}

#define FILE_OF(part) "tests/unit/report/words_why.txt#" part

TEXTS(words_why, functions_are_shortened, FILE_OF("functions"), expect_function)

Test(words_why, places_keep_their_end)
{
    struct profile_line line = {.function = (char[]){"(anonymous namespace)::sum(int)"},
                                .file = (char[]){"/a/very/long/way/to/kernels/reduce.cu"},
                                .number = 93,
                                .offset = 416};
    expect_becomes(words_place(&line, 60), "/a/very/long/way/to/kernels/reduce.cu:93");
    expect_becomes(words_place(&line, 24), ".../kernels/reduce.cu:93");
    line.file = NULL;
    expect_becomes(words_place(&line, 24), "sum+0x1a0");
}

static void expect_shorter(char *words, size_t most)
{
    cr_expect_leq(strlen(words), most);
    free(words);
}

Test(words_why, names_of_any_length_and_bytes_are_cut)
{
    const size_t length = 1 << 20;
    OWNED_TEXT name = x_calloc(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        name[i] = "(anonymous namespace)::"[i % 23];
    expect_shorter(words_function(name, 40), 40);
    memset(name, 0xff, length);
    struct profile_line line = {.function = name, .file = name, .number = UINT_MAX};
    expect_shorter(words_place(&line, 40), 40);
    for (size_t i = 0; i < length; i++)
        name[i] = "\xe2\x82\xac"[i % 3];
    OWNED_TEXT words = words_cut(name, 40);
    cr_expect_eq(strlen(words), 37 * 3u + 3);
}

/* ---- The other formats ---- */

static void expect_no_link(const char *where, const char *text, const char *written)
{
    WITH(report_tear_down, struct fixture fixture, set_up_one(&fixture, "kernels/a.cu", "f", text));
    OWNED_TEXT page = print(&fixture.report, report_comment);
    cr_expect(strstr(page, written), "%s: %s", where, page);
}

TEXTS(words_why, no_line_is_a_link_in_markdown, FILE_OF("links"), expect_no_link)

static void expect_annotation(const char *where, const char *file, const char *begin)
{
    AT_END(report_tear_down) struct fixture fixture;
    set_up_one(&fixture, strcmp(file, "(none)") == 0 ? NULL : file, "f", "s[i] += s[j];");
    OWNED_TEXT text = print(&fixture.report, report_github);
    cr_expect_eq(strncmp(text, begin, strlen(begin)), 0, "%s: %s", where, text);
    cr_expect_eq(count_words(text, "\n"), 2u, "%s", text);
    expect_word(
        text,
        "excess shared wavefronts here 0 -> 6,938,624 (98 %25 of the kernel's total)%0A    s[i] += s[j];%0Alanes");
}

TEXTS(words_why, github_shows_it_at_its_line, FILE_OF("annotations"), expect_annotation)

/* ---- Words ---- */

/* Names are relative to the repository's root, whatever the current folder is. */
Test(words_why, github_names_files_alike_in_all_folders)
{
    OWNED_FOLDER buffer = scratch_make();
    OWNED_TEXT git = x_sprintf("%s/.git", buffer);
    OWNED_TEXT sub = x_sprintf("%s/perf/sub", buffer);
    AT_END(report_tear_down) struct fixture fixture;
    char here[4096];
    cr_assert(make_folders(git) == 0 && make_folders(sub) == 0 && getcwd(here, sizeof here));
    setenv("GITHUB_WORKSPACE", buffer, 1);
    set_up_one(&fixture, "kernels/reduce.cu", "f", "s[i] += s[j];");
    cr_assert_eq(chdir(sub), 0);
    OWNED_TEXT text = print(&fixture.report, report_github);
    expect_word(text, "file=kernels/reduce.cu,");
    cr_assert_eq(chdir(here), 0);
}

static void expect_count(const char *where, const char *count, const char *words)
{
    char text[40];
    cr_expect_str_eq(words_count(leading_number(&count), text, sizeof text), words, "%s", where);
}

TEXTS(words_why, counts_are_whole_and_grouped, FILE_OF("counts"), expect_count)
