/* Arithmetic on two halves, or two bf16, in a word. */
#include "comparisons.h"

/* ---- Modifiers ---- */

enum { FORMAT, CLAMP, FLUSH, COPY }; /* flags of arithmetic */
enum { CLAMP_NOT, CLAMP_RELU, CLAMP_SATURATE };
enum { TO_FLOAT = F32 }; /* FORMAT of HADD2.F32 */

/* ---- Operands ---- */

/* The two halves of an operand, each in a word of its own. */
struct halves {
    uint32_t low[LANES], high[LANES];
} __attribute__((aligned(64)));

static inline void halves_read(struct halves *halves, const struct warp *warp, const struct instruction *code,
                               unsigned n)
{
    const struct operand *operand = &code->operands[n];
    const uint32_t *row = ROW(n);
    const bool crosses = operand->half == HALF_CROSSED;
    const unsigned low_shift = operand->half == HALF_HIGH || crosses ? 16 : 0;
    const unsigned high_shift = operand->half == HALF_LOW || crosses ? 0 : 16;
    const uint32_t crossed = crosses ? 0x8000 : 0;
    const uint32_t keep = operand->absolute ? 0x7fff : 0xffff, flip = operand->negate ? 0x8000 : 0;
    EACH_LANE halves->low[l] = (row[l] >> low_shift & keep) ^ flip ^ crossed;
    EACH_LANE halves->high[l] = (row[l] >> high_shift & keep) ^ flip;
}

/* Turns subnormal halves into zero. There is no such operation for bf16. */
static inline void flush(uint32_t halves[LANES])
{
    EACH_LANE halves[l] = halves[l] & 0x7c00 ? halves[l] : halves[l] & 0x8000;
}
static inline void halves_flush(struct halves *halves)
{
    flush(halves->low);
    flush(halves->high);
}

/* ---- Arithmetic ---- */

enum kind { ADD, MULTIPLY, FUSED };

/* Computes a * b + c so that rounding it to a half gives one rounding. The product is exact in a float. The sum is
 * rounded to odd (small_float.h) by its error, which is exact too. */
static inline float fused_odd(float a, float b, float c)
{
    const float product = a * b, sum = product + c;
    const float behind = sum - product;
    const float error = (product - (sum - behind)) + (c - behind);
    const uint32_t bits = of_float(sum);
    const uint32_t step = (error < 0) == (sum < 0) ? 1 : ALL_LANES;
    return to_float(bits + ((error < 0 || error > 0) && !(bits & 1) ? step : 0));
}
/* Does the same for bf16, whose products leave the range of a float. */
static inline double fused_odd_double(double a, double b, double c)
{
    const double product = a * b, sum = product + c;
    const double behind = sum - product;
    const double error = (product - (sum - behind)) + (c - behind);
    const uint64_t bits = of_double(sum);
    const uint64_t step = (error < 0) == (sum < 0) ? 1 : UINT64_MAX;
    const uint64_t odd = bits + ((error < 0 || error > 0) && !(bits & 1) ? step : 0);
    return to_double((uint32_t)odd, (uint32_t)(odd >> 32));
}

static inline uint32_t half_result(enum kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    const float x = half_to_float(a), y = half_to_float(b);
    /* A float has more than twice the digits of a half, so rounding a sum or a product twice gives the same as once. */
    if (kind == ADD)
        return half_of_float(x + y);
    if (kind == MULTIPLY)
        return half_of_float(x * y);
    return half_of_float(fused_odd(x, y, half_to_float(c)));
}
static inline uint32_t bf16_result(enum kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    const float x = bf16_to_float(a), y = bf16_to_float(b);
    if (kind == ADD)
        return bf16_of_float(x + y);
    if (kind == MULTIPLY)
        return bf16_of_float(float_to_odd((double)x * y));
    return bf16_of_float(float_to_odd(fused_odd_double(x, y, bf16_to_float(c))));
}

static inline void clamp(uint32_t halves[LANES], unsigned how, uint32_t one)
{
    if (how == CLAMP_RELU)
        EACH_LANE halves[l] = halves[l] & 0x8000 ? 0 : halves[l];
    else
        EACH_LANE
        {
            const uint32_t half = halves[l], at_most_one = half < one ? half : one;
            halves[l] = half & 0x8000 || half == NAN_16 ? 0 : at_most_one;
        }
}

