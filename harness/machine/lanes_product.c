/* Products of matrices, to the bit as tensor cores of sm_90 make them. What follows was found from 1,048,576 sums of
 * numbers of all kinds on an H100 (tests/sim/hopper.cu, family sums), which are equal.
 *
 * All products of an instruction and C are one sum. Its largest exponent is looked for: that of a product is the sum of
 * its factors' exponents, whatever their significands are, and zeros have none. Then every number is cut off, towards
 * zero, so many bits behind the place of that exponent: 25, or 13 where elements have 8 bits. What is left is added
 * exactly. The sum is rounded towards zero to a float, of which 8-bit elements give 13 bits of fraction; or to the
 * nearest half. A sum of 0 is +0. */
#include "lanes.h"
#include "product.h"
#include "small_float.h"

#include <math.h>

enum {
    WIDE = 16,        /* columns that are computed at once, which product_read() fills up */
    STEP = 8,         /* products whose sum fits into 32 bits */
    NOTHING = -30000, /* exponent of 0 */
    INFINITE = 20000, /* of an infinity */
    NOT_A_NUMBER = 20001,
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

/* Numbers as significand * 2^(exponent - fraction), the sign in the significand. Returns whether there is an infinity
 * or a NaN. */
static bool take_apart(int32_t *restrict significands, int32_t *restrict exponents, const uint32_t *restrict words,
                       unsigned count, enum element_kind kind)
{
    const struct format_bits *format = &formats[kind];
    const unsigned fraction = format->fraction, dropped = format->dropped, sign = format->exponent + fraction;
    const int32_t most = (1 << format->exponent) - 1, bias = most >> 1, hidden = 1 << fraction;
    const bool no_infinity = kind == ELEMENT_E4M3;
    int32_t special = 0;
    for (unsigned i = 0; i < count; i++) {
        const int32_t bits = (int32_t)(words[i] >> dropped);
        const int32_t field = bits >> fraction & most, part = bits & (hidden - 1);
        const int32_t magnitude = field ? part | hidden : part;
        const int32_t exponent = (field ? field : 1) - bias;
        const bool is_nan = field == most && (no_infinity ? part == hidden - 1 : part != 0);
        const bool is_infinity = field == most && !no_infinity && part == 0;
        exponents[i] = is_nan ? NOT_A_NUMBER : is_infinity ? INFINITE : magnitude ? exponent : NOTHING;
        significands[i] = bits >> sign & 1 ? -magnitude : magnitude;
        special |= is_nan || is_infinity;
    }
    return special;
}

/* The elements of a row of A that are there, and the row of B that each is multiplied with. */
struct factors {
    unsigned count;
    unsigned up;  /* bits by which a product is shifted up to where it is added */
    bool special; /* there is an infinity or a NaN */
    int32_t a[PRODUCT_DEPTH_MOST], a_exponents[PRODUCT_DEPTH_MOST];
    unsigned places[PRODUCT_DEPTH_MOST];
};

struct right {
    bool special;
    int32_t b[PRODUCT_DEPTH_MOST][PRODUCT_COLUMNS_MOST], exponents[PRODUCT_DEPTH_MOST][PRODUCT_COLUMNS_MOST];
};

static void largest_exponents(int32_t *restrict most, const struct factors *f, const struct right *r, unsigned first)
{
    for (unsigned i = 0; i < f->count; i++) {
        const int32_t *const b = &r->exponents[f->places[i]][first], a = f->a_exponents[i];
        for (unsigned c = 0; c < WIDE; c++)
            most[c] = a + b[c] > most[c] ? a + b[c] : most[c];
    }
}

static void sums(int64_t *restrict total, const int32_t *restrict most, const struct factors *f, const struct right *r,
                 unsigned first)
{
    for (unsigned step = 0; step < f->count; step += STEP) {
        int32_t part[WIDE] = {0};
        for (unsigned i = step; i < f->count && i < step + STEP; i++) {
            const int32_t *const b = &r->b[f->places[i]][first], *const exponents = &r->exponents[f->places[i]][first];
            const int32_t a = f->a[i], exponent = f->a_exponents[i];
            for (unsigned c = 0; c < WIDE; c++) {
                const int32_t product = a * b[c], sign = product >> 31, apart = most[c] - exponent - exponents[c];
                const uint32_t magnitude = (uint32_t)((product ^ sign) - sign) << f->up >> (apart < 31 ? apart : 31);
                part[c] += ((int32_t)magnitude ^ sign) - sign;
            }
        }
        for (unsigned c = 0; c < WIDE; c++)
            total[c] += part[c];
    }
}

static double power_of_2(int exponent)
{
    return to_double(0, (uint32_t)(exponent + 1023) << 20);
}

/* The sum, in units of 2^(exponent - fraction), as the words of D. */
static uint32_t rounded(int64_t sum, int32_t exponent, unsigned fraction, enum element_kind kind)
{
    const int32_t within = exponent < -900 ? -900 : exponent > 900 ? 900 : exponent;
    double value = (double)sum * power_of_2(within - (int)fraction);
    uint64_t bits = of_double(value);
    if (kind == ELEMENT_F16)
        return half_of_float(float_to_odd(value));
    bits &= ~((UINT64_C(1) << (52 - (fraction == FRACTION_OF_BYTES ? FRACTION_OF_BYTES : 23))) - 1);
    memcpy(&value, &bits, sizeof value);
    if (fabs(value) < 0x1p-126)
        return (uint32_t)(fabs(value) * 0x1p149) | (value < 0 ? 0x80000000u : 0);
    return of_float((float)value);
}

static void row_multiplied(uint32_t *sum, const struct factors *f, const struct right *r, const int32_t *c,
                           const int32_t *c_exponents, unsigned columns, enum element_kind kind, unsigned fraction)
{
    const unsigned c_fraction = formats[kind].fraction;
    for (unsigned first = 0; first < columns; first += WIDE) {
        int32_t most[WIDE];
        int64_t total[WIDE];
        for (unsigned i = 0; i < WIDE; i++)
            most[i] = c_exponents[first + i];
        largest_exponents(most, f, r, first);
        for (unsigned i = 0; i < WIDE; i++) {
            const int32_t down = most[i] - c_exponents[first + i] + (int32_t)c_fraction - (int32_t)fraction;
            const int64_t magnitude = c[first + i] < 0 ? -(int64_t)c[first + i] : c[first + i];
            const int64_t cut = down < 0 ? magnitude << -down : magnitude >> (down < 63 ? down : 63);
            total[i] = c[first + i] < 0 ? -cut : cut;
        }
        sums(total, most, f, r, first);
        for (unsigned i = 0; i < WIDE && first + i < columns; i++)
            sum[first + i] = rounded(total[i], most[i], fraction, kind);
    }
}

/* ---- Infinities and NaNs ---- */

/* Adds a summand to what is known: NaN, or infinities of either sign. */
struct kinds {
    bool nan, plus, minus;
};
static void add_kind(struct kinds *kinds, bool nan, bool infinite, bool negative)
{
    kinds->nan |= nan;
    kinds->minus |= infinite && negative;
    kinds->plus |= infinite && !negative;
}

static void row_special(uint32_t *sum, const struct factors *f, const struct right *r, const int32_t *c,
                        const int32_t *c_exponents, unsigned columns, enum element_kind kind)
{
    for (unsigned column = 0; column < columns; column++) {
        struct kinds kinds = {0};
        add_kind(&kinds, c_exponents[column] == NOT_A_NUMBER, c_exponents[column] == INFINITE, c[column] < 0);
        for (unsigned i = 0; i < f->count; i++) {
            const int32_t b = r->b[f->places[i]][column], b_exponent = r->exponents[f->places[i]][column];
            const int32_t a = f->a[i], a_exponent = f->a_exponents[i];
            const bool infinite = a_exponent == INFINITE || b_exponent == INFINITE;
            const bool zero = a_exponent == NOTHING || b_exponent == NOTHING;
            add_kind(&kinds, a_exponent == NOT_A_NUMBER || b_exponent == NOT_A_NUMBER || (infinite && zero), infinite,
                     (a < 0) != (b < 0));
        }
        if (kinds.nan || (kinds.plus && kinds.minus))
            sum[column] = kind == ELEMENT_F16 ? NAN_16 : NAN_32;
        else if (kinds.plus || kinds.minus)
            sum[column] = (kind == ELEMENT_F16 ? 0x7c00u : 0x7f800000u) |
                          (kinds.minus ? kind == ELEMENT_F16 ? 0x8000u : 0x80000000u : 0);
    }
}

/* ---- Floats ---- */

static void take_row(struct factors *f, const struct product *p, unsigned row, enum element_kind kind)
{
    int32_t a[PRODUCT_DEPTH_MOST], exponents[PRODUCT_DEPTH_MOST];
    f->special = take_apart(a, exponents, p->a[row], p->depth, kind);
    f->count = 0;
    for (unsigned k = 0; k < p->depth; k++) {
        if (p->absent[row] >> k & 1)
            continue;
        f->a[f->count] = a[k];
        f->a_exponents[f->count] = exponents[k];
        f->places[f->count++] = k;
    }
}

static void floats_multiplied(struct product *p, const struct instruction *code)
{
    const enum element_kind left = code->flags[PRODUCT_LEFT], right = code->flags[PRODUCT_RIGHT],
                            kind = code->flags[PRODUCT_SUM];
    const unsigned fraction = left == ELEMENT_E4M3 || left == ELEMENT_E5M2 ? FRACTION_OF_BYTES : FRACTION;
    const unsigned columns = (p->columns + WIDE - 1) / WIDE * WIDE;
    struct right r;
    struct factors f;
    int32_t c[PRODUCT_COLUMNS_MOST] = {0}, c_exponents[PRODUCT_COLUMNS_MOST] = {0};
    f.up = fraction - formats[left].fraction - formats[right].fraction;
    r.special = false;
    for (unsigned k = 0; k < p->depth; k++)
        r.special |= take_apart(r.b[k], r.exponents[k], p->b[k], columns, right);
    for (unsigned row = 0; row < PRODUCT_ROWS; row++) {
        const bool special = take_apart(c, c_exponents, p->sum[row], columns, kind);
        take_row(&f, p, row, left);
        row_multiplied(p->sum[row], &f, &r, c, c_exponents, p->columns, kind, fraction);
        if (special || f.special || r.special)
            row_special(p->sum[row], &f, &r, c, c_exponents, p->columns, kind);
    }
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
    for (unsigned row = 0; row < PRODUCT_ROWS; row++) {
        int32_t sum[PRODUCT_COLUMNS_MOST] = {0};
        for (unsigned k = 0; k < p->depth; k++) {
            const int32_t a = whole(p->a[row][k], left);
            if (p->absent[row] >> k & 1)
                continue;
            for (unsigned column = 0; column < p->columns; column++)
                sum[column] +=
                    bits ? __builtin_popcount(p->a[row][k] & p->b[k][column]) : a * whole(p->b[k][column], right);
        }
        for (unsigned column = 0; column < p->columns; column++) {
            int64_t total = (int64_t)sum[column] + (int32_t)p->sum[row][column];
            if (saturates)
                total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
            p->sum[row][column] = (uint32_t)total;
        }
    }
}

static void multiply(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct product p;
    product_read(&p, warp, code);
    if (code->flags[PRODUCT_SUM] == ELEMENT_S32)
        whole_numbers_multiplied(&p, code);
    else
        floats_multiplied(&p, code);
    product_write(&p, warp, code, lanes);
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
