#include "cubin_support.h"
#include "test.h"
#include "worker/library_read.h"

#define SMALL "tests/fuzz/corpus/cubin/small.fatbin"
#define OTHER "tests/fuzz/corpus/cubin/other.fatbin"

#define BOUNDED "(anonymous namespace)::bounded(float const*, float*)"
#define PLAIN "plain(float*)"
#define STACKED "stacked(float const*, float*, int)"

struct fixture {
    struct metrics metrics;
    struct run run;
};

static void set_up(struct fixture *fixture, const char *capability)
{
    *fixture = (struct fixture){0};
    cr_assert_eq(metrics_read_folder(&fixture->metrics, "metrics"), 0);
    fixture->run.device = (struct device){.name = x_strdup("GPU"), .compute_capability = x_strdup(capability)};
}

static void tear_down(struct fixture *fixture)
{
    run_release(&fixture->run);
    metrics_release(&fixture->metrics);
}

static struct result *add_launch(struct run *run, const char *id, const char *function, unsigned threads,
                                 unsigned shared)
{
    struct result *result = run_add(run, id);
    struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
    *launch = (struct launch){
        .function = x_strdup(function), .grid = {1, 1, 1}, .block = {threads, 1, 1}, .shared = shared, .times = 1};
    return result;
}

static void expect_facts(const struct run *run, const char *id, double occupancy, double local, double registers,
                         double shared)
{
    expect_fact(run, id, "theoretical_occupancy", occupancy);
    expect_fact(run, id, "local_memory", local);
    expect_fact(run, id, "registers", registers);
    expect_fact(run, id, "shared_memory", shared);
}

static const char *code_of(const struct run *run, const char *id, size_t launch)
{
    return run_find(run, id)->launches[launch].code;
}

Test(static_facts, facts_are_those_of_the_launches)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "9.0"));
    struct run *run = &fixture.run;
    add_launch(run, "one/plain", PLAIN, 32, 0);
    add_launch(run, "one/plain_large", PLAIN, 256, 0);
    add_launch(run, "one/plain_shared", PLAIN, 256, 115712);
    add_launch(run, "one/bounded", BOUNDED, 256, 2048);
    add_launch(run, "one/too_large", BOUNDED, 512, 0);
    /* Of two launches the maximum of each resource counts, and the minimum of occupancy, in either order. */
    add_launch(run, "two/launches", STACKED, 256, 0);
    add_launch(run, "two/launches", PLAIN, 32, 512);
    add_launch(run, "two/launches", BOUNDED, 256, 0);
    run_add(run, "copy/only");
    for (int again = 0; again < 2; again++) {
        cr_assert_eq(static_facts_add(run, SMALL, &fixture.metrics), 0);
        expect_facts(run, "one/plain", 50, 0, 10, 0);
        expect_facts(run, "one/plain_large", 100, 0, 10, 0);
        expect_facts(run, "one/plain_shared", 25, 0, 10, 115712);
        expect_facts(run, "one/bounded", 100, 0, 12, 3072);
        expect_facts(run, "one/too_large", 0, 0, 12, 1024);
        expect_facts(run, "two/launches", 50, 96, 32, 1024);
        expect_facts(run, "copy/only", -2, -2, -2, -2);
    }
    cr_expect_str_eq(code_of(run, "one/plain", 0), code_of(run, "two/launches", 1));
    cr_expect_str_neq(code_of(run, "one/plain", 0), code_of(run, "one/bounded", 0));
    cr_expect_eq(run_find(run, "one/plain")->row_count, 5);
}

/* As in a run of a program, whose processes say which code each launch has. */
Test(static_facts, launches_that_hold_their_code_need_no_library)
{
    static const char *const ids[] = {"one/plain_large", "one/bounded", "two/launches"};
    static const char *const functions[][2] = {{PLAIN}, {BOUNDED}, {STACKED, PLAIN}};
    AT_END(tear_down) struct fixture fixture;
    OWNED(cubin) cubin;
    enum cubin_status status;
    set_up(&fixture, "9.0");
    cr_assert_eq(cubin_read(&cubin, SMALL), 0);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        struct result *result = NULL;
        for (size_t k = 0; k < 2 && functions[i][k]; k++)
            result = add_launch(&fixture.run, ids[i], functions[i][k], 256, 0);
        for (size_t k = 0; k < result->launch_count; k++)
            static_facts_set_code(&result->launches[k], cubin_find(&cubin, result->launches[k].function, 90, &status));
        static_facts_of_launches(result, 90, 132, &fixture.metrics, false);
    }
    expect_facts(&fixture.run, "one/plain_large", 100, 0, 10, 0);
    expect_facts(&fixture.run, "one/bounded", 100, 0, 12, 1024);
    expect_facts(&fixture.run, "two/launches", 100, 96, 32, 0);

    /* If nothing is known about one launch, the kernel has no facts. */
    struct result *result = run_find(&fixture.run, "two/launches");
    static_facts_set_code(&result->launches[1], NULL);
    cr_expect_null(result->launches[1].code);
    static_facts_of_launches(result, 90, 132, &fixture.metrics, false);
    expect_facts(&fixture.run, "two/launches", -1, -1, -1, -1);
}

