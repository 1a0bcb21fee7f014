#include "analysis_support.h"
#include "test.h"

static const struct metric_spread *spread_of(const struct analysis *analysis, const char *metric)
{
    for (size_t i = 0; i < analysis->spread_count; i++)
        if (strcmp(analysis->spreads[i].metric->name, metric) == 0)
            return &analysis->spreads[i];
    cr_assert_fail("no spread of %s", metric);
    return NULL;
}

/* Computed by hand: GPU 0 has 10 and 12, GPU 1 has 13 and 15, so the means are 11 and 14. */
Test(aa_noise, spread_within_and_between_gpus)
{
    static const double values[] = {10, 12, 13, 15};
    static const struct {
        const char *metric;
        double factor, within, gpus;
    } rows[] = {
        {"time", 1000, 1.41421356 / 12.5, 2.12132034 / 12.5}, /* deviations as shares of the mean */
        {"share", 1, 1.41421356, 2.12132034},                 /* deviations in points */
        /* shares of the absolute floor, since the mean is below it */
        {"bytes", 1, 1.41421356 / 1000, 2.12132034 / 1000},
    };
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 4, 2, false));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (size_t session = 0; session < fixture.count; session++) {
            aa_put(&fixture, session, "a/noisy", rows[i].metric, rows[i].factor * values[session]);
            aa_put(&fixture, session, "a/quiet", rows[i].metric, 5);
        }
    const struct analysis *analysis = aa_analyse(&fixture);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct metric_spread *spread = spread_of(analysis, rows[i].metric);
        const struct spread_of_kernels *within = &spread->parts[SPREAD_WITHIN], *gpus = &spread->parts[SPREAD_GPUS];
        cr_expect_float_eq(within->worst, rows[i].within, 1e-8, "%s: within %.9g", rows[i].metric, within->worst);
        cr_expect_float_eq(within->median, rows[i].within / 2, 1e-8, "%s: median", rows[i].metric);
        cr_expect_float_eq(gpus->worst, rows[i].gpus, 1e-8, "%s: GPUs %.9g", rows[i].metric, gpus->worst);
        cr_expect_str_eq(within->worst_kernel, "a/noisy");
        cr_expect_eq(within->kernels, 2);
        cr_expect_eq(spread->parts[SPREAD_DAYS].kernels, 0, "one day tells nothing of days");
    }
}

/* Days differ, GPUs do not: GPU 0 and GPU 1 both have 10 and 12. */
Test(aa_noise, spread_between_days_is_that_on_one_gpu)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 4, 2, true));
    for (size_t i = 0; i < fixture.count; i++)
        aa_put(&fixture, i, "a/b", "share", i % 2 == 0 ? 10 : 12);
    const struct metric_spread *spread = spread_of(aa_analyse(&fixture), "share");
    cr_expect_float_eq(spread->parts[SPREAD_DAYS].worst, 1.41421356, 1e-8);
    cr_expect_eq(spread->parts[SPREAD_GPUS].worst, 0);
    cr_expect_eq(spread->parts[SPREAD_WITHIN].kernels, 0);
    cr_expect_eq(fixture.analysis.days, 4);
}

Test(aa_noise, exactness_is_admitted_by_readings_and_sessions)
{
    static const struct {
        size_t sessions, samples, admitted;
    } rows[] = {{3, 10, 1}, {3, 9, 0}, {2, 15, 0}, {30, 1, 1}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, rows[i].sessions, 100, false));
        const double samples[15] = {0};
        double wobbling[15];
        for (size_t k = 0; k < ARRAY_SIZE(wobbling); k++)
            wobbling[k] = 100;
        for (size_t session = 0; session < fixture.count; session++) {
            struct run *run = &fixture.runs[session];
            wobbling[0] = session == 1 ? 101 : 100; /* no median of a session shows it */
            row_add_session(result_add(run_add(run, "a/b"), "count"), samples, rows[i].samples);
            row_add_session(result_add(run_add(run, "a/c"), "count"), wobbling, rows[i].samples);
            row_add_session(result_add(run_add(run, "a/b"), "bytes"), samples, rows[i].samples);
            row_add_session(result_add(run_add(run, "a/c"), "bytes"), wobbling, rows[i].samples);
            row_add_session(result_add(run_add(run, "a/b"), "share"), samples, rows[i].samples);
        }
        const struct analysis *analysis = aa_analyse(&fixture);
        const struct exactness *count = exactness_of(analysis, "count");
        cr_assert_not_null(count);
        cr_expect_eq(count->kernels, 2, "row %zu", i);
        cr_expect_eq(count->repeat, 1, "row %zu", i);
        cr_expect_eq(count->admitted, rows[i].admitted, "row %zu: %zu", i, count->admitted);
        cr_expect_eq(count->readings, rows[i].sessions * rows[i].samples, "row %zu", i);
        cr_expect_eq(count->sessions, rows[i].sessions, "row %zu", i);
        cr_expect_eq(count->all_readings, 2 * rows[i].sessions * rows[i].samples, "row %zu", i);
        cr_assert_eq(count->nonrepeating_count, 1);
        cr_expect_str_eq(count->nonrepeating[0].kernel, "a/c");
        cr_expect_eq(count->nonrepeating[0].low, 100);
        cr_expect_eq(count->nonrepeating[0].high, 101);
        cr_expect_null(exactness_of(analysis, "bytes"), "steady, and does not repeat");
        cr_expect_not_null(exactness_of(analysis, "share"), "steady, but repeats");
    }
}

Test(aa_noise, detectable_changes_are_the_rules_and_sorted)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 4, 4, false));
    for (size_t i = 0; i < fixture.count; i++) {
        aa_put(&fixture, i, "a/quiet", "time", 100000);
        aa_put(&fixture, i, "a/noisy", "time", 100000 + 1000 * (double)i);
        aa_put(&fixture, i, "a/zero", "time", 0);
    }
    const struct analysis *analysis = aa_analyse(&fixture);
    cr_assert_eq(analysis->detectable_count, 2, "a share of nothing is none");
    cr_expect_str_eq(analysis->detectables[0].kernel, "a/noisy");
    cr_expect_str_eq(analysis->detectables[1].kernel, "a/quiet");
    cr_expect_eq(analysis->detectables[1].change, 2000); /* the smallest detectable change is the floor */
    struct quantiles quantiles = {0};
    const struct spread spread = {.mean = 101500, .deviation = 1290.99444873580563, .sessions = 4, .freedom = 3};
    cr_expect_float_eq(analysis->detectables[0].change, rule_detectable(&quantiles, 2030, &spread, 1), 1e-6);
}
