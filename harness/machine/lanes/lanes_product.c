/* Products of matrices, to the bit as tensor cores of sm_90 make them. What follows was found from 1,048,576 sums of
 * numbers of all kinds on an H100 (tests/sim/recorded.sh: hopper, family sums), which are equal.
 *
 * All products of an instruction and C are one sum. Its largest exponent is looked for: that of a product is the sum of
 * its factors' exponents, whatever their significands are, and zeros have none. Then every number is cut off, towards
 * zero, so many bits behind the place of that exponent: 25, or 13 where elements have 8 bits. What is left is added
 * exactly. The sum is rounded towards zero to a float, of which 8-bit elements give 13 bits of fraction; or to the
 * nearest half. A sum of 0 is +0.
 *
 * A column of D is computed at once, by floats: they hold a product of two elements exactly, and a conversion to whole
 * numbers cuts off what is behind their point. Where the largest exponent is beyond what floats can do, as that of an
 * infinity is, each sum of the column is computed by itself.
 *
 * In registers elements are as the PTX manual says in "Matrix Fragments for mma.m16n8k...": lane 4 g + t has elements
 * of A that are neighbours in row g, or in row g + 8 in every second register. They begin at column t times their
 * number. Elements of B are at the same places of column g. Of C and D it has columns 2 t and 2 t + 1 of row g, then of
 * row g + 8, then those of the next 8 columns. */
#include "product.h"

enum {
    ROWS_16 = PRODUCT_ROWS,
    NOTHING = -15000, /* exponent of 0 */
    INFINITE = 16000, /* of an infinity; a sum of two fits 16 bits */
    NOT_A_NUMBER = 16001,
    HIGHEST = 125, /* exponents of a sum that floats compute: below it no product is infinite, */
    LOWEST = -60,  /* and above it all that floats lose is cut off */
    FRACTION = 25,
    FRACTION_OF_BYTES = 13
};

struct format_bits {
    unsigned exponent, fraction, dropped; /* bits; those below the fraction that do not count */
};
static const struct format_bits formats[] = {
    [ELEMENT_F16] = {5, 10, 0}, [ELEMENT_BF16] = {8, 7, 0}, [ELEMENT_TF32] = {8, 10, 13},
    [ELEMENT_E4M3] = {4, 3, 0}, [ELEMENT_E5M2] = {5, 2, 0}, [ELEMENT_F32] = {8, 23, 0},
};

/* ---- Registers ---- */

/* Of a register of all lanes, what lanes 4 g + t have: quads[t][g]. */
static inline void quads_read(uint32_t quads[4][LANES / 4], const uint32_t *row)
{
    for (int g = 0; g < LANES / 4; g++)
        for (int t = 0; t < 4; t++)
            quads[t][g] = row[4 * g + t];
}

static inline uint32_t element_of(uint32_t word, unsigned i, unsigned bytes)
{
    return bytes == 4 ? word : word >> (8 * bytes * i) & ((1u << 8 * bytes) - 1);
}

/* Reads A; `depth` is how many elements of a row are in registers. */
static void left_from_registers(struct product *p, unsigned depth, const struct warp *warp,
                                const struct instruction *code, unsigned n)
{
    const unsigned bytes = product_bytes(code->flags[PRODUCT_LEFT]), each = 4 / bytes;
    uint32_t quads[4][LANES / 4];
    for (unsigned w = 0; w < depth / each / 2; w++) {
        quads_read(quads, ROW_BEHIND(n, w));
        for (unsigned t = 0; t < 4; t++)
            for (unsigned i = 0; i < each; i++) {
                uint32_t *to = p->a[(w / 2 * 4 + t) * each + i] + (w % 2 ? 8 : 0);
                for (unsigned g = 0; g < LANES / 4; g++)
                    to[g] = element_of(quads[t][g], i, bytes);
            }
    }
}