/* Computes one kind of arithmetic. It is inlined for each kind, so that its loops have no branches. */
static inline __attribute__((always_inline)) void arithmetic(struct warp *warp, const struct instruction *code,
                                                             uint32_t lanes, enum kind kind)
{
    struct halves a, b, c, d;
    const bool flushes = code->flags[FLUSH];
    halves_read(&a, warp, code, 1);
    halves_read(&b, warp, code, 2);
    if (kind == FUSED)
        halves_read(&c, warp, code, 3);
    if (flushes) {
        halves_flush(&a);
        halves_flush(&b);
        if (kind == FUSED)
            halves_flush(&c);
    }
    const bool bf16 = code->flags[FORMAT] == BF16;
    if (bf16) {
        EACH_LANE d.low[l] = bf16_result(kind, a.low[l], b.low[l], kind == FUSED ? c.low[l] : 0);
        EACH_LANE d.high[l] = bf16_result(kind, a.high[l], b.high[l], kind == FUSED ? c.high[l] : 0);
    } else {
        EACH_LANE d.low[l] = half_result(kind, a.low[l], b.low[l], kind == FUSED ? c.low[l] : 0);
        EACH_LANE d.high[l] = half_result(kind, a.high[l], b.high[l], kind == FUSED ? c.high[l] : 0);
    }
    if (flushes)
        halves_flush(&d);
    if (code->flags[CLAMP]) {
        clamp(d.low, code->flags[CLAMP], bf16 ? 0x3f80 : 0x3c00);
        clamp(d.high, code->flags[CLAMP], bf16 ? 0x3f80 : 0x3c00);
    }
    WRITE_LANES(ROW(0), lanes, d.low[l] | d.high[l] << 16);
}

/* Reads an operand of HADD2.F32, which is a half or a float, as a float. */
static inline void floats_read(float *floats, const struct warp *warp, const struct instruction *code, unsigned n)
{
    const uint32_t *row = ROW(n);
    const unsigned shift = code->operands[n].half == HALF_HIGH ? 16 : 0;
    const uint32_t keep = KEEP(n), flip = FLIP(n);
    if (code->operands[n].half == HALF_SINGLE)
        EACH_LANE floats[l] = to_float((row[l] & keep) ^ flip);
    else
        EACH_LANE floats[l] = to_float((of_float(half_to_float(row[l] >> shift)) & keep) ^ flip);
}

static void add_to_float(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    float a[LANES] __attribute__((aligned(64))), b[LANES] __attribute__((aligned(64)));
    floats_read(a, warp, code, 1);
    floats_read(b, warp, code, 2);
    WRITE_LANES(ROW(0), lanes, of_float_canonical(a[l] + b[l]));
}

static void hadd2(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    if (code->flags[FORMAT] == TO_FLOAT)
        add_to_float(warp, code, lanes);
    else
        arithmetic(warp, code, lanes, ADD);
}
static void hmul2(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    arithmetic(warp, code, lanes, MULTIPLY);
}
static void hfma2(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    if (code->flags[COPY]) {
        const uint32_t *c = ROW(3);
        WRITE_LANES(ROW(0), lanes, c[l]);
    } else {
        arithmetic(warp, code, lanes, FUSED);
    }
}

static bool no_operand_is(const struct instruction *code, enum half half)
{
    for (unsigned n = 1; n < code->operand_count; n++)
        if (code->operands[n].half == half)
            return false;
    return true;
}

static bool halves_only(const struct instruction *code)
{
    return no_operand_is(code, HALF_SINGLE);
}

static bool prepare_arithmetic(struct instruction *code)
{
    code->flags[FORMAT] = IS(F32) ? TO_FLOAT : has_modifier(code, "BF16_V2") ? BF16 : F16;
    code->flags[CLAMP] = IS(RELU) ? CLAMP_RELU : IS(SAT) ? CLAMP_SATURATE : CLAMP_NOT;
    code->flags[FLUSH] = IS(FTZ);
    if (code->flags[FORMAT] == BF16 && code->flags[FLUSH])
        return false;
    if (code->flags[FORMAT] == TO_FLOAT) /* only a sum without other flags is known */
        return code->run == hadd2 && !code->flags[CLAMP] && !code->flags[FLUSH] && no_operand_is(code, HALF_CROSSED);
    return halves_only(code);
}

static bool is_zero_register(const struct operand *operand)
{
    return operand->kind == OPERAND_ROW && operand->space == SPACE_WARP && operand->row == ROW_ZERO * ROW_BYTES &&
           !operand->immediate;
}

