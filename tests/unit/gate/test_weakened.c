/* Tests notes about what a change takes away from the gate, and that there are none if it takes nothing. */
#include "baseline/baseline.h"
#include "compare_support.h"
#include "gate/weakened.h"
#include "test.h"

/* A change from one baseline to another. Both are equal until a test changes one: k/a has ten sessions of time and
 * three of count. */
struct change {
    struct fixture was, now;
    struct comparison comparison;
};

static void fill(struct fixture *fixture)
{
    *fixture = set_up();
    for (int i = 0; i < 10; i++)
        put(&fixture->base, "k/a", "time", 100000 + 100 * i);
    put_times(&fixture->base, "k/a", "count", 7, 3);
    put(&fixture->base, "k/b", "count", 1);
    put_state(&fixture->base, "k/b", "share", VALUE_NOT_APPLICABLE);
    struct row *time = result_find(run_find(&fixture->base, "k/a"), "time");
    time->has_drift_reference = true;
    time->drift_reference = 100000;
}

static void begin(struct change *change)
{
    *change = (struct change){0};
    fill(&change->was);
    fill(&change->now);
}

static struct row *row_of(struct fixture *fixture, const char *kernel, const char *metric)
{
    return result_find(run_find(&fixture->base, kernel), metric);
}

/* Replaces a row, as accepting a session of this value does. */
static void replace(struct change *change, const char *metric, double value, const char *reason)
{
    struct result *result = run_find(&change->now.base, "k/a");
    struct row *row = result_find(result, metric);
    const bool has_drift_reference = row->has_drift_reference;
    const double drift_reference = row->drift_reference;
    row_clear(row);
    row->has_drift_reference = has_drift_reference;
    row->drift_reference = drift_reference;
    row_add_session(row, &value, 1);
    row->sessions[0].session = result->session_count;
    ARRAY_GROW(result->sessions, result->session_count)->facts[SESSION_REASON] = x_strdup(reason);
}

/* Expects these notes in order, each by some of its words, and ends the change. */
static void expect_notes(struct change *change, const char *const *words, size_t count)
{
    const struct standards was = {&change->was.metrics, &change->was.base, &change->was.known_regressions};
    const struct standards now = {&change->now.metrics, &change->now.base, &change->now.known_regressions};
    weakened_note(&change->comparison, &was, &now);
    cr_expect_eq(change->comparison.note_count, count);
    for (size_t i = 0; i < change->comparison.note_count; i++)
        cr_expect(i < count && strstr(change->comparison.notes[i], words[i]), "note %zu: %s", i,
                  change->comparison.notes[i]);
    comparison_release(&change->comparison);
    tear_down(&change->was);
    tear_down(&change->now);
}

#define EXPECT(change, ...)                                                                                            \
    expect_notes(change, (const char *const[]){__VA_ARGS__}, ARRAY_SIZE(((const char *[]){__VA_ARGS__})))

Test(weakened, what_is_the_same_new_or_better_is_no_note)
{
    struct change change;
    begin(&change);
    put(&change.now.base, "k/c", "count", 9);
    put(&change.now.base, "k/a", "good", 9);
    replace(&change, "time", 90000, "faster");
    replace(&change, "count", 6, "fewer");
    ((struct metric *)metrics_find(&change.now.metrics, "time"))->floor_relative = 0.01;
    expect_notes(&change, NULL, 0);
}

Test(weakened, kernels_and_rows_that_are_gone_are_named)
{
    struct change change;
    begin(&change);
    struct result *a = run_find(&change.now.base, "k/a");
    row_clear(&a->rows[0]); /* the row of count exists, but has no value */
    cr_assert_str_eq(a->rows[0].metric, "count");
    run_filter(&change.now.base, (char *[]){(char[]){"k/a"}}, 1);
    EXPECT(&change, "WEAKENED: kernels are gone from the baseline: k/b",
           "WEAKENED: values are gone from the baseline: k/a count");

    begin(&change);
    result_fail(run_find(&change.now.base, "k/a"), RESULT_HUNG, "slow");
    EXPECT(&change, "WEAKENED: kernels are gone from the baseline: k/a");

    begin(&change);
    char *old = row_of(&change.now, "k/b", "share")->metric;
    old[0] = 'x'; /* gives the row another name */
    EXPECT(&change, "WEAKENED: values are gone from the baseline: k/b share");
}

/* A check trusts counts whose inputs are the baseline's, without computing them. Of other code inputs may be others. */
Test(weakened, inputs_that_the_change_brought_are_named)
{
    static const struct {
        const char *was, *now;
        bool noted, other_code;
    } rows[] = {{NULL, "cafe", true, false},
                {"beef", "cafe", true, false},
                {"beef", "cafe", false, true},
                {"cafe", "cafe", false, false},
                {"cafe", NULL, false, false}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct change change;
        begin(&change);
        struct result *was = run_find(&change.was.base, "k/a"), *now = run_find(&change.now.base, "k/a");
        was->inputs = x_strdup(rows[i].was);
        now->inputs = x_strdup(rows[i].now);
        ARRAY_GROW(was->launches, was->launch_count)->code = x_strdup("1");
        ARRAY_GROW(now->launches, now->launch_count)->code = x_strdup(rows[i].other_code ? "2" : "1");
        const char *const words[] = {"WEAKENED: the baseline names other inputs than before; kernels with these inputs "
                                     "are not simulated (--all simulates them): k/a"};
        expect_notes(&change, words, rows[i].noted);
    }
}