/* Reads B. A column's elements in a register are beside each other. */
static void right_from_registers(struct product *p, const struct warp *warp, const struct instruction *code, unsigned n)
{
    const unsigned bytes = product_bytes(code->flags[PRODUCT_RIGHT]), each = 4 / bytes;
    for (unsigned w = 0; w < p->depth / each / 4; w++) {
        unsigned char row[ROW_BYTES];
        memcpy(row, ROW_BEHIND(n, w), sizeof row);
        for (size_t g = 0; g < LANES / 4; g++)
            product_widen(&p->b[g * p->depth + (size_t)w * 4 * each], &row[g * 4 * 4], bytes);
    }
}

static void change_signs(uint32_t *words, unsigned count, enum element_kind kind)
{
    const uint32_t sign = kind == ELEMENT_TF32 ? 0x80000000u : 1u << (8 * product_bytes(kind) - 1);
    for (unsigned i = 0; i < count; i++)
        words[i] ^= sign;
}

static void sums_read(struct product *p, struct warp *warp, const struct instruction *code)
{
    const unsigned n = code->flags[PRODUCT_ADDED];
    const bool halves = code->flags[PRODUCT_SUM] == ELEMENT_F16;
    const bool added = n + 1 >= code->operand_count || code->operands[n + 1].kind != OPERAND_PREDICATE ||
                       predicate(warp, &code->operands[n + 1]);
    uint32_t quads[4][LANES / 4];
    memset(p->sum, 0, p->columns * sizeof p->sum[0]);
    for (unsigned i = 0; i < p->columns / 2 && added; i++) {
        quads_read(quads, ROW_BEHIND(n, halves ? i / 2 : i));
        for (unsigned t = 0; t < 4; t++) {
            uint32_t *to = p->sum[i / 4 * 8 + t * 2 + i % 2] + (i / 2 % 2 ? 8 : 0);
            for (unsigned g = 0; g < LANES / 4; g++)
                to[g] = halves ? quads[t][g] >> 16 * (i % 2) & 0xffff : quads[t][g];
        }
    }
}

static void sums_write(const struct product *p, struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const bool halves = code->flags[PRODUCT_SUM] == ELEMENT_F16;
    for (unsigned i = 0; i < p->columns / 2; i += halves ? 2 : 1) {
        const uint32_t(*const sum)[ROWS_16] = &p->sum[i / 4 * 8 + i % 2];
        const unsigned half = i / 2 % 2 * 8;
        uint32_t words[LANES];
        for (size_t g = 0; g < LANES / 4; g++)
            for (size_t t = 0; t < 4; t++)
                words[4 * g + t] =
                    halves ? sum[2 * t][half + g] | sum[2 * t + 1][half + g] << 16 : sum[2 * t][half + g];
        WRITE_LANES(ROW_BEHIND(0, halves ? i / 2 : i), lanes, words[l]);
    }
}

/* ---- Floats ---- */

/* A number is significand * 2^(exponent - fraction), the sign in the significand. */
static int32_t exponent_of(uint32_t word, const struct format_bits *format)
{
    const uint32_t bits = word >> format->dropped;
    const int32_t most = (1 << format->exponent) - 1, hidden = 1 << format->fraction;
    const int32_t field = (int32_t)(bits >> format->fraction) & most, part = (int32_t)bits & (hidden - 1);
    const bool no_infinity = format->exponent == 4, last = field == most;
    const bool is_nan = last & (no_infinity ? part == hidden - 1 : part != 0), is_infinity = last & !no_infinity;
    const int32_t exponent = (field > 0 ? field : 1) - (most >> 1);
    return is_nan ? NOT_A_NUMBER : is_infinity ? INFINITE : field | part ? exponent : NOTHING;
}

static int32_t significand_of(uint32_t word, const struct format_bits *format)
{
    const uint32_t bits = word >> format->dropped;
    const int32_t hidden = 1 << format->fraction, part = (int32_t)bits & (hidden - 1);
    const int32_t magnitude = bits >> format->fraction & ((1u << format->exponent) - 1) ? part | hidden : part;
    return bits >> (format->exponent + format->fraction) & 1 ? -magnitude : magnitude;
}

