/* MUFU: special functions, bit for bit as the GPU's tables give them. */
#include "lanes.h"
#include "mufu_tables.h"

/* ---- Interpolation ---- */

/* Returns x^2 / 2^19 of 17 bits. The GPU adds the products of pairs of bits, but none of a weight below 2^19. */
static inline uint32_t square(uint32_t x)
{
    uint32_t sum = 0;
#pragma GCC unroll 17
    for (unsigned i = 2; i < 17; i++) {
        const uint32_t bit = 0u - (x >> i & 1);
        /* Bit i by itself has the weight 2^2i, and with a bit j above it 2^(i + j + 1). */
        const unsigned least = i < 9 ? 18 - i : i + 1;
        sum += bit & (x >> least << (least + i + 1 - 19));
        sum += i < 10 ? 0 : bit & (1u << (2 * i < 19 ? 0 : 2 * i - 19));
    }
    return sum;
}

/* Sets values[l] to the polynomial of row[l] at x[l]. */
static inline void interpolate(int64_t values[LANES], const struct quadratic *table, const uint32_t row[LANES],
                               const uint32_t x[LANES])
{
    uint32_t squares[LANES] __attribute__((aligned(64)));
    EACH_LANE squares[l] = square(x[l]);
    EACH_LANE
    {
        const struct quadratic *of = &table[row[l]];
        values[l] = of->c0 + (int64_t)of->c1 * (int32_t)x[l] + (int64_t)of->c2 * (int32_t)squares[l];
    }
}

/* ---- Numbers ---- */

#define FRACTION 0x7fffffu
#define INFINITE 0x7f800000u

static inline uint32_t exponent_of(uint32_t bits)
{
    return bits >> 23 & 0xff;
}
static inline uint32_t is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > INFINITE;
}

/* Returns the float of value * 2^-scale. What does not fit is cut off. */
static inline uint32_t cut(int64_t value, int scale)
{
    const uint64_t bits = of_double((double)value); /* exact: values have less than 53 bits */
    const uint32_t magnitude = (uint32_t)(bits >> 29 & 0x7fffffff) - ((1023u - 127u) << 23);
    return value ? (uint32_t)(bits >> 63) << 31 | (magnitude - ((uint32_t)scale << 23)) : 0;
}

/* ---- The functions: from the bits of floats to those of results ---- */

/* Reciprocals of floats between 1 and 2: the fractions of results from 0.5. A fraction of 2^23 is 1. */
static inline void reciprocals(int64_t values[LANES], const uint32_t fractions[LANES])
{
    uint32_t row[LANES] __attribute__((aligned(64))), x[LANES] __attribute__((aligned(64)));
    EACH_LANE row[l] = fractions[l] >> 16;
    EACH_LANE x[l] = (fractions[l] & 0xffff) << 1;
    interpolate(values, mufu_rcp, row, x);
    EACH_LANE values[l] >>= 17;
}

/* The same of floats between 1 and 2, or twice that where odd[l] is 1, by a table for each. */
static inline void roots(int64_t values[LANES], const struct quadratic *table, const uint32_t fractions[LANES],
                         const uint32_t odd[LANES])
{
    uint32_t row[LANES] __attribute__((aligned(64))), x[LANES] __attribute__((aligned(64)));
    EACH_LANE row[l] = fractions[l] >> 17 | odd[l] << 6;
    EACH_LANE x[l] = fractions[l] & 0x1ffff;
    interpolate(values, table, row, x);
    EACH_LANE values[l] >>= 17;
}

