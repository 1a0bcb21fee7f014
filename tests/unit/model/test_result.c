#include "model/run.h"
#include "test.h"

Test(result, a_value_is_the_mean_of_medians)
{
    OWNED(run) run = {0};
    struct row *row = result_add(run_add(&run, "a/b"), "m");
    row_add_session(row, (double[]){1, 100, 3}, 3);
    row_add_session(row, (double[]){10}, 1);
    row_add_session(row, (double[]){4, 6}, 2);
    cr_expect_eq(row_session_value(row, 0), 3);
    cr_expect_eq(row_session_value(row, 2), 5);
    cr_expect_eq(row_value(row), 6);
}

Test(result, the_mean_of_equal_values_is_that_value)
{
    static const double values[] = {0, 1, 3, 0x1p53 - 1, 9171140609, 70.9225909};
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        OWNED(run) run = {0};
        struct row *row = result_add(run_add(&run, "a/b"), "m");
        for (size_t session = 0; session < 7; session++)
            row_add_session(row, &values[i], 1);
        cr_expect_eq(row_value(row), values[i]);
    }
}

Test(result, equal_readings_are_counted_until_one_differs)
{
    OWNED(run) run = {0};
    struct row *row = result_add(run_add(&run, "a/b"), "m");
    cr_expect_eq(row_equal_readings(row), 0);
    row_add_session(row, (double[]){7, 7, 7}, 3);
    row_add_session(row, (double[]){7}, 1);
    cr_expect_eq(row_equal_readings(row), 4);
    row->has_readings = true; /* a baseline keeps medians only; its file says how many samples there were */
    row->readings = 20;
    cr_expect_eq(row_equal_readings(row), 20);
    row->readings = 0;
    cr_expect_eq(row_equal_readings(row), 0);
    row->readings = 20;
    row_add_session(row, (double[]){8}, 1);
    cr_expect_eq(row_equal_readings(row), 0);
}

Test(result, a_reading_that_is_no_number_is_not_counted)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, -1, -1e-300};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        OWNED(run) run = {0};
        struct row *row = result_add(run_add(&run, "a/b"), "m");
        row_add_session(row, (double[]){1, 2}, 2);
        row_add_session(row, (double[]){1, bad[i]}, 2);
        cr_expect_eq(row->state, VALUE_NOT_COUNTED);
        cr_expect_eq(row->session_count, 0);
    }
}

Test(result, every_status_has_a_name_of_its_own)
{
    for (enum result_status status = 0; status < RESULT_STATUSES; status++)
        for (enum result_status other = 0; other < status; other++)
            cr_expect_str_neq(result_status_name(status), result_status_name(other));
}

Test(result, functions_of_launches_and_lines_are_demangled)
{
    OWNED(result) result = {0};
    ARRAY_GROW(result.launches, result.launch_count)->function = x_strdup("_Z1fPf");
    /* Two files' functions without a name outside them: one in the source. */
    profile_add(&result.profile, "_ZN12_GLOBAL__N_11fEv", "a.cu", 1, 0)->counts[LINE_INSTRUCTIONS] = 1;
    profile_add(&result.profile, "_ZN40_GLOBAL__N__e8851426_8_small_cu_acc5a52f1fEv", "a.cu", 1, 0)
        ->counts[LINE_INSTRUCTIONS] = 2;
    result_demangle(&result);
    cr_expect_str_eq(result.launches[0].function, "f(float*)");
    cr_assert_eq(result.profile.count, 1);
    cr_expect_str_eq(result.profile.list[0].function, "(anonymous namespace)::f()");
    cr_expect_eq(result.profile.list[0].counts[LINE_INSTRUCTIONS], 3);
}
