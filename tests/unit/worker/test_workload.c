#include "test.h"
#include "worker/workload.h"

/* What is called is recorded, and one of the calls fails. */
static char calls[64];
static size_t call_count, call_that_fails;
static int state;

static int called(const void *self, char what, struct problem *problem)
{
    cr_expect_eq(self, &state, "'%c' of another state", what);
    calls[call_count++] = what;
    calls[call_count] = '\0';
    return call_count - 1 == call_that_fails ? problem_set(problem, "made-up error") : 0;
}

static int before(void *self, struct problem *problem)
{
    return called(self, 'r', problem);
}

static int launch(void *self, struct problem *problem)
{
    return called(self, 'l', problem);
}

static int wait(void *self, struct problem *problem)
{
    return called(self, 's', problem);
}

/* Runs all steps until one fails. */
static int run_whole(size_t failing, struct problem *problem)
{
    const struct workload workload = {.self = &state, .before = before, .launch = launch, .wait = wait};
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
