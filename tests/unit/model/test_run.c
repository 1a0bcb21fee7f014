#include "model/run.h"
#include "test.h"

Test(run, results_and_rows_stay_sorted)
{
    static const char *const names[] = {"m", "b", "z", "a", "y", "b", "m0", "_", "0"};
    struct run run = {0};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct result *result = run_add(&run, names[i]);
        result->flops += 1;
        for (size_t j = 0; j < ARRAY_SIZE(names); j++)
            result_add(result, names[j]);
    }
    cr_assert_eq(run.result_count, ARRAY_SIZE(names) - 1);
    for (size_t i = 0; i < run.result_count; i++) {
        cr_expect(i == 0 || strcmp(run.results[i - 1].id, run.results[i].id) < 0);
        cr_expect_eq(run_find(&run, run.results[i].id), &run.results[i]);
        cr_expect_eq(run.results[i].row_count, ARRAY_SIZE(names) - 1);
        for (size_t j = 1; j < run.results[i].row_count; j++)
            cr_expect_lt(strcmp(run.results[i].rows[j - 1].metric, run.results[i].rows[j].metric), 0);
    }
    cr_expect_eq(run_find(&run, "b")->flops, 2);
    cr_expect_eq(result_find(run_find(&run, "b"), "z")->state, VALUE_NOT_COUNTED);
    cr_expect_null(run_find(&run, "c"));
    cr_expect_null(result_find(run_find(&run, "b"), "c"));
    run_release(&run);
    cr_expect_null(run_find(&run, "b"));
}

/* Makes a run of one session and two kernels, in which every row has the same number. */
static struct run made_run(const char *date, double value)
{
    struct run run = {0};
    put_fact(&run, SESSION_DATE, date);
    row_add_session(result_add(run_add(&run, "a/b"), "m"), &value, 1);
    row_add_session(result_add(run_add(&run, "a/c"), "m"), &value, 1);
    return run;
}

Test(run, appending_adds_sessions_where_both_measured)
{
    OWNED(run) run = made_run("first", 1), more = made_run("second", 2);
    row_add_session(result_add(run_find(&run, "a/b"), "only_here"), (double[]){5}, 1);
    row_add_session(result_add(run_find(&more, "a/b"), "only_there"), (double[]){5}, 1);
    run_add(&more, "a/d");
    run_append(&run, &more);
    cr_expect_eq(run.session_count, 2);
    cr_expect_eq(run.result_count, 2);
    const struct result *result = run_find(&run, "a/b");
    cr_expect_eq(result_find(result, "m")->session_count, 2);
    cr_expect_eq(row_value(result_find(result, "m")), 1.5);
    cr_expect_eq(result_find(result, "only_here")->session_count, 1);
    cr_expect_null(result_find(result, "only_there"));
}

/* In a run on several GPUs, each kernel belongs to the session of one. */
Test(run, appending_keeps_which_session_a_value_is_from)
{
    OWNED(run) run = made_run("first", 1), more = made_run("third", 2);
    put_fact(&run, SESSION_DATE, "second");
    put_fact(&more, SESSION_DATE, "fourth");
    result_set_session(run_find(&run, "a/c"), 1);
    result_set_session(run_find(&more, "a/c"), 1);
    cr_expect_eq(result_session(run_find(&run, "a/b")), 0);
    cr_expect_eq(result_session(run_find(&run, "a/c")), 1);
    run_append(&run, &more);
    cr_assert_eq(run.session_count, 4);
    static const struct {
        const char *id, *dates[2];
    } rows[] = {{"a/b", {"first", "third"}}, {"a/c", {"second", "fourth"}}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = result_find(run_find(&run, rows[i].id), "m");
        cr_assert_eq(row->session_count, 2);
        for (size_t s = 0; s < 2; s++)
            cr_expect_str_eq(run_session(&run, &row->sessions[s])->facts[SESSION_DATE], rows[i].dates[s]);
        cr_expect_str_eq(run_row_fact(&run, row, SESSION_DATE), rows[i].dates[1]);
    }
}

Test(run, the_seconds_of_a_kernel_are_the_first_that_are_known)
{
    OWNED(run) run = made_run("first", 1), more = made_run("second", 2);
    run_find(&run, "a/b")->seconds = 1;
    run_find(&more, "a/b")->seconds = run_find(&more, "a/c")->seconds = 2;
    run_append(&run, &more);
    cr_expect_eq(run_find(&run, "a/b")->seconds, 1);
    cr_expect_eq(run_find(&run, "a/c")->seconds, 2);

    /* A baseline takes the launches of the newest run that has some. */
    result_copy_facts(run_find(&run, "a/b"), run_find(&more, "a/b"));
    cr_expect_eq(run_find(&run, "a/b")->seconds, 2);
    run_find(&more, "a/b")->seconds = 0;
    result_copy_facts(run_find(&run, "a/b"), run_find(&more, "a/b"));
    cr_expect_eq(run_find(&run, "a/b")->seconds, 2);
}

