/* Comparisons of integers; minimum and maximum, differences, and saturation. */
#include "comparisons.h"
#include "lanes_integer.h"

enum comparison { COMPARE_F, COMPARE_LT, COMPARE_EQ, COMPARE_LE, COMPARE_GT, COMPARE_NE, COMPARE_GE, COMPARE_T };
/* Operands p0, p1, a, b, q [, result of the lower words]: p1 gets the opposite comparison. */
static bool prepare_isetp(struct instruction *code)
{
    const bool found = prepare_compare(code);
    code->flags[FLAG_COMPARE] &= COMPARE_T; /* no integer is NaN */
    code->flags[FLAG_SIGNED] = !IS(U32);
    code->flags[FLAG_LOW] = has_modifier(code, "EX");
    return found && code->operand_count == 5u + code->flags[FLAG_LOW];
}

static uint32_t compare_words(const struct instruction *code, const uint32_t *a, const uint32_t *b, uint32_t fa,
                              uint32_t fb)
{
    /* When their sign is flipped, signed numbers are in the order of unsigned ones. */
    const uint32_t flip = code->flags[FLAG_SIGNED] ? 0x80000000u : 0;
    const uint32_t ia = CARRY(2), ib = CARRY(3);
    uint32_t less, equal;
    switch (code->flags[FLAG_COMPARE]) {
    case COMPARE_F:
        return 0;
    case COMPARE_T:
        return ALL_LANES;
    case COMPARE_EQ:
        MASK_OF(equal, (a[l] ^ fa) + ia == (b[l] ^ fb) + ib);
        return equal;
    case COMPARE_NE:
        MASK_OF(equal, (a[l] ^ fa) + ia == (b[l] ^ fb) + ib);
        return ~equal;
    case COMPARE_LT:
    case COMPARE_GE:
        MASK_OF(less, (((a[l] ^ fa) + ia) ^ flip) < (((b[l] ^ fb) + ib) ^ flip));
        return code->flags[FLAG_COMPARE] == COMPARE_LT ? less : ~less;
    default:
        MASK_OF(less, (((b[l] ^ fb) + ib) ^ flip) < (((a[l] ^ fa) + ia) ^ flip));
        return code->flags[FLAG_COMPARE] == COMPARE_GT ? less : ~less;
    }
}

static void isetp(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3);
    const uint32_t fa = INVERT(2), fb = INVERT(3);
    uint32_t result = compare_words(code, a, b, fa, fb);
    if (code->flags[FLAG_LOW]) {
        /* In 64 bits the upper words decide, unless they are equal. */
        const uint32_t low = predicate(warp, &code->operands[5]);
        const unsigned how = code->flags[FLAG_COMPARE];
        uint32_t equal;
        MASK_OF(equal, (a[l] ^ fa) + CARRY(2) == (b[l] ^ fb) + CARRY(3));
        if (how == COMPARE_EQ)
            result = equal & low;
        else if (how == COMPARE_NE)
            result = ~equal | low;
        else if (how != COMPARE_F && how != COMPARE_T)
            result = (result & ~equal) | (equal & low);
    }
    compared(warp, code, lanes, result);
}

/* Whether a is the lesser of two numbers of 64 bits. */
static inline bool is_less(uint64_t a, uint64_t b, uint64_t flip)
{
    return (a ^ flip) < (b ^ flip);
}

static void isetp_64(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint64_t flip = code->flags[FLAG_SIGNED] ? UINT64_C(1) << 63 : 0;
    const unsigned how = code->flags[FLAG_COMPARE];
    uint32_t less, greater;
    MASK_OF(less, is_less(PAIR(2, l), PAIR(3, l), flip));
    MASK_OF(greater, is_less(PAIR(3, l), PAIR(2, l), flip));
    /* Bits of the comparison's number: less, equal, greater. */
    compared(warp, code, lanes, (how & 1 ? less : 0) | (how & 2 ? ~less & ~greater : 0) | (how & 4 ? greater : 0));
}

static bool prepare_isetp_any(struct instruction *code)
{
    if (!IS(S64) && !has_modifier(code, "U64"))
        return prepare_isetp(code);
    const bool good = prepare_isetp(code) && !code->flags[FLAG_LOW] && prepare_pairs(code, 2, 3);
    code->flags[FLAG_SIGNED] = IS(S64);
    code->run = isetp_64;
    return good && !code->operands[2].negate && !code->operands[3].negate;
}

