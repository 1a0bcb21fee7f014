#include "compare_support.h"
#include "test.h"

/* Makes kernels that take 100000 ns in ten sessions of the baseline, and longer by a factor in two of the run. */
static void put_suite(struct fixture *fixture, size_t kernels, double factor, const char *base_code,
                      const char *now_code)
{
    for (size_t i = 0; i < kernels; i++) {
        char id[32];
        snprintf(id, sizeof id, "%s/%02zu", base_code ? "coded" : "suite", i);
        put_sides(fixture, id, "time", 100000, 10, 100000 * factor, 2);
        put_codes(fixture, id, base_code, now_code);
    }
}

static bool near(double value, double expected)
{
    return fabs(value - expected) <= 1e-6 * fabs(expected);
}

Test(judge_suite, a_shift_of_the_suite_is_taken_off)
{
    static const struct {
        size_t kernels; /* number of kernels, besides one of unknown code that is slower by 3 % */
        double factor;
        double shift, taken;
        const char *code; /* of the kernels in the run; f00d in the baseline */
        enum verdict others, slower;
    } rows[] = {
        {12, 1.025, 0.025, 0.025, "f00d", VERDICT_SAME, VERDICT_SAME}, /* the slower one by 1.03 / 1.025 */
        {12, 0.99, -0.01, -0.01, "f00d", VERDICT_SAME, VERDICT_REGRESSED},
        {12, 1.005, 0.005, 0.005, "f00d", VERDICT_SAME, VERDICT_REGRESSED},
        {8, 1.025, 0, 0, "f00d", VERDICT_SAME, VERDICT_REGRESSED}, /* nine kernels are too few to know a shift */
        /* of other code: nobody knows whether it is the GPU's */
        {12, 1.029, 0.029, 0, "beef", VERDICT_UNSURE, VERDICT_UNSURE},
        {12, 0.971, -0.029, 0, "beef", VERDICT_UNSURE, VERDICT_REGRESSED},
        {12, 1.005, 0.005, 0, "beef", VERDICT_SAME, VERDICT_REGRESSED},
        {8, 1.029, 0, 0, "beef", VERDICT_REGRESSED, VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_suite(&fixture, rows[i].kernels, rows[i].factor, "f00d", rows[i].code);
        put_sides(&fixture, "x/slower", "time", 100000, 10, 103000, 2);
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *slower = find(comparison, "x/slower", "time"),
                               *other = find(comparison, "coded/00", "time");
        cr_assert_eq(comparison->suite_count, 1);
        cr_expect(near(comparison->suites[0].shift, rows[i].shift), "row %zu: %g", i, comparison->suites[0].shift);
        cr_expect_eq(other->verdict, rows[i].others, "row %zu: %s", i, verdict_name(other->verdict));
        cr_expect_eq(slower->verdict, rows[i].slower, "row %zu: %s", i, verdict_name(slower->verdict));
        cr_expect_eq(slower->change, 3000, "the change is the measured one");
        cr_expect(near(slower->drift, 103000 - 103000 / (1 + rows[i].taken)), "row %zu: %g", i, slower->drift);
    }
}

Test(judge_suite, a_suite_that_moved_is_one_verdict)
{
    static const struct {
        double factor;
        bool moved;
    } rows[] = {{1.1, true}, {0.9, true}, {1.031, true}, {1.029, false}, {0.971, false}, {0.969, true}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_suite(&fixture, 20, rows[i].factor, "f00d", "f00d");
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *suite = find(comparison, COMPARISON_SUITE, "time");
        cr_expect_eq(suite != NULL, rows[i].moved, "row %zu", i);
        cr_expect_eq(comparison->counts[VERDICT_REGRESSED], 0, "row %zu", i);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].moved ? EXIT_UNSURE : EXIT_SAME, "row %zu", i);
        if (suite) {
            cr_expect_eq(suite->verdict, VERDICT_UNSURE);
            cr_expect(says(suite, "20 kernels"), "%s", suite->reason);
        }
    }
}

/* Both halves of a pair ran on the GPU as it is, so its shift does not matter. */
Test(judge_suite, pairs_of_every_kernel_leave_nothing_to_the_suite)
{
    for (size_t paired = 19; paired <= 20; paired++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_suite(&fixture, 20, 1.1, NULL, NULL);
        for (size_t i = 0; i < paired; i++) {
            struct row *row = result_find(&fixture.run.results[i], "time");
            for (size_t n = 0; n < 4; n++)
                row_add_pair(row, 1000, 1000);
        }
        cr_expect_eq(comparison_exit_code(compare(&fixture)), paired == 20 ? EXIT_SAME : EXIT_UNSURE);
    }
}

