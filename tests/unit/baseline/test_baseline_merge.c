#include "base/base.h"
#include "made_runs.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define TREE "nvidia-h200/reduce/tree.json"

Test(baseline_merge, accepting_one_row_changes_no_other)
{
    char *directory = scratch_make();
    struct run first = made_run(1), second = made_run(2);
    made_accept_one(&(struct trial){.directory = directory}, &first);
    char *warp_before = made_text(directory, "nvidia-h200/reduce/warp.json");
    char *tree_before = made_text(directory, TREE);

    struct accepted accepted;
    const struct trial trial = {.directory = directory, .kernel = "reduce/tree", .metric = "clock"};
    cr_assert_eq(made_accept(&trial, &second, 1, &accepted), 0);
    cr_expect_eq(accepted.rows, 1);
    cr_expect_eq(accepted.counts[ACCEPTED_ADDED], 1);
    accepted_release(&accepted);
    char *warp_after = made_text(directory, "nvidia-h200/reduce/warp.json");
    char *tree_after = made_text(directory, TREE);
    cr_expect_str_eq(warp_after, warp_before);

    /* The row and the list of sessions are all that changed: not even the launches. */
    char *row = strstr(tree_before, "[[1001]]");
    char *list = strstr(tree_before, "\n  ]\n}\n");
    cr_assert(row && list);
    char *expected = x_sprintf("%.*s[[1001], [1002]]%.*s,\n    {\"collector\": \"cupti\", \"date\": "
                               "\"2026-11-02T08:00:00Z\", \"reason\": \"because\"}\n  ]\n}\n",
                               (int)(row - tree_before), tree_before, (int)(list - row - 8), row + 8);
    cr_expect_str_eq(tree_after, expected);
    free(expected);
    free(warp_before);
    free(warp_after);
    free(tree_before);
    free(tree_after);
    run_release(&second);
    run_release(&first);
    scratch_remove(directory);
}

Test(baseline_merge, rows_that_agree_gain_sessions_up_to_a_bound)
{
    char *directory = scratch_make();
    for (int i = 1; i <= BASELINE_SESSIONS + 5; i++) {
        struct run run = made_run(i);
        struct accepted accepted;
        for (size_t k = 0; k < run.result_count; k++)
            made_set(&run, run.results[k].id, "time", 200 + i % 4);
        cr_assert_eq(made_accept(&(struct trial){.directory = directory}, &run, 1, &accepted), 0);
        cr_expect_eq(accepted.counts[i == 1 ? ACCEPTED_FIRST : ACCEPTED_ADDED], i == 1 ? 12 : 9, "session %d", i);
        cr_expect_eq(accepted.time_sessions, i < BASELINE_SESSIONS ? (size_t)i : BASELINE_SESSIONS);
        accepted_release(&accepted);
        run_release(&run);
    }
    struct run baseline = made_baseline(directory);
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
    run_release(&baseline);
    scratch_remove(directory);
}

/* Two sessions that differ allow by the rule's formula 318 times their deviation. */
Test(baseline_merge, few_sessions_do_not_let_anything_in)
{
    static const struct {
        double time;
        enum accepted_step step;
        enum finding finding;
    } cases[] = {
        {211, ACCEPTED_ADDED, FOUND_SAME},
        {212, ACCEPTED_REPLACED, FOUND_WORSE},
        {192, ACCEPTED_ADDED, FOUND_SAME},
        {191, ACCEPTED_REPLACED, FOUND_BETTER},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *directory = scratch_make();
        struct run runs[] = {made_run(1), made_run(2), made_run(3)};
        const struct trial trial = {.directory = directory, .kernel = "reduce/tree", .metric = "time"};
        struct accepted accepted;
        cr_assert_eq(made_accept(&trial, runs, 2, &accepted), 0);
        accepted_release(&accepted);
        made_set(&runs[2], "reduce/tree", "time", cases[i].time);
        cr_assert_eq(made_accept(&trial, &runs[2], 1, &accepted), 0);
        cr_expect_eq(accepted.counts[cases[i].step], 1, "%g", cases[i].time);
        cr_expect(accepted.move_count == 0 || accepted.moves[0].finding == cases[i].finding, "%g", cases[i].time);
        accepted_release(&accepted);
        for (size_t k = 0; k < ARRAY_SIZE(runs); k++)
            run_release(&runs[k]);
        scratch_remove(directory);
    }
}