static void rcp(uint32_t to[LANES], const uint32_t from[LANES])
{
    uint32_t fractions[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    EACH_LANE fractions[l] = from[l] & FRACTION;
    reciprocals(values, fractions);
    EACH_LANE
    {
        const uint32_t exponent = exponent_of(from[l]), sign = from[l] & 0x80000000;
        const uint32_t bits = ((253 - exponent) << 23) + (uint32_t)values[l];
        const uint32_t normal = exponent > 253 || bits < 0x800000 ? 0 : bits;
        to[l] = is_nan(from[l]) ? NAN_32 : sign | (exponent ? normal : INFINITE);
    }
}

static void rsq(uint32_t to[LANES], const uint32_t from[LANES])
{
    uint32_t fractions[LANES] __attribute__((aligned(64))), odd[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    EACH_LANE fractions[l] = from[l] & FRACTION;
    EACH_LANE odd[l] = ~from[l] >> 23 & 1; /* an exponent of 127 is even: the bias is odd */
    roots(values, mufu_rsq, fractions, odd);
    EACH_LANE
    {
        const uint32_t exponent = exponent_of(from[l]), sign = from[l] & 0x80000000;
        const uint32_t fraction =
            fractions[l] || odd[l] ? (uint32_t)values[l] : 0x800000; /* of powers of 4 it is exact */
        const uint32_t bits = ((126 + 64 - ((exponent + 1) >> 1)) << 23) + fraction;
        const uint32_t positive = from[l] == INFINITE ? 0 : bits;
        const uint32_t normal = sign || is_nan(from[l]) ? NAN_32 : positive;
        to[l] = exponent ? normal : sign | INFINITE;
    }
}

static void root(uint32_t to[LANES], const uint32_t from[LANES])
{
    uint32_t fractions[LANES] __attribute__((aligned(64))), odd[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    EACH_LANE fractions[l] = from[l] & FRACTION;
    EACH_LANE odd[l] = ~from[l] >> 23 & 1;
    roots(values, mufu_sqrt, fractions, odd);
    EACH_LANE
    {
        const uint32_t exponent = exponent_of(from[l]), sign = from[l] & 0x80000000;
        const uint32_t bits = ((127 - 64 + ((exponent + 1) >> 1)) << 23) + (uint32_t)values[l];
        const uint32_t positive = from[l] == INFINITE ? INFINITE : bits;
        const uint32_t normal = sign || is_nan(from[l]) ? NAN_32 : positive;
        to[l] = exponent ? normal : sign;
    }
}

/* Returns the magnitude of a float in units of 2^-places, cut off. Numbers from 2^(31 - places) are not told apart. */
static inline uint32_t fixed_point(uint32_t bits, uint32_t places)
{
    const uint32_t significand = (bits & FRACTION) | 0x800000;
    const uint32_t exponent = exponent_of(bits), one = 127 + 23 - places; /* exponent at which nothing is shifted */
    const uint32_t left = exponent - one, right = one - exponent;
    const uint32_t small = right < 32 ? significand >> (right & 31) : 0;
    const uint32_t large = left < 32 ? significand << (left & 31) : 0;
    return exponent > one ? large : small;
}

static void ex2(uint32_t to[LANES], const uint32_t from[LANES])
{
    uint32_t row[LANES] __attribute__((aligned(64))), x[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    uint32_t fixed[LANES] __attribute__((aligned(64)));
    /* 23 places. A negative number that is not whole is inverted, and no 1 is added. */
    EACH_LANE
    {
        const uint32_t magnitude = fixed_point(from[l], 23), is_whole = (magnitude & FRACTION) == 0;
        fixed[l] = from[l] >> 31 ? ~magnitude + is_whole : magnitude;
    }
    EACH_LANE row[l] = fixed[l] >> 17 & 63;
    EACH_LANE x[l] = fixed[l] & 0x1ffff;
    interpolate(values, mufu_ex2, row, x);
    EACH_LANE
    {
        const int32_t whole = (int32_t)fixed[l] >> 23;
        const uint32_t bits = (uint32_t)(whole + 127) << 23 | (uint32_t)(values[l] >> 17);
        const uint32_t beyond = from[l] >> 31 ? 0 : INFINITE; /* from 2^7 on all results are that */
        const uint32_t normal = exponent_of(from[l]) > 133 ? beyond : whole < -126 ? 0 : bits;
        to[l] = is_nan(from[l]) ? NAN_32 : normal;
    }
}

static void lg2(uint32_t to[LANES], const uint32_t from[LANES])
{
    uint32_t row[LANES] __attribute__((aligned(64))), x[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    EACH_LANE row[l] = from[l] >> 17 & 63;
    EACH_LANE x[l] = from[l] & 0x1ffff;
    interpolate(values, mufu_lg2, row, x);
    EACH_LANE
    {
        const uint32_t exponent = exponent_of(from[l]);
        /* 36 places. A negative sum is inverted, and no 1 is added. */
        const int64_t sum = (values[l] >> 4) + ((int64_t)exponent - 127) * (INT64_C(1) << 36);
        const uint32_t bits = sum < 0 ? 0x80000000 | cut(~sum, 36) : cut(sum, 36);
        const uint32_t positive = from[l] == INFINITE ? INFINITE : from[l] == 0x3f800000 ? 0 : bits;
        const uint32_t normal = from[l] >> 31 || is_nan(from[l]) ? NAN_32 : positive;
        to[l] = exponent ? normal : 0x80000000 | INFINITE;
    }
}

/* Sines of so many quarter turns more. The operand is in turns, because code multiplies by 1 / 2 pi before. */
static inline void sine(uint32_t to[LANES], const uint32_t from[LANES], uint32_t quarters)
{
    uint32_t row[LANES] __attribute__((aligned(64))), x[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    uint32_t fixed[LANES] __attribute__((aligned(64)));
    EACH_LANE fixed[l] = fixed_point(from[l], 25) + (quarters << 23);
    EACH_LANE x[l] = fixed[l] ^ (0u - (fixed[l] >> 23 & 1)); /* back down in every second quarter, and no 1 is added */
    EACH_LANE row[l] = x[l] >> 17 & 63;
    EACH_LANE x[l] &= 0x1ffff;
    interpolate(values, mufu_sin, row, x);
    EACH_LANE
    {
        const uint32_t sign = (fixed[l] << 7 & 0x80000000) ^ (quarters ? 0 : from[l] & 0x80000000);
        const uint32_t is_whole = (fixed[l] & FRACTION) == 0, is_high = fixed[l] >> 23 & 1;
        const uint32_t bits = is_whole ? (is_high ? 0x3f800000 : 0) : cut(values[l], 41);
        to[l] = exponent_of(from[l]) == 255 ? NAN_32 : sign | bits;
    }
}
static void sine_of(uint32_t to[LANES], const uint32_t from[LANES])
{
    sine(to, from, 0);
}
static void cosine_of(uint32_t to[LANES], const uint32_t from[LANES])
{
    sine(to, from, 1);
}

static void hyperbolic(uint32_t to[LANES], const uint32_t from[LANES])
{
    /* Binades from 2^-8 on: the first row of each, and the binary logarithm of how many there are. */
    static const uint32_t first[16] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43},
                          parts[16] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    uint32_t row[LANES] __attribute__((aligned(64))), x[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    EACH_LANE
    {
        const uint32_t binade = exponent_of(from[l]) - 119, in_table = binade < 11 ? binade : 0;
        const uint32_t fraction = from[l] & FRACTION;
        row[l] = first[in_table] + (fraction >> (23 - parts[in_table]));
        x[l] = fraction >> (6 - parts[in_table]) & 0x1ffff;
    }
    interpolate(values, mufu_tanh, row, x);
    EACH_LANE
    {
        const uint32_t magnitude = from[l] & 0x7fffffff, sign = from[l] & 0x80000000;
        const uint32_t large = magnitude >= 0x41000000 ? 0x3f800000 : cut(values[l], 41);
        const uint32_t normal = magnitude < 0x3b800000 ? magnitude : large;
        to[l] = is_nan(from[l]) ? NAN_32 : sign | normal;
    }
}

/* ---- Upper words of doubles: the same tables, and what does not fit is cut off ---- */

static void rcp_double(uint32_t to[LANES], const uint32_t from[LANES])
{
    uint32_t fractions[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    EACH_LANE fractions[l] = from[l] << 3 & FRACTION;
    reciprocals(values, fractions);
    EACH_LANE
    {
        const uint32_t exponent = from[l] >> 20 & 0x7ff, sign = from[l] & 0x80000000;
        const uint32_t bits = ((2045 - exponent) << 20) + (uint32_t)(values[l] >> 3);
        const uint32_t normal = exponent > 2045 || bits < 0x100000 ? 0 : bits;
        const uint32_t is_none = (from[l] & 0x7fffffff) > 0x7ff00000;
        to[l] = is_none ? NAN_32 : sign | (exponent ? normal : 0x7ff00000);
    }
}

static void rsq_double(uint32_t to[LANES], const uint32_t from[LANES])
{
    uint32_t fractions[LANES] __attribute__((aligned(64))), odd[LANES] __attribute__((aligned(64)));
    int64_t values[LANES] __attribute__((aligned(64)));
    EACH_LANE fractions[l] = from[l] << 3 & FRACTION;
    EACH_LANE odd[l] = ~from[l] >> 20 & 1;
    roots(values, mufu_rsq, fractions, odd);
    EACH_LANE
    {
        const uint32_t exponent = from[l] >> 20 & 0x7ff, sign = from[l] & 0x80000000;
        const uint32_t fraction = fractions[l] || odd[l] ? (uint32_t)values[l] : 0x800000;
        const uint32_t bits = ((1022 + 512 - ((exponent + 1) >> 1)) << 20) + (fraction >> 3);
        const uint32_t positive = from[l] == 0x7ff00000 ? 0 : bits;
        const uint32_t is_none = sign || from[l] > 0x7ff00000;
        const uint32_t normal = is_none ? NAN_32 : positive;
        to[l] = exponent ? normal : sign | 0x7ff00000;
    }
}

/* ---- Halves and bf16: those of floats, of which what does not fit is cut off ---- */

static inline uint32_t half_cut(uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7fffffff, capped = magnitude < 0x47800000 ? magnitude : 0x47800000;
    const uint32_t small = (uint32_t)(int32_t)(to_float(magnitude < 0x38800000 ? magnitude : 0) * 0x1p24f);
    const uint32_t half = magnitude < 0x38800000 ? small : (capped >> 13) - (112 << 10);
    return magnitude > INFINITE ? NAN_16 : half | (bits >> 16 & 0x8000);
}

/* ---- The instruction ---- */

typedef void special_function(uint32_t to[LANES], const uint32_t from[LANES]);

static const struct {
    const char *name;
    special_function *compute;
    bool of_halves;
} functions[] = {
    {"RCP", rcp, false},           {"RSQ", rsq, false},           {"SQRT", root, false},     {"EX2", ex2, true},
    {"LG2", lg2, false},           {"SIN", sine_of, false},       {"COS", cosine_of, false}, {"TANH", hyperbolic, true},
    {"RCP64H", rcp_double, false}, {"RSQ64H", rsq_double, false},
};
#define FUNCTIONS (sizeof functions / sizeof functions[0])

enum { FUNCTION, FUNCTION_FORMAT }; /* flags */

static bool prepare_mufu(struct instruction *code)
{
    code->flags[FUNCTION] = FUNCTIONS;
    code->flags[FUNCTION_FORMAT] = F32;
    for (unsigned m = 0; m < code->modifier_count; m++) {
        const char *modifier = code->modifiers[m];
        unsigned char function = 0;
        while (function < FUNCTIONS && strcmp(functions[function].name, modifier) != 0)
            function++;
        if (function < FUNCTIONS)
            code->flags[FUNCTION] = function;
        else if (strcmp(modifier, "F16") == 0)
            code->flags[FUNCTION_FORMAT] = F16;
        else if (strcmp(modifier, "BF16") == 0)
            code->flags[FUNCTION_FORMAT] = BF16;
        else
            return false;
    }
    return code->flags[FUNCTION] < FUNCTIONS &&
           (code->flags[FUNCTION_FORMAT] == F32 || functions[code->flags[FUNCTION]].of_halves);
}

/* "d, a" */
static void mufu(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *operand = &code->operands[1];
    const uint32_t *row = ROW(1), keep = KEEP(1), flip = FLIP(1);
    const unsigned shift = operand->byte ? (operand->byte - 1u) * 8 : 0;
    uint32_t from[LANES] __attribute__((aligned(64))), results[LANES] __attribute__((aligned(64)));
    switch (code->flags[FUNCTION_FORMAT]) {
    case F16:
        EACH_LANE from[l] = of_float(half_to_float(row[l] >> shift));
        break;
    case BF16:
        EACH_LANE from[l] = row[l] >> shift << 16;
        break;
    default:
        EACH_LANE from[l] = row[l];
    }
    EACH_LANE from[l] = (from[l] & keep) ^ flip;
    functions[code->flags[FUNCTION]].compute(results, from);
    if (code->flags[FUNCTION_FORMAT] == F16)
        EACH_LANE results[l] = half_cut(results[l]);
    else if (code->flags[FUNCTION_FORMAT] == BF16)
        EACH_LANE results[l] = is_nan(results[l]) ? NAN_16 : results[l] >> 16;
    WRITE_LANES(ROW(0), lanes, results[l]);
}

/* clang-format off */
const struct opcode TABLE(lanes_mufu)[] = {
    {"MUFU", mufu, RULE_SAME, prepare_mufu, "d", NULL},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
