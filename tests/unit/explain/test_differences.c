#include "compare_support.h"
#include "test.h"

Test(differences, metrics_that_no_file_defines_are_named_once)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    for (int i = 0; i < 3; i++) {
        char kernel[] = "a/a";
        kernel[2] = (char)('a' + i);
        put_each(&fixture, kernel, "mystery", 1, 2);
        put(&fixture.run, kernel, "riddle", 2);
    }
    const struct comparison *comparison = compare(&fixture);
    cr_expect_eq(comparison->count, 0);
    cr_expect_eq(comparison->note_count, 1);
    expect_word(comparison->notes[0], "mystery, riddle");
}

Test(differences, changed_facts_are_noted)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    static const char *const drivers[] = {"550.1", "560.2"};
    for (size_t i = 0; i < 2; i++) {
        struct session *session = ARRAY_GROW(fixture.base.sessions, fixture.base.session_count);
        session->facts[SESSION_DRIVER] = x_strdup(drivers[i]);
        session->facts[SESSION_CUDA] = x_strdup("12.4");
        session->facts[SESSION_DATE] = x_strdup("2025-01-01T00:00:00Z");
    }
    struct session *session = ARRAY_GROW(fixture.run.sessions, fixture.run.session_count);
    session->facts[SESSION_DRIVER] = x_strdup("550.1"); /* a driver that the baseline has */
    session->facts[SESSION_CUDA] = x_strdup("13.0");
    session->facts[SESSION_DATE] = x_strdup("2025-01-02T00:00:00Z");
    session->facts[SESSION_COMPILER] = x_strdup("nvcc 13.0"); /* a compiler that the baseline lacks */
    const struct comparison *comparison = compare(&fixture);
    cr_expect_eq(comparison->note_count, 1);
    cr_expect_str_eq(comparison->notes[0], "CUDA 13.0; the baseline has 12.4");
}

Test(differences, a_gpu_that_the_baseline_does_not_know_is_told_in_words)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_fact(&fixture.base, SESSION_GPU_UUID, "GPU-1");
    put_fact(&fixture.base, SESSION_GPU_UUID, "GPU-2");
    put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-2");
    put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-3");
    const struct comparison *comparison = compare(&fixture);
    cr_assert_eq(comparison->note_count, 1);
    cr_expect_str_eq(comparison->notes[0], "measured on a GPU that the baseline has no session of: GPU-3");
}

Test(differences, a_baseline_is_stale_by_the_dates_of_the_files)
{
    static const struct {
        const char *base, *now;
        const char *note; /* expected note; NULL: there is none */
    } rows[] = {
        {"2026-01-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z", NULL}, /* 90 days are not yet too old */
        {"2026-01-01T00:00:00.000Z", "2026-04-02T00:00:00.000Z", "91 days older"},
        {"2026-04-02T00:00:00Z", "2026-01-01T00:00:00Z", NULL},
        {"long ago", "2026-04-02T00:00:00Z", "456 days older"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_fact(&fixture.base, SESSION_DATE, rows[i].base);
        put_fact(&fixture.base, SESSION_DATE, "2025-01-01T00:00:00Z"); /* the newest session counts */
        put_fact(&fixture.run, SESSION_DATE, rows[i].now);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(comparison->note_count, rows[i].note ? 1u : 0u, "row %zu", i);
        if (rows[i].note && comparison->note_count > 0)
            cr_expect_not_null(strstr(comparison->notes[0], rows[i].note), "row %zu: %s", i, comparison->notes[0]);
    }
}

Test(differences, definitions_that_are_not_those_of_the_baseline_are_named)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    struct metric_note note = *run_find_note(&fixture.base, "count");
    struct metric *time = (struct metric *)metrics_find(&fixture.metrics, "time");
    struct metric *share = (struct metric *)metrics_find(&fixture.metrics, "share");
    struct metric *good = (struct metric *)metrics_find(&fixture.metrics, "good");
    time->floor_absolute = 500;
    share->class = METRIC_EXACT;
    good->class = METRIC_INFO;
    note.judged = false; /* as in a file of an older version */
    run_set_note(&fixture.base, &note);
    ((struct metric *)metrics_find(&fixture.metrics, "count"))->class = METRIC_INFO;
    const struct comparison *comparison = compare(&fixture);
    cr_assert_eq(comparison->note_count, 2);
    expect_words(comparison->notes[0], "WEAKENED: ", "good (class exact -> info)", "time (floor ");
    cr_expect_null(strstr(comparison->notes[0], "count"), "%s", comparison->notes[0]);
    expect_word(comparison->notes[1], "other metric definitions: share (class steady -> exact");
}

Test(differences, a_note_enumerates_ten_and_says_how_many_more)
{
    OWNED(comparison) comparison = {0};
    struct note_items items = {0};
    comparison_add_items(&comparison, &items, "nothing");
    for (int i = 0; i < 12; i++)
        note_items_add(&items, "item%d", i);
    comparison_add_items(&comparison, &items, "all");
    cr_expect_eq(items.count, 0);
    cr_assert_eq(comparison.note_count, 1);
    cr_expect_str_eq(comparison.notes[0],
                     "all: item0, item1, item2, item3, item4, item5, item6, item7, item8, item9 and 2 more");
}
