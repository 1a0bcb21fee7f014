/* Tests values that move: the spread of unchanged code, and drift references. */
#include "made_runs.h"
#include "test.h"

static void set_launch(const struct run *run, const char *kernel, const char *code)
{
    struct launch *launch = &run_find(run, kernel)->launches[0];
    set_text(&launch->code, code);
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

Test(baseline_merge_spread, one_by_one_ends_as_all_at_once)
{
    OWNED_FOLDER once = scratch_make(), *singly = scratch_make();
    struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 416, 52), noisy_run(3, 392, 49)};
    struct accepted accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = once}, runs, ARRAY_SIZE(runs), &accepted), 0);
    accepted_release(&accepted);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
        cr_assert_eq(made_accept(&(struct trial){.folder = singly}, &runs[i], 1, &accepted), 0);
        cr_expect_eq(accepted.counts[ACCEPTED_NOISE], i == 1 ? 2 : 0, "session %zu", i);
        cr_expect_eq(accepted.move_count, 0);
        accepted_release(&accepted);
    }
    OWNED(run) left = made_baseline(once), right = made_baseline(singly);
    expect_equal_sessions(&left, &right);
    cr_expect_eq(made_row(&right, "reduce/tree", "time")->session_count, 3);
    cr_expect_eq(made_row(&right, "reduce/tree", "time")->drift_reference, 400, "spread moves no anchor");
    cr_expect_eq(made_row(&right, "reduce/warp", "clock")->session_count, 3);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
}

/* The second run's time moved. With unchanged code that is spread, up to 5 %. For a kernel that launches nothing, the
 * code is unknown. */
Test(baseline_merge_spread, only_the_same_code_spreads_and_not_far)
{
    static const struct {
        const char *kernel, *code; /* code of the second run; the first one's is "abc" */
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
        /* the time was measured with code abc */
        {"reduce/tree", "abd", 0.06, 7, "count", ACCEPTED_STEPS, ACCEPTED_STEPS, "abc"},
        {"access/coalesced", NULL, 0.04, 7, NULL, ACCEPTED_REPLACED, ACCEPTED_INFO, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *kernel = cases[i].kernel;
        OWNED_FOLDER folder = scratch_make();
        struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 400, 50)};
        if (strcmp(kernel, "reduce/tree") == 0)
            set_launch(&runs[1], kernel, cases[i].code);
        made_set(&runs[1], kernel, "time", (1 + cases[i].more) * row_value(made_row(&runs[0], kernel, "time")));
        made_set(&runs[1], kernel, "count", cases[i].count);
        made_accept_one(&(struct trial){.folder = folder}, &runs[0]);
        OWNED(accepted) accepted;
        const struct trial trial = {.folder = folder, .kernel = kernel, .metric = cases[i].metric};
        cr_assert_eq(made_accept(&trial, &runs[1], 1, &accepted), 0);
        cr_expect(cases[i].time == ACCEPTED_STEPS || accepted.counts[cases[i].time] >= 1, "case %zu", i);
        cr_expect(cases[i].clock == ACCEPTED_STEPS || accepted.counts[cases[i].clock] >= 1, "case %zu", i);
        OWNED(run) baseline = made_baseline(folder);
        cr_expect_eq(made_row(&baseline, kernel, "time")->session_count, cases[i].time == ACCEPTED_NOISE ? 2 : 1,
                     "case %zu", i);
        const struct result *result = run_find(&baseline, kernel);
        const char *code = result->launch_count > 0 ? result->launches[0].code : NULL;
        const char *expected = cases[i].code_after;
        cr_expect(code && expected ? strcmp(code, expected) == 0 : code == expected, "case %zu: %s", i, code);
        run_release(&runs[1]);
        run_release(&runs[0]);
    }
}

/* One session far off would make the limit so wide that real regressions pass. The session near it is left out as
 * well. */