Test(run, a_kernel_that_fails_the_second_time_has_failed)
{
    OWNED(run) run = made_run("first", 1), more = made_run("second", 1);
    run_find(&more, "a/c")->status = RESULT_WRONG;
    run_find(&more, "a/c")->reason = x_strdup("out[3]: expected 1, found 2");
    run_append(&run, &more);
    cr_expect_eq(run_find(&run, "a/b")->status, RESULT_OK);
    cr_expect_eq(run_find(&run, "a/c")->status, RESULT_WRONG);
    cr_expect_str_eq(run_find(&run, "a/c")->reason, "out[3]: expected 1, found 2");
}

Test(run, the_collector_of_a_run_is_that_of_all_its_sessions)
{
    OWNED(run) run = {0};
    const char *other;
    cr_expect_str_eq(run_collector(&run, &other), "unknown");
    cr_expect_null(other);
    put_fact(&run, SESSION_DATE, "1");
    cr_expect_str_eq(run_collector(&run, &other), "unknown");
    cr_expect_null(other);
    for (int i = 0; i < 2; i++)
        put_fact(&run, SESSION_COLLECTOR, "cupti");
    cr_expect_str_eq(run_collector(&run, &other), "unknown");
    cr_expect_str_eq(other, "cupti");
}

Test(run, the_origin_of_a_run_is_that_of_all_its_sessions)
{
    OWNED(run) run = {0};
    cr_expect_eq(run_origin(&run), origin_of(ORIGIN_IMPORTED));
    for (int i = 0; i < 2; i++)
        put_fact(&run, SESSION_COLLECTOR, "exec");
    cr_expect_eq(run_origin(&run), origin_of(ORIGIN_PROGRAM));
    put_fact(&run, SESSION_COLLECTOR, "cupti");
    cr_expect_eq(run_origin(&run), origin_of(ORIGIN_IMPORTED));
}

Test(run, what_another_run_has_is_added_in_order)
{
    OWNED(run) run = {0}, from = {0};
    run_add(&run, "b/b");
    run_add(&run, "d/d");
    for (size_t i = 0; i < 2; i++)
        run_add(&from, (const char *[]){"c/c", "a/a"}[i]);
    run_add(&from, "b/b");
    result_add(run_find(&run, "b/b"), "time");
    result_add(run_find(&from, "b/b"), "bytes");
    result_add(run_find(&from, "b/b"), "warps");

    run_add_like(&run, &from, (char *[]){(char[]){"a/*"}, (char[]){"b/*"}}, 2);
    cr_assert_eq(run.result_count, 3);
    cr_expect_str_eq(run.results[0].id, "a/a");
    cr_expect_str_eq(run.results[1].id, "b/b");
    cr_expect_str_eq(run.results[2].id, "d/d");

    struct result *result = run_find(&run, "b/b");
    result_add_like(result, run_find(&from, "b/b"), NULL, 0);
    cr_assert_eq(result->row_count, 3);
    cr_expect_str_eq(result->rows[0].metric, "bytes");
    cr_expect_str_eq(result->rows[1].metric, "time");
    cr_expect_str_eq(result->rows[2].metric, "warps");
    cr_expect_eq(result->rows[2].state, VALUE_NOT_COUNTED);
}

Test(run, takes_results_in_place_of_its_own_with_their_sessions)
{
    AT_END(run_release) struct run run = {0};
    AT_END(run_release) struct run more = {0};
    const double first = 1, second = 2;
    for (int i = 0; i < 2; i++) {
        struct run *one = i == 0 ? &run : &more;
        ARRAY_GROW(one->sessions, one->session_count)->facts[SESSION_DATE] = x_sprintf("2026-11-28T08:00:0%d.000Z", i);
        row_add_session(result_add(run_add(one, "a/b"), "time"), i == 0 ? &first : &second, 1);
        row_add_session(result_add(run_add(one, i == 0 ? "a/old" : "a/new"), "time"), &first, 1);
    }
    run_take(&run, &more);
    cr_assert_eq(run.result_count, 3);
    const struct row *row = result_find(run_find(&run, "a/b"), "time");
    cr_expect_eq(row_value(row), second);
    cr_expect_str_eq(run_row_fact(&run, row, SESSION_DATE), "2026-11-28T08:00:01.000Z");
    cr_expect_str_eq(run_row_fact(&run, result_find(run_find(&run, "a/old"), "time"), SESSION_DATE),
                     "2026-11-28T08:00:00.000Z");
    cr_expect_eq(more.result_count, 0);
}
