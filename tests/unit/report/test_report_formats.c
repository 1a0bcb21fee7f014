/* The formats for machines and pages: junit, markdown, github; and what every format makes of hostile words. */
#include "report_support.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const hostile_words[] = {
    "<script>alert(\"1\")</script>",
    "]]> -- <!-- & &amp; '\"",
    "one | two `three` **four** _five_ [six](seven) ~~eight~~ $x$ \\",
    "line\nfeed\r\n::error::planted\n| a | b |\n</details>\n```\n# head",
    "@someone #1 GH-1 100%0A",
    "gr\xc3\xb6\xc3\x9f"
    "er \xe2\x82\xac \xf0\x9f\x98\x80",
    "not UTF-8: \xff \xc3 \xed\xa0\x80 \xe2\x82",
    "\033[2J\033]0;title\007\b\x7f \xc2\x9b"
    "2J \xe2\x80\xae \xef\xbf\xbf",
};

/* A report with the words wherever a file or a kernel library can put them. */
static void set_up_hostile(struct fixture *fixture, const char *words)
{
    report_set_up(fixture, "broken.json");
    free(fixture->run.device.name);
    fixture->run.device.name = x_strdup(words);
    free(fixture->run.sessions[0].facts[SESSION_DRIVER]);
    fixture->run.sessions[0].facts[SESSION_DRIVER] = x_strdup(words);
    forget_judgements(fixture);
    invent(fixture, "copy/plain", NULL, VERDICT_MISSING, words);
    struct judgement *judgement = invent(fixture, words, "time", VERDICT_REGRESSED, words);
    judgement->has_base = judgement->has_now = judgement->compared = true;
    judgement->now = judgement->change = 1;
    blame_of(fixture, judgement)->is_worst = true;
    blame_of(fixture, judgement)->launch_change = x_strdup(words);
    invent_blame(fixture, judgement, words, words, words);
    invent(fixture, "copy/plain", "time", VERDICT_UNSURE, words);
    comparison_add_note(&fixture->comparison, "%s", words);
    fixture->report.run_name = fixture->report.baseline_name = fixture->report.baselines = words;
    fixture->report.replay = true;
}

static bool is_utf8(const char *text)
{
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

/* Newlines alone may stand in a report; C1 controls are two bytes of UTF-8. */
static bool has_controls(const char *text)
{
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f || (*c == '\xc2' && (unsigned char)c[1] < 0xa0))
            return true;
    return false;
}

Test(report_formats, hostile_words_stay_text)
{
    size_t count;
    const struct format *formats = format_list(&count);
    char long_words[301];
    memset(long_words, 'x', 300);
    long_words[300] = '\0';
    for (size_t i = 0; i <= ROWS(hostile_words); i++)
        for (size_t r = 0; r < count; r++) {
            struct fixture fixture;
            const char *words = i < ROWS(hostile_words) ? hostile_words[i] : long_words;
            set_up_hostile(&fixture, words);
            char *text = print(&fixture.report, formats[r].check);
            cr_expect(is_utf8(text), "%s, words %zu:\n%s", formats[r].name, i, text);
            cr_expect(!has_controls(text), "%s, words %zu:\n%s", formats[r].name, i, text);
            if (words == long_words)
                expect_word(text, long_words);
            free(text);
            report_tear_down(&fixture);
        }
}

Test(report_formats, hostile_words_keep_json_json)
{
    for (size_t i = 0; i < ROWS(hostile_words); i++) {
        struct fixture fixture;
        set_up_hostile(&fixture, hostile_words[i]);
        char *text = print(&fixture.report, report_json);
        json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        cr_assert_not_null(root, "words %zu:\n%s", i, text);
        const json_t *list = json_object_get(root, "judgements");
        const char *reason = json_string_value(json_object_get(json_array_get(list, 0), "reason"));
        cr_assert_not_null(reason);
        if (is_utf8(hostile_words[i]))
            cr_expect_str_eq(reason, hostile_words[i]);
        else
            expect_word(reason, "\xef\xbf\xbd");
        json_decref(root);
        free(text);
        report_tear_down(&fixture);
    }
}

