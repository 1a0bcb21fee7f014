#include "float_reference.h"
#include "made_warp.h"

#include <criterion/criterion.h>

#include <float.h>

Test(small_float, every_half_and_byte_has_its_value)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        /* The bits above the number do not matter. */
        cr_expect(reference_same(half_to_float(bits | 0xabcd0000), reference_value(F16, bits)), "half %x", bits);
        cr_expect(reference_same(bf16_to_float(bits | 0xabcd0000), reference_value(BF16, bits)), "bf16 %x", bits);
    }
    for (uint32_t bits = 0; bits < 0x100; bits++) {
        cr_expect(reference_same(e4m3_to_float(bits | 0xab00), reference_value(E4M3, bits)), "e4m3 %x", bits);
        cr_expect(reference_same(e5m2_to_float(bits | 0xab00), reference_value(E5M2, bits)), "e5m2 %x", bits);
    }
}

static void expect_nearest(float value)
{
    const uint32_t half = half_of_float(value), bf16 = bf16_of_float(value);
    cr_expect(reference_same(reference_value(F16, half), reference_rounded(F16, value, ROUND_NEAREST, false)),
              "%a as half: %x", (double)value, half);
    cr_expect(reference_same(reference_value(BF16, bf16), reference_rounded(BF16, value, ROUND_NEAREST, false)),
              "%a as bf16: %x", (double)value, bf16);
    cr_expect(value == value || (half == NAN_16 && bf16 == NAN_16));
}

/* Checks each number of a format, the middle to the next number, and the floats beside both. */
Test(small_float, ties_go_to_even)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const float floats[] = {half_to_float(bits), half_to_float((bits & 0x8000) | ((bits + 1) & 0x7fff)),
                                bf16_to_float(bits), bf16_to_float((bits & 0x8000) | ((bits + 1) & 0x7fff))};
        for (int i = 0; i < 4; i += 2) {
            const float middle = (float)(((double)floats[i] + floats[i + 1]) / 2);
            const float tried[] = {floats[i], nextafterf(floats[i], INFINITY), nextafterf(floats[i], -INFINITY),
                                   middle,    nextafterf(middle, INFINITY),    nextafterf(middle, -INFINITY)};
            for (size_t k = 0; k < ARRAY_SIZE(tried); k++)
                expect_nearest(tried[k]);
        }
    }
    expect_nearest(FLT_MAX);
    expect_nearest(-FLT_MAX);
}

/* Returns doubles of all sizes that a format has, and beyond both ends. Some have few digits, so that ties occur. */
static double any_double(int least, int most)
{
    const double digits = (double)(made_random() >> (made_random() % 60)) + 1;
    const double value = ldexp(digits, least + (int)(made_random() % (unsigned)(most - least)) - ilogb(digits));
    return made_random() & 1 ? -value : value;
}

Test(small_float, rounding_is_that_of_the_definition)
{
    static const struct {
        enum format format;
        int least, most;
    } formats[] = {{F16, -28, 18},  {BF16, -137, 130}, {F32, -153, 130},  {E4M3, -13, 11},
                   {E5M2, -20, 18}, {TF32, -140, 130}, {F64, -1078, 1024}};
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
        for (int sample = 0; sample < 20000; sample++) {
            const enum format format = formats[i].format;
            const double value = any_double(formats[i].least, formats[i].most);
            for (enum rounding rounding = ROUND_NEAREST; rounding <= ROUND_UP; rounding++) {
                const bool finite = sample & 1;
                const uint64_t bits = round_double(format, value, rounding, finite);
                const double expected = reference_rounded(format, value, rounding, finite);
                cr_assert(reference_same(reference_value(format, bits), expected),
                          "format %d, rounding %d: %a became %a, not %a", (int)format, (int)rounding, value,
                          reference_value(format, bits), expected);
            }
        }
    cr_expect_eq(round_double(E4M3, INFINITY, ROUND_NEAREST, false), 0x7f);
    cr_expect_eq(round_double(E4M3, -INFINITY, ROUND_NEAREST, true), 0xfe);
    cr_expect_eq(round_double(E5M2, INFINITY, ROUND_NEAREST, false), 0x7c);
    cr_expect_eq(round_double(E5M2, NAN, ROUND_NEAREST, true), 0x7f);
    cr_expect_eq(round_double(F64, NAN, ROUND_NEAREST, false), NAN_64);
    cr_expect_eq(round_double(F32, -0.0, ROUND_UP, false), 0x80000000);
}

/* Rounds significands of 64 bits, which integers have. */
Test(small_float, whole_significands)
{
    cr_expect_eq(round_to(F32, false, UINT64_MAX, 0, ROUND_NEAREST, false), of_float(0x1p64f));
    cr_expect_eq(round_to(F32, false, UINT64_MAX, 0, ROUND_ZERO, false), of_float(nextafterf(0x1p64f, 0)));
    cr_expect_eq(round_to(F64, true, (UINT64_C(1) << 53) + 1, 0, ROUND_NEAREST, false), of_double(-0x1p53));
    cr_expect_eq(round_to(F64, true, (UINT64_C(1) << 53) + 1, 0, ROUND_DOWN, false), of_double(-0x1p53 - 2));
    /* The values are half of the smallest number, and a bit more than that. */
    cr_expect_eq(round_to(F16, false, UINT64_C(1) << 63, -25 - 63, ROUND_NEAREST, false), 0);
    cr_expect_eq(round_to(F16, false, (UINT64_C(1) << 63) + 1, -25 - 63, ROUND_NEAREST, false), 1);
    cr_expect_eq(round_to(F16, false, 1, -1000, ROUND_UP, false), 1);
    cr_expect_eq(round_to(F16, false, 1, -1000, ROUND_NEAREST, false), 0);
}

Test(small_float, to_odd)
{
    cr_expect_eq(float_to_odd(1), 1);
    cr_expect_eq(float_to_odd(1 + 0x1p-40), nextafterf(1, 2));
    cr_expect_eq(float_to_odd(-1 - 0x1p-40), nextafterf(-1, -2));
    cr_expect_eq(float_to_odd(1 - 0x1p-40), nextafterf(1, 0));
    cr_expect_eq(float_to_odd(1e300), FLT_MAX);
    cr_expect_eq(float_to_odd(1e-300), 0x1p-149f);
    cr_expect_eq(float_to_odd(-INFINITY), -INFINITY);
    cr_expect(float_to_odd(NAN) != float_to_odd(NAN));
}