/* What drifted too far in small steps fails by its drift reference; once it is accepted it must not go on failing. */
Test(baseline_merge, a_row_past_its_drift_reference_is_replaced)
{
    char *directory = scratch_make();
    const struct trial trial = {.directory = directory, .kernel = "reduce/tree", .metric = "time"};
    size_t replaced = 0;
    for (int i = 1; i <= 28; i++) {
        struct run run = made_run(i);
        struct accepted accepted;
        cr_assert_eq(made_accept(&trial, &run, 1, &accepted), 0);
        replaced += accepted.counts[ACCEPTED_REPLACED];
        if (accepted.counts[ACCEPTED_REPLACED]) {
            cr_expect_eq(accepted.moves[0].finding, FOUND_WORSE);
            struct run baseline = made_baseline(directory);
            cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 200 + i);
            run_release(&baseline);
        }
        accepted_release(&accepted);
        run_release(&run);
    }
    cr_expect_eq(replaced, 1);
    scratch_remove(directory);
}

Test(baseline_merge, a_row_that_moved_is_replaced_and_remembers)
{
    char *directory = scratch_make();
    struct run runs[] = {made_run(1), made_run(2), made_run(3)};
    runs[1].sessions[0].facts[SESSION_COMMIT] = x_strdup("abc");
    made_accept_one(&(struct trial){.directory = directory, .reason = "one"}, &runs[0]);
    made_accept_one(&(struct trial){.directory = directory, .reason = "two"}, &runs[1]);
    made_set(&runs[2], "access/coalesced", "time", 50);
    made_set(&runs[2], "reduce/tree", "time", 300);
    struct accepted accepted;
    cr_assert_eq(made_accept(&(struct trial){.directory = directory, .reason = "three"}, &runs[2], 1, &accepted), 0);
    cr_expect_eq(accepted.counts[ACCEPTED_REPLACED], 2, "two times");
    cr_expect_eq(accepted.counts[ACCEPTED_INFO], 2, "and the clocks beside them");
    cr_expect_eq(accepted.counts[ACCEPTED_ADDED], 5);
    cr_expect_eq(accepted.time_sessions, 1);
    cr_assert_eq(accepted.move_count, 2);
    cr_expect_str_eq(accepted.moves[0].kernel, "reduce/tree", "the worse one first");
    cr_expect_str_eq(accepted.moves[0].metric, "time");
    cr_expect_eq(accepted.moves[0].finding, FOUND_WORSE);
    cr_expect_eq(accepted.moves[0].was, 201.5);
    cr_expect_eq(accepted.moves[0].now, 300);
    cr_expect_eq(accepted.moves[1].finding, FOUND_BETTER);
    accepted_release(&accepted);

    struct run baseline = made_baseline(directory);
    const struct row *time = made_row(&baseline, "reduce/tree", "time");
    cr_expect_eq(time->session_count, 1);
    cr_expect_eq(row_value(time), 300);
    cr_expect_eq(time->drift_reference, 300);
    cr_assert_not_null(time->previous);
    cr_expect_eq(time->previous->value, 201.5);
    cr_expect_str_eq(time->previous->date, "2026-11-02T08:00:00Z");
    cr_expect_str_eq(time->previous->commit, "abc");
    cr_expect_str_eq(time->previous->reason, "two");
    cr_expect_eq(made_row(&baseline, "reduce/tree", "clock")->session_count, 1);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->session_count, 3);
    cr_expect_eq(made_row(&baseline, "reduce/warp", "clock")->session_count, 3);
    cr_expect_eq(made_row(&baseline, "reduce/warp", "time")->drift_reference, 301);
    run_release(&baseline);

    /* Moved again: one step back is remembered. */
    struct run last = made_run(4);
    made_set(&last, "reduce/tree", "time", 100);
    made_accept_one(&(struct trial){.directory = directory}, &last);
    baseline = made_baseline(directory);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->previous->value, 300);
    cr_expect_str_eq(made_row(&baseline, "reduce/tree", "time")->previous->reason, "three");
    run_release(&baseline);
    run_release(&last);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
    scratch_remove(directory);
}

/* By value, however little; and how often it was seen the same is counted anew. To repeat no more is no move. */
Test(baseline_merge, exact_rows)
{
    static const struct {
        double samples[3];
        enum accepted_step step;
        enum finding finding; /* when replaced */
        size_t sessions, readings;
    } steps[] = {
        {{7, 7, 7}, ACCEPTED_FIRST, FOUND_SAME, 1, 3},     {{7, 7, 7}, ACCEPTED_ADDED, FOUND_SAME, 2, 6},
        {{8, 8, 8}, ACCEPTED_REPLACED, FOUND_WORSE, 1, 3}, {{7, 7, 7}, ACCEPTED_REPLACED, FOUND_BETTER, 1, 3},
        {{7, 7, 8}, ACCEPTED_ADDED, FOUND_SAME, 2, 0},     {{7, 7, 7}, ACCEPTED_ADDED, FOUND_SAME, 3, 0},
        {{9, 9, 9}, ACCEPTED_REPLACED, FOUND_WORSE, 1, 3},
    };
    char *directory = scratch_make();
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        struct run run = made_run((int)i + 1);
        struct row *row = made_row(&run, "reduce/tree", "count");
        row_clear(row);
        row_add_session(row, steps[i].samples, 3);
        struct accepted accepted;
        const struct trial trial = {.directory = directory, .kernel = "reduce/tree", .metric = "count"};
        cr_assert_eq(made_accept(&trial, &run, 1, &accepted), 0);
        cr_expect_eq(accepted.counts[steps[i].step], 1, "step %zu", i);
        cr_expect_eq(accepted.move_count, steps[i].step == ACCEPTED_REPLACED ? 1 : 0, "step %zu", i);
        if (accepted.move_count > 0)
            cr_expect_eq(accepted.moves[0].finding, steps[i].finding, "step %zu", i);
        accepted_release(&accepted);
        struct run baseline = made_baseline(directory);
        row = made_row(&baseline, "reduce/tree", "count");
        cr_expect_eq(row->session_count, steps[i].sessions, "step %zu", i);
        cr_expect(row->has_readings);
        cr_expect_eq(row->readings, steps[i].readings, "step %zu: %zu", i, row->readings);
        run_release(&baseline);
        run_release(&run);
    }
    scratch_remove(directory);
}

