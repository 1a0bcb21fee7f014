/* Operations on bits: shifts, logic, bytes chosen, and predicates as bits. */
#include "lanes_integer.h"

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

/* The lanes in which a predicate, or the sign of a register, is set. */
static uint32_t set_lanes(struct warp *warp, const struct instruction *code, unsigned n)
{
    if (code->operands[n].kind == OPERAND_PREDICATE)
        return predicate(warp, &code->operands[n]);
    const uint32_t *row = ROW(n);
    uint32_t signs;
    MASK_OF(signs, row[l] >> 31);
    return signs ^ INVERT(n);
}

/* Operands p0, p1, a, b, c, table of p0, table of p1. */
static void plop3(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *o = code->operands;
    const uint32_t a = set_lanes(warp, code, 2), b = set_lanes(warp, code, 3), c = set_lanes(warp, code, 4);
    const uint32_t first = truth((uint32_t)o[5].value, a, b, c), second = truth((uint32_t)o[6].value, a, b, c);
    predicate_set(warp, &o[0], lanes, first);
    predicate_set(warp, &o[1], lanes, second);
}

static bool prepare_plop3(struct instruction *code)
{
    for (unsigned n = 2; n <= 4 && n < code->operand_count; n++)
        if (code->operands[n].kind != OPERAND_PREDICATE &&
            (code->operands[n].kind != OPERAND_SIGN || code->operands[n].negate || code->operands[n].absolute))
            return false;
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

static void mov_64(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    WRITE_WIDE(ROW(0), HIGH(0), lanes, wide(ROW(1)[l], HIGH(1)[l]));
}

PREPARE(mov_64, code->operand_count == 2 && code->operands[1].kind == OPERAND_ROW && prepare_plain(code))

/* Operands d, a, b, p: a where p is true, else b. */
static void sel_64(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t chosen = predicate(warp, &code->operands[3]);
    WRITE_WIDE(ROW(0), HIGH(0), lanes, chosen >> l & 1 ? PAIR(1, l) + CARRY(1) : PAIR(2, l) + CARRY(2));
}

PREPARE(sel_64, code->operand_count == 4 && prepare_pairs(code, 1, 2) && code->operands[3].kind == OPERAND_PREDICATE)

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

/* ---- Predicates as bits of a word ---- */

/* Operands d, PR, a, mask: replaces bits of a by the predicates that the mask chooses, of the byte that .B1 and its
 * like name. PR is no operand here, because nvdisasm prints it in place of the guard. UP2UR has the uniform predicates.
 */
static bool prepare_p2r(struct instruction *code)
{
    if (code->operand_count == 4 && code->operands[1].kind == OPERAND_SPECIAL) {
        memmove(code->operands + 1, code->operands + 2, 2 * sizeof *code->operands);
        code->operand_count = 3;
    }
    const struct operand *second = &code->operands[1];
    const int byte = modifier_among(code, "B1 B2 B3") + 1;
    code->flags[0] = byte > 0 ? (unsigned char)byte : second->byte ? second->byte - 1 : 0;
    return code->operand_count == 3 && second->kind == OPERAND_ROW && prepare_plain(code);
}

static void p2r(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1), *chosen = ROW(2);
    const unsigned shift = 8u * code->flags[0];
    const uint32_t *masks = warp->masks + (code->uniform ? MASK_TRUE + 1 : 0);
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

/* Operands PR, a, mask. nvdisasm's JSON has PR in some places and leaves it out in others. */
static bool prepare_r2p(struct instruction *code)
{
    if (code->operand_count == 2) {
        memmove(code->operands + 1, code->operands, 2 * sizeof *code->operands);
        code->operands[0] = (struct operand){.kind = OPERAND_SPECIAL, .word = "PR", .scale = 1};
        code->operand_count = 3;
    }
    const struct operand *first = &code->operands[0], *second = &code->operands[1], *third = &code->operands[2];
    return code->operand_count == 3 && first->kind == OPERAND_SPECIAL && second->kind == OPERAND_ROW &&
           third->kind == OPERAND_ROW;
}

/* Sets the predicates that the mask chooses from a. */
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

/* clang-format off */
const struct opcode TABLE(lanes_bits)[] = {
    {"LEA",       lea,       RULE_LEA,                                     prepare_lea,    "dp", "X"},
    {"LEA.HI",    lea_hi,    RULE_LEA_HIGH,                                prepare_lea_hi, "dp", "X SX32"},
    {"SHF",       shf_right, RULE_SHIFTED,                                 prepare_shift,  "d",  "L R W HI U32 S32 U64 S64"},
    {"BMSK",      bmsk,      RULE_SAME,                                    prepare_plain,  "d",  "W C"},
    {"SGXT",      sgxt,      RULE_SAME,                                    prepare_plain,  "d",  "W U32"},
    {"LOP3.LUT",  lop3,      RULE_LOGIC,                                   prepare_lop3,   "pd", "PAND"},
    {"PLOP3.LUT", plop3,     TRAIT_NO_IMMEDIATE | TRAIT_SIGNS | RULE_SAME, prepare_plop3,  "pp", ""},
    {"PRMT",      prmt,      RULE_SAME,                                    prepare_prmt,   "d",  "F4E B4E RC8 ECL ECR RC16"},
    {"MOV",       mov,       RULE_ADD,                                     NULL,           "d",  ""},
    {"MOV.64",    mov_64,    TRAIT_LOW_IMMEDIATE | RULE_SAME_64,           prepare_mov_64, "d",  ""},
    {"SEL",       sel,       RULE_CHOOSE,                                  NULL,           "d",  ""},
    {"SEL.64",    sel_64,    RULE_SAME_64,                                 prepare_sel_64, "d",  ""},
    {"POPC",      popc,      RULE_SAME,                                    NULL,           "d",  ""},
    {"FLO",       flo,       RULE_SAME,                                    NULL,           "d",  "U32 SH"},
    {"BREV",      brev,      RULE_SAME,                                    prepare_plain,  "d",  ""},
    {"IABS",      iabs,      RULE_ABSOLUTE,                                NULL,           "d",  ""},
    {"P2R",       p2r,       RULE_PREDICATES,                              prepare_p2r,    "d",  "B1 B2 B3"},
    {"UP2UR",     p2r,       RULE_PREDICATES,                              prepare_p2r,    "d",  ""},
    {"R2P",       r2p,       RULE_PREDICATES,                              prepare_r2p,    "",   ""},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
