#include "float_reference.h"
#include "made_warp.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct opcode *table(unsigned vector)
{
#if defined(__x86_64__)
    return (const struct opcode *const[]){lanes_half_base, lanes_half_avx2, lanes_half_avx512}[vector];
#else
    return (void)vector, lanes_half_base;
#endif
}

/* Returns a random half. They meet every case: subnormal, infinite, NaN, and numbers near each other. */
static uint32_t any_half(void)
{
    static const uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x83ff, 0x3c00,
                                       0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7fff, 0x7e00,
                                       0xffff, 0x7f80, 0xff80, 0x3f80, 0x80,   0x7f};
    const uint64_t random = made_random();
    if (random % 4 == 0)
        return special[(random >> 8) % ARRAY_SIZE(special)];
    if (random % 4 == 1)
        return (uint32_t)(random >> 8 & 0x87ff) + 0x3800;
    return (uint32_t)(random >> 8 & 0xffff);
}
static void fill(struct warp *warp, unsigned n)
{
    for (int l = 0; l < LANES; l++)
        warp_row(warp, n, 0)[l] = any_half() | any_half() << 16;
}

/* Returns half i of operand n, as the instruction reads it. */
static uint32_t read_half(struct warp *warp, const struct instruction *code, unsigned n, int lane, int i)
{
    const struct operand *operand = &code->operands[n];
    const int which = operand->half == HALF_LOW ? 0 : operand->half == HALF_HIGH ? 1 : i;
    const uint32_t half = warp_row(warp, n, 0)[lane] >> (16 * which) & 0xffff;
    return (operand->absolute ? half & 0x7fff : half) ^ (operand->negate ? 0x8000 : 0);
}

static uint32_t flushed(uint32_t half, bool flushes)
{
    return flushes && !(half & 0x7c00) ? half & 0x8000 : half;
}

static void expect_arithmetic(unsigned vector, const char *opcode, unsigned sources)
{
    const struct instruction *code = made_instruction(table(vector), opcode, sources + 1);
    cr_assert_not_null(code, "%s", opcode);
    struct instruction variant = *code;
    const enum format format = strstr(opcode, "BF16") ? BF16 : F16;
    const bool flushes = strstr(opcode, "FTZ");
    struct warp *warp = made_warp();
    for (int sample = 0; sample < 300; sample++) {
        for (unsigned n = 1; n <= sources; n++) {
            variant.operands[n].half = (unsigned char)(made_random() % 3);
            variant.operands[n].negate = made_random() & 1;
            variant.operands[n].absolute = made_random() & 1;
            fill(warp, n);
        }
        fill(warp, 0);
        uint32_t before[LANES];
        memcpy(before, warp_row(warp, 0, 0), sizeof before);
        const uint32_t lanes = sample & 1 ? ALL_LANES : (uint32_t)made_random();
        variant.run(warp, &variant, lanes);
        for (int l = 0; l < LANES; l++)
            for (int i = 0; i < 2; i++) {
                double x[4];
                for (unsigned n = 1; n <= sources; n++)
                    x[n] = reference_value(format, flushed(read_half(warp, &variant, n, l, i), flushes));
                const double exact = strncmp(opcode, "HADD2", 5) == 0   ? reference_fused(x[1], 1, x[2])
                                     : strncmp(opcode, "HMUL2", 5) == 0 ? x[1] * x[2]
                                                                        : reference_fused(x[1], x[2], x[3]);
                double expected = reference_rounded(format, exact, ROUND_NEAREST, false);
                if (flushes && fabs(expected) < 0x1p-14)
                    expected = copysign(0, expected);
                if (strstr(opcode, "RELU") && signbit(expected) && expected == expected)
                    expected = 0;
                if (strstr(opcode, "SAT"))
                    expected = expected > 1 ? 1 : expected > 0 ? expected : 0;
                const uint32_t got = warp_row(warp, 0, 0)[l] >> (16 * i) & 0xffff;
                if (!(lanes >> l & 1))
                    cr_assert_eq(got, before[l] >> (16 * i) & 0xffff);
                else
                    cr_assert(reference_same(reference_value(format, got), expected) &&
                                  (expected == expected || got == NAN_16),
                              "%s (vector %u) of %a %a %a: %x, not %a", opcode, vector, x[1], x[2],
                              sources > 2 ? x[3] : 0, got, expected);
            }
    }
}

Test(lanes_half, arithmetic_rounds_once)
{
    static const struct {
        const char *opcode;
        unsigned sources;
    } cases[] = {{"HADD2", 2},
                 {"HADD2.FTZ", 2},
                 {"HADD2.SAT", 2},
                 {"HADD2.BF16_V2", 2},
                 {"HMUL2", 2},
                 {"HMUL2.FTZ.SAT", 2},
                 {"HMUL2.BF16_V2", 2},
                 {"HFMA2", 3},
                 {"HFMA2.FTZ", 3},
                 {"HFMA2.RELU", 3},
                 {"HFMA2.MMA", 3},
                 {"HFMA2.MMA.SAT", 3},
                 {"HFMA2.MMA.FTZ.RELU", 3},
                 {"HFMA2.BF16_V2", 3},
                 {"HFMA2.MMA.BF16_V2.RELU", 3}};
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
            expect_arithmetic(vector, cases[i].opcode, cases[i].sources);
}

