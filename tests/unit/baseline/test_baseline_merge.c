#include "made_runs.h"
#include "test.h"

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

/* By the rule's formula, two sessions that differ allow 318 times their deviation. */
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
        OWNED_FOLDER folder = scratch_make();
        struct run runs[] = {made_run(1), made_run(2), made_run(3)};
        const struct trial trial = {.folder = folder, .kernel = "reduce/tree", .metric = "time"};
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
    }
}

/* A row that drifted too far in small steps fails by its drift reference; once accepted it must not go on failing. */
Test(baseline_merge, a_row_past_its_drift_reference_is_replaced, .init = scratch_begin, .fini = scratch_leave)
{
    const struct trial trial = {.folder = scratch, .kernel = "reduce/tree", .metric = "time"};
    size_t replaced = 0;
    for (int i = 1; i <= 28; i++) {
        OWNED(run) run = made_run(i);
        OWNED(accepted) accepted;
        cr_assert_eq(made_accept(&trial, &run, 1, &accepted), 0);
        replaced += accepted.counts[ACCEPTED_REPLACED];
        if (accepted.counts[ACCEPTED_REPLACED]) {
            cr_expect_eq(accepted.moves[0].finding, FOUND_WORSE);
            OWNED(run) baseline = made_baseline(scratch);
            cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 200 + i);
        }
    }
    cr_expect_eq(replaced, 1);
}

Test(baseline_merge, a_row_that_moved_is_replaced_and_remembers, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(2), made_run(3)};
    runs[1].sessions[0].facts[SESSION_COMMIT] = x_strdup("abc");
    made_accept_one(&(struct trial){.folder = scratch, .reason = "one"}, &runs[0]);
    made_accept_one(&(struct trial){.folder = scratch, .reason = "two"}, &runs[1]);
    made_set(&runs[2], "access/coalesced", "time", 50);
    made_set(&runs[2], "reduce/tree", "time", 300);
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = scratch, .reason = "three"}, &runs[2], 1, &accepted), 0);
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

    struct run baseline = made_baseline(scratch);
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

    /* After a second move, only the value before it is remembered. */
    OWNED(run) last = made_run(4);
    made_set(&last, "reduce/tree", "time", 100);
    made_accept_one(&(struct trial){.folder = scratch}, &last);
    baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->previous->value, 300);
    cr_expect_str_eq(made_row(&baseline, "reduce/tree", "time")->previous->reason, "three");
    run_release(&baseline);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
}

/* An exact row is replaced if its value moved at all, and its readings are counted anew. Ceasing to repeat is no
 * move. */
Test(baseline_merge, exact_rows, .init = scratch_begin, .fini = scratch_leave)
{
    static const struct {
        double samples[3];
        enum accepted_step step;
        enum finding finding; /* finding of the row if it is replaced */
        size_t sessions, readings;
    } steps[] = {
        {{7, 7, 7}, ACCEPTED_FIRST, FOUND_SAME, 1, 3},     {{7, 7, 7}, ACCEPTED_ADDED, FOUND_SAME, 2, 6},
        {{8, 8, 8}, ACCEPTED_REPLACED, FOUND_WORSE, 1, 3}, {{7, 7, 7}, ACCEPTED_REPLACED, FOUND_BETTER, 1, 3},
        {{7, 7, 8}, ACCEPTED_ADDED, FOUND_SAME, 2, 0},     {{7, 7, 7}, ACCEPTED_ADDED, FOUND_SAME, 3, 0},
        {{9, 9, 9}, ACCEPTED_REPLACED, FOUND_WORSE, 1, 3},
    };
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        OWNED(run) run = made_run((int)i + 1);
        struct row *row = made_row(&run, "reduce/tree", "count");
        row_clear(row);
        row_add_session(row, steps[i].samples, 3);
        OWNED(accepted) accepted;
        const struct trial trial = {.folder = scratch, .kernel = "reduce/tree", .metric = "count"};
        cr_assert_eq(made_accept(&trial, &run, 1, &accepted), 0);
        cr_expect_eq(accepted.counts[steps[i].step], 1, "step %zu", i);
        cr_expect_eq(accepted.move_count, steps[i].step == ACCEPTED_REPLACED ? 1 : 0, "step %zu", i);
        if (accepted.move_count > 0)
            cr_expect_eq(accepted.moves[0].finding, steps[i].finding, "step %zu", i);
        OWNED(run) baseline = made_baseline(scratch);
        row = made_row(&baseline, "reduce/tree", "count");
        cr_expect_eq(row->session_count, steps[i].sessions, "step %zu", i);
        cr_expect(row->has_readings);
        cr_expect_eq(row->readings, steps[i].readings, "step %zu: %zu", i, row->readings);
    }
}

Test(baseline_merge, drift_references_move_when_asked, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(4)};
    made_accept_one(&(struct trial){.folder = scratch}, &runs[0]);
    made_accept_one(&(struct trial){.folder = scratch, .kernel = "reduce/*", .drift_reference = true}, &runs[1]);
    struct run baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 202.5);
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->drift_reference, 101);
    cr_expect(!made_row(&baseline, "reduce/tree", "clock")->has_drift_reference);
    run_release(&baseline);

    made_accept_one(&(struct trial){.folder = scratch, .kernel = "access/*"}, &runs[1]);
    made_accept_one(&(struct trial){.folder = scratch, .kernel = "access/*", .drift_reference = true}, &runs[1]);
    baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->drift_reference, 102.5,
                 "also of sessions known before");
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->session_count, 2);
    run_release(&baseline);
    run_release(&runs[1]);
    run_release(&runs[0]);
}

