#include "machine/tags.h"

#include <criterion/criterion.h>

static const struct axis axes[AXES_MOST] = {
    {10, 99, 99, 1, 0, NULL}, {3, 7, 7, 1, 1, NULL}, {UINT32_MAX - 5, UINT32_MAX, 0, 1, 2, NULL}};

static struct tag moving(uint32_t axis, int64_t by)
{
    return (struct tag){.lanes = UINT32_MAX, .count = 1, .parts = {{axis, 0, axes[axis].most, 0, by}}};
}

/* What a number may be in the box: it is enough to look at the corners. */
static bool is_within(const struct tag *box, const struct tag *sum, int64_t up, int64_t down)
{
    int64_t most = 0, least = 0;
    for (unsigned i = 0; i < sum->count; i++)
        for (unsigned k = 0; k < box->count; k++) {
            if (sum->parts[i].axis != box->parts[k].axis)
                continue;
            const int64_t at = axes[sum->parts[i].axis].at;
            const int64_t a = sum->parts[i].by * (box->parts[k].low - at),
                          b = sum->parts[i].by * (box->parts[k].high - at);
            most += a > b ? a : b;
            least += a < b ? a : b;
        }
    return most <= up && least >= -down;
}

Test(tags, sums_join_boxes)
{
    struct tag sum = moving(0, 4), more = moving(1, -2);
    more.parts[0].low = 2;
    cr_assert(tag_add(&sum, &more, 3));
    cr_expect_eq(sum.count, 2);
    cr_expect_eq(sum.parts[1].by, -6);
    cr_expect_eq(sum.parts[1].low, 2);
    cr_assert(tag_add(&sum, &more, 3));
    cr_expect_eq(sum.parts[1].by, -12);
    cr_expect(tag_moves(&sum));
    cr_expect(!tag_moves(&tag_same));
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

Test(tags, lanes_of_another_ring_move_apart)
{
    struct tag tag = moving(0, 4), other = moving(0, 4);
    other.ring = 7;
    tag_put(&tag, &other, 3);
    cr_expect_eq(tag.lanes, 3);
    tag_put(&tag, &other, 4);
    cr_expect_eq(tag.lanes, 7);
    cr_expect_eq(tag.ring, 7);
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

Test(tags, factors_are_of_32_bits)
{
    struct tag tag = moving(0, (INT64_C(5) << 32) + 0xfffffffe);
    tag_wrap(&tag, axes);
    cr_expect_eq(tag.parts[0].by, -2);
    tag = moving(1, INT64_C(1) << 32);
    tag_wrap(&tag, axes);
    cr_expect_eq(tag.count, 0, "it is the same in all blocks");
}

Test(tags, boxes_are_cut_where_a_number_goes_too_far)
{
    static const struct {
        int64_t x, y, z, up, down;
    } rows[] = {{1, 0, 0, 9, 100},    {1, 0, 0, 10, 2},      {-3, 0, 0, 8, 8},   {1, 100, 0, 50, 1000},
                {1, 100, 0, 150, 90}, {7, -5, 0, 3, 3},      {0, 0, 1, 4, 1000}, {0, 0, -1, 1000, 4},
                {1, 100, 3, 0, 0},    {1000, 1, 2, 900, 900}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tag sum = moving(0, rows[i].x), more = moving(1, rows[i].y), box = tag_same;
        cr_assert(tag_add(&sum, &more, 1));
        more = moving(2, rows[i].z);
        cr_assert(tag_add(&sum, &more, 1));
        cr_assert(tag_limit(&box, &sum, axes, rows[i].up, rows[i].down));
        cr_expect(is_within(&box, &sum, rows[i].up, rows[i].down), "row %zu", i);
        cr_expect(!tag_moves(&box));
        for (unsigned k = 0; k < box.count; k++)
            cr_expect(box.parts[k].low <= axes[k].at && box.parts[k].high >= axes[k].at, "row %zu, axis %u", i, k);
    }
    /* As large as it can be. */
    struct tag sum = moving(0, 3), box = tag_same;
    cr_assert(tag_limit(&box, &sum, axes, 8, 9));
    cr_expect(box.parts[0].low == 7 && box.parts[0].high == 12);
}

Test(tags, lanes_that_are_not_written_stay_if_they_move_alike)
{
    struct tag to = moving(0, 4), other = moving(0, 4), apart = moving(0, 8);
    other.parts[0].high = 50;
    tag_put(&to, &other, 0xff);
    cr_expect(to.lanes == UINT32_MAX && to.parts[0].high == 50);
    tag_put(&to, &apart, 0xf);
    cr_expect(to.lanes == 0xf && to.parts[0].by == 8);
    tag_put(&to, &(struct tag){.lanes = 0}, 1);
    cr_expect(to.lanes == 0xe && tag_knows(&to, 0xe) && !tag_knows(&to, 1));
    tag_put(&to, &tag_same, UINT32_MAX);
    cr_expect(to.lanes == UINT32_MAX && to.count == 0);
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
