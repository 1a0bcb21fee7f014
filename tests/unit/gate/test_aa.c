#include "analysis_support.h"
#include "test.h"

#include "report/report.h"

static void put_code(struct sessions_fixture *fixture, size_t session, const char *kernel, const char *code)
{
    struct result *result = run_add(&fixture->runs[session], kernel);
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
        .function = x_strdup("f"), .code = x_strdup(code), .grid = {1, 1, 1}, .block = {32, 1, 1}, .times = 1};
}

Test(aa, every_session_is_judged_in_every_view)
{
    static const struct {
        size_t count, per_gpu;
        size_t comparisons[VIEWS], gpus;
    } rows[] = {
        {2, 1, {2, 0, 0}, 2}, /* of two sessions, all others are one, which is a pair */
        {3, 3, {6, 3, 0}, 1},
        {4, 2, {12, 4, 0}, 2}, /* of two GPUs, the others are one */
        {7, 3, {42, 7, 7}, 3},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, rows[i].count, rows[i].per_gpu, false));
        aa_put_all(&fixture, "a/b", "count", 7);
        aa_put_all(&fixture, "a/b", "rate", 7);
        const struct analysis *analysis = aa_analyse(&fixture);
        cr_expect_eq(analysis->gpus, rows[i].gpus, "row %zu: %zu GPUs", i, analysis->gpus);
        for (size_t kind = 0; kind < VIEWS; kind++) {
            const struct view *view = &analysis->views[kind];
            const size_t wanted = rows[i].comparisons[kind];
            cr_expect_eq(view->comparisons, wanted, "row %zu: view %zu: %zu", i, kind, view->comparisons);
            cr_expect_eq(view->exits[EXIT_SAME], wanted, "row %zu: view %zu", i, kind);
            cr_expect_eq(view->tallies[METRIC_EXACT].rows, wanted, "row %zu: view %zu", i, kind);
            cr_expect_eq(view->tallies[METRIC_INFO].rows, 0, "row %zu: view %zu", i, kind);
        }
        cr_expect_eq(analysis->noisy_row_count, 0, "row %zu", i);
        cr_expect_eq(analysis_exit_code(analysis), EXIT_SAME, "row %zu", i);
    }
}

Test(aa, one_count_more_in_one_session_is_a_false_alarm_and_its_row_named)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 4, 4, false));
    aa_put_all(&fixture, "a/b", "count", 1000);
    aa_put_all(&fixture, "a/quiet", "count", 5);
    result_find(run_find(&fixture.runs[2], "a/b"), "count")->sessions[0].samples[0]++;
    const struct analysis *analysis = aa_analyse(&fixture);

    const struct alarm_tally *pairs = &analysis->views[VIEW_PAIRS].tallies[METRIC_EXACT];
    cr_expect_eq(pairs->rows, 24);
    cr_expect_eq(pairs->regressed, 0); /* one session does not know what repeats */
    cr_expect_eq(pairs->unsure, 3);    /* the odd session, judged by each other one */
    cr_expect_eq(pairs->worse, 3);
    cr_expect_eq(pairs->better, 3); /* each other session, judged by the odd one */
    cr_expect_eq(analysis->views[VIEW_PAIRS].exits[EXIT_UNSURE], 3);
    cr_expect_eq(analysis->views[VIEW_PAIRS].exits[EXIT_SAME], 9);
    const struct alarm_tally *others = &analysis->views[VIEW_OTHERS].tallies[METRIC_EXACT];
    cr_expect_eq(others->regressed, 1); /* the others are judged by a baseline that does not repeat */
    cr_expect_eq(others->better, 0);

    cr_assert_eq(analysis->noisy_row_count, 1);
    cr_expect_str_eq(analysis->noisy_rows[0].kernel, "a/b");
    cr_expect_str_eq(analysis->noisy_rows[0].metric->name, "count");
    cr_expect_eq(analysis->noisy_rows[0].tallies[VIEW_PAIRS].unsure, 3);
    cr_expect_eq(analysis->noisy_rows[0].tallies[VIEW_PAIRS].rows, 12);
    cr_expect_eq(analysis->noisy_rows[0].tallies[VIEW_OTHERS].regressed, 1);
    cr_expect_eq(analysis_exit_code(analysis), EXIT_REGRESSED);
}