/* Sets the values of elements. */
#define TAKE(name, value)                                                                                              \
    case name:                                                                                                         \
        for (unsigned i = 0; i < count; i++) {                                                                         \
            const uint32_t word = words[i];                                                                            \
            values[i] = (value);                                                                                       \
        }                                                                                                              \
        break;
static inline __attribute__((always_inline)) void take(float *restrict values, const uint32_t *restrict words,
                                                       unsigned count, enum element_kind kind)
{
    switch (kind) {
        TAKE(ELEMENT_F16, half_to_float(word))
        TAKE(ELEMENT_BF16, bf16_to_float(word))
        TAKE(ELEMENT_TF32, to_float(word & ~0x1fffu))
        TAKE(ELEMENT_E4M3, e4m3_to_float(word))
        TAKE(ELEMENT_E5M2, e5m2_to_float(word))
        TAKE(ELEMENT_F32, to_float(word))
    default:
        break;
    }
}

static double power_of_2(int exponent)
{
    return to_double(0, (uint32_t)(exponent + 1023) << 20);
}

/* The bits of a double that are left of a sum that becomes a float. */
static uint64_t kept_bits(unsigned fraction)
{
    return ~((UINT64_C(1) << (52 - (fraction == FRACTION_OF_BYTES ? FRACTION_OF_BYTES : 23))) - 1);
}

/* The sum, in units of 2^(exponent - fraction), as the words of D. */
static uint32_t rounded(int64_t sum, int32_t exponent, unsigned fraction, enum element_kind kind)
{
    const int32_t within = exponent < -900 ? -900 : exponent > 900 ? 900 : exponent;
    double value = (double)sum * power_of_2(within - (int)fraction);
    uint64_t bits = of_double(value);
    if (kind == ELEMENT_F16)
        return half_of_float(float_to_odd(value));
    bits &= kept_bits(fraction);
    memcpy(&value, &bits, sizeof value);
    if (fabs(value) < 0x1p-126)
        return (uint32_t)(fabs(value) * 0x1p149) | (value < 0 ? 0x80000000u : 0);
    return of_float((float)value);
}

/* What is known of a sum with infinities and NaNs. */
struct kinds {
    bool nan, plus, minus;
};
static void add_kind(struct kinds *kinds, bool nan, bool infinite, bool negative)
{
    kinds->nan |= nan;
    kinds->minus |= infinite && negative;
    kinds->plus |= infinite && !negative;
}

static uint32_t special(struct kinds kinds, enum element_kind kind)
{
    if (kinds.nan || (kinds.plus && kinds.minus))
        return kind == ELEMENT_F16 ? NAN_16 : NAN_32;
    return (kind == ELEMENT_F16 ? 0x7c00u : 0x7f800000u) |
           (kinds.minus ? kind == ELEMENT_F16 ? 0x8000u : 0x80000000u : 0);
}

/* Returns the magnitude, `up` bits further up and then so many down, with the sign of the number. */
static int64_t cut(int64_t number, unsigned up, int32_t down)
{
    const int64_t magnitude = (number < 0 ? -number : number) << up >> (down < 63 ? down : 63);
    return number < 0 ? -magnitude : magnitude;
}

