/* Sums and products of integers. Where semantics are easy to get wrong, a comment says what they are. */
#include "lanes_integer.h"

/* ---- Sums ---- */

/* Operands d, carry 1, carry 2, a, b, c [, carry in 1, carry in 2]: adds three numbers. A negated operand adds ~x + 1
 * in the wider sum. */
static void iadd3(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(3), *b = ROW(4), *c = ROW(5);
    const uint32_t ia = INVERT(3), ib = INVERT(4), ic = INVERT(5);
    const uint32_t add = CARRY(3) + CARRY(4) + CARRY(5);
    WRITE_LANES(ROW(0), lanes, (a[l] ^ ia) + (b[l] ^ ib) + (c[l] ^ ic) + add);
}

static void iadd3_carry(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(3), *b = ROW(4), *c = ROW(5);
    const uint32_t ia = INVERT(3), ib = INVERT(4), ic = INVERT(5);
    const uint64_t add = (uint64_t)CARRY(3) + CARRY(4) + CARRY(5);
    const bool extended = code->flags[FLAG_EXTENDED];
    const uint32_t in1 = extended && code->operand_count > 6 ? predicate(warp, &code->operands[6]) : 0;
    const uint32_t in2 = extended && code->operand_count > 7 ? predicate(warp, &code->operands[7]) : 0;
    uint32_t low[LANES], high[LANES], once, twice;
    EACH_LANE
    {
        const uint64_t sum = (uint64_t)(a[l] ^ ia) + (b[l] ^ ib) + (c[l] ^ ic) + add + (in1 >> l & 1) + (in2 >> l & 1);
        low[l] = (uint32_t)sum;
        high[l] = (uint32_t)(sum >> 32);
    }
    WRITE_LANES(ROW(0), lanes, low[l]);
    MASK_OF(once, high[l] >= 1);
    MASK_OF(twice, high[l] >= 2);
    predicate_set(warp, &code->operands[1], lanes, once);
    predicate_set(warp, &code->operands[2], lanes, twice);
}

static bool prepare_iadd3(struct instruction *code)
{
    prepare_extended(code);
    if (!code->flags[FLAG_EXTENDED] && is_sink(&code->operands[1]) && is_sink(&code->operands[2]))
        code->run = iadd3;
    return true;
}

static void viadd(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2);
    const uint32_t ia = INVERT(1), ib = INVERT(2), add = CARRY(1) + CARRY(2);
    WRITE_LANES(ROW(0), lanes, (a[l] ^ ia) + (b[l] ^ ib) + add);
}

static void viadd_16x2(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2);
    const uint32_t ia = INVERT(1), ib = INVERT(2), add = CARRY(1) + CARRY(2);
    WRITE_LANES(ROW(0), lanes,
                (((a[l] ^ ia) + (b[l] ^ ib) + add) & 0xffffu) |
                    (((a[l] ^ ia) & 0xffff0000u) + ((b[l] ^ ib) & 0xffff0000u) + (add << 16)));
}

static void viadd_8x4(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2);
    const uint32_t ia = INVERT(1), ib = INVERT(2), add = (CARRY(1) + CARRY(2)) * 0x010001;
    WRITE_LANES(ROW(0), lanes,
                ((((a[l] ^ ia) & 0xff00ff) + ((b[l] ^ ib) & 0xff00ff) + add) & 0xff00ff) |
                    ((((a[l] ^ ia) >> 8 & 0xff00ff) + ((b[l] ^ ib) >> 8 & 0xff00ff) + add) & 0xff00ff) << 8);
}

