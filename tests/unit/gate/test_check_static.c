#include "command/command.h"
#include "cubin/static_facts.h"
#include "made_runs.h"
#include "test.h"

/* Files with machine code made from data/small.cu, so no compiler is needed. library.so is for 8.0 and 9.0,
 * cuda12.cubin for 8.0 only, other.fatbin for both but without two of the three functions. */
#define CORPUS "tests/fuzz/corpus/cubin/"

static struct {
    char *folder, *baselines, *report;
    struct options options;
    int code;
    char *said;    /* what was printed to standard error */
    char *printed; /* the report as it was printed */
} fixture;         /* each test has a process of its own */

static void set_up(void)
{
    fixture.folder = scratch_make();
    fixture.baselines = x_sprintf("%s/baselines", fixture.folder);
    fixture.report = x_sprintf("%s/report.txt", fixture.folder);
    fixture.options = (struct options){
        .kernels = CORPUS "library.so",
        .metrics = "metrics",
        .baselines = fixture.baselines,
        .output = fixture.report,
        .format = "text",
        .collector = "cupti",
        .timeout = 60,
        .way = ORIGIN_CODE,
        .verbose = true,
    };
}

static void tear_down(void)
{
    free(fixture.said);
    free(fixture.printed);
    free(fixture.baselines);
    free(fixture.report);
    scratch_remove(fixture.folder);
}

TestSuite(check_static, .init = set_up, .fini = tear_down);

static void check(void)
{
    free(fixture.said);
    free(fixture.printed);
    remove(fixture.report);
    capture_begin();
    fixture.code = command_check.run(&fixture.options);
    fixture.said = capture_end();
    fixture.printed = file_text(fixture.report);
}

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

    OWNED_TEXT path = x_sprintf("%s/run.json", fixture.folder);
    cr_assert_eq(run_write_file(&run, path), 0);
    made_accept_file(fixture.baselines, "metrics", path);
}

Test(check_static, the_same_code_is_same)
{
    accept("Some GPU", "9.0", 96);
    check();
    cr_expect_eq(fixture.code, EXIT_SAME, "%s%s", fixture.said, fixture.printed);
    expect_words(fixture.printed, "NO KERNEL WAS RUN", "nothing is worse: 9 rows in 3 kernels");
    /* such as the time, which static checks lack */
    cr_expect_null(strstr(fixture.printed, "missing"), "%s", fixture.printed);
}

Test(check_static, a_spill_is_a_regression)
{
    accept("Some GPU", "9.0", 0);
    check();
    cr_expect_eq(fixture.code, EXIT_REGRESSED, "%s%s", fixture.said, fixture.printed);
    expect_word(fixture.printed, "regressed: 1 of 9 rows in 1 of 3 kernels");

    char *globs[] = {x_strdup("small/[pb]*")};
    fixture.options.globs = globs;
    fixture.options.glob_count = 1;
    check();
    cr_expect_eq(fixture.code, EXIT_SAME, "%s%s", fixture.said, fixture.printed);
    free(globs[0]);
}

Test(check_static, a_function_that_is_gone_fails)
{
    accept("Some GPU", "9.0", 96);
    fixture.options.kernels = CORPUS "other.fatbin";
    check();
    cr_expect_eq(fixture.code, EXIT_NOT_MEASURED, "%s%s", fixture.said, fixture.printed);
    expect_word(fixture.printed, "missing: 2 of ");
}

Test(check_static, which_baseline_is_meant)
{
    static const struct {
        const char *gpu, *kernels;
        int code;
        const char *said, *printed;
    } cases[] = {
        {NULL, CORPUS "library.so", EXIT_USAGE, "2 baselines fit the machine code in ", ""},
        {NULL, CORPUS "library.so", EXIT_USAGE, "new-gpu, old-gpu; choose one with --static=NAME", ""},
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
        fixture.options.gpu = cases[i].gpu;
        fixture.options.kernels = cases[i].kernels;
        check();
        cr_expect_eq(fixture.code, cases[i].code, "case %zu: %d, %s", i, fixture.code, fixture.said);
        expect_word(fixture.said, cases[i].said);
        expect_word(fixture.printed, cases[i].printed);
        cr_expect_eq(*fixture.printed == '\0', *cases[i].printed == '\0', "case %zu: %s", i, fixture.printed);
    }
}

Test(check_static, no_baseline_that_fits)
{
    check();
    cr_expect_eq(fixture.code, EXIT_BASELINE);
    expect_word(fixture.said, "it has none");

    accept("Older GPU", "7.5", 96);
    check();
    cr_expect_eq(fixture.code, EXIT_BASELINE);
    expect_word(fixture.said, "it has older-gpu");
}

Test(check_static, a_library_without_machine_code)
{
    OWNED_TEXT folder = program_folder();
    OWNED_TEXT library = x_sprintf("%s/libother.so", folder);
    fixture.options.kernels = library;
    check();
    cr_expect_eq(fixture.code, EXIT_USAGE);
    expect_word(fixture.said, "libother.so contains no readable machine code");
}
