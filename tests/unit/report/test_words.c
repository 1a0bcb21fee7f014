#include "report/words.h"
#include "report_support.h"
#include "test.h"
#include "worded.h"

/* With -v, if consecutive rows share a reason, only the first one shows it; but a red row always shows its own. */
Test(words, a_shared_reason_says_whose_it_is)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
    forget_judgements(&fixture);
    invent(&fixture, "copy/plain", "time", VERDICT_UNSURE, "the clock was low");
    invent(&fixture, "reduce/tree", "time", VERDICT_UNSURE, "the clock was low");
    invent(&fixture, "reduce/atomic", "time", VERDICT_UNSURE, "the clock was low");
    invent(&fixture, "copy/plain", "dram_bytes_read", VERDICT_UNSURE, NULL);
    invent(&fixture, "transpose/naive", "time", VERDICT_UNSURE, "the clock was low");
    invent(&fixture, "transpose/naive", "instructions", VERDICT_UNSURE, "not whole");
    invent(&fixture, "transpose/padded", "instructions", VERDICT_UNSURE, "not whole");
    invent(&fixture, "transpose/padded", "shared_wavefronts", VERDICT_REGRESSED, "not whole");
    fixture.report.verbose = true;
    OWNED_TEXT text = print(&fixture.report, report_text);
    const char *const expected[] = {
        "  unsure     instructions\n             not whole\n  regressed  shared_wavefronts\n             not whole\n",
        "unsure     reduce/atomic\n  unsure     time\n             the clock was low\n",
        "unsure     transpose/naive  time +245 ns (+0.4 %)\n  unsure     time\n             as above\n"
        "  unsure     instructions\n             not whole\n",
        "unsure     reduce/tree\n  unsure     time\n             the clock was low\n",
        "unsure     copy/plain  time +75 ns (+0.4 %)\n  unsure     time\n             as above\n",
    };
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        expect_word(text, expected[i]);
    cr_expect_eq(count_words(text, "the clock was low"), 2u, "%s", text);
    cr_expect_eq(count_words(text, "not whole"), 3u, "%s", text);
}

Test(words, changes_are_worded_as_on_the_pages)
{
    size_t count;
    struct worded *rows = worded_read("share", &count);
    for (size_t i = 0; i < count; i++) {
        char share[48];
        words_share(strtod(rows[i].first, NULL), strtod(rows[i].second, NULL), share, sizeof share);
        cr_expect_str_eq(share, rows[i].text);
    }
    free(rows);
    rows = worded_read("points", &count);
    struct metric metric = {.name = (char[]){"m"}, .unit = (char[]){"%"}};
    for (size_t i = 0; i < count; i++) {
        const double base = strtod(rows[i].first, NULL), now = strtod(rows[i].second, NULL);
        struct cells cells;
        words_cells(&(struct judgement){.metric = &metric,
                                        .verdict = VERDICT_INFO,
                                        .has_base = true,
                                        .has_now = true,
                                        .compared = true,
                                        .base = base,
                                        .now = now,
                                        .change = round_value(now - base)},
                    &cells);
        cr_expect_str_eq(cells.change, rows[i].text);
    }
    free(rows);
}

static void expect_share(const char *where, const char *numbers, const char *words)
{
    char share[48];
    const double base = leading_number(&numbers), now = leading_number(&numbers);
    words_share(base, now, share, sizeof share);
    cr_expect_str_eq(*share ? share : "(nothing)", words, "%s: %s", where, share);
}

Test(words, shares_stay_short)
{
    each_text("tests/unit/report/words.txt", expect_share);
}

