#include "report/words.h"
#include "report_support.h"
#include "test.h"
#include "worded.h"

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

TEXTS(words, shares_stay_short, "tests/unit/report/words.txt", expect_share)

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
    static void (*const formats[])(const struct report *, FILE *) = {report_text, report_junit, report_markdown,
                                                                     report_comment, report_github};
    AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
    compute(&fixture);
    const struct computing *computing = &fixture.comparison.computing;
    cr_assert(computing->rows > 0 && computing->absent > 0, "%zu, %zu", computing->rows, computing->absent);
    OWNED_TEXT absent = x_sprintf("%zu rows not computed", computing->absent);
    for (size_t f = 0; f < ARRAY_SIZE(formats); f++) {
        OWNED_TEXT text = print(&fixture.report, formats[f]);
        expect_words(text, "COMPUTED: NO KERNEL RAN ON A GPU.", absent, "first measure on a GPU");
    }
    char *text = print(&fixture.report, report_text);
    char *counts = x_sprintf("computed  %zu rows by executing %zu kernels", computing->rows, computing->kernels);
    expect_words(text, counts, "computed, not measured (baseline: ");
    expect_no_word(text, "bank conflicts  verdict"); /* the table of kernels, which is for measured runs */
    free(counts);
    free(text);
    text = print(&fixture.report, report_json);
    counts = x_sprintf(
        "\"computed\": {\"rows\": %zu, \"kernels\": %zu, \"unchanged\": 0, \"unchanged_rows\": 0, \"not_simulated\": "
        "0, \"declared\": 0, \"absent\": %zu, \"blocks\": 0, \"blocks_executed\": 0, \"not_proved\": []}",
        computing->rows, computing->kernels, computing->absent);
    expect_word(text, counts);
    free(counts);
    free(text);
}
