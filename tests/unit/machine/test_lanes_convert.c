#include "float_reference.h"
#include "made_warp.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

static const struct opcode *table(unsigned vector)
{
#if defined(__x86_64__)
    return (const struct opcode *const[]){lanes_convert_base, lanes_convert_avx2, lanes_convert_avx512}[vector];
#else
    return (void)vector, lanes_convert_base;
#endif
}

static const struct {
    const char *name, *whole; /* modifier of a rounding: to a float, and to an integer */
    enum rounding rounding;
} roundings[] = {
    {"", "", ROUND_NEAREST}, {".RZ", ".TRUNC", ROUND_ZERO}, {".RM", ".FLOOR", ROUND_DOWN}, {".RP", ".CEIL", ROUND_UP}};

static const struct {
    const char *name;
    enum format format;
    unsigned bits;
} floats[] = {{"F16", F16, 16}, {"BF16", BF16, 16}, {"F32", F32, 32}, {"F64", F64, 64}};

static const struct {
    const char *name;
    unsigned bits;
    bool is_signed;
} integers[] = {{"U8", 8, false},   {"S8", 8, true},   {"U16", 16, false}, {"S16", 16, true},
                {"U32", 32, false}, {"S32", 32, true}, {"U64", 64, false}, {"S64", 64, true}};

static uint64_t lane_bits(struct warp *warp, unsigned n, int lane, unsigned bits)
{
    const uint64_t word = wide(warp_row(warp, n, 0)[lane], warp_row(warp, n, 1)[lane]);
    return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}
static void set_lane(struct warp *warp, unsigned n, int lane, uint64_t bits)
{
    warp_row(warp, n, 0)[lane] = (uint32_t)bits;
    warp_row(warp, n, 1)[lane] = (uint32_t)(bits >> 32);
}

/* Returns the bits of a float: of any, or of one near 2^power. */
static uint64_t any_float(enum format format, int power)
{
    const uint64_t random = made_random();
    if (random % 5 == 0)
        return made_random();
    const double value = ldexp((double)(made_random() >> (made_random() % 60)), -63 + (int)(random >> 8) % power);
    return round_double(format, random & 0x80 ? -value : value, ROUND_NEAREST, false);
}

static void expect_float(struct warp *warp, enum format format, unsigned bits, int lane, double expected,
                         const char *opcode, double from)
{
    const uint64_t got = lane_bits(warp, 0, lane, bits);
    cr_assert(reference_same(reference_value(format, got), expected), "%s of %a: %llx, not %a", opcode, from,
              (unsigned long long)got, expected);
    /* From and to 64 bits, a NaN keeps its sign and its upper bits. Elsewhere there is only one NaN. */
    const bool is_nan = strstr(opcode, "F64") || got == (bits == 16 ? NAN_16 : NAN_32);
    cr_assert(expected == expected || is_nan, "%s: NaN is %llx", opcode, (unsigned long long)got);
}

Test(lanes_convert, float_to_float)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t to = 0; to < ARRAY_SIZE(floats); to++)
            for (size_t from = 0; from < ARRAY_SIZE(floats); from++)
                for (size_t i = 0; i < ARRAY_SIZE(roundings); i++) {
                    char opcode[40];
                    snprintf(opcode, sizeof opcode, "F2F.%s.%s%s", floats[to].name, floats[from].name,
                             roundings[i].name);
                    struct instruction *code = made_instruction(table(vector), opcode, 2);
                    cr_assert_not_null(code, "%s", opcode);
                    struct warp *warp = made_warp();
                    for (int sample = 0; sample < 30; sample++) {
                        for (int l = 0; l < LANES; l++)
                            set_lane(warp, 1, l, any_float(floats[from].format, 180));
                        code->operands[1].negate = sample & 1;
                        code->operands[1].absolute = sample & 2;
                        code->run(warp, code, ALL_LANES);
                        for (int l = 0; l < LANES; l++) {
                            double value =
                                reference_value(floats[from].format, lane_bits(warp, 1, l, floats[from].bits));
                            value = sample & 2 ? fabs(value) : value;
                            value = sample & 1 ? -value : value;
                            expect_float(warp, floats[to].format, floats[to].bits, l,
                                         reference_rounded(floats[to].format, value, roundings[i].rounding, false),
                                         opcode, value);
                        }
                    }
                }
}