Test(baseline_merge, drift_references_move_when_asked)
{
    char *directory = scratch_make();
    struct run runs[] = {made_run(1), made_run(4)};
    made_accept_one(&(struct trial){.directory = directory}, &runs[0]);
    made_accept_one(&(struct trial){.directory = directory, .kernel = "reduce/*", .drift_reference = true}, &runs[1]);
    struct run baseline = made_baseline(directory);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 202.5);
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->drift_reference, 101);
    cr_expect(!made_row(&baseline, "reduce/tree", "clock")->has_drift_reference);
    run_release(&baseline);

    made_accept_one(&(struct trial){.directory = directory, .kernel = "access/*"}, &runs[1]);
    made_accept_one(&(struct trial){.directory = directory, .kernel = "access/*", .drift_reference = true}, &runs[1]);
    baseline = made_baseline(directory);
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->drift_reference, 102.5,
                 "also of sessions known before");
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->session_count, 2);
    run_release(&baseline);
    run_release(&runs[1]);
    run_release(&runs[0]);
    scratch_remove(directory);
}

/* As baselines from before there were drift references are. */
Test(baseline_merge, a_row_without_a_drift_reference_gets_its_old_value)
{
    char *directory = scratch_make();
    char *family = x_sprintf("%s/nvidia-h200/reduce", directory);
    struct run old = made_run(1), second = made_run(5);
    cr_assert_eq(make_directories(family), 0);
    run_filter(&old, (char *[]){(char[]){"reduce/tree"}}, 1);
    char *path = x_sprintf("%s/tree.json", family);
    cr_assert_eq(run_write_file(&old, path), 0);
    made_accept_one(&(struct trial){.directory = directory}, &second);
    struct run baseline = made_baseline(directory);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 201);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->readings, 6);
    run_release(&baseline);
    run_release(&second);
    run_release(&old);
    free(path);
    free(family);
    scratch_remove(directory);
}

Test(baseline_merge, a_row_of_another_state_or_definition_is_replaced)
{
    char *directory = scratch_make();
    struct run runs[] = {made_run(1), made_run(2), made_run(3)};
    const struct trial trial = {.directory = directory, .kernel = "reduce/tree"};
    made_accept_one(&trial, &runs[0]);
    made_set(&runs[1], "reduce/tree", "hits", 50);
    row_clear(made_row(&runs[1], "reduce/tree", "count"));
    made_row(&runs[1], "reduce/tree", "count")->state = VALUE_NOT_SUPPORTED;
    struct accepted accepted;
    cr_assert_eq(made_accept(&trial, &runs[1], 1, &accepted), 0);
    cr_assert_eq(accepted.move_count, 2);
    cr_expect_str_eq(accepted.moves[0].metric, "count");
    cr_expect_eq(accepted.moves[0].finding, FOUND_SAME);
    cr_expect_eq(accepted.moves[0].was_state, VALUE_MEASURED);
    cr_expect_eq(accepted.moves[0].now_state, VALUE_NOT_SUPPORTED);
    cr_expect_eq(accepted.moves[1].was_state, VALUE_NOT_APPLICABLE);
    accepted_release(&accepted);
    struct run baseline = made_baseline(directory);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->state, VALUE_NOT_SUPPORTED);
    cr_expect_eq(row_value(made_row(&baseline, "reduce/tree", "hits")), 50);
    run_release(&baseline);

    run_set_note(&runs[2],
                 &(struct metric_note){.name = (char[]){"time"}, .counter = (char[]){"t.avg"}, .unit = (char[]){"ns"}});
    made_accept_one(&trial, &runs[2]);
    baseline = made_baseline(directory);
    const struct row *time = made_row(&baseline, "reduce/tree", "time");
    cr_expect_eq(time->session_count, 1, "the same number of another counter is no agreement");
    cr_expect_null(time->previous);
    cr_expect_str_eq(run_find_note(&baseline, "time")->counter, "t.avg");
    run_release(&baseline);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
    scratch_remove(directory);
}