/* Any sum: one element of D. */
static uint32_t one_sum(const struct product *p, const struct instruction *code, unsigned row, unsigned column,
                        unsigned fraction)
{
    const enum element_kind kind = code->flags[PRODUCT_SUM];
    const struct format_bits *left = &formats[code->flags[PRODUCT_LEFT]], *right = &formats[code->flags[PRODUCT_RIGHT]];
    const int32_t c = significand_of(p->sum[column][row], &formats[kind]);
    const int32_t c_exponent = exponent_of(p->sum[column][row], &formats[kind]);
    const uint32_t *words = &p->b[(size_t)column * p->depth];
    struct kinds kinds = {0};
    int32_t most = c_exponent;
    add_kind(&kinds, c_exponent == NOT_A_NUMBER, c_exponent == INFINITE, c < 0);
    for (unsigned k = 0; k < p->depth; k++) {
        const int32_t a = exponent_of(p->a[k][row], left), b = exponent_of(words[k], right);
        const bool infinite = a == INFINITE || b == INFINITE, zero = a == NOTHING || b == NOTHING;
        if (p->absent[row] >> k & 1)
            continue;
        add_kind(&kinds, a == NOT_A_NUMBER || b == NOT_A_NUMBER || (infinite && zero), infinite,
                 (significand_of(p->a[k][row], left) < 0) != (significand_of(words[k], right) < 0));
        most = !zero && a + b > most ? a + b : most;
    }
    if (kinds.nan || kinds.plus || kinds.minus)
        return special(kinds, kind);
    int64_t total = cut(c, fraction, most - c_exponent + (int32_t)formats[kind].fraction);
    for (unsigned k = 0; k < p->depth; k++) {
        if (p->absent[row] >> k & 1)
            continue;
        const int32_t exponent = exponent_of(p->a[k][row], left) + exponent_of(words[k], right);
        total += cut((int64_t)significand_of(p->a[k][row], left) * significand_of(words[k], right), fraction,
                     most - exponent + (int32_t)(left->fraction + right->fraction));
    }
    return rounded(total, most, fraction, kind);
}

#if defined(__clang__)
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

/* As many rows as a vector of this unit holds. */
#if defined(__AVX512F__)
enum { WIDE = 16 };
#elif defined(__AVX2__)
enum { WIDE = 8 };
#else
enum { WIDE = 4 };
#endif
typedef float floats __attribute__((vector_size(4 * WIDE)));
typedef int32_t ints __attribute__((vector_size(4 * WIDE)));
typedef int16_t pairs __attribute__((vector_size(4 * WIDE))); /* of exponents */
typedef int16_t halves __attribute__((vector_size(2 * WIDE)));
typedef uint32_t uints
    __attribute__((vector_size(4 * WIDE))); /* they wrap, where exponents are beyond and no sum counts */

/* Of each two the larger one. Compilers make the instruction of this loop, and not of masks. */
#define LARGER(type, element)                                                                                          \
    static inline type larger_##type(type a, type b)                                                                   \
    {                                                                                                                  \
        element most[sizeof a / sizeof(element)], others[sizeof a / sizeof(element)];                                  \
        memcpy(most, &a, sizeof most);                                                                                 \
        memcpy(others, &b, sizeof others);                                                                             \
        for (size_t r = 0; r < sizeof a / sizeof(element); r++)                                                        \
            most[r] = most[r] > others[r] ? most[r] : others[r];                                                       \
        memcpy(&a, most, sizeof a);                                                                                    \
        return a;                                                                                                      \
    }
LARGER(ints, int32_t)
LARGER(pairs, int16_t)

static inline bool any_of(ints all)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)all, (__m512i)all) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)all, (__m256i)all);
#else
    return all[0] | all[1] | all[2] | all[3];
#endif
}

/* Returns the exponents of numbers of a kind; of a NaN that of an infinity, since no sum of either counts. */
static inline ints exponents_of(const float *values, enum element_kind kind)
{
    ints bits;
    memcpy(&bits, values, sizeof bits);
    bits &= 0x7fffffff;
    const ints zero = bits == 0, infinite = bits >= 0x7f800000,
               exponents =
                   larger_ints((bits >> 23) - 127, (ints){0} + 2 - (int32_t)(1u << (formats[kind].exponent - 1)));
    return (zero & NOTHING) | (infinite & INFINITE) | (exponents & ~(zero | infinite));
}