Test(lanes_convert, every_half_and_bf16_to_other_formats)
{
    static const char *const opcodes[] = {"F2F.F64.F16", "F2F.F64.BF16", "F2F.F32.F16", "F2F.F32.BF16"};
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        for (uint32_t half = 0; half < 0x10000; half += LANES) {
            struct instruction *code = made_instruction(table(made_vectors() - 1), opcodes[i], 2);
            struct warp *warp = made_warp();
            for (int l = 0; l < LANES; l++)
                warp_row(warp, 1, 0)[l] = half + (uint32_t)l;
            code->run(warp, code, ALL_LANES);
            for (int l = 0; l < LANES; l++) {
                const double value = reference_value(strstr(opcodes[i], "BF16") ? BF16 : F16, half + (uint32_t)l);
                expect_float(warp, i < 2 ? F64 : F32, i < 2 ? 64 : 32, l, value, opcodes[i], value);
            }
        }
}

Test(lanes_convert, subnormal_floats_are_flushed_where_that_is_asked_for)
{
    struct warp *warp = made_warp();
    const struct instruction *code = made_instruction(table(VECTOR_BASE), "F2F.FTZ.F32.BF16", 2);
    warp_row(warp, 1, 0)[3] = 0x8001;
    code->run(warp, code, ALL_LANES);
    cr_expect_eq(warp_row(warp, 0, 0)[3], 0x80000000);
    code = made_instruction(table(VECTOR_BASE), "F2F.FTZ.BF16.F32.RP", 2);
    warp_row(warp, 1, 0)[3] = 1;
    code->run(warp, code, ALL_LANES);
    cr_expect_eq(warp_row(warp, 0, 0)[3], 0);
    code = made_instruction(table(VECTOR_BASE), "F2I.FTZ.CEIL.NTZ", 2);
    code->run(warp, code, ALL_LANES);
    cr_expect_eq(warp_row(warp, 0, 0)[3], 0);
    code = made_instruction(table(VECTOR_BASE), "F2I.CEIL.NTZ", 2);
    code->run(warp, code, ALL_LANES);
    cr_expect_eq(warp_row(warp, 0, 0)[3], 1);
}

/* ---- To integers ---- */

/* Returns the integer that a whole value becomes. A register has a small number with its sign. */
static uint64_t expected_integer(double value, unsigned bits, bool is_signed, bool wide_source)
{
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    const uint64_t whole_register = bits == 64 ? UINT64_MAX : UINT32_MAX;
    if (value != value) {
        const uint64_t highest = is_signed ? (whole_register & ~(mask >> 1)) : UINT64_C(1) << (bits - 1);
        return bits == 64 || wide_source ? highest : 0;
    }
    if (is_signed) {
        const double limit = ldexp(1, (int)bits - 1);
        const int64_t most = (int64_t)(mask >> 1);
        return (uint64_t)(value >= limit ? most : value < -limit ? -most - 1 : (int64_t)value) & whole_register;
    }
    return value >= ldexp(1, (int)bits) ? mask : value < 0 ? 0 : (uint64_t)value;
}

static double whole(double value, enum rounding rounding)
{
    return rounding == ROUND_NEAREST ? nearbyint(value)
           : rounding == ROUND_ZERO  ? trunc(value)
           : rounding == ROUND_DOWN  ? floor(value)
                                     : ceil(value);
}

Test(lanes_convert, float_to_integer)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t to = 0; to < ARRAY_SIZE(integers); to++)
            for (size_t from = 0; from < ARRAY_SIZE(floats); from++)
                for (size_t i = 0; i < ARRAY_SIZE(roundings); i++) {
                    char opcode[40];
                    snprintf(opcode, sizeof opcode, "F2I.%s.%s%s.NTZ", integers[to].name, floats[from].name,
                             roundings[i].whole);
                    const struct instruction *code = made_instruction(table(vector), opcode, 2);
                    cr_assert_not_null(code, "%s", opcode);
                    struct warp *warp = made_warp();
                    for (int sample = 0; sample < 40; sample++) {
                        for (int l = 0; l < LANES; l++)
                            set_lane(warp, 1, l, any_float(floats[from].format, 70));
                        code->run(warp, code, ALL_LANES);
                        for (int l = 0; l < LANES; l++) {
                            const double value =
                                reference_value(floats[from].format, lane_bits(warp, 1, l, floats[from].bits));
                            const uint64_t got = lane_bits(warp, 0, l, integers[to].bits == 64 ? 64 : 32);
                            const uint64_t expected =
                                expected_integer(whole(value, roundings[i].rounding), integers[to].bits,
                                                 integers[to].is_signed, floats[from].bits == 64);
                            cr_assert_eq(got, expected, "%s of %a: %llx, not %llx", opcode, value,
                                         (unsigned long long)got, (unsigned long long)expected);
                        }
                    }
                }
}

