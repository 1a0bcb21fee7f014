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

Test(report, a_full_disk_is_noticed)
{
    size_t count;
    const struct format *formats = format_list(&count);
    cr_assert_geq(count, 2u);
    for (size_t i = 0; i < count; i++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
        judge(&fixture);
        FILE *full = fopen("/dev/full", "w");
        cr_assert_not_null(full);
        cr_expect_eq(formats[i].check(&fixture.report, full), -1, "%s", formats[i].name);
        fclose(full);
    }
}

static const struct {
    enum verdict verdict;
    const char *junit, *github;
} by_verdict[] = {
    {VERDICT_MISSING, "<error type=\"missing\"", "::error "},
    {VERDICT_REGRESSED, "<failure type=\"regressed\"", "::error "},
    {VERDICT_UNEXPECTED, "<failure type=\"unexpected-pass\"", "::error "},
    {VERDICT_UNSURE, "<skipped type=\"unsure\"", "::warning "},
    {VERDICT_TRADED, "<skipped type=\"trade-off\"", "::warning "},
    {VERDICT_EXPECTED, "<skipped type=\"expected\"", "::warning "},
    {VERDICT_NEW, "<skipped type=\"new\"", "::warning "},
    {VERDICT_IMPROVED, NULL, NULL},
    {VERDICT_SAME, NULL, NULL},
};

Test(report, each_verdict_has_its_outcome)
{
    for (size_t i = 0; i < ARRAY_SIZE(by_verdict); i++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
        forget_judgements(&fixture);
        invent(&fixture, "copy/plain", "time", by_verdict[i].verdict, "a reason");
        invent(&fixture, "reduce/tree", "dram_throughput", VERDICT_INFO, NULL);
        OWNED_TEXT text = print(&fixture.report, report_junit), *github = print(&fixture.report, report_github);
        expect_word(text, "<testcase classname=\"copy/plain\" name=\"time\"");
        expect_no_word(text, "dram_throughput");
        if (by_verdict[i].junit)
            expect_word(text, by_verdict[i].junit);
        cr_expect_eq(count_words(text, "a reason"), by_verdict[i].junit ? 1u : 0u);
        cr_expect_eq(count_words(github, "title=copy/plain time"), by_verdict[i].github ? 1u : 0u);
        if (by_verdict[i].github)
            cr_expect_eq(strncmp(github, by_verdict[i].github, strlen(by_verdict[i].github)), 0, "%s", github);
    }
}

/* Judged by the rows alone, all would pass. */
Test(report, no_format_is_green_beside_a_red_exit_code)
{
    static const enum exit_code codes[] = {EXIT_INTERRUPTED, EXIT_NOT_MEASURED};
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
        judge(&fixture);
        cr_assert_eq(fixture.report.exit_code, EXIT_SAME);
        fixture.report.exit_code = codes[i];
        OWNED_TEXT junit = print(&fixture.report, report_junit), *github = print(&fixture.report, report_github);
        OWNED_TEXT sarif = print(&fixture.report, report_sarif);
        expect_word(sarif, "\"ruleId\": \"verdict\",\n     \"level\": \"error\"");
        OWNED_TEXT markdown = print(&fixture.report, report_markdown);
        expect_word(junit, "<testcase classname=\"cugate\" name=\"verdict\">\n   <error type=");
        cr_expect_eq(strncmp(markdown, "## :x: cugate: ", 15), 0, "%.60s", markdown);
        cr_expect_eq(strncmp(github, "::error title=cugate::", 22), 0, "%.60s", github);
    }
}

Test(report, what_was_not_measured_here_is_said_everywhere)
{
    size_t count;
    const struct format *formats = format_list(&count);
    for (size_t r = 0; r < count; r++) {
        const int ways =
            formats[r].check == report_bmf || formats[r].check == report_list ? 0 : 2; /* that format has no words */
        for (int only_static = 0; only_static < ways; only_static++) {
            AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
            judge(&fixture);
            fixture.report.replay = !only_static;
            if (only_static)
                report_set_origin(&fixture.run, ORIGIN_CODE);
            OWNED_TEXT text = print(&fixture.report, formats[r].check);
            if (formats[r].check == report_json)
                expect_word(text, only_static ? "\"static\": true" : "\"replay\": \"run.json\"");
            else
                expect_word(text, only_static ? "STATIC: NO KERNEL WAS RUN." : "REPLAY: NOTHING WAS MEASURED HERE.");
        }
    }
}

Test(report, static_facts_alone_are_said_to_be_that)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
    judge(&fixture);
    report_set_origin(&fixture.run, ORIGIN_CODE);
    OWNED_TEXT text = print(&fixture.report, report_text), *json = print(&fixture.report, report_json);
    cr_expect_eq(strncmp(text, "STATIC: NO KERNEL WAS RUN. ", 27), 0);
    expect_word(text, "\nrun       run.json, the machine code of 6 kernels\n");
    expect_no_words(text, "samples each", "bank conflicts");
    expect_word(json, "\"static\": true");
}

Test(report, every_red_row_says_how_to_accept_it)
{
    static int (*const formats[])(const struct report *, FILE *) = {report_junit, report_markdown, report_github};
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
        int (*reporter)(const struct report *, FILE *);
        size_t numbers, ends, mores;
    } rows[] = {
        {report_text, 16, 0, 1},  {report_markdown, 16, 0, 1}, {report_comment, 16, 0, 1},
        {report_json, 20, 20, 0}, {report_junit, 20, 20, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT text = print(&fixture.report, rows[i].reporter);
        cr_expect_eq(count_words(text, "note number "), rows[i].numbers, "row %zu:\n%.9999s", i, text);
        cr_expect_eq(count_words(text, "the end"), rows[i].ends, "row %zu", i);
        cr_expect_eq(count_words(text, "and 4 more notes"), rows[i].mores, "row %zu", i);
    }
}
