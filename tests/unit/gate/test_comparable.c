#include "made_runs.h"
#include "test.h"

/* Restricts both runs to these globs; words: of the error, or "". */
static void expect_filter(struct run *run, struct run *baseline, const char *first, const char *second,
                          const char *words)
{
    char *const globs[] = {(char *)first, (char *)second};
    HEAR(result, gate_filter(run, baseline, globs, second ? 2 : 1));
    cr_expect_eq(result, *words ? -1 : 0, "%s", second);
    expect_word(said, words);
}

static void expect_comparable(const struct run *run, const struct run *baseline, const char *words)
{
    HEAR(result, gate_comparable(run, baseline));
    cr_expect_eq(result, *words ? -1 : 0, "%s: %s", words, said);
    expect_word(said, words);
}

Test(comparable, both_sides_are_filtered_by_globs)
{
    OWNED(run) run = made_run(1), baseline = made_run(2);
    expect_filter(&run, &baseline, "reduce/*", NULL, "");
    cr_expect_eq(run.result_count, 2);
    cr_expect_eq(baseline.result_count, 2);
    run_filter(&run, &(char *){(char[]){"reduce/tree"}}, 1);
    /* it is enough that one of the runs has the kernel */
    expect_filter(&run, &baseline, "reduce/warp", NULL, "");
    cr_expect_eq(run.result_count, 0);
}

Test(comparable, a_glob_that_matches_nothing_names_what_is_near)
{
    static const struct {
        const char *glob, *words;
    } cases[] = {
        {"reduce/tre", "did you mean reduce/tree?"},
        {"reduec", "did you mean 'reduce/*'?"},
        {"nothing/like/it", "there are "},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) run = made_run(1);
        expect_filter(&run, &(struct run){0}, "access/*", cases[i].glob, cases[i].words);
    }
}

static void set_collector(struct run *run, const char *name)
{
    set_text(&run->sessions[0].facts[SESSION_COLLECTOR], name);
}

/* NULL stands for a file that does not name its collector, which may be any. */
Test(comparable, runs_of_two_collectors_are_not_compared)
{
    static const struct {
        const char *run, *baseline, *words; /* collectors, and words of the error; NULL: the runs are compared */
    } cases[] = {
        {"cupti", "cupti", NULL},
        {NULL, NULL, NULL},
        {NULL, "cupti", "measured by the collector unknown, but the baseline by cupti"},
        {"host", NULL, "measured by the collector host, but the baseline by unknown"},
        {"host", "cupti", "measured by the collector host, but the baseline by cupti"},
        {"sim", "cupti", NULL}, /* computed counts equal the GPU's */
        {"sim", "sim", NULL},
        {"cupti", "sim", "measured by the collector cupti, but the baseline by sim"},
        {"sim", "host", "measured by the collector sim, but the baseline by host"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) run = made_run(1), baseline = made_run(2);
        set_collector(&run, cases[i].run);
        set_collector(&baseline, cases[i].baseline);
        expect_comparable(&run, &baseline, cases[i].words ? cases[i].words : "");
    }
}

Test(comparable, a_run_of_two_collectors_is_not_compared_even_with_itself)
{
    OWNED(run) run = made_run(1), other = made_run(2), third = made_run(2);
    set_collector(&other, "host");
    run_add_session(&run, &other.sessions[0]);
    expect_comparable(&run, &run, "the run has sessions of two collectors, cupti and host");
    expect_comparable(&third, &run, "the baseline has sessions of two collectors, cupti and host");
}

Test(comparable, a_run_of_another_device_is_not_compared)
{
    OWNED(run) run = made_run(1), baseline = made_run(2);
    run.device.sm_count++;
    expect_comparable(&run, &baseline, "the run and the baseline are from different devices: SM count");
}

Test(comparable, a_baseline_keeps_the_metrics_that_a_run_has)
{
    OWNED(metrics) metrics = {0};
    OWNED(run) run = made_run(1), baseline = made_run(2);
    cr_assert_eq(metrics_read_text(&metrics, "x.ini", made_definitions), 0);
    for (size_t i = 0; i < run.result_count; i++)
        result_remove(&run.results[i], "time");
    result_remove(&run.results[0], "count"); /* other kernels have the row, so this one is missing */
    result_add(&baseline.results[1], "unknown");
    gate_keep_metrics(&baseline, &run, &metrics);
    EACH(const struct result, result, baseline.results, baseline.result_count) {
        cr_expect_eq(result->row_count, 3, "%s", result->id);
        cr_expect_null(result_find(result, "time"), "%s", result->id);
        cr_expect(row_value(result_find(result, "count")) == 7, "%s", result->id);
    }
}

/* What no file defines was not asked for either. */
Test(comparable, a_baseline_keeps_the_metrics_that_were_asked_for)
{
    OWNED(metrics) metrics = {0};
    struct metrics asked = {0};
    OWNED(run) baseline = made_run(1);
    cr_assert_eq(metrics_read_text(&metrics, "x.ini", made_definitions), 0);
    metrics_need(&asked, &metrics, "time");
    result_add(&baseline.results[1], "unknown")->state = VALUE_MEASURED;
    /* Of three kernels the count and of one what is unknown; a clock is only shown, and hits have no number. */
    cr_expect_eq(gate_keep_asked(&baseline, &asked, &metrics), 4);
    for (size_t i = 0; i < baseline.result_count; i++) {
        cr_expect_eq(baseline.results[i].row_count, 1);
        cr_expect(result_find(&baseline.results[i], "time"));
    }
    cr_expect_eq(gate_keep_asked(&baseline, &asked, &metrics), 0);
    free(asked.list);
}

/* A GPU's folder may have baselines of several programs. */
Test(comparable, of_a_baseline_the_programs_that_ran_are_kept)
{
    static const struct {
        const char *glob; /* restricts the run to these kernels */
        bool of_program;
        size_t kept; /* how many of access/coalesced, reduce/tree and reduce/warp are kept */
    } cases[] = {
        {"reduce/tree", true, 2},  {"access/*", true, 1}, {"*", true, 3},
        {"none/*", true, 3}, /* the run is empty because of -k, so nothing is removed */
        {"reduce/tree", false, 3},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) run = made_run(1), baseline = made_run(2);
        OWNED_TEXT glob = x_strdup(cases[i].glob);
        if (cases[i].of_program)
            set_collector(&run, origin_of(ORIGIN_PROGRAM)->collector);
        run_filter(&run, &glob, 1);
        gate_keep_programs(&baseline, &run);
        cr_expect_eq(baseline.result_count, cases[i].kept, "case %zu: %zu", i, baseline.result_count);
    }
}

/* One program's name may be the beginning of another's. */
Test(comparable, a_program_is_not_another_whose_name_begins_like_it)
{
    OWNED(run) run = made_run(1), baseline = made_run(2);
    set_collector(&run, origin_of(ORIGIN_PROGRAM)->collector);
    for (size_t i = 0; i < run.result_count; i++) {
        char *id = x_sprintf("re%s", strchr(run.results[i].id, '/'));
        free(run.results[i].id);
        run.results[i].id = id;
    }
    gate_keep_programs(&baseline, &run);
    cr_expect_eq(baseline.result_count, 0);
}
