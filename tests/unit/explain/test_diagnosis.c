#include "baseline/baseline.h"
#include "explain/diagnosis.h"
#include "test.h"

#include "compare_support.h"
#include "line_support.h"

static const char definitions[] =
    "[shared_wavefronts]\ntitle=S\ncounter=s.sum\nunit=count\nclass=exact\nbetter=lower\ndoc=d\n"
    "[shared_bank_conflicts]\ntitle=B\ncounter=b.sum\nunit=count\nclass=exact\nbetter=lower\ndoc=d\n"
    "[achieved_occupancy]\ntitle=A\ncounter=a.pct\nunit=%\nclass=steady\nbetter=higher\nfloor=1 point\ntrade=time\n"
    "doc=d\n";

/* In the baseline every count of the kernel k/v is 100. */
static struct fixture set_up_hotspots(void)
{
    struct fixture fixture = set_up();
    cr_assert_eq(metrics_read_text(&fixture.metrics, "causes.ini", definitions), 0);
    run_note_metrics(&fixture.base, &fixture.metrics);
    run_note_metrics(&fixture.run, &fixture.metrics);
    static const char *const names[] = {"shared_wavefronts", "shared_bank_conflicts", "instructions"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        put(&fixture.base, "k/v", names[i], 100);
    return fixture;
}

static struct profile made_wavefronts(unsigned number, double passes, double ideal)
{
    struct profile profile = made_lines(
        LINE_SHARED, (struct made_line[]){LINE_WITH(number, "s[i] += s[j];", passes), LINE_WITH(99, "other", 1), {0}});
    profile.counted |= COUNTED(LINE_SHARED_IDEAL);
    line_at(&profile, number)->counts[LINE_SHARED_IDEAL] = ideal;
    line_at(&profile, 99)->counts[LINE_SHARED_IDEAL] = 1;
    return profile;
}

/* The diagnosis of the last comparison. */
static struct diagnosis diagnosis;

static const struct judgement *judged(struct fixture *fixture, const char *metric)
{
    const struct judgement *judgement = find(compare(fixture), "k/v", metric);
    cr_assert_not_null(judgement, "%s", metric);
    diagnosis_release(&diagnosis);
    diagnosis_make(&diagnosis, &fixture->comparison, &fixture->base, &fixture->run);
    return judgement;
}

static const struct comparison *diagnosed(struct fixture *fixture)
{
    judged(fixture, "shared_wavefronts");
    return &fixture->comparison;
}

/* Returns the blame of a judgement of the last comparison. */
static const struct blame *blame_of(const struct judgement *judgement)
{
    return diagnosis_of(&diagnosis, judgement);
}

static void expect_no_hotspot(const struct judgement *judgement)
{
    cr_expect(!blame_of(judgement)->pattern && blame_of(judgement)->count == 0 && !blame_of(judgement)->same_as, "%s",
              judgement->metric->name);
}

Test(diagnosis, a_worse_row_is_blamed_on_the_line_that_grew)
{
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put(&fixture.run, "k/v", "shared_wavefronts", 900);
    put(&fixture.run, "k/v", "instructions", 100);
    put_times(&fixture.base, "k/v", "shared_wavefronts", 100, 2);
    struct result *now = run_find(&fixture.run, "k/v");
    now->profile = made_wavefronts(12, 900, 100);
    now->base_profile = made_wavefronts(10, 100, 100);
    const struct judgement *judgement = judged(&fixture, "shared_wavefronts");
    const struct blame *blame = blame_of(judgement);
    cr_expect_eq(judgement->verdict, VERDICT_REGRESSED);
    cr_assert_not_null(blame->pattern);
    cr_expect_str_eq(blame->pattern->name, "excess_wavefronts");
    cr_assert_eq(blame->count, 1);
    cr_expect(blame->against_base);
    cr_expect_eq(blame->hotspots[0].line, line_at(&now->profile, 12));
    cr_expect_eq(blame->hotspots[0].base, line_at(&now->base_profile, 10));
    cr_expect_eq(blame->hotspots[0].amount, 800);
    cr_expect_eq(blame->hotspots[0].base_amount, 0);
    cr_expect_eq(blame->hotspots[0].share, 1);
    cr_expect(blame_of(judgement)->is_worst);
    cr_expect_null(blame_of(judgement)->launch_change);
    expect_no_hotspot(judged(&fixture, "instructions"));
}

/* Without a base build, the lines that the baseline kept are used; without either, only the present lines. */
Test(diagnosis, the_nearest_base_counts)
{
    for (int mode = 0; mode < 4; mode++) {
        AT_END(tear_down) struct fixture fixture = set_up_hotspots();
        put(&fixture.run, "k/v", "shared_wavefronts", 900);
        struct result *now = run_find(&fixture.run, "k/v"), *base = run_find(&fixture.base, "k/v");
        now->profile = made_wavefronts(12, 900, 100);
        if (mode & 1)
            base->profile = made_wavefronts(10, 300, 100);
        if (mode & 2)
            now->base_profile = made_wavefronts(10, 200, 100);
        const struct blame *blame = blame_of(judged(&fixture, "shared_wavefronts"));
        cr_assert_eq(blame->count, 1);
        cr_expect_eq(blame->against_base, mode != 0);
        cr_expect_eq(blame->hotspots[0].has_base, mode != 0);
        cr_expect_eq(blame->hotspots[0].base_amount, mode & 2 ? 100 : mode & 1 ? 200 : 0);
    }
}

/* Lines that are large but did not grow are not blamed. */
Test(diagnosis, lines_that_did_not_grow_are_not_blamed)
{
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put(&fixture.run, "k/v", "shared_wavefronts", 900);
    struct result *now = run_find(&fixture.run, "k/v");
    now->profile = made_wavefronts(12, 900, 100);
    now->base_profile = made_wavefronts(10, 900, 100);
    expect_no_hotspot(judged(&fixture, "shared_wavefronts"));
    run_find(&fixture.base, "k/v")->profile = made_wavefronts(10, 100, 100);
    cr_expect_eq(blame_of(judged(&fixture, "shared_wavefronts"))->count, 1);

    /* Other counters were read, so there is nothing to compare with */
    now->base_profile.counted = run_find(&fixture.base, "k/v")->profile.counted = COUNTED(LINE_INSTRUCTIONS);
    const struct blame *blame = blame_of(judged(&fixture, "shared_wavefronts"));
    cr_expect(blame->count == 1 && !blame->against_base);
}

Test(diagnosis, a_row_without_lines_has_no_hotspot)
{
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put(&fixture.run, "k/v", "shared_wavefronts", 900);
    expect_no_hotspot(judged(&fixture, "shared_wavefronts"));
    run_find(&fixture.run, "k/v")->base_profile = made_wavefronts(10, 100, 100);
    expect_no_hotspot(judged(&fixture, "shared_wavefronts"));
}

Test(diagnosis, rows_that_are_not_worse_have_no_hotspot)
{
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put(&fixture.run, "k/v", "shared_wavefronts", 50);
    put(&fixture.run, "k/v", "shared_bank_conflicts", 100);
    put(&fixture.run, "k/v", "rate", 1);
    put(&fixture.base, "k/v", "rate", 2);
    struct result *now = run_find(&fixture.run, "k/v");
    now->profile = made_wavefronts(12, 900, 100);
    now->base_profile = made_wavefronts(10, 100, 100);
    const struct comparison *comparison = diagnosed(&fixture);
    for (size_t i = 0; i < comparison->count; i++) {
        cr_expect_not(judgement_is_worse(&comparison->list[i]));
        cr_expect_not(blame_of(&comparison->list[i])->is_worst);
        if (comparison->list[i].metric)
            expect_no_hotspot(&comparison->list[i]);
    }
}

/* Rows that are unsure or expected are explained, too. */
Test(diagnosis, unsure_and_expected_rows_have_hotspots)
{
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put_each(&fixture, "k/v", "time", 10000, 10900);
    put(&fixture.run, "k/v", "shared_wavefronts", 100);
    struct result *now = run_find(&fixture.run, "k/v");
    now->profile = made_wavefronts(12, 900, 100);
    profile_line_add_stall(line_at(&now->profile, 12), "mio_throttle", 7);
    now->profile.period = 1024;
    now->profile.launches = 1;
    const struct judgement *judgement = judged(&fixture, "time");
    cr_expect_eq(judgement->verdict, VERDICT_UNSURE);
    cr_assert_not_null(blame_of(judgement)->pattern);
    cr_expect_str_eq(blame_of(judgement)->pattern->name, "stalls");
    cr_expect_eq(blame_of(judgement)->hotspots[0].amount, 7168);

    put(&fixture.run, "k/v", "shared_wavefronts", 900);
    put_fact(&fixture.run, SESSION_DATE, "2026-11-22T08:00:00.000Z");
    cr_assert_eq(known_regressions_read_text(&fixture.known_regressions, "expected.ini",
                                             "[k/v shared_wavefronts]\nissue = x\nexpires = 2099-01-01\n"),
                 0);
    judgement = judged(&fixture, "shared_wavefronts");
    cr_expect_eq(judgement->verdict, VERDICT_EXPECTED);
    cr_expect_eq(blame_of(judgement)->count, 1);
}

static void put_stalls(struct profile *profile, unsigned number, double samples)
{
    profile_line_add_stall(line_at(profile, number), "barrier", samples);
    profile->period = 1024;
    profile->launches = 1;
}

/* Warps stall somewhere in any kernel. Without a base that explains nothing, but a counter that became worse does. */
Test(diagnosis, time_is_blamed_on_what_grew_and_not_on_where_warps_wait)
{
    static const struct {
        double now;  /* shared wavefronts now; in the baseline they were 100 */
        double base; /* stall samples of the base's line; below 0: it has none */
        bool base_has_texts;
        const char *pattern;
        bool against_base;
    } cases[] = {{900, -1, true, "excess_wavefronts", true},
                 {900, 2, false, "excess_wavefronts", false},
                 {900, 2, true, "stalls", true},
                 {100, -1, true, "stalls", false},
                 {100, 2, false, "stalls", false},
                 {100, 2, true, "stalls", true}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_hotspots();
        put_each(&fixture, "k/v", "time", 10000, 90000);
        put(&fixture.run, "k/v", "shared_wavefronts", cases[i].now);
        struct result *now = run_find(&fixture.run, "k/v"), *base = run_find(&fixture.base, "k/v");
        now->profile = made_wavefronts(12, cases[i].now, 100);
        put_stalls(&now->profile, 12, 7);
        base->profile = made_wavefronts(10, 200, 100);
        if (cases[i].base >= 0)
            put_stalls(&base->profile, 10, cases[i].base);
        for (size_t k = 0; k < base->profile.count && !cases[i].base_has_texts; k++)
            set_text(&base->profile.list[k].text, NULL);
        const struct blame *blame = blame_of(judged(&fixture, "time"));
        cr_assert_not_null(blame->pattern, "case %zu", i);
        cr_expect_str_eq(blame->pattern->name, cases[i].pattern, "case %zu: %s", i, blame->pattern->name);
        cr_expect_eq(blame->against_base, cases[i].against_base, "case %zu", i);
    }
}

Test(diagnosis, rows_with_one_pattern_name_the_gravest)
{
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put(&fixture.run, "k/v", "shared_wavefronts", 200);
    put(&fixture.run, "k/v", "shared_bank_conflicts", 900);
    put(&fixture.run, "k/v", "instructions", 500);
    struct result *now = run_find(&fixture.run, "k/v");
    now->profile = made_wavefronts(12, 900, 100);
    now->profile.counted |= COUNTED(LINE_INSTRUCTIONS);
    line_at(&now->profile, 99)->counts[LINE_INSTRUCTIONS] = 5;
    const struct comparison *comparison = diagnosed(&fixture);
    const struct judgement *conflicts = find(comparison, "k/v", "shared_bank_conflicts");
    const struct judgement *passes = find(comparison, "k/v", "shared_wavefronts");
    const struct judgement *instructions = find(comparison, "k/v", "instructions");
    cr_expect_eq(blame_of(passes)->pattern, blame_of(conflicts)->pattern);
    cr_expect_eq(blame_of(passes)->hotspots[0].line, blame_of(conflicts)->hotspots[0].line);
    cr_expect_null(blame_of(conflicts)->same_as);
    cr_expect_eq(blame_of(passes)->same_as, conflicts->metric);
    cr_expect_null(blame_of(instructions)->same_as);
    cr_expect_eq(blame_of(instructions)->hotspots[0].line, line_at(&now->profile, 99));
    cr_expect(blame_of(conflicts)->is_worst && !blame_of(passes)->is_worst && !blame_of(instructions)->is_worst);
    cr_expect_lt(conflicts - comparison->list, passes - comparison->list);
}

Test(diagnosis, small_parts_are_left_out)
{
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put(&fixture.run, "k/v", "instructions", 500);
    struct result *now = run_find(&fixture.run, "k/v");
    now->profile =
        made_lines(LINE_INSTRUCTIONS,
                   (struct made_line[]){LINE_WITH(1, "a", 1000), LINE_WITH(2, "b", 51), LINE_WITH(3, "c", 49), {0}});
    cr_expect_eq(blame_of(judged(&fixture, "instructions"))->count, 2);
    for (unsigned i = 3; i < 9; i++)
        profile_add(&now->profile, "f()", "k/a.cu", i, 0)->counts[LINE_INSTRUCTIONS] = 500;
    cr_expect_eq(blame_of(judged(&fixture, "instructions"))->count, BLAME_LINES);
}

Test(diagnosis, worse_rows_say_what_changed_in_the_launches)
{
    static const struct launch launch = {.grid = {64, 1, 1}, .block = {256, 1, 1}, .times = 1};
    AT_END(tear_down) struct fixture fixture = set_up_hotspots();
    put(&fixture.run, "k/v", "shared_wavefronts", 200);
    put(&fixture.run, "k/v", "instructions", 100);
    put_each(&fixture, "k/v", "achieved_occupancy", 90, 10);
    struct result *was = run_find(&fixture.base, "k/v"), *is = run_find(&fixture.run, "k/v");
    *ARRAY_GROW(was->launches, was->launch_count) = launch;
    *ARRAY_GROW(is->launches, is->launch_count) = launch;
    is->launches[0].times = 3;
    cr_expect_str_eq(blame_of(judged(&fixture, "shared_wavefronts"))->launch_change, "times in a row 1 -> 3");
    cr_expect_str_eq(blame_of(judged(&fixture, "achieved_occupancy"))->launch_change, "times in a row 1 -> 3");
    cr_expect_null(blame_of(judged(&fixture, "instructions"))->launch_change);
}
