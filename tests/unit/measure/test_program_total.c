#include "measure/program_parts.h"
#include "test.h"

/* A program with two kernels: a time of 100 and of 1,000 ns, an occupancy of 50 % and of 25 %. */
struct fixture {
    char *folder;
    struct metrics metrics;
    struct program program;
    struct measurement measurement;
    struct program_groups groups;
    struct run run;
};

static void add_kernel(struct fixture *fixture, const char *text, double time, double occupancy)
{
    struct program_group *group;
    cr_assert(program_group_take(&fixture->groups, &fixture->measurement, fixture->folder, 90, text, 10, &group));
    struct result *result = run_add(&fixture->run, group->id);
    row_add_session(result_add(result, "time"), &time, 1);
    row_add_session(result_add(result, "occupancy"), &occupancy, 1);
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.folder = scratch_make()};
    OWNED_TEXT definitions = file_text("tests/unit/measure/program_total.ini");
    cr_assert_eq(metrics_read_text(&fixture->metrics, "made_up.ini", definitions), 0);
    fixture->program.name = "app";
    fixture->measurement = (struct measurement){.program = &fixture->program, .metrics = &fixture->metrics};
    add_kernel(fixture, "launch\n1 1 1 32 1 1 0 0 - short\n", 100, 50);
    add_kernel(fixture, "launch\n1 1 1 32 1 1 0 0 - long\n", 1000, 25);
}

static void tear_down(struct fixture *fixture)
{
    program_groups_release(&fixture->groups);
    run_release(&fixture->run);
    metrics_release(&fixture->metrics);
    scratch_remove(fixture->folder);
}

/* Ends a run in which the kernels were launched so often. */
static void end_run(struct fixture *fixture, size_t first, size_t second, size_t processes)
{
    fixture->groups.list[0]->shares[0].launches = first;
    fixture->groups.list[1]->shares[0].launches = second;
    program_groups_end_run(&fixture->groups, &(struct program_run){.launching = processes});
}

/* Expects a row with these samples; with none, no row. */
static void expect(const struct fixture *fixture, const char *id, const char *metric, const double *samples,
                   size_t count)
{
    const struct result *result = run_find(&fixture->run, id);
    const struct row *row = result ? result_find(result, metric) : NULL;
    cr_assert_eq(row != NULL, count > 0, "%s %s", id, metric);
    if (!row)
        return;
    cr_assert_eq(row->session_count, 1, "%s %s", id, metric);
    cr_assert_eq(row->sessions[0].count, count, "%s %s", id, metric);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(row->sessions[0].samples[i], samples[i], "%s %s: %g", id, metric, row->sessions[0].samples[i]);
}
#define EXPECT(id, metric, ...)                                                                                        \
    expect(&fixture, id, metric, (const double[]){__VA_ARGS__}, sizeof(const double[]){__VA_ARGS__} / sizeof(double))

Test(program_total, launches_are_counted_in_each_run_and_add_up)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    end_run(&fixture, 10, 2, 1);
    end_run(&fixture, 12, 0, 3);
    program_total_add(&fixture.groups, &fixture.measurement, &fixture.run);
    EXPECT("app/short@1,32", "launches", 10, 12);
    EXPECT("app/long@1,32", "launches", 2, 0);
    EXPECT("app/program", "launches", 12, 12);
    EXPECT("app/program", "processes", 1, 3);
    EXPECT("app/program", "time", 10 * 100 + 2 * 1000);
    EXPECT("app/program", "occupancy", round_value((1000.0 * 50 + 2000.0 * 25) / 3000));
}

/* Records that are lacking count as those that came. A kernel without any leaves the run without a time. */
Test(program_total, gpu_time_is_that_of_all_launches_by_records)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    for (int run = 0; run < 3; run++) {
        fixture.groups.list[0]->shares[0].timed = run == 1 ? 0 : 5;
        fixture.groups.list[0]->shares[0].time_ns = 450;
        fixture.groups.list[1]->shares[0].timed = 2;
        fixture.groups.list[1]->shares[0].time_ns = 1800 + run;
        end_run(&fixture, 10, 2, 1);
    }
    program_total_add(&fixture.groups, &fixture.measurement, &fixture.run);
    EXPECT("app/short@1,32", "gpu_time", 900, 900);
    EXPECT("app/long@1,32", "gpu_time", 1800, 1801, 1802);
    EXPECT("app/program", "gpu_time", 2700, 2702);
    EXPECT("app/program", "time", 10 * 100 + 2 * 1000); /* as the profiler has it, which adds to each launch */
}