Test(baseline_merge_spread, what_is_far_off_is_left_out_and_named, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 404, 50), noisy_run(3, 406, 70), noisy_run(4, 600, 70)};
    made_accept_one(&(struct trial){.folder = scratch}, &runs[0]);
    made_accept_one(&(struct trial){.folder = scratch}, &runs[1]);
    struct accepted accepted;
    const struct trial trial = {.folder = scratch, .kernel = "reduce/*", .drift_reference = true};
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
    OWNED(run) baseline = made_baseline(scratch);
    const struct row *time = made_row(&baseline, "reduce/tree", "time");
    cr_expect(time->session_count == 2 && row_value(time) == 402 && time->drift_reference == 400 && !time->previous);
    cr_expect_eq(row_value(made_row(&baseline, "reduce/warp", "hits")), 50);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "clock")->session_count, 4);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->readings, 12);

    const struct trial named = {.folder = scratch, .kernel = "reduce/tree", .metric = "time"};
    cr_assert_eq(made_accept(&named, &runs[3], 1, &accepted), 0);
    cr_expect_eq(accepted.counts[ACCEPTED_REPLACED], 1);
    cr_expect(accepted.move_count == 1 && !accepted.moves[0].left);
    accepted_release(&accepted);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
}

/* One session is far off among near ones, although their mean is not. */
Test(baseline_merge_spread, one_far_session_of_several_is_left_out, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 404, 50), noisy_run(3, 403, 50), noisy_run(4, 200, 50)};
    made_accept_one(&(struct trial){.folder = scratch}, &runs[0]);
    OWNED(accepted) accepted;
    const struct trial trial = {.folder = scratch, .kernel = "reduce/tree"};
    cr_assert_eq(made_accept(&trial, &runs[1], 3, &accepted), 0);
    cr_expect_eq(accepted.counts[ACCEPTED_LEFT], 1);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->session_count, 1);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
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

/* Rows gain and lose sessions independently; each value knows its own. */
Test(baseline_merge_spread, values_know_the_sessions_that_they_are_from, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[24];
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        runs[i] = noisy_run((int)i + 1, i == 1 ? 600 : 400 + (double)i, 50);
    made_accept_one(&(struct trial){.folder = scratch}, &runs[0]);
    const struct trial whole = {.folder = scratch, .kernel = "reduce/tree"};
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&whole, &runs[1], 1, &accepted), 0); /* accepts all but the time, which is left out */
    made_accept_one(&whole, &runs[2]);
    made_accept_one(&(struct trial){.folder = scratch, .kernel = "reduce/tree", .metric = "count"}, &runs[3]);
    made_accept_one(&whole, &runs[4]);
    struct run baseline = made_baseline(scratch);
    expect_places(&baseline, "time", "0 2 4 ");
    expect_places(&baseline, "count", "0 1 2 3 4 ");
    expect_places(&baseline, "clock", "0 1 2 4 ");
    cr_expect_eq(run_find(&baseline, "reduce/tree")->session_count, 5);
    run_release(&baseline);

    /* A session's record is removed with the last value from it, and not before. */
    for (size_t i = 5; i < ARRAY_SIZE(runs); i++)
        made_accept_one(&(struct trial){.folder = scratch, .kernel = "reduce/tree", .metric = "count"}, &runs[i]);
    baseline = made_baseline(scratch);
    expect_places(&baseline, "time", "0 2 3 ");
    expect_places(&baseline, "clock", "0 1 2 3 ");
    cr_expect_eq(made_row(&baseline, "reduce/tree", "count")->session_count, BASELINE_SESSIONS);
    cr_expect_eq(run_find(&baseline, "reduce/tree")->session_count, 23);
    run_release(&baseline);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        run_release(&runs[i]);
}

Test(baseline_merge_spread, what_was_computed_keeps_its_bounds)
{
    for (unsigned computed = 0; computed < 2; computed++) {
        OWNED_FOLDER folder = scratch_make();
        OWNED(run) run = noisy_run(1, 400, 50);
        struct row *row = made_row(&run, "reduce/tree", "count");
        row_clear(row);
        row_add_session(row, (const double[]){6, 7, 9}, 3);
        if (computed)
            strcpy(run.sessions[0].facts[SESSION_COLLECTOR], "sim");
        made_accept_one(&(struct trial){.folder = folder}, &run);
        OWNED(run) baseline = made_baseline(folder);
        row = made_row(&baseline, "reduce/tree", "count");
        cr_expect_eq(row_value(row), 7);
        cr_expect_eq(row->sessions[0].count, computed ? 3 : 1);
    }
}

