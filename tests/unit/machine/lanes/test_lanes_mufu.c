/* Special functions, compared with results of an H100. */
#include "machine/lanes/lanes.h"
#include "machine/made_warp.h"

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

TEXTS(lanes_mufu, every_result_is_that_of_the_gpu, "tests/unit/machine/lanes/lanes_mufu.txt#binades", expect_hash)
TEXTS(lanes_mufu, every_kind_of_vector_unit_gives_the_same, "tests/unit/machine/lanes/lanes_mufu.txt#binades",
      expect_the_same)

/* ---- Single values ---- */

/* Executes it on each kind of vector unit, for one lane. */
static void expect_result(const char *where, const char *opcode, uint32_t from, uint32_t to, unsigned char half)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++) {
        struct instruction *code = made_instruction(table(vector), opcode, 2);
        cr_assert_not_null(code, "%s", where);
        struct warp *warp = made_warp();
        code->operands[1].byte = half;
        warp_row(warp, 1, 0)[17] = from;
        code->run(warp, code, ALL_LANES);
        cr_expect_eq(warp_row(warp, 0, 0)[17], to, "%s: %x", where, warp_row(warp, 0, 0)[17]);
    }
}

static void expect_float(const char *where, const char *text, const char *words)
{
    const char *const opcode = cut_at(&text, " ");
    expect_result(where, opcode, of_float(strtof(text, NULL)), of_float_canonical(strtof(words, NULL)), 0);
}

static void expect_bits(const char *where, const char *text, const char *words)
{
    const char *const opcode = cut_at(&text, " ");
    const uint32_t from = (uint32_t)leading_number(&text), to = (uint32_t)leading_number(&words);
    expect_result(where, opcode, from, to, 0);
    if (strstr(opcode, "16"))
        expect_result(where, opcode, from << 16 | 0x1111, to, 3); /* .H1 */
}

TEXTS(lanes_mufu, special_functions, "tests/unit/machine/lanes/lanes_mufu.txt#floats", expect_float)
TEXTS(lanes_mufu, special_functions_of_doubles_and_halves, "tests/unit/machine/lanes/lanes_mufu.txt#bits", expect_bits)

Test(lanes_mufu, what_is_not_known_is_refused)
{
    static const char *const opcodes[] = {"MUFU.F16", "MUFU.RCP.F16", "MUFU.UNKNOWN", "MUFU"};
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        cr_expect_null(made_instruction(table(VECTOR_BASE), opcodes[i], 4), "%s", opcodes[i]);
}
