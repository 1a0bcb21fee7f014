/* Tests the table of formats, and what all formats have in common. */
#include "report_support.h"
#include "test.h"

Test(report, formats_are_found_by_name)
{
    size_t count;
    const struct format *formats = format_list(&count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(format_find(DOCUMENT_CHECK, formats[i].name, "--format"), &formats[i]);
    cr_expect(format_find(DOCUMENT_AA, "json", "--format")->aa == analysis_json);
    cr_expect(format_find(DOCUMENT_EXPLAIN, "text", "--format")->explain == explain_text);

    capture_begin();
    cr_expect_null(format_find(DOCUMENT_EXPLAIN, "junit", "--format of it"));
    cr_expect_null(format_find(DOCUMENT_CHECK, "", "--report"));
    OWNED_TEXT said = capture_end();
    cr_expect_str_eq(said, "cugate: error: --format of it needs text or json, not 'junit'\n"
                           "cugate: error: --report needs text, json, junit, markdown, comment, github, sarif, bmf or "
                           "github-action-benchmark, not ''\n");
}

Test(report, every_red_row_says_how_to_accept_it)
{
    static void (*const formats[])(const struct report *, FILE *) = {report_junit, report_markdown, report_github};
    for (size_t f = 0; f < ARRAY_SIZE(formats); f++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
        judge(&fixture);
        cr_assert_gt(fixture.comparison.counts[VERDICT_REGRESSED], 0u);
        OWNED_TEXT text = print(&fixture.report, formats[f]);
        for (size_t i = 0; i < fixture.comparison.counts[VERDICT_REGRESSED]; i++) {
            const struct judgement *judgement = &fixture.comparison.list[i];
            char words[256];
            cr_assert_eq(judgement->verdict, VERDICT_REGRESSED);
            snprintf(words, sizeof words, "cugate accept run.json -k %s -m ", judgement->kernel);
            expect_word(text, words);
            snprintf(words, sizeof words, " -m %s", judgement->metric->name);
            expect_word(text, words);
        }
    }
}

Test(report, notes_are_bounded_for_people_and_whole_for_programs)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
    forget_judgements(&fixture);
    invent(&fixture, "copy/plain", "time", VERDICT_SAME, "");
    for (int i = 0; i < 20; i++)
        comparison_add_note(&fixture.comparison, "note number %d %0999d the end", i, 0);
    static const struct {
        void (*reporter)(const struct report *, FILE *);
        size_t numbers, ends, mores;
    } rows[] = {
        {report_text, 16, 0, 1},  {report_markdown, 16, 0, 1}, {report_comment, 16, 0, 1},
        {report_json, 20, 20, 0}, {report_junit, 20, 20, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT text = print(&fixture.report, rows[i].reporter);
        cr_expect_eq(count_words(text, "note number "), rows[i].numbers, "row %zu:\n%.9999s", i, text);
        cr_expect_eq(count_words(text, "the end"), rows[i].ends, "row %zu", i);
        cr_expect_eq(count_words(text, "4 more notes"), rows[i].mores, "row %zu", i);
    }
}
