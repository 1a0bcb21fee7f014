#include "made_runs.h"
#include "test.h"

#define TREE "nvidia-h200/reduce/tree.json"

Test(baseline_sessions, a_session_counts_once, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) first = made_run(1), second = made_run(2);
    made_accept_one(&(struct trial){.folder = scratch, .reason = "one"}, &first);
    OWNED_TEXT before = made_text(scratch, TREE);
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = scratch, .reason = "one"}, &first, 1, &accepted), 0);
    cr_expect_eq(accepted.counts[ACCEPTED_KNOWN], 12, "what is not applicable as well");
    OWNED_TEXT after = made_text(scratch, TREE);
    cr_expect_str_eq(after, before);

    /* One row is accepted first and then all: that row has the session already, the others gain it. */
    made_accept_one(&(struct trial){.folder = scratch, .metric = "time", .reason = "two"}, &second);
    made_accept_one(&(struct trial){.folder = scratch, .reason = "three"}, &second);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->session_count, 2);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "clock")->session_count, 2);
    cr_assert_eq(baseline.session_count, 2);
    cr_expect_str_eq(baseline.sessions[1].facts[SESSION_REASON], "two; three");
}

Test(baseline_sessions, no_session_outlives_its_rows, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) first = made_run(1), second = made_run(2);
    made_accept_one(&(struct trial){.folder = scratch}, &first);
    made_set(&second, "reduce/tree", "time", 500);
    made_set(&second, "reduce/tree", "count", 8);
    made_accept_one(&(struct trial){.folder = scratch, .kernel = "reduce/*"}, &second);
    OWNED_TEXT tree = made_text(scratch, TREE);
    OWNED_TEXT warp = made_text(scratch, "nvidia-h200/reduce/warp.json");
    cr_expect_null(strstr(tree, "{\"collector\": \"cupti\", \"date\": \"2026-11-01"), "every row was replaced");
    cr_expect_not_null(strstr(tree, "\"bytes\": 1002"), "a kernel accepted whole brings its facts with it");
    cr_expect_not_null(strstr(warp, "2026-11-01"));
}
