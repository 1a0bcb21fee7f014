/* Tests what a measured baseline takes from a computed run, and how long it keeps that. */
#include "made_runs.h"
#include "test.h"

#define TREE "nvidia-h200/reduce/tree.json"
#define WARP "nvidia-h200/reduce/warp.json"

static struct run measured(int number, const char *code, unsigned times)
{
    struct run run = made_run(number);
    for (size_t i = 0; i < run.result_count; i++) {
        run.results[i].launches[0].code = x_strdup(code);
        run.results[i].launches[0].times = times;
    }
    return run;
}

/* Makes a computed run: counts between two bounds, and a hash of inputs (NULL: unknown). */
static struct run computed(const char *code, unsigned times, const double counts[3], const char *inputs)
{
    struct run run = measured(20, code, times);
    free(run.sessions[0].facts[SESSION_COLLECTOR]);
    run.sessions[0].facts[SESSION_COLLECTOR] = x_strdup(origin_of(ORIGIN_COMPUTED)->collector);
    size_t kept = 0;
    for (size_t i = 0; i < run.note_count; i++)
        if (strcmp(run.notes[i].name, "count") == 0) {
            const struct metric_note swapped = run.notes[kept];
            run.notes[kept++] = run.notes[i];
            run.notes[i] = swapped;
        }
    struct run others = {.notes = x_calloc(run.note_count - kept, sizeof *others.notes),
                         .note_count = run.note_count - kept};
    memcpy(others.notes, run.notes + kept, others.note_count * sizeof *others.notes);
    run.note_count = kept;
    run_release(&others);
    for (size_t i = 0; i < run.result_count; i++) {
        struct result *result = &run.results[i];
        result_remove(result, "time");
        result_remove(result, "clock");
        result_remove(result, "hits");
        row_clear(made_row(&run, result->id, "count"));
        row_add_session(made_row(&run, result->id, "count"), counts, 3);
        result->inputs = x_strdup(inputs);
    }
    return run;
}

static char *with_inputs(const char *text, const char *inputs)
{
    const char *place = strstr(text, "      \"launches\": [");
    cr_assert_not_null(place);
    return x_sprintf("%.*s      \"inputs\": \"%s\",\n%s", (int)(place - text), text, inputs, place);
}

static void expect_text(const char *folder, const char *name, const char *expected)
{
    OWNED_TEXT text = made_text(folder, name);
    cr_expect_str_eq(text, expected);
}

Test(baseline_inputs, only_what_is_computed_as_it_was_measured_gives_its_inputs_and_nothing_else)
{
    static const struct {
        const char *code;
        unsigned times;
        double counts[3];
        const char *inputs, *refused; /* hash of inputs; refused is NULL when they are accepted */
    } rows[] = {
        {"abc", 1, {7, 7, 7}, "cafe", NULL},
        {"abc", 1, {5, 6, 7}, "cafe", NULL},
        {"abc", 1, {4, 5, 6}, "cafe", "not accepted: the inputs of reduce/tree, because count is unsure: "},
        {"abc", 1, {8, 8, 8}, "cafe", "not accepted: the inputs of reduce/tree, because count is unsure: "},
        {"abc", 1, {6, 6, 6}, "cafe", "not accepted: the inputs of reduce/tree, because count is unsure: "},
        {"def", 1, {7, 7, 7}, "cafe", "reduce/tree, because its machine code or launches are not the baseline's"},
        {"abc", 2, {7, 7, 7}, "cafe", "reduce/tree, because its machine code or launches are not the baseline's"},
        {"abc", 1, {7, 7, 7}, NULL, "reduce/tree, because its inputs are not known"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_FOLDER folder = scratch_make();
        OWNED(run) old = measured(1, "abc", 1);
        OWNED(run) now = computed(rows[i].code, rows[i].times, rows[i].counts, rows[i].inputs);
        const struct trial trial = {.folder = folder, .kernel = "reduce/tree"};
        made_accept_one(&(struct trial){.folder = folder}, &old);
        OWNED_TEXT tree = made_text(folder, TREE), *warp = made_text(folder, WARP);
        struct accepted accepted;
        if (rows[i].refused) {
            made_expect(&trial, &now, 1, EXIT_NOT_MEASURED, rows[i].refused);
            expect_text(folder, TREE, tree);
        } else {
            OWNED_TEXT expected = with_inputs(tree, "cafe");
            for (int again = 0; again < 2; again++) {
                cr_assert_eq(made_accept(&trial, &now, 1, &accepted), 0);
                cr_expect(accepted.inputs == 1 && accepted.inputs_left == 0 && accepted.rows == 0);
                accepted_release(&accepted);
                expect_text(folder, TREE, expected);
            }
        }
        expect_text(folder, WARP, warp);
    }
}

Test(baseline_inputs, what_is_not_taken_keeps_no_other_from_being, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) old = measured(1, "abc", 1), now = computed("abc", 1, (double[]){7, 7, 7}, "cafe");
    run_filter(&old, (char *[]){(char[]){"reduce/*"}}, 1);
    made_accept_one(&(struct trial){.folder = scratch}, &old);
    OWNED_TEXT tree = made_text(scratch, TREE), *warp = made_text(scratch, WARP), *expected = with_inputs(warp, "cafe");
    result_remove(run_find(&now, "reduce/tree"), "count");
    row_add_session(result_add(run_find(&now, "reduce/tree"), "else"), (double[]){7}, 1);
    made_expect(&(struct trial){.folder = scratch}, &now, 1, 0,
                "the inputs of access/coalesced, because the baseline has none of its values");
    expect_text(scratch, TREE, tree);
    expect_text(scratch, WARP, expected);
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = scratch}, &now, 1, &accepted), 0);
    cr_expect(accepted.inputs == 1 && accepted.inputs_left == 2, "%zu, %zu", accepted.inputs, accepted.inputs_left);

    made_expect(&(struct trial){.folder = scratch, .metric = "count"}, &now, 1, EXIT_USAGE,
                "a.json was computed and the baseline in");
    made_expect(&(struct trial){.folder = scratch, .drift_reference = true}, &now, 1, EXIT_USAGE,
                "nothing but inputs can be accepted");
    made_expect(&(struct trial){.folder = scratch, .kernel = "reduce/warp", .was = "reduce/tree"}, &now, 1, EXIT_USAGE,
                "leave out --was, -m and --anchor");
    expect_text(scratch, WARP, expected);
}

