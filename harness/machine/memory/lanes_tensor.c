/* Tensor cores: products of small matrices of doubles, bytes and bits that are in the registers of a whole warp, and
 * the instructions that load matrices. product.h has the products of floats.
 *
 * The PTX manual says where an element is, in "Matrix Fragments for mma.m16n8k...". Lane 4 g + t has elements of A that
 * are neighbours in row g, or in row g + 8 in every second register. They begin at column t times their number.
 * Elements of B are at the same places of column g. Of the sum it has columns 2 t and 2 t + 1 of row g, then of row g +
 * 8. */
#include "memo.h"

/* ---- Shapes ---- */

enum { MOST_ROWS = 16, COLUMNS = 8, WORK_AT_ONCE = 16 /* products that take as long as another instruction */ };
enum kind { KIND_S8, KIND_U8, KIND_BIT };
enum { SHAPE, LEFT, RIGHT, SATURATES }; /* flags */

static const struct shape {
    const char *name;
    unsigned short rows, depth;
    bool of_doubles;
} shapes[] = {{"8816", 8, 16, false},   {"88128", 8, 128, false},   {"16816", 16, 16, false},
              {"16832", 16, 32, false}, {"168128", 16, 128, false}, {"168256", 16, 256, false},
              {"884", 8, 4, true},      {"8x8x4", 8, 4, true},      {"16x8x4", 16, 4, true},
              {"16x8x8", 16, 8, true},  {"16x8x16", 16, 16, true}};

static bool find_shape(struct instruction *code)
{
    for (unsigned char i = 0; code->modifier_count > 0 && i < ARRAY_SIZE(shapes); i++)
        if (strcmp(shapes[i].name, code->modifiers[0]) == 0) {
            code->flags[SHAPE] = i;
            code->work = (unsigned short)(shapes[i].rows * COLUMNS * shapes[i].depth / WORK_AT_ONCE);
            return true;
        }
    return false;
}

/* ---- Doubles ---- */

struct matrices {
    double a[MOST_ROWS][16], b[16][COLUMNS], sum[MOST_ROWS][COLUMNS];
};

/* Reads the doubles of all lanes from the pair of registers that is `behind` that of operand n. */
static void doubles_read(double values[LANES], const struct warp *warp, const struct instruction *code, unsigned n,
                         unsigned behind)
{
    const uint32_t *row = ROW_BEHIND(n, 2 * behind), *high = ROW_BEHIND(n, 2 * behind + 1);
    EACH_LANE values[l] = to_double(row[l], high[l]);
}

static void matrices_read(struct matrices *m, const struct warp *warp, const struct instruction *code)
{
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    const unsigned halves = shape->rows / 8;
    double values[LANES];
    for (unsigned step = 0; step < shape->depth / 4u; step++) {
        for (unsigned half = 0; half < halves; half++) {
            doubles_read(values, warp, code, 1, step * halves + half);
            for (unsigned lane = 0; lane < LANES; lane++)
                m->a[half * 8 + lane / 4][step * 4 + lane % 4] = values[lane];
        }
        doubles_read(values, warp, code, 2, step);
        for (unsigned lane = 0; lane < LANES; lane++)
            m->b[step * 4 + lane % 4][lane / 4] = values[lane];
    }
}