/* A time that is excused because the code is unchanged is noise nevertheless. */
Test(aa, a_time_of_the_same_code_counts_as_the_screen_saw_it)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 12, 12, false));
    aa_put_all(&fixture, "a/b", "time", 100000);
    for (size_t i = 0; i < fixture.count; i++)
        put_code(&fixture, i, "a/b", "9f86");
    result_find(run_find(&fixture.runs[5], "a/b"), "time")->sessions[0].samples[0] = 103000;
    const struct analysis *analysis = aa_analyse(&fixture);
    const struct view *view = &analysis->views[VIEW_OTHERS];
    cr_expect_eq(view->exits[EXIT_SAME], 12);
    cr_expect_eq(view->tallies[METRIC_TIME].worse, 1);
    cr_expect_eq(view->tallies[METRIC_TIME].unsure, 0);
    cr_expect_eq(analysis->views[VIEW_PAIRS].tallies[METRIC_TIME].worse, 11);
    cr_expect_eq(analysis->views[VIEW_PAIRS].tallies[METRIC_TIME].better, 11);
}

/* One GPU differs: sessions of the others do not know it, sessions of all GPUs do. */
Test(aa, a_gpu_is_judged_by_the_others)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 12, 3, false));
    for (size_t i = 0; i < fixture.count; i++)
        aa_put(&fixture, i, "a/b", "share", i / 3 == 1 ? 50 : 53);
    const struct analysis *analysis = aa_analyse(&fixture);
    cr_expect_eq(analysis->views[VIEW_GPUS].tallies[METRIC_STEADY].worse, 3);
    cr_expect_eq(analysis->views[VIEW_GPUS].exits[EXIT_UNSURE], 3); /* the baseline does not know that GPU */
    cr_expect_eq(analysis->views[VIEW_OTHERS].tallies[METRIC_STEADY].worse, 0);
    cr_expect_eq(analysis->noisy_rows[0].tallies[VIEW_GPUS].unsure, 3);
}

Test(aa, a_shift_of_the_whole_suite_is_counted)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 2, 1, false));
    for (size_t kernel = 0; kernel < RULE_DRIFT; kernel++) {
        char id[16];
        snprintf(id, sizeof id, "a/%zu", kernel);
        aa_put(&fixture, 0, id, "time", 100000);
        aa_put(&fixture, 1, id, "time", 110000);
        for (size_t session = 0; session < 2; session++) {
            struct result *result = run_find(&fixture.runs[session], id);
            *ARRAY_GROW(result->launches, result->launch_count) =
                (struct launch){.function = x_strdup("f()"), .code = x_strdup("f00d"), .times = 1};
        }
    }
    const struct analysis *analysis = aa_analyse(&fixture);
    cr_expect_eq(analysis->views[VIEW_PAIRS].moved, 2);
    cr_expect_eq(analysis->views[VIEW_PAIRS].exits[EXIT_UNSURE], 2);
    cr_expect_eq(analysis->views[VIEW_PAIRS].tallies[METRIC_TIME].worse, 0); /* the common shift is subtracted */
    cr_expect_eq(analysis->views[VIEW_PAIRS].tallies[METRIC_TIME].better, 0);
}

