#include "baseline/baseline.h"
#include "compare_support.h"
#include "test.h"

/* Every session of the baseline and of the run has one sample. */
Test(compare, values_are_judged_by_class_direction_and_limit)
{
    static const struct {
        const char *metric;
        double base[3]; /* values of the baseline's sessions, repeated until there are `sessions` */
        size_t sessions;
        double now[2]; /* values of the run's sessions; 0: there is no second one */
        enum verdict verdict;
        double change, limit;
    } rows[] = {
        {"count", {100, 100, 100}, 1, {100, 100}, VERDICT_SAME, 0, 0},
        /* both sides together have three sessions that repeat */
        {"count", {100, 100, 100}, 1, {101, 101}, VERDICT_REGRESSED, 1, 0},
        /* both sides together have two sessions, which is too few */
        {"count", {100, 100, 100}, 1, {101, 0}, VERDICT_UNSURE, 1, 0},
        {"count", {100, 100, 100}, 2, {101, 0}, VERDICT_REGRESSED, 1, 0},
        {"count", {100, 100, 100}, 1, {99, 99}, VERDICT_IMPROVED, -1, 0},
        {"count", {0, 0, 0}, 2, {1, 0}, VERDICT_REGRESSED, 1, 0},
        {"count", {0x1p53 - 2, 0x1p53 - 2, 0}, 2, {0x1p53 - 1, 0}, VERDICT_REGRESSED, 1, 0},
        /* the count never repeated, so it is judged by its spread */
        {"count", {1000, 1002, 1001}, 3, {1026, 0}, VERDICT_SAME, 25, 25.781143},
        {"count", {100, 100, 100}, 3, {300, 300}, VERDICT_REGRESSED, 200, 0},
        {"good", {100, 100, 100}, 2, {99, 0}, VERDICT_REGRESSED, -1, 0},
        {"good", {100, 100, 100}, 1, {101, 0}, VERDICT_IMPROVED, 1, 0},
        {"ceiling", {50, 50, 50}, 1, {49, 0}, VERDICT_REGRESSED, -1, 0},
        {"ceiling", {50, 50, 50}, 1, {51, 0}, VERDICT_IMPROVED, 1, 0},
        /* a change equal to the floor counts as none */
        {"share", {92.1, 92.1, 92.1}, 3, {91.1, 0}, VERDICT_SAME, -1, 1},
        {"share", {92.1, 92.1, 92.1}, 3, {91.0999, 0}, VERDICT_REGRESSED, -1.0001, 1},
        {"share", {92.1, 92.1, 92.1}, 3, {93.2, 0}, VERDICT_IMPROVED, 1.1, 1},
        {"share", {92.1, 92.1, 92.1}, 3, {80, 92.1}, VERDICT_UNSURE, -6.05, 1},  /* the second session disagrees */
        {"share", {92.1, 92.1, 92.1}, 3, {80, 81}, VERDICT_REGRESSED, -11.6, 1}, /* the second session agrees */
        /* two sessions, and one, are enough for what chance does not do */
        {"share", {92.1, 92.1, 92.1}, 2, {80, 81}, VERDICT_REGRESSED, -11.6, 1},
        {"share", {92.1, 0, 0}, 1, {80, 0}, VERDICT_REGRESSED, -12.1, 1.72123498},
        {"time", {100000, 100000, 100000}, 10, {102000, 102000}, VERDICT_SAME, 2000, 2000},
        {"time", {1000, 1000, 1000}, 10, {1250, 1250}, VERDICT_SAME, 250, 250},
        {"time", {1000, 1000, 1000}, 10, {1251, 1251}, VERDICT_REGRESSED, 251, 250},
        /* one session of the run cannot fail a time */
        {"time", {1000, 1000, 1000}, 10, {1251, 0}, VERDICT_UNSURE, 251, 250},
        {"time", {1000, 1000, 1000}, 10, {1600, 1000}, VERDICT_UNSURE, 300, 250}, /* the second one disagrees */
        {"time", {1000, 1000, 1000}, 9, {1251, 1251}, VERDICT_REGRESSED, 251, 250},
        /* of one session the limit is 5 % at most, and chance may do a little more */
        {"time", {9900, 0, 0}, 1, {10410, 0}, VERDICT_UNSURE, 510, 495},
        /* far out, one session is enough */
        {"time", {100000, 0, 0}, 1, {112000, 0}, VERDICT_REGRESSED, 12000, 2000},
        {"time", {1000, 1000, 1000}, 9, {700, 0}, VERDICT_IMPROVED, -300, 250},
        {"time", {0, 0, 0}, 10, {0, 0}, VERDICT_SAME, 0, 250},
        {"rate", {100, 100, 100}, 1, {1, 0}, VERDICT_INFO, -99, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        for (size_t s = 0; s < rows[i].sessions; s++)
            put(&fixture.base, "a/b", rows[i].metric, rows[i].base[s % 3]);
        for (size_t s = 0; s < 2 && (s == 0 || rows[i].now[s] > 0); s++)
            put(&fixture.run, "a/b", rows[i].metric, rows[i].now[s]);
        const struct judgement *judgement = expect_verdict(&fixture, "a/b", rows[i].metric, rows[i].verdict, i);
        cr_expect_eq(judgement->change, rows[i].change, "row %zu: change %.17g", i, judgement->change);
        if (rows[i].verdict != VERDICT_INFO)
            cr_expect_eq(judgement->limit, rows[i].limit, "row %zu: limit %.17g", i, judgement->limit);
        cr_expect_eq(judgement->reason != NULL, rows[i].verdict == VERDICT_UNSURE, "row %zu", i);
    }
}

Test(compare, a_count_that_no_longer_repeats_is_unsure)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put(&fixture.base, "a/b", "count", 100);
    put(&fixture.base, "a/b", "count", 100);
    row_add_session(result_add(run_add(&fixture.run, "a/b"), "count"), (const double[]){100, 101, 100}, 3);
    const struct judgement *judgement = expect_verdict(&fixture, "a/b", "count", VERDICT_UNSURE, 0);
    cr_expect_not_null(strstr(judgement->reason, "identical in"));
    cr_expect_eq(comparison_exit_code(&fixture.comparison), EXIT_UNSURE);
}

/* A kernel whose warps wait for each other may take one more turn in a launch of hundreds; how often a warp looks that
 * waits for another strays by a percent; and a hit rate is of blocks that meet in a cache. */
