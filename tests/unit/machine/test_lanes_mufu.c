/* Special functions, compared with results of an H100 (driver 580.159.04, CUDA 13.0, 2026-11-26; tests/gpu/mufu.sh). */
#include "float_reference.h"
#include "made_warp.h"

#include <criterion/criterion.h>

static const struct opcode *table(unsigned vector)
{
#if defined(__x86_64__)
    return (const struct opcode *const[]){lanes_mufu_base, lanes_mufu_avx2, lanes_mufu_avx512}[vector];
#else
    return (void)vector, lanes_mufu_base;
#endif
}

/* ---- All arguments of some binades ---- */

/* Adds up what operands first to first + count - 1 and their results are mixed to, as the kernel of the recording does.
 */
static uint64_t hash_of(const struct instruction *code, uint32_t first, uint32_t count)
{
    struct warp *warp = made_warp();
    const uint32_t *results = warp_row(warp, 0, 0);
    uint32_t *from = warp_row(warp, 1, 0);
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count; at += LANES) {
        for (uint32_t l = 0; l < LANES; l++)
            from[l] = first + at + l;
        code->run(warp, code, ALL_LANES);
        for (uint32_t l = 0; l < LANES; l++) {
            const uint64_t pair = ((uint64_t)(first + at + l) << 32 | results[l]) * UINT64_C(0x9e3779b97f4a7c15);
            const uint64_t mixed = (pair ^ pair >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
            sum += mixed ^ mixed >> 32;
        }
    }
    return sum;
}

static const struct {
    const char *opcode;
    uint32_t first, count;
    uint64_t hash;
} recorded[] = {
    {"MUFU.RCP", 0x3f800000, 0x800000, 0x6fd7b60bad70c003},
    {"MUFU.RCP", 0x00800000, 0x800000, 0xc510a215917cc0cf},
    {"MUFU.RCP", 0x7e800000, 0x800000, 0x49e21e951dc62dba},
    {"MUFU.RCP", 0x7f800000, 0x800000, 0x97c64d0a72342c11},
    {"MUFU.RSQ", 0x3f800000, 0x800000, 0xda39016aa5f99cb3},
    {"MUFU.RSQ", 0x40000000, 0x800000, 0x68856bffd9744438},
    {"MUFU.SQRT", 0x3f800000, 0x800000, 0x1fd85b02b8947760},
    {"MUFU.SQRT", 0x40000000, 0x800000, 0xdb162a7d1eded343},
    {"MUFU.EX2", 0x3f800000, 0x800000, 0xf83ab3498cff4b5a},
    {"MUFU.EX2", 0x3f000000, 0x800000, 0x0b73f1dca0c21e95},
    {"MUFU.EX2", 0x3c000000, 0x800000, 0x28817bd9fbc3b718},
    {"MUFU.EX2", 0x42800000, 0x800000, 0xc45201a63f8e6e04},
    {"MUFU.EX2", 0xbf000000, 0x800000, 0xd01e8afdc4e0ca15},
    {"MUFU.EX2", 0xc0000000, 0x800000, 0xd800ef53cd12f8d0},
    {"MUFU.EX2", 0xc2800000, 0x800000, 0x690f39300ea77b9f},
    {"MUFU.LG2", 0x3f800000, 0x800000, 0x2c0113b23d4b201d},
    {"MUFU.LG2", 0x3f000000, 0x800000, 0xbe2be381aedddaca},
    {"MUFU.LG2", 0x40000000, 0x800000, 0x69393d0a88efa56e},
    {"MUFU.LG2", 0x2d000000, 0x800000, 0x8754bfc12d0e9180},
    {"MUFU.SIN", 0x3e000000, 0x800000, 0x547a4d998423a146},
    {"MUFU.SIN", 0x3e800000, 0x800000, 0xcaa55641fd02f38d},
    {"MUFU.SIN", 0x3f000000, 0x800000, 0x2d4f0c903d48619f},
    {"MUFU.SIN", 0x40000000, 0x800000, 0x86928114893290a4},
    {"MUFU.SIN", 0x3b000000, 0x800000, 0x3a894536579a6126},
    {"MUFU.COS", 0x3e000000, 0x800000, 0x5e1de3778d7a094b},
    {"MUFU.COS", 0x3e800000, 0x800000, 0xa1d8836a8cc83873},
    {"MUFU.COS", 0xbf800000, 0x800000, 0x22da567761315e9f},
    {"MUFU.TANH", 0x3b800000, 0x800000, 0x8f4fa04336b35e76},
    {"MUFU.TANH", 0x3d000000, 0x800000, 0x65a0debcf243587d},
    {"MUFU.TANH", 0x3e000000, 0x800000, 0xc107c37ca7cc6e50},
    {"MUFU.TANH", 0x3f000000, 0x800000, 0x5a5fe7d016da8762},
    {"MUFU.TANH", 0x3f800000, 0x800000, 0xdab47786e891860f},
    {"MUFU.TANH", 0x40000000, 0x800000, 0x13511fe53834901d},
    {"MUFU.TANH", 0x40800000, 0x800000, 0x833c3c00cb5f4557},
    {"MUFU.RCP64H", 0x3f800000, 0x800000, 0x8941d3dbfbd9f40e},
    {"MUFU.RSQ64H", 0x3f800000, 0x800000, 0x105d0cd43abfff77},
    {"MUFU.EX2.F16", 0x00000000, 0x10000, 0x06e37e35cab36717},
    {"MUFU.TANH.F16", 0x00000000, 0x10000, 0xaef995745459252b},
    {"MUFU.EX2.BF16", 0x00000000, 0x10000, 0x33c4b50172d0e8a1},
    {"MUFU.TANH.BF16", 0x00000000, 0x10000, 0xfd262138a18020c8},
};

