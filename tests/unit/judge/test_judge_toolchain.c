#include "compare_support.h"
#include "test.h"

enum { NO_PAIRS, SLOWER, ALIKE, FASTER, FEW };

static void put_pairs(struct run *run, int how)
{
    static const double head[] = {[SLOWER] = 110000, [ALIKE] = 100100, [FASTER] = 90000, [FEW] = 110000};
    struct row *time = result_find(run_find(run, "a/b"), "time");
    for (size_t pair = 0; how != NO_PAIRS && pair < (how == FEW ? 2 : RULE_PAIR_COUNT); pair++)
        row_add_pair(time, 100000, head[how]);
}

Test(judge_toolchain, the_time_of_another_compiler_s_code_decides)
{
    static const struct {
        const char *was, *is, *code; /* the baseline's code is f00d */
        int pairs;
        enum verdict count, ceiling;
        enum exit_code exit;
    } rows[] = {
        {"nvcc 1", "nvcc 2", "beef", ALIKE, VERDICT_TRADED, VERDICT_TRADED, EXIT_SAME},
        {"nvcc 1", "nvcc 2", "beef", FASTER, VERDICT_TRADED, VERDICT_TRADED, EXIT_SAME},
        {"nvcc 1", "nvcc 2", "beef", SLOWER, VERDICT_REGRESSED, VERDICT_UNSURE, EXIT_REGRESSED},
        {"nvcc 1", "nvcc 2", "beef", FEW, VERDICT_UNSURE, VERDICT_UNSURE, EXIT_UNSURE},
        {"nvcc 1", "nvcc 2", "beef", NO_PAIRS, VERDICT_UNSURE, VERDICT_UNSURE, EXIT_UNSURE},
        /* one compiler made both, or it is not known that there are two */
        {"nvcc 1", "nvcc 1", "beef", ALIKE, VERDICT_REGRESSED, VERDICT_REGRESSED, EXIT_REGRESSED},
        {NULL, "nvcc 2", "beef", ALIKE, VERDICT_REGRESSED, VERDICT_REGRESSED, EXIT_REGRESSED},
        {"nvcc 1", NULL, "beef", ALIKE, VERDICT_REGRESSED, VERDICT_REGRESSED, EXIT_REGRESSED},
        /* both made the same code: its arguments are others */
        {"nvcc 1", "nvcc 2", "f00d", ALIKE, VERDICT_REGRESSED, VERDICT_UNSURE, EXIT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "time", 100000, 10, 100000, 2);
        put_sides(&fixture, "a/b", "count", 1000, 3, 1004, 2);
        put_sides(&fixture, "a/b", "ceiling", 100, 3, 50, 2);
        put_codes(&fixture, "a/b", "f00d", rows[i].code);
        put_fact(&fixture.base, SESSION_COMPILER, rows[i].was);
        put_fact(&fixture.run, SESSION_COMPILER, rows[i].is);
        put_pairs(&fixture.run, rows[i].pairs);
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *count = find(comparison, "a/b", "count");
        cr_expect_eq(count->verdict, rows[i].count, "row %zu: %s", i, verdict_name(count->verdict));
        cr_expect_eq(says(count, "nvcc 1 -> nvcc 2"), rows[i].count != VERDICT_REGRESSED, "row %zu", i);
        const struct judgement *ceiling = find(comparison, "a/b", "ceiling");
        cr_expect_eq(ceiling->verdict, rows[i].ceiling, "row %zu: %s", i, verdict_name(ceiling->verdict));
        cr_expect_eq(comparison_exit_code(comparison), rows[i].exit, "row %zu", i);
    }
}

/* Without a GPU there is no time. A base build that was computed, too, stands in for the baseline. */
Test(judge_toolchain, without_a_time_a_count_decides_that_moved_by_much)
{
    static const struct {
        double base, now;
        const char *is; /* the base build is of nvcc 1 */
        enum verdict count;
    } rows[] = {
        {1000, 1050, "nvcc 2", VERDICT_TRADED},    {1000, 1051, "nvcc 2", VERDICT_REGRESSED},
        {0, 1, "nvcc 2", VERDICT_REGRESSED},       {1000, 900, "nvcc 2", VERDICT_IMPROVED},
        {1000, 1004, "nvcc 1", VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_each(&fixture, "a/b", "count", rows[i].base, rows[i].now);
        put_codes(&fixture, "a/b", "f00d", "beef");
        put_fact(&fixture.base, SESSION_COLLECTOR, "sim");
        put_fact(&fixture.run, SESSION_COLLECTOR, "sim");
        fixture.base.sessions[0].facts[SESSION_COMPILER] = strdup("nvcc 1");
        fixture.run.sessions[0].facts[SESSION_COMPILER] = strdup(rows[i].is);
        result_find(run_find(&fixture.base, "a/b"), "count")->from_base_build = true;
        expect_verdict(&fixture, "a/b", "count", rows[i].count, i);
    }
}

/* A program's kernels are of several compilers, and its packages and libraries make or hold them. */
Test(judge_toolchain, of_a_program_what_makes_its_kernels_counts)
{
    static const struct {
        const char *was, *is, *libraries_were, *libraries_are;
        const char *words; /* NULL: the same toolchain */
    } rows[] = {
        {"ptxas 12, ptxas 13", "ptxas 12, ptxas 14", NULL, NULL, "ptxas 12, ptxas 13 -> ptxas 12, ptxas 14"},
        {"ptxas 13", "ptxas 12, ptxas 13", NULL, NULL, NULL}, /* a kernel of Triton is new */
        {"ptxas 12, ptxas 13", "ptxas 13", NULL, NULL, NULL},
        {"ptxas 1", "ptxas 13", NULL, NULL, "ptxas 1 -> ptxas 13"},
        {NULL, NULL, "triton 3.6.0", "triton 3.7.0", "triton 3.6.0 -> triton 3.7.0"},
        {NULL, NULL, "libcublasLt.so.13.0.2 22; mine 1", "libcublasLt.so.13.1.0 22; mine 1",
         "libcublasLt.so.13.0.2 -> libcublasLt.so.13.1.0"},
        {NULL, NULL, "mine 1; triton 3.6.0", "mine 2; triton 3.6.0", NULL}, /* the user's own */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "count", 1000, 3, 1004, 2);
        put_codes(&fixture, "a/b", "f00d", "beef");
        put_fact(&fixture.base, SESSION_COMPILER, rows[i].was);
        put_fact(&fixture.run, SESSION_COMPILER, rows[i].is);
        if (rows[i].libraries_were) {
            fixture.base.sessions[0].facts[SESSION_LIBRARIES] = strdup(rows[i].libraries_were);
            fixture.run.sessions[0].facts[SESSION_LIBRARIES] = strdup(rows[i].libraries_are);
        }
        const struct judgement *count = find(compare(&fixture), "a/b", "count");
        cr_expect_eq(count->verdict, rows[i].words ? VERDICT_UNSURE : VERDICT_REGRESSED, "row %zu: %s", i,
                     verdict_name(count->verdict));
        cr_expect(!rows[i].words || says(count, rows[i].words), "row %zu: %s", i, count->reason);
    }
}
