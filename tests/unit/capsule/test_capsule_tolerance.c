#include "capsule/capsule.h"
#include "test.h"

#include <inttypes.h>

#define COUNT (TOLERANCE_SPAN / sizeof(float))

/* Two spans of values: as the launch found them, what it is to leave, and what it left. */
static float before[2 * COUNT], expected[2 * COUNT], actual[2 * COUNT];

static void set_up(void)
{
    for (size_t i = 0; i < 2 * COUNT; i++) {
        before[i] = 7;
        expected[i] = actual[i] = i < COUNT ? 1 : 1000;
    }
}

static struct tolerance compared(double most)
{
    struct tolerance tolerance = {.most = most, .type = VALUE_F32};
    tolerate(&tolerance, (const unsigned char *)before, (unsigned char *)expected, (const unsigned char *)actual,
             sizeof expected);
    return tolerance;
}

Test(capsule_tolerance, a_value_is_measured_by_the_largest_beside_it)
{
    static const struct {
        size_t place;
        float value;
        bool near;
    } rows[] = {
        {3, 1.0009F, true},     {3, 0.9991F, true},     {3, 1.0011F, false},  {COUNT - 1, 1.0011F, false},
        {COUNT, 1000.9F, true}, {COUNT, 998.9F, false}, {3, INFINITY, false}, {3, NAN, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        set_up();
        actual[rows[i].place] = rows[i].value;
        const struct tolerance tolerance = compared(1e-3);
        cr_expect_eq(tolerance.beyond, !rows[i].near, "row %zu", i);
        cr_expect_eq(expected[rows[i].place] == actual[rows[i].place], rows[i].near, "row %zu", i);
    }
    set_up();
    expected[5] = 0; /* also one near zero: what cancels out is as exact as its operands */
    actual[5] = 0.0005F;
    cr_expect_eq(compared(1e-3).beyond, 0);
}

Test(capsule_tolerance, what_a_mask_leaves_is_no_measure)
{
    set_up();
    for (size_t i = 0; i < COUNT; i += 32)
        expected[i] = actual[i] = -1e30F;
    actual[1] = 1.0011F;
    cr_expect_eq(compared(1e-3).beyond, 1);
    set_up();
    expected[0] = -1e30F, actual[0] = -1.0009e30F;
    cr_expect_eq(compared(1e-3).beyond, 0, "a far one counts for itself");
    set_up();
    expected[0] = -1e30F, actual[0] = -1.0011e30F;
    cr_expect_eq(compared(1e-3).beyond, 1);
}

Test(capsule_tolerance, what_is_flushed_is_near)
{
    set_up();
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = actual[i] = 1e-36F;
    expected[3] = 1e-38F, actual[3] = 0;
    cr_expect_eq(compared(1e-5).beyond, 0);
    expected[3] = 1.3e-38F, actual[3] = 0;
    cr_expect_eq(compared(1e-5).beyond, 1);
}

Test(capsule_tolerance, what_is_beyond_is_counted)
{
    set_up();
    actual[0] = 1.5F, actual[1] = 0.25F, actual[2] = 1.0001F;
    struct tolerance tolerance = compared(1e-3);
    cr_expect_eq(tolerance.beyond, 2);
    cr_expect(tolerance.largest > 0.7499 && tolerance.largest < 0.7501, "%g", tolerance.largest);
    cr_expect_eq(expected[2], actual[2]);
    cr_expect_eq(tolerance.within, 1);
    cr_expect(tolerance.off > 0.99e-4 && tolerance.off < 1.01e-4, "%g", tolerance.off);
    cr_expect_eq(tolerance.squares, tolerance.ulps * tolerance.ulps); /* 839 units of 1 / 2^23 */
    cr_expect_eq(tolerance.ulps, 839);
    actual[3] = NAN;
    tolerance = compared(1e-3);
    cr_expect_eq(tolerance.beyond, 3);
    cr_expect(isinf(tolerance.largest));
}

Test(capsule_tolerance, numbers_that_are_none_equal_their_kind)
{
    const uint32_t other_nan = 0xffc00000;
    set_up();
    expected[0] = NAN;
    memcpy(&actual[0], &other_nan, sizeof other_nan);
    expected[1] = actual[1] = INFINITY;
    expected[2] = 0.0F;
    actual[2] = -0.0F;
    cr_expect_eq(compared(1e-6).beyond, 0);
    set_up();
    expected[1] = INFINITY;
    actual[1] = -INFINITY;
    cr_expect_eq(compared(0.5).beyond, 1);
    set_up();
    expected[1] = INFINITY; /* it is no measure of the others */
    actual[1] = INFINITY;
    actual[4] = 2;
    cr_expect_eq(compared(0.5).beyond, 1);
}

/* As single precision, negative integers are NaNs. */
Test(capsule_tolerance, a_negative_integer_is_no_nan)
{
    const int32_t integers[] = {-1, -2, -100};
    for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
        set_up();
        memcpy(&expected[i], &integers[i], sizeof integers[i]);
        memcpy(&actual[i], &integers[(i + 1) % ARRAY_SIZE(integers)], sizeof integers[i]);
        cr_expect_eq(compared(1e-3).beyond, 1, "%d", integers[i]);
    }
}