Test(static_facts, what_cannot_be_known_is_not_supported)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "9.0"));
    struct run *run = &fixture.run;
    add_launch(run, "some/ours", PLAIN, 256, 0);
    add_launch(run, "some/theirs", "cublas_kernel", 256, 0);
    add_launch(run, "some/mixed", PLAIN, 256, 0);
    add_launch(run, "some/mixed", "cublas_kernel", 256, 0);
    struct result *failed = add_launch(run, "some/failed", PLAIN, 256, 0);
    failed->status = RESULT_FAILED;
    cr_assert_eq(static_facts_add(run, SMALL, &fixture.metrics), 0);
    expect_facts(run, "some/ours", 100, 0, 10, 0);
    expect_facts(run, "some/theirs", -1, -1, -1, -1);
    expect_facts(run, "some/mixed", -1, -1, -1, -1);
    cr_expect_null(code_of(run, "some/theirs", 0));
    cr_expect_not_null(code_of(run, "some/mixed", 0));
    cr_expect_null(code_of(run, "some/mixed", 1));
    cr_expect_eq(run_find(run, "some/failed")->row_count, 0);
}

/* Code of an older GPU with the same major number runs. Its occupancy is known where the GPU's limits are. */
Test(static_facts, the_gpu_decides_which_code_and_which_limits)
{
    static const struct {
        const char *capability;
        double occupancy, registers;
    } cases[] = {
        {"8.0", 100, 8},  {"8.6", 100, 8},  {"8.8", -1, 8}, {"9.0", 100, 10}, {"7.5", -1, -1},
        {"10.0", -1, -1}, {"none", -1, -1}, {"9", -1, -1},  {"9.0a", -1, -1}, {"", -1, -1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, cases[i].capability));
        add_launch(&fixture.run, "a/b", PLAIN, 256, 0);
        cr_assert_eq(static_facts_add(&fixture.run, SMALL, &fixture.metrics), 0);
        expect_fact(&fixture.run, "a/b", "theoretical_occupancy", cases[i].occupancy);
        expect_fact(&fixture.run, "a/b", "registers", cases[i].registers);
        cr_expect_eq(code_of(&fixture.run, "a/b", 0) != NULL, cases[i].registers > 0, "%s", cases[i].capability);
    }
}

/* Writes two fatbins one after the other, so plain() is there twice and differs. Caller frees the path. */
static char *both_files(const char *folder)
{
    char *path = x_sprintf("%s/both.fatbin", folder);
    size_t first, second;
    OWNED_TEXT bytes = bytes_of(SMALL, &first), *more = bytes_of(OTHER, &second);
    bytes = x_realloc(bytes, first + second, 1);
    memcpy(bytes + first, more, second);
    write_bytes(path, bytes, first + second);
    return path;
}

Test(static_facts, two_functions_of_one_name_are_none)
{
    char *folder = scratch_make();
    OWNED_TEXT path = both_files(folder);
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "9.0"));
    add_launch(&fixture.run, "a/unclear", PLAIN, 256, 0);
    add_launch(&fixture.run, "a/clear", BOUNDED, 256, 0);
    HEAR(result, static_facts_add(&fixture.run, path, &fixture.metrics));
    cr_assert_eq(result, 0);
    expect_facts(&fixture.run, "a/unclear", -1, -1, -1, -1);
    expect_facts(&fixture.run, "a/clear", 100, 0, 12, 1024);
    cr_expect_null(code_of(&fixture.run, "a/unclear", 0));
    cr_expect(strstr(said, "a/unclear") && strstr(said, "several functions with this name") && strstr(said, PLAIN),
              "%s", said);
    scratch_remove(folder);
}

