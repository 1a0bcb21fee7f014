/* Tests comparisons by cases (compare.txt says what their words mean), and by functions what those cannot say. */
#include "compare_cases.h"
#include "compare_support.h"

#define CASES_OF(suite)                                                                                                \
    Test(suite, cases)                                                                                                 \
    {                                                                                                                  \
        compare_cases("tests/unit/judge/" #suite ".txt");                                                              \
    }
CASES_OF(compare)
CASES_OF(judge_estimate)
CASES_OF(judge_program)
CASES_OF(judge_revise)
CASES_OF(judge_row)
CASES_OF(judge_sides)
CASES_OF(judge_suite)
CASES_OF(judge_toolchain)
CASES_OF(judge_waits)
CASES_OF(judge_weigh)

Test(compare, exit_codes_have_a_precedence)
{
    static const struct {
        size_t missing, regressed, unsure, new, improved;
        enum exit_code code;
    } rows[] = {
        {0, 0, 0, 0, 0, EXIT_SAME},      {0, 0, 0, 3, 4, EXIT_SAME},         {0, 0, 1, 3, 4, EXIT_UNSURE},
        {0, 1, 1, 0, 9, EXIT_REGRESSED}, {1, 9, 9, 9, 9, EXIT_NOT_MEASURED}, {0, 0, 0, 100, 0, EXIT_BASELINE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct comparison comparison = {
            .count = 100,
            .counts = {[VERDICT_MISSING] = rows[i].missing,
                       [VERDICT_REGRESSED] = rows[i].regressed,
                       [VERDICT_UNSURE] = rows[i].unsure,
                       [VERDICT_NEW] = rows[i].new,
                       [VERDICT_IMPROVED] = rows[i].improved},
        };
        cr_expect_eq(comparison_exit_code(&comparison), rows[i].code, "row %zu", i);
    }
}

Test(compare, hostile_values_yield_finite_verdicts)
{
    static const double values[] = {0, 1, 0x1p53, 0x1p63, 1.7e308};
    for (size_t b = 0; b < ARRAY_SIZE(values); b++)
        for (size_t n = 0; n < ARRAY_SIZE(values); n++) {
            static const char *const names[] = {"count", "share", "time"};
            AT_END(tear_down) struct fixture fixture = set_up();
            for (size_t m = 0; m < ARRAY_SIZE(names); m++) {
                put_each(&fixture, "a/b", names[m], values[b], values[n]);
            }
            const struct comparison *comparison = compare(&fixture);
            EACH(const struct judgement, judgement, comparison->list, comparison->count) {
                cr_expect(isfinite(judgement->change) && isfinite(judgement->limit));
                cr_expect_eq(judgement->verdict == VERDICT_SAME, fabs(judgement->change) <= judgement->limit);
            }
        }
}

Test(compare, every_verdict_has_a_name_of_its_own)
{
    for (int i = 0; i < VERDICTS; i++)
        for (int j = 0; j < i; j++)
            cr_expect_str_neq(verdict_name((enum verdict)i), verdict_name((enum verdict)j));
}

Test(compare, counts_of_another_compiler_s_code_are_told)
{
    static const struct {
        const char *was, *is, *base_code, *code;
        bool computed, other;
    } rows[] = {
        {"nvcc 1", "nvcc 2", "f00d", "beef", true, true},   {"nvcc 1", "nvcc 2", "f00d", "f00d", true, false},
        {"nvcc 1", "nvcc 1", "f00d", "beef", true, false},  {"nvcc 1", NULL, "f00d", "beef", true, false},
        {"nvcc 1", "nvcc 2", "f00d", "beef", false, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_fact(&fixture.base, SESSION_COLLECTOR, "cupti");
        put_fact(&fixture.run, SESSION_COLLECTOR, rows[i].computed ? "sim" : "cupti");
        set_text(&fixture.base.sessions[0].facts[SESSION_COMPILER], rows[i].was);
        set_text(&fixture.run.sessions[0].facts[SESSION_COMPILER], rows[i].is);
        put_each(&fixture, "a/b", "count", 7, 7);
        put_codes(&fixture, "a/b", rows[i].base_code, rows[i].code);
        const char *other = compare_other_counts(&fixture.base, run_find(&fixture.base, "a/b"), &fixture.run,
                                                 run_find(&fixture.run, "a/b"));
        cr_expect(rows[i].other ? other && strcmp(other, rows[i].is) == 0 : !other, "row %zu: %s", i, other);
        const struct judgement *whole = find(compare(&fixture), "a/b", "");
        cr_expect_eq(whole != NULL, rows[i].other, "row %zu", i);
        cr_expect(!whole || (whole->verdict == VERDICT_UNSURE && says(whole, "the baseline by nvcc 1")));
    }
}