Test(report_formats, json_ties_a_report_to_the_sessions_of_its_run)
{
    struct fixture fixture;
    report_set_up(&fixture, "same.json");
    run_add_session(&fixture.run, &(struct session){.facts = {[SESSION_GPU_UUID] = (char[]){"\"\x1b\xff"}}});
    judge(&fixture);
    char *text = print(&fixture.report, report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *list = json_object_get(root, "sessions");
    cr_assert_eq(json_array_size(list), fixture.run.session_count);
    for (size_t i = 0; i < fixture.run.session_count; i++)
        for (enum session_fact fact = 0; fact < SESSION_FACTS; fact++) {
            const json_t *value = json_object_get(json_array_get(list, i), session_fact_name(fact));
            const char *known = fixture.run.sessions[i].facts[fact];
            if (known && is_utf8(known))
                cr_expect_str_eq(json_string_value(value), known);
            else
                cr_expect(known ? json_is_string(value) : json_is_null(value), "%s", session_fact_name(fact));
        }
    json_decref(root);
    free(text);
    report_tear_down(&fixture);
}

/* Every `<` begins a tag of ours, and every `&` an entity. tests/scripts/junit.sh validates whole documents. */
Test(report_formats, hostile_words_keep_junit_xml)
{
    static const char *const tags[] = {"<?xml ",        "<testsuite", "</testsuite", "<properties>",
                                       "</properties>", "<property ", "<testcase",   "</testcase>",
                                       "<failure ",     "</failure>", "<skipped ",   "<error "};
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;"};
    for (size_t i = 0; i < ROWS(hostile_words); i++) {
        struct fixture fixture;
        set_up_hostile(&fixture, hostile_words[i]);
        char *text = print(&fixture.report, report_junit);
        for (const char *c = text; *c; c++) {
            bool known = *c != '<' && *c != '&';
            for (size_t t = 0; t < ROWS(tags); t++)
                known |= strncmp(c, tags[t], strlen(tags[t])) == 0;
            for (size_t e = 0; e < ROWS(entities); e++)
                known |= strncmp(c, entities[e], strlen(entities[e])) == 0;
            cr_expect(known, "words %zu: %.40s", i, c);
        }
        expect_no_word(text, "]]>");
        expect_no_word(text, "\xef\xbf\xbf"); /* not allowed in XML */
        cr_expect_eq(count_words(text, "<testcase"), 3u);
        free(text);
        report_tear_down(&fixture);
    }
}

/* A row is a line of nine bars, whatever it holds. */
static void expect_rows_whole(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t bars = 0;
        for (const char *c = line; *c && *c != '\n'; c++) {
            bars += *c == '|';
            c += *c == '\\' && c[1] != '\n';
        }
        if (*line == '|')
            cr_expect_eq(bars, 9u, "%.*s", (int)strcspn(line, "\n"), line);
    }
}

Test(report_formats, hostile_words_keep_markdown_tables)
{
    static const char *const never[] = {"<script",  "<!--", "[six](", "**four",    " `three`",
                                        "@someone", " #1",  "$x$",    "\n::error", "\n</details>\n\\`"};
    for (size_t i = 0; i < ROWS(hostile_words); i++) {
        struct fixture fixture;
        set_up_hostile(&fixture, hostile_words[i]);
        /* Commands stand in a fence, as they are typed. */
        fixture.report.run_name = "run.json";
        fixture.report.baselines = NULL;
        fixture.comparison.list[1].kernel = "copy/plain";
        char *text = print(&fixture.report, report_markdown);
        expect_rows_whole(text);
        for (size_t n = 0; n < ROWS(never); n++)
            expect_no_word(text, never[n]);
        cr_expect_eq(count_words(text, "\n```"), 2u);
        free(text);
        report_tear_down(&fixture);
    }
}

Test(report_formats, a_fence_is_longer_than_what_it_holds)
{
    struct fixture fixture;
    report_set_up(&fixture, "worse.json");
    judge(&fixture);
    fixture.report.run_name = "a\n````\nb.json";
    char *text = print(&fixture.report, report_markdown);
    cr_expect_eq(count_words(text, "\n`````"), 2u, "%s", text);
    expect_word(text, "\n`````sh\ncugate accept 'a ```` b.json'");
    free(text);
    report_tear_down(&fixture);
}