Test(compare, what_strays_a_little_in_the_same_code_is_chance)
{
    static const struct {
        const char *metric;
        double base[3], now[2][3]; /* samples of each session of the baseline, and of one or two of the run */
        size_t base_sessions, samples, sessions;
        const char *code; /* aa in the baseline; other code may race */
        enum verdict verdict;
    } rows[] = {
        {"count", {1000}, {{1000, 1001, 1000}}, 3, 3, 1, "aa", VERDICT_SAME},
        {"count", {1000}, {{1000, 1001, 1000}}, 3, 3, 1, "bb", VERDICT_UNSURE},
        {"count", {1000}, {{1000, 1500, 1500}}, 3, 3, 1, "aa", VERDICT_REGRESSED}, /* beyond the limit */
#define STRAYS(by) {100054, 100057, 100095}, {{(by), (by) + 3, (by)-3}, {(by), (by) + 9, (by)-9}}, 4, 3, 2
        {"count", STRAYS(100300), "aa", VERDICT_SAME},
        {"count", STRAYS(100300), "bb", VERDICT_REGRESSED},
        {"count", STRAYS(101500), "aa", VERDICT_REGRESSED},
        {"share", {92.1}, {{80}, {92.1}}, 3, 1, 2, "aa", VERDICT_SAME},
        {"share", {92.1}, {{80}, {92.1}}, 3, 1, 2, "bb", VERDICT_UNSURE},  /* it may be the code */
        {"share", {92.1}, {{80}, {81}}, 3, 1, 2, "aa", VERDICT_REGRESSED}, /* both say so */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        const size_t repeated = rows[i].base[1] > 0 ? 3 : 1;
        for (size_t s = 0; s < rows[i].base_sessions; s++) /* the second sample of each session is another */
            put_samples(&fixture.base, "a/b", rows[i].metric,
                        (const double[]){rows[i].base[0], rows[i].base[1] + (double)s, rows[i].base[2]}, repeated);
        for (size_t s = 0; s < rows[i].sessions; s++)
            put_samples(&fixture.run, "a/b", rows[i].metric, rows[i].now[s], rows[i].samples);
        put_codes(&fixture, "a/b", "aa", rows[i].code);
        expect_verdict(&fixture, "a/b", rows[i].metric, rows[i].verdict, i);
    }
}

/* Its median alone does not tell whether the samples behind it were equal. */
Test(compare, one_session_does_not_prove_that_a_count_repeats)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put(&fixture.base, "a/b", "count", 1000);
    put_samples(&fixture.run, "a/b", "count", (const double[]){1000, 1001, 1000}, 3);
    cr_expect_eq(find(compare(&fixture), "a/b", "count")->verdict, VERDICT_SAME);
}

/* Two sessions that agree and a baseline of one: of other code they show that it repeats. */
Test(compare, sessions_of_what_may_be_the_same_code_do_not_prove_that_a_count_repeats)
{
    static const struct {
        const char *base, *now; /* hashes of the code; NULL: nobody knows it */
        const char *function;   /* that the run launched; NULL: the same */
        const char *others;     /* the code of another kernel of the run */
        enum verdict verdict;
    } rows[] = {
        {"aa", "bb", NULL, NULL, VERDICT_REGRESSED}, {"aa", "aa", NULL, NULL, VERDICT_UNSURE},
        {NULL, NULL, NULL, "cc", VERDICT_UNSURE},    {NULL, NULL, "other()", "cc", VERDICT_REGRESSED},
        {NULL, NULL, NULL, NULL, VERDICT_REGRESSED}, /* as what was imported: no code is known of any kernel */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put(&fixture.base, "a/b", "count", 1000);
        put(&fixture.run, "a/b", "count", 1001);
        put(&fixture.run, "a/b", "count", 1001);
        put_codes(&fixture, "a/b", rows[i].base, rows[i].now);
        put_codes(&fixture, "c/d", rows[i].others, rows[i].others);
        struct launch *launch = run_find(&fixture.run, "a/b")->launches;
        if (rows[i].function)
            set_text(&launch->function, rows[i].function);
        expect_verdict(&fixture, "a/b", "count", rows[i].verdict, i);
    }
}

/* As for instrumented counters with one sample, beside a baseline with five. */
Test(compare, one_reading_is_held_to_the_digit)
{
    static const struct {
        double now[2]; /* values of the run's sessions; 0: there is no second one */
        enum verdict verdict;
    } rows[] = {
        {{1000, 0}, VERDICT_SAME},         {{1001, 0}, VERDICT_REGRESSED}, {{999, 0}, VERDICT_IMPROVED},
        {{1001, 1001}, VERDICT_REGRESSED}, {{1001, 1000}, VERDICT_UNSURE}, /* the latter does not repeat */
    };
    static const double five[] = {1000, 1000, 1000, 1000, 1000};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        for (int session = 0; session < 3; session++)
            put_samples(&fixture.base, "a/b", "count", five, ARRAY_SIZE(five));
        for (size_t session = 0; session < 2 && rows[i].now[session] > 0; session++)
            put(&fixture.run, "a/b", "count", rows[i].now[session]);
        expect_verdict(&fixture, "a/b", "count", rows[i].verdict, i);
    }
}

Test(compare, nothing_judged_is_not_a_pass)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    cr_expect_eq(comparison_exit_code(compare(&fixture)), EXIT_NOT_MEASURED);
    comparison_release(&fixture.comparison);
    put_each(&fixture, "a/b", "rate", 5, 5);
    cr_expect_eq(comparison_exit_code(compare(&fixture)), EXIT_NOT_MEASURED);
}