Test(baseline_merge, rows_that_no_metric_file_defines_are_information)
{
    char *directory = scratch_make();
    for (int i = 1; i <= 2; i++) {
        struct run run = made_run(i);
        row_add_session(result_add(run_find(&run, "reduce/tree"), "other"), (double[]){1000 * i}, 1);
        made_accept_one(&(struct trial){.directory = directory}, &run);
        run_release(&run);
    }
    struct run baseline = made_baseline(directory);
    const struct row *other = made_row(&baseline, "reduce/tree", "other");
    cr_expect_eq(other->session_count, 2);
    cr_expect(!other->has_drift_reference && !other->has_readings);
    run_release(&baseline);
    scratch_remove(directory);
}

Test(baseline_merge, definitions_are_those_in_use_and_the_strictest_stands_for_all_files)
{
    char *directory = scratch_make();
    struct run run = made_run(1);
    for (size_t i = 0; i < run.note_count; i++)
        run.notes[i].judged = false; /* a run of an older version */
    made_accept_one(&(struct trial){.directory = directory}, &run);
    struct run baseline = made_baseline(directory);
    const struct metric_note *time = run_find_note(&baseline, "time");
    cr_expect(time->judged);
    cr_expect_eq(time->class, METRIC_TIME);
    cr_expect_eq(time->floor_absolute, 10);
    run_release(&baseline);

    static const double floors[] = {3, 500};
    char *path = x_sprintf("%s/" TREE, directory);
    for (size_t i = 0; i < ARRAY_SIZE(floors); i++) {
        struct run file;
        cr_assert_eq(run_read(&file, path), 0);
        run_find_note(&file, "time")->floor_absolute = floors[i];
        cr_assert_eq(run_write_file(&file, path), 0);
        run_release(&file);
        baseline = made_baseline(directory);
        cr_expect_eq(run_find_note(&baseline, "time")->floor_absolute, floors[i] < 10 ? floors[i] : 10, "floor %zu", i);
        run_release(&baseline);
    }
    free(path);
    run_release(&run);
    scratch_remove(directory);
}

/* ---- Values that move: the spread of code that did not change, and drift references ---- */

static void set_launch(const struct run *run, const char *kernel, const char *code)
{
    struct launch *launch = &run_find(run, kernel)->launches[0];
    free(launch->code);
    launch->code = x_strdup(code);
    launch->times = 1;
}

/* Makes the kernel a transfer, which launches nothing. */
static void remove_launches(const struct run *run, const char *kernel)
{
    const struct result nothing = {.bytes = 1000};
    result_copy_facts(run_find(run, kernel), &nothing);
}

static struct run noisy_run(int number, double time, double hits)
{
    struct run run = made_run(number);
    set_launch(&run, "reduce/tree", "abc");
    set_launch(&run, "reduce/warp", "def");
    remove_launches(&run, "access/coalesced");
    made_set(&run, "reduce/tree", "time", time);
    made_set(&run, "reduce/warp", "hits", hits);
    made_set(&run, "access/coalesced", "time", 400);
    return run;
}

static void expect_equal_sessions(const struct run *left, const struct run *right)
{
    cr_assert_eq(left->result_count, right->result_count);
    for (size_t i = 0; i < left->result_count; i++)
        for (size_t j = 0; j < left->results[i].row_count; j++) {
            const struct row *row = &left->results[i].rows[j];
            const struct row *other = made_row(right, left->results[i].id, row->metric);
            cr_expect_eq(row->session_count, other->session_count, "%s of %s", row->metric, left->results[i].id);
            for (size_t k = 0; k < row->session_count && k < other->session_count; k++)
                cr_expect_eq(row_session_value(row, k), row_session_value(other, k));
        }
}

Test(baseline_merge, one_by_one_ends_as_all_at_once)
{
    char *once = scratch_make(), *singly = scratch_make();
    struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 416, 52), noisy_run(3, 392, 49)};
    struct accepted accepted;
    cr_assert_eq(made_accept(&(struct trial){.directory = once}, runs, ARRAY_SIZE(runs), &accepted), 0);
    accepted_release(&accepted);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
        cr_assert_eq(made_accept(&(struct trial){.directory = singly}, &runs[i], 1, &accepted), 0);
        cr_expect_eq(accepted.counts[ACCEPTED_NOISE], i == 1 ? 2 : 0, "session %zu", i);
        cr_expect_eq(accepted.move_count, 0);
        accepted_release(&accepted);
    }
    struct run left = made_baseline(once), right = made_baseline(singly);
    expect_equal_sessions(&left, &right);
    cr_expect_eq(made_row(&right, "reduce/tree", "time")->session_count, 3);
    cr_expect_eq(made_row(&right, "reduce/tree", "time")->drift_reference, 400, "spread moves no anchor");
    cr_expect_eq(made_row(&right, "reduce/warp", "clock")->session_count, 3);
    run_release(&left);
    run_release(&right);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
    scratch_remove(singly);
    scratch_remove(once);
}