Test(lanes_convert, what_is_not_said_is_s32_and_f32)
{
    struct warp *warp = made_warp();
    const struct instruction *code = made_instruction(table(VECTOR_BASE), "F2I.NTZ", 2);
    warp_row(warp, 1, 0)[0] = of_float(-2.5f);
    warp_row(warp, 1, 0)[1] = of_float(3e9f);
    code->run(warp, code, 3);
    cr_expect_eq((int32_t)warp_row(warp, 0, 0)[0], -2);
    cr_expect_eq((int32_t)warp_row(warp, 0, 0)[1], INT32_MAX);
    code = made_instruction(table(VECTOR_BASE), "I2F", 2);
    warp_row(warp, 1, 0)[0] = (uint32_t)-5;
    code->run(warp, code, 1);
    cr_expect_eq(to_float(warp_row(warp, 0, 0)[0]), -5.0f);
    cr_expect_eq(warp_row(warp, 0, 0)[1], (uint32_t)INT32_MAX, "a lane that is not to be written");
}

Test(lanes_convert, to_whole_floats)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t type = 0; type < ARRAY_SIZE(floats); type++)
            for (size_t i = 0; i < ARRAY_SIZE(roundings); i++) {
                char opcode[40];
                snprintf(opcode, sizeof opcode, "FRND%s%s%s", floats[type].format == F32 ? "" : ".",
                         floats[type].format == F32 ? "" : floats[type].name, roundings[i].whole);
                const struct instruction *code = made_instruction(table(vector), opcode, 2);
                cr_assert_not_null(code, "%s", opcode);
                struct warp *warp = made_warp();
                for (int sample = 0; sample < 40; sample++) {
                    for (int l = 0; l < LANES; l++)
                        set_lane(warp, 1, l, any_float(floats[type].format, 70));
                    code->run(warp, code, ALL_LANES);
                    for (int l = 0; l < LANES; l++) {
                        const double value =
                            reference_value(floats[type].format, lane_bits(warp, 1, l, floats[type].bits));
                        expect_float(warp, floats[type].format, floats[type].bits, l,
                                     whole(value, roundings[i].rounding), opcode, value);
                    }
                }
            }
}

Test(lanes_convert, bytes_beside_each_other)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++) {
        struct warp *warp = made_warp();
        const struct instruction *code = made_instruction(table(vector), "F2IP.U8.F32.TRUNC.NTZ", 4);
        warp_row(warp, 1, 0)[9] = of_float(255.9f);
        warp_row(warp, 2, 0)[9] = of_float(18.9f);
        warp_row(warp, 3, 0)[9] = 0xabcd1234;
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[9], 0x1234ff12);
        code = made_instruction(table(vector), "I2IP.S8.S32.SAT", 4);
        warp_row(warp, 1, 0)[9] = (uint32_t)-1000;
        warp_row(warp, 2, 0)[9] = 1000;
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[9], 0x1234807f);
        code = made_instruction(table(vector), "I2IP.U16.S32.SAT", 4);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[9], 1000);
        code = made_instruction(table(vector), "I2I.S8.S32.SAT", 2);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[9], 0x80);
    }
    cr_expect_null(made_instruction(table(VECTOR_BASE), "I2IP.U4.S32.SAT", 4));
}

/* ---- From integers ---- */

static double reference_of_integer(enum format format, uint64_t magnitude, bool negative, enum rounding rounding)
{
    volatile uint64_t integer = magnitude;
    const bool turned = negative && (rounding == ROUND_DOWN || rounding == ROUND_UP);
    fesetround(reference_mode(format != F64 ? ROUND_ZERO : turned ? ROUND_DOWN + ROUND_UP - rounding : rounding));
    volatile double value = (double)integer;
    fesetround(FE_TONEAREST);
    /* A value that no double equals is rounded to odd first, and then to the format. */
    if (format != F64 && (uint64_t)value != magnitude) {
        const uint64_t odd = of_double(value) | 1;
        value = to_double((uint32_t)odd, (uint32_t)(odd >> 32));
    }
    const double result = negative ? -value : value;
    return format == F64 ? result : reference_rounded(format, result, rounding, false);
}

