#include "float_reference.h"
#include "made_warp.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

/* ---- Products: the places of elements are written as in the PTX manual, for each shape, by the element's number ----
 */

struct place {
    unsigned row, column;
};
typedef struct place placer(unsigned g, unsigned t, unsigned i);

/* These are places in A. */
static struct place a_16816_half(unsigned g, unsigned t, unsigned i)
{
    const bool low = i < 2 || (4 <= i && i < 6);
    return (struct place){low ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
}
static struct place a_1688_half(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i < 2 ? g : g + 8, t * 2 + (i & 1)};
}
static struct place a_1684_tf32(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i == 0 ? g : g + 8, t};
}
static struct place a_1688_tf32(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
}
static struct place a_16816_byte(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i < 4 ? g : g + 8, t * 4 + (i & 3)};
}
static struct place a_16832_byte(unsigned g, unsigned t, unsigned i)
{
    const bool low = i < 4 || (8 <= i && i < 12);
    return (struct place){low ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
}
static struct place a_8816_byte(unsigned g, unsigned t, unsigned i)
{
    return (struct place){g, t * 4 + i};
}
static struct place a_88128_bit(unsigned g, unsigned t, unsigned i)
{
    return (struct place){g, t * 32 + i};
}
static struct place a_168128_bit(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i < 32 ? g : g + 8, t * 32 + (i & 31)};
}
static struct place a_168256_bit(unsigned g, unsigned t, unsigned i)
{
    const bool low = i < 32 || (64 <= i && i < 96);
    return (struct place){low ? g : g + 8, i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
}
static struct place a_8x8x4(unsigned g, unsigned t, unsigned i)
{
    return (struct place){g, t + i};
}
static struct place a_16x8x8(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
}
static struct place a_16x8x16(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
}
/* These are places in B; its rows are those that the product sums over. */
static struct place b_half(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
}
static struct place b_word(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i == 0 ? t : t + 4, g};
}
static struct place b_byte(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
}
static struct place b_bit(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g};
}
static struct place b_16x8x16(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i * 4 + t, g};
}
/* These are places in C and D. */
static struct place c_any(unsigned g, unsigned t, unsigned i)
{
    return (struct place){i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

/* Sets element i of lane's part of operand n; an element has that many bits. */
static void element_set(struct warp *warp, unsigned n, unsigned bits, unsigned i, unsigned lane, uint64_t value)
{
    if (bits == 64) {
        warp_row(warp, n, 2 * i)[lane] = (uint32_t)value;
        warp_row(warp, n, 2 * i + 1)[lane] = (uint32_t)(value >> 32);
    } else {
        const uint64_t mask = (UINT64_C(1) << bits) - 1;
        warp_row(warp, n, i * bits / 32)[lane] |= (uint32_t)((value & mask) << (i * bits % 32));
    }
}
static uint64_t element_get(struct warp *warp, unsigned n, unsigned bits, unsigned i, unsigned lane)
{
    if (bits == 64)
        return wide(warp_row(warp, n, 2 * i)[lane], warp_row(warp, n, 2 * i + 1)[lane]);
    return warp_row(warp, n, i * bits / 32)[lane] >> (i * bits % 32) & ((UINT64_C(1) << bits) - 1);
}

enum type { HALF, BRAIN, TENSOR, SINGLE, DOUBLE, SIGNED, UNSIGNED, BIT, WORD };
static const unsigned bits_of[] = {16, 16, 32, 32, 64, 8, 8, 1, 32};

static uint64_t encoded(enum type type, int value)
{
    switch (type) {
    case HALF:
        return half_of_float((float)value);
    case BRAIN:
        return bf16_of_float((float)value);
    case TENSOR: /* the lower bits do not matter */
        return of_float((float)value) | 0x1fff;
    case SINGLE:
        return of_float((float)value);
    case DOUBLE:
        return of_double(value);
    default:
        return (uint64_t)(int64_t)value;
    }
}

static int any_value(enum type type)
{
    if (type == BIT)
        return (int)(made_random() & 1);
    if (type == SIGNED)
        return (int)(made_random() % 256) - 128;
    if (type == UNSIGNED)
        return (int)(made_random() % 256);
    return (int)(made_random() % 9) - 4;
}

static const struct product {
    const char *opcode;
    unsigned rows, depth;
    enum type a, b, c;
    placer *a_place, *b_place;
} products[] = {
    {"HMMA.16816.F32", 16, 16, HALF, HALF, SINGLE, a_16816_half, b_half},
    {"HMMA.16816.F16", 16, 16, HALF, HALF, HALF, a_16816_half, b_half},
    {"HMMA.16816.F32.BF16", 16, 16, BRAIN, BRAIN, SINGLE, a_16816_half, b_half},
    {"HMMA.1688.F32", 16, 8, HALF, HALF, SINGLE, a_1688_half, b_half},
    {"HMMA.1688.F16", 16, 8, HALF, HALF, HALF, a_1688_half, b_half},
    {"HMMA.1688.F32.BF16", 16, 8, BRAIN, BRAIN, SINGLE, a_1688_half, b_half},
    {"HMMA.1684.F32.TF32", 16, 4, TENSOR, TENSOR, SINGLE, a_1684_tf32, b_word},
    {"HMMA.1688.F32.TF32", 16, 8, TENSOR, TENSOR, SINGLE, a_1688_tf32, b_word},
    {"DMMA.8x8x4", 8, 4, DOUBLE, DOUBLE, DOUBLE, a_8x8x4, b_word},
    {"DMMA.884", 8, 4, DOUBLE, DOUBLE, DOUBLE, a_8x8x4, b_word},
    {"DMMA.16x8x4", 16, 4, DOUBLE, DOUBLE, DOUBLE, a_1684_tf32, b_word},
    {"DMMA.16x8x8", 16, 8, DOUBLE, DOUBLE, DOUBLE, a_16x8x8, b_word},
    {"DMMA.16x8x16", 16, 16, DOUBLE, DOUBLE, DOUBLE, a_16x8x16, b_16x8x16},
    {"IMMA.8816.S8.S8", 8, 16, SIGNED, SIGNED, WORD, a_8816_byte, b_byte},
    {"IMMA.16816.S8.U8", 16, 16, SIGNED, UNSIGNED, WORD, a_16816_byte, b_byte},
    {"IMMA.16816.U8.S8.SAT", 16, 16, UNSIGNED, SIGNED, WORD, a_16816_byte, b_byte},
    {"IMMA.16832.U8.U8", 16, 32, UNSIGNED, UNSIGNED, WORD, a_16832_byte, b_byte},
    {"BMMA.88128.AND.POPC", 8, 128, BIT, BIT, WORD, a_88128_bit, b_bit},
    {"BMMA.168128.AND.POPC", 16, 128, BIT, BIT, WORD, a_168128_bit, b_bit},
    {"BMMA.168256.AND.POPC", 16, 256, BIT, BIT, WORD, a_168256_bit, b_bit},
};

/* Products are compiled for each kind of vector unit. */
static const struct opcode *table_of(const char *opcode, unsigned vector)
{
    static const struct opcode *const floats[] = {lanes_product_base, lanes_product_avx2, lanes_product_avx512};
    static const struct opcode *const others[] = {lanes_tensor_base, lanes_tensor_avx2, lanes_tensor_avx512};
    return opcode[0] == 'H' ? floats[vector] : others[vector];
}

static void expect_product(const struct product *product, bool in_place, unsigned vector)
{
    static int a[16][256], b[256][8], c[16][8];
    const unsigned a_count = product->rows * product->depth / LANES, b_count = product->depth * 8 / LANES;
    const unsigned c_count = product->rows * 8 / LANES, c_bits = bits_of[product->c];
    struct instruction *code = made_instruction(table_of(product->opcode, vector), product->opcode, 4);
    cr_assert_not_null(code, "%s", product->opcode);
    struct warp *warp = made_warp();
    if (in_place) /* the sum is in the registers of the result */
        code->operands[3] = code->operands[0];
    for (unsigned lane = 0; lane < LANES; lane++) {
        const unsigned g = lane / 4, t = lane % 4;
        for (unsigned i = 0; i < a_count; i++) {
            const struct place at = product->a_place(g, t, i);
            a[at.row][at.column] = any_value(product->a);
            element_set(warp, 1, bits_of[product->a], i, lane, encoded(product->a, a[at.row][at.column]));
        }
        for (unsigned i = 0; i < b_count; i++) {
            const struct place at = product->b_place(g, t, i);
            b[at.row][at.column] = any_value(product->b);
            element_set(warp, 2, bits_of[product->b], i, lane, encoded(product->b, b[at.row][at.column]));
        }
        for (unsigned i = 0; i < c_count; i++) {
            const struct place at = c_any(g, t, i);
            c[at.row][at.column] = any_value(product->c) * 10;
            element_set(warp, in_place ? 0 : 3, c_bits, i, lane, encoded(product->c, c[at.row][at.column]));
        }
    }
    code->run(warp, code, ALL_LANES);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < c_count; i++) {
            const struct place at = c_any(lane / 4, lane % 4, i);
            int sum = c[at.row][at.column];
            for (unsigned k = 0; k < product->depth; k++)
                sum += a[at.row][k] * b[k][at.column];
            const uint64_t mask = c_bits == 64 ? UINT64_MAX : (UINT64_C(1) << c_bits) - 1;
            cr_assert_eq(element_get(warp, 0, c_bits, i, lane), encoded(product->c, sum) & mask,
                         "%s: row %u, column %u is not %d", product->opcode, at.row, at.column, sum);
        }
}

Test(tensor, products_are_those_of_the_matrices)
{
    for (size_t i = 0; i < ARRAY_SIZE(products); i++)
        for (unsigned vector = 0; vector < made_vectors(); vector++)
            for (int in_place = 0; in_place < 2; in_place++)
                expect_product(&products[i], in_place, vector);
}

Test(tensor, a_sum_of_zero_is_the_register_of_zeros)
{
    struct instruction *code = made_instruction(table_of("HMMA", 0), "HMMA.16816.F32", 4);
    struct warp *warp = made_warp();
    code->operands[3].row = code->operands[3].high = ROW_ZERO * ROW_BYTES;
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned k = 0; k < 4; k++)
            warp_row(warp, 1, k)[lane] = 0x3c003c00;
        for (unsigned k = 0; k < 2; k++)
            warp_row(warp, 2, k)[lane] = 0x3c003c00;
    }
    code->run(warp, code, ALL_LANES);
    for (unsigned k = 0; k < 4; k++)
        cr_expect_eq(to_float(warp_row(warp, 0, k)[13]), 16);
}

