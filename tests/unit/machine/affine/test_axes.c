#include "machine/affine/axes.h"
#include "test.h"

/* How axes are split, and how far values reach along them, is proved by tests/sim/proof.sh and test_footprint.c. */
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
        EXPECT_ALL(box[2].high == 1, box[3].high == 2, box[4].low == 1);
    }
    axes_refine_box(split, split, (const struct box[AXES_MOST]){{8, 8, 0}, {1, 11, 0}, {0, 1, 0}, {0, 2, 0}}, box);
    cr_expect(box[1].low == 1 && box[1].high == 3, "those behind the last do not exist");
}