/* The product lies in the middle between two numbers. The addend is so small that the sum, rounded to a float or a
 * double, would lie in the middle too. */
Test(lanes_half, fused_rounds_once_where_a_wider_sum_would_be_a_tie)
{
    static const struct {
        const char *opcode;
        uint32_t a, b, below, above;
    } cases[] = {{"HFMA2", 0x3c10, 0x3c20, 0x3c30, 0x3c31},          /* 1 + 2^-6, 1 + 2^-5 */
                 {"HFMA2.BF16_V2", 0x3f81, 0x3fc0, 0x3fc1, 0x3fc2}}; /* 129/128, 192/128 */
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            struct warp *warp = made_warp();
            const struct instruction *code = made_instruction(table(vector), cases[i].opcode, 4);
            for (int l = 0; l < LANES; l++) {
                warp_row(warp, 1, 0)[l] = cases[i].a * 0x10001;
                warp_row(warp, 2, 0)[l] = cases[i].b * 0x10001;
                warp_row(warp, 3, 0)[l] = 0x00018001; /* the smallest number; the lower half has a minus sign */
            }
            code->run(warp, code, ALL_LANES);
            cr_expect_eq(warp_row(warp, 0, 0)[7], cases[i].below | cases[i].above << 16, "%s: %x", cases[i].opcode,
                         warp_row(warp, 0, 0)[7]);
        }
}

Test(lanes_half, constants_are_loaded_as_they_are)
{
    struct warp *warp = made_warp();
    struct instruction *code = made_instruction(table(VECTOR_BASE), "HFMA2.MMA", 4);
    for (unsigned n = 1; n < 3; n++)
        code->operands[n].row = code->operands[n].high = ROW_ZERO * ROW_BYTES;
    code->operands[1].negate = true;
    code->operands[3].immediate = true;
    for (const struct opcode *row = table(VECTOR_BASE); row->name; row++)
        if (strcmp(row->name, "HFMA2") == 0)
            cr_assert(row->prepare(code));
    for (int l = 0; l < LANES; l++)
        warp_row(warp, 3, 0)[l] = 0x80008001u;
    code->run(warp, code, ALL_LANES);
    cr_expect_eq(warp_row(warp, 0, 0)[31], 0x80008001u);
}

Test(lanes_half, a_half_widens)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++) {
        struct warp *warp = made_warp();
        struct instruction *code = made_instruction(table(vector), "HADD2.F32", 3);
        cr_assert_not_null(code);
        code->operands[1].row = code->operands[1].high = ROW_ZERO * ROW_BYTES;
        code->operands[1].negate = true;
        for (uint32_t half = 0; half < 0x10000; half += LANES)
            for (int high = 0; high < 2; high++) {
                code->operands[2].half = high ? HALF_HIGH : HALF_LOW;
                for (uint32_t l = 0; l < LANES; l++)
                    warp_row(warp, 2, 0)[l] = high ? (half + l) << 16 | 0x1234 : (half + l) | 0x12340000;
                code->run(warp, code, ALL_LANES);
                for (uint32_t l = 0; l < LANES; l++) {
                    const double expected = reference_value(F16, half + l);
                    cr_assert_eq(warp_row(warp, 0, 0)[l], of_float_canonical((float)expected), "%x", half + l);
                }
            }
        /* The other operand is a float, and both have signs. */
        code->operands[1] = code->operands[0];
        code->operands[1].row = MADE_REGISTER * ROW_BYTES;
        code->operands[1].half = HALF_SINGLE;
        code->operands[1].negate = true;
        code->operands[2].half = HALF_LOW;
        code->operands[2].absolute = true;
        warp_row(warp, 1, 0)[5] = of_float(0.1f);
        warp_row(warp, 2, 0)[5] = 0xc000;
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(to_float(warp_row(warp, 0, 0)[5]), 2 - 0.1f);
    }
}

static bool compares(const char *name, double a, double b)
{
    const bool unordered = a != a || b != b;
    const size_t length = strlen(name);
    if (strcmp(name, "NUM") == 0)
        return !unordered;
    if (strcmp(name, "NAN") == 0)
        return unordered;
    if (length == 1)
        return name[0] == 'T';
    if (unordered)
        return name[length - 1] == 'U';
    return strncmp(name, "LT", 2) == 0   ? a < b
           : strncmp(name, "LE", 2) == 0 ? a <= b
           : strncmp(name, "GT", 2) == 0 ? a > b
           : strncmp(name, "GE", 2) == 0 ? a >= b
           : strncmp(name, "EQ", 2) == 0 ? a == b
                                         : a != b;
}

