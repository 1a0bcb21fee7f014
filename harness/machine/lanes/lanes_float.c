/* Operations on single and double precision. A result that is NaN has the bits that the GPU gives: 0x7fffffff or
 * 0xfff80000 00000000. For doubles they are those of the first operand that is NaN, as an H200 was seen to do. */
#include "comparisons.h"

#include <fenv.h>

enum { PROPAGATES, TAKES_SIGN }; /* flags of minimum and maximum: NaN wins; the sign is that of both */

/* The value of an operand in lane l. */
#define F(n, row) to_float(((row)[l] & KEEP(n)) ^ FLIP(n))
#define D(n, low, high) to_double((low)[l], ((high)[l] & KEEP(n)) ^ FLIP(n))

/* Returns the bits of a result of the operands a, b and c. */
static inline uint64_t of_double_result(double value, double a, double b, double c)
{
    const uint64_t quiet = UINT64_C(1) << 51;
    const uint64_t none = a != a   ? of_double(a) | quiet
                          : b != b ? of_double(b) | quiet
                          : c != c ? of_double(c) | quiet
                                   : NAN_64;
    return value != value ? none : of_double(value);
}

/* Turns subnormal numbers into zeros, for .FTZ. */
static inline uint32_t flush(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

static inline uint32_t saturate(uint32_t bits)
{
    const float value = to_float(bits);
    return !(value > 0) ? 0 : value > 1 ? 0x3f800000u : bits;
}

static int rounding(const struct instruction *code)
{
    return IS(RZ) ? FE_TOWARDZERO : IS(RM) ? FE_DOWNWARD : IS(RP) ? FE_UPWARD : FE_TONEAREST;
}

static inline uint32_t finish(float value, bool flushes, bool saturates)
{
    uint32_t bits = of_float_canonical(value);
    bits = flushes ? flush(bits) : bits;
    return saturates ? saturate(bits) : bits;
}

static inline float operand(uint32_t bits, uint32_t keep, uint32_t flip, bool flushes)
{
    bits = (bits & keep) ^ flip;
    return to_float(flushes ? flush(bits) : bits);
}

/* These compute in any rounding mode, with flushing and saturation. Compilers know nothing of rounding modes: that a
 * result is in memory before the mode changes back has to be said. */
#define SHAPED(name, count, expression)                                                                                \
    static void name(struct warp *warp, const struct instruction *code, uint32_t lanes)                                \
    {                                                                                                                  \
        const uint32_t *x = ROW(1), *y = ROW(2), *z = ROW(count);                                                      \
        const uint32_t kx = KEEP(1), ky = KEEP(2), kz = KEEP(count), fx = FLIP(1), fy = FLIP(2), fz = FLIP(count);     \
        const bool flushes = IS(FTZ), saturates = IS(SAT);                                                             \
        const int mode = rounding(code);                                                                               \
        uint32_t result[LANES] __attribute__((aligned(64)));                                                           \
        if (mode != FE_TONEAREST)                                                                                      \
            fesetround(mode);                                                                                          \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            const float a = operand(x[l], kx, fx, flushes), b = operand(y[l], ky, fy, flushes),                        \
                        c = operand(z[l], kz, fz, flushes);                                                            \
            (void)c;                                                                                                   \
            result[l] = finish(expression, flushes, saturates);                                                        \
        }                                                                                                              \
        __asm__ volatile("" : : "r"(result) : "memory");                                                               \
        if (mode != FE_TONEAREST)                                                                                      \
            fesetround(FE_TONEAREST);                                                                                  \
        WRITE_LANES(ROW(0), lanes, result[l]);                                                                         \
    }
SHAPED(fadd_shaped, 2, a + b)
SHAPED(fmul_shaped, 2, a *b)
SHAPED(ffma_shaped, 3, __builtin_fmaf(a, b, c))

/* Returns the factor of .M2 to .M8 and .D2 to .D8. It is applied to the product before that is rounded, which a double
 * can hold. */
static double scale(const struct instruction *code)
{
    static const double factors[] = {2, 4, 8, 0.5, 0.25, 0.125};
    const int place = modifier_among(code, "M2 M4 M8 D2 D4 D8");
    return place < 0 ? 1 : factors[place];
}
SHAPED(fmul_scaled, 2, (float)((double)a *(double)b *scale(code)))

