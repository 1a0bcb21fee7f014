/* How far a launch is. */
#include "made_program.h"
#include "test.h"

struct told {
    unsigned times;
    uint64_t done, count;
    double left;
};

static void note(void *self, uint64_t done, uint64_t count, double left)
{
    struct told *told = self;
    *told = (struct told){told->times + 1, done, count, left};
}

Test(headway, the_rest_takes_as_long_as_what_is_done)
{
    struct told told = {0};
    struct headway headway = {.tell = note, .self = &told};
    headway_begin(&headway, 100);
    headway_add(&headway, 1);
    cr_expect(told.times == 1 && told.done == 1 && told.count == 100 && told.left == -1, "tried alone, it took longer");
    headway_add(&headway, 1);
    cr_expect_eq(told.times, 1, "not each block");
    headway.told = 0;
    headway_all(&headway, 20);
    headway.since -= 10;
    headway_add(&headway, 5);
    cr_expect(told.times == 2 && told.done == 25, "%u, %llu", told.times, (unsigned long long)told.done);
    cr_expect(told.left >= 150 && told.left < 160, "%g: 5 take 10 s, and 75 are left", told.left);
}

Test(headway, a_launch_tells_its_blocks)
{
    struct told told = {0};
    struct machine *machine = made_machine();
    machine->headway->tell = note;
    machine->headway->self = &told;
    made_blocks = 3;
    machine->headway->told = 0;
    cr_assert_null(run_program(PROGRAM("NOP"), 64));
    made_blocks = 1;
    cr_expect_eq(told.count, 3);
    cr_expect_geq(told.done, 1);
    cr_expect_eq(machine->headway->done, 3);
    cr_expect_eq(machine->headway->count, 3);
    machine->headway->tell = NULL;
}
