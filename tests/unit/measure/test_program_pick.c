#include "measure/program_parts.h"
#include "test.h"

/* One group that was launched `most` times, with machine code that is known. */
struct fixture {
    struct program_group group, *pointer;
    struct program_groups all;
};

static void set_up(struct fixture *fixture, size_t most)
{
    *fixture = (struct fixture){
        .group = {.id = "app/add@1,32", .wanted = true, .most = most, .image = "0123456789abcdef"},
    };
    fixture->pointer = &fixture->group;
    fixture->all = (struct program_groups){.list = &fixture->pointer, .count = 1};
}

static size_t picked(size_t most, size_t asked)
{
    struct fixture fixture;
    set_up(&fixture, most);
    const size_t count = program_pick(&fixture.all, asked);
    cr_expect_eq(count, fixture.group.pick > 0);
    free(fixture.group.refused);
    return fixture.group.pick;
}

Test(program_pick, the_launch_in_the_middle_or_the_one_that_is_asked_for)
{
    cr_expect_eq(picked(1, 0), 1);
    cr_expect_eq(picked(2, 0), 2);
    cr_expect_eq(picked(6, 0), 4);
    cr_expect_eq(picked(7, 0), 4);
    cr_expect_eq(picked(7, 1), 1);
    cr_expect_eq(picked(7, 7), 7);
}

static void expect_refused(struct fixture *fixture, size_t asked, const char *why)
{
    cr_expect_eq(program_pick(&fixture->all, asked), 0);
    cr_expect_eq(fixture->group.pick, 0);
    cr_assert_not_null(fixture->group.refused);
    cr_expect(strstr(fixture->group.refused, why), "%s", fixture->group.refused);
    set_text(&fixture->group.refused, NULL);
}

Test(program_pick, a_group_of_which_none_can_be_kept_says_why)
{
    struct fixture fixture;
    set_up(&fixture, 1);
    expect_refused(&fixture, 2, "it has only 1 launch, so there is no launch 2");
    set_up(&fixture, 6);
    expect_refused(&fixture, 7, "it has only 6 launches, so there is no launch 7");
    fixture.group.image = NULL;
    expect_refused(&fixture, 0, "its machine code is unknown: several modules have a function of that name");
    fixture.group.refused = x_strdup("the disk is full"); /* as program_groups_find_images() found */
    expect_refused(&fixture, 0, "the disk is full");
    fixture.group.graph = true;
    expect_refused(&fixture, 0, "it is launched in a graph");
}

/* Nothing is refused where nothing was asked for. */
Test(program_pick, what_nobody_wants_and_what_never_counted_is_left_alone)
{
    struct fixture fixture;
    set_up(&fixture, 0);
    cr_expect_eq(program_pick(&fixture.all, 1), 0);
    cr_expect_null(fixture.group.refused);
    set_up(&fixture, 6);
    fixture.group.wanted = false;
    cr_expect_eq(program_pick(&fixture.all, 0), 0);
    cr_expect_null(fixture.group.refused);
    cr_expect_eq(fixture.group.pick, 0);
}

Test(program_pick, a_process_is_told_how_many_launches_to_leave_out)
{
    struct fixture fixture;
    set_up(&fixture, 6);
    char *answer = program_pick_answer(&fixture.group, "/nowhere");
    cr_expect_str_eq(answer, "0 0 0 0 app/add@1,32");
    free(answer);
    fixture.group.pick = 4;
    answer = program_pick_answer(&fixture.group, "/nowhere"); /* without the image its variables are not known */
    cr_expect_str_eq(answer, "3 1 1 0 app/add@1,32\n");
    free(answer);
}
