/* Special functions, compared with results of an H100. */
#include "float_reference.h"
#include "made_warp.h"

#include "test.h"

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

struct binades {
    char opcode[32];
    uint32_t first, count;
};

static struct binades binades_of(const char *text)
{
    struct binades binades = {.opcode = ""};
    char *rest;
    snprintf(binades.opcode, sizeof binades.opcode, "%.*s", (int)strcspn(text, " "), text);
    binades.first = (uint32_t)strtoul(strchr(text, ' '), &rest, 16);
    binades.count = (uint32_t)strtoul(rest, NULL, 16);
    return binades;
}

static void expect_hash(const char *where, const char *text, const char *words)
{
    const struct binades of = binades_of(text);
    const uint64_t hash = hash_of(made_instruction(table(made_vectors() - 1), of.opcode, 2), of.first, of.count);
    cr_expect_eq(hash, strtoull(words, NULL, 16), "%s: %llx", where, (unsigned long long)hash);
}

static void expect_the_same(const char *where, const char *text, const char *words)
{
    const struct binades of = binades_of(text);
    (void)words;
    for (unsigned vector = 0; vector + 1 < made_vectors(); vector++)
        for (uint32_t first = of.first; first - of.first < of.count; first += of.count / 4)
            cr_expect_eq(hash_of(made_instruction(table(vector), of.opcode, 2), first, 4096),
                         hash_of(made_instruction(table(made_vectors() - 1), of.opcode, 2), first, 4096), "%s, from %x",
                         where, first);
}

Test(lanes_mufu, every_result_is_that_of_the_gpu)
{
    each_text("tests/unit/machine/lanes_mufu.txt", expect_hash);
}

Test(lanes_mufu, every_kind_of_vector_unit_gives_the_same)
{
    each_text("tests/unit/machine/lanes_mufu.txt", expect_the_same);
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