static bool is_plain_float(const struct instruction *code)
{
    return !IS(FTZ) && !IS(SAT) && !IS(RZ) && !IS(RM) && !IS(RP);
}

static bool has_signs(const struct instruction *code)
{
    for (unsigned i = 1; i < code->operand_count; i++)
        if (code->operands[i].negate || code->operands[i].absolute)
            return true;
    return false;
}

#define OFTEN(name, count, expression)                                                                                 \
    static void name(struct warp *warp, const struct instruction *code, uint32_t lanes)                                \
    {                                                                                                                  \
        const uint32_t *x = ROW(1), *y = ROW(2), *z = ROW(count);                                                      \
        const uint32_t kx = KEEP(1), ky = KEEP(2), kz = KEEP(count), fx = FLIP(1), fy = FLIP(2), fz = FLIP(count);     \
        (void)z, (void)kx, (void)ky, (void)kz, (void)fx, (void)fy, (void)fz;                                           \
        WRITE_LANES(ROW(0), lanes, of_float_canonical(expression));                                                    \
    }
OFTEN(fadd_signs, 2, to_float((x[l] & kx) ^ fx) + to_float((y[l] & ky) ^ fy))
OFTEN(fmul_signs, 2, to_float((x[l] & kx) ^ fx) * to_float((y[l] & ky) ^ fy))
OFTEN(ffma_signs, 3, __builtin_fmaf(to_float((x[l] & kx) ^ fx), to_float((y[l] & ky) ^ fy), to_float((z[l] & kz) ^ fz)))
OFTEN(fadd_plain, 2, to_float(x[l]) + to_float(y[l]))
OFTEN(fmul_plain, 2, to_float(x[l]) * to_float(y[l]))
OFTEN(ffma_plain, 3, __builtin_fmaf(to_float(x[l]), to_float(y[l]), to_float(z[l])))

static bool prepare_fadd(struct instruction *code)
{
    code->run = !is_plain_float(code) ? fadd_shaped : has_signs(code) ? fadd_signs : fadd_plain;
    return true;
}

static bool prepare_fmul(struct instruction *code)
{
    code->run = scale(code) != 1        ? fmul_scaled
                : !is_plain_float(code) ? fmul_shaped
                : has_signs(code)       ? fmul_signs
                                        : fmul_plain;
    return true;
}

static bool prepare_ffma(struct instruction *code)
{
    code->run = !is_plain_float(code) ? ffma_shaped : has_signs(code) ? ffma_signs : ffma_plain;
    return true;
}

/* ---- Double ---- */

#define DOUBLE(name, count, expression)                                                                                \
    static void name##_any(struct warp *warp, const struct instruction *code, uint32_t lanes)                          \
    {                                                                                                                  \
        const uint32_t *x = ROW(1), *xh = HIGH(1), *y = ROW(2), *yh = HIGH(2), *z = ROW(count), *zh = HIGH(count);     \
        uint64_t result[LANES];                                                                                        \
        const int before = fegetround();                                                                               \
        fesetround(rounding(code));                                                                                    \
        for (int l = 0; l < LANES; l++) {                                                                              \
            const volatile double a = D(1, x, xh), b = D(2, y, yh), c = D(count, z, zh);                               \
            (void)c;                                                                                                   \
            const volatile double value = (expression);                                                                \
            result[l] =                                                                                                \
                of_double_result(value, to_double(x[l], xh[l]), to_double(y[l], yh[l]), to_double(z[l], zh[l]));       \
        }                                                                                                              \
        fesetround(before);                                                                                            \
        WRITE_WIDE(ROW(0), HIGH(0), lanes, result[l]);                                                                 \
    }                                                                                                                  \
    static void name(struct warp *warp, const struct instruction *code, uint32_t lanes)                                \
    {                                                                                                                  \
        const uint32_t *x = ROW(1), *xh = HIGH(1), *y = ROW(2), *yh = HIGH(2), *z = ROW(count), *zh = HIGH(count);     \
        const uint32_t kx = KEEP(1), ky = KEEP(2), kz = KEEP(count), fx = FLIP(1), fy = FLIP(2), fz = FLIP(count);     \
        (void)z, (void)zh, (void)kz, (void)fz;                                                                         \
        uint64_t result[LANES], none = 0;                                                                              \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            const double a = to_double(x[l], (xh[l] & kx) ^ fx), b = to_double(y[l], (yh[l] & ky) ^ fy),               \
                         c = to_double(z[l], (zh[l] & kz) ^ fz);                                                       \
            (void)c;                                                                                                   \
            const double value = (expression);                                                                         \
            result[l] = of_double(value);                                                                              \
            none |= value != value;                                                                                    \
        }                                                                                                              \
        if (none)                                                                                                      \
            EACH_LANE result[l] =                                                                                      \
                of_double_result(to_double((uint32_t)result[l], (uint32_t)(result[l] >> 32)), to_double(x[l], xh[l]),  \
                                 to_double(y[l], yh[l]), to_double(z[l], zh[l]));                                      \
        WRITE_WIDE(ROW(0), HIGH(0), lanes, result[l]);                                                                 \
    }                                                                                                                  \
    static bool prepare_##name(struct instruction *code)                                                               \
    {                                                                                                                  \
        code->run = rounding(code) == FE_TONEAREST ? (name) : name##_any;                                              \
        return true;                                                                                                   \
    }