Test(tensor, integer_sums_wrap_or_saturate)
{
    struct warp *warp = made_warp();
    for (unsigned lane = 0; lane < LANES; lane++) {
        warp_row(warp, 1, 0)[lane] = 0x01010101;
        warp_row(warp, 2, 0)[lane] = 0x01010101;
        warp_row(warp, 3, 0)[lane] = INT_MAX - 15;
        warp_row(warp, 3, 1)[lane] = INT_MAX - 16;
    }
    const struct instruction *code = made_instruction(lanes_tensor_base, "IMMA.8816.S8.S8", 4);
    code->run(warp, code, ALL_LANES);
    cr_expect_eq((int32_t)warp_row(warp, 0, 0)[3], INT_MIN);
    cr_expect_eq((int32_t)warp_row(warp, 0, 1)[3], INT_MAX);
    code = made_instruction(lanes_tensor_base, "IMMA.8816.S8.S8.SAT", 4);
    code->run(warp, code, ALL_LANES);
    cr_expect_eq((int32_t)warp_row(warp, 0, 0)[3], INT_MAX);
}

Test(tensor, what_is_not_known_is_refused)
{
    static const char *const opcodes[] = {
        "HMMA.SP.16832.F32",   "HMMA.16816",          "HMMA.16816.F64", "HMMA.16816.F16.BF16", "HMMA.16816.F32.TF32",
        "HMMA.16816.F32.E4M3", "HMMA.1684.F32",       "HMMA.8816.F32",  "IMMA.16832.S4.S4",    "IMMA.16832.S8.S8.X",
        "IMMA.168128.S8.S8",   "BMMA.88128.XOR.POPC", "DMMA.888",       "LDSM.8.M88",          "LDSM.16.M832",
        "LDSM.16.M88.3",       "MOVM.16.M88",         "MOVM.16.MT88.2"};
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        cr_expect_null(made_instruction(table_of(opcodes[i], 0), opcodes[i], 4), "%s", opcodes[i]);
}

