#include "base/base.h"
#include "worker/workload.h"

#include <criterion/criterion.h>
#include <string.h>

/* A library that records each call, and fails at one of them. */
static char calls[64];
static size_t call_count, call_that_fails;
static int state;

static int called(const void *at, char what)
{
    cr_expect(!at || at == &state, "'%c' of another state", what);
    calls[call_count++] = what;
    calls[call_count] = '\0';
    return call_count - 1 == call_that_fails ? 7 : 0;
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

static const char *error_text(int code)
{
    return code == 7 ? "made-up error" : "another";
}

static const struct cugate_library library = {.synchronize = synchronize, .error_text = error_text};
static const struct cugate_variant variant = {.name = "variant", .launch = launch};
static const struct cugate_family family = {.name = "family", .restore = restore};
static const struct kernel kernel = {.id = (char[]){"family/variant"}, .family = &family, .variant = &variant};

/* Runs all steps until one fails. */
static int run_whole(size_t failing, struct problem *problem)
{
    struct open_kernel open = {&library, &kernel, NULL};
    const struct workload workload = workload_of_kernel(&open);
    open.state = &state; /* the state is set after the workload was made */
    cr_expect_str_eq(workload.id, "family/variant");
    cr_expect_not(workload.transfer);
    call_count = 0;
    call_that_fails = failing;
    return workload_restore(&workload, problem) < 0 || workload_wait(&workload, problem) < 0 ||
                   workload_run(&workload, problem) < 0
               ? -1
               : 0;
}

Test(workload, a_kernel_is_restored_launched_and_waited_for)
{
    struct problem problem = {0};
    cr_expect_eq(run_whole(sizeof calls, &problem), 0);
    cr_expect_str_eq(calls, "rsls");
    cr_expect_str_eq(problem.text, "");
}

Test(workload, the_call_that_failed_is_named)
{
    static const struct {
        const char *calls, *problem;
    } cases[] = {
        {"r", "restore: made-up error"},
        {"rs", "restore: made-up error"},
        {"rsls", "launch: made-up error"}, /* launches in flight are waited for */
        {"rsls", "kernel: made-up error"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct problem problem = {0};
        cr_expect_eq(run_whole(i, &problem), -1, "case %zu", i);
        cr_expect_str_eq(calls, cases[i].calls);
        cr_expect_str_eq(problem.text, cases[i].problem);
    }
}

Test(workload, a_family_that_only_copies_is_a_transfer)
{
    static const struct cugate_family copies = {.name = "copies", .kind = CUGATE_TRANSFER};
    const struct kernel copy = {.id = (char[]){"copies/all"}, .family = &copies, .variant = &variant};
    struct open_kernel open = {&library, &copy, NULL};
    cr_expect(workload_of_kernel(&open).transfer);
}

Test(workload, results_of_calls_are_put_into_words)
{
    static const struct workload workload = {.error_text = error_text};
    struct problem problem = {0};
    cr_expect_eq(workload_check(&workload, "launch", 0, &problem), 0);
    cr_expect_str_eq(problem.text, "");
    cr_expect_eq(workload_check(&workload, "launch", 7, &problem), -1);
    cr_expect_str_eq(problem.text, "launch: made-up error");
    cr_expect_eq(workload_check(&workload, "open", CUGATE_WRONG, &problem), -1);
    cr_expect_str_eq(problem.text, "open: failed");
}