/* The second run's time moved, which by the same code is spread up to 5 %. Of a kernel that launches nothing, the code
 * is unknown. */
Test(baseline_merge, only_the_same_code_spreads_and_not_far)
{
    static const struct {
        const char *kernel, *code; /* of the second run; the first one's is "abc" */
        double more, count;
        const char *metric;
        enum accepted_step time, clock;
        const char *code_after;
    } cases[] = {
        {"reduce/tree", "abc", 0.04, 7, NULL, ACCEPTED_NOISE, ACCEPTED_ADDED, "abc"},
        {"reduce/tree", "abc", -0.04, 7, NULL, ACCEPTED_NOISE, ACCEPTED_ADDED, "abc"},
        {"reduce/tree", "abc", 0.06, 7, NULL, ACCEPTED_LEFT, ACCEPTED_ADDED, "abc"},
        {"reduce/tree", "abc", -0.06, 7, NULL, ACCEPTED_LEFT, ACCEPTED_ADDED, "abc"},
        {"reduce/tree", "abd", 0.04, 7, NULL, ACCEPTED_REPLACED, ACCEPTED_INFO, "abd"},
        {"reduce/tree", NULL, 0.04, 7, NULL, ACCEPTED_REPLACED, ACCEPTED_INFO, NULL},
        {"reduce/tree", "abc", 0.04, 8, NULL, ACCEPTED_REPLACED, ACCEPTED_INFO, "abc"},
        {"reduce/tree", "abc", 0.06, 7, "time", ACCEPTED_REPLACED, ACCEPTED_STEPS, "abc"},
        {"reduce/tree", "abd", 0.06, 7, "time", ACCEPTED_REPLACED, ACCEPTED_STEPS, "abd"},
        {"reduce/tree", "abd", 0.06, 7, "count", ACCEPTED_STEPS, ACCEPTED_STEPS, "abc"}, /* the time is of abc */
        {"access/coalesced", NULL, 0.04, 7, NULL, ACCEPTED_REPLACED, ACCEPTED_INFO, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *kernel = cases[i].kernel;
        char *directory = scratch_make();
        struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 400, 50)};
        if (strcmp(kernel, "reduce/tree") == 0)
            set_launch(&runs[1], kernel, cases[i].code);
        made_set(&runs[1], kernel, "time", (1 + cases[i].more) * row_value(made_row(&runs[0], kernel, "time")));
        made_set(&runs[1], kernel, "count", cases[i].count);
        made_accept_one(&(struct trial){.directory = directory}, &runs[0]);
        struct accepted accepted;
        const struct trial trial = {.directory = directory, .kernel = kernel, .metric = cases[i].metric};
        cr_assert_eq(made_accept(&trial, &runs[1], 1, &accepted), 0);
        cr_expect(cases[i].time == ACCEPTED_STEPS || accepted.counts[cases[i].time] >= 1, "case %zu", i);
        cr_expect(cases[i].clock == ACCEPTED_STEPS || accepted.counts[cases[i].clock] >= 1, "case %zu", i);
        struct run baseline = made_baseline(directory);
        cr_expect_eq(made_row(&baseline, kernel, "time")->session_count, cases[i].time == ACCEPTED_NOISE ? 2 : 1,
                     "case %zu", i);
        const struct result *result = run_find(&baseline, kernel);
        const char *code = result->launch_count > 0 ? result->launches[0].code : NULL;
        const char *expected = cases[i].code_after;
        cr_expect(code && expected ? strcmp(code, expected) == 0 : code == expected, "case %zu: %s", i, code);
        run_release(&baseline);
        accepted_release(&accepted);
        run_release(&runs[1]);
        run_release(&runs[0]);
        scratch_remove(directory);
    }
}