Test(baseline_inputs, runs_that_were_given_different_inputs_give_none, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) old = measured(1, "abc", 1);
    struct run now[] = {computed("abc", 1, (double[]){7, 7, 7}, "cafe"),
                        computed("abc", 1, (double[]){7, 7, 7}, "beef")};
    made_accept_one(&(struct trial){.folder = scratch}, &old);
    free(now[1].sessions[0].facts[SESSION_DATE]);
    now[1].sessions[0].facts[SESSION_DATE] = x_strdup("2026-11-21T08:00:00Z");
    made_expect(&(struct trial){.folder = scratch}, now, 2, EXIT_NOT_MEASURED, "its inputs are not known");
    run_release(&now[0]);
    run_release(&now[1]);
}

Test(baseline_inputs, a_run_without_a_count_gives_none, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) old = measured(1, "abc", 1), now = computed("abc", 1, (double[]){7, 7, 7}, "cafe");
    made_accept_one(&(struct trial){.folder = scratch}, &old);
    OWNED(run) others = {.notes = now.notes, .note_count = now.note_count};
    now.notes = NULL;
    now.note_count = 0;
    for (size_t i = 0; i < now.result_count; i++) {
        result_remove(&now.results[i], "count");
        row_add_session(result_add(&now.results[i], "else"), (double[]){7}, 1);
    }
    made_expect(&(struct trial){.folder = scratch}, &now, 1, EXIT_NOT_MEASURED, "no count of it was computed");
}

Test(baseline_inputs, they_stay_while_the_same_code_counts_the_same)
{
    static const struct {
        const char *code;
        unsigned times;
        double count; /* the baseline's count; 0: it had none */
        double time;
        const char *metric, *inputs;
    } rows[] = {
        {"abc", 1, 7, 202, NULL, "cafe"},   {"abc", 1, 7, 260, NULL, "cafe"},    {"abc", 1, 7, 202, "time", "cafe"},
        {"abc", 1, 7, 260, "time", "cafe"}, {"abc", 1, 7, 202, "clock", "cafe"}, {"def", 1, 7, 202, NULL, NULL},
        {"abc", 2, 7, 202, NULL, NULL},     {"abc", 1, 8, 202, NULL, NULL},      {"abc", 1, 8, 202, "count", NULL},
        {"abc", 1, 0, 202, NULL, NULL},     {"def", 1, 7, 202, "time", NULL},    {"def", 1, 7, 202, "clock", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_FOLDER folder = scratch_make();
        OWNED(run) old = measured(1, "abc", 1), now = measured(2, rows[i].code, rows[i].times);
        const struct trial trial = {.folder = folder, .kernel = "reduce/tree", .metric = rows[i].metric};
        run_find(&old, "reduce/tree")->inputs = x_strdup("cafe");
        if (rows[i].count == 0)
            result_remove(run_find(&old, "reduce/tree"), "count");
        else
            made_set(&now, "reduce/tree", "count", rows[i].count);
        made_set(&now, "reduce/tree", "time", rows[i].time);
        made_accept_one(&(struct trial){.folder = folder}, &old);
        made_accept_one(&trial, &now);
        OWNED(run) baseline = made_baseline(folder);
        const char *inputs = run_find(&baseline, "reduce/tree")->inputs;
        cr_expect_eq(order_of_texts(inputs, rows[i].inputs), 0, "row %zu: %s", i, inputs ? inputs : "none");
    }
}