/* The exact sum, or what is nearest to it. */
static void viadd_saturated(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2);
    const int64_t sa = CARRY(1) ? -1 : 1, sb = CARRY(2) ? -1 : 1;
    uint32_t result[LANES];
    EACH_LANE
    {
        const int64_t sum = sa * (int32_t)a[l] + sb * (int32_t)b[l];
        result[l] = (uint32_t)(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* ---- Products: d, carry, a, b, c [, carry in]. Of a product the sign is that of both operands. ---- */

#define PRODUCT_SIGN (code->operands[2].negate != code->operands[3].negate ? ALL_LANES : 0)

static void imad(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4);
    const uint32_t sign = PRODUCT_SIGN, ic = INVERT(4), add = CARRY(4) + (sign & 1);
    WRITE_LANES(ROW(0), lanes, ((a[l] * b[l]) ^ sign) + (c[l] ^ ic) + add);
}

static void imad_plain(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4);
    WRITE_LANES(ROW(0), lanes, a[l] * b[l] + c[l]);
}

static void imad_move(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *c = ROW(4);
    WRITE_LANES(ROW(0), lanes, c[l]);
}

static void imad_x(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4);
    const uint32_t ic = INVERT(4);
    const uint32_t in = code->operand_count > 5 ? predicate(warp, &code->operands[5]) : 0;
    uint32_t carry;
    if (!is_sink(&code->operands[1])) {
        MASK_OF(carry, ((uint64_t)(a[l] * b[l]) + (c[l] ^ ic) + (in >> l & 1)) >> 32);
        WRITE_LANES(ROW(0), lanes, a[l] * b[l] + (c[l] ^ ic) + (in >> l & 1));
        predicate_set(warp, &code->operands[1], lanes, carry);
    } else {
        WRITE_LANES(ROW(0), lanes, a[l] * b[l] + (c[l] ^ ic) + (in >> l & 1));
    }
}

static bool is_zero_row(const struct operand *operand)
{
    return operand->kind == OPERAND_ROW && operand->space == SPACE_WARP &&
           (operand->row == ROW_ZERO * ROW_BYTES || operand->row == ROW_UNIFORM_ZERO * ROW_BYTES);
}

/* Checks the factors. With a carry in, a minus of a product might mean its ~, but no code was seen to do that. */
static bool prepare_factors(struct instruction *code)
{
    prepare_extended(code);
    return !code->operands[2].invert && !code->operands[3].invert;
}

static bool prepare_imad(struct instruction *code)
{
    if (!prepare_factors(code))
        return false;
    if (code->flags[FLAG_EXTENDED]) {
        code->run = imad_x;
        return true;
    }
    if (!is_sink(&code->operands[1]))
        return false;
    const bool plain = !code->operands[2].negate && !code->operands[3].negate && !code->operands[4].negate &&
                       !code->operands[4].invert;
    code->run = !plain ? imad : is_zero_row(&code->operands[2]) ? imad_move : imad_plain;
    return true;
}

static inline uint64_t product(uint32_t a, uint32_t b, bool is_signed)
{
    return is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

static bool prepare_wide(struct instruction *code)
{
    code->flags[FLAG_SIGNED] = !IS(U32);
    return prepare_factors(code) && !code->operands[4].absolute && !code->operands[4].immediate &&
           code->operand_count == 5u + code->flags[FLAG_EXTENDED];
}

static void imad_wide_signed(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4), *h = HIGH(4);
    WRITE_WIDE(ROW(0), HIGH(0), lanes, product(a[l], b[l], true) + wide(c[l], h[l]));
}

static void imad_wide_unsigned(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4), *h = HIGH(4);
    WRITE_WIDE(ROW(0), HIGH(0), lanes, (uint64_t)a[l] * b[l] + wide(c[l], h[l]));
}

