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

/* The codes of the kernels that were, and that are; and of these in the order of their numbers. */
static void expect_numbers(const char *where, const char *text, const char *codes)
{
    const char *const before = cut_at(&text, " ");
    OWNED(run) was = numbered(before), is = numbered(text);
    run_number_like(&is, &was);
    for (size_t k = 0; k < is.result_count; k++)
        cr_expect_eq(*is.results[k].launches[0].code, codes[k], "%s, kernel %s", where, is.results[k].id);
    cr_expect(run_find(&is, "a/f@1,32"), "ids stay where they are");
}

TEXTS(run_namesakes, the_same_code_has_the_same_number, "tests/unit/model/run_namesakes.txt#numbers", expect_numbers)

/* Kernels a/f@GRID,32, or of the function g or f<1>, each launched so often, of some code; and one of another program.
 * `?`: -k chose them. */
static struct run launched(const char *kernels)
{
    static struct session sessions[1] = {{.facts = {[SESSION_COLLECTOR] = "exec"}}};
    struct run run = {.sessions = sessions, .session_count = 1};
    OWNED_TEXT copy = x_strdup(kernels);
    for (char *rest = NULL, *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        OWNED_TEXT id = x_sprintf("%s@%.*s,32",
                                  *word == 'b'   ? "b/f"
                                  : *word == 'g' ? "a/g"
                                  : *word == 't' ? "a/f<1>"
                                                 : "a/f",
                                  (int)strcspn(word + 1, "*"), word + 1);
        struct result *result = run_add(&run, id);
        struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
        launch->function = x_strdup(*word == 'g' ? "g" : *word == 't' ? "f<1>" : "f");
        launch->code = strchr(word, '=') ? x_strdup(strchr(word, '=')) : NULL;
        row_add_session(result_add(result, "launches"), (double[]){strtod(strchr(word, '*') + 1, NULL)}, 1);
        const char *most = strchr(word, '/'); /* instructions, of 100 */
        row_add_session(result_add(result, "instructions"), (double[]){most ? strtod(most + 1, NULL) : 100}, 1);
        result->status = strstr(word, "!") ? RESULT_FAILED : RESULT_OK;
    }
    for (const char *program = "ab"; *program && !strchr(kernels, '?'); program++) {
        OWNED_TEXT id = x_sprintf("%c/program", *program);
        run_add(&run, id);
    }
    return run;
}

/* Kernels that were > that are; what the baseline's are called then. */
static void expect_followed(const char *where, const char *text, const char *expected)
{
    static struct metric list[] = {{.name = "launches", .counter = "cugate.launches"},
                                   {.name = "instructions", .counter = "smsp__inst_executed.sum"}};
    const struct metrics metrics = {.list = list, .count = ARRAY_SIZE(list)};
    const char *const before = cut_at(&text, " > ");
    OWNED(run) was = launched(before), is = launched(text);
    run_follow_launches(&was, &is, &metrics);
    OWNED_TEXT names = x_strdup("");
    for (size_t k = 0; k < was.result_count; k++)
        if (row_kind(was.results[k].id) == ROW_KERNEL)
            x_append(&names, " ", "%s", was.results[k].id);
    cr_expect_str_eq(names, expected, "%s: %s", where, names);
    was.sessions = is.sessions = NULL;
    was.session_count = is.session_count = 0;
}

TEXTS(run_namesakes, a_launch_that_changed_is_followed, "tests/unit/model/run_namesakes.txt#followed", expect_followed)