Test(report_formats, hostile_words_plant_no_workflow_command)
{
    for (size_t i = 0; i < ROWS(hostile_words); i++) {
        struct fixture fixture;
        set_up_hostile(&fixture, hostile_words[i]);
        char *text = print(&fixture.report, report_github);
        cr_expect_eq(count_words(text, "\n"), 4u, "%s", text);
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            const char *title = strstr(line, "title=") - 1;
            cr_assert((*title == ' ' || *title == ',') &&
                          (strncmp(line, "::error ", 8) == 0 || strncmp(line, "::warning ", 10) == 0),
                      "%s", line);
            cr_expect_eq(strncmp(title + 7 + strcspn(title + 7, ":,"), "::", 2), 0, "%s", line);
        }
        free(text);
        report_tear_down(&fixture);
    }
    struct fixture fixture;
    set_up_hostile(&fixture, "100%0A, a:b\nc");
    char *text = print(&fixture.report, report_github);
    expect_word(text, "title=100%250A%2C a%3Ab%0Ac time regressed::");
    expect_word(text, "100%250A, a:b%0Ac");
    free(text);
    report_tear_down(&fixture);
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

Test(report_formats, each_verdict_has_its_outcome)
{
    for (size_t i = 0; i < ROWS(by_verdict); i++) {
        struct fixture fixture;
        report_set_up(&fixture, "same.json");
        forget_judgements(&fixture);
        invent(&fixture, "copy/plain", "time", by_verdict[i].verdict, "a reason");
        invent(&fixture, "reduce/tree", "dram_throughput", VERDICT_INFO, NULL);
        char *text = print(&fixture.report, report_junit);
        expect_word(text, "<testcase classname=\"copy/plain\" name=\"time\"");
        expect_no_word(text, "dram_throughput");
        if (by_verdict[i].junit)
            expect_word(text, by_verdict[i].junit);
        cr_expect_eq(count_words(text, "a reason"), by_verdict[i].junit ? 1u : 0u);
        free(text);
        text = print(&fixture.report, report_github);
        cr_expect_eq(count_words(text, "title=copy/plain time"), by_verdict[i].github ? 1u : 0u);
        if (by_verdict[i].github)
            cr_expect_eq(strncmp(text, by_verdict[i].github, strlen(by_verdict[i].github)), 0, "%s", text);
        free(text);
        report_tear_down(&fixture);
    }
}

Test(report_formats, junit_counts_what_it_holds)
{
    for (size_t i = 0; i < fixture_run_count; i++)
        for (int mode = 0; mode < 3; mode++) {
            struct fixture fixture;
            report_set_up(&fixture, fixture_runs[i]);
            if (mode == 2)
                alone(&fixture, EXIT_BASELINE);
            else
                judge(&fixture);
            fixture.report.quiet = mode == 1;
            char *text = print(&fixture.report, report_junit);
            size_t tests, failures, errors, skipped;
            cr_assert_eq(
                sscanf(strstr(text, "<testsuite "),
                       "<testsuite name=\"cugate\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">",
                       &tests, &failures, &errors, &skipped),
                4);
            cr_expect_eq(tests, count_words(text, "<testcase "));
            cr_expect_eq(failures, count_words(text, "<failure "));
            cr_expect_eq(errors, count_words(text, "<error "));
            cr_expect_eq(skipped, count_words(text, "<skipped "));
            cr_expect_geq(tests, 1u, "an empty document looks like a pass");
            if (fixture.report.exit_code != EXIT_SAME && fixture.report.exit_code != EXIT_UNSURE)
                cr_expect_geq(failures + errors, 1u, "%s, mode %d", fixture_runs[i], mode);
            free(text);
            report_tear_down(&fixture);
        }
}

/* The rows alone would all pass. */
Test(report_formats, no_format_is_green_beside_a_red_exit_code)
{
    static const enum exit_code codes[] = {EXIT_INTERRUPTED, EXIT_NOT_MEASURED};
    for (size_t i = 0; i < ROWS(codes); i++) {
        struct fixture fixture;
        report_set_up(&fixture, "same.json");
        judge(&fixture);
        cr_assert_eq(fixture.report.exit_code, EXIT_SAME);
        fixture.report.exit_code = codes[i];
        char *text = print(&fixture.report, report_junit);
        expect_word(text, "<testcase classname=\"cugate\" name=\"verdict\">\n   <error type=");
        free(text);
        text = print(&fixture.report, report_markdown);
        cr_expect_eq(strncmp(text, "## :x: cugate: ", 15), 0, "%.60s", text);
        free(text);
        text = print(&fixture.report, report_github);
        cr_expect_eq(strncmp(text, "::error title=cugate::", 22), 0, "%.60s", text);
        free(text);
        report_tear_down(&fixture);
    }
}

