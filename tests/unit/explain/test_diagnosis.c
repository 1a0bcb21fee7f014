/* Tests why rows are worse, what another toolchain did, and what kernels have now and had nothing of, by the cases of
 * diagnosis.txt. */
#include "compare_cases.h"
#include "compare_support.h"
#include "explain/appeared.h"
#include "explain/explain.h"
#include "line_support.h"

static void add_metrics(void)
{
    struct fixture *sides = compare_sides();
    for (size_t i = 1; i < word_count; i++) {
        const bool is_share = strcmp(word(i), "achieved_occupancy") == 0;
        OWNED_TEXT definition =
            x_sprintf("[%s]\ntitle=T%zu\ncounter=c%zu.%s\nunit=%s\nclass=%s\nbetter=%s\n%sdoc=d\n", word(i), i, i,
                      is_share ? "pct" : "sum", is_share ? "%" : "count", is_share ? "steady" : "exact",
                      is_share ? "higher" : "lower", is_share ? "floor=1 point\ntrade=time\n" : "");
        cr_assert_eq(metrics_read_text(&sides->metrics, "more.ini", definition), 0);
    }
    run_note_metrics(&sides->base, &sides->metrics);
    run_note_metrics(&sides->run, &sides->metrics);
}

/* The lines of a kernel in the run, in the baseline, or those of the base build that the run has. */
static struct profile *lines_of(const char *side)
{
    struct fixture *sides = compare_sides();
    struct result *result = run_find(strcmp(side, "base") == 0 ? &sides->base : &sides->run, "k/v");
    return strcmp(side, "build") == 0 ? &result->base_profile : &result->profile;
}

static void put_line(void)
{
    struct profile *profile = lines_of(word(1));
    struct profile_line *line = profile_add(profile, "f()", "k/a.cu", (unsigned)whole(word(2)), 0);
    set_text(&line->text, known(word(3)));
    for (size_t i = 4; i < word_count; i++) {
        const double count = number(value_of(word(i)));
        enum line_counter counter = 0;
        while (counter < LINE_COUNTERS && strcmp(line_counter_name(counter), word(i)) != 0)
            counter++;
        if (counter < LINE_COUNTERS) {
            profile->counted |= COUNTED(counter);
            line->counts[counter] = count;
        } else {
            profile->period = 1024;
            profile->launches = 1;
            profile_line_add_stall(line, word(i), count);
        }
    }
}

DO(forget_lines(void), profile_release(lines_of(word(1))));

/* What is behind the lines says which rows are what: against a base, the worst, as another row. */
static void expect_blame(void)
{
    struct fixture *sides = compare_sides();
    const struct judgement *judgement = find(compare(sides), "k/v", word(1));
    NEED(judgement, "there is no %s", word(1));
    OWNED(diagnosis) diagnosis = {0};
    diagnosis_make(&diagnosis, &sides->comparison, &sides->base, &sides->run);
    const struct blame *blame = diagnosis_of(&diagnosis, judgement);
    const char *pattern = blame->pattern ? blame->pattern->name : "none", *same_as = "", *launch = "", *cause = "";
    size_t against = blame->against_base, worst = blame->is_worst, lines = 3;
    CHECK(strcmp(pattern, word(2)) == 0, "%s: %s", word(1), pattern);
    while (lines < word_count && !strchr(word(lines), '='))
        lines++;
    const struct member members[] = {{"same_as", .text = &same_as},
                                     {"launch", .text = &launch},
                                     {"cause", .text = &cause},
                                     {"against", .count = &against},
                                     {"worst", .count = &worst}};
    put_members(members, ARRAY_SIZE(members), lines);
    word_count = lines;
    if (word_count > 3 || !blame->pattern)
        expect_hotspots(blame->hotspots, blame->count, 3);
    CHECK(against == blame->against_base && worst == blame->is_worst, "against %d, worst %d", blame->against_base,
          blame->is_worst);
    const char *as = blame->same_as ? blame->same_as->name : "";
    CHECK(strcmp(same_as, as) == 0, "as %s", as);
    CHECK(strcmp(cause, blame->cause ? blame->cause->name : "") == 0, "cause: %s", cause);
    CHECK(strcmp(launch, blame->launch_change ? blame->launch_change : "") == 0, "launch: %s", blame->launch_change);
}

static void expect_appeared(void)
{
    OWNED(appearances) appearances;
    appearances_find(&appearances, compare(compare_sides()));
    OWNED_TEXT words = appearances_of(&appearances, word(1));
    CHECK(strcmp(words ? words : "", word(2)) == 0, "%s", words ? words : "nothing");
}

static void put_toolchains(void)
{
    struct run *const runs[] = {&compare_sides()->base, &compare_sides()->run};
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
        put_fact(runs[i], SESSION_COMPILER, word(1 + i));
        set_text(&runs[i]->device.compute_capability, "9.0");
    }
}

DO(put_caller(void), set_text(&run_find(&compare_sides()->run, word(1))->launched_by, word(2)));

/* Kernels with what became of them and the time they lost; how many are the same; and libraries that lost time. */
static void expect_upgrade(void)
{
    struct fixture *sides = compare_sides();
    OWNED(upgrade) upgrade;
    upgrade_make(&upgrade, compare(sides), &sides->base, &sides->run);
    OWNED_TEXT all =
        x_sprintf("%s -> %s: %zu", upgrade.was ? upgrade.was : "-", upgrade.is ? upgrade.is : "-", upgrade.same);
    for (size_t i = 0; i < upgrade.count; i++)
        x_append(&all, "; ", "%s %s %g %s", upgrade.list[i].kernel, upgrade_class_name(upgrade.list[i].class),
                 upgrade.list[i].lost, upgrade.list[i].change ? upgrade.list[i].change : "-");
    for (size_t i = 0; i < upgrade.part_count; i++)
        x_append(&all, "; ", "in %s %g", *upgrade.parts[i].library ? upgrade.parts[i].library : "-",
                 upgrade.parts[i].lost);
    CHECK(strcmp(all, word(1)) == 0, "%s", all);
}

Test(diagnosis, cases)
{
    static const struct case_command commands[] = {
        {"metrics_too", add_metrics, false}, {"line", put_line, false},           {"forget_lines", forget_lines, false},
        {"blame", expect_blame, true},       {"appeared", expect_appeared, true}, {"toolchains", put_toolchains, false},
        {"caller", put_caller, false},       {"upgrade", expect_upgrade, true},
    };
    compare_cases_with("tests/unit/explain/diagnosis.txt", commands, ARRAY_SIZE(commands));
}