DOUBLE(dadd, 2, a + b)
DOUBLE(dmul, 2, a *b)
DOUBLE(dfma, 3, __builtin_fma(a, b, c))

/* ---- Comparisons ---- */

/* Compares the operands first and first + 1, as floats. */
static uint32_t compare_floats(struct warp *warp, const struct instruction *code, unsigned first)
{
    const uint32_t *x = ROW(first), *y = ROW(first + 1);
    float a[LANES], b[LANES];
    const uint32_t kx = KEEP(first), ky = KEEP(first + 1), fx = FLIP(first), fy = FLIP(first + 1);
    EACH_LANE a[l] = to_float((x[l] & kx) ^ fx);
    EACH_LANE b[l] = to_float((y[l] & ky) ^ fy);
    if (IS(FTZ)) {
        EACH_LANE a[l] = to_float(flush(of_float(a[l])));
        EACH_LANE b[l] = to_float(flush(of_float(b[l])));
    }
    uint32_t result;
    COMPARE(result, code->flags[FLAG_COMPARE], a[l], b[l]);
    return result;
}

static void fsetp(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    compared(warp, code, lanes, compare_floats(warp, code, 2));
}

/* Operands d, a, b, q: sets d to 1.0 or to all ones. */
static void fset(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t result = combine(code, compare_floats(warp, code, 1), predicate(warp, &code->operands[3]));
    const uint32_t yes = IS(BF) ? 0x3f800000u : ALL_LANES;
    WRITE_LANES(ROW(0), lanes, result >> l & 1 ? yes : 0);
}

/* Operands p0, p1, a, b, q: chooses the minimum or maximum. p0 is true in lanes that choose a, p1 where both are NaN.
 * -0 is smaller than 0. */
static void dsetp_choose(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *x = ROW(2), *xh = HIGH(2), *y = ROW(3), *yh = HIGH(3);
    const bool smaller = IS(MIN);
    uint32_t first = 0, neither = 0;
    for (int l = 0; l < LANES; l++) {
        const double a = D(2, x, xh), b = D(3, y, yh);
        const bool less = a < b || (a == b && signbit(a) && !signbit(b));
        const bool more = a > b || (a == b && !signbit(a) && signbit(b));
        const bool chosen = a == a && (b != b || (smaller ? less : more));
        first |= (uint32_t)chosen << l;
        neither |= (uint32_t)(a != a && b != b) << l;
    }
    const uint32_t other = predicate(warp, &code->operands[4]);
    predicate_set(warp, &code->operands[1], lanes, neither & other);
    predicate_set(warp, &code->operands[0], lanes, first & other);
}

