#include "accept_cases.h"
#include "made_runs.h"
#include "test.h"

Test(baseline_merge, cases)
{
    accept_cases("tests/unit/baseline/merge.txt");
}

Test(baseline_merge, cases_of_spread)
{
    accept_cases("tests/unit/baseline/spread.txt");
}

#define TREE "nvidia-h200/reduce/tree.json"

Test(baseline_merge, accepting_one_row_changes_no_other, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) first = made_run(1), second = made_run(2);
    made_accept_one(&(struct trial){.folder = scratch}, &first);
    OWNED_TEXT warp_before = made_text(scratch, "nvidia-h200/reduce/warp.json");
    OWNED_TEXT tree_before = made_text(scratch, TREE);

    OWNED(accepted) accepted;
    const struct trial trial = {.folder = scratch, .kernel = "reduce/tree", .metric = "clock"};
    cr_assert_eq(made_accept(&trial, &second, 1, &accepted), 0);
    cr_expect_eq(accepted.rows, 1);
    cr_expect_eq(accepted.counts[ACCEPTED_ADDED], 1);
    OWNED_TEXT warp_after = made_text(scratch, "nvidia-h200/reduce/warp.json");
    OWNED_TEXT tree_after = made_text(scratch, TREE);
    cr_expect_str_eq(warp_after, warp_before);

    /* Only the row and the list of sessions changed, not even the launches. */
    char *row = strstr(tree_before, "[[1001]]");
    char *list = strstr(tree_before, "\n  ]\n}\n");
    cr_assert(row && list);
    OWNED_TEXT expected = x_sprintf("%.*s[[1001], [1002]]%.*s,\n    {\"collector\": \"cupti\", \"date\": "
                                    "\"2026-11-02T08:00:00Z\", \"reason\": \"because\"}\n  ]\n}\n",
                                    (int)(row - tree_before), tree_before, (int)(list - row - 8), row + 8);
    cr_expect_str_eq(tree_after, expected);
}

Test(baseline_merge, rows_that_agree_gain_sessions_up_to_a_bound, .init = scratch_begin, .fini = scratch_leave)
{
    for (int i = 1; i <= BASELINE_SESSIONS + 5; i++) {
        OWNED(run) run = made_run(i);
        OWNED(accepted) accepted;
        for (size_t k = 0; k < run.result_count; k++)
            made_set(&run, run.results[k].id, "time", 200 + i % 4);
        cr_assert_eq(made_accept(&(struct trial){.folder = scratch}, &run, 1, &accepted), 0);
        cr_expect_eq(accepted.counts[i == 1 ? ACCEPTED_FIRST : ACCEPTED_ADDED], i == 1 ? 12 : 9, "session %d", i);
        cr_expect_eq(accepted.time_sessions, i < BASELINE_SESSIONS ? (size_t)i : BASELINE_SESSIONS);
    }
    OWNED(run) baseline = made_baseline(scratch);
    const struct row *time = made_row(&baseline, "reduce/tree", "time");
    cr_assert_eq(time->session_count, BASELINE_SESSIONS);
    cr_expect_eq(row_session_value(time, 0), 202, "the oldest went");
    cr_expect_eq(row_session_value(time, BASELINE_SESSIONS - 1), 201);
    cr_expect_eq(time->drift_reference, 201, "where slow drift is measured from");
    cr_expect_null(time->previous);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "clock")->session_count, BASELINE_SESSIONS);
    const struct row *count = made_row(&baseline, "reduce/tree", "count");
    cr_expect_eq(count->session_count, BASELINE_SESSIONS);
    cr_expect_eq(count->readings, 3 * (BASELINE_SESSIONS + 5));
    cr_assert_eq(baseline.session_count, BASELINE_SESSIONS);
    cr_expect_str_eq(baseline.sessions[0].facts[SESSION_DATE], "2026-11-06T08:00:00Z");
    const struct result *tree = run_find(&baseline, "reduce/tree");
    cr_expect_eq(tree->launches[0].times, BASELINE_SESSIONS + 5);
}

Test(baseline_merge, definitions_are_those_in_use_and_the_strictest_stands_for_all_files, .init = scratch_begin,
     .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    for (size_t i = 0; i < run.note_count; i++)
        run.notes[i].judged = false; /* a run of an older version does not know that member */
    made_accept_one(&(struct trial){.folder = scratch}, &run);
    struct run baseline = made_baseline(scratch);
    const struct metric_note *time = run_find_note(&baseline, "time");
    cr_expect(time->judged);
    cr_expect_eq(time->class, METRIC_TIME);
    cr_expect_eq(time->floor_absolute, 10);
    run_release(&baseline);

    static const double floors[] = {3, 500};
    OWNED_TEXT path = x_sprintf("%s/" TREE, scratch);
    for (size_t i = 0; i < ARRAY_SIZE(floors); i++) {
        OWNED(run) file;
        cr_assert_eq(run_read(&file, path), 0);
        run_find_note(&file, "time")->floor_absolute = floors[i];
        cr_assert_eq(run_write_file(&file, path), 0);
        baseline = made_baseline(scratch);
        cr_expect_eq(run_find_note(&baseline, "time")->floor_absolute, floors[i] < 10 ? floors[i] : 10, "floor %zu", i);
        run_release(&baseline);
    }
}