/* Operands p, p, d, a, b, q, !PT: the smaller where q is true, else the larger. Other predicates were not seen. */
static void imnmx_64(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint64_t flip = IS(S64) ? UINT64_C(1) << 63 : 0;
    const uint32_t smaller = predicate(warp, &code->operands[5]);
    WRITE_WIDE(ROW(2), HIGH(2), lanes,
               is_less(PAIR(3, l), PAIR(4, l), flip) == (smaller >> l & 1) ? PAIR(3, l) : PAIR(4, l));
}

static bool prepare_imnmx_64(struct instruction *code)
{
    const struct operand *o = code->operands;
    return code->operand_count == 7 && is_sink(&o[0]) && is_sink(&o[1]) && prepare_pairs(code, 3, 4) && !o[3].negate &&
           !o[4].negate && o[5].kind == OPERAND_PREDICATE && o[6].kind == OPERAND_PREDICATE && o[6].invert &&
           o[6].index == MASK_TRUE;
}

/* Flags of minimum and maximum. Halves of a word are compared one by one. The smaller is taken where p is true. */
static inline uint32_t choose(uint32_t x, uint32_t y, uint32_t flip, bool smaller)
{
    return ((x ^ flip) < (y ^ flip)) == smaller ? x : y;
}

static inline uint32_t choose_halves(uint32_t x, uint32_t y, uint32_t flip, bool smaller)
{
    return choose(x & 0xffff, y & 0xffff, flip, smaller) | choose(x >> 16, y >> 16, flip, smaller) << 16;
}

static inline uint32_t clamp_halves(uint32_t x)
{
    return (x & 0x8000 ? 0 : x & 0xffff) | (x & 0x80000000u ? 0 : x & 0xffff0000u);
}

static inline uint32_t add_halves(uint32_t x, uint32_t y)
{
    return ((x + y) & 0xffffu) | ((x & 0xffff0000u) + (y & 0xffff0000u));
}

static bool prepare_minimum(struct instruction *code)
{
    without_true(code);
    const bool bytes = has_modifier(code, "U8x4");
    code->flags[FLAG_HALVES] = has_modifier(code, "S16x2") || has_modifier(code, "U16x2");
    code->flags[FLAG_SIGNED] = !IS(U32) && !has_modifier(code, "U16x2");
    code->flags[FLAG_RELU] = IS(RELU);
    for (unsigned i = 1; i < code->operand_count && (bytes || code->flags[FLAG_HALVES]); i++)
        if (code->operands[i].kind == OPERAND_ROW && code->operands[i].negate)
            return false;
    for (unsigned i = 1; i + 1 < code->operand_count; i++)
        if (code->operands[i].kind != OPERAND_ROW)
            return false;
    return code->operands[code->operand_count - 1].kind == OPERAND_PREDICATE;
}

/* Chooses one of two numbers, words or halves. */
#define MINIMUM(first, second, predicate_at)                                                                           \
    do {                                                                                                               \
        const uint32_t smaller = predicate(warp, &code->operands[predicate_at]);                                       \
        const bool relu = code->flags[FLAG_RELU], is_signed = code->flags[FLAG_SIGNED];                                \
        uint32_t result[LANES];                                                                                        \
        if (code->flags[FLAG_HALVES]) {                                                                                \
            const uint32_t flip = is_signed ? 0x8000u : 0;                                                             \
            EACH_LANE                                                                                                  \
            {                                                                                                          \
                const uint32_t chosen = choose_halves(first, second, flip, smaller >> l & 1);                          \
                result[l] = relu ? clamp_halves(chosen) : chosen;                                                      \
            }                                                                                                          \
        } else {                                                                                                       \
            const uint32_t flip = is_signed ? 0x80000000u : 0;                                                         \
            EACH_LANE                                                                                                  \
            {                                                                                                          \
                const uint32_t chosen = choose(first, second, flip, smaller >> l & 1);                                 \
                result[l] = relu && (int32_t)chosen < 0 ? 0 : chosen;                                                  \
            }                                                                                                          \
        }                                                                                                              \
        WRITE_LANES(ROW(0), lanes, result[l]);                                                                         \
    } while (0)

/* Operands d, a, b, p. */
static void imnmx(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2);
    const uint32_t ia = INVERT(1), ib = INVERT(2), ca = CARRY(1), cb = CARRY(2);
    MINIMUM((a[l] ^ ia) + ca, (b[l] ^ ib) + cb, 3);
}