static void dsetp(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *x = ROW(2), *xh = HIGH(2), *y = ROW(3), *yh = HIGH(3);
    double a[LANES], b[LANES];
    const uint32_t kx = KEEP(2), ky = KEEP(3), fx = FLIP(2), fy = FLIP(3);
    EACH_LANE a[l] = to_double(x[l], (xh[l] & kx) ^ fx);
    EACH_LANE b[l] = to_double(y[l], (yh[l] & ky) ^ fy);
    uint32_t result;
    COMPARE(result, code->flags[FLAG_COMPARE], a[l], b[l]);
    compared(warp, code, lanes, result);
}

static bool prepare_dsetp(struct instruction *code)
{
    if (IS(MIN) || IS(MAX)) {
        code->run = dsetp_choose;
        return IS(AND);
    }
    return prepare_compare(code);
}

/* Operands d, a, b, p: chooses one of two floats, without arithmetic. */
static void fsel(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2);
    const uint32_t ka = KEEP(1), kb = KEEP(2), fa = FLIP(1), fb = FLIP(2);
    const uint32_t chosen = predicate(warp, &code->operands[3]);
    if (IS(FTZ))
        WRITE_LANES(ROW(0), lanes, flush(chosen >> l & 1 ? (a[l] & ka) ^ fa : (b[l] & kb) ^ fb));
    else
        WRITE_LANES(ROW(0), lanes, chosen >> l & 1 ? (a[l] & ka) ^ fa : (b[l] & kb) ^ fb);
}

/* The smaller or larger of two numbers. If one is NaN, the other is taken, or NaN where that propagates. */
static inline uint32_t chosen_of(uint32_t u, uint32_t v, bool smaller, bool propagates)
{
    const float a = to_float(u), b = to_float(v);
    const bool less = a < b || (a == b && (int32_t)u < (int32_t)v); /* -0 is below 0 */
    const bool zeros = a == b;
    const bool first = zeros ? ((u >> 31) > (v >> 31)) == smaller : less == smaller;
    const bool no_a = a != a, no_b = b != b;
    const uint32_t some = no_a && no_b ? NAN_32 : no_a ? v : no_b ? u : first ? u : v;
    return propagates && (no_a || no_b) ? NAN_32 : some;
}

/* Operands d, a, b, p: the smaller number where p is true, else the larger. Bits of numbers are in the order of
 * numbers, -0 below 0, once those of negative ones are turned around. */
