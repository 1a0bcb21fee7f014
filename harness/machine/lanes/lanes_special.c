/* Instructions by which lanes of a warp exchange values, and by which they ask about themselves: special registers,
 * constants, votes, shuffles. */
#include "lanes.h"

#include "machine/races/races.h"

/* Writes one word to all chosen lanes. */
static void write_all(struct warp *warp, const struct operand *operand, uint32_t lanes, uint32_t value)
{
    WRITE_LANES(row_at(warp, operand->space, operand->row), lanes, value);
}

/* ---- Special registers ---- */

enum special { TID, CTAID, LANE, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, ZERO, SHARED_HIGH, RANK };

/* Checks the special register. Of those that are not listed, some depend on the machine, and none is known here. */
static bool prepare_s2r(struct instruction *code)
{
    static const struct {
        const char *name;
        unsigned char what, axis;
    } table[] = {
        {"SR_TID.X", TID, 0},
        {"SR_TID.Y", TID, 1},
        {"SR_TID.Z", TID, 2},
        {"SR_CTAID.X", CTAID, 0},
        {"SR_CTAID.Y", CTAID, 1},
        {"SR_CTAID.Z", CTAID, 2},
        {"SR_LANEID", LANE, 0},
        {"SR_LTMASK", LESS, 0},
        {"SR_LEMASK", LESS_EQUAL, 0},
        {"SR_GTMASK", GREATER, 0},
        {"SR_GEMASK", GREATER_EQUAL, 0},
        {"SR_EQMASK", EQUAL, 0},
        {"SR_CgaCtaId", RANK, 0},
        {"SRZ", ZERO, 0},
        {"SR_SWINHI", SHARED_HIGH, 0},
    };
    if (code->operand_count != 2 || code->operands[1].kind != OPERAND_SPECIAL)
        return false;
    if (strncmp(code->operands[1].word, "SR_CLOCK", 8) == 0 ||
        strncmp(code->operands[1].word, "SR_GLOBALTIMER", 14) == 0) {
        code->control = CONTROL_CLOCK;
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (strcmp(table[i].name, code->operands[1].word) == 0) {
            code->flags[FLAG_WHAT] = table[i].what;
            code->flags[FLAG_AXIS] = table[i].axis;
            return true;
        }
    return false;
}

static uint32_t special_value(const struct warp *warp, const struct instruction *code, unsigned lane)
{
    const uint32_t bit = 1u << lane;
    switch ((enum special)code->flags[FLAG_WHAT]) {
    case TID:
        return warp->threads[code->flags[FLAG_AXIS]][lane];
    case CTAID:
        return warp->block->index[code->flags[FLAG_AXIS]];
    case LANE:
        return lane;
    case LESS:
        return bit - 1;
    case LESS_EQUAL:
        return bit | (bit - 1);
    case GREATER:
        return ~(bit | (bit - 1));
    case GREATER_EQUAL:
        return ~(bit - 1);
    case EQUAL:
        return bit;
    case RANK:
        return warp->block->rank;
    case SHARED_HIGH:
        return (uint32_t)(SHARED_WINDOW >> 32);
    case ZERO:
        break;
    }
    return 0;
}

static void s2r(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t *to = ROW(0);
    if (code->flags[FLAG_WHAT] == TID && lanes == ALL_LANES && !code->uniform) {
        memcpy(to, warp->threads[code->flags[FLAG_AXIS]], ROW_BYTES);
        return;
    }
    const unsigned char what = code->flags[FLAG_WHAT];
    if (code->uniform || what == CTAID || what == ZERO || what == SHARED_HIGH || what == RANK) {
        write_all(warp, &code->operands[0], lanes, special_value(warp, code, 0));
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        to[l] = lanes >> l & 1 ? special_value(warp, code, l) : to[l];
}

static bool prepare_cs2r(struct instruction *code)
{
    code->flags[FLAG_SHORT] = has_modifier(code, "32");
    return prepare_s2r(code);
}

/* Reads 64 bits of a special register, or 32 with .32. */
static void cs2r(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    s2r(warp, code, lanes);
    struct operand upper = code->operands[0];
    upper.row = upper.high;
    if (!code->flags[FLAG_SHORT])
        write_all(warp, &upper, lanes, 0);
}

/* ---- Constants ---- */

static const unsigned char *bank_of(const struct block *block, unsigned bank, size_t *size)
{
    const struct module *module = block->grid->function->module;
    switch (bank) {
    case 0:
        *size = block->bank0_size;
        return block->bank0;
    case 2:
        *size = block->code->bank2_size;
        return block->code->bank2;
    case 3:
        *size = module->bank3_size;
        return module->bank3;
    case 4:
        *size = module->bank4_size;
        return module->bank4;
    default:
        *size = 0;
        return NULL;
    }
}

static void copy_row(uint32_t *to, const uint32_t *from, uint32_t lanes)
{
    if (lanes == ALL_LANES)
        memcpy(to, from, ROW_BYTES);
    else
        for (unsigned l = 0; l < LANES; l++)
            to[l] = lanes >> l & 1 ? from[l] : to[l];
}

/* Reads one constant, or two, which are in rows already. */
static void ldc_row(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    copy_row(ROW(0), ROW(1), lanes);
    if (code->size == 8)
        copy_row(HIGH(0), HIGH(1), lanes);
}

static bool prepare_ldc(struct instruction *code)
{
    prepare_width(code);
    if (code->operands[1].kind == OPERAND_ROW && (code->size == 4 || code->size == 8))
        code->run = ldc_row;
    return code->operand_count == 2 &&
           (code->operands[1].kind == OPERAND_CONSTANT || code->operands[1].kind == OPERAND_ROW);
}

/* Reads constants at addresses of each lane, those of one address in a turn, be the next one only by a byte further. An
 * H200's sm__idc_divergent_instruction_replays.sum counts the same turns, for reads of 1 to 16 bytes. Beyond the end of
 * a bank are zeros, as on the hardware. */
static void ldc(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    const struct operand *from = &code->operands[1];
    const uint32_t first = code->operands[0].row, step = code->operands[0].high - first;
    uint32_t rows[LANES] = {0};
    size_t size;
    const unsigned char *bank = bank_of(block, from->index, &size);
    if (from->kind == OPERAND_CONSTANT)
        memcpy(rows, row_at(warp, SPACE_WARP, from->row), sizeof rows);
    for (uint32_t left = lanes; left;) {
        const uint32_t row = rows[__builtin_ctz(left)];
        const int64_t offset = from->value + (int32_t)row;
        uint32_t words[4] = {0}, others[LANES];
        EACH_LANE others[l] = rows[l] ^ row;
        const uint32_t turn = left & ~lanes_not_zero(others);
        if (from->index == 0 && offset == block->grid->function->module->architecture->smids)
            block_not_simulated(block, "%%nsmid");
        if (bank && offset >= 0 && (uint64_t)offset < size)
            memcpy(words, bank + offset, (uint64_t)offset + code->size <= size ? code->size : size - (uint64_t)offset);
        if (code->flags[FLAG_SIGN_EXTENDS])
            words[0] = code->size == 1 ? (uint32_t)(int32_t)(int8_t)words[0] : (uint32_t)(int32_t)(int16_t)words[0];
        for (unsigned k = 0; k * 4 < code->size; k++)
            WRITE_LANES(row_at(warp, SPACE_WARP, first + k * step), turn, words[k]);
        left &= ~turn;
        block->tallies[code->index].constant_replays += block->counts && left;
    }
}

/* ---- Between lanes ---- */

/* Operands p, d, a: d is the value of the first lane; p is true in lanes that have another. With .OR it stays true
 * where it was: so lanes that have the same in several registers are found. */
static void r2ur(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *from = ROW(2), first = from[__builtin_ctz(warp->guarded)];
    uint32_t others = 0;
    for (unsigned l = 0; l < LANES; l++)
        others |= (uint32_t)(from[l] != first) << l;
    write_all(warp, &code->operands[1], ALL_LANES, first);
    if (IS(OR))
        others |= predicate(warp, &code->operands[0]);
    predicate_set(warp, &code->operands[0], warp->guarded & lanes, others);
}

/* Operands p, d, a, lane, clamp and segment, as the PTX manual describes them for shfl. */
static void shfl(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(2), *b = ROW(3), *c = ROW(4);
    int from[LANES];
    uint32_t result[LANES], inside;
    const bool up = IS(UP), down = IS(DOWN), butterfly = IS(BFLY);
    EACH_LANE
    {
        const int segment = c[l] >> 8 & 31, clamp = c[l] & 31, by = b[l] & 31;
        const int least = l & segment, most = least | (clamp & ~segment);
        const int other = up ? l - by : down ? l + by : butterfly ? l ^ by : least | (by & ~segment);
        from[l] = (up ? other >= most : other <= most) ? other : LANES + l; /* its own, since it is outside */
    }
    EACH_LANE result[l] = a[from[l] % LANES];
    MASK_OF(inside, from[l] < LANES);
    WRITE_LANES(ROW(1), lanes, result[l]);
    predicate_set(warp, &code->operands[0], lanes, inside);
}

/* If some of the lanes may be apart from the others, each part has an answer of its own, and nothing is known. */
static void note_apart(const struct warp *warp, const struct instruction *code)
{
    if (warp->active & warp->yielders && warp->active & ~warp->yielders)
        waits_note_all(warp->block, code);
}

/* Operands d, p, source: d are the lanes that say yes; p tells whether any or all of them do. */
static void vote(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    note_apart(warp, code);
    const uint32_t yes = predicate(warp, &code->operands[2]) & warp->guarded;
    const bool all = yes == warp->guarded;
    const bool result = IS(ALL) ? all : IS(EQ) ? all || yes == 0 : yes != 0;
    write_all(warp, &code->operands[0], lanes, yes);
    predicate_set(warp, &code->operands[1], lanes, result ? ALL_LANES : 0);
}

PREPARE(vote, code->operand_count == 3 && code->operands[2].kind == OPERAND_PREDICATE)

/* Operands p, d, a: d are the lanes with the same value, and p says that all have the same. With .ALL, d is 0 unless
 * they have. */
static void match(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    note_apart(warp, code);
    const bool both = has_modifier(code, "U64");
    const uint32_t *a = ROW(2), *h = HIGH(2);
    uint32_t *to = ROW(1), result[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        result[l] = 0;
        for (unsigned k = 0; k < LANES; k++)
            if ((lanes >> k & 1) && a[k] == a[l] && (!both || h[k] == h[l]))
                result[l] |= 1u << k;
    }
    bool all = true;
    for (unsigned l = 0; l < LANES; l++)
        all &= !(lanes >> l & 1) || result[l] == lanes;
    EACH_BIT(l, lanes)
        to[l] = !IS(ALL) ? result[l] : all ? lanes : 0;
    predicate_set(warp, &code->operands[0], lanes, all ? ALL_LANES : 0);
}

static void redux(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *a = ROW(1);
    const uint32_t flip = IS(S32) ? 0x80000000u : 0;
    uint32_t result = 0;
    bool first = true;
    EACH_BIT(l, warp->guarded) {
        const uint32_t x = a[l];
        if (first)
            result = x;
        else if (IS(SUM))
            result += x;
        else if (IS(MIN))
            result = (x ^ flip) < (result ^ flip) ? x : result;
        else if (IS(MAX))
            result = (x ^ flip) > (result ^ flip) ? x : result;
        else if (IS(OR))
            result |= x;
        else if (IS(XOR))
            result ^= x;
        else
            result &= x;
        first = false;
    }
    write_all(warp, &code->operands[0], lanes, result);
}

/* Operands p, d: elects the lowest of the lanes that are here. */
static void elect(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    note_apart(warp, code);
    const uint32_t lowest = warp->guarded & -warp->guarded;
    write_all(warp, &code->operands[1], lanes, (uint32_t)__builtin_ctz(warp->guarded));
    predicate_set(warp, &code->operands[0], warp->guarded, lowest);
}

/* Operands d, p: the result of the last BAR.RED. */
static void b2r(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    write_all(warp, &code->operands[0], lanes, warp->barrier_count);
    predicate_set(warp, &code->operands[1], lanes, warp->barrier_vote ? ALL_LANES : 0);
}

/* Operands p, d, [address]: tells whether a generic address is in shared memory of the block or (D) of its cluster, in
 * local, or in global memory. */
static void qspc(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *address = &code->operands[2];
    const uint32_t *low = row_at(warp, SPACE_WARP, address->row), *high = row_at(warp, SPACE_WARP, address->high);
    uint64_t base = (uint64_t)address->value;
    if (address->based)
        base += row_at(warp, SPACE_WARP, address->base)[0] |
                (uint64_t)(address->uniform ? row_at(warp, SPACE_WARP, address->base_high)[0] : 0) << 32;
    uint32_t yes = 0;
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t at = (low[l] | (uint64_t)high[l] << 32) + base, window = at & ~(uint64_t)UINT32_MAX;
        const bool shared = window == SHARED_WINDOW, local = window == LOCAL_WINDOW;
        const bool own = shared && (uint32_t)at >> RANK_SHIFT == warp->block->rank;
        const bool is = has_modifier(code, "S")   ? own
                        : has_modifier(code, "D") ? shared
                        : has_modifier(code, "L") ? local
                                                  : !shared && !local;
        yes |= (uint32_t)is << l;
    }
    predicate_set(warp, &code->operands[0], lanes, yes);
    write_all(warp, &code->operands[1], lanes, 0);
}

PREPARE(qspc, code->operand_count == 3 && code->operands[2].kind == OPERAND_ADDRESS)

/* clang-format off */
const struct opcode TABLE(lanes_special)[] = {
    {"S2R",        s2r,   RULE_SPECIAL,                      prepare_s2r,  "d",  ""},
    {"S2UR",       s2r,   RULE_SPECIAL,                      prepare_s2r,  "d",  ""},
    {"CS2R",       cs2r,  RULE_SPECIAL,                      prepare_cs2r, "d",  "32"},
    {"LDC",        ldc,   RULE_CONSTANT,                     prepare_ldc,  "d",  "U8 S8 U16 S16 64 128"},
    {"LDCU",       ldc,   TRAIT_LOW_OFFSET | RULE_CONSTANT,  prepare_ldc,  "d",  "U8 S8 U16 S16 64 128"},
    {"R2UR",       r2ur,  RULE_FIRST,                        NULL,         "pd", "OR"},
    {"SHFL",       shfl,  TRAIT_NO_IMMEDIATE | RULE_SHUFFLE, NULL,         "pd", "IDX UP DOWN BFLY"},
    {"VOTE",       vote,  RULE_VOTE,                         prepare_vote, "Dp", "ANY ALL EQ"},
    {"VOTEU",      vote,  RULE_VOTE,                         prepare_vote, "Dp", "ANY ALL EQ"},
    {"MATCH",      match, RULE_DATA,                         NULL,         "pd", "ANY ALL U64"},
    {"REDUX",      redux, RULE_SAME,                         NULL,         "d",  "SUM MIN MAX AND OR XOR S32"},
    {"CREDUX",     redux, RULE_SAME,                         NULL,         "d",  "MIN MAX S32"},
    {"ELECT",      elect, RULE_SAME,                         NULL,         "pd", ""},
    {"B2R.RESULT", b2r,   RULE_SAME,                         NULL,         "dp", ""},
    {"QSPC.E",     qspc,  CONTROL_NEXT,                      prepare_qspc, "pd", "S D L G"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