/* If the code of most kernels changed, their shift is not the GPU's. */
Test(judge_suite, kernels_of_the_same_code_are_the_better_witnesses)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_suite(&fixture, 10, 1, "f00d", "f00d");
    put_suite(&fixture, 30, 1.1, NULL, NULL);
    const struct comparison *comparison = compare(&fixture);
    cr_expect_eq(comparison->suites[0].shift, 0);
    cr_expect_eq(comparison->suites[0].kernels, 10);
    cr_expect(comparison->suites[0].same_code);
    cr_expect_eq(comparison->counts[VERDICT_REGRESSED], 30);
}

/* Adds kernels that were measured on one of two GPUs, in a session of their own. */
static void put_on_gpu(struct fixture *fixture, const char *family, size_t kernels, double factor, size_t session)
{
    for (size_t i = 0; i < kernels; i++) {
        char id[32];
        snprintf(id, sizeof id, "%s/%02zu", family, i);
        put_sides(fixture, id, "time", 100000, 10, 100000 * factor, 1);
        put_codes(fixture, id, "f00d", "f00d");
        result_set_session(run_find(&fixture->run, id), session);
    }
}

static void put_two_gpus(struct fixture *fixture)
{
    put_fact(&fixture->run, SESSION_GPU_UUID, "GPU-1");
    put_fact(&fixture->run, SESSION_GPU_UUID, "GPU-2");
}

/* A shift of one GPU or its clock says nothing about kernels on another one. */
Test(judge_suite, each_gpu_of_a_run_has_a_shift_of_its_own)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_on_gpu(&fixture, "left", 12, 1, 0);
    put_on_gpu(&fixture, "right", 20, 1.025, 1);
    put_two_gpus(&fixture);
    const struct comparison *comparison = compare(&fixture);
    cr_assert_eq(comparison->suite_count, 2);
    cr_expect_str_eq(comparison->suites[0].gpu, "GPU-1");
    cr_expect_eq(comparison->suites[0].kernels, 12);
    cr_expect_eq(comparison->suites[0].shift, 0);
    cr_expect_eq(comparison->suites[1].kernels, 20);
    cr_expect(near(comparison->suites[1].shift, 0.025));
    cr_expect_eq(find(comparison, "right/00", "time")->verdict, VERDICT_SAME, "the GPU's own shift is taken off");
    cr_expect_eq(find(comparison, "left/00", "time")->verdict, VERDICT_SAME, "and not from kernels of another");
    cr_expect_eq(comparison_exit_code(comparison), EXIT_SAME);
}

Test(judge_suite, a_gpu_that_moved_leaves_the_kernels_of_another_to_be_judged)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_on_gpu(&fixture, "left", 12, 1, 0);
    put_on_gpu(&fixture, "right", 20, 1.1, 1);
    put_two_gpus(&fixture);
    put_sides(&fixture, "x/slower", "time", 100000, 10, 110000, 1);
    struct row *row = result_find(run_find(&fixture.run, "x/slower"), "time");
    row->sessions[0].session = 0;
    const struct comparison *comparison = compare(&fixture);
    const struct judgement *suite = find(comparison, COMPARISON_SUITE, "time");
    cr_assert_not_null(suite);
    cr_expect(says(suite, "on GPU-2") && says(suite, "20 kernels"), "%s", suite->reason);
    cr_expect(says(find(comparison, "right/00", "time"), "all kernels moved together"));
    const struct judgement *slower = find(comparison, "x/slower", "time");
    cr_expect(judgement_is_suspect(slower) && says(slower, "one session"), "%s", slower->reason);
}

/* Nine kernels on each GPU are too few to know its shift, although eighteen would do. */
Test(judge_suite, kernels_of_two_gpus_are_no_witnesses_for_each_other)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_on_gpu(&fixture, "left", RULE_DRIFT - 1, 1.1, 0);
    put_on_gpu(&fixture, "right", RULE_DRIFT - 1, 1.1, 1);
    put_two_gpus(&fixture);
    const struct comparison *comparison = compare(&fixture);
    cr_expect_null(find(comparison, COMPARISON_SUITE, "time"));
    cr_expect_eq(find(comparison, "left/00", "time")->drift, 0);
    cr_expect(judgement_is_suspect(find(comparison, "left/00", "time")));
}

/* Two sessions on one GPU share one shift. */
Test(judge_suite, sessions_of_one_gpu_are_one_suite)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_suite(&fixture, 12, 1.025, NULL, NULL);
    for (int i = 0; i < 2; i++)
        put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-1");
    const struct comparison *comparison = compare(&fixture);
    cr_assert_eq(comparison->suite_count, 1);
    cr_expect_not(comparison->suites[0].one_of_several);
    cr_expect_eq(comparison->suites[0].kernels, 12);
}