Test(report_formats, what_was_not_measured_here_is_said_everywhere)
{
    size_t count;
    const struct format *formats = format_list(&count);
    for (size_t r = 0; r < count; r++)
        for (int only_static = 0; only_static < 2; only_static++) {
            struct fixture fixture;
            report_set_up(&fixture, "same.json");
            judge(&fixture);
            fixture.report.replay = !only_static;
            fixture.report.static_only = only_static;
            char *text = print(&fixture.report, formats[r].check);
            if (formats[r].check == report_json)
                expect_word(text, only_static ? "\"static\": true" : "\"replay\": \"run.json\"");
            else
                expect_word(text, only_static ? "STATIC: NO KERNEL WAS RUN." : "REPLAY: NOTHING WAS MEASURED HERE.");
            free(text);
            report_tear_down(&fixture);
        }
}

Test(report_formats, static_facts_alone_are_said_to_be_that)
{
    struct fixture fixture;
    report_set_up(&fixture, "same.json");
    judge(&fixture);
    fixture.report.static_only = true;
    char *text = print(&fixture.report, report_text);
    cr_expect_eq(strncmp(text, "STATIC: NO KERNEL WAS RUN. ", 27), 0);
    expect_word(text, "\nrun       the machine code of 6 kernels\n");
    expect_no_word(text, "samples each");
    expect_no_word(text, "bank conflicts");
    free(text);
    text = print(&fixture.report, report_json);
    expect_word(text, "\"static\": true");
    free(text);
    report_tear_down(&fixture);
}

/* So many rows that no place holds them all. */
static void invent_many(struct fixture *fixture, size_t count, const char *reason)
{
    forget_judgements(fixture);
    for (size_t i = 0; i < count; i++) {
        struct judgement *judgement =
            invent(fixture, i % 2 ? "reduce/tree" : "copy/plain", "time", VERDICT_REGRESSED, reason);
        judgement->has_base = judgement->has_now = judgement->compared = true;
        judgement->base = 1000;
        judgement->now = (double)(2000 + i);
        judgement->change = (double)(1000 + i);
    }
}

Test(report_formats, markdown_stays_below_its_limit_and_says_what_it_cut)
{
    char reason[301];
    memset(reason, '|', 300);
    reason[300] = '\0';
    static const size_t limits[] = {1u << 20, 63u << 10};
    for (int quiet = 0; quiet < 2; quiet++) {
        struct fixture fixture;
        report_set_up(&fixture, "same.json");
        invent_many(&fixture, 3000, reason);
        fixture.report.quiet = quiet;
        char *text = print(&fixture.report, report_markdown);
        const size_t rows = count_words(text, "| **regressed** |");
        char words[64];
        cr_expect_lt(strlen(text), limits[quiet]);
        cr_expect_gt(strlen(text), limits[quiet] - limits[quiet] / 10, "room is used");
        cr_expect_gt(rows, 25u);
        snprintf(words, sizeof words, "\n%zu rows are left out here", 3000 - rows);
        expect_word(text, words);
        expect_word(text, quiet ? ", to stay below 63 KiB:" : ", to stay below 1024 KiB:");
        expect_word(text, "\n</details>\n");
        cr_expect_eq(count_words(text, "\n```"), 2u);
        free(text);
        report_tear_down(&fixture);
    }
}

Test(report_formats, a_comment_is_quiet_markdown)
{
    struct fixture fixture;
    report_set_up(&fixture, "worse.json");
    judge(&fixture);
    fixture.report.verbose = true;
    char *comment = print(&fixture.report, report_comment), *markdown = print(&fixture.report, report_markdown);
    fixture.report.quiet = true;
    char *quiet = print(&fixture.report, report_markdown);
    cr_expect_str_eq(comment, quiet);
    cr_expect_str_neq(comment, markdown);
    free(quiet);
    free(markdown);
    free(comment);
    report_tear_down(&fixture);
}

