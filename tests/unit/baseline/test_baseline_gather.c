#include "made_runs.h"
#include "test.h"

#include <unistd.h>

Test(baseline_gather, a_kernel_that_failed_once_is_not_accepted, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(2)};
    struct result *failed = run_find(&runs[1], "reduce/tree");
    failed->status = RESULT_WRONG;
    failed->reason = x_strdup("element 5 is 1, not 2");
    made_expect(&(struct trial){.folder = scratch}, runs, 2, 0,
                "not accepted: reduce/tree, because in b.json it is \"wrong result\": element 5 is 1, not 2");
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_null(run_find(&baseline, "reduce/tree"));
    cr_expect_not_null(run_find(&baseline, "reduce/warp"));

    OWNED_TEXT empty = x_sprintf("%s/empty", scratch);
    made_expect(&(struct trial){.folder = empty, .kernel = "reduce/tree"}, runs, 2, EXIT_NOT_MEASURED,
                "nothing was accepted");
    cr_expect_neq(access(empty, F_OK), 0, "a folder was made for nothing");
    run_release(&runs[0]);
    run_release(&runs[1]);
}

Test(baseline_gather, a_kernel_missing_in_one_run_counts_in_the_others, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(2)};
    run_filter(&runs[0], (char *[]){(char[]){"reduce/*"}}, 1);
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = scratch}, runs, 2, &accepted), 0);
    cr_expect_eq(accepted.time_sessions, 1, "the fewest");
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->session_count, 1);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->session_count, 2);
    OWNED_TEXT text = made_text(scratch, "nvidia-h200/access/coalesced.json");
    cr_expect_null(strstr(text, "2026-11-01"), "a session that gave nothing to this kernel");
    run_release(&runs[0]);
    run_release(&runs[1]);
}

Test(baseline_gather, rows_without_a_common_value_are_not_accepted, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(2)};
    row_clear(made_row(&runs[1], "reduce/tree", "time"));
    made_set(&runs[1], "reduce/warp", "hits", 5);
    made_expect(&(struct trial){.folder = scratch}, runs, 2, 0,
                "not accepted: time of reduce/tree, because in b.json it is not counted");
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_null(result_find(run_find(&baseline, "reduce/tree"), "time"));
    cr_expect_not_null(result_find(run_find(&baseline, "reduce/tree"), "hits"));
    cr_expect_null(result_find(run_find(&baseline, "reduce/warp"), "hits"));
    made_expect(&(struct trial){.folder = scratch, .kernel = "reduce/tree"}, &runs[1], 1, 0,
                "time of reduce/tree, because in a.json it is not counted");
    made_expect(&(struct trial){.folder = scratch, .kernel = "reduce/warp"}, runs, 2, 0,
                "hits of reduce/warp, because in b.json it is measured, but not applicable in the runs before");
    run_release(&runs[0]);
    run_release(&runs[1]);
}

Test(baseline_gather, many_refusals_are_counted, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    for (int i = 0; i < 30; i++) {
        OWNED_TEXT id = x_sprintf("hung/v%d", i);
        run_add(&run, id)->status = RESULT_HUNG;
    }
    made_expect(&(struct trial){.folder = scratch}, &run, 1, 0, "not accepted: 10 more");
}

Test(baseline_gather, nothing_chosen_is_an_error, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    made_expect(&(struct trial){.folder = scratch, .kernel = "none/*"}, &run, 1, EXIT_USAGE,
                "no kernel of the runs matches -k");
    made_expect(&(struct trial){.folder = scratch, .metric = "none"}, &run, 1, EXIT_USAGE,
                "no metric of these kernels matches -m");
}

/* A run that was confirmed has two sessions. */
Test(baseline_gather, every_session_of_a_run_counts, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1), more = made_run(2);
    run_filter(&more, (char *[]){(char[]){"reduce/tree"}}, 1);
    run_append(&run, &more);
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = scratch}, &run, 1, &accepted), 0);
    cr_expect_eq(accepted.sessions, 2);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(baseline.session_count, 2);
    const struct row *time = made_row(&baseline, "reduce/tree", "time");
    cr_assert_eq(time->session_count, 2);
    cr_expect_eq(row_session_value(time, 1), 202);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->readings, 6);
    cr_expect_eq(made_row(&baseline, "reduce/warp", "time")->session_count, 1);
}