/* As in baselines from before there were drift references. */
Test(baseline_merge, a_row_without_a_drift_reference_gets_its_old_value, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT family = x_sprintf("%s/nvidia-h200/reduce", scratch);
    OWNED(run) old = made_run(1), second = made_run(5);
    cr_assert_eq(make_folders(family), 0);
    run_filter(&old, (char *[]){(char[]){"reduce/tree"}}, 1);
    OWNED_TEXT path = x_sprintf("%s/tree.json", family);
    cr_assert_eq(run_write_file(&old, path), 0);
    made_accept_one(&(struct trial){.folder = scratch}, &second);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 201);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->readings, 6);
}

Test(baseline_merge, a_row_of_another_state_or_definition_is_replaced, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(2), made_run(3)};
    const struct trial trial = {.folder = scratch, .kernel = "reduce/tree"};
    made_accept_one(&trial, &runs[0]);
    made_set(&runs[1], "reduce/tree", "hits", 50);
    row_clear(made_row(&runs[1], "reduce/tree", "count"));
    made_row(&runs[1], "reduce/tree", "count")->state = VALUE_NOT_SUPPORTED;
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&trial, &runs[1], 1, &accepted), 0);
    cr_assert_eq(accepted.move_count, 2);
    cr_expect_str_eq(accepted.moves[0].metric, "count");
    cr_expect_eq(accepted.moves[0].finding, FOUND_SAME);
    cr_expect_eq(accepted.moves[0].was_state, VALUE_MEASURED);
    cr_expect_eq(accepted.moves[0].now_state, VALUE_NOT_SUPPORTED);
    cr_expect_eq(accepted.moves[1].was_state, VALUE_NOT_APPLICABLE);
    struct run baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->state, VALUE_NOT_SUPPORTED);
    cr_expect_eq(row_value(made_row(&baseline, "reduce/tree", "hits")), 50);
    run_release(&baseline);

    run_set_note(&runs[2],
                 &(struct metric_note){.name = (char[]){"time"}, .counter = (char[]){"t.avg"}, .unit = (char[]){"ns"}});
    made_accept_one(&trial, &runs[2]);
    baseline = made_baseline(scratch);
    const struct row *time = made_row(&baseline, "reduce/tree", "time");
    cr_expect_eq(time->session_count, 1, "the same number of another counter is no agreement");
    cr_expect_null(time->previous);
    cr_expect_str_eq(run_find_note(&baseline, "time")->counter, "t.avg");
    run_release(&baseline);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
}

Test(baseline_merge, rows_that_no_metric_file_defines_are_information, .init = scratch_begin, .fini = scratch_leave)
{
    for (int i = 1; i <= 2; i++) {
        OWNED(run) run = made_run(i);
        row_add_session(result_add(run_find(&run, "reduce/tree"), "other"), (double[]){1000 * i}, 1);
        made_accept_one(&(struct trial){.folder = scratch}, &run);
    }
    OWNED(run) baseline = made_baseline(scratch);
    const struct row *other = made_row(&baseline, "reduce/tree", "other");
    cr_expect_eq(other->session_count, 2);
    cr_expect(!other->has_drift_reference && !other->has_readings);
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

static struct run measured_run(int number, const char *code, unsigned times)
{
    struct run run = made_run(number);
    for (size_t i = 0; i < run.result_count; i++) {
        run.results[i].launches[0].code = x_strdup(code);
        run.results[i].launches[0].times = times;
    }
    return run;
}

Test(baseline_merge, inputs_stay_while_the_same_code_counts_the_same)
{
    static const struct {
        const char *code;
        unsigned times;
        double count; /* the baseline's count; 0: it had none */
        double time;
        const char *metric, *inputs;
    } rows[] = {
        {"abc", 1, 7, 202, NULL, "cafe"},   {"abc", 1, 7, 260, NULL, "cafe"},    {"abc", 1, 7, 202, "time", "cafe"},
        {"abc", 1, 7, 260, "time", "cafe"}, {"abc", 1, 7, 202, "clock", "cafe"}, {"def", 1, 7, 202, NULL, NULL},
        {"abc", 2, 7, 202, NULL, NULL},     {"abc", 1, 8, 202, NULL, NULL},      {"abc", 1, 8, 202, "count", NULL},
        {"abc", 1, 0, 202, NULL, NULL},     {"def", 1, 7, 202, "time", NULL},    {"def", 1, 7, 202, "clock", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_FOLDER folder = scratch_make();
        OWNED(run) old = measured_run(1, "abc", 1), now = measured_run(2, rows[i].code, rows[i].times);
        const struct trial trial = {.folder = folder, .kernel = "reduce/tree", .metric = rows[i].metric};
        run_find(&old, "reduce/tree")->inputs = x_strdup("cafe");
        if (rows[i].count == 0)
            result_remove(run_find(&old, "reduce/tree"), "count");
        else
            made_set(&now, "reduce/tree", "count", rows[i].count);
        made_set(&now, "reduce/tree", "time", rows[i].time);
        made_accept_one(&(struct trial){.folder = folder}, &old);
        made_accept_one(&trial, &now);
        OWNED(run) baseline = made_baseline(folder);
        const char *inputs = run_find(&baseline, "reduce/tree")->inputs;
        cr_expect_eq(order_of_texts(inputs, rows[i].inputs), 0, "row %zu: %s", i, inputs ? inputs : "none");
    }
}
