#include "baseline/baseline.h"
#include "compare_support.h"
#include "test.h"

Test(judge_revise, the_same_code_has_not_become_slower)
{
    static const struct {
        const char *base, *now; /* hashes of the code */
        double count, share;    /* values of the run; in the baseline they are 7 and 90 */
        enum verdict time, steady;
        size_t aa_samples;
    } rows[] = {
        {"f00d", "f00d", 7, 90, VERDICT_SAME, VERDICT_SAME, 1},
        {"f00d", "beef", 7, 90, VERDICT_REGRESSED, VERDICT_SAME, 0},
        {"f00d", NULL, 7, 90, VERDICT_REGRESSED, VERDICT_SAME, 0},
        {NULL, NULL, 7, 90, VERDICT_REGRESSED, VERDICT_SAME, 0},
        /* a changed count shows that the arguments changed */
        {"f00d", "f00d", 8, 90, VERDICT_REGRESSED, VERDICT_SAME, 0},
        {"f00d", "f00d", 8, 80, VERDICT_REGRESSED, VERDICT_REGRESSED, 0},
        {"f00d", "f00d", 6, 90, VERDICT_REGRESSED, VERDICT_SAME, 0},
        {"f00d", "f00d", 7, 80, VERDICT_SAME, VERDICT_REGRESSED, 1}, /* only a count proves that arguments changed */
        {"f00d", "beef", 7, 80, VERDICT_REGRESSED, VERDICT_REGRESSED, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "time", 100000, 10, 104000, 2);
        put_sides(&fixture, "a/b", "count", 7, 3, rows[i].count, 1);
        put_sides(&fixture, "a/b", "share", 90, 3, rows[i].share, 1);
        put_codes(&fixture, "a/b", rows[i].base, rows[i].now);
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *time = find(comparison, "a/b", "time");
        cr_expect_eq(time->verdict, rows[i].time, "row %zu: %s", i, verdict_name(time->verdict));
        cr_expect_eq(says(time, "same code"), rows[i].time == VERDICT_SAME, "row %zu", i);
        cr_expect_eq(find(comparison, "a/b", "share")->verdict, rows[i].steady, "row %zu", i);
        cr_expect_eq(comparison->same_code, rows[i].aa_samples, "row %zu: the deviation is kept", i);
    }
}

/* With zero-copy memory, a table that is read from a file, or a larger input, the code is the same. */
Test(judge_revise, the_same_code_explains_no_more_than_noise)
{
    static const struct {
        double time, drift_reference; /* in the baseline the time is 100000, with a limit of 2 % */
        enum verdict verdict;
        bool wants_pairs;
    } rows[] = {
        {110000, 100000, VERDICT_SAME, false},    {110100, 100000, VERDICT_UNSURE, true},
        {10000000, 100000, VERDICT_UNSURE, true}, {103000, 93000, VERDICT_UNSURE, true},
        {103000, 95000, VERDICT_SAME, false},     {50000, 100000, VERDICT_SAME, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "time", 100000, 10, rows[i].time, 2);
        put_codes(&fixture, "a/b", "f00d", "f00d");
        struct row *base = result_find(run_find(&fixture.base, "a/b"), "time");
        base->has_drift_reference = true;
        base->drift_reference = rows[i].drift_reference;
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *time = find(comparison, "a/b", "time");
        cr_expect_eq(time->verdict, rows[i].verdict, "row %zu: %s", i, verdict_name(time->verdict));
        cr_expect_eq(judgement_wants_pairs(time), rows[i].wants_pairs, "row %zu", i);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].verdict == VERDICT_SAME ? EXIT_SAME : EXIT_UNSURE);
        struct row *now = result_find(run_find(&fixture.run, "a/b"), "time");
        for (size_t pair = 0; pair < RULE_PAIR_COUNT; pair++)
            row_add_pair(now, 100000, rows[i].time);
        time = find(compare(&fixture), "a/b", "time");
        cr_expect_eq(time->verdict, rows[i].time > 101000 ? VERDICT_REGRESSED : VERDICT_IMPROVED, "row %zu", i);
    }
}

/* Ten GPUs are known, and this is another one. Hit rates differ among GPUs of one model, but within limits. */
Test(judge_revise, the_same_code_may_be_a_little_worse_on_another_gpu)
{
    static const struct {
        const char *gpu, *code;
        double share; /* in the baseline the share is 90, with a limit of 1 point */
        enum verdict verdict;
    } rows[] = {
        {"GPU-x", "f00d", 88, VERDICT_SAME},      {"GPU-x", "f00d", 92, VERDICT_SAME},
        {"GPU-x", "f00d", 86, VERDICT_REGRESSED}, {"GPU-x", "beef", 88, VERDICT_REGRESSED},
        {"GPU-3", "f00d", 88, VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "share", 90, 10, rows[i].share, 2);
        put_codes(&fixture, "a/b", "f00d", rows[i].code);
        struct result *base = run_find(&fixture.base, "a/b");
        for (int k = 0; k < 10; k++) {
            struct session *session = ARRAY_GROW(base->sessions, base->session_count);
            session->facts[SESSION_GPU_UUID] = x_sprintf("GPU-%d", k);
        }
        put_fact(&fixture.run, SESSION_GPU_UUID, rows[i].gpu);
        expect_verdict(&fixture, "a/b", "share", rows[i].verdict, i);
    }
}

