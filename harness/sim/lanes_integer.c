/* Operations on integers. Where semantics are easy to get wrong, a comment says what they are. */
#include "lanes.h"

/* ---- Sums ---- */

enum { FLAG_EXTENDED, FLAG_SIGNED, FLAG_HIGH, FLAG_LEFT, FLAG_WRAP, FLAG_WIDE };

static bool prepare_extended(struct instruction *code)
{
    code->flags[FLAG_EXTENDED] = IS(X);
    /* With a carry in, a minus sign inverts an operand: the carry is the 1 that completes it. */
    for (unsigned i = 0; i < code->operand_count && code->flags[FLAG_EXTENDED]; i++)
        if (code->operands[i].kind == OPERAND_ROW && code->operands[i].negate) {
            code->operands[i].negate = false;
            code->operands[i].invert = true;
        }
    return true;
}

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

static bool is_sink(const struct operand *operand)
{
    return operand->row == MASK_SINK * 4;
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

/* Operands d, a, b, c, pairs of registers: adds three numbers of 64 bits. An immediate has no more than 31 bits, so
 * that its upper word is 0 whatever its sign does. */
static void iadd3_64(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint64_t sum[LANES] = {0};
    for (unsigned n = 1; n <= 3; n++) {
        const uint32_t *low = ROW(n), *high = HIGH(n);
        const uint64_t sign = code->operands[n].negate ? UINT64_MAX : 0;
        EACH_LANE sum[l] += (wide(low[l], high[l]) ^ sign) + (sign & 1);
    }
    WRITE_WIDE(ROW(0), HIGH(0), lanes, sum[l]);
}

static bool prepare_iadd3_64(struct instruction *code)
{
    for (unsigned n = 0; n < code->operand_count; n++)
        if (code->operands[n].kind != OPERAND_ROW || code->operands[n].invert || code->operands[n].absolute ||
            (code->operands[n].immediate && (code->operands[n].value < 0 || code->operands[n].value > INT32_MAX)))
            return false;
    return code->operand_count == 4;
}

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

static inline uint32_t byte_of(uint32_t word, int n, bool is_signed)
{
    const uint32_t byte = word >> (8 * n) & 0xff;
    return is_signed ? (uint32_t)(int32_t)(int8_t)byte : byte;
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
    const uint32_t half = word >> (16 * n) & 0xffff;
    return is_signed ? (uint32_t)(int32_t)(int16_t)half : half;
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

/* ---- Shifts and addresses ---- */

/* Operands d, carry, a, b, shift: (a << shift) + b. A minus sign is applied after the shift, as ~x + 1 in the wider
 * sum. */
static void lea(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3);
    const uint32_t ia = INVERT(2), ib = INVERT(3), add = CARRY(2) + CARRY(3);
    const unsigned shift = (unsigned)code->operands[4].value & 31;
    const uint32_t in = code->flags[FLAG_EXTENDED] ? predicate(warp, &code->operands[5]) : 0;
    uint32_t carry;
    if (!is_sink(&code->operands[1])) {
        uint32_t high[LANES], low[LANES];
        EACH_LANE
        {
            const uint64_t sum = (uint64_t)((a[l] << shift) ^ ia) + (b[l] ^ ib) + add + (in >> l & 1);
            high[l] = (uint32_t)(sum >> 32);
            low[l] = (uint32_t)sum;
        }
        MASK_OF(carry, high[l]);
        WRITE_LANES(ROW(0), lanes, low[l]);
        predicate_set(warp, &code->operands[1], lanes, carry);
    } else {
        WRITE_LANES(ROW(0), lanes, ((a[l] << shift) ^ ia) + (b[l] ^ ib) + add + (in >> l & 1));
    }
}

static bool prepare_lea(struct instruction *code)
{
    prepare_extended(code);
    return code->operand_count >= 5u + code->flags[FLAG_EXTENDED] && code->operands[4].immediate;
}

/* Operands d, carry, a, b, c, shift [, carry in]: adds b and the upper word of (c:a << shift). With .SX32, c is the
 * sign of a and is left out by the text, so it is put in here. */
static bool prepare_lea_hi(struct instruction *code)
{
    prepare_extended(code);
    if (has_modifier(code, "SX32")) {
        code->flags[FLAG_SIGNED] = true;
        for (unsigned i = code->operand_count; i > 4; i--)
            code->operands[i] = code->operands[i - 1];
        code->operand_count++;
        code->operands[4] = code->operands[2];
    }
    return code->operand_count >= 6u + code->flags[FLAG_EXTENDED] && code->operands[5].immediate &&
           !code->operands[4].negate && !code->operands[4].invert;
}

static void lea_hi(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4);
    const uint32_t ia = INVERT(2), ca = CARRY(2), ib = INVERT(3), cb = CARRY(3);
    const unsigned shift = (unsigned)code->operands[5].value & 31;
    const bool is_signed = code->flags[FLAG_SIGNED];
    const uint32_t in = code->flags[FLAG_EXTENDED] ? predicate(warp, &code->operands[6]) : 0;
    uint32_t low[LANES], high[LANES], carry;
    EACH_LANE
    {
        const uint32_t upper = is_signed ? (uint32_t)((int32_t)a[l] >> 31) : c[l];
        const uint64_t moved = wide(a[l], upper) << shift;
        /* The 1 of ~x + 1 reaches the upper word only when the lower one is 0. */
        const uint32_t one = (uint32_t)moved == 0 ? ca : 0;
        const uint64_t sum = (uint64_t)((uint32_t)(moved >> 32) ^ ia) + (b[l] ^ ib) + one + cb + (in >> l & 1);
        low[l] = (uint32_t)sum;
        high[l] = (uint32_t)(sum >> 32);
    }
    MASK_OF(carry, high[l]);
    WRITE_LANES(ROW(0), lanes, low[l]);
    predicate_set(warp, &code->operands[1], lanes, carry);
}

