#include "made_runs.h"
#include "test.h"

/* Files with machine code made from data/small.cu, so no compiler is needed. library.so is for 8.0 and 9.0,
 * cuda12.cubin for 8.0 only, other.fatbin for both but without two of the three functions. */
#define CORPUS "tests/fuzz/corpus/cubin/"

static struct made_check check; /* each test has a process of its own */

static void set_up(void)
{
    made_check_begin(&check);
    check.options.kernels = CORPUS "library.so";
    check.options.way = ORIGIN_CODE;
    check.options.verbose = true;
}

DO(tear_down(void), made_check_end(&check));

TestSuite(check_static, .init = set_up, .fini = tear_down);

static void add_kernel(struct run *run, const char *id, const char *function)
{
    struct result *result = run_add(run, id);
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.function = x_strdup(function), .grid = {8, 1, 1}, .block = {256, 1, 1}, .times = 1};
    row_add_session(result_add(result, "time"), &(double){20000}, 1);
}

/* Makes the baseline of a GPU: the facts in library.so, a time, and `local_bytes` for small/stacked. */
static void accept(const char *gpu, const char *capability, double local_bytes)
{
    OWNED(metrics) metrics;
    OWNED(run) run = {.device = {.name = x_strdup(gpu), .compute_capability = x_strdup(capability), .sm_count = 8}};
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    session->facts[SESSION_DATE] = x_strdup("2026-11-21T08:00:00.000Z");
    session->facts[SESSION_COLLECTOR] = x_strdup("cupti");
    add_kernel(&run, "small/plain", "plain(float*)");
    add_kernel(&run, "small/bounded", "(anonymous namespace)::bounded(float const*, float*)");
    add_kernel(&run, "small/stacked", "stacked(float const*, float*, int)");
    run_note_metrics(&run, &metrics);
    cr_assert_eq(static_facts_add(&run, CORPUS "library.so", &metrics), 0);
    struct row *row = result_find(run_find(&run, "small/stacked"), "local_memory");
    row_clear(row);
    row_add_session(row, &local_bytes, 1);

    cr_assert_eq(run_write_file(&run, check.save), 0);
    made_accept_file(check.baselines, "metrics", check.save);
}

Test(check_static, a_spill_is_a_regression)
{
    accept("Some GPU", "9.0", 0);
    made_check_run(&check);
    cr_expect_eq(check.code, EXIT_REGRESSED, "%s%s", check.said, check.printed);
    expect_word(check.printed, "regressed: 1 of 9 rows in 1 of 3 kernels");

    char *globs[] = {x_strdup("small/[pb]*")};
    check.options.globs = globs;
    check.options.glob_count = 1;
    made_check_run(&check);
    cr_expect_eq(check.code, EXIT_SAME, "%s%s", check.said, check.printed);
    free(globs[0]);
}

Test(check_static, a_function_that_is_gone_fails)
{
    accept("Some GPU", "9.0", 96);
    check.options.kernels = CORPUS "other.fatbin";
    made_check_run(&check);
    cr_expect_eq(check.code, EXIT_NOT_MEASURED, "%s%s", check.said, check.printed);
    expect_word(check.printed, "missing: 2 of ");
}

Test(check_static, which_baseline_is_meant)
{
    static const struct {
        const char *gpu, *kernels;
        int code;
        const char *said, *printed;
    } cases[] = {
        {NULL, CORPUS "library.so", EXIT_USAGE, "2 baselines fit the machine code in ", ""},
        {NULL, CORPUS "library.so", EXIT_USAGE, "new-gpu, old-gpu; choose one: --static=NAME", ""},
        {"old-gpu", CORPUS "library.so", EXIT_SAME, "", "Old GPU"},
        {"new-gpu", CORPUS "library.so", EXIT_SAME, "", "New GPU"},
        {NULL, CORPUS "cuda12.cubin", EXIT_SAME, "", "Old GPU"},
        {"new-gpu", CORPUS "cuda12.cubin", EXIT_NOT_MEASURED, "has no machine code for New GPU", ""},
        {"a-gpu", CORPUS "library.so", EXIT_BASELINE, "no baseline 'a-gpu' in ", ""},
        {NULL, "tests/data/small.cu", EXIT_USAGE, "", ""},
    };
    accept("Old GPU", "8.0", 96);
    accept("New GPU", "9.0", 96);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check.options.gpu = cases[i].gpu;
        check.options.kernels = cases[i].kernels;
        made_check_run(&check);
        cr_expect_eq(check.code, cases[i].code, "case %zu: %d, %s", i, check.code, check.said);
        expect_word(check.said, cases[i].said);
        expect_word(check.printed, cases[i].printed);
        cr_expect_eq(*check.printed == '\0', *cases[i].printed == '\0', "case %zu: %s", i, check.printed);
    }
}

Test(check_static, no_baseline_that_fits)
{
    made_check_run(&check);
    cr_expect_eq(check.code, EXIT_BASELINE);
    expect_word(check.said, "it has none");

    accept("Older GPU", "7.5", 96);
    made_check_run(&check);
    cr_expect_eq(check.code, EXIT_BASELINE);
    expect_word(check.said, "it has older-gpu");
}

Test(check_static, a_library_without_machine_code)
{
    OWNED_TEXT folder = program_folder();
    OWNED_TEXT library = x_sprintf("%s/libother.so", folder);
    check.options.kernels = library;
    made_check_run(&check);
    cr_expect_eq(check.code, EXIT_USAGE);
    expect_word(check.said, "libother.so contains no readable machine code");
}
