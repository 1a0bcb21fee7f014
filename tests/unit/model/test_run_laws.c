#include "made_runs.h"
#include "test.h"

static struct metrics read_metrics(void)
{
    struct metrics metrics;
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    return metrics;
}

static struct run read_recording(void)
{
    struct run run;
    cr_assert_eq(run_read(&run, "tests/data/recorded-nvidia-h200.json"), 0);
    return run;
}

static size_t apply_quietly(struct run *run, const struct metrics *metrics, char **said)
{
    capture_begin();
    const size_t count = run_apply_laws(run, metrics, "x.json");
    char *text = capture_end();
    if (said)
        *said = text;
    else
        free(text);
    return count;
}

Test(run_laws, a_recording_keeps_every_law)
{
    OWNED(metrics) metrics = read_metrics();
    OWNED(run) run = read_recording();
    OWNED_TEXT said;
    cr_expect_eq(apply_quietly(&run, &metrics, &said), 0, "%s", said);
    cr_expect_str_eq(said, "");
}

static bool read_row(const void *of, const char *name, struct span *span)
{
    const struct row *row = result_find(of, name);
    if (!row || row->state != VALUE_MEASURED)
        return false;
    *span = (struct span){row_value(row), row_value(row)};
    return true;
}

/* Returns a number that breaks the law; negative when there is none. */
static double wrong_number(const struct law *law, const struct result *result)
{
    const struct law_reader reader = {read_row, result};
    struct span bound = {1, 1};
    if (strstr(law->text, LAW_WARPS) == NULL && !law_bound(law, &reader, &bound))
        return -1;
    if (law->relation == LAW_LESS || law->relation == LAW_AT_MAX)
        return bound.high < 0 ? 1 : 1.2 * bound.high + 1;
    return law->relation == LAW_MORE && bound.low == 0 ? 0 : 0.9 * bound.low;
}

/* Whether breaking the law in a copy of that kernel makes its row not counted, with the law as the reason. */
static bool is_noticed(const struct metrics *metrics, const struct metric *metric, const struct law *law,
                       const struct result *result)
{
    const struct row *row = result_find(result, metric->name);
    const double wrong = row && row->state == VALUE_MEASURED ? wrong_number(law, result) : -1;
    if (wrong < 0)
        return false;
    OWNED(run) run = {0};
    OWNED_TEXT line = result_to_line(result);
    cr_assert_eq(result_from_line(ARRAY_GROW(run.results, run.result_count), line), 0);
    struct row *broken = result_find(&run.results[0], metric->name);
    row_clear(broken);
    row_add_session(broken, &wrong, 1);
    apply_quietly(&run, metrics, NULL);
    OWNED_TEXT words = x_sprintf("the law \"%s %s\" is broken", metric->name, law->text);
    const bool noticed = broken->state == VALUE_NOT_COUNTED && broken->reason && strstr(broken->reason, words);
    return noticed;
}

/* Checks our own metrics: a law that no number can break, or that is never applied, would be useless. */
Test(run_laws, every_law_notices_that_it_is_broken)
{
    OWNED(metrics) metrics = read_metrics();
    OWNED(run) run = read_recording();
    size_t laws = 0;
    /* The recording is of a GPU, which lacks what is only computed. */
    for (size_t m = 0; m < metrics.count; m++)
        if (metric_source(&metrics.list[m]) == SOURCE_SIMULATION ||
            computed_counter_of(&metrics.list[m]) == COMPUTED_BALANCE)
            row_add_session(result_add(&run.results[0], metrics.list[m].name), &(double){1}, 1);
    for (size_t m = 0; m < metrics.count; m++)
        for (size_t l = 0; l < metrics.list[m].laws.count; l++, laws++) {
            const struct law *law = &metrics.list[m].laws.list[l];
            const bool noticed = ANY(i, run.result_count, is_noticed(&metrics, &metrics.list[m], law, &run.results[i]));
            cr_expect(noticed, "%s %s", metrics.list[m].name, law->text);
        }
    cr_expect_geq(laws, 30);
}

/* The metrics of made_runs.h, with laws for `count` and `time`. */
static struct metrics made_metrics(const char *of_count, const char *of_time)
{
    struct metrics metrics = {0};
    struct problem problem;
    cr_assert_eq(metrics_read_text(&metrics, "made.ini", made_definitions), 0);
    cr_assert_eq(laws_parse(&metrics.list[metrics_index(&metrics, "count")].laws, of_count, &problem), 0);
    cr_assert_eq(laws_parse(&metrics.list[metrics_index(&metrics, "time")].laws, of_time, &problem), 0);
    return metrics;
}

