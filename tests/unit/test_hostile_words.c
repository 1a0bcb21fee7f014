/* Tests how every format prints hostile words from files and kernel libraries. */
#include "report_support.h"
#include "test.h"

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

/* Makes a report with these words wherever a file or a kernel library can have them. */
static void set_up_hostile(struct fixture *fixture, const char *words)
{
    *fixture = report_set_up("broken.json");
    set_text(&fixture->run.device.name, words);
    set_text(&fixture->run.sessions[0].facts[SESSION_DRIVER], words);
    row_add_session(result_add(run_add(&fixture->run, words), words), (const double[]){1}, 1);
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

/* Whether a text has control characters other than newlines. C1 controls are two bytes in UTF-8. */
static bool has_controls(const char *text)
{
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f || (*c == '\xc2' && (unsigned char)c[1] < 0xa0))
            return true;
    return false;
}

static void forget_all(char *text, const char *characters)
{
    char *end = text;
    for (; *text; text++)
        if (!strchr(characters, *text))
            *end++ = *text;
    *end = '\0';
}

Test(hostile_words, hostile_words_stay_text)
{
    size_t count;
    const struct format *formats = format_list(&count);
    char long_words[301];
    memset(long_words, 'x', 300);
    long_words[300] = '\0';
    for (size_t i = 0; i <= ARRAY_SIZE(hostile_words); i++)
        for (size_t r = 0; r < count; r++) {
            AT_END(report_tear_down) struct fixture fixture;
            const char *words = i < ARRAY_SIZE(hostile_words) ? hostile_words[i] : long_words;
            set_up_hostile(&fixture, words);
            OWNED_TEXT text = print(&fixture.report, formats[r].check);
            cr_expect(is_utf8(text), "%s, words %zu:\n%s", formats[r].name, i, text);
            cr_expect(!has_controls(text), "%s, words %zu:\n%s", formats[r].name, i, text);
            if (formats[r].check == report_text) /* which breaks words that are wider than a line */
                forget_all(text, "\\\n ");
            if (words == long_words && formats[r].check != report_list) /* which has metrics that are defined */
                expect_word(text, long_words);
        }
}

Test(hostile_words, hostile_words_keep_json_json)
{
    for (size_t i = 0; i < ARRAY_SIZE(hostile_words); i++) {
        WITH(report_tear_down, struct fixture fixture, set_up_hostile(&fixture, hostile_words[i]));
        OWNED_TEXT text = print(&fixture.report, report_json);
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
    }
}

/* Every `<` must begin one of our tags, and every `&` an entity. tests/scripts/junit.sh validates whole documents. */
Test(hostile_words, hostile_words_keep_junit_xml)
{
    static const char *const tags[] = {"<?xml ",        "<testsuite", "</testsuite", "<properties>",
                                       "</properties>", "<property ", "<testcase",   "</testcase>",
                                       "<failure ",     "</failure>", "<skipped ",   "<error "};
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;"};
    for (size_t i = 0; i < ARRAY_SIZE(hostile_words); i++) {
        WITH(report_tear_down, struct fixture fixture, set_up_hostile(&fixture, hostile_words[i]));
        OWNED_TEXT text = print(&fixture.report, report_junit);
        for (const char *c = text; *c; c++) {
            bool known = *c != '<' && *c != '&';
            for (size_t t = 0; t < ARRAY_SIZE(tags); t++)
                known |= strncmp(c, tags[t], strlen(tags[t])) == 0;
            for (size_t e = 0; e < ARRAY_SIZE(entities); e++)
                known |= strncmp(c, entities[e], strlen(entities[e])) == 0;
            cr_expect(known, "words %zu: %.40s", i, c);
        }
        expect_no_word(text, "]]>");
        expect_no_word(text, "\xef\xbf\xbf"); /* a character that XML does not allow */
        cr_expect_eq(count_words(text, "<testcase"), 3u);
    }
}

/* Expects that each row of a table is one line with nine bars, whatever its cells contain. */
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

Test(hostile_words, hostile_words_keep_markdown_tables)
{
    static const char *const never[] = {"<script",  "<!--", "[six](", "**four",    " `three`",
                                        "@someone", " #1",  "$x$",    "\n::error", "\n</details>\n\\`"};
    for (size_t i = 0; i < ARRAY_SIZE(hostile_words); i++) {
        WITH(report_tear_down, struct fixture fixture, set_up_hostile(&fixture, hostile_words[i]));
        /* Commands are in a fenced block, unescaped. */
        fixture.report.run_name = "run.json";
        fixture.report.baselines = NULL;
        fixture.comparison.list[1].kernel = "copy/plain";
        OWNED_TEXT text = print(&fixture.report, report_markdown);
        expect_rows_whole(text);
        for (size_t n = 0; n < ARRAY_SIZE(never); n++)
            expect_no_word(text, never[n]);
        cr_expect_eq(count_words(text, "\n```"), 2u);
    }
}

Test(hostile_words, hostile_words_plant_no_workflow_command)
{
    for (size_t i = 0; i < ARRAY_SIZE(hostile_words); i++) {
        WITH(report_tear_down, struct fixture fixture, set_up_hostile(&fixture, hostile_words[i]));
        OWNED_TEXT text = print(&fixture.report, report_github);
        cr_expect_eq(count_words(text, "\n"), 4u, "%s", text);
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            const char *title = strstr(line, "title=") - 1;
            cr_assert((*title == ' ' || *title == ',') &&
                          (strncmp(line, "::error ", 8) == 0 || strncmp(line, "::warning ", 10) == 0),
                      "%s", line);
            cr_expect_eq(strncmp(title + 7 + strcspn(title + 7, ":,"), "::", 2), 0, "%s", line);
        }
    }
    WITH(report_tear_down, struct fixture fixture, set_up_hostile(&fixture, "100%0A, a:b\nc"));
    OWNED_TEXT text = print(&fixture.report, report_github);
    expect_words(text, "title=100%250A%2C a%3Ab%0Ac time regressed::", "100%250A, a:b%0Ac");
}