/* Exponents are in pairs of neighbours along k, which a vector adds at once. */
struct factors {
    float a[PRODUCT_DEPTH_MOST][ROWS_16];
    uint32_t a_exponents[PRODUCT_DEPTH_MOST / 2][ROWS_16];
    float b[PRODUCT_COLUMNS_MOST * PRODUCT_DEPTH_MOST];
    int16_t b_exponents[PRODUCT_COLUMNS_MOST * PRODUCT_DEPTH_MOST];
};

/* Rounds sums of two parts, in units of 2^(exponent - FRACTION), to halves. */
static void halves_rounded(uint32_t *words, const uints parts[2], ints exponent, unsigned fraction)
{
    int32_t both[2][WIDE], exponents[WIDE];
    memcpy(both, parts, sizeof both);
    memcpy(exponents, &exponent, sizeof exponents);
    for (int r = 0; r < WIDE; r++)
        words[r] = half_of_float(
            float_to_odd(((double)both[0][r] + both[1][r]) * power_of_2(exponents[r] - (int32_t)fraction)));
}

/* The same to floats, towards zero. Bits of the result are set where the sum does not fit 32 bits. */
static inline ints floats_rounded(uint32_t *words, const uints parts[2], ints exponent, unsigned fraction)
{
    enum { LOW = 127 };
    const ints sum = (ints)(parts[0] + parts[1]), sign = sum >> 31,
               magnitude = (ints)(((uints)sum ^ (uints)sign) - (uints)sign);
    const floats high = __builtin_convertvector(magnitude & ~LOW, floats),
                 low = __builtin_convertvector(magnitude & LOW, floats), near = high + low;
    const uints scale = (uints)(exponent - (int32_t)fraction + 127) << 23;
    const ints kept = (ints)((uints){0} + (fraction == FRACTION_OF_BYTES ? ~0x3ffu : ~0u));
    floats value, factor;
    ints bits;
    memcpy(&bits, &near, sizeof bits);
    bits = (bits + (near - high > low)) & kept;
    memcpy(&value, &bits, sizeof value);
    memcpy(&factor, &scale, sizeof factor);
    value *= factor;
    memcpy(&bits, &value, sizeof bits);
    bits |= (ints)((uints)sign << 31);
    memcpy(words, &bits, sizeof bits);
    return (((ints)parts[0] ^ sum) & ((ints)parts[1] ^ sum)) | magnitude;
}

/* Computes the sums of the rows of one vector, of which `c` are added, in two parts, since one part of all would not
 * fit into 32 bits. False: their exponents are beyond what floats can do, or a sum is. */
static inline __attribute__((always_inline)) bool rows_summed(uint32_t *words, const struct factors *f, const float *c,
                                                              enum element_kind kind, const float *b,
                                                              const int16_t *b_exponents, unsigned first,
                                                              unsigned depth, unsigned fraction)
{
    floats a, scale;
    pairs exponents, largest = (pairs){0} + 2 * NOTHING;
    uints parts[2] = {{0}};
    UNROLLED
    for (unsigned k = 0; k < depth / 2; k++) {
        uint32_t pair;
        memcpy(&pair, &b_exponents[(size_t)2 * k], sizeof pair);
        memcpy(&exponents, &f->a_exponents[k][first], sizeof exponents);
        largest = larger_pairs(largest, exponents + (pairs)((uints){0} + pair));
    }
    ints most = larger_ints(larger_ints((ints)((uints)largest << 16) >> 16, (ints)largest >> 16),
                            exponents_of(&c[first], kind));
    ints beyond = (most > HIGHEST) | ((most < LOWEST) & (most > NOTHING / 2));
    most = larger_ints(most, (ints){0} + LOWEST);
    const uints bits = (uints)((int32_t)fraction + 127 - most) << 23;
    memcpy(&scale, &bits, sizeof scale);
    memcpy(&a, &c[first], sizeof a);
    parts[0] = (uints) __builtin_convertvector(a * scale, ints);
    for (unsigned half = 0; half < 2; half++) {
        UNROLLED
        for (unsigned k = half * depth / 2; k < (half + 1) * depth / 2; k++) {
            memcpy(&a, &f->a[k][first], sizeof a);
            parts[half] += (uints) __builtin_convertvector(a * b[k] * scale, ints);
        }
    }
    if (kind == ELEMENT_F16)
        halves_rounded(&words[first], parts, most, fraction);
    else
        beyond |= floats_rounded(&words[first], parts, most, fraction) < 0;
    return !any_of(beyond);
}