Test(lanes_mufu, every_result_is_that_of_the_gpu)
{
    for (size_t i = 0; i < ARRAY_SIZE(recorded); i++) {
        const struct instruction *code = made_instruction(table(made_vectors() - 1), recorded[i].opcode, 2);
        const uint64_t hash = hash_of(code, recorded[i].first, recorded[i].count);
        cr_expect_eq(hash, recorded[i].hash, "%s from %x: %llx", recorded[i].opcode, recorded[i].first,
                     (unsigned long long)hash);
    }
}

Test(lanes_mufu, every_kind_of_vector_unit_gives_the_same)
{
    for (unsigned vector = 0; vector + 1 < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(recorded); i++)
            for (uint32_t at = 0; at < recorded[i].count; at += recorded[i].count / 4) {
                const char *opcode = recorded[i].opcode;
                const uint32_t first = recorded[i].first + at;
                cr_expect_eq(hash_of(made_instruction(table(vector), opcode, 2), first, 4096),
                             hash_of(made_instruction(table(made_vectors() - 1), opcode, 2), first, 4096), "%s from %x",
                             opcode, first);
            }
}

/* ---- Single values ---- */

Test(lanes_mufu, special_functions)
{
    static const struct {
        const char *opcode;
        float from, to;
    } cases[] = {{"MUFU.RCP", 3, 1.0f / 3},
                 {"MUFU.RCP", -0.0f, -INFINITY},
                 {"MUFU.RCP", 0x1p-127f, INFINITY}, /* a subnormal number counts as 0 */
                 {"MUFU.RCP", 0x1.8p126f, 0},       /* the result would be subnormal */
                 {"MUFU.RCP", -0x1p127f, -0.0f},
                 {"MUFU.RSQ", 4, 0.5f},
                 {"MUFU.RSQ", -1, NAN},
                 {"MUFU.RSQ", -0.0f, -INFINITY},
                 {"MUFU.RSQ", INFINITY, 0},
                 {"MUFU.SQRT", 9, 3},
                 {"MUFU.SQRT", 2, 1.41421356237309504880f},
                 {"MUFU.EX2", 3, 8},
                 {"MUFU.EX2", -0.5f, 0x1.6a09e4p-1f},
                 {"MUFU.EX2", -126.5f, 0},
                 {"MUFU.EX2", 200, INFINITY},
                 {"MUFU.LG2", 8, 3},
                 {"MUFU.LG2", 0, -INFINITY},
                 {"MUFU.LG2", 0x1p-130f, -INFINITY},
                 {"MUFU.LG2", -1, NAN},
                 {"MUFU.SIN", 0.25f, 1},
                 {"MUFU.SIN", 100.75f, -1},
                 {"MUFU.SIN", INFINITY, NAN},
                 {"MUFU.COS", 0.5f, -1},
                 {"MUFU.COS", -7, 1},
                 {"MUFU.TANH", 0.5f, 0x1.d934ap-2f},
                 {"MUFU.TANH", -100, -1}};
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            const struct instruction *code = made_instruction(table(vector), cases[i].opcode, 2);
            struct warp *warp = made_warp();
            warp_row(warp, 1, 0)[17] = of_float(cases[i].from);
            code->run(warp, code, ALL_LANES);
            const uint32_t got = warp_row(warp, 0, 0)[17];
            cr_expect_eq(got, of_float_canonical(cases[i].to), "%s of %a: %a", cases[i].opcode, (double)cases[i].from,
                         (double)to_float(got));
        }
}

