/* Tests how formats describe the lines behind a row. */
#include "report_support.h"
#include "test.h"

#include "report/words.h"

#include <unistd.h>

/* Adds the three kernels of worse_lines.json: one with lines and a base's lines, one without line information and base,
 * one with other launches. */
static void set_up_hotspots(struct fixture *fixture)
{
    char *const globs[] = {(char[]){"transpose/*"}, (char[]){"reduce/atomic"}};
    *fixture = report_set_up("worse_lines.json");
    run_filter(&fixture->base, globs, ARRAY_SIZE(globs));
    judge(fixture);
}

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

Test(words_why, text_names_the_line_and_what_to_do)
{
    WITH(report_tear_down, struct fixture fixture, set_up_hotspots(&fixture));
    fixture.report.verbose = true;
    OWNED_TEXT text = print(&fixture.report, report_text);
    expect_words(text, "  kernels/transpose.cu:40: excess shared wavefronts 0 -> 16,777,216 (100 % of the kernel's)\n",
                 "  | out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];\n",
                 "lanes of one warp access the same bank: pad the rows by one element",
                 "kernels/transpose.cu:40: sampled SM cycles 409,600 -> 4,983,467 (86 % of the kernel's), grown by\n",
                 " mio_throttle: the queue to shared memory, indexed constants and special functions is full\n",
                 "launch: grid 1024x1x1 -> 8192x1x1; block 256x1x1 -> 32x1x1\n");
}

/* Two counters of one kernel have the same lines, which are printed once. */
Test(words_why, one_pattern_is_told_once)
{
    WITH(report_tear_down, struct fixture fixture, set_up_hotspots(&fixture));
    fixture.report.verbose = true;
    OWNED_TEXT text = print(&fixture.report, report_text), *markdown = print(&fixture.report, report_markdown);
    cr_expect_eq(count_words(text, "excess shared wavefronts"), 1u);
    expect_word(text, "the lines of shared_wavefronts above\n");
    cr_expect_eq(count_words(markdown, "excess shared wavefronts"), 1u);
    expect_word(markdown, "<br>the lines of shared_wavefronts |");
}

