/* Tensor cores: products of small matrices that lie in the registers of a whole warp, and how these get there.
 *
 * Where an element lies is in the PTX manual, "Matrix Fragments for mma.m16n8k...": lane 4 g + t has of A, in each
 * register, neighbours of row g, or g + 8 in each second register, from column t times their number on; of B the same
 * with column g; of the sum the columns 2 t and 2 t + 1 of row g, then of row g + 8. */
#include "tensor.h"

#include "memory_access.h"
#include "small_float.h"

#include <stddef.h>
#include <string.h>

/* ---- Shapes ---- */

enum { MOST_ROWS = 16, COLUMNS = 8, MOST_DEPTH = 256 };
enum kind { KIND_F16, KIND_BF16, KIND_TF32, KIND_F64, KIND_S8, KIND_U8, KIND_BIT };
enum { SHAPE, LEFT, RIGHT, SUM, SATURATES }; /* flags */

static const struct shape {
    const char *name;
    unsigned short rows, depth;
} shapes[] = {{"8816", 8, 16},   {"88128", 8, 128}, {"1684", 16, 4},     {"1688", 16, 8},
              {"16816", 16, 16}, {"16832", 16, 32}, {"168128", 16, 128}, {"168256", 16, 256},
              {"8x8x4", 8, 4},   {"16x8x4", 16, 4}, {"16x8x8", 16, 8},   {"16x8x16", 16, 16}};

static bool find_shape(struct instruction *code)
{
    for (unsigned char i = 0; code->modifier_count > 0 && i < ARRAY_SIZE(shapes); i++)
        if (strcmp(shapes[i].name, code->modifiers[0]) == 0) {
            code->flags[SHAPE] = i;
            return true;
        }
    return false;
}

/* Elements of A or B in a register; of doubles, in two. */
static unsigned elements(enum kind kind)
{
    switch (kind) {
    case KIND_F16:
    case KIND_BF16:
        return 2;
    case KIND_S8:
    case KIND_U8:
        return 4;
    case KIND_BIT:
        return 32;
    case KIND_TF32:
    case KIND_F64:
        break;
    }
    return 1;
}

/* ---- Floats ---- */

struct matrices {
    double a[MOST_ROWS][16], b[16][COLUMNS], sum[MOST_ROWS][COLUMNS];
};

static inline double element(enum kind kind, uint32_t word, unsigned e)
{
    switch (kind) {
    case KIND_F16:
        return half_to_float(word >> (16 * e));
    case KIND_BF16:
        return bf16_to_float(word >> (16 * e));
    default: /* TF32 has the upper 19 bits */
        return to_float(word & 0xffffe000);
    }
}

/* Inlined for each kind: reading the operands is half the work. */
static inline void matrices_read_as(enum kind kind, struct matrices *m, const struct warp *warp,
                                    const struct instruction *code)
{
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    const unsigned width = elements(kind), halves = shape->rows / 8, words = kind == KIND_F64 ? 2 : 1;
    const unsigned steps = shape->depth / width / 4;
    for (unsigned step = 0; step < steps; step++) {
        for (unsigned half = 0; half < halves; half++) {
            const unsigned behind = (step * halves + half) * words;
            const uint32_t *row = ROW_BEHIND(1, behind), *high = ROW_BEHIND(1, behind + words - 1);
            for (unsigned lane = 0; lane < LANES; lane++)
                for (unsigned e = 0; e < width; e++)
                    m->a[half * 8 + lane / 4][(step * 4 + lane % 4) * width + e] =
                        kind == KIND_F64 ? to_double(row[lane], high[lane]) : element(kind, row[lane], e);
        }
        const uint32_t *row = ROW_BEHIND(2, step * words), *high = ROW_BEHIND(2, step * words + words - 1);
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned e = 0; e < width; e++)
                m->b[(step * 4 + lane % 4) * width + e][lane / 4] =
                    kind == KIND_F64 ? to_double(row[lane], high[lane]) : element(kind, row[lane], e);
    }
}

static void matrices_read(struct matrices *m, const struct warp *warp, const struct instruction *code)
{
    switch ((enum kind)code->flags[LEFT]) {
    case KIND_F16:
        matrices_read_as(KIND_F16, m, warp, code);
        break;
    case KIND_BF16:
        matrices_read_as(KIND_BF16, m, warp, code);
        break;
    case KIND_TF32:
        matrices_read_as(KIND_TF32, m, warp, code);
        break;
    default:
        matrices_read_as(KIND_F64, m, warp, code);
    }
}