/* VALUE_STATES stands for a row that does not exist. */
Test(compare, states_without_a_number_are_never_same)
{
    static const struct {
        enum value_state base, now;
        enum verdict verdict;
        const char *reason;
    } rows[] = {
        {VALUE_MEASURED, VALUE_NOT_COUNTED, VERDICT_MISSING, "not counted"},
        {VALUE_MEASURED, VALUE_NOT_SUPPORTED, VERDICT_MISSING, "not supported"},
        {VALUE_MEASURED, VALUE_NOT_APPLICABLE, VERDICT_UNSURE, "had a value, is now not applicable"},
        {VALUE_MEASURED, VALUE_STATES, VERDICT_MISSING, "not in this run"},
        {VALUE_NOT_COUNTED, VALUE_MEASURED, VERDICT_UNSURE, "no value of this"},
        {VALUE_NOT_COUNTED, VALUE_NOT_COUNTED, VERDICT_MISSING, "not counted"},
        {VALUE_NOT_COUNTED, VALUE_STATES, VERDICT_MISSING, "not in this run"},
        {VALUE_NOT_SUPPORTED, VALUE_MEASURED, VERDICT_UNSURE, "no value of this"},
        {VALUE_NOT_SUPPORTED, VALUE_NOT_COUNTED, VERDICT_MISSING, "not counted"},
        {VALUE_NOT_SUPPORTED, VALUE_NOT_SUPPORTED, VERDICT_INFO, ""},
        {VALUE_NOT_APPLICABLE, VALUE_MEASURED, VERDICT_UNSURE, "was not applicable, has now a value"},
        {VALUE_NOT_APPLICABLE, VALUE_NOT_COUNTED, VERDICT_MISSING, "not counted"},
        {VALUE_NOT_APPLICABLE, VALUE_NOT_APPLICABLE, VERDICT_INFO, ""},
        {VALUE_NOT_APPLICABLE, VALUE_STATES, VERDICT_MISSING, "not in this run"},
        {VALUE_STATES, VALUE_MEASURED, VERDICT_UNSURE, "no value of this"},
        {VALUE_STATES, VALUE_NOT_COUNTED, VERDICT_MISSING, "not counted"},
        {VALUE_STATES, VALUE_NOT_SUPPORTED, VERDICT_INFO, ""},
        {VALUE_STATES, VALUE_NOT_APPLICABLE, VERDICT_INFO, ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        struct run *const sides[] = {&fixture.base, &fixture.run};
        const enum value_state states[] = {rows[i].base, rows[i].now};
        for (size_t side = 0; side < 2; side++) {
            put(sides[side], "a/b", "time", 1000); /* adds a row, since a kernel always has some */
            if (states[side] == VALUE_MEASURED)
                put(sides[side], "a/b", "count", 7);
            else if (states[side] != VALUE_STATES)
                put_state(sides[side], "a/b", "count", states[side]);
        }
        const struct judgement *judgement = expect_verdict(&fixture, "a/b", "count", rows[i].verdict, i);
        const char *reason = judgement->reason ? judgement->reason : "";
        cr_expect_not_null(strstr(reason, rows[i].reason), "row %zu: %s", i, reason);
        cr_expect_eq(*rows[i].reason == '\0', judgement->reason == NULL, "row %zu: %s", i, reason);
        cr_expect_eq(judgement->has_base, rows[i].base == VALUE_MEASURED);
        cr_expect_eq(judgement->has_now, rows[i].now == VALUE_MEASURED);
    }
}

Test(compare, machine_code_that_was_not_found_is_said)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put(&fixture.base, "a/b", "ceiling", 50);
    put_state(&fixture.run, "a/b", "ceiling", VALUE_NOT_SUPPORTED);
    const struct judgement *judgement = expect_verdict(&fixture, "a/b", "ceiling", VERDICT_MISSING, 0);
    cr_expect(says(judgement, "the machine code that was launched was not found"), "%s", judgement->reason);
}

/* A number that broke a law counts as none on either side. */
Test(compare, a_broken_law_is_the_reason)
{
    for (int in_base = 0; in_base < 2; in_base++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        struct run *const broken = in_base ? &fixture.base : &fixture.run;
        put(in_base ? &fixture.run : &fixture.base, "a/b", "count", 7);
        put_state(broken, "a/b", "count", VALUE_NOT_COUNTED);
        result_find(run_find(broken, "a/b"), "count")->reason = x_strdup("the law is broken");
        const struct judgement *judgement =
            expect_verdict(&fixture, "a/b", "count", in_base ? VERDICT_UNSURE : VERDICT_MISSING, 0);
        cr_expect_str_eq(judgement->reason,
                         in_base ? "in the baseline, the law is broken" : "not counted: the law is broken");
    }
}

Test(compare, information_is_not_judged_but_missed)
{
    static const struct {
        enum value_state now;
        enum verdict verdict;
        enum exit_code code;
    } rows[] = {
        {VALUE_MEASURED, VERDICT_INFO, EXIT_SAME},
        {VALUE_NOT_APPLICABLE, VERDICT_INFO, EXIT_SAME},
        {VALUE_NOT_COUNTED, VERDICT_MISSING, EXIT_NOT_MEASURED},
        {VALUE_NOT_SUPPORTED, VERDICT_MISSING, EXIT_NOT_MEASURED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_each(&fixture, "a/b", "count", 1, 1);
        put(&fixture.base, "a/b", "rate", 5);
        if (rows[i].now == VALUE_MEASURED)
            put(&fixture.run, "a/b", "rate", 1);
        else
            put_state(&fixture.run, "a/b", "rate", rows[i].now);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/b", "rate")->verdict, rows[i].verdict, "row %zu", i);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].code, "row %zu", i);
    }
}

Test(compare, kernels_without_a_result_are_missing)
{
    static const struct {
        enum result_status status;
        bool in_base;
        const char *reason; /* expected reason; NULL: there is none */
    } rows[] = {
        {RESULT_CRASHED, true, "crashed: signal 11"},
        {RESULT_CRASHED, false, "crashed: signal 11"},
        {RESULT_HUNG, true, "hung: signal 11"},
        {RESULT_WRONG, false, "wrong result: signal 11"},
        {RESULT_FAILED, true, "failed: signal 11"},
        {RESULT_NOT_BUILT, true, "not built: signal 11"},
        {RESULT_NOT_BUILT, false, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_each(&fixture, "a/other", "count", 1, 1);
        if (rows[i].in_base)
            put(&fixture.base, "a/b", "count", 1);
        put_status(&fixture.run, "a/b", rows[i].status, "signal 11");
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *judgement = find(comparison, "a/b", "");
        cr_expect_eq(judgement != NULL, rows[i].reason != NULL, "row %zu", i);
        if (judgement) {
            cr_expect_eq(judgement->verdict, VERDICT_MISSING);
            cr_expect_str_eq(judgement->reason, rows[i].reason);
        }
        cr_expect_eq(comparison->kernels, rows[i].reason ? 2u : 1u);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].reason ? EXIT_NOT_MEASURED : EXIT_SAME);
    }
}

