#include "machine/axes.h"
#include "test.h"

/* What is along each axis of a split grid is compared with all blocks, one by one. */
Test(axes, split_axes_have_the_blocks_that_exist)
{
    static const struct {
        unsigned blocks[3], axis, by, then_axis, then_by;
    } rows[] = {{{29, 3, 2}, 0, 4, 0, 3}, {{7, 26, 1}, 1, 6, 2, 3}, {{5, 1, 17}, 2, 2, 2, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct axis split[AXES_MOST];
        struct box box[AXES_MOST] = {0};
        int64_t by[AXES_MOST];
        uint32_t at[AXES_MOST], first[AXES_MOST];
        unsigned count = GRID_AXES;
        const unsigned *n = rows[i].blocks;
        axes_of(split, n);
        cr_expect_not(axes_split(split, &count, 0, 1));
        cr_expect_not(axes_split(split, &count, 0, n[0]), "one quotient");
        cr_assert(axes_split(split, &count, rows[i].axis, rows[i].by));
        cr_assert(axes_split(split, &count, rows[i].then_axis, rows[i].then_by));
        axes_place(split, (const unsigned[3]){n[0] - 1, n[1] - 1, n[2] - 1}, first);
        for (unsigned k = 0; k < AXES_MOST; k++) {
            by[k] = k % 2 ? -7 * (int64_t)k : 5 + 11 * (int64_t)k;
            box[k] = (struct box){first[k] / 2, split[k].most, 0};
        }
        size_t inside = 0, listed = 1;
        int64_t down[2] = {INT64_MAX, INT64_MAX}, up[2] = {INT64_MIN, INT64_MIN};
        for (unsigned b = 0; b < n[0] * n[1] * n[2]; b++) {
            const unsigned index[3] = {b % n[0], b / n[0] % n[1], b / n[0] / n[1]};
            unsigned again[3] = {0};
            int64_t value = 0;
            bool within = true;
            axes_place(split, index, at);
            for (unsigned k = 0; k < AXES_MOST; k++) {
                again[split[k].of] += at[k] * split[k].unit;
                value += by[k] * ((int64_t)at[k] - first[k]);
                within &= at[k] >= box[k].low && at[k] <= box[k].high;
            }
            cr_expect(again[0] == index[0] && again[1] == index[1] && again[2] == index[2]);
            inside += within;
            for (unsigned boxed = 0; boxed < 1u + within; boxed++) {
                down[boxed] = value < down[boxed] ? value : down[boxed];
                up[boxed] = value > up[boxed] ? value : up[boxed];
            }
        }
        for (unsigned of = 0; of < GRID_AXES; of++) {
            uint32_t *places;
            size_t along;
            axes_places(split, of, first, box, &places, &along);
            cr_expect(along > 0 && places[along - 1] == n[of] - 1);
            listed *= along;
            free(places);
        }
        cr_expect_eq(listed, inside, "row %zu", i);
        for (unsigned boxed = 0; boxed < 2; boxed++) {
            int128 least, most;
            axes_reach(split, first, boxed ? box : NULL, by, &least, &most);
            cr_expect(least == down[boxed] && most == up[boxed], "row %zu", i);
        }
    }
}

Test(axes, an_inner_axis_is_split_only_where_nothing_is_left)
{
    struct axis split[AXES_MOST];
    unsigned count = GRID_AXES;
    axes_of(split, (const unsigned[3]){100, 1, 1});
    cr_assert(axes_split(split, &count, 0, 12));
    cr_expect_not(axes_split(split, &count, 1, 5));
    cr_expect(axes_split(split, &count, 1, 6));
    cr_expect(split[1].most == 1 && split[1].unit == 6 && split[2].most == 5 && split[0].last == 8);
    cr_expect(axes_split(split, &count, 2, 3));
    cr_expect_not(axes_split(split, &count, 0, 2), "there are too many");
}

Test(axes, only_every_other_place_is_listed)
{
    static const unsigned blocks[3] = {40, 1, 1};
    static const struct box box[AXES_MOST] = {{1, 30, 2}};
    static const uint32_t at[AXES_MOST] = {7};
    struct axis axes[AXES_MOST];
    uint32_t *places;
    size_t count;
    axes_of(axes, blocks);
    cr_expect_eq(axes_places(axes, 0, at, box, &places, &count), 30);
    cr_expect(count == 7 && places[0] == 3 && places[6] == 27);
    free(places);
}

Test(axes, factors_and_boxes_become_those_of_parts)
{
    struct axis whole[AXES_MOST], split[AXES_MOST];
    unsigned count = GRID_AXES;
    int64_t by[AXES_MOST];
    struct box box[AXES_MOST];
    axes_of(whole, (const unsigned[3]){100, 6, 2});
    axes_of(split, (const unsigned[3]){100, 6, 2});
    cr_assert(axes_split(split, &count, 0, 12) && axes_split(split, &count, 2, 3));
    axes_refine(whole, split, (const int64_t[AXES_MOST]){-7, 100, 9}, by);
    const int64_t wanted[AXES_MOST] = {-84, -7, 300, 100, 9, 0};
    cr_expect_arr_eq(by, wanted, sizeof wanted);
    static const struct {
        struct box x, quotient, rest;
    } rows[] = {{{24, 35, 0}, {2, 2, 0}, {0, 11, 0}},
                {{25, 27, 0}, {2, 2, 0}, {1, 3, 0}},
                {{35, 36, 0}, {2, 3, 0}, {0, 11, 0}},
                {{96, 99, 0}, {8, 8, 0}, {0, 3, 0}},
                {{90, 99, 0}, {7, 8, 0}, {0, 11, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        axes_refine_box(whole, split, (const struct box[AXES_MOST]){rows[i].x, {0, 5, 0}, {1, 1, 0}}, box);
        cr_expect(box[0].low == rows[i].quotient.low && box[0].high == rows[i].quotient.high, "row %zu", i);
        cr_expect(box[1].low == rows[i].rest.low && box[1].high == rows[i].rest.high, "row %zu", i);
        cr_expect(box[2].high == 1 && box[3].high == 2 && box[4].low == 1);
    }
    axes_refine_box(split, split, (const struct box[AXES_MOST]){{8, 8, 0}, {1, 11, 0}, {0, 1, 0}, {0, 2, 0}}, box);
    cr_expect(box[1].low == 1 && box[1].high == 3, "those behind the last do not exist");
}