/* Integers near each other are as near as single precision can be. */
Test(capsule_tolerance, integers_have_none)
{
    static const struct {
        enum value_type type;
        int32_t first, step;
        bool exact; /* stated */
        uint64_t wrong;
    } rows[] = {
        {VALUE_F32, 1000000, 1, false, 1},    {VALUE_F32, 33554304, 1, false, 1},  {VALUE_F32, -50, 1, false, 1},
        {VALUE_F32, 100, 0, false, 1},        {VALUE_F32, 900000000, 1, false, 0}, {VALUE_F32, 900000000, 1, true, 1},
        {VALUE_F64, 70000, 1, false, 1},      {VALUE_F16, 70000, 1, false, 1},     {VALUE_BF16, 20000, 1, false, 1},
        {VALUE_F32, 0x3f800000, 1, false, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int32_t old[COUNT] = {0}, wanted[COUNT], left[COUNT];
        for (size_t k = 0; k < COUNT; k++)
            left[k] = wanted[k] = rows[i].first + rows[i].step * (int32_t)k;
        left[77]++;
        struct tolerance tolerance = {.most = 1e-2, .type = rows[i].type, .exact = rows[i].exact};
        tolerate(&tolerance, (const unsigned char *)old, (unsigned char *)wanted, (const unsigned char *)left,
                 sizeof left);
        cr_expect_eq(tolerance.integers, rows[i].wrong, "row %zu: %" PRIu64, i, tolerance.integers);
        cr_expect_eq(wanted[77] != left[77], rows[i].wrong, "row %zu", i);
    }
}

/* A half beside memory that stays 0 looks like an integer. */
Test(capsule_tolerance, a_single_half_is_none)
{
    const uint32_t old = 0, left = 0x3c01;
    uint32_t wanted = 0x3c00;
    struct tolerance tolerance = {.most = 1e-2, .type = VALUE_F16};
    tolerate(&tolerance, (const unsigned char *)&old, (unsigned char *)&wanted, (const unsigned char *)&left,
             sizeof left);
    cr_expect_eq(wanted, left);
}

Test(capsule_tolerance, what_the_launch_does_not_change_may_not_differ)
{
    set_up();
    memcpy(before, expected, sizeof before / 2); /* of the first span nothing */
    actual[4] = 1.0000001F;
    actual[COUNT + 4] = 1000.0001F;
    cr_expect_eq(compared(1e-3).beyond, 1);
    set_up();
    before[4] = 1; /* of what changes, one is as it was by chance */
    actual[4] = 1.0000001F;
    cr_expect_eq(compared(1e-3).beyond, 0);
}

Test(capsule_tolerance, what_is_not_done_is_wrong_however_small)
{
    set_up();
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = actual[i] = 1;
        expected[i] = 1.00001F;
    }
    cr_expect_eq(compared(1e-3).beyond, COUNT);
    expected[3] = 1.00001F;
    actual[3] = 1.00002F; /* that is done */
    cr_expect_eq(compared(1e-3).beyond, 0);
}