Test(compare, kernels_of_one_side_are_missing_or_new)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put(&fixture.base, "a/gone", "count", 1);
    put_each(&fixture, "a/kept", "count", 1, 1);
    put(&fixture.run, "b/added", "count", 1);
    put_status(&fixture.base, "b/broken_before", RESULT_CRASHED, NULL);
    put(&fixture.run, "b/broken_before", "count", 1);
    put_status(&fixture.base, "b/never_built", RESULT_NOT_BUILT, NULL);
    const struct comparison *comparison = compare(&fixture);

    cr_expect_eq(comparison->count, 4);
    cr_expect_eq(comparison->kernels, 4);
    cr_expect_eq(find(comparison, "a/gone", "")->verdict, VERDICT_MISSING);
    cr_expect_eq(find(comparison, "a/kept", "count")->verdict, VERDICT_SAME);
    cr_expect_eq(find(comparison, "b/added", "")->verdict, VERDICT_NEW);
    cr_expect_eq(find(comparison, "b/broken_before", "")->verdict, VERDICT_UNSURE);
    cr_expect_eq(comparison->kernel_counts[VERDICT_MISSING], 1);
    cr_expect_eq(comparison->kernel_counts[VERDICT_NEW], 1);
    cr_expect_eq(comparison->kernel_counts[VERDICT_SAME], 1);
}

Test(compare, another_definition_is_no_comparison)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_each(&fixture, "a/b", "count", 1, 1);
    put_each(&fixture, "a/b", "time", 1, 1);
    put_each(&fixture, "a/b", "rate", 1, 1);
    for (size_t i = 0; i < fixture.base.note_count; i++) {
        struct metric_note *note = &fixture.base.notes[i];
        if (strcmp(note->name, "count") == 0 || strcmp(note->name, "rate") == 0)
            set_text(&note->counter, "made_up_other.sum");
    }
    for (size_t i = 0; i < fixture.run.note_count; i++) {
        struct metric_note *note = &fixture.run.notes[i];
        if (strcmp(note->name, "time") == 0)
            set_text(&note->unit, "count");
    }
    const struct comparison *comparison = compare(&fixture);
    const struct judgement *count = find(comparison, "a/b", "count");
    const struct judgement *time = find(comparison, "a/b", "time");
    cr_expect_eq(count->verdict, VERDICT_UNSURE);
    expect_words(count->reason, "made_up_other.sum", "baseline");
    cr_expect_eq(time->verdict, VERDICT_UNSURE);
    expect_word(time->reason, "this run");
    cr_expect_eq(find(comparison, "a/b", "rate")->verdict, VERDICT_INFO);
    cr_expect_eq(comparison_exit_code(comparison), EXIT_UNSURE);
}

Test(compare, worst_comes_first)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    static const struct {
        const char *kernel, *metric;
        double base, now;
    } rows[] = {
        {"a/same", "time", 10000, 10001},
        {"a/little_worse", "time", 10000, 10600},
        {"a/much_worse", "time", 10000, 20000},
        {"a/count_worse", "count", 1000, 1001},
        {"a/count_much_worse", "count", 1000, 2000},
        {"a/better", "time", 10000, 5000},
    };
    static const char *const order[] = {"a/crashed",      "a/much_worse", "a/count_much_worse", "a/count_worse",
                                        "a/little_worse", "a/new",        "a/better",           "a/same"};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        put_each(&fixture, rows[i].kernel, rows[i].metric, rows[i].base, rows[i].now);
    }
    put(&fixture.run, "a/new", "count", 1);
    put_status(&fixture.run, "a/crashed", RESULT_CRASHED, NULL);
    const struct comparison *comparison = compare(&fixture);
    cr_assert_eq(comparison->count, ARRAY_SIZE(order));
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        cr_expect_str_eq(comparison->list[i].kernel, order[i]);
}

Test(compare, exit_codes_have_a_precedence)
{
    static const struct {
        size_t missing, regressed, unsure, new, improved;
        enum exit_code code;
    } rows[] = {
        {0, 0, 0, 0, 0, EXIT_SAME},      {0, 0, 0, 3, 4, EXIT_SAME},         {0, 0, 1, 3, 4, EXIT_UNSURE},
        {0, 1, 1, 0, 9, EXIT_REGRESSED}, {1, 9, 9, 9, 9, EXIT_NOT_MEASURED}, {0, 0, 0, 100, 0, EXIT_BASELINE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct comparison comparison = {
            .count = 100,
            .counts = {[VERDICT_MISSING] = rows[i].missing,
                       [VERDICT_REGRESSED] = rows[i].regressed,
                       [VERDICT_UNSURE] = rows[i].unsure,
                       [VERDICT_NEW] = rows[i].new,
                       [VERDICT_IMPROVED] = rows[i].improved},
        };
        cr_expect_eq(comparison_exit_code(&comparison), rows[i].code, "row %zu", i);
    }
}

Test(compare, a_run_alone_fails_when_a_kernel_did)
{
    OWNED(run) run = {0};
    cr_expect_eq(run_exit_code(&run), EXIT_NOT_MEASURED, "an empty run is no success");
    put_status(&run, "a/not_built", RESULT_NOT_BUILT, "made up");
    cr_expect_eq(run_exit_code(&run), EXIT_NOT_MEASURED, "nothing was measured");
    put(&run, "a/b", "count", 1);
    cr_expect_eq(run_exit_code(&run), EXIT_SAME);
    put_status(&run, "a/wrong", RESULT_WRONG, "made up");
    cr_expect_eq(run_exit_code(&run), EXIT_NOT_MEASURED);
}

Test(compare, hostile_values_yield_finite_verdicts)
{
    static const double values[] = {0, 1, 0x1p53, 0x1p63, 1.7e308};
    for (size_t b = 0; b < ARRAY_SIZE(values); b++)
        for (size_t n = 0; n < ARRAY_SIZE(values); n++) {
            static const char *const names[] = {"count", "share", "time"};
            AT_END(tear_down) struct fixture fixture = set_up();
            for (size_t m = 0; m < ARRAY_SIZE(names); m++) {
                put_each(&fixture, "a/b", names[m], values[b], values[n]);
            }
            const struct comparison *comparison = compare(&fixture);
            for (size_t i = 0; i < comparison->count; i++) {
                const struct judgement *judgement = &comparison->list[i];
                cr_expect(isfinite(judgement->change) && isfinite(judgement->limit));
                cr_expect_eq(judgement->verdict == VERDICT_SAME, fabs(judgement->change) <= judgement->limit);
            }
        }
}

Test(compare, every_verdict_has_a_name_of_its_own)
{
    for (int i = 0; i < VERDICTS; i++)
        for (int j = 0; j < i; j++)
            cr_expect_str_neq(verdict_name((enum verdict)i), verdict_name((enum verdict)j));
}

Test(compare, static_facts_of_another_compiler_are_unsure)
{
    static const struct {
        const char *base, *now;
        enum verdict verdict;
    } rows[] = {{"nvcc 13.0", "nvcc 13.0", VERDICT_REGRESSED},
                {"nvcc 13.0", "nvcc 13.1", VERDICT_UNSURE},
                {NULL, "nvcc 13.1", VERDICT_REGRESSED}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_each(&fixture, "a/b", "ceiling", 100, 50);
        put_each(&fixture, "a/c", "ceiling", 50, 100);
        put_fact(&fixture.base, SESSION_COMPILER, rows[i].base);
        put_fact(&fixture.run, SESSION_COMPILER, rows[i].now);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/b", "ceiling")->verdict, rows[i].verdict, "row %zu", i);
        cr_expect_eq(says(find(comparison, "a/b", "ceiling"), "nvcc 13.0 -> nvcc 13.1: settle it by time"),
                     rows[i].verdict == VERDICT_UNSURE);
        cr_expect_eq(find(comparison, "a/c", "ceiling")->verdict, VERDICT_IMPROVED, "row %zu", i);
    }
}

Test(compare, a_missing_kernel_whose_code_is_new_elsewhere_was_renamed)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put(&fixture.base, "a/old", "count", 1);
    put_code(&fixture.base, "a/old", "f00d");
    put(&fixture.base, "a/gone", "count", 1);
    put_code(&fixture.base, "a/gone", "beef");
    put(&fixture.run, "a/new", "count", 1);
    put_code(&fixture.run, "a/new", "f00d");
    const struct comparison *comparison = compare(&fixture);
    cr_expect(says(find(comparison, "a/old", ""), "-k a/new --was a/old"));
    cr_expect_not(says(find(comparison, "a/gone", ""), "--was"));
    cr_expect_eq(comparison->counts[VERDICT_MISSING], 2);
    cr_expect_eq(comparison_exit_code(comparison), EXIT_NOT_MEASURED);
}