Test(lanes_convert, integer_to_float)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t to = 0; to < ARRAY_SIZE(floats); to++)
            for (size_t from = 0; from < ARRAY_SIZE(integers); from++)
                for (size_t i = 0; i < ARRAY_SIZE(roundings); i++) {
                    char opcode[40];
                    snprintf(opcode, sizeof opcode, "I2F.%s.%s%s", floats[to].name, integers[from].name,
                             roundings[i].name);
                    struct instruction *code = made_instruction(table(vector), opcode, 2);
                    cr_assert_not_null(code, "%s", opcode);
                    struct warp *warp = made_warp();
                    for (int sample = 0; sample < 40; sample++) {
                        const unsigned bits = integers[from].bits,
                                       part = (unsigned)sample % (bits < 32 ? 32 / bits : 1);
                        code->operands[1].byte = (unsigned char)(part * bits / 8 + (bits < 32));
                        for (int l = 0; l < LANES; l++)
                            set_lane(warp, 1, l, made_random() >> (bits == 64 ? made_random() % 64 : 0));
                        code->run(warp, code, ALL_LANES);
                        for (int l = 0; l < LANES; l++) {
                            const uint64_t value = bits < 32
                                                       ? warp_row(warp, 1, 0)[l] >> (part * bits) & ((1u << bits) - 1)
                                                       : lane_bits(warp, 1, l, bits);
                            const bool negative = integers[from].is_signed && value >> (bits - 1);
                            const uint64_t magnitude =
                                negative ? (0 - value) & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1) : value;
                            expect_float(
                                warp, floats[to].format, floats[to].bits, l,
                                reference_of_integer(floats[to].format, magnitude, negative, roundings[i].rounding),
                                opcode, (double)magnitude);
                        }
                    }
                }
}

Test(lanes_convert, i2fp_is_i2f)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++) {
        struct warp *warp = made_warp();
        for (uint32_t l = 0; l < LANES; l++)
            warp_row(warp, 1, 0)[l] = 0xfffffff0 + l;
        const struct instruction *code = made_instruction(table(vector), "I2FP.F32.U32", 2);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(to_float(warp_row(warp, 0, 0)[2]), 0x1p32f);
        code = made_instruction(table(vector), "I2FP.F32.U32.RZ", 2);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(to_float(warp_row(warp, 0, 0)[2]), nextafterf(0x1p32f, 0));
        code = made_instruction(table(vector), "I2FP.F32.S32", 2);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(to_float(warp_row(warp, 0, 0)[2]), -14.0f);
    }
}

/* ---- F2FP ---- */

static double clamped(double value, const char *opcode)
{
    return strstr(opcode, "RELU") && value <= 0 ? 0 : value;
}

/* Checks that two floats are packed into a word with `width` bits for each, the upper one from operand 1. */
static void expect_packed(unsigned vector, const char *opcode, enum format to, unsigned width)
{
    struct instruction *code = made_instruction(table(vector), opcode, width == 8 ? 4 : 3);
    cr_assert_not_null(code, "%s", opcode);
    struct warp *warp = made_warp();
    const enum rounding rounding = strstr(opcode, ".RZ") ? ROUND_ZERO : ROUND_NEAREST;
    for (int sample = 0; sample < 200; sample++) {
        for (int l = 0; l < LANES; l++) {
            set_lane(warp, 1, l, any_float(F32, 100));
            set_lane(warp, 2, l, any_float(F32, 40));
            set_lane(warp, 3, l, made_random());
        }
        code->run(warp, code, ALL_LANES);
        for (int l = 0; l < LANES; l++) {
            const uint32_t got = warp_row(warp, 0, 0)[l], mask = (1u << width) - 1;
            for (unsigned i = 0; i < 2; i++) {
                const double value = (double)to_float(warp_row(warp, 2 - i, 0)[l]);
                const double expected =
                    clamped(reference_rounded(to, value, rounding, strstr(opcode, "SATFINITE")), opcode);
                const uint32_t bits = got >> (i * width) & mask;
                cr_assert(reference_same(reference_value(to, bits), expected), "%s of %a: %x, not %a", opcode, value,
                          bits, expected);
                cr_assert(expected == expected || bits == (width == 8 ? NAN_8 : NAN_16) || isinf(value));
            }
            if (width == 8)
                cr_assert_eq(got >> 16, warp_row(warp, 3, 0)[l] & 0xffff);
        }
    }
}

