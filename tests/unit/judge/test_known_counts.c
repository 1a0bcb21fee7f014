/* Tests which counts of instrumented code are read again, by cases: known_counts.txt. */
#include "compare_cases.h"
#include "compare_support.h"

static void put_every(void)
{
    struct fixture *sides = compare_sides();
    EACH(const struct metric, metric, sides->metrics.list, sides->metrics.count) {
        const bool is_odd = strcmp(metric->name, word(2)) == 0;
        if (!metric_may_be_known(metric) || (is_odd && word_count == 3))
            continue;
        put(&sides->base, word(1), metric->name, 7);
        put(&sides->base, word(1), metric->name, is_odd ? number(word(3)) : 7);
    }
}

/* Whether every row that may be known, of which there is one at least, is told and not judged. */
static bool is_unjudged(const struct comparison *comparison, const struct result *read)
{
    size_t told = 0;
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->metric || !metric_may_be_known(judgement->metric) || result_find(read, judgement->metric->name))
            continue;
        if (judgement->verdict != VERDICT_INFO || !says(judgement, "known since 2026-11-28"))
            return false;
        told++;
    }
    return told > 0;
}

static void expect_counts(void)
{
    struct fixture *sides = compare_sides();
    const struct result *was = run_find(&sides->base, word(1)), *is = run_find(&sides->run, word(1));
    const bool is_known = counts_are_known(&sides->base, was, &sides->run, is, &sides->metrics);
    CHECK(is_known == whole(word(2)), "known before it runs: %d", is_known);
    CHECK(is_unjudged(compare(sides), is) == whole(word(3)), "unjudged: not %s", word(3));
}

Test(known_counts, cases)
{
    static const struct case_command commands[] = {{"counts", expect_counts, true}, {"every", put_every, false}};
    compare_cases_with("tests/unit/judge/known_counts.txt", commands, ARRAY_SIZE(commands));
}

Test(known_counts, each_kernel_is_read_all_the_same_on_one_of_so_many_days)
{
    size_t days = 0;
    for (long day = 20000; day < 20000 + KNOWN_READ; day++)
        days += counts_have_their_day("made/up", day);
    cr_expect_eq(days, 1);
}