static void expect_comparison(unsigned vector, const char *name, const char *with, bool bf16)
{
    char opcode[60];
    const enum format format = bf16 ? BF16 : F16;
    for (int kind = 0; kind < 3; kind++) { /* HSET2, HSET2.BF, HSETP2 */
        const unsigned first = kind == 2 ? 2 : 1;
        snprintf(opcode, sizeof opcode, "%s%s%s.%s.%s", kind == 2 ? "HSETP2" : "HSET2", bf16 ? ".BF16_V2" : "",
                 kind == 1 ? ".BF" : "", name, with);
        struct instruction *code = made_instruction(table(vector), opcode, first + 3);
        cr_assert_not_null(code, "%s", opcode);
        struct warp *warp = made_warp();
        if (kind == 2) {
            made_predicate(code, 0, 1);
            made_predicate(code, 1, 2);
        }
        made_predicate(code, first + 2, 3);
        code->operands[first + 2].invert = true;
        warp->masks[3] = 0xff00ff00;
        const uint32_t other = 0x00ff00ff, lanes = 0x7fffffff;
        fill(warp, first);
        fill(warp, first + 1);
        for (int l = 0; l < LANES; l += 3)
            warp_row(warp, first, 0)[l] = warp_row(warp, first + 1, 0)[l];
        code->operands[first].absolute = true;
        code->operands[first + 1].half = HALF_LOW;
        code->run(warp, code, lanes);
        for (int l = 0; l < LANES; l++)
            for (int i = 0; i < 2; i++) {
                const bool is = compares(name, reference_value(format, read_half(warp, code, first, l, i)),
                                         reference_value(format, read_half(warp, code, first + 1, l, i)));
                const bool also = other >> l & 1;
                const bool expected = l < 31 && (with[0] == 'A'   ? is && also
                                                 : with[0] == 'O' ? is || also
                                                                  : is != also);
                const uint32_t yes = kind == 0 ? 0xffff : bf16 ? 0x3f80 : 0x3c00;
                if (kind == 2)
                    cr_assert_eq(warp->masks[1 + i] >> l & 1, expected, "%s, lane %d", opcode, l);
                else
                    cr_assert_eq(warp_row(warp, 0, 0)[l] >> (16 * i) & 0xffff, expected ? yes : 0, "%s, lane %d",
                                 opcode, l);
            }
    }
}

Test(lanes_half, comparisons)
{
    static const char *const names[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                        "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
    static const char *const with[] = {"AND", "OR", "XOR"};
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
            for (size_t k = 0; k < ARRAY_SIZE(with); k++)
                for (int bf16 = 0; bf16 < 2; bf16++)
                    expect_comparison(vector, names[i], with[k], bf16);
}

static void expect_minmax(unsigned vector, const char *opcode)
{
    struct instruction *code = made_instruction(table(vector), opcode, 4);
    cr_assert_not_null(code, "%s", opcode);
    const enum format format = strstr(opcode, "BF16") ? BF16 : F16;
    const bool flushes = strstr(opcode, "FTZ");
    made_predicate(code, 3, 1);
    struct warp *warp = made_warp();
    for (int sample = 0; sample < 100; sample++) {
        warp->masks[1] = (uint32_t)made_random(); /* where it is true, the least is taken */
        fill(warp, 1);
        fill(warp, 2);
        code->operands[1].absolute = strstr(opcode, "XORSIGN");
        code->operands[2].half = (unsigned char)(made_random() % 3);
        code->run(warp, code, ALL_LANES);
        for (int l = 0; l < LANES; l++)
            for (int i = 0; i < 2; i++) {
                const uint32_t a = flushed(read_half(warp, code, 1, l, i), flushes),
                               b = flushed(read_half(warp, code, 2, l, i), flushes);
                const double x = reference_value(format, a), y = reference_value(format, b);
                const bool x_less = x < y || (x == y && signbit(x));
                double expected = x_less == (warp->masks[1] >> l & 1) ? x : y;
                if (x != x || y != y)
                    expected = strstr(opcode, "NAN") ? NAN : x != x ? y : x;
                if (strstr(opcode, "XORSIGN"))
                    expected =
                        copysign(expected, (warp_row(warp, 1, 0)[l] >> (16 * i) & 0x8000) == (b & 0x8000) ? 1 : -1);
                const uint32_t got = warp_row(warp, 0, 0)[l] >> (16 * i) & 0xffff;
                cr_assert(reference_same(reference_value(format, got), expected) &&
                              (expected == expected || got == NAN_16),
                          "%s of %a and %a: %x", opcode, x, y, got);
            }
    }
}

Test(lanes_half, least_and_greatest)
{
    static const char *const opcodes[] = {
        "HMNMX2",         "HMNMX2.NAN",        "HMNMX2.FTZ.NAN", "HMNMX2.XORSIGN", "HMNMX2.NAN.XORSIGN",
        "HMNMX2.BF16_V2", "HMNMX2.BF16_V2.NAN"};
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
            expect_minmax(vector, opcodes[i]);
}

Test(lanes_half, what_is_not_known_is_refused)
{
    static const char *const opcodes[] = {"HFMA2.OOB",     "HADD2.BF16_V2.FTZ", "HMUL2.F32",
                                          "HADD2.F32.SAT", "HMNMX2.PACKED",     "HSETP2.H_AND.LT.AND"};
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        cr_expect_null(made_instruction(table(VECTOR_BASE), opcodes[i], 4), "%s", opcodes[i]);
}