Test(run_laws, the_rows_of_a_broken_law_are_not_counted)
{
    static const struct {
        const char *of_count, *of_time;
        bool count, time;   /* whether they are counted afterwards */
        const char *reason; /* expected reason of the row of count */
    } cases[] = {
        {"> 0, < 8, >= cugate.warps", "<= clock", true, true, NULL},
        {"> 7", "> 0", false, true, "the law \"count > 7\" is broken by 7"},
        /* then no law is left to doubt time */
        {"> 7", "<= count", false, true, "the law \"count > 7\" is broken by 7"},
        {"> 0", "<= count", false, false, "the law \"time <= count\" is broken by 100 against 7"},
        {">= 8 * cugate.warps", "> 0", false, true, "the law \"count >= 8 * cugate.warps\" is broken by 7 against 8"},
        {"<= hits", "> 0", true, true, NULL}, /* no number of hits was read, so the law is not asked */
        {"<= none", "> 0", true, true, NULL}, /* there is no row of that name, so the law is not asked */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(metrics) metrics = made_metrics(cases[i].of_count, cases[i].of_time);
        OWNED(run) run = made_run(1);
        const struct row *count = made_row(&run, "access/coalesced", "count");
        const struct row *time = made_row(&run, "access/coalesced", "time");
        const size_t rows = apply_quietly(&run, &metrics, NULL);
        cr_expect_eq(rows, 3 * (size_t)(!cases[i].count + !cases[i].time), "case %zu: %zu", i, rows);
        cr_expect_eq(count->state, cases[i].count ? VALUE_MEASURED : VALUE_NOT_COUNTED, "case %zu", i);
        cr_expect_eq(time->state, cases[i].time ? VALUE_MEASURED : VALUE_NOT_COUNTED, "case %zu", i);
        cr_expect_eq(!count->reason, cases[i].count, "case %zu", i);
        if (cases[i].reason && count->reason)
            cr_expect_str_eq(count->reason, cases[i].reason, "case %zu: %s", i, count->reason);
        cr_expect_eq(apply_quietly(&run, &metrics, NULL), 0, "case %zu: once more", i);
    }
}

Test(run_laws, warnings_name_the_run_and_end)
{
    OWNED(metrics) metrics = made_metrics("> 7", "> 1000");
    OWNED(run) run = made_run(1);
    OWNED_TEXT said;
    cr_expect_eq(apply_quietly(&run, &metrics, &said), 6);
    cr_expect(strstr(said, "x.json: count of access/coalesced is not counted: the law \"count > 7\" is broken by 7"));
    expect_word(said, "x.json: 1 more row is not counted, because a law was broken");
}

Test(run_laws, a_file_keeps_the_reason)
{
    OWNED(metrics) metrics = made_metrics("> 7", "> 0");
    OWNED(run) run = made_run(1), back;
    apply_quietly(&run, &metrics, NULL);
    OWNED_TEXT text = run_text(&run);
    cr_expect(strstr(text, "{\"reason\": \"the law \\\"count > 7\\\" is broken by 7\", \"state\": \"not counted\"}"));
    cr_assert_eq(run_parse(&back, "back.json", text, strlen(text)), 0);
    const struct row *row = made_row(&back, "reduce/tree", "count");
    cr_expect_eq(row->state, VALUE_NOT_COUNTED);
    cr_expect_str_eq(row->reason, "the law \"count > 7\" is broken by 7");
}

/* Its time is by records, and its counts are of launches that may have other data. */
Test(run_laws, those_between_metrics_are_not_asked_of_a_program)
{
    OWNED(metrics) metrics = read_metrics();
    OWNED(run) run = {0};
    const double cycles = 1000, clock = 1e9, too_short = 400;
    struct result *result = run_add(&run, "a/b@1,32");
    row_add_session(result_add(result, "sm_cycles"), &cycles, 1);
    row_add_session(result_add(result, "sm_clock"), &clock, 1);
    row_add_session(result_add(result, "time"), &too_short, 1);
    char **collector = &ARRAY_GROW(run.sessions, run.session_count)->facts[SESSION_COLLECTOR];
    *collector = x_strdup("exec");
    cr_expect_eq(apply_quietly(&run, &metrics, NULL), 0);
    set_text(collector, "cupti");
    cr_expect_geq(apply_quietly(&run, &metrics, NULL), 1);
}