/* Changed arguments would have moved the count in every session. */
Test(baseline_merge_spread, a_count_that_repeats_no_more_is_no_sign_of_other_arguments)
{
    static const struct {
        double counts[2][3]; /* three samples of a count in each of two sessions */
        enum accepted_step count;
        size_t sessions, readings;
    } cases[] = {
        {{{7, 7, 8}, {7, 7, 7}}, ACCEPTED_ADDED, 3, 0},
        {{{7, 7, 7}, {14, 14, 14}}, ACCEPTED_LEFT, 1, 3},
        {{{14, 14, 14}, {14, 14, 14}}, ACCEPTED_REPLACED, 2, 6},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_FOLDER folder = scratch_make();
        struct run runs[] = {noisy_run(1, 400, 50), noisy_run(2, 416, 50), noisy_run(3, 416, 50)};
        for (size_t k = 0; k < 2; k++) {
            struct row *row = made_row(&runs[k + 1], "reduce/tree", "count");
            row_clear(row);
            row_add_session(row, cases[i].counts[k], 3);
        }
        made_accept_one(&(struct trial){.folder = folder}, &runs[0]);
        OWNED(accepted) accepted;
        cr_assert_eq(made_accept(&(struct trial){.folder = folder, .kernel = "reduce/tree"}, &runs[1], 2, &accepted),
                     0);
        cr_expect_geq(accepted.counts[cases[i].count], 1, "case %zu", i);
        cr_expect_eq(accepted.counts[ACCEPTED_NOISE], cases[i].count == ACCEPTED_REPLACED ? 0 : 1, "case %zu", i);
        OWNED(run) baseline = made_baseline(folder);
        const struct row *count = made_row(&baseline, "reduce/tree", "count");
        cr_expect_eq(count->session_count, cases[i].sessions, "case %zu", i);
        cr_expect_eq(count->readings, cases[i].readings, "case %zu", i);
        for (size_t k = 0; k < ARRAY_SIZE(runs); k++)
            run_release(&runs[k]);
    }
}

Test(baseline_merge_spread, small_steps_add_up_to_the_drift_reference, .init = scratch_begin, .fini = scratch_leave)
{
    static const struct {
        const char *metric;
        double value, drift_reference;
        bool asked; /* whether --anchor is given */
        size_t moved;
    } steps[] = {
        {"count", 1000, 1000, false, 1}, /* the count was 7, so 1000 is far off */
        {"count", 1018, 1000, false, 0}, {"count", 1036, 1000, false, 0}, {"count", 1054, 1054, false, 1},
        {"count", 1040, 1054, false, 0}, {"count", 1041, 1041, true, 1},  {"count", 900, 900, false, 1},
        {"time", 207, 201, false, 0}, /* with few sessions a time may move by 5 % of them */
        {"time", 214, 214, false, 1}, /* the value is not within 5 % of the drift reference */
        {"time", 300, 300, false, 1},
    };
    OWNED(run) first = made_run(1);
    made_accept_one(&(struct trial){.folder = scratch}, &first);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        const struct trial trial = {
            .folder = scratch, .kernel = "reduce/tree", .metric = steps[i].metric, .drift_reference = steps[i].asked};
        OWNED(run) run = made_run((int)i + 2);
        made_set(&run, "reduce/tree", steps[i].metric, steps[i].value);
        OWNED(accepted) accepted;
        cr_assert_eq(made_accept(&trial, &run, 1, &accepted), 0);
        cr_expect_eq(accepted.drift_references, steps[i].moved, "step %zu", i);
        OWNED(run) baseline = made_baseline(scratch);
        const struct row *row = made_row(&baseline, "reduce/tree", steps[i].metric);
        cr_expect_eq(row->drift_reference, steps[i].drift_reference, "step %zu: %g", i, row->drift_reference);
    }
}

/* With another counter the value has another meaning. */
Test(baseline_merge_spread, a_drift_reference_of_another_definition_goes, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(3)};
    run_set_note(&runs[1],
                 &(struct metric_note){.name = (char[]){"time"}, .counter = (char[]){"t.avg"}, .unit = (char[]){"ns"}});
    made_accept_one(&(struct trial){.folder = scratch}, &runs[0]);
    made_accept_one(&(struct trial){.folder = scratch}, &runs[1]);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->drift_reference, 203);
    run_release(&runs[1]);
    run_release(&runs[0]);
}
