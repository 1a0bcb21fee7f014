/* Tests reports by the cases of report.txt, which says what their words mean. */
#include "cases.h"
#include "report/words.h"
#include "report_support.h"

/* The report of the case, how it is printed, and what was printed. */
static struct fixture made;
static const struct format *format;
static char *page;

static enum verdict verdict_named(const char *text)
{
    enum verdict verdict = 0;
    PLACE_OF(verdict, verdict_name, VERDICTS);
}

static void make_report(void)
{
    made = report_set_up(word(1));
    judge(&made);
}

static void make_alone(void)
{
    made = report_set_up(word(1));
    alone(&made, (enum exit_code)whole(word(2)));
}

DO(forget_rows(void), forget_judgements(&made));

static void judge_again(void)
{
    forget_judgements(&made);
    judge(&made);
}

static void set_options(void)
{
    struct report *report = &made.report;
    double columns = report->columns, code = report->exit_code;
    const struct member members[] = {
        {"quiet", .flag = &report->quiet},
        {"verbose", .flag = &report->verbose},
        {"power", .flag = &report->power},
        {"color", .flag = &report->color},
        {"replay", .flag = &report->replay},
        {"baseless", .flag = &report->baseless},
        {"other_baseline", .flag = &report->other_baseline},
        {"run_name", .text = &report->run_name},
        {"baseline_name", .text = &report->baseline_name},
        {"baselines", .text = &report->baselines},
        {"against", .text = &report->against},
        {"same_code", .count = &made.comparison.same_code},
        {"columns", .number = &columns},
        {"exit", .number = &code},
    };
    put_members(members, ARRAY_SIZE(members), 1);
    report->columns = (int)columns;
    report->exit_code = (enum exit_code)code;
}

static void set_format(void)
{
    format = format_find(DOCUMENT_CHECK, word(1), "as");
    NEED(format, "%s is no format", word(1));
}

static void set_facts(void)
{
    for (size_t i = 1; i < word_count; i++) {
        const char *const value = known(value_of(word(i)));
        const enum session_fact fact = fact_named(word(i));
        for (size_t s = 0; s < made.run.session_count; s++)
            set_text(&made.run.sessions[s].facts[fact], value);
    }
}

DO(set_device(void), set_text(&made.run.device.name, known(word(1))));
DO(set_reason(void), set_text(&run_find(&made.run, word(1))->reason, word(2)));

static void clear_baseline(void)
{
    for (size_t i = 0; i < made.base.result_count; i++)
        for (size_t r = 0; r < made.base.results[i].row_count; r++)
            row_clear(&made.base.results[i].rows[r]);
}

static void add_row(void)
{
    struct judgement *row = invent(&made, kept_text(word(1)), known(word(2)), verdict_named(word(3)), NULL);
    const char *reason = NULL, *launch = NULL, *appeared = NULL;
    const struct member members[] = {
        {"base", .number = &row->base},
        {"now", .number = &row->now},
        {"limit", .number = &row->limit},
        {"drift", .number = &row->drift},
        {"detectable", .number = &row->detectable},
        {"sessions", .count = &row->run_sessions},
        {"base_sessions", .count = &row->base_sessions},
        {"pairs", .count = &row->pairs},
        {"pairs_worse", .count = &row->pairs_worse},
        {"worse", .flag = &row->worse},
        {"wants_session", .flag = &row->wants_session},
        {"reason", .text = &reason},
        {"launch", .text = &launch},
        {"appeared", .text = &appeared},
    };
    row->base = row->now = NAN;
    put_members(members, ARRAY_SIZE(members), 4);
    row->has_base = !isnan(row->base);
    row->has_now = !isnan(row->now);
    row->compared = row->has_base && row->has_now;
    row->change = row->compared ? row->now - row->base : 0;
    row->agree = row->run_sessions;
    set_text(&row->reason, reason);
    if (launch)
        blame_of(&made, row)->launch_change = x_strdup(launch);
    if (appeared)
        blame_of(&made, row)->appeared = x_strdup(appeared);
}

/* The row of the report is blamed on one line, of which many characters may be one: *1000 behind it. */
static void blame_line(void)
{
    const char *parts[3];
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        char *const part = word(i + 1), *const last = strrchr(part, ' '),
                    *const times = last && last[1] == '*' ? last : NULL;
        if (times)
            *times = '\0';
        OWNED_TEXT whole_part = NULL;
        for (size_t n = times ? whole(times + 2) : 0; n > 0; n--)
            x_append(&whole_part, "", "%s", part);
        parts[i] = kept_text(whole_part ? whole_part : part);
    }
    struct judgement *row = &made.comparison.list[0];
    blame_of(&made, row)->is_worst = true;
    invent_blame(&made, row, parts[0], parts[1], parts[2]);
}

