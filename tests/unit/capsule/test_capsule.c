#include "capsule/capsule.h"
#include "test.h"

Test(capsule, pages_of_any_size)
{
    cr_expect_eq(pages_of(0), 0);
    cr_expect_eq(pages_of(1), 1);
    cr_expect_eq(pages_of(CAPSULE_PAGE), 1);
    cr_expect_eq(pages_of(CAPSULE_PAGE + 1), 2);
    cr_expect_eq(pages_of(UINT64_MAX), (uint64_t)1 << 48, "no sum overflows");
}

Test(capsule, each_of_its_launches_is_like_one)
{
    struct argument argument = {.offset = 8, .size = 4, .of = 1};
    struct capsule_step step = {.function = (char[]){"g"},
                                .grid = {2, 1, 1},
                                .block = {3, 1, 1},
                                .shared = 4,
                                .byte_count = 12,
                                .arguments = &argument,
                                .argument_count = 1};
    struct capsule capsule = {.function = (char[]){"f"}, .grid = {9, 1, 1}, .swapped = (char[]){"a.cubin"}};
    const struct capsule alone = capsule_launch(&capsule, 0);
    EXPECT_ALL(capsule_launches(&capsule) == 1, strcmp(alone.function, "f") == 0, alone.grid[0] == 9);
    capsule.steps = &step;
    capsule.step_count = 1;
    const struct capsule one = capsule_launch(&capsule, 0);
    EXPECT_ALL(capsule_launches(&capsule) == 1, strcmp(one.function, "g") == 0, one.grid[0] == 2);
    EXPECT_ALL(one.block[0] == 3, one.shared == 4, one.shared_limit == 4, one.byte_count == 12);
    EXPECT_ALL(one.arguments == &argument, one.argument_count == 1, one.swapped == capsule.swapped);
}