Test(weakened, values_that_were_made_worse_are_named_with_their_reason)
{
    struct change change;
    begin(&change);
    replace(&change, "time", 120000, "wider tile");
    replace(&change, "count", 8, NULL);
    EXPECT(&change, "WEAKENED: made worse in the baseline without a reason: k/a count 7 -> 8",
           "made worse in the baseline, with the reason \"wider tile\": k/a time 100 us -> 120 us");

    begin(&change);
    replace(&change, "time", 120000, "wider tile");
    replace(&change, "count", 8, "wider tile");
    EXPECT(&change, "with the reason \"wider tile\": k/a count 7 -> 8, k/a time 100 us -> 120 us");

    begin(&change); /* the definition before the change decides which direction is bad */
    replace(&change, "count", 8, "");
    ((struct metric *)metrics_find(&change.now.metrics, "count"))->better = METRIC_HIGHER;
    EXPECT(&change, "WEAKENED: metrics are defined less strictly: count (better lower -> higher)",
           "WEAKENED: made worse in the baseline without a reason: k/a count 7 -> 8");
}

static void set_collector(struct fixture *fixture, const char *name)
{
    run_forget_sessions(&fixture->base);
    run_add_session(&fixture->base, &(struct session){.facts = {[SESSION_COLLECTOR] = (char *)name}});
}

Test(weakened, values_of_another_collector_are_not_weighed_and_kernels_are)
{
    struct change change;
    begin(&change);
    set_collector(&change.was, "cupti");
    set_collector(&change.now, "host");
    replace(&change, "time", 200000, "another way to measure");
    run_filter(&change.now.base, &(char *){(char[]){"k/a"}}, 1);
    EXPECT(&change, "WEAKENED: the baseline is of another collector, host and not cupti",
           "WEAKENED: kernels are gone from the baseline: k/b");
    begin(&change);
    set_collector(&change.was, "cupti");
    set_collector(&change.now, "cupti");
    replace(&change, "time", 200000, "slower");
    EXPECT(&change, "made worse in the baseline, with the reason \"slower\"");
}

Test(weakened, a_wider_spread_and_another_drift_reference_are_named)
{
    struct change change;
    begin(&change);
    row_clear(row_of(&change.now, "k/a", "time"));
    for (int i = 0; i < 10; i++)
        put(&change.now.base, "k/a", "time", i % 2 ? 95000 : 105900);
    EXPECT(&change, "limits have doubled: k/a time", "drift references of the baseline moved for the worse: k/a time");

    begin(&change);
    put(&change.now.base, "k/a", "count", 6); /* the count does not repeat any more */
    EXPECT(&change, "limits have doubled: k/a count");

    begin(&change);
    row_of(&change.now, "k/a", "time")->drift_reference = 103000;
    EXPECT(&change, "drift references of the baseline moved for the worse: k/a time");
}

Test(weakened, metrics_that_are_gone_or_laxer_are_named)
{
    struct change change;
    begin(&change);
    struct metric *time = (struct metric *)metrics_find(&change.now.metrics, "time");
    struct metric *good = (struct metric *)metrics_find(&change.now.metrics, "good");
    struct metric *count = (struct metric *)metrics_find(&change.now.metrics, "count");
    time->floor_relative = 0.5;
    count->follows = true;
    good->name[0] = 'x';
    EXPECT(&change, "WEAKENED: metrics are gone from the metric files: good",
           "less strictly: count (known no -> yes), time (floor 2 % and 250 ns -> 50 % and 250 ns)");
}

Test(weakened, known_regressions_that_reach_further_are_named)
{
    static const char was[] = "[k/a time]\nissue = x\nexpires = 2026-12-31\nworst = 5\n"
                              "[k/a count]\nissue = x\nexpires = 2026-12-31\nworst = 5\n"
                              "[k/a good]\nissue = x\nexpires = 2026-12-31\nworst = 5\n"
                              "[k/b share]\nissue = x\nexpires = 2026-12-31\nworst = 5\n";
    static const char now[] = "[k/a time]\nissue = x\nexpires = 2027-01-01\nworst = 5\n"
                              "[k/a count]\nissue = x\nexpires = 2026-12-31\n"
                              "[k/a good]\nissue = x\nexpires = 2026-12-31\nworst = 4\n"
                              "[k/b share]\nissue = x\nexpires = 2026-12-30\nworst = 6\n"
                              "[k/b count]\nissue = x\nexpires = 2026-12-30\n";
    struct change change;
    begin(&change);
    cr_assert_eq(known_regressions_read_text(&change.was.known_regressions, "was", was), 0);
    cr_assert_eq(known_regressions_read_text(&change.now.known_regressions, "now", now), 0);
    EXPECT(&change,
           "WEAKENED: expected.ini excuses more: k/a count (worst 5 -> any), k/a good (worst 5 -> 4), k/a time (until "
           "2026-12-31 -> 2027-01-01), k/b count (new, until 2026-12-30)");
}
