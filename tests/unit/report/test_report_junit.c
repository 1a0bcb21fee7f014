#include "report_support.h"
#include "test.h"

Test(report_junit, junit_counts_what_it_holds)
{
    for (size_t i = 0; i < fixture_run_count; i++)
        for (int mode = 0; mode < 3; mode++) {
            AT_END(report_tear_down) struct fixture fixture = report_set_up(fixture_runs[i]);
            if (mode == 2)
                alone(&fixture, EXIT_BASELINE);
            else
                judge(&fixture);
            fixture.report.quiet = mode == 1;
            OWNED_TEXT text = print(&fixture.report, report_junit);
            size_t tests, failures, errors, skipped;
            cr_assert_eq(
                sscanf(strstr(text, "<testsuite "),
                       "<testsuite name=\"cugate\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">",
                       &tests, &failures, &errors, &skipped),
                4);
            cr_expect_eq(tests, count_words(text, "<testcase "));
            cr_expect_eq(failures, count_words(text, "<failure "));
            cr_expect_eq(errors, count_words(text, "<error "));
            cr_expect_eq(skipped, count_words(text, "<skipped "));
            cr_expect_geq(tests, 1u, "an empty document looks like a pass");
            if (fixture.report.exit_code != EXIT_SAME && fixture.report.exit_code != EXIT_UNSURE)
                cr_expect_geq(failures + errors, 1u, "%s, mode %d", fixture_runs[i], mode);
        }
}