/* Operands d, low, shift, high: the lower or upper word of high:low, shifted. Without .W, a shift beyond the width
 * gives 0 (or the sign). */
static bool prepare_shf(struct instruction *code)
{
    code->flags[FLAG_LEFT] = has_modifier(code, "L");
    code->flags[FLAG_HIGH] = has_modifier(code, "HI");
    code->flags[FLAG_WRAP] = IS(W);
    code->flags[FLAG_SIGNED] = has_modifier(code, "S32") || has_modifier(code, "S64");
    code->flags[FLAG_WIDE] = has_modifier(code, "U64") || has_modifier(code, "S64");
    return true;
}

static inline uint32_t shift_amount(uint32_t shift, const struct instruction *code)
{
    const uint32_t width = code->flags[FLAG_WIDE] ? 64 : 32;
    return code->flags[FLAG_WRAP] ? shift & (width - 1) : shift < width ? shift : width;
}

/* The word is shifted twice, since C cannot shift by 64. */
static void shf_left(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *low = ROW(1), *shift = ROW(2), *high = ROW(3);
    const bool upper = code->flags[FLAG_HIGH];
    uint32_t result[LANES];
    EACH_LANE
    {
        const uint32_t s = shift_amount(shift[l], code);
        const uint64_t moved = wide(low[l], high[l]) << (s >> 1) << (s - (s >> 1));
        result[l] = (uint32_t)(upper ? moved >> 32 : moved);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

static void shf_right(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *low = ROW(1), *shift = ROW(2), *high = ROW(3);
    const bool upper = code->flags[FLAG_HIGH];
    uint32_t result[LANES];
    if (code->flags[FLAG_SIGNED])
        EACH_LANE
        {
            const uint32_t s = shift_amount(shift[l], code);
            const int64_t moved = (int64_t)wide(low[l], high[l]) >> (s >> 1) >> (s - (s >> 1));
            result[l] = (uint32_t)(upper ? moved >> 32 : moved);
        }
    else
        EACH_LANE
        {
            const uint32_t s = shift_amount(shift[l], code);
            const uint64_t moved = wide(low[l], high[l]) >> (s >> 1) >> (s - (s >> 1));
            result[l] = (uint32_t)(upper ? moved >> 32 : moved);
        }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* Shifts a word by a constant below 32, which is what most code does. */
static void shl(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1);
    const unsigned shift = (unsigned)code->operands[2].value;
    WRITE_LANES(ROW(0), lanes, a[l] << shift);
}

static void shr(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(3);
    const unsigned shift = (unsigned)code->operands[2].value;
    WRITE_LANES(ROW(0), lanes, a[l] >> shift);
}

static bool prepare_shift(struct instruction *code)
{
    prepare_shf(code);
    const struct operand *by = &code->operands[2];
    const bool short_by = by->immediate && by->value >= 0 && by->value < 32 && !code->flags[FLAG_WIDE];
    if (code->flags[FLAG_LEFT])
        code->run = short_by && !code->flags[FLAG_HIGH] ? shl : shf_left;
    else
        code->run = short_by && code->flags[FLAG_HIGH] && !code->flags[FLAG_SIGNED] ? shr : shf_right;
    return true;
}

/* Operands d, width, or d, start, width: sets that many ones. */
static void bmsk(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *start = ROW(1), *width = ROW(2);
    const bool wrap = IS(W);
    WRITE_LANES(ROW(0), lanes,
                (uint32_t)((((UINT64_C(1) << (wrap            ? width[l] & 31
                                              : width[l] < 32 ? width[l]
                                                              : 32)) -
                             1)
                            << (wrap            ? start[l] & 31
                                : start[l] < 32 ? start[l]
                                                : 32))));
}

/* Operands d, a, width: the lowest bits of a, with their sign unless .U32. */
static void sgxt(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *width = ROW(2);
    const bool is_unsigned = IS(U32), wrap = IS(W);
    uint32_t result[LANES];
    for (int l = 0; l < LANES; l++) {
        const uint32_t bits = wrap ? width[l] & 31 : width[l] < 32 ? width[l] : 32;
        const uint32_t gone = 32 - bits;
        result[l] = bits == 0 ? 0 : is_unsigned ? a[l] << gone >> gone : (uint32_t)((int32_t)(a[l] << gone) >> gone);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* ---- Logic ---- */

/* Applies a truth table, whose bit a*4 + b*2 + c is the result for a, b, c. */
static inline uint32_t truth(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    result |= table & 1 ? ~a & ~b & ~c : 0;
    result |= table & 2 ? ~a & ~b & c : 0;
    result |= table & 4 ? ~a & b & ~c : 0;
    result |= table & 8 ? ~a & b & c : 0;
    result |= table & 16 ? a & ~b & ~c : 0;
    result |= table & 32 ? a & ~b & c : 0;
    result |= table & 64 ? a & b & ~c : 0;
    result |= table & 128 ? a & b & c : 0;
    return result;
}

/* Operands p, d, a, b, c, table, q: p is true where the result is not 0, or where q is true (.PAND: and). */
static void lop3_predicate(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t some;
    const uint32_t *result = ROW(1);
    MASK_OF(some, result[l]);
    const uint32_t other = code->operand_count > 6 ? predicate(warp, &code->operands[6]) : 0;
    predicate_set(warp, &code->operands[0], lanes, IS(PAND) ? some & other : some | other);
}

#define LOP3(name, value)                                                                                              \
    static void name(struct warp *warp, const struct instruction *code, uint32_t lanes)                                \
    {                                                                                                                  \
        const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4);                                                          \
        (void)c;                                                                                                       \
        WRITE_LANES(ROW(1), lanes, value);                                                                             \
    }
LOP3(lop3_and, a[l] & b[l])
LOP3(lop3_or, a[l] | b[l])
LOP3(lop3_xor, a[l] ^ b[l])
LOP3(lop3_xor3, a[l] ^ b[l] ^ c[l])
LOP3(lop3_and_or, (a[l] & b[l]) | c[l])
LOP3(lop3_or3, a[l] | b[l] | c[l])

static void lop3_any(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4);
    const uint32_t ia = INVERT(2), ib = INVERT(3), ic = INVERT(4);
    const uint32_t table = (uint32_t)code->operands[5].value;
    WRITE_LANES(ROW(1), lanes, truth(table, a[l] ^ ia, b[l] ^ ib, c[l] ^ ic));
}

/* Computes a logical operation. The result goes to a row of its own when only the predicate is wanted. */
static void lop3(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    lop3_any(warp, code, lanes);
    lop3_predicate(warp, code, lanes);
}

static bool prepare_lop3(struct instruction *code)
{
    static const struct {
        int table;
        operation *run;
    } simple[] = {{0xc0, lop3_and},    {0xfc, lop3_or}, {0x3c, lop3_xor}, {0x96, lop3_xor3},
                  {0xea, lop3_and_or}, {0xf8, NULL},    {0xfe, lop3_or3}};
    if (code->operand_count < 6 || !code->operands[5].immediate)
        return false;
    if (!is_sink(&code->operands[0]))
        return true;
    code->run = lop3_any;
    const bool inverted = code->operands[2].invert || code->operands[3].invert || code->operands[4].invert;
    for (size_t i = 0; i < sizeof simple / sizeof simple[0] && !inverted; i++)
        if (simple[i].table == code->operands[5].value && simple[i].run)
            code->run = simple[i].run;
    return true;
}

/* Operands p0, p1, a, b, c, table of p0, table of p1. */
static void plop3(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *o = code->operands;
    const uint32_t a = predicate(warp, &o[2]), b = predicate(warp, &o[3]), c = predicate(warp, &o[4]);
    const uint32_t first = truth((uint32_t)o[5].value, a, b, c), second = truth((uint32_t)o[6].value, a, b, c);
    predicate_set(warp, &o[0], lanes, first);
    predicate_set(warp, &o[1], lanes, second);
}

static bool prepare_plop3(struct instruction *code)
{
    return code->operand_count == 7 && code->operands[5].immediate && code->operands[6].immediate;
}

/* Operands d, a, selector, b: chooses four bytes of b:a. Bit 3 of a byte's selector repeats that byte's sign. A mode
 * takes the four selectors from the lowest bits of the operand. */
static const struct {
    const char *name;
    uint32_t selectors[4];
} prmt_modes[] = {
    {"F4E", {0x3210, 0x4321, 0x5432, 0x6543}}, {"B4E", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"RC8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ECL", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ECR", {0x0000, 0x1110, 0x2210, 0x3210}}, {"RC16", {0x1010, 0x3232, 0x1010, 0x3232}},
};

static inline void permute(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *selectors)
{
    const uint32_t *a = ROW(1), *b = ROW(3);
    uint32_t result[LANES];
    EACH_LANE
    {
        const uint64_t bytes = wide(a[l], b[l]);
        uint32_t word = 0;
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t s = selectors[l] >> (4 * k);
            const uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 0xff;
            word |= (s & 8 ? (0u - (byte >> 7)) & 0xff : byte) << (8 * k);
        }
        result[l] = word;
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

static void prmt(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    permute(warp, code, lanes, ROW(2));
}

static void prmt_mode(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *selector = ROW(2);
    uint32_t selectors[LANES];
    EACH_LANE selectors[l] = prmt_modes[code->flags[0]].selectors[selector[l] & 3];
    permute(warp, code, lanes, selectors);
}

static bool prepare_plain(struct instruction *code)
{
    for (unsigned i = 1; i < code->operand_count; i++)
        if (code->operands[i].negate || code->operands[i].absolute)
            return false;
    return true;
}

static bool prepare_prmt(struct instruction *code)
{
    for (unsigned mode = 0; mode < sizeof prmt_modes / sizeof prmt_modes[0]; mode++)
        if (has_modifier(code, prmt_modes[mode].name)) {
            code->flags[0] = (unsigned char)mode;
            code->run = prmt_mode;
        }
    return prepare_plain(code);
}

static void mov(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1);
    const uint32_t ia = INVERT(1), add = CARRY(1);
    WRITE_LANES(ROW(0), lanes, (a[l] ^ ia) + add);
}

/* Operands d, a, b, p: a where p is true, else b. */
static void sel(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2);
    const uint32_t ia = INVERT(1), ib = INVERT(2), ca = CARRY(1), cb = CARRY(2);
    const uint32_t chosen = predicate(warp, &code->operands[3]);
    WRITE_LANES(ROW(0), lanes, chosen >> l & 1 ? (a[l] ^ ia) + ca : (b[l] ^ ib) + cb);
}

static void popc(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1);
    const uint32_t ia = INVERT(1);
    uint32_t result[LANES];
    EACH_LANE
    {
        uint32_t x = a[l] ^ ia;
        x -= x >> 1 & 0x55555555;
        x = (x & 0x33333333) + (x >> 2 & 0x33333333);
        x = (x + (x >> 4)) & 0x0f0f0f0f;
        result[l] = x * 0x01010101 >> 24;
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* Finds the highest bit that is set; of a signed number, the highest that differs from the sign. All ones if there is
 * none. With .SH the result is its distance from the top. */
static void flo(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1);
    const uint32_t ia = INVERT(1), ca = CARRY(1);
    const bool is_signed = !IS(U32), shift = IS(SH);
    uint32_t result[LANES];
    for (int l = 0; l < LANES; l++) {
        uint32_t x = (a[l] ^ ia) + ca;
        x = is_signed && x >> 31 ? ~x : x;
        result[l] = x == 0 ? ALL_LANES : shift ? (uint32_t)__builtin_clz(x) : 31 - (uint32_t)__builtin_clz(x);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

static void brev(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1);
    uint32_t result[LANES];
    EACH_LANE
    {
        uint32_t x = a[l];
        x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
        x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
        x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
        result[l] = __builtin_bswap32(x);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

static void iabs(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1);
    const uint32_t ia = INVERT(1), ca = CARRY(1);
    WRITE_LANES(ROW(0), lanes, (int32_t)((a[l] ^ ia) + ca) < 0 ? 0 - ((a[l] ^ ia) + ca) : (a[l] ^ ia) + ca);
}

/* ---- Comparisons ---- */

enum comparison { COMPARE_F, COMPARE_LT, COMPARE_EQ, COMPARE_LE, COMPARE_GT, COMPARE_NE, COMPARE_GE, COMPARE_T };
enum combination { COMBINE_AND, COMBINE_OR, COMBINE_XOR };
enum { FLAG_COMPARE = 0, FLAG_COMBINE = 2, FLAG_LOW = 3 };

/* Operands p0, p1, a, b, q [, result of the lower words]: p1 gets the opposite comparison. */
static bool prepare_isetp(struct instruction *code)
{
    static const char *const names[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
    unsigned found = sizeof names / sizeof names[0];
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (has_modifier(code, names[i]))
            found = i;
    code->flags[FLAG_COMPARE] = (unsigned char)found;
    code->flags[FLAG_SIGNED] = !IS(U32);
    code->flags[FLAG_COMBINE] = has_modifier(code, "OR")    ? COMBINE_OR
                                : has_modifier(code, "XOR") ? COMBINE_XOR
                                                            : COMBINE_AND;
    code->flags[FLAG_LOW] = has_modifier(code, "EX");
    return found < sizeof names / sizeof names[0] && code->operand_count == 5u + code->flags[FLAG_LOW];
}

static uint32_t compare(const struct instruction *code, const uint32_t *a, const uint32_t *b, uint32_t fa, uint32_t fb)
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

static uint32_t combine(unsigned how, uint32_t a, uint32_t b)
{
    return how == COMBINE_AND ? a & b : how == COMBINE_OR ? a | b : a ^ b;
}

static void isetp(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *o = code->operands;
    const uint32_t *a = ROW(2), *b = ROW(3);
    const uint32_t fa = INVERT(2), fb = INVERT(3);
    uint32_t result = compare(code, a, b, fa, fb);
    if (code->flags[FLAG_LOW]) {
        /* In 64 bits the upper words decide, unless they are equal. */
        const uint32_t low = predicate(warp, &o[5]);
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
    const uint32_t other = predicate(warp, &o[4]);
    const unsigned how = code->flags[FLAG_COMBINE];
    predicate_set(warp, &o[1], lanes, combine(how, ~result, other));
    predicate_set(warp, &o[0], lanes, combine(how, result, other));
}

/* Flags of minimum and maximum. Halves of a word are compared one by one. The smaller is taken where p is true. */
enum { FLAG_HALVES = 4, FLAG_RELU = 5 };

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
    code->flags[FLAG_HALVES] = has_modifier(code, "S16x2") || has_modifier(code, "U16x2");
    code->flags[FLAG_SIGNED] = !IS(U32) && !has_modifier(code, "U16x2");
    code->flags[FLAG_RELU] = IS(RELU);
    for (unsigned i = 1; i < code->operand_count && code->flags[FLAG_HALVES]; i++)
        if (code->operands[i].kind == OPERAND_ROW && code->operands[i].negate)
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

/* Operands d, PR, a, mask: replaces bits of a by the predicates that the mask chooses. PR is no operand here, because
 * nvdisasm prints it in place of the guard. */
static bool prepare_p2r(struct instruction *code)
{
    const struct operand *second = &code->operands[1];
    return code->operand_count == 3 && second->kind == OPERAND_ROW && prepare_plain(code);
}

static void p2r(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *chosen = ROW(2);
    const unsigned shift = code->operands[1].byte ? 8u * (code->operands[1].byte - 1u) : 0;
    const uint32_t *masks = warp->masks;
    uint32_t result[LANES];
    for (int l = 0; l < LANES; l++) {
        uint32_t bits = 0;
        for (int k = 0; k < 7; k++)
            bits |= (masks[k] >> l & 1) << k;
        const uint32_t mask = (chosen[l] & 0x7f) << shift;
        result[l] = (a[l] & ~mask) | (bits << shift & mask);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* Operands PR, a, mask: sets the predicates that the mask chooses from a. */
static void r2p(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *chosen = ROW(2);
    const unsigned shift = code->operands[1].byte ? 8u * (code->operands[1].byte - 1u) : 0;
    for (unsigned k = 0; k < 7; k++) {
        uint32_t values, which;
        MASK_OF(values, a[l] >> (k + shift) & 1);
        MASK_OF(which, chosen[l] >> k & 1);
        warp->masks[k] = (warp->masks[k] & ~(lanes & which)) | (values & lanes & which);
    }
}

/* Turns two 32-bit numbers into two smaller ones, saturated, and puts them below those of c. */
static void i2ip(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *b = ROW(2), *c = ROW(3);
    const bool is_unsigned = IS(U8);
    const int32_t least = is_unsigned ? 0 : -128, most = is_unsigned ? 255 : 127;
    uint32_t result[LANES];
    for (int l = 0; l < LANES; l++) {
        const int32_t x = (int32_t)a[l], y = (int32_t)b[l];
        const int32_t high = x < least ? least : x > most ? most : x, low = y < least ? least : y > most ? most : y;
        result[l] = c[l] << 16 | ((uint32_t)high & 0xff) << 8 | ((uint32_t)low & 0xff);
    }
    WRITE_LANES(ROW(0), lanes, result[l]);
}

/* clang-format off */
const struct opcode TABLE(lanes_integer)[] = {
    {"IADD3",          iadd3_carry, CONTROL_NEXT, prepare_iadd3,     "dpp", "X"},
    {"IADD3.64",       iadd3_64,    CONTROL_NEXT, prepare_iadd3_64,  "d",   ""},
    {"VIADD",          viadd,       CONTROL_NEXT, NULL,              "d",   ""},
    {"VIADD.16x2",     viadd_16x2,  CONTROL_NEXT, NULL,              "d",   ""},
    {"IMAD",           imad,        CONTROL_NEXT, prepare_imad,      "dp",  "U32 X MOV SHL IADD"},
    {"IMAD.WIDE",      imad_wide,   CONTROL_NEXT, prepare_imad_wide, "dp",  "U32 X"},
    {"IMAD.HI",        imad_hi,     CONTROL_NEXT, prepare_imad_hi,   "dp",  "U32 X"},
    {"IDP.4A",         idp_4a,      CONTROL_NEXT, prepare_dot,       "d",   "S8 U8"},
    {"IDP.2A",         idp_2a,      CONTROL_NEXT, prepare_dot,       "d",   "S16 U16 S8 U8 LO HI"},
    {"LEA",            lea,         CONTROL_NEXT, prepare_lea,       "dp",  "X"},
    {"LEA.HI",         lea_hi,      CONTROL_NEXT, prepare_lea_hi,    "dp",  "X SX32"},
    {"SHF",            shf_right,   CONTROL_NEXT, prepare_shift,     "d",   "L R W HI U32 S32 U64 S64"},
    {"BMSK",           bmsk,        CONTROL_NEXT, prepare_plain,     "d",   "W C"},
    {"SGXT",           sgxt,        CONTROL_NEXT, prepare_plain,     "d",   "W U32"},
    {"LOP3.LUT",       lop3,        CONTROL_NEXT, prepare_lop3,      "pd",  "PAND"},
    {"PLOP3.LUT",      plop3,       CONTROL_NEXT, prepare_plop3,     "pp",  ""},
    {"PRMT",           prmt,        CONTROL_NEXT, prepare_prmt,      "d",   "F4E B4E RC8 ECL ECR RC16"},
    {"MOV",            mov,         CONTROL_NEXT, NULL,              "d",   ""},
    {"SEL",            sel,         CONTROL_NEXT, NULL,              "d",   ""},
    {"POPC",           popc,        CONTROL_NEXT, NULL,              "d",   ""},
    {"FLO",            flo,         CONTROL_NEXT, NULL,              "d",   "U32 SH"},
    {"BREV",           brev,        CONTROL_NEXT, prepare_plain,     "d",   ""},
    {"IABS",           iabs,        CONTROL_NEXT, NULL,              "d",   ""},
    {"ISETP",          isetp,       CONTROL_NEXT, prepare_isetp,     "pp",  "F LT EQ LE GT NE GE T U32 AND OR XOR EX"},
    {"IMNMX",          imnmx,       CONTROL_NEXT, prepare_minimum,   "d",   "U32"},
    {"VIMNMX",         imnmx,       CONTROL_NEXT, prepare_minimum,   "d",   "U32 RELU S16x2 U16x2"},
    {"VIMNMX3",        vimnmx3,     CONTROL_NEXT, prepare_minimum,   "d",   "U32 RELU S16x2 U16x2"},
    {"VIADDMNMX",      viaddmnmx,   CONTROL_NEXT, prepare_minimum,   "d",   "U32 RELU S16x2 U16x2"},
    {"VABSDIFF",       vabsdiff,    CONTROL_NEXT, prepare_plain,     "d",   "U32"},
    {"VABSDIFF4",      vabsdiff4,   CONTROL_NEXT, prepare_plain,     "d",   "U8 S8 ACC"},
    {"P2R",            p2r,         CONTROL_NEXT, prepare_p2r,       "d",   ""},
    {"R2P",            r2p,         CONTROL_NEXT, NULL,              "",    ""},
    {"I2IP",           i2ip,        CONTROL_NEXT, prepare_plain,     "d",   "S8 U8 S32 SAT"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