/* ---- Matrices of 8 x 8 halves: what GPUs loaded and stored is in tests/sim/recorded.sh ---- */

/* Returns the number in element (row, column) of matrix m. Each element has another one. */
static uint16_t number(unsigned m, unsigned row, unsigned column)
{
    return (uint16_t)(m << 8 | row << 4 | column);
}

/* Returns what a lane has of matrix m, by the manual: two neighbours of a row. */
static uint32_t lane_word(unsigned m, unsigned lane, bool transposed)
{
    const unsigned line = lane / 4, place = lane % 4 * 2;
    return transposed ? number(m, place, line) | (uint32_t)number(m, place + 1, line) << 16
                      : number(m, line, place) | (uint32_t)number(m, line, place + 1) << 16;
}

Test(tensor, a_matrix_is_turned_in_registers)
{
    struct warp *warp = made_warp();
    const struct instruction *code = made_instruction(lanes_tensor_base, "MOVM.16.MT88", 2);
    cr_assert_not_null(code);
    for (unsigned lane = 0; lane < LANES; lane++)
        warp_row(warp, 1, 0)[lane] = lane_word(0, lane, false);
    code->run(warp, code, ALL_LANES);
    for (unsigned lane = 0; lane < LANES; lane++)
        cr_expect_eq(warp_row(warp, 0, 0)[lane], lane_word(0, lane, true));
}