/* ---- A computed run ---- */

static void put_collector(struct run *run, const char *collector, const char *compiler)
{
    put_fact(run, SESSION_COLLECTOR, collector);
    run->sessions[run->session_count - 1].facts[SESSION_COMPILER] = x_strdup(compiler);
}

/* Makes a computed run. It has all counts and the theoretical occupancy, and no time. */
static struct fixture set_up_computed(void)
{
    struct fixture fixture = set_up();
    run_forget_notes(&fixture.run);
    for (size_t i = 0; i < fixture.metrics.count; i++) {
        const struct metric_note note = note_of_metric(&fixture.metrics.list[i]);
        if (note.class == METRIC_EXACT || note.class == METRIC_STATIC)
            run_set_note(&fixture.run, &note);
    }
    put_collector(&fixture.base, "cupti", "nvcc 1");
    put_collector(&fixture.run, "sim", "nvcc 1");
    return fixture;
}

static void put_baseline(struct fixture *fixture, const char *kernel, const char *code)
{
    put(&fixture->base, kernel, "count", 7);
    put(&fixture->base, kernel, "time", 100000);
    put(&fixture->base, kernel, "rate", 5);
    put_code(&fixture->base, kernel, code);
}

static void put_date(struct run *run)
{
    static const char date[] = "2026-11-26T00:00:00.000Z";
    if (run->session_count == 0)
        put_fact(run, SESSION_DATE, date);
    else
        run->sessions[run->session_count - 1].facts[SESSION_DATE] = x_strdup(date);
}

static void put_inputs(struct fixture *fixture, const char *kernel, const char *base, const char *now)
{
    run_find(&fixture->base, kernel)->inputs = x_strdup(base);
    run_find(&fixture->run, kernel)->inputs = x_strdup(now);
}

static bool has_note(const struct comparison *comparison, const char *words)
{
    for (size_t i = 0; i < comparison->note_count; i++)
        if (strstr(comparison->notes[i], words))
            return true;
    return false;
}

Test(compare, what_was_computed_and_what_was_not_is_counted)
{
    AT_END(tear_down) struct fixture fixture = set_up_computed();
    put_baseline(&fixture, "a/changed", "f00d");
    put(&fixture.run, "a/changed", "count", 6);
    put_code(&fixture.run, "a/changed", "beef");
    put_baseline(&fixture, "a/foreign", NULL);
    put_status(&fixture.run, "a/foreign", RESULT_FAILED, RESULT_ELSEWHERE "no cuBLAS");
    put_baseline(&fixture, "a/odd", "f00d");
    put_code(&fixture.run, "a/odd", "f00d");
    put_status(&fixture.run, "a/odd", RESULT_FAILED, RESULT_NOT_SIMULATED "X");
    put_baseline(&fixture, "a/unchanged", "f00d");
    put_code(&fixture.run, "a/unchanged", "f00d");
    put_inputs(&fixture, "a/unchanged", "cafe", "cafe");
    put(&fixture.base, "b/transfer", "time", 100000);
    run_add(&fixture.run, "b/transfer");
    const struct comparison *comparison = compare(&fixture);
    const struct computing *computing = &comparison->computing;
    cr_expect_eq(comparison_exit_code(comparison), EXIT_SAME);
    cr_expect_eq(comparison->kernels, 2);
    cr_expect_eq(comparison->count, 2);
    cr_expect_eq(computing->rows, 1);
    cr_expect_eq(computing->kernels, 1);
    cr_expect_eq(computing->unchanged, 1);
    cr_expect_eq(computing->unchanged_rows, 1);
    cr_expect_eq(comparison->counts[VERDICT_INFO], 1, "what was not computed again is not judged");
    cr_expect_eq(computing->not_simulated, 1);
    /* The times of the two judged kernels; of those left out the counts as well. */
    cr_expect_eq(computing->absent, 2 + 2 * 2 + 1, "%zu", computing->absent);
    cr_expect(find(comparison, "a/changed", "count")->computed);
    cr_expect_eq(find(comparison, "a/changed", "count")->verdict, VERDICT_IMPROVED);
    cr_expect(says(find(comparison, "a/unchanged", "count"), "same code, launches and inputs: not computed again"));
    cr_expect(has_note(comparison, "code of another library, which is not simulated: a/foreign"));
    cr_expect(has_note(comparison, "not simulated, with unchanged machine code and launches: a/odd"));
    cr_expect(has_note(comparison, "they launch nothing: b/transfer"));
}

