#include "capsule/made_device.h"
#include "test.h"
#include "worker/open_kernel.h"

/* ---- A kernel of a library that records each call, and fails at one of them ---- */

static char calls[64];
static size_t call_count, call_that_fails;
static int state;

/* Between calls of the library the worker has the default rounding, and the library its own. */
static int called(const void *at, char what)
{
    static int mode = FE_TONEAREST;
    cr_expect_eq(fegetround(), mode, "at '%c'", what);
    fesetround(mode = FE_UPWARD);
    cr_expect(!at || at == &state, "'%c' of another state", what);
    calls[call_count++] = what;
    calls[call_count] = '\0';
    return call_count - 1 == call_that_fails ? 7 : 0;
}

static int open_family(const struct cugate_family *self, void **opened)
{
    (void)self;
    *opened = &state;
    return called(NULL, 'o');
}

static int restore(void *at)
{
    return called(at, 'r');
}

static int launch(void *at)
{
    return called(at, 'l');
}

static int synchronize(void)
{
    return called(NULL, 's');
}

static int verify(void *at, const struct cugate_variant *variant, char *why, size_t why_size)
{
    (void)variant;
    if (call_that_fails == 100) {
        snprintf(why, why_size, "42 is right, it has 41");
        return CUGATE_WRONG;
    }
    return called(at, 'v');
}

DO(close_family(void *at), called(at, 'c'));

static const char *error_text(int code)
{
    return code == 7 ? "made-up error" : "another";
}

static const struct cugate_library table = {.synchronize = synchronize, .error_text = error_text};
static const struct cugate_variant variant = {.name = "variant", .launch = launch};
static const struct cugate_family family = {
    .name = "family", .open = open_family, .restore = restore, .verify = verify, .close = close_family};
static struct library library = {.table = &table};
static const struct kernel kernel = {.id = (char[]){"family/variant"}, .family = &family, .variant = &variant};

/* Runs all steps until one fails. */
static int run_whole(size_t failing, struct problem *problem)
{
    struct open_kernel open = {.library = &library, .kernel = &kernel};
    const struct workload workload = workload_of_kernel(&open);
    void *opened;
    cr_expect_str_eq(workload.id, "family/variant");
    call_count = 0;
    call_that_fails = failing;
    if (group_open(&kernel, &table, &opened, problem) < 0 || kernel_open(&open, opened, problem) < 0 ||
        workload_restore(&workload, problem) < 0 || workload_wait(&workload, problem) < 0 ||
        workload_run(&workload, problem) < 0 || kernel_verify(&open, problem) != RESULT_OK)
        return -1;
    kernel_close(&open);
    group_close(&kernel, opened);
    cr_expect_eq(fegetround(), FE_TONEAREST);
    return 0;
}

Test(open_kernel, a_kernel_of_a_library_is_what_its_family_does)
{
    struct problem problem = {0};
    cr_expect_eq(run_whole(sizeof calls, &problem), 0);
    cr_expect_str_eq(calls, "orslsvc");
}

Test(open_kernel, the_call_that_failed_is_named_in_the_library_s_words)
{
    static const struct {
        const char *calls, *problem;
    } cases[] = {
        {"o", "open: made-up error"},       {"or", "restore: made-up error"},   {"ors", "restore: made-up error"},
        {"orsls", "launch: made-up error"}, {"orsls", "kernel: made-up error"}, {"orslsv", "verify: made-up error"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct problem problem = {0};
        cr_expect_eq(run_whole(i, &problem), -1, "case %zu", i);
        cr_expect_str_eq(calls, cases[i].calls);
        cr_expect_str_eq(problem.text, cases[i].problem);
    }
}

Test(open_kernel, a_wrong_output_is_no_failure)
{
    struct open_kernel open = {.library = &library, .kernel = &kernel, .state = &state};
    struct problem problem = {0};
    call_that_fails = 100;
    cr_expect_eq(kernel_verify(&open, &problem), RESULT_WRONG);
    cr_expect_str_eq(problem.text, "42 is right, it has 41");
}

Test(open_kernel, kernels_that_only_copy_are_transfers)
{
    const struct kernel copy = {.id = (char[]){"copies/all"}, .transfer = true};
    struct open_kernel open = {.library = &library, .kernel = &copy};
    cr_expect(workload_of_kernel(&open).transfer);
}

/* ---- A capsule ---- */

Test(open_kernel, a_capsule_is_replayed_and_compared)
{
    AT_END(made_file_close) struct made_file made;
    struct problem problem = {0};
    void *opened;
    made_file_open(&made);
    struct library capsules = {.capsules = made.capsules, .player = made.player};
    const struct capsule *capsule = &made.capsules.list[MADE_ADD];
    const struct kernel replayed = {.id = capsule->id, .capsule = capsule};
    struct open_kernel open = {.library = &capsules, .kernel = &replayed};
    const struct workload workload = workload_of_kernel(&open);
    cr_assert_eq(group_open(&replayed, NULL, &opened, &problem), 0);
    cr_assert_eq(kernel_open(&open, opened, &problem), 0, "%s", problem.text);
    cr_expect_eq(workload_restore(&workload, &problem), 0, "%s", problem.text);
    cr_expect_eq(workload_run(&workload, &problem), 0, "%s", problem.text);
    cr_expect_eq(kernel_verify(&open, &problem), RESULT_OK, "%s", problem.text);
    made_device_fault = MADE_WRONG;
    cr_expect_eq(workload_restore(&workload, &problem), 0, "%s", problem.text);
    cr_expect_eq(workload_run(&workload, &problem), 0, "%s", problem.text);
    cr_expect_eq(kernel_verify(&open, &problem), RESULT_WRONG);
    expect_word(problem.text, "differs from the expected result");
    made_device_fault = MADE_NO_LAUNCH;
    cr_expect_eq(workload_run(&workload, &problem), -1);
    cr_expect_str_eq(problem.text, "launch: made-up refusal");
    kernel_close(&open);
    cr_expect_null(open.replay);
    group_close(&replayed, opened);
    made.player = capsules.player;
}
