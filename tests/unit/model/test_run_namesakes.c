#include "model/model.h"
#include "test.h"

/* Adds kernels a/f@1,32, a/f@1,32#2 and so on with this code, one letter each. */
static struct run numbered(const char *codes)
{
    struct run run = {0};
    for (size_t i = 0; codes[i]; i++) {
        OWNED_TEXT id = i == 0 ? x_strdup("a/f@1,32") : x_sprintf("a/f@1,32#%zu", i + 1);
        struct result *result = run_add(&run, id);
        struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
        launch->function = x_strdup("f()");
        launch->code = x_sprintf("%c", codes[i]);
    }
    return run;
}

Test(run_namesakes, the_same_code_has_the_same_number)
{
    static const struct {
        const char *was, *is, *numbered;
    } cases[] = {{"ab", "ba", "ab"}, {"ab", "ab", "ab"},    {"abc", "cab", "abc"}, {"ab", "cb", "cb"},
                 {"ab", "bc", "cb"}, {"abc", "dab", "abd"}, {"aab", "baa", "aab"}, {"a", "ba", "ab"},
                 {"ab", "b", "b"},   {"abc", "bca", "abc"}, {"aa", "ab", "ab"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) was = numbered(cases[i].was), is = numbered(cases[i].is);
        run_number_like(&is, &was);
        for (size_t k = 0; k < is.result_count; k++)
            cr_expect_eq(*is.results[k].launches[0].code, cases[i].numbered[k], "row %zu, kernel %s", i,
                         is.results[k].id);
        cr_expect(run_find(&is, "a/f@1,32"), "ids stay where they are");
    }
}
