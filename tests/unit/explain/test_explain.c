#include "report/explain_words.h"
#include "report_support.h"
#include "test.h"

#include <float.h>

/* A run of one kernel with a launch and two lines. */
static struct {
    struct run run;
    struct result *result;
    struct explanation explanation;
} made; /* each test has a process of its own */

static void begin(void)
{
    made.run = (struct run){.device = {.compute_capability = x_strdup("9.0"), .sm_count = 100}};
    made.result = run_add(&made.run, "made/up");
    *ARRAY_GROW(made.result->launches, made.result->launch_count) = (struct launch){
        .function = x_strdup("sum(int)"), .grid = {10, 1, 1}, .block = {256, 1, 1}, .times = 1, .has_machine = true};
    made.result->profile = (struct profile){.counted = ~0u, .period = 64, .launches = 2};
    for (unsigned i = 1; i <= 2; i++) {
        struct profile_line *line = profile_add(&made.result->profile, "sum(int)", "sum.cu", i, 16 * i);
        line->counts[LINE_INSTRUCTIONS] = 100;
        profile_line_add_stall(line, "barrier", 30);
    }
}

static void forget(void)
{
    explain_release(&made.explanation);
    run_release(&made.run);
}

TestSuite(explain, .init = begin, .fini = forget);

static char *printed(bool verbose, void (*print_it)(const struct explanation *, const struct style *, FILE *))
{
    explain_release(&made.explanation);
    explain_make(&made.explanation, &made.run, made.result);
    PRINT(char *, text, to, print_it(&made.explanation, &(struct style){.verbose = verbose}, to));
    return text;
}

/* Anybody can make a file. */
Test(explain, hostile_names_and_numbers_stay_harmless)
{
    static const char evil[] = "::error::\n::error::\033[31m\xe2\x80\xae##[group]x";
    struct launch *launch = made.result->launches;
    set_text(&launch->function, evil);
    for (size_t i = 0; i < 3; i++)
        launch->grid[i] = launch->block[i] = UINT_MAX;
    launch->times = launch->shared = UINT_MAX;
    launch->machine =
        (struct code_facts){UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, TENSOR_USED, UINT_MAX, 1, 1};
    made.run.device.sm_count = INT64_MAX;
    made.run.device.name = x_strdup(evil);
    struct profile_line *line = &made.result->profile.list[0];
    line->file = realloc(line->file, sizeof evil);
    memcpy(line->file, evil, sizeof evil);
    line->text = x_strdup(evil);
    for (size_t c = 0; c < LINE_COUNTERS; c++)
        line->counts[c] = DBL_MAX;
    profile_line_add_stall(line, "a_reason", DBL_MAX);
    profile_line_add_stall(line, "barrier", DBL_MAX);
    set_value(made.result, "time", 5e-324);
    set_value(made.result, "achieved_occupancy", DBL_MAX);
    set_value(made.result, "dram_bytes_read", DBL_MAX);
    for (int verbose = 0; verbose < 2; verbose++) {
        OWNED_TEXT text = printed(verbose, explain_text);
        expect_no_words(text, "\033", "\xe2\x80\xae", "\n::", " ::error::\n", "##[", "inf");
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            cr_expect(strncmp(at + 1 + strspn(at + 1, " "), "::", 2) != 0, "%.40s", at);
    }
    OWNED_TEXT json = printed(false, explain_json);
    json_t *root = json_loads(json, 0, NULL);
    cr_expect_not_null(root, "%s", json);
    for (const char *c = json; *c; c++)
        cr_expect(*c == '\n' || (*c >= ' ' && *c < 0x7f), "byte %d", *c);
    json_decref(root);
}

Test(explain, no_line_is_wider_than_the_page)
{
    EACH(struct profile_line, line, made.result->profile.list, 2) {
        free(line->file);
        line->file = x_sprintf("%0100d.cu", 7);
        line->text = x_sprintf("%0300d", 7);
    }
    made.result->launches[0].machine.registers = 72;
    set_value(made.result, "achieved_occupancy", 20);
    set_value(made.result, "time", 1e5);
    OWNED_TEXT text = printed(true, explain_text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        cr_expect_leq(strcspn(line, "\n"), (size_t)TEXT_WIDTH, "%s", line);
}

/* The time is proportional to the number of launches and reasons, however many. */
Test(explain, a_large_file_is_explained_in_time)
{
    limit_processor(20);
    for (unsigned i = 0; i < 100000; i++) {
        struct launch *launch = ARRAY_GROW(made.result->launches, made.result->launch_count);
        *launch = (struct launch){.grid = {1, 1, 1}, .block = {1 + i % 1024, 1, 1}, .times = 1, .has_machine = true};
        launch->machine.registers = i;
        launch->function = x_sprintf("f%u", i);
    }
    struct profile_line *line = &made.result->profile.list[0];
    for (unsigned i = 0; i < 200000; i++) {
        struct stall *stall = ARRAY_GROW(line->stalls, line->stall_count);
        *stall = (struct stall){x_sprintf("z%06u", i), 1};
    }
    OWNED_TEXT text = printed(false, explain_text);
    expect_word(text, "and 99993 more; -v shows all");
}
