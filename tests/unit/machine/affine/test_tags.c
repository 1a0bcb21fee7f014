/* What the brute force of test_rules.c does not reach: limits, shares, and which quotient is taken. */
#include "machine/affine/tags.h"

#include <criterion/criterion.h>

static const struct axis axes[AXES_MOST] = {
    {10, 99, 99, 1, 0, NULL}, {3, 7, 7, 1, 1, NULL}, {UINT32_MAX - 5, UINT32_MAX, 0, 1, 2, NULL}};

static struct tag moving(uint32_t axis, int64_t by)
{
    return (struct tag){.lanes = UINT32_MAX, .count = 1, .parts = {{axis, 0, axes[axis].most, 0, by}}};
}

Test(tags, what_turns_around_is_the_same)
{
    struct tag tag = moving(0, 12), more = moving(1, 16);
    cr_assert(tag_add(&tag, &more, 1));
    tag.ring = 5;
    tag_same_by(&tag, 5);
    cr_expect(!tag_moves(&tag));
    cr_expect_eq(tag.ring, 0);
    cr_expect_eq(tag.parts[0].every, 3, "8 blocks of 12 are 3 times 32");
    cr_expect_eq(tag.parts[1].every, 1);
    cr_expect_float_eq(tag_share(&tag, axes), 13 / 100.0 * (4 / 8.0), 1e-9, "13 of 100, and 4 of 8");
    tag = moving(2, 3);
    tag_same_by(&tag, 32);
    cr_expect_eq(tag.parts[0].every, EVERY_MOST, "1 << every has to be a number");
}

Test(tags, too_many_axes_are_not_known)
{
    struct tag sum = tag_same;
    for (uint32_t i = 0; i <= TAG_PARTS; i++)
        cr_expect_eq(tag_add(&sum, &(struct tag){.lanes = 1, .count = 1, .parts = {{i, 0, 9, 0, 1}}}, 1),
                     i < TAG_PARTS);
    struct tag large = moving(0, INT64_MAX / 2);
    cr_expect(!tag_add(&sum, &large, 4), "a factor is beyond 64 bits");
}

/* A floor is the factors that are nearest, where what is left of it does not carry. */
Test(tags, floors_become_factors)
{
    const int64_t third = 0x55555556;
    struct floor floors[2] = {{.by = {3 * third, third}, .least = 0x1000, .most = 0x2000, .bits = 32}, {.bits = 0}};
    const struct axis here[AXES_MOST] = {{10, 99, 99, 3, 0, NULL}, {0, 2, 2, 1, 0, NULL}};
    struct tag tag = {.lanes = 1, .floor = 1}, minus = {.lanes = 1, .floor = -1}, sign = {.lanes = 1, .floor = 2};
    cr_expect(tag_moves(&tag) && !tag_add(&minus, &tag, 1));
    tag_settle(&tag, floors, here);
    cr_expect(tag.count == 1 && tag.parts[0].by == 1 && tag.lanes == 1 && tag.parts[0].high == 99);
    floors[0].least = floors[0].most = UINT32_MAX - 1;
    floors[0].up = 3;
    tag_settle(&minus, floors, here);
    cr_expect(minus.count == 2 && minus.parts[0].by == -8 && minus.parts[0].high == 10 && minus.parts[1].high == 0);
    tag_settle(&sign, floors, here);
    cr_expect(!tag_moves(&sign) && sign.lanes == 1);
    const struct box all[2] = {{10, 10, 0}, {0, 2, 0}};
    cr_expect_eq(floors_quotient(floors, 2, 1, &(struct axis){.most = 99}, &all[1]), 3);
    cr_expect_eq(floors_quotient(floors, 2, 1, &(struct axis){.most = 2}, &all[1]), 0, "it is one quotient");
    cr_expect_eq(floors_quotient(floors, 2, 0, &here[0], &all[0]), 0, "it is a factor of 1");
}

Test(tags, what_is_at_one_place_does_not_move)
{
    struct tag tag = moving(0, 4);
    tag.parts[0].low = tag.parts[0].high = 10;
    cr_expect(!tag_moves(&tag) && tag_has_factors(&tag));
}
