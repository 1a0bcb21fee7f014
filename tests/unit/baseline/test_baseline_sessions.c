#include "base/base.h"
#include "made_runs.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define TREE "nvidia-h200/reduce/tree.json"

Test(baseline_sessions, a_session_counts_once)
{
    char *folder = scratch_make();
    struct run first = made_run(1), second = made_run(2);
    made_accept_one(&(struct trial){.folder = folder, .reason = "one"}, &first);
    char *before = made_text(folder, TREE);
    struct accepted accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = folder, .reason = "one"}, &first, 1, &accepted), 0);
    cr_expect_eq(accepted.counts[ACCEPTED_KNOWN], 12, "what is not applicable as well");
    accepted_release(&accepted);
    char *after = made_text(folder, TREE);
    cr_expect_str_eq(after, before);

    /* One row is accepted first and then all: that row has the session already, the others gain it. */
    made_accept_one(&(struct trial){.folder = folder, .metric = "time", .reason = "two"}, &second);
    made_accept_one(&(struct trial){.folder = folder, .reason = "three"}, &second);
    struct run baseline = made_baseline(folder);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->session_count, 2);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "clock")->session_count, 2);
    cr_assert_eq(baseline.session_count, 2);
    cr_expect_str_eq(baseline.sessions[1].facts[SESSION_REASON], "two; three");
    run_release(&baseline);
    free(after);
    free(before);
    run_release(&second);
    run_release(&first);
    scratch_remove(folder);
}

Test(baseline_sessions, no_session_outlives_its_rows)
{
    char *folder = scratch_make();
    struct run first = made_run(1), second = made_run(2);
    made_accept_one(&(struct trial){.folder = folder}, &first);
    made_set(&second, "reduce/tree", "time", 500);
    made_set(&second, "reduce/tree", "count", 8);
    made_accept_one(&(struct trial){.folder = folder, .kernel = "reduce/*"}, &second);
    char *tree = made_text(folder, TREE);
    char *warp = made_text(folder, "nvidia-h200/reduce/warp.json");
    cr_expect_null(strstr(tree, "{\"collector\": \"cupti\", \"date\": \"2026-11-01"), "every row was replaced");
    cr_expect_not_null(strstr(tree, "\"bytes\": 1002"), "a kernel accepted whole brings its facts with it");
    cr_expect_not_null(strstr(warp, "2026-11-01"));
    free(warp);
    free(tree);
    run_release(&second);
    run_release(&first);
    scratch_remove(folder);
}