/* One session far off would make the limit so wide that real regressions pass; the near one beside it waits as well. */
Test(baseline_merge, what_is_far_off_is_left_out_and_named)
{
    char *directory = scratch_make();
    struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 404, 50), noisy_run(3, 406, 70), noisy_run(4, 600, 70)};
    made_accept_one(&(struct trial){.directory = directory}, &runs[0]);
    made_accept_one(&(struct trial){.directory = directory}, &runs[1]);
    struct accepted accepted;
    const struct trial trial = {.directory = directory, .kernel = "reduce/*", .drift_reference = true};
    for (size_t again = 0; again < 2; again++) {
        cr_assert_eq(made_accept(&trial, &runs[2], 2, &accepted), 0);
        cr_expect_eq(accepted.counts[ACCEPTED_LEFT], 2);
        cr_expect_eq(accepted.counts[again ? ACCEPTED_KNOWN : ACCEPTED_ADDED], again ? 6 : 5);
        cr_expect_eq(accepted.rows, 6, "those left out were not accepted");
        cr_expect_eq(accepted.time_sessions, 2);
        cr_assert_eq(accepted.move_count, 2);
        cr_expect_str_eq(accepted.moves[0].metric, "time");
        cr_expect(accepted.moves[0].left && accepted.moves[0].was == 402 && accepted.moves[0].now == 503);
        cr_expect(accepted.moves[1].left && accepted.moves[1].finding == FOUND_BETTER);
        accepted_release(&accepted);
    }
    struct run baseline = made_baseline(directory);
    const struct row *time = made_row(&baseline, "reduce/tree", "time");
    cr_expect(time->session_count == 2 && row_value(time) == 402 && time->drift_reference == 400 && !time->previous);
    cr_expect_eq(row_value(made_row(&baseline, "reduce/warp", "hits")), 50);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "clock")->session_count, 4);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->readings, 12);
    run_release(&baseline);

    const struct trial named = {.directory = directory, .kernel = "reduce/tree", .metric = "time"};
    cr_assert_eq(made_accept(&named, &runs[3], 1, &accepted), 0);
    cr_expect_eq(accepted.counts[ACCEPTED_REPLACED], 1);
    cr_expect(accepted.move_count == 1 && !accepted.moves[0].left);
    accepted_release(&accepted);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
    scratch_remove(directory);
}

/* A far session among near ones is far, though their mean is not. */
Test(baseline_merge, one_far_session_of_several_is_left_out)
{
    char *directory = scratch_make();
    struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 404, 50), noisy_run(3, 403, 50), noisy_run(4, 200, 50)};
    made_accept_one(&(struct trial){.directory = directory}, &runs[0]);
    struct accepted accepted;
    const struct trial trial = {.directory = directory, .kernel = "reduce/tree"};
    cr_assert_eq(made_accept(&trial, &runs[1], 3, &accepted), 0);
    cr_expect_eq(accepted.counts[ACCEPTED_LEFT], 1);
    accepted_release(&accepted);
    struct run baseline = made_baseline(directory);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->session_count, 1);
    run_release(&baseline);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
    scratch_remove(directory);
}

static void expect_places(const struct run *baseline, const char *metric, const char *places)
{
    const struct row *row = made_row(baseline, "reduce/tree", metric);
    char *found = x_strdup("");
    for (size_t i = 0; i < row->session_count; i++) {
        char *longer = x_sprintf("%s%zu ", found, row->sessions[i].session);
        free(found);
        found = longer;
    }
    cr_expect_str_eq(found, places, "%s", metric);
    free(found);
}

/* Rows gain and lose sessions by themselves; each value knows its own. */
Test(baseline_merge, values_know_the_sessions_that_they_are_from)
{
    char *directory = scratch_make();
    struct run runs[24];
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        runs[i] = noisy_run((int)i + 1, i == 1 ? 600 : 400 + (double)i, 50);
    made_accept_one(&(struct trial){.directory = directory}, &runs[0]);
    const struct trial whole = {.directory = directory, .kernel = "reduce/tree"};
    struct accepted accepted;
    cr_assert_eq(made_accept(&whole, &runs[1], 1, &accepted), 0); /* its time is left out */
    accepted_release(&accepted);
    made_accept_one(&whole, &runs[2]);
    made_accept_one(&(struct trial){.directory = directory, .kernel = "reduce/tree", .metric = "count"}, &runs[3]);
    made_accept_one(&whole, &runs[4]);
    struct run baseline = made_baseline(directory);
    expect_places(&baseline, "time", "0 2 4 ");
    expect_places(&baseline, "count", "0 1 2 3 4 ");
    expect_places(&baseline, "clock", "0 1 2 4 ");
    cr_expect_eq(run_find(&baseline, "reduce/tree")->session_count, 5);
    run_release(&baseline);

    /* The oldest records go when the last value from them goes, and not before. */
    for (size_t i = 5; i < ARRAY_SIZE(runs); i++)
        made_accept_one(&(struct trial){.directory = directory, .kernel = "reduce/tree", .metric = "count"}, &runs[i]);
    baseline = made_baseline(directory);
    expect_places(&baseline, "time", "0 2 3 ");
    expect_places(&baseline, "clock", "0 1 2 3 ");
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->session_count, BASELINE_SESSIONS);
    cr_expect_eq(run_find(&baseline, "reduce/tree")->session_count, 23);
    run_release(&baseline);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
    scratch_remove(directory);
}

