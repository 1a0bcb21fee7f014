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

/* Kernels a/f@GRID,32, or of the function g, each launched so often, of some code; and one of another program. `?`: -k
 * chose them. */
static struct run launched(const char *kernels)
{
    static struct session sessions[1] = {{.facts = {[SESSION_COLLECTOR] = "exec"}}};
    struct run run = {.sessions = sessions, .session_count = 1};
    OWNED_TEXT copy = x_strdup(kernels);
    for (char *rest = NULL, *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        OWNED_TEXT id = x_sprintf("%s@%.*s,32",
                                  *word == 'b'   ? "b/f"
                                  : *word == 'g' ? "a/g"
                                                 : "a/f",
                                  (int)strcspn(word + 1, "*"), word + 1);
        struct result *result = run_add(&run, id);
        struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
        launch->function = x_strdup(*word == 'g' ? "g" : "f");
        launch->code = strchr(word, '=') ? x_strdup(strchr(word, '=')) : NULL;
        row_add_session(result_add(result, "launches"), (double[]){strtod(strchr(word, '*') + 1, NULL)}, 1);
        result->status = strstr(word, "!") ? RESULT_FAILED : RESULT_OK;
    }
    for (const char *program = "ab"; *program && !strchr(kernels, '?'); program++) {
        OWNED_TEXT id = x_sprintf("%c/program", *program);
        run_add(&run, id);
    }
    return run;
}

Test(run_namesakes, a_launch_that_changed_is_followed)
{
    static const struct {
        const char *was, *is, *names; /* what the baseline's kernels are called then */
    } cases[] = {
        {"f132*3", "f128*3", "a/f@128,32"},
        {"f132*3", "f128*4", "a/f@132,32"},
        {"f132*3 f7*1", "f128*3 f7*1", "a/f@128,32 a/f@7,32"},
        {"f132*3 f7*3", "f128*3 f8*3", "a/f@132,32 a/f@7,32"}, /* which became which? */
        {"f132*3", "f128*3 f8*3", "a/f@132,32"},
        {"f132*3 f7*3", "f128*3", "a/f@132,32 a/f@7,32"},
        {"f132*3 g7*3", "f128*3 g8*3", "a/f@128,32 a/g@8,32"},
        {"f132*3", "b128*3", "a/f@132,32"},
        {"f132*3=cafe", "g132*3=cafe", "a/g@132,32"},
        {"f132*3=cafe", "g132*3=beef", "a/f@132,32"},
        {"f132*3", "g132*3", "a/f@132,32"},
        {"f132*3=cafe", "g132*4=cafe", "a/f@132,32"},
        {"f132*3=cafe", "g132*3=cafe f128*3=cafe", "a/f@132,32"},
        {"f132*3", "fany*3", "a/f@132,32"},
        {"f132*3", "f128*3!", "a/f@132,32"},
        {"f9*3", "f9*3", "a/f@9,32"},
        {"f132*3", "f128*3?", "a/f@132,32"}, /* the other may be there as well */
        {"f132*3?", "f128*3", "a/f@132,32"},
    };
    static struct metric metric = {.name = "launches", .counter = "cugate.launches"};
    const struct metrics metrics = {.list = &metric, .count = 1};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) was = launched(cases[i].was), is = launched(cases[i].is);
        run_follow_launches(&was, &is, &metrics);
        OWNED_TEXT names = x_strdup("");
        for (size_t k = 0; k < was.result_count; k++)
            if (row_kind(was.results[k].id) == ROW_KERNEL)
                x_append(&names, " ", "%s", was.results[k].id);
        cr_expect_str_eq(names, cases[i].names, "row %zu: %s", i, names);
        was.sessions = is.sessions = NULL;
        was.session_count = is.session_count = 0;
    }
}
