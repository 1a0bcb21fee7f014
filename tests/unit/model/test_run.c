#include "base/base.h"
#include "model/run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

Test(run, results_and_rows_stay_sorted)
{
    static const char *const names[] = {"m", "b", "z", "a", "y", "b", "m0", "_", "0"};
    struct run run = {0};
    for (size_t i = 0; i < ROWS(names); i++) {
        struct result *result = run_add(&run, names[i]);
        result->flops += 1;
        for (size_t j = 0; j < ROWS(names); j++)
            result_add(result, names[j]);
    }
    cr_assert_eq(run.result_count, ROWS(names) - 1);
    for (size_t i = 0; i < run.result_count; i++) {
        cr_expect(i == 0 || strcmp(run.results[i - 1].id, run.results[i].id) < 0);
        cr_expect_eq(run_find(&run, run.results[i].id), &run.results[i]);
        cr_expect_eq(run.results[i].row_count, ROWS(names) - 1);
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

Test(run, a_value_is_the_mean_of_medians)
{
    struct run run = {0};
    struct row *row = result_add(run_add(&run, "a/b"), "m");
    row_add_session(row, (double[]){1, 100, 3}, 3);
    row_add_session(row, (double[]){10}, 1);
    row_add_session(row, (double[]){4, 6}, 2);
    cr_expect_eq(row_session_value(row, 0), 3);
    cr_expect_eq(row_session_value(row, 2), 5);
    cr_expect_eq(row_value(row), 6);
    run_release(&run);
}

Test(run, the_mean_of_equal_values_is_that_value)
{
    static const double values[] = {0, 1, 3, 0x1p53 - 1, 9171140609, 70.9225909};
    for (size_t i = 0; i < ROWS(values); i++) {
        struct run run = {0};
        struct row *row = result_add(run_add(&run, "a/b"), "m");
        for (size_t session = 0; session < 7; session++)
            row_add_session(row, &values[i], 1);
        cr_expect_eq(row_value(row), values[i]);
        run_release(&run);
    }
}

Test(run, equal_readings_are_counted_until_one_differs)
{
    struct run run = {0};
    struct row *row = result_add(run_add(&run, "a/b"), "m");
    cr_expect_eq(row_equal_readings(row), 0);
    row_add_session(row, (double[]){7, 7, 7}, 3);
    row_add_session(row, (double[]){7}, 1);
    cr_expect_eq(row_equal_readings(row), 4);
    row->has_readings = true; /* a baseline, which keeps medians: the file says how many samples there were */
    row->readings = 20;
    cr_expect_eq(row_equal_readings(row), 20);
    row->readings = 0;
    cr_expect_eq(row_equal_readings(row), 0);
    row->readings = 20;
    row_add_session(row, (double[]){8}, 1);
    cr_expect_eq(row_equal_readings(row), 0);
    run_release(&run);
}

/* A run of one session of two kernels, every row the same number. */
static struct run made_run(const char *date, double value)
{
    struct run run = {0};
    run_add_session(&run, &(struct session){.facts = {[SESSION_DATE] = (char *)(uintptr_t)date}});
    row_add_session(result_add(run_add(&run, "a/b"), "m"), &value, 1);
    row_add_session(result_add(run_add(&run, "a/c"), "m"), &value, 1);
    return run;
}

Test(run, appending_adds_sessions_where_both_measured)
{
    struct run run = made_run("first", 1), more = made_run("second", 2);
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
    run_release(&run);
    run_release(&more);
}

Test(run, a_kernel_that_fails_the_second_time_has_failed)
{
    struct run run = made_run("first", 1), more = made_run("second", 1);
    run_find(&more, "a/c")->status = RESULT_WRONG;
    run_find(&more, "a/c")->reason = x_strdup("out[3]: expected 1, found 2");
    run_append(&run, &more);
    cr_expect_eq(run_find(&run, "a/b")->status, RESULT_OK);
    cr_expect_eq(run_find(&run, "a/c")->status, RESULT_WRONG);
    cr_expect_str_eq(run_find(&run, "a/c")->reason, "out[3]: expected 1, found 2");
    run_release(&run);
    run_release(&more);
}

Test(run, a_reading_that_is_no_number_is_not_counted)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, -1, -1e-300};
    for (size_t i = 0; i < ROWS(bad); i++) {
        struct run run = {0};
        struct row *row = result_add(run_add(&run, "a/b"), "m");
        row_add_session(row, (double[]){1, 2}, 2);
        row_add_session(row, (double[]){1, bad[i]}, 2);
        cr_expect_eq(row->state, VALUE_NOT_COUNTED);
        cr_expect_eq(row->session_count, 0);
        run_release(&run);
    }
}