Test(lanes_mufu, special_functions_of_doubles_and_halves)
{
    static const struct {
        const char *opcode;
        uint32_t from, to;
    } cases[] = {{"MUFU.RCP64H", 0x40080000, 0x3fd55555}, /* 3 */
                 {"MUFU.RCP64H", 0x80000000, 0xfff00000}, /* -0 */
                 {"MUFU.RCP64H", 0x000fffff, 0x7ff00000}, /* subnormal */
                 /* Its reciprocal would be subnormal. */
                 {"MUFU.RCP64H", 0x7fefffff, 0},
                 {"MUFU.RSQ64H", 0x40100000, 0x3fe00000}, /* 4 */
                 {"MUFU.RSQ64H", 0xc0100000, NAN_32},
                 {"MUFU.EX2.F16", 0xc200, 0x3000},  /* -3 */
                 {"MUFU.EX2.F16", 0xcc00, 0x0100},  /* -16 */
                 {"MUFU.EX2.BF16", 0xc040, 0x3e00}, /* -3 */
                 {"MUFU.TANH.F16", 0x7c00, 0x3c00},
                 {"MUFU.TANH.BF16", 0xff80, 0xbf80}};
    for (unsigned vector = 0; vector < made_vectors(); vector++)
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            struct instruction *code = made_instruction(table(vector), cases[i].opcode, 2);
            cr_assert_not_null(code, "%s", cases[i].opcode);
            struct warp *warp = made_warp();
            warp_row(warp, 1, 0)[17] = cases[i].from;
            code->run(warp, code, ALL_LANES);
            cr_expect_eq(warp_row(warp, 0, 0)[17], cases[i].to, "%s of %x: %x", cases[i].opcode, cases[i].from,
                         warp_row(warp, 0, 0)[17]);
            if (strstr(cases[i].opcode, "16")) {
                code->operands[1].byte = 3; /* .H1 */
                warp_row(warp, 1, 0)[17] = cases[i].from << 16 | 0x1111;
                code->run(warp, code, ALL_LANES);
                cr_expect_eq(warp_row(warp, 0, 0)[17], cases[i].to);
            }
        }
}

Test(lanes_mufu, what_is_not_known_is_refused)
{
    static const char *const opcodes[] = {"MUFU.F16", "MUFU.RCP.F16", "MUFU.UNKNOWN", "MUFU"};
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        cr_expect_null(made_instruction(table(VECTOR_BASE), opcodes[i], 4), "%s", opcodes[i]);
}