Test(compare, only_known_inputs_that_are_the_same_stand_for_what_is_not_computed)
{
    static const struct {
        const char *base, *now;
        enum exit_code code;
    } rows[] = {
        {"cafe", "cafe", EXIT_SAME},       {"cafe", "caff", EXIT_NOT_MEASURED}, {"cafe", NULL, EXIT_NOT_MEASURED},
        {NULL, "cafe", EXIT_NOT_MEASURED}, {NULL, NULL, EXIT_NOT_MEASURED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put_baseline(&fixture, "a/unchanged", "f00d");
        put_code(&fixture.run, "a/unchanged", "f00d");
        put_inputs(&fixture, "a/unchanged", rows[i].base, rows[i].now);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].code, "row %zu", i);
        cr_expect_eq(comparison->computing.unchanged_rows, rows[i].code == EXIT_SAME, "row %zu", i);
        cr_expect_eq(comparison->counts[VERDICT_SAME], 0, "row %zu", i);
    }
}

Test(compare, what_was_asked_for_and_is_not_computed_is_unsure_by_its_name)
{
    static const struct {
        const char *metric;
        enum metric_class class;
        bool asked, unsure;
    } rows[] = {
        {"time", METRIC_TIME, false, false},   {"time", METRIC_TIME, true, true},
        {"rate", METRIC_STEADY, false, false}, {"rate", METRIC_STEADY, true, true},
        {"rate", METRIC_EXACT, false, true},   {"rate", METRIC_INFO, true, false},
        {"count", METRIC_EXACT, true, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put(&fixture.base, "a/b", "count", 7);
        put_code(&fixture.base, "a/b", "f00d");
        put(&fixture.run, "a/b", "count", 7);
        put_code(&fixture.run, "a/b", "f00d");
        struct metric *metric = &fixture.metrics.list[metrics_index(&fixture.metrics, rows[i].metric)];
        metric->class = rows[i].class;
        metric->asked = rows[i].asked;
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *judgement = find(comparison, COMPARISON_SUITE, rows[i].metric);
        cr_expect_eq(judgement && judgement->verdict == VERDICT_UNSURE, rows[i].unsure, "row %zu", i);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].unsure ? EXIT_UNSURE : EXIT_SAME, "row %zu", i);
    }
}

Test(compare, nothing_computed_is_no_pass)
{
    AT_END(tear_down) struct fixture fixture = set_up_computed();
    put_baseline(&fixture, "a/odd", "f00d");
    put_code(&fixture.run, "a/odd", "f00d");
    put_status(&fixture.run, "a/odd", RESULT_FAILED, RESULT_NOT_SIMULATED "X");
    cr_expect_eq(comparison_exit_code(compare(&fixture)), EXIT_NOT_MEASURED);
}

/* A count that depends on timing is no number on either side; no other reason for one that is not counted passes. */
Test(compare, a_count_of_timing_is_unsure_where_the_code_is_another_and_the_baseline_has_a_number)
{
    static const struct {
        const char *now, *reason;
        enum verdict verdict;
        enum verdict neither; /* where the baseline has no number either, for the same reason */
    } rows[] = {{"f00d", ROW_OPEN "X at a.cu:7", VERDICT_INFO, VERDICT_INFO},
                {"beef", ROW_OPEN "X at a.cu:7", VERDICT_UNSURE, VERDICT_INFO},
                {"f00d", "it broke a law", VERDICT_MISSING, VERDICT_MISSING},
                {"f00d", NULL, VERDICT_MISSING, VERDICT_MISSING}};
    for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put_baseline(&fixture, "a/waits", "f00d");
        put(&fixture.run, "a/waits", "count", 7);
        put_code(&fixture.run, "a/waits", rows[i / 2].now);
        for (unsigned side = i % 2; side < 2; side++) { /* the run's row alone, or the baseline's as well */
            struct row *row = result_find(run_find(side ? &fixture.run : &fixture.base, "a/waits"), "count");
            row_clear(row);
            row->state = VALUE_NOT_COUNTED;
            row->reason = rows[i / 2].reason ? x_strdup(rows[i / 2].reason) : NULL;
        }
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/waits", "count")->verdict, i % 2 ? rows[i / 2].verdict : rows[i / 2].neither,
                     "row %zu", i / 2);
    }
}

Test(compare, other_code_that_passes_without_a_time_is_said)
{
    static const struct {
        const char *now; /* its code */
        double count;    /* 7 in the baseline */
        bool said;
    } rows[] = {{"beef", 7, true}, {"beef", 6, true}, {"beef", 8, false}, {"f00d", 7, false}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put_baseline(&fixture, "a/new", "f00d");
        put(&fixture.run, "a/new", "count", rows[i].count);
        put_code(&fixture.run, "a/new", rows[i].now);
        const struct comparison *comparison = compare(&fixture);
        bool said = false;
        for (size_t n = 0; n < comparison->note_count; n++)
            said |= strcmp(comparison->notes[n],
                           "1 kernel has new code; whether it is slower was not computed: a/new") == 0;
        cr_expect_eq(said, rows[i].said, "row %zu", i);
    }
}

Test(compare, a_smaller_problem_is_no_gain)
{
    static const struct {
        double bytes, flops; /* 100 in the baseline */
        bool unsure;
    } rows[] = {{100, 100, false}, {50, 100, true}, {100, 50, true}, {0, 100, true}, {200, 100, false}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "count", 7, 3, 6, 2);
        struct result *was = run_find(&fixture.base, "a/b"), *is = run_find(&fixture.run, "a/b");
        was->bytes = was->flops = 100;
        is->bytes = rows[i].bytes;
        is->flops = rows[i].flops;
        const struct judgement *judgement = find(compare(&fixture), "a/b", "");
        cr_expect_eq(judgement && judgement->verdict == VERDICT_UNSURE, rows[i].unsure, "row %zu", i);
    }
}

Test(compare, what_cannot_be_simulated_is_unsure_and_only_of_a_computed_run)
{
    for (int computed = 0; computed < 2; computed++) {
        AT_END(tear_down) struct fixture fixture = computed ? set_up_computed() : set_up();
        put_baseline(&fixture, "a/odd", "f00d");
        put_code(&fixture.run, "a/odd", "beef");
        put_status(&fixture.run, "a/odd", RESULT_FAILED, RESULT_NOT_SIMULATED "X at a.cu:7");
        put_status(&fixture.run, "a/new", RESULT_FAILED, RESULT_NOT_SIMULATED "Y");
        const struct comparison *comparison = compare(&fixture);
        const enum verdict verdict = computed ? VERDICT_UNSURE : VERDICT_MISSING;
        cr_expect_eq(find(comparison, "a/odd", "")->verdict, verdict);
        cr_expect_eq(find(comparison, "a/new", "")->verdict, verdict);
        cr_expect(says(find(comparison, "a/odd", ""), "not simulated: X at a.cu:7"));
    }
}