Test(aa, what_is_not_the_same_everywhere_is_left_out_and_said)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 3, 3, false));
    static const char *const kernels[] = {"a/crashed", "a/fine", "a/missing", "a/other", "a/unbuilt", "a/unknown"};
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
        aa_put_all(&fixture, kernels[i], "count", 7);
    for (size_t i = 0; i < fixture.count; i++) {
        put_code(&fixture, i, "a/fine", "aa");
        put_code(&fixture, i, "a/other", i == 2 ? "bb" : "aa");
        put_code(&fixture, i, "a/unknown", i == 1 ? NULL : "aa");
        run_find(&fixture.runs[i], "a/unbuilt")->status = RESULT_NOT_BUILT;
    }
    struct result *crashed = run_find(&fixture.runs[1], "a/crashed");
    crashed->status = RESULT_CRASHED;
    crashed->reason = x_strdup("it died");
    static char *const all_but_missing[] = {"a/[!m]*", NULL};
    run_filter(&fixture.runs[2], all_but_missing, 1);

    const struct analysis *analysis = aa_analyse(&fixture);
    cr_assert_eq(analysis->kernels, 2);
    for (size_t i = 0; i < fixture.count; i++) {
        cr_expect_eq(fixture.runs[i].result_count, 2);
        cr_expect_not_null(run_find(&fixture.runs[i], "a/fine"));
        cr_expect_not_null(run_find(&fixture.runs[i], "a/unknown"));
    }
    static const struct {
        const char *kernel, *why;
        bool failed;
    } left_out[] = {
        {"a/crashed", "crashed in s1.json: it died", true},
        {"a/missing", "not in s2.json", false},
        {"a/other", "its code differs between s2.json and s1.json", false},
    };
    cr_assert_eq(analysis->left_out_count, ARRAY_SIZE(left_out));
    for (size_t i = 0; i < ARRAY_SIZE(left_out); i++) {
        cr_expect_str_eq(analysis->left_out[i].kernel, left_out[i].kernel);
        cr_expect_str_eq(analysis->left_out[i].why, left_out[i].why);
        cr_expect_eq(analysis->left_out[i].failed, left_out[i].failed, "%s", left_out[i].kernel);
    }
    cr_expect_eq(analysis_exit_code(analysis), EXIT_NOT_MEASURED);
}

Test(aa, a_counter_that_was_not_read_is_not_measured)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 3, 3, false));
    aa_put_all(&fixture, "a/b", "count", 7);
    row_clear(result_find(run_find(&fixture.runs[1], "a/b"), "count"));
    const struct analysis *analysis = aa_analyse(&fixture);
    cr_expect_eq(analysis_exit_code(analysis), EXIT_NOT_MEASURED);
    cr_expect_eq(exactness_of(analysis, "count")->sessions, 2);
}