/* Sets the flags of HFMA2. Code loads a constant by HFMA2.MMA R, -RZ, RZ, upper, lower: -0 added to a number is that
 * number. */
static bool prepare_fused(struct instruction *code)
{
    if (!prepare_arithmetic(code))
        return false;
    code->flags[COPY] = is_zero_register(&code->operands[1]) && code->operands[1].negate &&
                        is_zero_register(&code->operands[2]) && !code->operands[2].negate &&
                        code->operands[3].immediate && !code->flags[CLAMP] && !code->flags[FLUSH];
    return true;
}

/* ---- Comparisons ---- */

enum { COMPARES_BF16 = FLAG_RELU + 1 }; /* a flag behind those of all comparisons */

static bool prepare_comparison(struct instruction *code)
{
    code->flags[COMPARES_BF16] = has_modifier(code, "BF16_V2");
    return prepare_compare(code) && halves_only(code) && !(code->flags[COMPARES_BF16] && IS(FTZ));
}

static inline uint32_t compare_halves(const uint32_t *a, const uint32_t *b, bool bf16, unsigned compare)
{
    float x[LANES] __attribute__((aligned(64))), y[LANES] __attribute__((aligned(64)));
    uint32_t result;
    if (bf16) {
        EACH_LANE x[l] = bf16_to_float(a[l]);
        EACH_LANE y[l] = bf16_to_float(b[l]);
    } else {
        EACH_LANE x[l] = half_to_float(a[l]);
        EACH_LANE y[l] = half_to_float(b[l]);
    }
    COMPARE(result, compare, x[l], y[l]);
    return result;
}

/* Sets `low` to the lanes whose lower halves compare so, and `high` to those of the upper halves. The operands n and n
 * + 1 are compared, and the predicate follows them. */
static void compare(struct warp *warp, const struct instruction *code, unsigned n, uint32_t *low, uint32_t *high)
{
    struct halves a, b;
    halves_read(&a, warp, code, n);
    halves_read(&b, warp, code, n + 1);
    if (IS(FTZ)) {
        halves_flush(&a);
        halves_flush(&b);
    }
    const uint32_t other = predicate(warp, &code->operands[n + 2]);
    const bool bf16 = code->flags[COMPARES_BF16];
    *low = combine(code, compare_halves(a.low, b.low, bf16, code->flags[FLAG_COMPARE]), other);
    *high = combine(code, compare_halves(a.high, b.high, bf16, code->flags[FLAG_COMPARE]), other);
}

static void hset2(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t low, high;
    compare(warp, code, 1, &low, &high);
    const uint32_t yes = !IS(BF) ? 0xffff : code->flags[COMPARES_BF16] ? 0x3f80 : 0x3c00;
    WRITE_LANES(ROW(0), lanes, (IN(low) & yes) | (IN(high) & yes << 16));
}
static void hsetp2(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t low, high;
    compare(warp, code, 2, &low, &high);
    predicate_set(warp, &code->operands[0], lanes, low);
    predicate_set(warp, &code->operands[1], lanes, high);
}

/* ---- Least and greatest ---- */

enum { MINMAX_BF16, MINMAX_FLUSHED, MINMAX_NAN, MINMAX_XORSIGN };

static bool prepare_minmax(struct instruction *code)
{
    code->flags[MINMAX_BF16] = has_modifier(code, "BF16_V2");
    code->flags[MINMAX_FLUSHED] = IS(FTZ);
    code->flags[MINMAX_NAN] = has_modifier(code, "NAN");
    code->flags[MINMAX_XORSIGN] = has_modifier(code, "XORSIGN");
    return halves_only(code) && !(code->flags[MINMAX_BF16] && code->flags[MINMAX_FLUSHED]);
}

static inline void minmax(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t least, uint32_t infinity,
                          bool any_nan)
{
    EACH_LANE
    {
        const uint32_t x = a[l], y = b[l];
        /* The halves become integers in the order of the numbers, with -0 before 0. */
        const int32_t x_order = (int32_t)(x & 0x7fff) ^ -(int32_t)(x >> 15 & 1);
        const int32_t y_order = (int32_t)(y & 0x7fff) ^ -(int32_t)(y >> 15 & 1);
        const uint32_t x_nan = (x & 0x7fff) > infinity ? ALL_LANES : 0, y_nan = (y & 0x7fff) > infinity ? ALL_LANES : 0;
        const uint32_t takes_x = (x_order < y_order ? ALL_LANES : 0) ^ ~IN(least);
        const uint32_t number = ((takes_x | y_nan) & ~x_nan & x) | (~((takes_x | y_nan) & ~x_nan) & y);
        const uint32_t none = any_nan ? x_nan | y_nan : x_nan & y_nan;
        to[l] = (none & NAN_16) | (~none & number);
    }
}