/* Changed arguments would have moved every session of the count. */
Test(baseline_merge, a_count_that_repeats_no_more_is_no_sign_of_other_arguments)
{
    static const struct {
        double counts[2][3]; /* samples of two sessions */
        enum accepted_step count;
        size_t sessions, readings;
    } cases[] = {
        {{{7, 7, 8}, {7, 7, 7}}, ACCEPTED_ADDED, 3, 0},
        {{{7, 7, 7}, {14, 14, 14}}, ACCEPTED_LEFT, 1, 3},
        {{{14, 14, 14}, {14, 14, 14}}, ACCEPTED_REPLACED, 2, 6},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *directory = scratch_make();
        struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 416, 50), noisy_run(3, 416, 50)};
        for (size_t k = 0; k < 2; k++) {
            struct row *row = made_row(&runs[k + 1], "reduce/tree", "count");
            row_clear(row);
            row_add_session(row, cases[i].counts[k], 3);
        }
        made_accept_one(&(struct trial){.directory = directory}, &runs[0]);
        struct accepted accepted;
        cr_assert_eq(
            made_accept(&(struct trial){.directory = directory, .kernel = "reduce/tree"}, &runs[1], 2, &accepted), 0);
        cr_expect_geq(accepted.counts[cases[i].count], 1, "case %zu", i);
        cr_expect_eq(accepted.counts[ACCEPTED_NOISE], cases[i].count == ACCEPTED_REPLACED ? 0 : 1, "case %zu", i);
        accepted_release(&accepted);
        struct run baseline = made_baseline(directory);
        const struct row *count = made_row(&baseline, "reduce/tree", "count");
        cr_expect_eq(count->session_count, cases[i].sessions, "case %zu", i);
        cr_expect_eq(count->readings, cases[i].readings, "case %zu", i);
        run_release(&baseline);
        for (size_t k = 0; k < ARRAY_SIZE(runs); k++)
            run_release(&runs[k]);
        scratch_remove(directory);
    }
}

Test(baseline_merge, small_steps_add_up_to_the_drift_reference)
{
    static const struct {
        const char *metric;
        double value, drift_reference;
        bool asked; /* --anchor */
        size_t moved;
    } steps[] = {
        {"count", 1000, 1000, false, 1}, /* from 7, far away */
        {"count", 1018, 1000, false, 0}, {"count", 1036, 1000, false, 0}, {"count", 1054, 1054, false, 1},
        {"count", 1040, 1054, false, 0}, {"count", 1041, 1041, true, 1},  {"count", 900, 900, false, 1},
        {"time", 207, 201, false, 0}, /* few sessions: within 5 % of them */
        {"time", 214, 214, false, 1}, /* but not of the drift reference */
        {"time", 300, 300, false, 1},
    };
    char *directory = scratch_make();
    struct run first = made_run(1);
    made_accept_one(&(struct trial){.directory = directory}, &first);
    run_release(&first);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        const struct trial trial = {.directory = directory,
                                    .kernel = "reduce/tree",
                                    .metric = steps[i].metric,
                                    .drift_reference = steps[i].asked};
        struct run run = made_run((int)i + 2);
        made_set(&run, "reduce/tree", steps[i].metric, steps[i].value);
        struct accepted accepted;
        cr_assert_eq(made_accept(&trial, &run, 1, &accepted), 0);
        cr_expect_eq(accepted.drift_references, steps[i].moved, "step %zu", i);
        accepted_release(&accepted);
        struct run baseline = made_baseline(directory);
        const struct row *row = made_row(&baseline, "reduce/tree", steps[i].metric);
        cr_expect_eq(row->drift_reference, steps[i].drift_reference, "step %zu: %g", i, row->drift_reference);
        run_release(&baseline);
        run_release(&run);
    }
    scratch_remove(directory);
}

/* Another counter gives the value another meaning. */
Test(baseline_merge, a_drift_reference_of_another_definition_goes)
{
    char *directory = scratch_make();
    struct run runs[] = {made_run(1), made_run(3)};
    run_set_note(&runs[1],
                 &(struct metric_note){.name = (char[]){"time"}, .counter = (char[]){"t.avg"}, .unit = (char[]){"ns"}});
    made_accept_one(&(struct trial){.directory = directory}, &runs[0]);
    made_accept_one(&(struct trial){.directory = directory}, &runs[1]);
    struct run baseline = made_baseline(directory);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 203);
    run_release(&baseline);
    run_release(&runs[1]);
    run_release(&runs[0]);
    scratch_remove(directory);
}

/* ---- Source lines: they are of the machine code of the values beside them ---- */

#define COUNTS (1u << LINE_SHARED | 1u << LINE_INSTRUCTIONS)

/* A run whose reduce/tree launched that machine code and has these kinds of lines: line 4 with `amount` instructions,
 * as many samples, and an instruction of no file. */
static struct run made_lined(int number, const char *code, unsigned counted, unsigned period, double amount)
{
    struct run run = made_run(number);
    struct result *result = run_find(&run, "reduce/tree");
    result->launches[0].code = x_strdup(code);
    result->launches[0].times = 1;
    if (!counted && !period)
        return run;
    struct profile *profile = &result->profile;
    *profile = (struct profile){.counted = counted, .period = period, .launches = 1};
    struct profile_line *line = profile_add(profile, "f", "a.cu", 4, 96);
    line->counts[LINE_INSTRUCTIONS] = counted ? amount : 0;
    if (period)
        profile_line_add_stall(line, "wait", amount);
    profile_add(profile, "memset", NULL, 0, 16)->counts[LINE_INSTRUCTIONS] = 1;
    return run;
}