/* Returns element i of the part of the sum that a lane has. */
static double *sum_at(struct matrices *m, unsigned lane, unsigned i)
{
    return &m->sum[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}

static void sum_read(struct matrices *m, const struct warp *warp, const struct instruction *code)
{
    double values[LANES];
    for (unsigned i = 0; i < shapes[code->flags[SHAPE]].rows / 4u; i++) {
        doubles_read(values, warp, code, 3, i);
        for (unsigned lane = 0; lane < LANES; lane++)
            *sum_at(m, lane, i) = values[lane];
    }
}

static void sum_write(struct matrices *m, struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    double values[LANES];
    for (unsigned i = 0; i < shapes[code->flags[SHAPE]].rows / 4u; i++) {
        for (unsigned lane = 0; lane < LANES; lane++)
            values[lane] = *sum_at(m, lane, i);
        WRITE_WIDE(ROW_BEHIND(0, 2 * i), ROW_BEHIND(0, 2 * i + 1), lanes, of_double_canonical(values[l]));
    }
}

static void row_fused(double row[COLUMNS], const double *a, double b[][COLUMNS], unsigned depth)
{
    for (unsigned k = 0; k < depth; k++)
        for (unsigned column = 0; column < COLUMNS; column++)
            row[column] = fma(a[k], b[k][column], row[column]);
}

/* Computes D = A B + C, a chain of fused operations. */
static void double_mma(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    struct matrices m = {0};
    matrices_read(&m, warp, code);
    sum_read(&m, warp, code);
    for (unsigned row = 0; row < shape->rows; row++)
        row_fused(m.sum[row], m.a[row], m.b, shape->depth);
    sum_write(&m, warp, code, lanes);
}

PREPARE(dmma, find_shape(code) && code->modifier_count == 1 && shapes[code->flags[SHAPE]].of_doubles)

/* ---- Integers ---- */

/* Matrices A and B of integers, and the sum of products, which fits into 32 bits. */
struct integers {
    int32_t a[MOST_ROWS][LANES], b[LANES][COLUMNS], sum[MOST_ROWS][COLUMNS];
};

static int32_t byte_at(uint32_t word, unsigned e, bool is_signed)
{
    const uint32_t byte = word >> (8 * e) & 0xff;
    return is_signed ? (int32_t)(byte ^ 0x80) - 0x80 : (int32_t)byte;
}

static void bytes_multiplied(struct integers *m, const struct warp *warp, const struct instruction *code)
{
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    const bool a_signed = code->flags[LEFT] == KIND_S8, b_signed = code->flags[RIGHT] == KIND_S8;
    const unsigned halves = shape->rows / 8;
    for (unsigned step = 0; step < shape->depth / 16u; step++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned e = 0; e < 4; e++) {
                const unsigned k = step * 16 + lane % 4 * 4 + e;
                for (unsigned half = 0; half < halves; half++)
                    m->a[half * 8 + lane / 4][k] = byte_at(ROW_BEHIND(1, step * halves + half)[lane], e, a_signed);
                m->b[k][lane / 4] = byte_at(ROW_BEHIND(2, step)[lane], e, b_signed);
            }
    for (unsigned row = 0; row < shape->rows; row++)
        for (unsigned k = 0; k < shape->depth; k++)
            for (unsigned column = 0; column < COLUMNS; column++)
                m->sum[row][column] += m->a[row][k] * m->b[k][column];
}

/* Counts the bits that a row of A and a column of B have in common. Each element of a and b is 32 bits here. */
static void bits_multiplied(struct integers *m, const struct warp *warp, const struct instruction *code)
{
    const struct shape *shape = &shapes[code->flags[SHAPE]];
    const unsigned halves = shape->rows / 8, words = shape->depth / 32;
    for (unsigned step = 0; step < words / 4; step++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            for (unsigned half = 0; half < halves; half++)
                m->a[half * 8 + lane / 4][step * 4 + lane % 4] = (int32_t)ROW_BEHIND(1, step * halves + half)[lane];
            m->b[step * 4 + lane % 4][lane / 4] = (int32_t)ROW_BEHIND(2, step)[lane];
        }
    for (unsigned row = 0; row < shape->rows; row++)
        for (unsigned k = 0; k < words; k++)
            for (unsigned column = 0; column < COLUMNS; column++)
                m->sum[row][column] += __builtin_popcount((uint32_t)(m->a[row][k] & m->b[k][column]));
}

static void integer_mma(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct integers m = {0};
    uint32_t result[4][LANES];
    const unsigned per_lane = shapes[code->flags[SHAPE]].rows / 4;
    if (code->flags[LEFT] == KIND_BIT)
        bits_multiplied(&m, warp, code);
    else
        bytes_multiplied(&m, warp, code);
    for (unsigned i = 0; i < per_lane; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            int64_t sum = (int64_t)m.sum[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] + (int32_t)ROW_BEHIND(3, i)[lane];
            if (code->flags[SATURATES])
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            result[i][lane] = (uint32_t)sum;
        }
    for (unsigned i = 0; i < per_lane; i++)
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

PREPARE(movm, prepare_matrices(code) && code->flags[MATRICES] == 1 && code->flags[TRANSPOSED])

/* Returns a lane's word of a matrix: two neighbours of row lane / 4, or of that column. */
static inline uint32_t word_of(matrix m, unsigned lane, bool transposed)
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

/* Moves the rows of matrices to or from shared memory, and counts that. Lanes have the addresses of rows in operand n.
 */
static void rows_move(struct warp *warp, const struct instruction *code, uint32_t lanes, unsigned n, matrix *matrices,
                      bool stores)
{
    uint32_t addresses[LANES];
    const unsigned rows = SIDE * code->flags[MATRICES];
    lanes &= rows < LANES ? (1u << rows) - 1 : ALL_LANES;
    shared_access(warp, code, n, lanes, ROW_OF_MATRIX, stores, addresses);
    const struct wavefronts wavefronts = count_matrices(lanes, addresses, code->flags[MATRICES]);
    shared_counted(&warp->block->tallies[code->index], &wavefronts);
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
    for (unsigned m = 0; m < code->flags[MATRICES]; m++) {
        uint32_t words[LANES];
        if (code->flags[TRANSPOSED])
            EACH_LANE words[l] = word_of(matrices[m], (unsigned)l, true);
        else
            memcpy(words, matrices[m], sizeof words); /* in the order of lanes */
        WRITE_LANES(ROW_BEHIND(0, m), lanes, words[l]);
    }
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
const struct opcode TABLE(lanes_tensor)[] = {
    {"DMMA", double_mma,  RULE_DATA_8,                                prepare_dmma,     "d", NULL},
    {"IMMA", integer_mma, RULE_DATA_4,                                prepare_imma,     "d", NULL},
    {"BMMA", integer_mma, RULE_DATA_4,                                prepare_bmma,     "d", NULL},
    {"LDSM", ldsm,        TRAIT_LOAD | TRAIT_SHARED | RULE_MATRICES,  prepare_matrices, "d", NULL},
    {"STSM", stsm,        TRAIT_STORE | TRAIT_SHARED | RULE_MATRICES, prepare_matrices, "",  NULL},
    {"MOVM", movm,        RULE_DATA,                                  prepare_movm,     "d", NULL},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