/* Computes D; a column by floats, unless that has to be done otherwise. */
static inline __attribute__((always_inline)) void columns_multiplied(struct product *p, const struct instruction *code,
                                                                     enum element_kind left, enum element_kind right,
                                                                     enum element_kind kind, unsigned depth,
                                                                     unsigned fraction)
{
    struct factors f;
    take(f.a[0], p->a[0], depth * ROWS_16, left);
    take(f.b, p->b, depth * p->columns, right);
    for (unsigned k = 0; k < depth / 2; k++)
        for (unsigned r = 0; r < ROWS_16; r += WIDE) {
            const ints pair = (exponents_of(&f.a[(size_t)2 * k][r], left) & 0xffff) |
                              (ints)((uints)exponents_of(&f.a[(size_t)2 * k + 1][r], left) << 16);
            memcpy(&f.a_exponents[k][r], &pair, sizeof pair);
        }
    for (unsigned i = 0; i < depth * p->columns; i += WIDE) {
        const halves exponents = __builtin_convertvector(exponents_of(&f.b[i], right), halves);
        memcpy(&f.b_exponents[i], &exponents, sizeof exponents);
    }
    for (unsigned column = 0; column < p->columns; column++) {
        const size_t at = (size_t)column * depth;
        float c[ROWS_16] = {0};
        uint32_t words[ROWS_16];
        bool done = true;
        if (kind == ELEMENT_F32)
            memcpy(c, p->sum[column], sizeof c);
        else
            take(c, p->sum[column], ROWS_16, kind);
        for (unsigned first = 0; first < ROWS_16 && done; first += WIDE)
            done = rows_summed(words, &f, c, kind, &f.b[at], &f.b_exponents[at], first, depth, fraction);
        for (unsigned row = 0; row < ROWS_16 && !done; row++)
            words[row] = one_sum(p, code, row, column, fraction);
        memcpy(p->sum[column], words, sizeof words);
    }
}

/* The forms that most programs have are compiled each by itself. */
static void floats_multiplied(struct product *p, const struct instruction *code)
{
    const enum element_kind left = code->flags[PRODUCT_LEFT], right = code->flags[PRODUCT_RIGHT],
                            kind = code->flags[PRODUCT_SUM];
    if (left == ELEMENT_F16 && kind == ELEMENT_F32 && p->depth == 16)
        columns_multiplied(p, code, ELEMENT_F16, ELEMENT_F16, ELEMENT_F32, 16, FRACTION);
    else if (left == ELEMENT_BF16 && p->depth == 16)
        columns_multiplied(p, code, ELEMENT_BF16, ELEMENT_BF16, ELEMENT_F32, 16, FRACTION);
    else if (left == ELEMENT_E4M3 && right == ELEMENT_E4M3 && kind == ELEMENT_F32 && p->depth == 32)
        columns_multiplied(p, code, ELEMENT_E4M3, ELEMENT_E4M3, ELEMENT_F32, 32, FRACTION_OF_BYTES);
    else
        columns_multiplied(p, code, left, right, kind, p->depth,
                           left == ELEMENT_E4M3 || left == ELEMENT_E5M2 ? FRACTION_OF_BYTES : FRACTION);
}

/* ---- Whole numbers ---- */

static int32_t whole(uint32_t word, enum element_kind kind)
{
    return kind == ELEMENT_S8 ? (int32_t)((word & 0xff) ^ 0x80) - 0x80 : (int32_t)(word & 0xff);
}