/* Pairs compare the base build with the new one, so the baseline's code does not matter. */
Test(judge_revise, pairs_say_more_than_the_code_of_the_baseline)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_sides(&fixture, "a/b", "time", 100000, 10, 120000, 2);
    put_codes(&fixture, "a/b", "f00d", "f00d");
    struct row *row = result_find(run_find(&fixture.run, "a/b"), "time");
    for (size_t i = 0; i < RULE_PAIR_COUNT; i++)
        row_add_pair(row, 100000, 120000);
    cr_expect_eq(find(compare(&fixture), "a/b", "time")->verdict, VERDICT_REGRESSED);
}

Test(judge_revise, the_same_code_launched_otherwise_is_not_the_same)
{
    for (int part = 0; part < 4; part++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "time", 100000, 10, 110000, 2);
        put_codes(&fixture, "a/b", "f00d", "f00d");
        struct launch *launch = &run_find(&fixture.run, "a/b")->launches[0];
        unsigned *const parts[] = {&launch->grid[2], &launch->block[0], &launch->shared, &launch->times};
        ++*parts[part];
        cr_expect_eq(find(compare(&fixture), "a/b", "time")->verdict, VERDICT_REGRESSED, "part %d", part);
    }
}

/* Occupancy fell, but the kernel became faster. */
Test(judge_revise, what_became_worse_for_a_gain_is_a_trade)
{
    static const struct {
        double time;
        enum verdict share;
        enum exit_code code;
    } rows[] = {
        {90000, VERDICT_TRADED, EXIT_SAME},
        {99000, VERDICT_REGRESSED, EXIT_REGRESSED},
        {110000, VERDICT_REGRESSED, EXIT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "share", 90, 10, 50, 2);
        put_sides(&fixture, "a/b", "time", 100000, 10, rows[i].time, 2);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/b", "share")->verdict, rows[i].share, "row %zu", i);
        cr_expect_eq(says(find(comparison, "a/b", "share"), "trade-off"), rows[i].share == VERDICT_TRADED);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].code, "row %zu", i);
    }
}

/* A launch that is faster pays for none that is added. */
Test(judge_revise, more_launches_are_not_paid_by_a_faster_one)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_sides(&fixture, "a/b", "time", 100000, 10, 50000, 2);
    put_sides(&fixture, "a/b", "launches", 10, 10, 100, 2);
    put_codes(&fixture, "a/b", "f00d", "beef");
    cr_expect_eq(find(compare(&fixture), "a/b", "time")->verdict, VERDICT_IMPROVED);
    cr_expect_eq(find(compare(&fixture), "a/b", "launches")->verdict, VERDICT_REGRESSED);
}

/* For example, a hit rate falls because unnecessary hits are gone. */
Test(judge_revise, a_ratio_may_fall_while_what_it_stands_for_is_no_worse)
{
    static const struct {
        double paired_time, count; /* in the baseline 100000 and 7; 0: there are no pairs, or no row */
        enum verdict ratio;
    } rows[] = {
        {96000, 7, VERDICT_TRADED}, {100000, 7, VERDICT_TRADED},    {100000, 6, VERDICT_TRADED},
        {0, 7, VERDICT_REGRESSED},  {104000, 7, VERDICT_REGRESSED}, {100000, 8, VERDICT_REGRESSED},
        {96000, 8, VERDICT_TRADED}, {100000, 0, VERDICT_REGRESSED}, /* a faster kernel may pay with it */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "ratio", 90, 10, 80, 2);
        put_sides(&fixture, "a/b", "time", 100000, 10, 100000, 2);
        put_times(&fixture.base, "a/b", "count", 7, 3);
        if (rows[i].count > 0)
            put(&fixture.run, "a/b", "count", rows[i].count);
        struct row *time = result_find(run_find(&fixture.run, "a/b"), "time");
        for (size_t pair = 0; pair < RULE_PAIR_COUNT && rows[i].paired_time > 0; pair++)
            row_add_pair(time, 100000, rows[i].paired_time);
        expect_verdict(&fixture, "a/b", "ratio", rows[i].ratio, i);
    }
}