Test(lanes_convert, floats_are_packed)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++) {
        expect_packed(vector, "F2FP.F16.F32.PACK_AB", F16, 16);
        expect_packed(vector, "F2FP.F16.F32.PACK_AB.RZ", F16, 16);
        expect_packed(vector, "F2FP.RELU.F16.F32.PACK_AB", F16, 16);
        expect_packed(vector, "F2FP.SATFINITE.F16.F32.PACK_AB", F16, 16);
        expect_packed(vector, "F2FP.BF16.F32.PACK_AB", BF16, 16);
        expect_packed(vector, "F2FP.RELU.BF16.F32.PACK_AB.RZ", BF16, 16);
        expect_packed(vector, "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", E4M3, 8);
        expect_packed(vector, "F2FP.SATFINITE.RELU.E5M2.F32.PACK_AB_MERGE_C", E5M2, 8);
    }
}

Test(lanes_convert, one_float_is_merged_or_cut)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++) {
        struct warp *warp = made_warp();
        warp_row(warp, 1, 0)[4] = of_float(-1);
        warp_row(warp, 1, 0)[5] = of_float(1.5f);
        warp_row(warp, 1, 0)[6] = of_float(1 + 0x1p-11f + 0x1p-20f);
        warp_row(warp, 2, 0)[4] = warp_row(warp, 2, 0)[5] = 0x77771234;
        const struct instruction *code = made_instruction(table(vector), "F2FP.RELU.BF16.F32.MERGE_C", 3);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[4], 0x12340000);
        cr_expect_eq(warp_row(warp, 0, 0)[5], 0x12343fc0);
        code = made_instruction(table(vector), "F2FP.TF32.F32.PACK_B", 2);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[6], of_float(1 + 0x1p-10f));
        code = made_instruction(table(vector), "F2FP.TF32.F32.PACK_B.RZ", 2);
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[6], of_float(1));
    }
}

/* Checks that each byte becomes a half, and that the half becomes the byte again. */
Test(lanes_convert, bytes_to_halves_and_back)
{
    static const struct {
        enum format format;
        const char *up, *down;
    } kinds[] = {{E4M3, "F2FP.F16.E4M3.UNPACK_B", "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C"},
                 {E5M2, "F2FP.F16.E5M2.UNPACK_B", "F2FP.SATFINITE.E5M2.F16.UNPACK_B_MERGE_C"}};
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
            for (uint32_t byte = 0; byte < 256; byte++) {
                struct warp *warp = made_warp();
                struct instruction *code = made_instruction(table(vector), kinds[i].up, 2);
                code->operands[1].byte = byte & 1 ? 3 : 0; /* .H1 */
                warp_row(warp, 1, 0)[8] = ((byte ^ 0x55) << 8 | byte) << (byte & 1 ? 16 : 0);
                code->run(warp, code, ALL_LANES);
                const uint32_t halves = warp_row(warp, 0, 0)[8];
                cr_assert(reference_same(reference_value(F16, halves), reference_value(kinds[i].format, byte)));
                cr_assert(
                    reference_same(reference_value(F16, halves >> 16), reference_value(kinds[i].format, byte ^ 0x55)));
                warp_row(warp, 1, 0)[8] = halves;
                warp_row(warp, 2, 0)[8] = 0xffffabcd;
                code = made_instruction(table(vector), kinds[i].down, 3);
                code->run(warp, code, ALL_LANES);
                const double value = reference_value(kinds[i].format, byte);
                const double expected = reference_rounded(kinds[i].format, value, ROUND_NEAREST, true);
                const uint32_t got = warp_row(warp, 0, 0)[8];
                cr_assert_eq(got >> 16, 0xabcd);
                cr_assert(reference_same(reference_value(kinds[i].format, got & 0xff), expected), "%x: %x", byte, got);
            }
}

Test(lanes_convert, what_is_not_known_is_refused)
{
    static const char *const opcodes[] = {"F2F.F32",
                                          "F2F.F32.F64.ODD",
                                          "F2FP.F16.F32",
                                          "F2FP.F32.F16.UNPACK_B",
                                          "F2I.U32.E4M3",
                                          "F2IP.U16.F32.TRUNC",
                                          "FRND.ODD",
                                          "I2F.F32.U4",
                                          "I2I.S16.S32",
                                          "I2I.U32.S32.SAT",
                                          "F2FP.E4M3.F32.PACK_AB"};
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        cr_expect_null(made_instruction(table(VECTOR_BASE), opcodes[i], 4), "%s", opcodes[i]);
}