static void whole_numbers_multiplied(struct product *p, const struct instruction *code)
{
    const enum element_kind left = code->flags[PRODUCT_LEFT], right = code->flags[PRODUCT_RIGHT];
    const bool saturates = code->flags[PRODUCT_WAYS] & WAY_SATURATES, bits = left == ELEMENT_BITS;
    for (unsigned column = 0; column < p->columns; column++) {
        int32_t sum[ROWS_16] = {0};
        for (unsigned k = 0; k < p->depth; k++) {
            const uint32_t word = p->b[column * p->depth + k];
            const int32_t b = whole(word, right);
            for (unsigned row = 0; row < ROWS_16; row++)
                sum[row] += bits ? __builtin_popcount(p->a[k][row] & word) : whole(p->a[k][row], left) * b;
        }
        for (unsigned row = 0; row < ROWS_16; row++) {
            int64_t total = (int64_t)sum[row] + (int32_t)p->sum[column][row];
            if (saturates)
                total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
            p->sum[column][row] = (uint32_t)total;
        }
    }
}

/* ---- Products ---- */

/* Reads A and B. */
static void factors_read(struct product *p, struct warp *warp, const struct instruction *code)
{
    const unsigned ways = code->flags[PRODUCT_WAYS];
    const unsigned depth = ways & WAY_SPARSE ? p->depth / 2 : p->depth;
    const bool in_registers = code->operands[1].kind == OPERAND_ROW;
    const struct operand *b = &code->operands[in_registers ? 2 : 1];
    if (ways & WAY_FROM_MEMORY)
        product_from_memory(p, warp, code);
    else
        right_from_registers(p, warp, code, 2);
    if (in_registers)
        left_from_registers(p, depth, warp, code, 1);
    if (code->operands[1].negate || (ways & WAY_FROM_MEMORY && b->value & DESCRIPTOR_NEGATES_A))
        change_signs(p->a[0], depth * ROWS_16, code->flags[PRODUCT_LEFT]);
    if (ways & WAY_FROM_MEMORY && b->value & DESCRIPTOR_NEGATES_B)
        change_signs(p->b, p->depth * p->columns, code->flags[PRODUCT_RIGHT]);
    memset(p->absent, 0, sizeof p->absent);
    if (ways & WAY_SPARSE)
        product_spread(p, warp, code);
}

/* At its end it is noted what the warp must not touch until it has waited. */
static void multiply(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct product p;
    p.columns = code->flags[PRODUCT_COLUMNS] * 8u;
    p.depth = code->flags[PRODUCT_DEPTH];
    /* Descriptors and registers fill both, which no analyzer follows. */
    memset(p.a, 0, p.depth * sizeof p.a[0]);
    memset(p.b, 0, (size_t)p.depth * p.columns * sizeof p.b[0]);
    factors_read(&p, warp, code);
    sums_read(&p, warp, code);
    if (code->flags[PRODUCT_SUM] == ELEMENT_S32)
        whole_numbers_multiplied(&p, code);
    else
        floats_multiplied(&p, code);
    sums_write(&p, warp, code, lanes);
    if (code->flags[PRODUCT_WAYS] & WAY_FROM_MEMORY)
        warpgroup_end(warp, code, p.columns / (code->flags[PRODUCT_SUM] == ELEMENT_F16 ? 4 : 2));
}

/* clang-format off */
const struct opcode TABLE(lanes_product)[] = {
    {"HMMA",    multiply, RULE_DATA_4,                     prepare_hmma,        "d", NULL},
    {"IMMA.SP", multiply, CONTROL_NEXT,                    prepare_sparse_imma, "d", NULL},
    {"HGMMA",   multiply, TRAIT_NO_IMMEDIATE | RULE_GROUP, prepare_hgmma,       "d", NULL},
    {"QGMMA",   multiply, RULE_GROUP,                      prepare_qgmma,       "d", NULL},
    {"IGMMA",   multiply, RULE_GROUP,                      prepare_igmma,       "d", NULL},
    {"BGMMA",   multiply, RULE_GROUP,                      prepare_bgmma,       "d", NULL},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