/* Sets the sign of a minimum or maximum to that of the product of its operands. NaN has none. */
static inline void minmax_sign(uint32_t *to, const uint32_t *row_a, const uint32_t *row_b, unsigned a_shift,
                               unsigned b_shift)
{
    EACH_LANE to[l] =
        to[l] == NAN_16 ? NAN_16 : (to[l] & 0x7fff) | ((row_a[l] >> a_shift ^ row_b[l] >> b_shift) & 0x8000);
}

static void hmnmx2(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct halves a, b, d;
    halves_read(&a, warp, code, 1);
    halves_read(&b, warp, code, 2);
    if (code->flags[MINMAX_FLUSHED]) {
        halves_flush(&a);
        halves_flush(&b);
    }
    const uint32_t least = predicate(warp, &code->operands[3]);
    const uint32_t infinity = code->flags[MINMAX_BF16] ? 0x7f80 : 0x7c00;
    const bool any_nan = code->flags[MINMAX_NAN];
    minmax(d.low, a.low, b.low, least, infinity, any_nan);
    minmax(d.high, a.high, b.high, least, infinity, any_nan);
    if (code->flags[MINMAX_XORSIGN]) {
        const enum half a_half = code->operands[1].half, b_half = code->operands[2].half;
        minmax_sign(d.low, ROW(1), ROW(2), a_half == HALF_HIGH ? 16 : 0, b_half == HALF_HIGH ? 16 : 0);
        minmax_sign(d.high, ROW(1), ROW(2), a_half == HALF_LOW ? 0 : 16, b_half == HALF_LOW ? 0 : 16);
    }
    WRITE_LANES(ROW(0), lanes, d.low[l] | d.high[l] << 16);
}

/* Chooses the least or greatest of three. */
static void vhmnmx(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct halves a, b, c, d;
    halves_read(&a, warp, code, 1);
    halves_read(&b, warp, code, 2);
    halves_read(&c, warp, code, 3);
    const uint32_t least = predicate(warp, &code->operands[4]);
    const uint32_t infinity = code->flags[MINMAX_BF16] ? 0x7f80 : 0x7c00;
    const bool any_nan = code->flags[MINMAX_NAN];
    minmax(d.low, a.low, b.low, least, infinity, any_nan);
    minmax(d.high, a.high, b.high, least, infinity, any_nan);
    minmax(d.low, d.low, c.low, least, infinity, any_nan);
    minmax(d.high, d.high, c.high, least, infinity, any_nan);
    WRITE_LANES(ROW(0), lanes, d.low[l] | d.high[l] << 16);
}

PREPARE(vhmnmx, prepare_minmax(code) && code->operand_count == 5 && code->operands[4].kind == OPERAND_PREDICATE)

/* clang-format off */
#define ARITHMETIC "F32 BF16_V2 RELU SAT FTZ MMA" /* MMA is the pipe that computes it */
#define COMPARED COMPARISONS " " COMBINATIONS " BF16_V2 FTZ"
const struct opcode TABLE(lanes_half)[] = {
    {"HADD2",  hadd2,  TRAIT_FP16 | RULE_SAME,               prepare_arithmetic, "d",  ARITHMETIC},
    {"HMUL2",  hmul2,  TRAIT_FP16 | RULE_SAME,               prepare_arithmetic, "d",  ARITHMETIC},
    {"HFMA2",  hfma2,  TRAIT_FP16 | TRAIT_FUSED | RULE_SAME, prepare_fused,      "d",  ARITHMETIC},
    {"HMNMX2", hmnmx2, RULE_SAME,                            prepare_minmax,     "d",  "BF16_V2 FTZ NAN XORSIGN"},
    {"VHMNMX", vhmnmx, RULE_SAME,                            prepare_vhmnmx,     "d",  "BF16_V2 NAN"},
    {"HSET2",  hset2,  RULE_SAME,                            prepare_comparison, "d",  COMPARED " BF"},
    {"HSETP2", hsetp2, RULE_SAME,                            prepare_comparison, "pp", COMPARED},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