/* Multiplies and adds with carries or signs. A minus sign adds ~x + 1 in the wider sum. */
static void imad_wide(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4), *h = HIGH(4);
    const bool is_signed = code->flags[FLAG_SIGNED];
    const uint64_t sign = PRODUCT_SIGN ? UINT64_MAX : 0, ic = INVERT(4) ? UINT64_MAX : 0;
    const uint64_t add = CARRY(4) + (sign & 1);
    const uint32_t in = code->flags[FLAG_EXTENDED] ? predicate(warp, &code->operands[5]) : 0;
    uint32_t low[LANES], high[LANES], carry;
    uint32_t carries[LANES];
    EACH_LANE
    {
        const uint64_t p = product(a[l], b[l], is_signed) ^ sign;
        const uint64_t sum = p + (wide(c[l], h[l]) ^ ic), whole = sum + add + (in >> l & 1);
        low[l] = (uint32_t)whole;
        high[l] = (uint32_t)(whole >> 32);
        carries[l] = sum < p || whole < sum;
    }
    MASK_OF(carry, carries[l]);
    WRITE_LANES(ROW(0), lanes, low[l]);
    WRITE_LANES(HIGH(0), lanes, high[l]);
    predicate_set(warp, &code->operands[1], lanes, carry);
}

/* Operands d, a, b, c, pairs of registers: adds three numbers of 64 bits. */
static void iadd3_64(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t add = CARRY(1) + CARRY(2) + CARRY(3);
    WRITE_WIDE(ROW(0), HIGH(0), lanes, PAIR(1, l) + PAIR(2, l) + PAIR(3, l) + add);
}

static bool prepare_iadd3_64(struct instruction *code)
{
    without_true(code);
    return code->operand_count == 4 && prepare_pairs(code, 1, 3);
}

/* Operands d, carry, a, b [, carry in]: adds two numbers of 64 bits. A minus sign adds ~x + 1 in the wider sum. */
static void iadd_64(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t add = CARRY(2) + CARRY(3);
    const uint32_t in = code->flags[FLAG_EXTENDED] ? predicate(warp, &code->operands[4]) : 0;
    uint64_t sums[LANES];
    uint32_t carries[LANES], carry;
    EACH_LANE
    {
        const uint64_t a = PAIR(2, l), sum = a + PAIR(3, l), whole = sum + add + (in >> l & 1);
        sums[l] = whole;
        carries[l] = sum < a || whole < sum;
    }
    MASK_OF(carry, carries[l]);
    WRITE_WIDE(ROW(0), HIGH(0), lanes, sums[l]);
    predicate_set(warp, &code->operands[1], lanes, carry);
}

PREPARE(iadd_64,
        prepare_extended(code) && prepare_pairs(code, 2, 3) && code->operand_count == 4u + code->flags[FLAG_EXTENDED])

static bool prepare_imad_wide(struct instruction *code)
{
    if (!prepare_wide(code))
        return false;
    const struct operand *o = code->operands;
    if (!code->flags[FLAG_EXTENDED] && is_sink(&o[1]) && !o[2].negate && !o[3].negate && !o[4].negate && !o[4].invert)
        code->run = code->flags[FLAG_SIGNED] ? imad_wide_signed : imad_wide_unsigned;
    return true;
}

/* Multiplies, adds a pair of registers, and keeps the upper word. */
static void imad_hi(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4), *h = HIGH(4);
    const uint64_t sign = PRODUCT_SIGN ? UINT64_MAX : 0;
    const uint64_t ic = INVERT(4) ? UINT64_MAX : 0, add = CARRY(4);
    const uint32_t in = code->flags[FLAG_EXTENDED] ? predicate(warp, &code->operands[5]) : 0;
    const bool is_signed = code->flags[FLAG_SIGNED];
    WRITE_LANES(ROW(0), lanes,
                (uint32_t)((((product(a[l], b[l], is_signed) ^ sign) + (sign & 1)) + (wide(c[l], h[l]) ^ ic) + add +
                            (in >> l & 1)) >>
                           32));
}

/* Does the same, and sets the carry of the whole sum. */
static void imad_hi_carry(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct instruction whole = *code;
    /* The lower word goes to a row that nobody reads. */
    whole.operands[0].row = ROW_SINK * ROW_BYTES;
    whole.operands[0].high = code->operands[0].row;
    imad_wide(warp, &whole, lanes);
}

