#include "report_support.h"
#include "test.h"

Test(report_bmf, every_number_of_the_run_is_there_and_nothing_else)
{
    for (size_t i = 0; i < fixture_run_count; i++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up(fixture_runs[i]);
        alone(&fixture, EXIT_BASELINE); /* without a baseline, too */
        OWNED_TEXT text = print(&fixture.report, report_bmf);
        json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        cr_assert_not_null(root, "%s", fixture_runs[i]);
        size_t kernels = 0;
        EACH(const struct result, result, fixture.run.results, fixture.run.result_count) {
            const json_t *kernel = json_object_get(root, result->id);
            size_t rows = 0;
            EACH(const struct row, row, result->rows, result->row_count) {
                const json_t *measure = json_object_get(kernel, row->metric);
                cr_expect_eq(measure != NULL, row->state == VALUE_MEASURED, "%s %s", result->id, row->metric);
                if (!measure)
                    continue;
                rows++;
                const double value = json_number_value(json_object_get(measure, "value"));
                cr_expect_eq(json_object_size(measure), 3u);
                cr_expect_float_eq(value, row_value(row), 1e-12 * row_value(row));
                cr_expect_leq(json_number_value(json_object_get(measure, "lower_value")), value);
                cr_expect_geq(json_number_value(json_object_get(measure, "upper_value")), value);
            }
            cr_expect_eq(json_object_size(kernel), rows, "%s", result->id);
            cr_expect_eq(kernel != NULL, rows > 0, "a kernel without a number is left out: %s", result->id);
            kernels += rows > 0;
        }
        cr_expect_eq(json_object_size(root), kernels);
        json_decref(root);
    }
}

Test(report_bmf, the_bounds_are_the_lowest_and_the_highest_sample_of_all_sessions)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
    alone(&fixture, EXIT_SAME);
    struct result *result = run_add(&fixture.run, "made/up");
    struct row *row = result_add(result, "time");
    row_add_session(row, (const double[]){20, 30, 50}, 3);
    row_add_session(row, (const double[]){40, 12, 45}, 3);
    OWNED_TEXT text = print(&fixture.report, report_bmf);
    expect_word(text, "\n \"made/up\": {\n"
                      "  \"time\": {\"value\": 35, \"lower_value\": 12, \"upper_value\": 50}\n }");
}
