#include "model/model.h"
#include "test.h"

static void put(struct run *run, const char *code, enum tensor_cores tensor)
{
    struct result *result = run_add(run, "a/b");
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.code = x_strdup(code), .has_machine = true, .machine = {.registers = 16, .tensor = tensor}};
}

/* How a base library stands in for rows is tested by gate/test_check.c. */
Test(run_stand_in, an_old_file_learns_of_the_same_code_what_it_does_not_say)
{
    static const struct {
        const char *was, *is;
        enum tensor_cores expected;
    } cases[] = {{"f00d", "f00d", TENSOR_USED}, {"f00d", "beef", TENSOR_UNKNOWN}, {NULL, NULL, TENSOR_UNKNOWN}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) baseline = {0}, base = {0};
        put(&baseline, cases[i].was, TENSOR_UNKNOWN);
        put(&base, cases[i].is, TENSOR_USED);
        ARRAY_GROW(base.sessions, base.session_count)->facts[SESSION_HOST] = NULL;
        run_stand_in(&baseline, &base);
        cr_expect_eq(run_find(&baseline, "a/b")->launches[0].machine.tensor, cases[i].expected, "%zu", i);
    }
}