Test(capsule_tolerance, values_of_each_type)
{
    static const struct {
        enum value_type type;
        uint64_t expected, near, far;
        double ulps; /* of what is near; 0: the same value */
    } rows[] = {
        {VALUE_F16, 0x3c00, 0x3c01, 0x3c03, 1},
        {VALUE_F16, 0xfbff, 0xfbfe, 0x7bff, 1},
        {VALUE_F16, 0x0002, 0x0002, 0x0003, 0},
        {VALUE_F16, 0x7e00, 0x7fff, 0x7c00, 0},
        {VALUE_BF16, 0x4000, 0x4000, 0x4001, 0},
        {VALUE_BF16, 0x7fc0, 0xffff, 0x7f80, 0},
        {VALUE_F32, 0x3f800000, 0x3f801000, 0x3f805000, 4096},
        {VALUE_F64, 0x3ff0000000000000, 0x3ff0010000000000, 0x3ff0200000000000, 0x10000000000},
    };
    static const size_t sizes[] = {2, 2, 4, 8};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const uint64_t zero = 0, wrong[] = {rows[i].near, rows[i].far};
        for (size_t k = 0; k < 2; k++) {
            uint64_t wanted = rows[i].expected;
            struct tolerance tolerance = {.most = 1e-3, .type = rows[i].type};
            tolerate(&tolerance, (const unsigned char *)&zero, (unsigned char *)&wanted,
                     (const unsigned char *)&wrong[k], sizes[rows[i].type]);
            cr_expect_eq(tolerance.beyond, k, "row %zu, %zu", i, k);
            cr_expect_eq(tolerance.ulps, k == 0 ? rows[i].ulps : 0, "row %zu: %g", i, tolerance.ulps);
            cr_expect_eq(tolerance.within, k == 0 && rows[i].ulps > 0, "row %zu", i);
        }
    }
}

Test(capsule_tolerance, what_hangs_on_rounding_may_be_as_far_off)
{
    static const struct {
        float near, far, actual; /* of what is expected to be 1 */
        bool is_near;
    } rows[] = {
        {1.001F, 1.016F, 1.03F, true},     {1.001F, 1.016F, 1.04F, false}, {1, 0.984F, 1.03F, true},
        {1.016F, 1.016F, 1.01F, false},    {1, INFINITY, 1.01F, false},    {1, 1.016F, NAN, false},
        {1.001F, 1.016F, INFINITY, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        float allowed[COUNT] = {0};
        set_up();
        tolerance_allow(VALUE_F32, (unsigned char *)&allowed[3], (const unsigned char *)&expected[3],
                        (const unsigned char *)&rows[i].near, (const unsigned char *)&rows[i].far);
        actual[3] = rows[i].actual;
        struct tolerance tolerance = {.most = 1e-3, .type = VALUE_F32, .allowed = (const unsigned char *)allowed};
        tolerate(&tolerance, (const unsigned char *)before, (unsigned char *)expected, (const unsigned char *)actual,
                 TOLERANCE_SPAN);
        cr_expect_eq(tolerance.beyond, !rows[i].is_near, "row %zu", i);
    }
}

Test(capsule_tolerance, types_have_names)
{
    for (enum value_type type = 0; type < VALUE_TYPES; type++)
        cr_expect_eq(value_type_of(value_type_name(type)), type);
    cr_expect_eq(value_type_of("i32"), VALUE_TYPES);
}

Test(capsule_tolerance, what_overflows)
{
    static const struct {
        enum value_type type;
        uint64_t bits;
        enum overflow overflow;
    } rows[] = {
        {VALUE_F16, 0x7bff, OVERFLOW_ABOVE},    {VALUE_F16, 0x7400, OVERFLOW_ABOVE},
        {VALUE_F16, 0x73fe, OVERFLOW_NONE},     {VALUE_F16, 0xfc00, OVERFLOW_BELOW},
        {VALUE_F16, 0x7e00, OVERFLOW_NAN},      {VALUE_BF16, 0x7e80, OVERFLOW_ABOVE},
        {VALUE_BF16, 0x7e00, OVERFLOW_NONE},    {VALUE_F32, 0xff800000, OVERFLOW_BELOW},
        {VALUE_F32, 0x7149f2ca, OVERFLOW_NONE}, {VALUE_F64, UINT64_C(0x7fe0) << 48, OVERFLOW_ABOVE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        cr_expect_eq(value_overflow(rows[i].type, (const unsigned char *)&rows[i].bits), rows[i].overflow, "row %zu",
                     i);
}