struct step {
    const char *code;
    unsigned counted, period;
    const char *metric; /* -m, or NULL */
};

/* Accepts one session, then another, which has 20 where the first has 10. Returns what line 4 has in the end; -1 when
 * there are no lines. */
static double accept_two(const struct step *first, const struct step *second)
{
    const struct step *steps[] = {first, second};
    char *directory = scratch_make();
    for (int i = 0; i < 2; i++) {
        struct run run = made_lined(i + 1, steps[i]->code, steps[i]->counted, steps[i]->period, 10 * (i + 1));
        struct trial trial = {.directory = directory, .metric = steps[i]->metric};
        made_accept_one(&trial, &run);
        run_release(&run);
    }
    struct run baseline = made_baseline(directory);
    const struct profile *profile = &run_find(&baseline, "reduce/tree")->profile;
    double amount = -1;
    if (profile->counted || profile->period) {
        cr_assert_eq(profile->count, 1, "instructions without a file are kept");
        amount =
            profile->counted ? profile->list[0].counts[LINE_INSTRUCTIONS] : profile_line_samples(&profile->list[0]);
    }
    run_release(&baseline);
    scratch_remove(directory);
    return amount;
}

Test(baseline_merge, lines_are_of_the_code_that_was_accepted)
{
    const struct {
        struct step first, second;
        double kept;
    } rows[] = {
        {{"beef", COUNTS, 0, NULL}, {"beef", COUNTS, 0, NULL}, 20},     /* the newest */
        {{"beef", COUNTS, 0, NULL}, {"beef", 0, 0, NULL}, 10},          /* a run without lines takes none away */
        {{"beef", COUNTS, 512, NULL}, {"beef", COUNTS, 0, NULL}, 10},   /* nor does one without stalls */
        {{"beef", COUNTS, 0, NULL}, {"beef", 0, 512, NULL}, 10},        /* or without counts */
        {{"beef", COUNTS, 0, NULL}, {"beef", 1, 512, NULL}, 10},        /* or with fewer of them */
        {{"beef", COUNTS, 0, NULL}, {"beef", COUNTS, 512, NULL}, 20},   /* more are welcome */
        {{"beef", COUNTS, 512, NULL}, {"f00d", COUNTS, 0, "time"}, 20}, /* other code: fewer kinds, but true ones */
        {{"beef", COUNTS, 512, NULL}, {"f00d", 0, 0, "time"}, -1},      /* better none than wrong ones */
        {{"beef", COUNTS, 0, NULL}, {"f00d", COUNTS, 0, "count"}, -1},  /* values of two codes: whose lines? */
        {{"beef", 0, 0, NULL}, {"beef", COUNTS, 0, NULL}, 20},          /* they came later */
        {{"beef", 0, 512, NULL}, {"beef", 0, 512, NULL}, 20},           /* stalls alone */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const double kept = accept_two(&rows[i].first, &rows[i].second);
        cr_expect_eq(kept, rows[i].kept, "row %zu: %g, not %g", i, kept, rows[i].kept);
    }
}

/* Of several runs that are accepted at once: the newest lines, unless the newest code has none. */
Test(baseline_merge, lines_of_several_runs_are_the_newest_that_fit)
{
    const struct {
        const char *codes[2];
        unsigned counted[2];
        double kept;
    } rows[] = {
        {{"beef", "beef"}, {COUNTS, COUNTS}, 20},
        {{"beef", "beef"}, {COUNTS, 0}, 10},
        {{"beef", "f00d"}, {COUNTS, 0}, -1},
        {{"beef", "f00d"}, {COUNTS, COUNTS}, 20},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *directory = scratch_make();
        struct run runs[2];
        for (int k = 0; k < 2; k++)
            runs[k] = made_lined(k + 1, rows[i].codes[k], rows[i].counted[k], 0, 10 * (k + 1));
        struct accepted accepted;
        cr_assert_eq(made_accept(&(struct trial){.directory = directory}, runs, 2, &accepted), 0);
        accepted_release(&accepted);
        struct run baseline = made_baseline(directory);
        const struct profile *profile = &run_find(&baseline, "reduce/tree")->profile;
        const double kept = profile->counted ? profile->list[0].counts[LINE_INSTRUCTIONS] : -1;
        cr_expect_eq(kept, rows[i].kept, "row %zu: %g, not %g", i, kept, rows[i].kept);
        run_release(&baseline);
        run_release(&runs[0]);
        run_release(&runs[1]);
        scratch_remove(directory);
    }
}