static void fmnmx_plain(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *x = ROW(1), *y = ROW(2);
    const uint32_t kx = KEEP(1), ky = KEEP(2), fx = FLIP(1), fy = FLIP(2);
    const uint32_t larger = ~predicate(warp, &code->operands[3]);
    uint32_t result[LANES] __attribute__((aligned(64)));
    EACH_LANE
    {
        const uint32_t u = (x[l] & kx) ^ fx, v = (y[l] & ky) ^ fy, turn = IN(larger);
        const int32_t a = (int32_t)(u ^ (u >> 31 ? 0x7fffffffu : 0) ^ turn);
        const int32_t b = (int32_t)(v ^ (v >> 31 ? 0x7fffffffu : 0) ^ turn);
        const bool no_u = (u & 0x7fffffffu) > 0x7f800000u, no_v = (v & 0x7fffffffu) > 0x7f800000u;
        const uint32_t some = a < b ? u : v, number = no_v ? u : some;
        result[l] = no_u ? (no_v ? NAN_32 : v) : number;
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* The same with flushing, NaNs that win, or the sign of both. */
static void fmnmx(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *x = ROW(1), *y = ROW(2);
    const uint32_t kx = KEEP(1), ky = KEEP(2), fx = FLIP(1), fy = FLIP(2);
    const uint32_t smaller = predicate(warp, &code->operands[3]);
    const bool ftz = IS(FTZ), propagates = code->flags[PROPAGATES], xorsign = code->flags[TAKES_SIGN];
    uint32_t result[LANES];
    EACH_LANE
    {
        uint32_t u = (x[l] & kx) ^ fx, v = (y[l] & ky) ^ fy;
        u = ftz ? flush(u) : u;
        v = ftz ? flush(v) : v;
        const uint32_t some = chosen_of(u, v, smaller >> l & 1, propagates);
        const bool number = to_float(some) == to_float(some) || !propagates;
        result[l] = xorsign && number ? (some & 0x7fffffffu) | ((x[l] ^ y[l]) & 0x80000000u) : some;
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* Operands d, a, b, c, p: one of three. */
static void fmnmx3(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *x = ROW(1), *y = ROW(2), *z = ROW(3);
    const uint32_t kx = KEEP(1), ky = KEEP(2), kz = KEEP(3), fx = FLIP(1), fy = FLIP(2), fz = FLIP(3);
    const uint32_t smaller = predicate(warp, &code->operands[4]);
    const bool ftz = IS(FTZ), propagates = code->flags[PROPAGATES];
    uint32_t result[LANES];
    EACH_LANE
    {
        uint32_t u = (x[l] & kx) ^ fx, v = (y[l] & ky) ^ fy, w = (z[l] & kz) ^ fz;
        u = ftz ? flush(u) : u;
        v = ftz ? flush(v) : v;
        w = ftz ? flush(w) : w;
        const bool least = smaller >> l & 1;
        result[l] = chosen_of(chosen_of(u, v, least, propagates), w, least, propagates);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

static bool prepare_fmnmx(struct instruction *code)
{
    code->flags[PROPAGATES] = has_modifier(code, "NAN");
    code->flags[TAKES_SIGN] = has_modifier(code, "XORSIGN");
    if (!IS(FTZ) && !code->flags[PROPAGATES] && !code->flags[TAKES_SIGN] && code->run == fmnmx)
        code->run = fmnmx_plain;
    return true;
}

/* Operands p, a, b: says whether a / b takes the slow way. It does where b, its reciprocal, the quotient or the
 * remainder may leave the range of normal numbers. The rule was found on an H200, for all pairs of exponents, by how
 * long a division takes. */
static void fchk(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *x = ROW(1), *y = ROW(2);
    uint32_t slow;
    int a[LANES], b[LANES];
    EACH_LANE a[l] = (int)(x[l] >> 23 & 0xff);
    EACH_LANE b[l] = (int)(y[l] >> 23 & 0xff);
    MASK_OF(slow, b[l] < 2 || b[l] > 251 || a[l] < 25 || a[l] > 254 || a[l] - b[l] > 126 || a[l] - b[l] < -124);
    predicate_set(warp, &code->operands[0], lanes, slow);
}

/* clang-format off */
#define COMPARED COMPARISONS " " COMBINATIONS
const struct opcode TABLE(lanes_float)[] = {
    {"FADD",   fadd_shaped, TRAIT_FP32 | RULE_SAME,                  prepare_fadd,    "d",  "FTZ SAT RZ RM RP"},
    {"FMUL",   fmul_shaped, TRAIT_FP32 | RULE_SAME,                  prepare_fmul,    "d",  "FTZ SAT RZ RM RP M2 M4 M8 D2 D4 D8"},
    {"FFMA",   ffma_shaped, TRAIT_FP32 | TRAIT_FUSED | RULE_SAME,    prepare_ffma,    "d",  "FTZ SAT RZ RM RP"},
    {"FSETP",  fsetp,    RULE_SAME,                               prepare_compare, "pp", COMPARED " FTZ"},
    {"FSET",   fset,     RULE_SAME,                               prepare_compare, "d",  COMPARED " FTZ BF"},
    {"FSEL",   fsel,     RULE_SAME,                               NULL,            "d",  "FTZ"},
    {"FMNMX",  fmnmx,    RULE_SAME,                               prepare_fmnmx,   "d",  "FTZ NAN XORSIGN"},
    {"FMNMX3", fmnmx3,   RULE_SAME,                               prepare_fmnmx,   "d",  "FTZ NAN"},
    {"FCHK",   fchk,     RULE_SAME,                               NULL,            "p",  ""},
    {"DADD",   dadd,     TRAIT_FP64 | RULE_SAME_64,               prepare_dadd,    "d",  "RZ RM RP"},
    {"DMUL",   dmul,     TRAIT_FP64 | RULE_SAME_64,               prepare_dmul,    "d",  "RZ RM RP"},
    {"DFMA",   dfma,     TRAIT_FP64 | TRAIT_FUSED | RULE_SAME_64, prepare_dfma,    "d",  "RZ RM RP"},
    {"DSETP",  dsetp,    RULE_PAIRS,                              prepare_dsetp,   "pp", COMPARED " MIN MAX"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