DO(add_note(void), comparison_add_note(&made.comparison, "%s", word(1)));

static void put_suites(void)
{
    struct suite suite = {.metric = metrics_find(&made.metrics, word(1)), .shift = number(word(2))};
    suite.kernels = whole(word(3));
    suite.same_code = whole(word(4)) != 0;
    suite.moved = whole(word(5)) != 0;
    *ARRAY_GROW(made.comparison.suites, made.comparison.suite_count) = suite;
}

/* ---- What is printed ---- */

static const char *printed(void)
{
    if (!page)
        page = print(&made.report, format->check);
    return page;
}

DO(expect_said(void), expect_text_says(printed()));
DO(expect_not_said(void), expect_text_lacks(printed()));

static void expect_in_order(void)
{
    const char *at = printed();
    for (size_t i = 1; i < word_count && at; i++) {
        at = strstr(at, word(i));
        CHECK(at, "\"%s\" is not behind the others:\n%s", word(i), page);
    }
}

static void expect_times(void)
{
    const size_t count = count_words(printed(), word(2));
    CHECK(count == whole(word(1)), "it says \"%s\" %zu times:\n%s", word(2), count, page);
}

static void expect_begin(void)
{
    CHECK(strncmp(printed(), word(1), strlen(word(1))) == 0, "it does not begin with \"%s\":\n%s", word(1), page);
}

/* The verdict is the last line but for what to do next, if there is something to do. */
static void expect_verdict(void)
{
    OWNED_TEXT wanted = x_sprintf("\n%s\n", word(1));
    const char *const found = strstr(printed(), wanted), *const rest = found ? found + strlen(wanted) : "";
    CHECK(found || strncmp(page, wanted + 1, strlen(wanted) - 1) == 0, "its verdict is not \"%s\":\n%s", word(1), page);
    CHECK(!*rest || strncmp(rest, "next: ", 6) == 0 || strncmp(rest, "not known: ", 11) == 0,
          "its verdict is not the last:\n%s", page);
}

static void expect_next(void)
{
    const char *const next = strstr(printed(), "\nnext: ");
    CHECK(next && strstr(next, word(1)), "\"%s\" is not next:\n%s", word(1), page);
}

/* Expects a line to have so many columns at most, no control character, and no blank at its end. */
static void expect_tidy_line(const char *line, size_t length, int columns)
{
    CHECK((int)text_count_of(line, length) <= columns, "wider than %d: %.*s", columns, (int)length, line);
    CHECK(length == 0 || line[length - 1] != ' ', "a blank at the end of: %.*s", (int)length, line);
    for (size_t i = 0; i < length; i++)
        CHECK((unsigned char)line[i] >= 0x20 && line[i] != 0x7f, "a control character in: %.*s", (int)length, line);
}

/* However wide the terminal is, and in color, too, which changes no word. */
static void expect_tidy(void)
{
    static const int widths[] = {0, 40, 60, 80, 100, 120, 200};
    for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
        made.report.columns = widths[i];
        OWNED_TEXT plain = print(&made.report, format->check);
        made.report.color = true;
        OWNED_TEXT colored = print(&made.report, format->check);
        made.report.color = false;
        char *to = colored;
        for (const char *from = colored; *from; from++)
            if (*from == '\033')
                from += strcspn(from, "m");
            else
                *to++ = *from;
        *to = '\0';
        CHECK(strcmp(plain, colored) == 0, "color changes words:\n%s", colored);
        for (const char *line = plain; *line; line += strcspn(line, "\n") + 1)
            expect_tidy_line(line, strcspn(line, "\n"), widths[i] ? widths[i] : TEXT_WIDTH);
    }
}

static const struct case_command commands[] = {
    {"alone", make_alone, false},      {"as", set_format, false},        {"begins", expect_begin, true},
    {"blame", blame_line, false},      {"clear", clear_baseline, false}, {"device", set_device, false},
    {"facts", set_facts, false},       {"judge", judge_again, false},    {"lacks", expect_not_said, true},
    {"next", expect_next, true},       {"no_rows", forget_rows, false},  {"note", add_note, false},
    {"options", set_options, false},   {"order", expect_in_order, true}, {"reason", set_reason, false},
    {"report", make_report, false},    {"row", add_row, false},          {"says", expect_said, true},
    {"suite", put_suites, false},      {"tidy", expect_tidy, true},      {"times", expect_times, true},
    {"verdict", expect_verdict, true},
};

static void change(void)
{
    set_text(&page, NULL);
}

DO(begin(void), format = format_find(DOCUMENT_CHECK, "text", "as"));

static void end(void)
{
    change();
    report_tear_down(&made);
}

Test(report_cases, cases)
{
    static const struct language language = {commands, ARRAY_SIZE(commands), begin, change, end};
    try_cases("tests/unit/report/report.txt", &language);
}