Test(program_total, copies_are_told_by_all_processes_or_not_at_all)
{
    for (size_t telling = 1; telling <= 2; telling++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture));
        fixture.groups.list[0]->shares[0].launches = 1;
        const struct program_run run = {.launching = 2, .telling = telling, .work = {[WORK_COPIES] = 7}};
        program_groups_end_run(&fixture.groups, &run);
        program_total_add(&fixture.groups, &fixture.measurement, &fixture.run);
        const struct row *row = result_find(run_find(&fixture.run, "app/program"), "copies");
        cr_expect_eq(row != NULL, telling == 2);
        cr_expect(!row || row_value(row) == 7);
    }
}

/* Of 20,000 ns a quarter belongs to others; how much of the other kernel's does is unknown, and too much from 1 % on.
 */
Test(program_total, what_overlaps_counts_once_in_the_busy_time)
{
    for (int i = 0; i < 2; i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture));
        struct program_group **list = fixture.groups.list;
        list[0]->shares[0] = (struct program_share){10, 5, .time_ns = 10e3, .ran_ns = 8e3, .alone_ns = 6e3};
        list[1]->shares[0] = (struct program_share){1, 1, .time_ns = i == 0 ? 140 : 160};
        program_groups_end_run(&fixture.groups, &(struct program_run){.launching = 1, .telling = 1});
        program_total_add(&fixture.groups, &fixture.measurement, &fixture.run);
        const struct row *row = result_find(run_find(&fixture.run, "app/program"), "busy_time");
        cr_assert(row && row->state == (i == 0 ? VALUE_MEASURED : VALUE_NOT_APPLICABLE));
        cr_expect(i > 0 || row_value(row) == 15e3 + 140, "%g", row_value(row));
    }
}

Test(program_total, a_kernel_that_a_later_run_brings_was_not_launched_before)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    end_run(&fixture, 10, 2, 1);
    add_kernel(&fixture, "launch\n1 1 1 32 1 1 0 0 - late\n", 5, 5);
    end_run(&fixture, 10, 2, 1);
    fixture.groups.list[2]->shares[0].counts[1] = 7;
    program_total_add(&fixture.groups, &fixture.measurement, &fixture.run);
    EXPECT("app/late@1,32", "launches", 0, 7);
    EXPECT("app/program", "time", 3000); /* of the first run, as are the launches that it is made of */
}

/* What is not known of one kernel is not known of the program. */
Test(program_total, there_is_none_unless_all_that_was_launched_has_numbers)
{
    enum { FAILED, GONE, UNWANTED, NOTHING, CASES };
    for (int i = 0; i < CASES; i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture));
        end_run(&fixture, i == NOTHING ? 0 : 10, i == NOTHING ? 0 : 2, 1);
        struct result *result = run_find(&fixture.run, "app/long@1,32");
        if (i == FAILED)
            result_fail(result, RESULT_FAILED, "made up");
        if (i == GONE)
            run_filter(&fixture.run, (char *[]){(char[]){"app/short@*"}}, 1);
        if (i == UNWANTED)
            fixture.groups.list[1]->wanted = false;
        program_total_add(&fixture.groups, &fixture.measurement, &fixture.run);
        cr_expect_null(run_find(&fixture.run, "app/program"), "case %d", i);
        EXPECT("app/short@1,32", "launches", i == NOTHING ? 0 : 10);
    }
}

/* -k that names the program's row wants all kernels, which it is made of. */
Test(program_total, whoever_wants_it_wants_all_kernels)
{
    AT_END(tear_down) struct fixture fixture = {.folder = scratch_make()};
    char *globs[] = {(char[]){"app/program"}};
    struct program_group *group;
    fixture.program.name = "app";
    fixture.measurement = (struct measurement){.program = &fixture.program, .globs = globs, .glob_count = 1};
    cr_assert(program_group_take(&fixture.groups, &fixture.measurement, fixture.folder, 90,
                                 "launch\n1 1 1 32 1 1 0 0 - short\n", 10, &group));
    cr_expect(group->wanted);
    cr_expect_eq(program_groups_expect(&fixture.groups, globs, 1), 0);
}