Test(judge_revise, expected_regressions_do_not_fail_until_they_expire_or_pass)
{
    static const char declared[] = "[a/b count]\nissue = https://example.org/12\nexpires = 2026-12-31\nworst = 10\n";
    static const struct {
        double count; /* in the baseline the count is 7 */
        const char *date;
        enum verdict verdict;
        enum exit_code code;
        const char *reason;
    } rows[] = {
        {9, "2026-12-31T23:59:59Z", VERDICT_EXPECTED, EXIT_SAME, "example.org/12"},
        {10, "2026-12-31T23:59:59Z", VERDICT_EXPECTED, EXIT_SAME, "example.org/12"},
        {11, "2026-12-31T23:59:59Z", VERDICT_REGRESSED, EXIT_REGRESSED, "worse than declared (10, made_up.ini:1)"},
        {9, "2027-01-01T00:00:00Z", VERDICT_REGRESSED, EXIT_REGRESSED, "expected until 2026-12-31 only"},
        {7, "2026-12-31T23:59:59Z", VERDICT_UNEXPECTED, EXIT_REGRESSED, "remove [a/b count] at made_up.ini:1"},
        {5, "2026-12-31T23:59:59Z", VERDICT_UNEXPECTED, EXIT_REGRESSED, "remove [a/b count]"},
        {7, "2027-01-01T00:00:00Z", VERDICT_UNEXPECTED, EXIT_REGRESSED, "remove [a/b count]"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        cr_assert_eq(known_regressions_read_text(&fixture.known_regressions, "made_up.ini", declared), 0);
        put_sides(&fixture, "a/b", "count", 7, 3, rows[i].count, 1);
        put(&fixture.base, "a/c", "count", 7); /* a row about which nothing is declared */
        put(&fixture.run, "a/c", "count", 7);
        put_fact(&fixture.run, SESSION_DATE, rows[i].date);
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *judgement = find(comparison, "a/b", "count");
        cr_expect_eq(judgement->verdict, rows[i].verdict, "row %zu: %s", i, verdict_name(judgement->verdict));
        cr_expect(says(judgement, rows[i].reason), "row %zu: %s", i, judgement->reason);
        cr_expect_eq(find(comparison, "a/c", "count")->verdict, VERDICT_SAME);
        cr_expect_eq(comparison_exit_code(comparison), rows[i].code, "row %zu", i);
    }
}

Test(judge_revise, a_suite_that_moved_is_no_unexpected_pass)
{
    static const char declared[] = "[suite/00 time]\nissue = https://example.org/12\nexpires = 2026-12-31\n";
    AT_END(tear_down) struct fixture fixture = set_up();
    cr_assert_eq(known_regressions_read_text(&fixture.known_regressions, "made_up.ini", declared), 0);
    for (int i = 0; i < 20; i++) {
        char id[16];
        snprintf(id, sizeof id, "suite/%02d", i);
        put_sides(&fixture, id, "time", 100000, 10, i == 0 ? 100000 : 110000, 2);
        put_codes(&fixture, id, "f00d", "f00d");
    }
    const struct comparison *comparison = compare(&fixture);
    cr_expect_eq(find(comparison, "suite/00", "time")->verdict, VERDICT_SAME);
    cr_expect_eq(comparison_exit_code(comparison), EXIT_UNSURE);
}

/* New build and base build both have the known regression, so pairs cannot see it. */
Test(judge_revise, equal_pairs_say_nothing_of_a_declared_regression)
{
    static const char declared[] = "[a/b time]\nissue = https://example.org/12\nexpires = 2026-12-31\nworst = 109000\n";
    static const struct {
        double time;
        const char *date;
        enum verdict verdict;
    } rows[] = {
        {104000, "2026-12-31T00:00:00Z", VERDICT_EXPECTED},
        {104000, "2027-01-01T00:00:00Z", VERDICT_SAME},
        {110000, "2026-12-31T00:00:00Z", VERDICT_SAME},
        {101000, "2026-12-31T00:00:00Z", VERDICT_SAME},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        cr_assert_eq(known_regressions_read_text(&fixture.known_regressions, "made_up.ini", declared), 0);
        put_sides(&fixture, "a/b", "time", 100000, 10, rows[i].time, 2);
        put_fact(&fixture.run, SESSION_DATE, rows[i].date);
        struct row *row = result_find(run_find(&fixture.run, "a/b"), "time");
        for (size_t n = 0; n < 4; n++)
            row_add_pair(row, rows[i].time, rows[i].time);
        const struct judgement *time = expect_verdict(&fixture, "a/b", "time", rows[i].verdict, i);
        cr_expect_eq(time->reason != NULL, rows[i].verdict == VERDICT_EXPECTED, "row %zu: %s", i, time->reason);
    }
}