static bool prepare_imad_hi(struct instruction *code)
{
    if (!prepare_wide(code))
        return false;
    code->run = is_sink(&code->operands[1]) ? imad_hi : imad_hi_carry;
    return true;
}

/* Operands d, a, b, c: adds products of bytes, or of halves and bytes, to c. */
enum { DOT_A_SIGNED = 0, DOT_B_SIGNED = 1, DOT_HIGH = 2 };

static bool prepare_dot(struct instruction *code)
{
    const unsigned count = code->modifier_count;
    if (count < 3 || code->operands[1].negate || code->operands[2].negate)
        return false;
    code->flags[DOT_A_SIGNED] = code->modifiers[count - 2][0] == 'S';
    code->flags[DOT_B_SIGNED] = code->modifiers[count - 1][0] == 'S';
    code->flags[DOT_HIGH] = has_modifier(code, "HI");
    return true;
}

static void idp_4a(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), *c = ROW(3);
    const bool sa = code->flags[DOT_A_SIGNED], sb = code->flags[DOT_B_SIGNED];
    const uint32_t ic = INVERT(3), add = CARRY(3);
    WRITE_LANES(ROW(0), lanes,
                (c[l] ^ ic) + add + byte_of(a[l], 0, sa) * byte_of(b[l], 0, sb) +
                    byte_of(a[l], 1, sa) * byte_of(b[l], 1, sb) + byte_of(a[l], 2, sa) * byte_of(b[l], 2, sb) +
                    byte_of(a[l], 3, sa) * byte_of(b[l], 3, sb));
}

static inline uint32_t half_of(uint32_t word, int n, bool is_signed)
{
    const uint32_t sign = is_signed ? 0x8000 : 0;
    return ((word >> (16 * n) & 0xffff) ^ sign) - sign;
}

static void idp_2a(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), *c = ROW(3);
    const bool sa = code->flags[DOT_A_SIGNED], sb = code->flags[DOT_B_SIGNED];
    const int first = code->flags[DOT_HIGH] ? 2 : 0;
    const uint32_t ic = INVERT(3), add = CARRY(3);
    WRITE_LANES(ROW(0), lanes,
                (c[l] ^ ic) + add + half_of(a[l], 0, sa) * byte_of(b[l], first, sb) +
                    half_of(a[l], 1, sa) * byte_of(b[l], first + 1, sb));
}

/* clang-format off */
const struct opcode TABLE(lanes_integer)[] = {
    {"IADD3",          iadd3_carry,     RULE_ADD_3,   prepare_iadd3,     "dpp", "X"},
    {"IADD3.64",       iadd3_64,        RULE_SAME_64, prepare_iadd3_64,  "d",   ""},
    {"IADD.64",        iadd_64,         RULE_SAME_64, prepare_iadd_64,   "dp",  "X"},
    {"VIADD",          viadd,           RULE_ADD,     NULL,              "d",   ""},
    {"VIADD.16x2",     viadd_16x2,      RULE_SAME,    NULL,              "d",   ""},
    {"VIADD.U8x4",     viadd_8x4,       RULE_SAME,    NULL,              "d",   ""},
    {"VIADD.S32.ISAT", viadd_saturated, RULE_SAME,    NULL,              "d",   ""},
    {"IMAD",           imad,            RULE_PRODUCT, prepare_imad,      "dp",  "U32 X MOV SHL IADD"},
    {"IMAD.WIDE",      imad_wide,       RULE_WIDE,    prepare_imad_wide, "dp",  "U32 X"},
    {"IMAD.HI",        imad_hi,         RULE_WIDE,    prepare_imad_hi,   "dp",  "U32 X"},
    {"IDP.4A",         idp_4a,          RULE_SAME,    prepare_dot,       "d",   "S8 U8"},
    {"IDP.2A",         idp_2a,          RULE_SAME,    prepare_dot,       "d",   "S16 U16 S8 U8 LO HI"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