/* The same of four bytes. */
static void vimnmx_8x4(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), smaller = predicate(warp, &code->operands[3]);
    uint32_t result[LANES] = {0};
    for (unsigned bits = 0; bits < 32; bits += 8)
        EACH_LANE result[l] |= choose(a[l] >> bits & 0xff, b[l] >> bits & 0xff, 0, smaller >> l & 1) << bits;
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* Operands d, a, b, c, p: chooses from a + b and c. */
static void viaddmnmx(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), *c = ROW(3);
    const uint32_t ia = INVERT(1), ib = INVERT(2), ic = INVERT(3), ca = CARRY(1) + CARRY(2), cc = CARRY(3);
    uint32_t sum[LANES];
    if (code->flags[FLAG_HALVES])
        EACH_LANE sum[l] = add_halves(a[l], b[l]);
    else
        EACH_LANE sum[l] = (a[l] ^ ia) + (b[l] ^ ib) + ca;
    MINIMUM(sum[l], (c[l] ^ ic) + cc, 4);
}

/* Operands d, a, b, c, p: chooses one of three. */
static void vimnmx3(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), *c = ROW(3);
    const uint32_t ia = INVERT(1), ib = INVERT(2), ic = INVERT(3), ca = CARRY(1), cb = CARRY(2), cc = CARRY(3);
    const uint32_t sign = !code->flags[FLAG_SIGNED] ? 0 : code->flags[FLAG_HALVES] ? 0x8000u : 0x80000000u;
    const uint32_t least = predicate(warp, &code->operands[4]);
    uint32_t both[LANES];
    if (code->flags[FLAG_HALVES])
        EACH_LANE both[l] = choose_halves(a[l], b[l], sign, least >> l & 1);
    else
        EACH_LANE both[l] = choose((a[l] ^ ia) + ca, (b[l] ^ ib) + cb, sign, least >> l & 1);
    MINIMUM(both[l], (c[l] ^ ic) + cc, 4);
}

/* Operands d, a, b, c: |a - b| + c. */
static void vabsdiff(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), *c = ROW(3);
    const uint32_t flip = IS(U32) ? 0 : 0x80000000u;
    WRITE_LANES(ROW(0), lanes, ((a[l] ^ flip) < (b[l] ^ flip) ? b[l] - a[l] : a[l] - b[l]) + c[l]);
}

/* Does the same with four bytes. With .ACC, the four results are added up. */
static void vabsdiff4(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), *c = ROW(3);
    const bool sum = IS(ACC), is_signed = IS(S8);
    uint32_t result[LANES];
    for (int l = 0; l < LANES; l++) {
        uint32_t word = 0, total = c[l];
        for (int k = 0; k < 4; k++) {
            const int x = (int)byte_of(a[l], k, is_signed), y = (int)byte_of(b[l], k, is_signed);
            const uint32_t apart = (uint32_t)(x < y ? y - x : x - y);
            word |= (apart & 0xff) << (8 * k);
            total += apart;
        }
        result[l] = sum ? total : word + c[l];
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* clang-format off */
const struct opcode TABLE(lanes_compare)[] = {
    {"ISETP",       isetp,      RULE_COMPARE, prepare_isetp_any, "pp",  "F LT EQ LE GT NE GE T U32 U64 S64 AND OR XOR EX"},
    {"IMNMX",       imnmx,      RULE_MINIMUM, prepare_minimum,   "d",   "U32"},
    {"IMNMX.U64",   imnmx_64,   CONTROL_NEXT, prepare_imnmx_64,  "ppd", ""},
    {"IMNMX.S64",   imnmx_64,   CONTROL_NEXT, prepare_imnmx_64,  "ppd", ""},
    {"VIMNMX",      imnmx,      RULE_MINIMUM, prepare_minimum,   "d",   "U32 S32 RELU S16x2 U16x2"},
    {"VIMNMX.U8x4", vimnmx_8x4, RULE_SAME,    prepare_minimum,   "d",   ""},
    {"VIMNMX3",     vimnmx3,    RULE_SAME,    prepare_minimum,   "d",   "U32 RELU S16x2 U16x2"},
    {"VIADDMNMX",   viaddmnmx,  RULE_SAME,    prepare_minimum,   "d",   "U32 RELU S16x2 U16x2"},
    {"VABSDIFF",    vabsdiff,   RULE_SAME,    prepare_plain,     "d",   "U32"},
    {"VABSDIFF4",   vabsdiff4,  RULE_SAME,    prepare_plain,     "d",   "U8 S8 ACC"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