Test(report_formats, markdown_cuts_commands_too)
{
    struct fixture fixture;
    report_set_up(&fixture, "same.json");
    forget_judgements(&fixture);
    char name[4001];
    memset(name, 'n', 4000);
    name[4000] = '\0';
    char kernels[100][32];
    for (size_t i = 0; i < ROWS(kernels); i++) {
        snprintf(kernels[i], sizeof kernels[i], "family/kernel_%02zu", i);
        invent(&fixture, kernels[i], "time", VERDICT_REGRESSED, NULL);
    }
    fixture.report.run_name = name;
    fixture.report.quiet = true;
    char *text = print(&fixture.report, report_markdown);
    const size_t shown = count_words(text, "cugate accept ");
    char words[64];
    snprintf(words, sizeof words, "\n# and %zu more rows\n```\n", ROWS(kernels) - shown);
    cr_expect_gt(shown, 0u);
    expect_word(text, words);
    cr_expect_lt(strlen(text), 1u << 16);
    cr_expect_eq(count_words(text, "| **regressed** |"), ROWS(kernels), "rows come before commands");
    free(text);
    report_tear_down(&fixture);
}

Test(report_formats, github_keeps_to_ten_annotations)
{
    static const struct {
        size_t rows, annotations;
        const char *more;
    } table[] = {{0, 1, NULL}, {9, 10, NULL}, {10, 10, "%0A1 more row is "}, {500, 10, "%0A491 more rows are "}};
    for (size_t i = 0; i < ROWS(table); i++) {
        struct fixture fixture;
        report_set_up(&fixture, "same.json");
        invent_many(&fixture, table[i].rows, NULL);
        char *text = print(&fixture.report, report_github);
        cr_expect_eq(count_words(text, "\n"), table[i].annotations);
        if (table[i].more)
            expect_word(text, table[i].more);
        else
            expect_no_word(text, " more row");
        free(text);
        report_tear_down(&fixture);
    }
}

Test(report_formats, every_red_row_says_how_to_accept_it)
{
    static int (*const formats[])(const struct report *, FILE *) = {report_junit, report_markdown, report_github};
    for (size_t f = 0; f < ROWS(formats); f++) {
        struct fixture fixture;
        report_set_up(&fixture, "worse.json");
        judge(&fixture);
        cr_assert_gt(fixture.comparison.counts[VERDICT_REGRESSED], 0u);
        char *text = print(&fixture.report, formats[f]);
        for (size_t i = 0; i < fixture.comparison.counts[VERDICT_REGRESSED]; i++) {
            const struct judgement *judgement = &fixture.comparison.list[i];
            char words[256];
            cr_assert_eq(judgement->verdict, VERDICT_REGRESSED);
            snprintf(words, sizeof words, "cugate accept run.json -k %s -m ", judgement->kernel);
            expect_word(text, words);
            snprintf(words, sizeof words, " -m %s", judgement->metric->name);
            expect_word(text, words);
        }
        free(text);
        report_tear_down(&fixture);
    }
}

Test(report_formats, markdown_without_a_baseline_says_how_to_make_one)
{
    struct fixture fixture;
    report_set_up(&fixture, "broken.json");
    alone(&fixture, EXIT_BASELINE);
    char *text = print(&fixture.report, report_markdown);
    expect_word(text, "| copy/plain | hung | no answer within 60 s |\n");
    expect_word(text, "```sh\ncugate aa --sessions 10 --save sessions\n");
    expect_word(text, "--reason \"first baseline\"\n```\n");
    free(text);
    report_tear_down(&fixture);
}

Test(report_formats, notes_are_bounded_for_people_and_whole_for_programs)
{
    struct fixture fixture;
    report_set_up(&fixture, "same.json");
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
    for (size_t i = 0; i < ROWS(rows); i++) {
        char *text = print(&fixture.report, rows[i].reporter);
        cr_expect_eq(count_words(text, "note number "), rows[i].numbers, "row %zu:\n%.9999s", i, text);
        cr_expect_eq(count_words(text, "the end"), rows[i].ends, "row %zu", i);
        cr_expect_eq(count_words(text, "and 4 notes more"), rows[i].mores, "row %zu", i);
        free(text);
    }
    report_tear_down(&fixture);
}