/* --static --save is refused, so a machine with a GPU has to write the file. */
Test(words, a_red_row_says_what_writes_its_file)
{
    static int (*const formats[])(const struct report *, FILE *) = {report_text, report_markdown, report_junit,
                                                                    report_github};
    for (size_t f = 0; f < ARRAY_SIZE(formats); f++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
        judge(&fixture);
        const char *const written = "(check --save RUN.json writes the file)";
        const char *const elsewhere = "(measure on a GPU first: cugate check --save RUN.json)";
        for (int way = 0; way < 3; way++) {
            fixture.report.run_name = way == 0 ? "run.json" : NULL;
            if (way == 2)
                report_set_origin(&fixture.run, ORIGIN_CODE);
            OWNED_TEXT text = print(&fixture.report, formats[f]);
            cr_expect_eq(count_words(text, written) > 0, way == 1, "%s", text);
            cr_expect_eq(count_words(text, elsewhere) > 0, way == 2, "%s", text);
        }
    }
}

/* Makes the fixture's run a computed one, and compares it again. */
static void compute(struct fixture *fixture)
{
    struct session *session = &fixture->run.sessions[0];
    set_text(&session->facts[SESSION_COLLECTOR], origin_of(ORIGIN_COMPUTED)->collector);
    run_forget_notes(&fixture->run);
    for (size_t i = 0; i < fixture->run.result_count; i++)
        for (size_t r = fixture->run.results[i].row_count; r-- > 0;) {
            const struct row *row = &fixture->run.results[i].rows[r];
            const struct metric *metric = metrics_find(&fixture->metrics, row->metric);
            const struct metric_note note = note_of_metric(metric);
            if (metric->class == METRIC_EXACT)
                run_set_note(&fixture->run, &note);
            else
                result_remove(&fixture->run.results[i], row->metric);
        }
    judge(fixture);
}

Test(words, what_was_computed_says_so_in_every_format_and_what_is_not_judged)
{
    static int (*const formats[])(const struct report *, FILE *) = {report_text, report_junit, report_markdown,
                                                                    report_comment, report_github};
    AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
    compute(&fixture);
    const struct computing *computing = &fixture.comparison.computing;
    cr_assert(computing->rows > 0 && computing->absent > 0, "%zu, %zu", computing->rows, computing->absent);
    OWNED_TEXT absent = x_sprintf("%zu rows not computed", computing->absent);
    for (size_t f = 0; f < ARRAY_SIZE(formats); f++) {
        OWNED_TEXT text = print(&fixture.report, formats[f]);
        expect_words(text, "COMPUTED: NO KERNEL RAN ON A GPU.", absent, "measure on a GPU first");
    }
    char *text = print(&fixture.report, report_text);
    char *counts = x_sprintf("computed  %zu rows of %zu kernels computed here", computing->rows, computing->kernels);
    expect_words(text, counts, "computed here, against");
    expect_no_word(text, "bank conflicts  verdict"); /* the table of kernels, which is for measured runs */
    free(counts);
    free(text);
    text = print(&fixture.report, report_json);
    counts = x_sprintf("\"computed\": {\"rows\": %zu, \"kernels\": %zu, \"unchanged\": 0, \"unchanged_rows\": 0, "
                       "\"not_simulated\": 0, \"declared\": 0, \"absent\": %zu, "
                       "\"blocks\": 0, \"blocks_executed\": 0, \"not_proved\": []}",
                       computing->rows, computing->kernels, computing->absent);
    expect_word(text, counts);
    free(counts);
    free(text);
}

/* A run file is hostile: what it names goes into commands that people copy. */
Test(words, names_of_a_run_file_are_quoted_in_commands)
{
    static const struct {
        enum origin_name origin;
        const char *name, *wanted;
    } rows[] = {
        {ORIGIN_IMPORTED, "x; id", "cugate import 'x; id' FILE... --save RUN.json\n"},
        {ORIGIN_FILES, "$(id)", "cugate check --static='$(id)' --save RUN.json FILE...\n"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
        judge(&fixture);
        fixture.report.run_name = NULL;
        const bool is_files = rows[i].origin == ORIGIN_FILES;
        if (is_files)
            report_set_origin(&fixture.run, ORIGIN_FILES);
        char **place = is_files ? &fixture.run.device.name : &fixture.run.sessions[0].facts[SESSION_COLLECTOR];
        set_text(place, rows[i].name);
        PRINT(OWNED_TEXT, text, to, words_first_baseline(&fixture.report, "", to));
        expect_word(text, rows[i].wanted);
    }
}