/* a/odd cannot be simulated, though its code is the baseline's; a/fine can; a/host launches nothing. */
Test(compare, what_is_declared_as_not_computed_is_expected_until_a_day_and_counted)
{
    static const struct {
        const char *kernel, *expires;
        bool computed;
        enum exit_code code;
        enum verdict verdict; /* of the declared kernel as a whole; VERDICTS: there is none */
        const char *words;
        size_t declared;
    } rows[] = {
        {"a/odd", "2999-12-31", true, EXIT_SAME, VERDICT_EXPECTED, "until 2999-12-31, see why; not simulated: X", 1},
        {"a/odd", "2000-12-31", true, EXIT_UNSURE, VERDICT_UNSURE, "ended on 2000-12-31 (expected.ini:1), see why", 0},
        {"a/fine", "2999-12-31", true, EXIT_REGRESSED, VERDICT_UNEXPECTED, "can be computed: remove [a/fine not_", 0},
        {"a/host", "2999-12-31", true, EXIT_SAME, VERDICTS, "a/host is declared as not computed, which has no effect",
         0},
        {"a/odd", "2999-12-31", false, EXIT_NOT_MEASURED, VERDICT_MISSING, "not simulated: X", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = rows[i].computed ? set_up_computed() : set_up();
        OWNED_TEXT text = x_sprintf("[%s not_computed]\nissue = why\nexpires = %s\n", rows[i].kernel, rows[i].expires);
        cr_assert_eq(known_regressions_read_text(&fixture.known_regressions, "expected.ini", text), 0);
        put_date(&fixture.run);
        put_baseline(&fixture, "a/odd", "f00d");
        put_code(&fixture.run, "a/odd", "f00d");
        put_status(&fixture.run, "a/odd", RESULT_FAILED, RESULT_NOT_SIMULATED "X");
        put_baseline(&fixture, "a/fine", "f00d");
        put_code(&fixture.run, "a/fine", "f00d");
        put(&fixture.run, "a/fine", "count", 7);
        put(&fixture.base, "a/host", "time", 100000);
        run_add(&fixture.run, "a/host");
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *judgement = find(comparison, rows[i].kernel, "");
        cr_expect_eq(comparison_exit_code(comparison), rows[i].code, "row %zu: %d", i,
                     comparison_exit_code(comparison));
        cr_expect_eq(judgement ? judgement->verdict : VERDICTS, rows[i].verdict, "row %zu", i);
        cr_expect(!judgement || says(judgement, rows[i].words), "row %zu: %s", i, judgement->reason);
        cr_expect(judgement || !rows[i].words || has_note(comparison, rows[i].words), "row %zu", i);
        cr_expect_eq(comparison->computing.declared, rows[i].declared, "row %zu", i);
        cr_expect_eq(comparison_rows(comparison) + rows[i].declared + comparison->counts[VERDICT_INFO],
                     comparison->count);
    }
}

/* The baseline has a/fine only; of a kernel that it has, nothing is excused. */
Test(compare, what_the_baseline_never_had_and_cannot_be_computed_is_no_failure)
{
    static const struct {
        const char *kernel;
        enum result_status status;
        const char *reason;
        bool declared;
        enum exit_code code;
    } rows[] = {
        {"a/new", RESULT_HUNG, "no result within 300 s", false, EXIT_UNSURE},
        {"a/new", RESULT_HUNG, "no result within 300 s", true, EXIT_SAME},
        {"a/new", RESULT_FAILED, RESULT_ELSEWHERE "cublasCreate", false, EXIT_UNSURE},
        {"a/new", RESULT_FAILED, "it reads beyond the end", false, EXIT_NOT_MEASURED},
        {"a/new", RESULT_WRONG, NULL, false, EXIT_NOT_MEASURED},
        {"a/fine", RESULT_HUNG, "no result within 300 s", true, EXIT_NOT_MEASURED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        OWNED_TEXT text = x_sprintf("[%s not_computed]\nissue = why\nexpires = 2999-12-31\n", rows[i].kernel);
        if (rows[i].declared)
            cr_assert_eq(known_regressions_read_text(&fixture.known_regressions, "expected.ini", text), 0);
        put_date(&fixture.run);
        for (unsigned k = 0; k < 2; k++) {
            const char *fine = k ? "a/fine" : "a/other";
            put(&fixture.base, fine, "count", 7);
            put_code(&fixture.base, fine, "f00d");
            put(&fixture.run, fine, "count", 7);
            put_code(&fixture.run, fine, "f00d");
        }
        put_status(&fixture.run, rows[i].kernel, rows[i].status, rows[i].reason);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].code, "row %zu: %d", i,
                     comparison_exit_code(comparison));
        cr_expect_eq(comparison->computing.declared, rows[i].declared && rows[i].code == EXIT_SAME, "row %zu", i);
    }
}

Test(compare, nothing_but_what_is_declared_as_not_computed_is_no_pass)
{
    AT_END(tear_down) struct fixture fixture = set_up_computed();
    cr_assert_eq(known_regressions_read_text(&fixture.known_regressions, "expected.ini",
                                             "[a/odd not_computed]\nissue = why\nexpires = 2999-12-31\n"),
                 0);
    put_date(&fixture.run);
    put_baseline(&fixture, "a/odd", "f00d");
    put_status(&fixture.run, "a/odd", RESULT_FAILED, RESULT_NOT_SIMULATED "X");
    cr_expect_eq(comparison_exit_code(compare(&fixture)), EXIT_NOT_MEASURED);
}

Test(compare, a_failure_of_the_library_s_own_code_is_missing_when_computed)
{
    static const struct {
        enum result_status status;
        const char *code; /* hash of the kernel's code in the baseline */
        size_t judgements;
        const char *reason;
    } rows[] = {{RESULT_FAILED, "f00d", 1, RESULT_ELSEWHERE "made up"},
                {RESULT_WRONG, "f00d", 1, "made up"},
                {RESULT_WRONG, NULL, 1, "made up"},
                {RESULT_CRASHED, NULL, 1, "made up"},
                {RESULT_NOT_BUILT, "f00d", 1, "made up"},
                {RESULT_NOT_BUILT, NULL, 0, "made up"},
                {RESULT_FAILED, NULL, 0, RESULT_ELSEWHERE "made up"},
                {RESULT_FAILED, NULL, 1, "lane 31 reads 4 bytes beyond the end"}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put_baseline(&fixture, "a/b", rows[i].code);
        put_status(&fixture.run, "a/b", rows[i].status, rows[i].reason);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(comparison->count, rows[i].judgements, "row %zu", i);
        cr_expect_eq(comparison_exit_code(comparison), EXIT_NOT_MEASURED, "row %zu", i);
    }
}

