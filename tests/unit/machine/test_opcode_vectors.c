/* Each kind of vector unit computes the same, and other forms are refused. What operations compute is compared with
 * GPUs (tests/sim/recorded.sh) and the host's compiler (tests/sim/oracle.sh), by the best unit that the machine has. */
#include "made_code.h"
#include "made_warp.h"
#include "test.h"

/* The operations of a kind of vector unit are those that are found from here on. */
static void choose(unsigned vector)
{
    static const char *const names[VECTORS] = {"base", "avx2", "avx512"};
    setenv(VECTOR_VARIABLE, names[vector], 1);
}

/* An instruction as nvdisasm writes it, for a kind of vector unit. Caller frees. */
static struct code *decoded(const char *form, unsigned vector)
{
    choose(vector);
    struct code *code = made_code(form);
    cr_assert_neq(code->list->control, CONTROL_UNKNOWN, "%s", form);
    return code;
}

/* Fills the registers with words of all kinds: small, near a power of two, floats near 1, and any. */
static void fill(struct warp *warp)
{
    static const uint32_t special[] = {0,          1,          0x80000000, 0x7fffffff, ALL_LANES,  0x7f800000,
                                       0xff800000, 0x7fc00000, 0x00000400, 0x7c00fc00, 0x3f803c00, 0x00010001};
    for (unsigned n = 0; n < 64; n++)
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t random = made_random();
            const uint32_t word = (uint32_t)(random >> 32);
            warp->rows[n][l] = random % 4 == 0   ? special[word % ARRAY_SIZE(special)]
                               : random % 4 == 1 ? (word & 0x80ffffff) | 0x3f000000
                               : random % 4 == 2 ? (word & 0x87ff87ff) + 0x38003800
                                                 : word >> random / 4 % 32;
        }
    for (unsigned p = 0; p < MASK_TRUE; p++)
        warp->masks[p] = (uint32_t)made_random();
}

static void expect_same(const char *form, unsigned vector)
{
    static struct warp filled, expected;
    struct code *base = decoded(form, VECTOR_BASE), *code = decoded(form, vector);
    for (int sample = 0; sample < 60; sample++) {
        struct warp *warp = made_warp();
        fill(warp);
        const uint32_t lanes = sample & 1 ? ALL_LANES : (uint32_t)made_random();
        filled = *warp;
        made_execute(warp, base, lanes);
        expected = *warp;
        *warp = filled;
        made_execute(warp, code, lanes);
        for (unsigned n = 0; n < 64; n++)
            for (unsigned l = 0; l < LANES; l++)
                cr_assert_eq(warp->rows[n][l], expected.rows[n][l],
                             "%s by unit %u: lane %u of R%u is %x, and %x by base", form, vector, l, n,
                             warp->rows[n][l], expected.rows[n][l]);
        cr_assert_arr_eq(warp->masks, expected.masks, sizeof warp->masks, "%s by unit %u: a predicate", form, vector);
        cr_assert(sample > 0 || memcmp(warp->rows, filled.rows, sizeof warp->rows) != 0 ||
                      memcmp(warp->masks, filled.masks, sizeof warp->masks) != 0,
                  "%s writes nothing", form);
    }
    code_free(base);
    code_free(code);
}

/* What R0 is, by every unit, where each lane has these words in R8, R16 and R24. */
static void expect_result(const char *form, const char *with, uint32_t r0)
{
    for (unsigned vector = 0; vector < made_vectors(); vector++) {
        struct warp *warp = made_warp();
        char *rest = (char *)with;
        for (unsigned row = 8; row <= 24; row += 8) {
            const uint32_t word = (uint32_t)strtoul(rest, &rest, 0);
            for (unsigned l = 0; l < LANES; l++)
                warp->rows[row][l] = word;
        }
        struct code *code = decoded(form, vector);
        made_execute(warp, code, ALL_LANES & ~1u);
        cr_expect_eq(warp->rows[0][13], r0, "%s by unit %u: %x", form, vector, warp->rows[0][13]);
        cr_expect_eq(warp->rows[0][0], 0, "%s: a lane that is not to be written", form);
        code_free(code);
    }
}

/* Behind an instruction stands `same`, `refused`, or behind the words of its registers the word that it makes of them.
 */
static void expect_instruction(const char *where, const char *text, const char *words)
{
    const char *with = strstr(text, " with ");
    OWNED_TEXT form = x_sprintf("%.*s", with ? (int)(with - text) : (int)strlen(text), text);
    choose(VECTOR_BASE);
    if (strcmp(words, "refused") == 0)
        cr_expect_null(made_instruction(opcode_find(form), form, 4), "%s: %s", where, form);
    else if (with)
        expect_result(form, with + strlen(" with "), (uint32_t)strtoul(words, NULL, 0));
    else
        for (unsigned vector = 1; vector < made_vectors(); vector++)
            expect_same(form, vector);
}

TEXTS(opcode, each_kind_of_vector_unit_computes_the_same, "tests/unit/machine/opcode_vectors.txt", expect_instruction)