/* Element i of a lane's part of the sum. */
static double *sum_at(struct matrices *m, unsigned lane, unsigned i)
{
    return &m->sum[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}

static void sum_read(struct matrices *m, const struct warp *warp, const struct instruction *code)
{
    const unsigned per_lane = shapes[code->flags[SHAPE]].rows / 4;
    for (unsigned i = 0; i < per_lane; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            switch (code->flags[SUM]) {
            case F16:
                *sum_at(m, lane, i) = half_to_float(ROW_BEHIND(3, i / 2)[lane] >> (i % 2 * 16));
                break;
            case F32:
                *sum_at(m, lane, i) = to_float(ROW_BEHIND(3, i)[lane]);
                break;
            default:
                *sum_at(m, lane, i) = to_double(ROW_BEHIND(3, 2 * i)[lane], ROW_BEHIND(3, 2 * i + 1)[lane]);
            }
}

static void sum_write(struct matrices *m, struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const unsigned per_lane = shapes[code->flags[SHAPE]].rows / 4;
    for (unsigned i = 0; i < per_lane; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (!(lanes >> lane & 1))
                continue;
            const double value = *sum_at(m, lane, i);
            if (code->flags[SUM] == F16) {
                uint32_t *word = &ROW_BEHIND(0, i / 2)[lane];
                const uint32_t half = (uint32_t)round_double(F16, value, ROUND_NEAREST, false);
                *word = i % 2 ? (*word & 0xffff) | half << 16 : (*word & 0xffff0000) | half;
            } else if (code->flags[SUM] == F32) {
                ROW_BEHIND(0, i)[lane] = of_float_canonical((float)value);
            } else {
                const uint64_t bits = of_double_canonical(value);
                ROW_BEHIND(0, 2 * i)[lane] = (uint32_t)bits;
                ROW_BEHIND(0, 2 * i + 1)[lane] = (uint32_t)(bits >> 32);
            }
        }
}

/* D = A B + C. Products are exact, summed as doubles and rounded once. The hardware cuts the products of a step off
 * where the largest of them needs it, which nobody has documented: so results are equal where sums are exact, as of
 * small integers, and may differ in the last bits where they are not. DMMA is a chain of fused operations. */
static void float_mma(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    const bool is_double = code->flags[SUM] == F64;
    struct matrices m;
    matrices_read(&m, warp, code);
    sum_read(&m, warp, code);
    for (unsigned row = 0; row < shape->rows; row++)
        for (unsigned k = 0; k < shape->depth; k++)
            if (is_double)
                for (unsigned column = 0; column < COLUMNS; column++)
                    m.sum[row][column] = fma(m.a[row][k], m.b[k][column], m.sum[row][column]);
            else
                for (unsigned column = 0; column < COLUMNS; column++)
                    m.sum[row][column] += m.a[row][k] * m.b[k][column];
    sum_write(&m, warp, code, lanes);
}

static bool prepare_hmma(struct instruction *code)
{
    if (!find_shape(code) || code->modifier_count < 2)
        return false;
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    const bool to_float = strcmp(code->modifiers[1], "F32") == 0;
    const char *kind = code->modifier_count == 3 ? code->modifiers[2] : "F16";
    if ((!to_float && strcmp(code->modifiers[1], "F16") != 0) || code->modifier_count > 3 || shape->rows != 16)
        return false;
    code->flags[SUM] = to_float ? F32 : F16;
    if (strcmp(kind, "TF32") == 0)
        code->flags[LEFT] = KIND_TF32;
    else if (strcmp(kind, "BF16") == 0)
        code->flags[LEFT] = KIND_BF16;
    else if (strcmp(kind, "F16") == 0)
        code->flags[LEFT] = KIND_F16;
    else
        return false;
    if (code->flags[LEFT] == KIND_TF32)
        return to_float && (shape->depth == 4 || shape->depth == 8);
    return (to_float || code->flags[LEFT] == KIND_F16) && (shape->depth == 8 || shape->depth == 16);
}

static bool prepare_dmma(struct instruction *code)
{
    code->flags[LEFT] = KIND_F64;
    code->flags[SUM] = F64;
    return find_shape(code) && code->modifier_count == 1 && strchr(code->modifiers[0], 'x') != NULL;
}

/* ---- Integers ---- */

/* Element e of a word, which has 4 bytes. */
static int32_t byte_at(uint32_t word, unsigned e, bool is_signed)
{
    const uint32_t byte = word >> (8 * e) & 0xff;
    return is_signed ? (int32_t)(byte ^ 0x80) - 0x80 : (int32_t)byte;
}

/* The products of a word of A with one of B, which lie at the same places of a row and of a column. */
static int64_t word_product(enum kind left, enum kind right, uint32_t a, uint32_t b)
{
    if (left == KIND_BIT)
        return __builtin_popcount(a & b);
    int64_t sum = 0;
    for (unsigned e = 0; e < 4; e++)
        sum += byte_at(a, e, left == KIND_S8) * byte_at(b, e, right == KIND_S8);
    return sum;
}

static void integer_mma(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    const enum kind left = code->flags[LEFT], right = code->flags[RIGHT];
    const unsigned words = shape->depth / elements(left); /* of a row of A, of a column of B */
    const unsigned halves = shape->rows / 8;
    uint32_t a[MOST_ROWS][8], b[COLUMNS][8], result[4][LANES];
    for (unsigned r = 0; r < words / 4; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            for (unsigned half = 0; half < halves; half++)
                a[lane / 4 + half * 8][r * 4 + lane % 4] = ROW_BEHIND(1, r * halves + half)[lane];
            b[lane / 4][r * 4 + lane % 4] = ROW_BEHIND(2, r)[lane];
        }
    for (unsigned i = 0; i < 2 * halves; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            int64_t sum = (int32_t)ROW_BEHIND(3, i)[lane];
            for (unsigned k = 0; k < words; k++)
                sum += word_product(left, right, a[row][k], b[column][k]);
            if (code->flags[SATURATES])
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            result[i][lane] = (uint32_t)sum;
        }
    for (unsigned i = 0; i < 2 * halves; i++)
        WRITE_LANES(ROW_BEHIND(0, i), lanes, result[i][l]);
}

static bool byte_kind(const char *modifier, unsigned char *kind)
{
    *kind = strcmp(modifier, "S8") == 0 ? KIND_S8 : KIND_U8;
    return *kind == KIND_S8 || strcmp(modifier, "U8") == 0;
}

static bool prepare_imma(struct instruction *code)
{
    if (!find_shape(code) || code->modifier_count < 3 || !byte_kind(code->modifiers[1], &code->flags[LEFT]) ||
        !byte_kind(code->modifiers[2], &code->flags[RIGHT]))
        return false;
    const unsigned depth = shapes[code->flags[SHAPE]].depth;
    code->flags[SATURATES] = code->modifier_count == 4 && strcmp(code->modifiers[3], "SAT") == 0;
    return code->modifier_count == 3u + code->flags[SATURATES] && (depth == 16 || depth == 32);
}

static bool prepare_bmma(struct instruction *code)
{
    code->flags[LEFT] = code->flags[RIGHT] = KIND_BIT;
    return find_shape(code) && shapes[code->flags[SHAPE]].depth >= 128 && code->modifier_count == 3 &&
           strcmp(code->modifiers[1], "AND") == 0 && strcmp(code->modifiers[2], "POPC") == 0;
}

/* ---- Matrices of 8 x 8 halves: LDSM, STSM, MOVM ---- */

enum { MATRICES, TRANSPOSED }; /* flags */
enum { SIDE = 8, ROW_OF_MATRIX = 16 /* bytes */ };
typedef uint16_t matrix[SIDE][SIDE];

static bool prepare_matrices(struct instruction *code)
{
    if (code->modifier_count < 2 || strcmp(code->modifiers[0], "16") != 0)
        return false;
    code->flags[TRANSPOSED] = strcmp(code->modifiers[1], "MT88") == 0;
    code->flags[MATRICES] = 1;
    if (!code->flags[TRANSPOSED] && strcmp(code->modifiers[1], "M88") != 0)
        return false;
    if (code->modifier_count == 3 && (strcmp(code->modifiers[2], "2") == 0 || strcmp(code->modifiers[2], "4") == 0))
        code->flags[MATRICES] = (unsigned char)(code->modifiers[2][0] - '0');
    return code->modifier_count == 2u + (code->flags[MATRICES] > 1);
}

static bool prepare_movm(struct instruction *code)
{
    return prepare_matrices(code) && code->flags[MATRICES] == 1 && code->flags[TRANSPOSED];
}

/* A lane's word of a matrix: two neighbours of row lane / 4, or of that column. */
static uint32_t word_of(matrix m, unsigned lane, bool transposed)
{
    const unsigned line = lane / 4, place = lane % 4 * 2;
    return transposed ? m[place][line] | (uint32_t)m[place + 1][line] << 16
                      : m[line][place] | (uint32_t)m[line][place + 1] << 16;
}
static void word_to(matrix m, unsigned lane, bool transposed, uint32_t word)
{
    const unsigned line = lane / 4, place = lane % 4 * 2;
    for (unsigned i = 0; i < 2; i++)
        *(transposed ? &m[place + i][line] : &m[line][place + i]) = (uint16_t)(word >> (16 * i));
}

void ldsm_wavefronts(const uint32_t *addresses, uint32_t lanes, unsigned matrices, unsigned *wavefronts,
                     unsigned *ideal)
{
    *wavefronts = *ideal = 0;
    for (unsigned m = 0; m < matrices; m++) {
        uint32_t words[LANES][SIDE]; /* distinct ones of each bank */
        unsigned counts[LANES] = {0}, most = 0;
        for (unsigned row = 0; row < SIDE; row++)
            for (unsigned i = 0; i < ROW_OF_MATRIX / 4 && lanes >> (m * SIDE + row) & 1; i++) {
                const uint32_t word = addresses[m * SIDE + row] / 4 + i, bank = word % LANES;
                unsigned at = 0;
                while (at < counts[bank] && words[bank][at] != word)
                    at++;
                words[bank][at] = word;
                counts[bank] += at == counts[bank];
                most = counts[bank] > most ? counts[bank] : most;
            }
        *wavefronts += most;
        *ideal += most > 0;
    }
}

/* Copies the rows of the matrices, whose addresses the lanes have in operand n, and counts that. */
static void rows_move(struct warp *warp, const struct instruction *code, uint32_t lanes, unsigned n, matrix *matrices,
                      bool stores)
{
    uint32_t addresses[LANES];
    unsigned wavefronts, ideal;
    const unsigned rows = SIDE * code->flags[MATRICES];
    lanes &= ALL_LANES >> (LANES - rows);
    shared_access(warp, code, n, lanes, ROW_OF_MATRIX, stores, addresses);
    ldsm_wavefronts(addresses, lanes, code->flags[MATRICES], &wavefronts, &ideal);
    shared_counted(warp, code, wavefronts, ideal);
    for (unsigned lane = 0; lane < rows; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        unsigned char *bytes = warp->block->shared + addresses[lane];
        uint16_t *row = matrices[lane / SIDE][lane % SIDE];
        if (stores)
            memcpy(bytes, row, ROW_OF_MATRIX);
        else
            memcpy(row, bytes, ROW_OF_MATRIX);
    }
}

static void ldsm(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    matrix matrices[4] = {0};
    rows_move(warp, code, lanes, 1, matrices, false);
    for (unsigned m = 0; m < code->flags[MATRICES]; m++)
        WRITE_LANES(ROW_BEHIND(0, m), lanes, word_of(matrices[m], (unsigned)l, code->flags[TRANSPOSED]));
}

static void stsm(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    matrix matrices[4];
    for (unsigned m = 0; m < code->flags[MATRICES]; m++)
        for (unsigned lane = 0; lane < LANES; lane++)
            word_to(matrices[m], lane, code->flags[TRANSPOSED], ROW_BEHIND(1, m)[lane]);
    rows_move(warp, code, lanes, 0, matrices, true);
}

static void movm(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    matrix m;
    for (unsigned lane = 0; lane < LANES; lane++)
        word_to(m, lane, false, ROW(1)[lane]);
    WRITE_LANES(ROW(0), lanes, word_of(m, (unsigned)l, true));
}

/* clang-format off */
const struct opcode tensor_opcodes[] = {
    {"HMMA", float_mma,   CONTROL_NEXT, prepare_hmma,     "d", NULL},
    {"DMMA", float_mma,   CONTROL_NEXT, prepare_dmma,     "d", NULL},
    {"IMMA", integer_mma, CONTROL_NEXT, prepare_imma,     "d", NULL},
    {"BMMA", integer_mma, CONTROL_NEXT, prepare_bmma,     "d", NULL},
    {"LDSM", ldsm,        CONTROL_NEXT, prepare_matrices, "d", NULL},
    {"STSM", stsm,        CONTROL_NEXT, prepare_matrices, "",  NULL},
    {"MOVM", movm,        CONTROL_NEXT, prepare_movm,     "d", NULL},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