Test(run, filter_keeps_what_matches)
{
    struct run run = {0};
    run_add(&run, "reduce/tree");
    run_add(&run, "access/strided");
    run_filter(&run, NULL, 0);
    cr_expect_eq(run.result_count, 2);
    run_filter(&run, (char *[]){(char[]){"reduce/*"}}, 1);
    cr_assert_eq(run.result_count, 1);
    cr_expect_str_eq(run.results[0].id, "reduce/tree");
    run_filter(&run, (char *[]){(char[]){"nothing"}}, 1);
    cr_expect_eq(run.result_count, 0);
    run_release(&run);
}

Test(run, device_difference_names_each_field)
{
    struct device h200 = {(char[]){"NVIDIA H200"}, (char[]){"9.0"}, 132, 150754820096, true, false};
    char text[512];
    device_difference(&h200, &h200, text, sizeof text);
    cr_expect_str_eq(text, "");
    struct device other = {(char[]){"NVIDIA A100"}, (char[]){"8.0"}, 108, 42, false, true};
    device_difference(&h200, &other, text, sizeof text);
    cr_expect_str_eq(text, "GPU NVIDIA H200, not NVIDIA A100; compute capability 9.0, not 8.0; SM count 132, not 108; "
                           "memory 150754820096 bytes, not 42; ECC on, not off; MIG off, not on");
    struct device unknown = {0};
    device_difference(&unknown, &h200, text, sizeof text);
    cr_expect(strstr(text, "GPU unknown, not NVIDIA H200"), "%s", text);
    char small[8];
    device_difference(&h200, &other, small, sizeof small);
    cr_expect_eq(strlen(small), sizeof small - 1);
}

Test(run, notes_come_sorted_from_metrics)
{
    struct metric list[] = {
        {.name = (char[]){"time"}, .counter = (char[]){"t.sum"}, .unit = (char[]){"ns"}},
        {.name = (char[]){"bytes"}, .counter = (char[]){"b.sum"}, .unit = (char[]){"B"}},
    };
    struct metrics metrics = {list, ROWS(list)};
    struct run run = {0};
    run_set_note(&run,
                 &(struct metric_note){.name = (char[]){"hits"}, .counter = (char[]){"h.pct"}, .unit = (char[]){"%"}});
    run_note_metrics(&run, &metrics);
    cr_assert_eq(run.note_count, 2);
    cr_expect_str_eq(run.notes[0].name, "bytes");
    cr_expect_str_eq(run_find_note(&run, "time")->counter, "t.sum");
    cr_expect_null(run_find_note(&run, "hits"));
    run_release(&run);
}

Test(run, every_status_and_fact_has_a_name_of_its_own)
{
    for (enum result_status status = 0; status < RESULT_STATUSES; status++)
        cr_expect_eq(result_status_of(result_status_name(status)), status);
    cr_expect_eq(result_status_of("fine"), RESULT_STATUSES);
    for (enum session_fact a = 0; a < SESSION_FACTS; a++)
        for (enum session_fact b = 0; b < a; b++)
            cr_expect_str_neq(session_fact_name(a), session_fact_name(b));
}

Test(run, what_another_run_has_is_added_in_order)
{
    struct run run = {0}, from = {0};
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
    run_release(&from);
    run_release(&run);
}

Test(run, a_session_is_the_same_whatever_it_was_accepted_for)
{
    const struct session first = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21"}, [SESSION_REASON] = (char[]){"a"}}};
    const struct session again = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21"}, [SESSION_REASON] = (char[]){"b"}}};
    const struct session later = {.facts = {[SESSION_DATE] = (char[]){"2026-11-22"}}};
    const struct session unknown = {0};
    cr_expect_eq(by_session(&first, &again), 0);
    cr_expect_lt(by_session_and_reason(&first, &again), 0);
    cr_expect_lt(by_session(&again, &later), 0);
    cr_expect_lt(by_session(&unknown, &first), 0);
}