Test(words_why, launches_are_told_once_a_kernel)
{
    WITH(report_tear_down, struct fixture fixture, set_up_one(&fixture, NULL, "f", NULL));
    blame_of(&fixture, &fixture.comparison.list[0])->launch_change = x_strdup("block 1x1x1 -> 2x1x1");
    blame_of(&fixture, invent(&fixture, "reduce/tree", "time", VERDICT_UNSURE, NULL))->launch_change =
        x_strdup("block 1x1x1 -> 2x1x1");
    const struct judgement *worst = &fixture.comparison.list[0];
    blame_of(&fixture, worst)->appeared = x_strdup("local_memory 0 to 96 B");
    static int (*const once[])(const struct report *, FILE *) = {report_text, report_markdown};
    static int (*const each[])(const struct report *, FILE *) = {report_github, report_json, report_junit};
    for (size_t i = 0; i < ARRAY_SIZE(once); i++) {
        OWNED_TEXT text = print(&fixture.report, once[i]);
        cr_expect_eq(count_words(text, "launch: block"), 1u, "%s", text);
        cr_expect_eq(count_words(text, "appeared: local_memory 0 to 96 B"), 1u, "%s", text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(each); i++) {
        OWNED_TEXT text = print(&fixture.report, each[i]);
        expect_word(text, "block 1x1x1 -");
        cr_expect_geq(count_words(text, "block 1x1x1 -"), 2u, "%s", text);
        expect_word(text, "local_memory 0 to 96 B");
    }
}

Test(words_why, what_is_not_known_is_said)
{
    WITH(report_tear_down, struct fixture fixture, set_up_hotspots(&fixture));
    static int (*const reporters[])(const struct report *, FILE *) = {report_text, report_github, report_junit,
                                                                      report_markdown};
    for (size_t i = 0; i < ARRAY_SIZE(reporters); i++) {
        OWNED_TEXT text = print(&fixture.report, reporters[i]);
        expect_words(text, "+0x1a0", "instructions 1,048,577 (50 %", "compile with -lineinfo",
                     "these lines have most of it now");
        expect_no_word(text, "instructions 0 -");
    }
}

/* Names and lines may be endless, have tabs, or look like a command to CI servers. */
Test(words_why, text_stays_tidy_whatever_a_file_says)
{
    char *long_word = x_strdup("x::y"), *wide = x_strdup("\xe2\x82\xac");
    for (int i = 0; i < 10; i++) {
        char *longer = x_sprintf("%s%s", long_word, long_word), *wider = x_sprintf("%s%s", wide, wide);
        free(long_word);
        free(wide);
        long_word = longer;
        wide = wider;
    }
    const struct {
        const char *file, *function, *source, *word;
    } rows[] = {
        {"::error::planted", "f", "::error::planted", "?::error::planted:41: excess"},
        {NULL, "::error::planted", NULL, "?::error::planted+0x1a0: excess"},
        {"a.cu", "f", "::error::planted", "    | ::error::planted\n"},
        {"a.cu", "f", "a\tb\nc\r\033[2Jd \t\n", "    | a b c??[2Jd\n"},
        {"a.cu", "f", "##[error]planted", "    | ?#[error]planted\n"},
        {"a.cu", "f", "\n", "a.cu:41: excess"},
        {"a.cu", "f", long_word, "...\n"},
        {"a.cu", "f", wide, "...\n"},
        {long_word, "f", NULL, "x::yx::y:41:\n"},
        {wide, "f", NULL, "...\xe2\x82\xac"},
        {NULL, long_word, NULL, "...+0x1a0:\n"},
        {NULL, wide, NULL, "\xe2\x82\xac...+0x1a0:\n"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(report_tear_down) struct fixture fixture;
        set_up_one(&fixture, rows[i].file, rows[i].function, rows[i].source);
        OWNED_TEXT text = print(&fixture.report, report_text);
        expect_word(text, rows[i].word);
        expect_no_words(text, "\n::", "  ::");
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            const int length = (int)strcspn(line, "\n");
            int columns = 0;
            for (int c = 0; c < length; c++) {
                cr_expect((unsigned char)line[c] >= 0x20, "row %zu: a control character", i);
                columns += ((unsigned char)line[c] & 0xc0) != 0x80;
            }
            cr_expect_leq(columns, TEXT_WIDTH, "%.*s", length, line);
            cr_expect(length == 0 || line[length - 1] != ' ', "%.*s", length, line);
        }
    }
    free(wide);
    free(long_word);
}

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

Test(words_why, functions_are_shortened)
{
    each_text(FILE_OF("functions"), expect_function);
}

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

static const json_t *find_judgement(const json_t *root, const char *kernel, const char *metric)
{
    const json_t *list = json_object_get(root, "judgements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "metric"));
        if (name && strcmp(name, metric) == 0 && strcmp(json_string_value(json_object_get(one, "kernel")), kernel) == 0)
            return one;
    }
    cr_assert_fail("no judgement of %s of %s", metric, kernel);
    return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "null";
}

Test(words_why, json_has_all_of_it)
{
    WITH(report_tear_down, struct fixture fixture, set_up_hotspots(&fixture));
    OWNED_TEXT text = print(&fixture.report, report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(root, "%s", text);
    const json_t *padded = find_judgement(root, "transpose/padded", "shared_wavefronts");
    const json_t *hotspot = json_array_get(json_object_get(padded, "causes"), 0);
    cr_expect_str_eq(text_of(padded, "story"), "excess_wavefronts");
    cr_expect_eq(strncmp(text_of(padded, "advice"), "lanes of one warp", 17), 0);
    cr_expect_str_eq(text_of(hotspot, "file"), "kernels/transpose.cu");
    cr_expect_eq(json_integer_value(json_object_get(hotspot, "line")), 40);
    cr_expect_str_eq(text_of(hotspot, "function"), "transpose_padded(float const*, float*)");
    cr_expect_eq(json_integer_value(json_object_get(hotspot, "offset")), 1024);
    cr_expect_eq(strncmp(text_of(hotspot, "text"), "out[(y + j)", 11), 0);
    cr_expect_eq(json_integer_value(json_object_get(hotspot, "base")), 0);
    cr_expect(json_is_integer(json_object_get(hotspot, "base")));
    cr_expect_eq(json_integer_value(json_object_get(hotspot, "now")), 16777216);
    cr_expect_eq(json_number_value(json_object_get(hotspot, "share")), 1);
    cr_expect(json_is_null(json_object_get(hotspot, "stall")));

    hotspot = json_array_get(json_object_get(find_judgement(root, "transpose/padded", "time"), "causes"), 0);
    cr_expect_str_eq(text_of(hotspot, "stall"), "mio_throttle");
    hotspot = json_array_get(json_object_get(find_judgement(root, "transpose/naive", "instructions"), "causes"), 1);
    static const char *const unknown[] = {"file", "line", "text", "base"};
    for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
        cr_expect(json_is_null(json_object_get(hotspot, unknown[i])), "%s", unknown[i]);
    const json_t *atomic = find_judgement(root, "reduce/atomic", "achieved_occupancy");
    cr_expect_str_eq(text_of(atomic, "launch_change"), "grid 1024x1x1 -> 8192x1x1; block 256x1x1 -> 32x1x1");
    cr_expect(json_is_null(json_object_get(atomic, "story")));

    const json_t *list = json_object_get(root, "judgements");
    for (size_t i = 0; i < json_array_size(list); i++)
        cr_expect(json_is_array(json_object_get(json_array_get(list, i), "causes")));
    json_decref(root);
}

Test(words_why, junit_says_it_short_and_in_full)
{
    WITH(report_tear_down, struct fixture fixture, set_up_hotspots(&fixture));
    OWNED_TEXT text = print(&fixture.report, report_junit);
    expect_words(text, "; at kernels/transpose.cu:40: excess shared wavefronts 0 -&gt; 16,777,216\">",
                 ">at kernels/transpose.cu:40: excess shared wavefronts 0 -&gt; 16,777,216 (100 % of the kernel's)"
                 "&#10;    out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];&#10;lanes of one warp",
                 "; launch: grid 1024x1x1 -&gt; 8192x1x1; block 256x1x1 -&gt; 32x1x1\">launch: grid");
}

Test(words_why, markdown_keeps_code_code)
{
    AT_END(report_tear_down) struct fixture fixture;
    set_up_one(&fixture, "kernels/a_b.cu", "f", "x |= a[i] * `b` + \"<c>\"; // @d");
    OWNED_TEXT text = print(&fixture.report, report_markdown);
    expect_word(text,
                "<code>kernels/a_b.cu:41</code>: excess shared wavefronts 0 -&gt; 6,938,624 (98 % of the kernel's)"
                "<br><code>x \\|= a\\[i\\] \\* \\`b\\` + \"&lt;c&gt;\"; // @&#8203;d</code><br>lanes of one warp");
}

static void expect_no_link(const char *where, const char *text, const char *written)
{
    WITH(report_tear_down, struct fixture fixture, set_up_one(&fixture, "kernels/a.cu", "f", text));
    OWNED_TEXT page = print(&fixture.report, report_comment);
    cr_expect(strstr(page, written), "%s: %s", where, page);
}

Test(words_why, no_line_is_a_link_in_markdown)
{
    each_text(FILE_OF("links"), expect_no_link);
}

static void expect_annotation(const char *where, const char *file, const char *begin)
{
    AT_END(report_tear_down) struct fixture fixture;
    set_up_one(&fixture, strcmp(file, "(none)") == 0 ? NULL : file, "f", "s[i] += s[j];");
    OWNED_TEXT text = print(&fixture.report, report_github);
    cr_expect_eq(strncmp(text, begin, strlen(begin)), 0, "%s: %s", where, text);
    cr_expect_eq(count_words(text, "\n"), 2u, "%s", text);
    expect_word(text, "excess shared wavefronts 0 -> 6,938,624 (98 %25 of the kernel's)%0A    s[i] += s[j];%0Alanes");
}

Test(words_why, github_shows_it_at_its_line)
{
    each_text(FILE_OF("annotations"), expect_annotation);
}

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

Test(words_why, counts_are_whole_and_grouped)
{
    each_text(FILE_OF("counts"), expect_count);
}
