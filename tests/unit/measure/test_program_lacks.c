#include "measure/program_parts.h"
#include "test.h"

/* Two metrics of set 0, one of set 1, one of none; two groups, of which the first has five samples in set 0. */
static struct {
    struct metric list[4];
    struct metrics metrics;
    size_t set_of[4];
    struct program_group groups[2];
    struct program_group *pointers[2];
    struct program_groups all;
    size_t missed[2][2];
    struct run run;
} fixture = {
    .list = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}},
    .set_of = {1, 1, 2, 0},
    .groups = {{.id = "often", .wanted = true}, {.id = "seldom", .wanted = true}},
};

static void add(struct run *run, const char *id, const char *metric, size_t count)
{
    const double samples[] = {1, 2, 3, 4, 5};
    row_add_session(result_add(run_add(run, id), metric), samples, count);
}

static void set_up(void)
{
    fixture.metrics = (struct metrics){.list = fixture.list, .count = 4};
    for (size_t g = 0; g < 2; g++) {
        fixture.pointers[g] = &fixture.groups[g];
        fixture.groups[g].missed = fixture.missed[g];
        fixture.groups[g].missed_count = 2;
    }
    fixture.all = (struct program_groups){.list = fixture.pointers, .count = 2};
    add(&fixture.run, "often", "a", 5);
    add(&fixture.run, "often", "b", 5);
}

DO(tear_down(void), run_release(&fixture.run));

TestSuite(program_lacks, .init = set_up, .fini = tear_down);

static size_t lacks(size_t set, bool is_whole)
{
    return program_lacks(&fixture.all, &fixture.run, &fixture.metrics, fixture.set_of, set, 5, is_whole);
}

Test(program_lacks, what_was_launched_while_another_set_was_counted)
{
    cr_assert_eq(lacks(1, true), 0); /* nothing was missed, so another run would not have more */
    fixture.missed[0][1] = fixture.missed[1][0] = 3;
    cr_assert_eq(lacks(1, true), 1);
    cr_assert_not(fixture.groups[0].complete);
    cr_assert(fixture.groups[1].complete);
    cr_assert_eq(lacks(0, true), 1); /* of the other one, which nothing was counted of */
    cr_assert(fixture.groups[0].complete);
    cr_assert_not(fixture.groups[1].complete);
    add(&fixture.run, "often", "c", 4);
    cr_assert_eq(lacks(1, true), 1);
    add(&fixture.run, "seldom", "a", 5);
    cr_assert_eq(lacks(0, true), 0);
}

Test(program_lacks, nothing_that_is_not_wanted_or_was_answered)
{
    fixture.missed[0][1] = fixture.missed[1][1] = 3;
    fixture.groups[1].wanted = false;
    result_add(run_add(&fixture.run, "often"), "c")->state = VALUE_NOT_SUPPORTED;
    cr_assert_eq(lacks(1, true), 0);
}

Test(program_lacks, what_another_set_has_where_a_process_did_not_tell)
{
    cr_assert_eq(lacks(1, false), 1);
    cr_assert_not(fixture.groups[0].complete);
    cr_assert_eq(lacks(0, false), 0);
}

/* Expects the row to have so many samples; SIZE_MAX: to be not counted. */
static void expect(const struct run *run, const char *metric, size_t count)
{
    const struct row *row = result_find(run_find(run, "often"), metric);
    cr_assert(row);
    if (count == SIZE_MAX)
        cr_assert_eq(row->state, VALUE_NOT_COUNTED);
    else
        cr_assert_eq(row->sessions[0].count, count);
}

Test(program_lacks, more_samples_take_the_place_of_fewer)
{
    OWNED(run) more = {0};
    add(&fixture.run, "often", "c", 2);
    add(&more, "often", "a", 4);
    add(&more, "often", "c", 3);
    add(&more, "often", "d", 1);
    program_complete_rows(run_find(&fixture.run, "often"), run_find(&more, "often"));
    expect(&fixture.run, "a", 5);
    expect(&fixture.run, "b", 5);
    expect(&fixture.run, "c", 3);
    expect(&fixture.run, "d", 1);
}

/* What one launch could not count, all of them have not, in whichever run. */
Test(program_lacks, what_could_not_be_counted_stays_so)
{
    OWNED(run) more = {0};
    result_add(run_find(&fixture.run, "often"), "c"); /* not counted */
    result_add(run_add(&more, "often"), "a");
    add(&more, "often", "c", 5);
    result_add(run_find(&more, "often"), "b")->state = VALUE_NOT_SUPPORTED;
    program_complete_rows(run_find(&fixture.run, "often"), run_find(&more, "often"));
    expect(&fixture.run, "a", SIZE_MAX);
    expect(&fixture.run, "b", 5);
    expect(&fixture.run, "c", SIZE_MAX);
}

/* A simulated program has no times, so no share of them is named. */
Test(program_lacks, what_was_left_out_is_named_without_times)
{
    fixture.groups[0].times = 1;
    OWNED_TEXT words = program_left_out(&fixture.all, &fixture.run, &fixture.metrics, fixture.set_of);
    cr_expect_str_eq(words, "1 kernel: often");
}

/* Of `often` there are numbers. Each of the others may be little for itself. */
Test(program_lacks, all_without_a_number_is_little_together)
{
    static const struct {
        double times[3];
        bool known, wanted, seldom;
    } rows[] = {
        {{9950, 30, 15}, false, true, true},  {{9950, 60, 50}, false, true, false},  {{9950, 60, 50}, true, true, true},
        {{9950, 60, 50}, false, false, true}, {{9950, 30, NAN}, false, true, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        double times[3] = {rows[i].times[0], rows[i].times[1], rows[i].times[2]}, once = 1;
        struct program_share shares[3] = {{.took = &times[0], .counts = &once},
                                          {.took = &times[1], .counts = &once},
                                          {.took = &times[2], .counts = &once}};
        struct program_group groups[3] = {
            {.id = "often", .wanted = true, .runs = 1, .shares = &shares[0]},
            {.id = "one", .wanted = true, .runs = 1, .shares = &shares[1]},
            {.id = "two", .wanted = rows[i].wanted, .known = rows[i].known, .runs = 1, .shares = &shares[2]}};
        struct program_group *list[3] = {&groups[0], &groups[1], &groups[2]};
        cr_expect_eq(program_lack_is_seldom(&(struct program_groups){.list = list, .count = 3}, &fixture.run),
                     rows[i].seldom, "row %zu", i);
    }
}