Test(aa, takes_single_sessions_of_todays_metrics_once)
{
    static const struct {
        const char *what, *says;
    } rows[] = {
        {"fine", NULL},
        {"same session", "new.json is the same session as s0.json"},
        {"two sessions", "new.json holds 2 sessions"},
        {"two sessions of a row", "new.json holds 2 sessions of count of a/b"},
        {"other counter", "new.json measured count as other.sum in count, but made_up.ini:1 defines it as"},
        {"other unit", "measured count as made_up_count.sum in B"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(aa_tear_down, struct sessions_fixture fixture, aa_set_up(&fixture, 2, 2, false));
        aa_put_all(&fixture, "a/b", "count", 7);
        struct run *run = &fixture.runs[1];
        if (i == 1) {
            run_forget_sessions(run);
            run_add_session(run, &fixture.runs[0].sessions[0]);
        }
        if (i == 2)
            run_add_session(run, &fixture.runs[0].sessions[0]);
        if (i == 3)
            aa_put(&fixture, 1, "a/b", "count", 7);
        if (i == 4)
            run_set_note(run, &(struct metric_note){.name = "count", .counter = "other.sum", .unit = "count"});
        if (i == 5)
            run_set_note(run, &(struct metric_note){.name = "count", .counter = "made_up_count.sum", .unit = "B"});
        HEAR(taken, analysis_takes(run, "new.json", fixture.runs, 1, fixture.name_list, &fixture.metrics));
        cr_expect_eq(taken, rows[i].says ? -1 : 0, "%s: %d", rows[i].what, taken);
        cr_expect(!rows[i].says || strstr(said, rows[i].says), "%s: said %s", rows[i].what, said);
    }
}

static char *print(const struct analysis *analysis, const struct analysis_style *style,
                   int (*how)(const struct analysis *, const struct analysis_style *, FILE *))
{
    PRINT(char *, text, stream, cr_assert_eq(how(analysis, style, stream), 0));
    return text;
}

/* Adds one count more in s2.json, and a kernel that only s3.json has. */
static void put_an_alarm(struct sessions_fixture *fixture, const char *odd_kernel)
{
    aa_set_up(fixture, 4, 2, false);
    aa_put_all(fixture, "a/b", "count", 1000);
    aa_put_all(fixture, "a/b", "time", 100000);
    aa_put_all(fixture, odd_kernel, "share", 50);
    result_find(run_find(&fixture->runs[2], "a/b"), "count")->sessions[0].samples[0]++;
    aa_put(fixture, 3, "a/only", "count", 1);
}

/* Checks which words each section of the text has, and which not. */
Test(aa, text_says_what_was_found)
{
    WITH(aa_tear_down, struct sessions_fixture fixture, put_an_alarm(&fixture, "a/\033[31m"));
    const struct analysis *analysis = aa_analyse(&fixture);
    static const struct {
        bool quiet;
        const char *says[12], *not [4];
    } rows[] = {
        {false,
         {"A/A of 4 sessions of 2 kernels on 2 GPUs (Test GPU, collector cupti), 2026-11-01\n",
          "a/only  not in s0.json", "by each other session alone: 12 comparisons", "exit codes: 0 in 9, 3 in 3",
          "between GPUs", "not known, all sessions are of one day", "does not repeat: a/b, 1,000 to 1,001",
          "median kernel 2.00 %", "a false alarm: the gate would have failed in 1 of 16 comparisons (exit 1)"},
         {"\033", "all other GPUs"}},
        {true, {"Left out", "a false alarm"}, {"Spread", "Exactness", "Smallest", "\033"}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct analysis_style style = {.exit_code = EXIT_REGRESSED, .quiet = rows[i].quiet};
        OWNED_TEXT text = print(analysis, &style, analysis_text);
        for (size_t k = 0; k < ARRAY_SIZE(rows[i].says) && rows[i].says[k]; k++)
            cr_expect(strstr(text, rows[i].says[k]), "did not say: %s\n%s", rows[i].says[k], text);
        for (size_t k = 0; k < ARRAY_SIZE(rows[i].not ) && rows[i].not [k]; k++)
            cr_expect(!strstr(text, rows[i].not [k]), "said: %s", rows[i].not [k]);
    }
}

Test(aa, json_holds_all_of_it_and_null_for_what_is_not_known)
{
    static const struct {
        const char *part; /* key of a part of the document */
        int item;         /* index in a list; -1: the part itself */
        const char *key, *value;
    } rows[] = {
        {"exit_code", -1, NULL, "1"},
        {"device", -1, NULL, "\"Test GPU\""},
        {"left_out", 0, NULL, "{\"kernel\":\"a/only\",\"why\":\"not in s0.json\",\"failed\":false}"},
        {"views", -1, "gpus", "null"}, /* of two GPUs, the others are one */
        {"offenders", 0, "pairs", "{\"rows\":12,\"regressed\":0,\"unsure\":3,\"worse\":3,\"better\":3}"},
        {"spread", 1, "in", "\"points\""},
        {"spread", 1, "within", "{\"kernels\":1,\"median\":0,\"worst\":0,\"worst_kernel\":\"a/\\\"\\n\"}"},
        {"spread", 1, "days", "null"},
        {"exactness", 0, "wobbles", "[{\"kernel\":\"a/b\",\"low\":1000,\"high\":1001}]"},
        {"detectable", 0, "change", "2000"},
    };
    WITH(aa_tear_down, struct sessions_fixture fixture, put_an_alarm(&fixture, "a/\"\n"));
    const struct analysis_style style = {.exit_code = EXIT_REGRESSED};
    OWNED_TEXT text = print(aa_analyse(&fixture), &style, analysis_json);
    json_error_t fault;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &fault);
    cr_assert_not_null(root, "%s", fault.text);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const json_t *part = json_object_get(root, rows[i].part);
        part = rows[i].item < 0 ? part : json_array_get(part, (size_t)rows[i].item);
        part = rows[i].key ? json_object_get(part, rows[i].key) : part;
        OWNED_TEXT value = part ? json_dumps(part, JSON_ENCODE_ANY | JSON_COMPACT) : x_strdup("nothing");
        cr_expect_str_eq(value, rows[i].value, "row %zu: %s", i, value);
    }
    json_decref(root);
}