Test(static_facts, a_library_without_machine_code_knows_nothing_and_no_library_is_an_error)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "9.0"));
    add_launch(&fixture.run, "a/b", PLAIN, 256, 0);
    OWNED_TEXT folder = program_folder();
    OWNED_TEXT path = x_sprintf("%s/libtables.so", folder);
    cr_expect_eq(static_facts_add(&fixture.run, path, &fixture.metrics), 0);
    expect_facts(&fixture.run, "a/b", -1, -1, -1, -1);
    cr_expect_eq(static_facts_add(&fixture.run, "tests/no_such_file.so", &fixture.metrics), -1);
    struct run run;
    const struct library_facts facts = {0};
    cr_expect_eq(static_facts_run(&run, &fixture.run, "tests/no_such_file.so", &facts, &fixture.metrics), -1);
    cr_expect_eq(run.session_count, 0);
}

/* No more warps are active than fit, so occupancy measured on a GPU is at most the theoretical one computed without. */
Test(static_facts, achieved_occupancy_stays_below_the_theoretical)
{
    AT_END(tear_down) struct fixture fixture = {0};
    cr_assert_eq(metrics_read_folder(&fixture.metrics, "metrics"), 0);
    cr_assert_eq(run_read(&fixture.run, "tests/data/recorded-nvidia-h200.json"), 0);
    OWNED_TEXT folder = program_folder();
    OWNED_TEXT path = x_sprintf("%s/../libkernels.so", folder);
    cr_assert_eq(static_facts_add(&fixture.run, path, &fixture.metrics), 0);
    size_t compared = 0, filled = 0;
    EACH(const struct result, result, fixture.run.results, fixture.run.result_count) {
        const struct row *achieved = result_find(result, "achieved_occupancy");
        const struct row *theoretical = result_find(result, "theoretical_occupancy");
        cr_assert(achieved && theoretical, "%s", result->id);
        if (theoretical->state != VALUE_MEASURED || achieved->state != VALUE_MEASURED)
            continue;
        /* Of several launches the one with the lowest occupancy decides, even if it takes little time. */
        const double max = row_value(theoretical);
        if (result->launch_count == 1)
            cr_expect_leq(row_value(achieved), max, "%s: %g %% of %g %%", result->id, row_value(achieved), max);
        filled += row_value(achieved) > 0.9 * max;
        compared++;
    }
    if (compared == 0)
        cr_skip_test("the kernel library is for other GPUs than the recording");
    cr_expect_geq(compared, 58);
    cr_expect_geq(filled, compared / 3, "%zu of %zu come near", filled, compared);
}

/* ---- A run without a GPU ---- */

static void make_baseline(struct fixture *fixture)
{
    set_up(fixture, "9.0");
    struct run *run = &fixture->run;
    add_launch(run, "a/plain", PLAIN, 256, 0);
    add_launch(run, "a/bounded", BOUNDED, 256, 0);
    add_launch(run, "a/theirs", "cublas_kernel", 256, 0);
    run_add(run, "copy/only");
    cr_assert_eq(static_facts_add(run, SMALL, &fixture->metrics), 0);
    run_find(run, "a/plain")->bytes = 4096;
}

Test(static_facts, a_static_run_repeats_the_baseline_s_launches_with_the_facts_of_another_library)
{
    AT_END(tear_down) struct fixture fixture;
    make_baseline(&fixture);
    OWNED(run) run;
    const struct library_facts facts = {.compiler = "nvcc 13.0.88"};
    cr_assert_eq(static_facts_run(&run, &fixture.run, OTHER, &facts, &fixture.metrics), 0);

    char difference[256];
    device_difference(&run.device, &fixture.run.device, difference, sizeof difference);
    cr_expect_str_eq(difference, "");
    cr_assert_eq(run.result_count, 4);
    cr_expect_eq(run_find(&run, "a/plain")->bytes, 4096);
    expect_facts(&run, "a/plain", 100, 0, 10, 0);
    cr_expect_not_null(code_of(&run, "a/plain", 0));
    cr_expect_str_neq(code_of(&run, "a/plain", 0), code_of(&fixture.run, "a/plain", 0));
    expect_facts(&run, "a/theirs", -1, -1, -1, -1);
    expect_facts(&run, "copy/only", -2, -2, -2, -2);
    cr_expect_not_null(run_find_note(&run, "registers"));

    const struct result *gone = run_find(&run, "a/bounded");
    cr_expect_eq(gone->status, RESULT_FAILED);
    cr_expect_eq(gone->row_count, 0);
    cr_expect(strstr(gone->reason, "no machine code for this function") && strstr(gone->reason, BOUNDED), "%s",
              gone->reason);

    cr_assert_eq(run.session_count, 1);
    cr_expect_str_eq(run.sessions[0].facts[SESSION_COMPILER], "nvcc 13.0.88");
    cr_expect_null(run.sessions[0].facts[SESSION_FLAGS]);
}