Test(compare, counts_of_another_compiler_s_code_are_told)
{
    static const struct {
        const char *was, *is, *base_code, *code;
        bool computed, other;
    } rows[] = {
        {"nvcc 1", "nvcc 2", "f00d", "beef", true, true},   {"nvcc 1", "nvcc 2", "f00d", "f00d", true, false},
        {"nvcc 1", "nvcc 1", "f00d", "beef", true, false},  {"nvcc 1", NULL, "f00d", "beef", true, false},
        {"nvcc 1", "nvcc 2", "f00d", "beef", false, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_collector(&fixture.base, "cupti", rows[i].was);
        put_collector(&fixture.run, rows[i].computed ? "sim" : "cupti", rows[i].is);
        put_baseline(&fixture, "a/b", rows[i].base_code);
        put(&fixture.run, "a/b", "count", 7);
        put_code(&fixture.run, "a/b", rows[i].code);
        const char *other = compare_other_counts(&fixture.base, run_find(&fixture.base, "a/b"), &fixture.run,
                                                 run_find(&fixture.run, "a/b"));
        cr_expect(rows[i].other ? other && strcmp(other, rows[i].is) == 0 : !other, "row %zu: %s", i, other);
        const struct judgement *whole = find(compare(&fixture), "a/b", "");
        cr_expect_eq(whole != NULL, rows[i].other, "row %zu", i);
        cr_expect(!whole || (whole->verdict == VERDICT_UNSURE && says(whole, "the baseline by nvcc 1")));
    }
}

/* The baseline judges a metric that is not defined now, because its folder is not named. */
Test(compare, what_the_baseline_judges_and_nothing_defines_is_unsure)
{
    static const struct {
        enum metric_class class;
        bool judged, has_number, computed, unsure;
    } rows[] = {
        {METRIC_EXACT, true, true, false, true},   {METRIC_STEADY, true, true, false, true},
        {METRIC_TIME, true, true, false, true},    {METRIC_INFO, true, true, false, false},
        {METRIC_EXACT, false, true, false, false}, /* the definition in the baseline is not known */
        {METRIC_EXACT, true, false, false, false}, /* the baseline had no number that could be judged */
        {METRIC_EXACT, true, true, true, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        struct metric_note note = *run_find_note(&fixture.base, "count");
        note.name = "elsewhere";
        note.class = rows[i].class;
        note.judged = rows[i].judged;
        run_set_note(&fixture.base, &note);
        if (rows[i].has_number)
            put(&fixture.base, "a/b", "elsewhere", 7);
        else
            put_state(&fixture.base, "a/b", "elsewhere", VALUE_NOT_APPLICABLE);
        put_sides(&fixture, "a/b", "count", 7, 3, 7, 1);
        if (rows[i].computed)
            put_fact(&fixture.run, SESSION_COLLECTOR, origin_of(ORIGIN_COMPUTED)->collector);
        const struct judgement *judgement = find(compare(&fixture), "a/b", "");
        cr_expect_eq(judgement != NULL, rows[i].unsure, "row %zu", i);
        if (judgement) {
            cr_expect_eq(judgement->verdict, VERDICT_UNSURE, "row %zu", i);
            cr_expect(says(judgement, "no metric file defines: elsewhere; "), "%s", judgement->reason);
        }
    }
}

/* The kernel or the GPU may be the cause: neither is a pass, with a baseline or without. */
Test(compare, a_kernel_that_failed_on_another_gpu_is_no_pass)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_sides(&fixture, "a/b", "count", 7, 3, 7, 1);
    cr_expect_eq(comparison_exit_code(compare(&fixture)), EXIT_SAME);
    cr_expect_eq(run_exit_code(&fixture.run), EXIT_SAME);
    result_note_elsewhere(run_find(&fixture.run, "a/b"), "it crashed on GPU 1 (GPU-2): the process died");
    const struct comparison *comparison = compare(&fixture);
    const struct judgement *judgement = find(comparison, "a/b", "");
    cr_assert_not_null(judgement);
    cr_expect_eq(judgement->verdict, VERDICT_UNSURE);
    cr_expect(says(judgement, "it crashed on GPU 1 (GPU-2): the process died; the values shown"), "%s",
              judgement->reason);
    cr_expect_eq(find(comparison, "a/b", "count")->verdict, VERDICT_SAME);
    cr_expect_eq(comparison_exit_code(comparison), EXIT_UNSURE);
    cr_expect_eq(run_exit_code(&fixture.run), EXIT_UNSURE);
    result_fail(run_find(&fixture.run, "a/b"), RESULT_WRONG, "the output differs");
    cr_expect_null(run_find(&fixture.run, "a/b")->elsewhere);
    cr_expect_eq(comparison_exit_code(compare(&fixture)), EXIT_NOT_MEASURED);
}

static bool is_drawn(const char *kernel)
{
    return strstr(kernel, "~n") != NULL;
}

Test(compare, what_is_only_shown_is_not_judged)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_sides(&fixture, "a/b", "count", 7, 3, 7, 1);
    put_sides(&fixture, "a/b~n", "count", 7, 3, 9, 1);
    put_sides(&fixture, "a/b~n", "good", 7, 3, 7, 1);
    struct comparison *comparison = &fixture.comparison;
    cr_expect_eq(comparison_exit_code(compare(&fixture)), EXIT_REGRESSED);
    comparison_show_only(comparison, is_drawn, "drawn");
    cr_expect_eq(comparison_exit_code(comparison), EXIT_SAME);
    cr_expect_eq(find(comparison, "a/b~n", "count")->verdict, VERDICT_INFO);
    cr_expect_str_eq(find(comparison, "a/b~n", "count")->reason, "drawn");
    cr_expect_eq(find(comparison, "a/b", "count")->verdict, VERDICT_SAME);
    cr_expect_eq(comparison->kernel_counts[VERDICT_REGRESSED], 0);
    cr_expect_eq(comparison->kernel_counts[VERDICT_SAME], 1);
    cr_expect_eq(comparison->kernel_counts[VERDICT_INFO], 1);
}
