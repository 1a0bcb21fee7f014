/* Which instruction is which product, and where its elements in shared memory are; lanes_product.c has those in
 * registers.
 *
 * In shared memory a descriptor says where they are: the address of the first one from bit 0, the leading offset from
 * bit 16 and the stride from bit 32, in units of 16 bytes, and from bit 62 the pattern. Lines go along k, or along m
 * and n (.tnspA, .tnspB). Units of 16 bytes of a line are beside each other in a pattern of 128, 64 or 32 bytes, else
 * apart. Eight lines or eight k make a group. Bits 7 to 9 of an address, less the base offset (descriptor's bit 49),
 * are added to bits 4 to 6 by exclusive or, as many as the pattern has. An H100 gave the same of 32 descriptors of each
 * kind (tests/sim/recorded.sh: hopper, family descriptors). */
#include "product.h"

enum { UNIT = 16 /* bytes */, LINE_BYTES = 32 /* of A along k */, GROUP = 8 };

static const struct element {
    const char *name;
    unsigned char bytes;
} elements[] = {
    [ELEMENT_F16] = {"F16", 2},   [ELEMENT_BF16] = {"BF16", 2}, [ELEMENT_TF32] = {"TF32", 4},
    [ELEMENT_E4M3] = {"E4M3", 1}, [ELEMENT_E5M2] = {"E5M2", 1}, [ELEMENT_S8] = {"S8", 1},
    [ELEMENT_U8] = {"U8", 1},     [ELEMENT_BITS] = {"BITS", 4}, [ELEMENT_F32] = {"F32", 4},
    [ELEMENT_S32] = {"S32", 4},
};

unsigned product_bytes(enum element_kind kind)
{
    return elements[kind].bytes;
}

/* ---- Forms of instructions ---- */

static bool is_register(const struct operand *operand)
{
    return operand->kind == OPERAND_ROW && operand->space == SPACE_WARP && !operand->uniform && !operand->absolute &&
           !operand->invert && !operand->half && !operand->byte;
}
static bool is_plain_row(const struct operand *operand)
{
    return is_register(operand) && !operand->negate;
}

/* Reads the modifiers from `first` on, the kinds of A and B. False: they are others. */
static bool kinds_read(struct instruction *code, unsigned first, const char *known)
{
    unsigned char kinds[2];
    for (unsigned i = 0; i < 2; i++) {
        unsigned char kind = 0;
        if (first + i >= code->modifier_count || !strstr(known, code->modifiers[first + i]))
            return false;
        while (kind < ARRAY_SIZE(elements) && strcmp(elements[kind].name, code->modifiers[first + i]) != 0)
            kind++;
        if (kind == ARRAY_SIZE(elements))
            return false;
        kinds[i] = kind;
    }
    code->flags[PRODUCT_LEFT] = kinds[0];
    code->flags[PRODUCT_RIGHT] = kinds[1];
    return true;
}

/* The kind of both matrices is the third modifier, or f16. */
static bool float_kinds_read(struct instruction *code, unsigned first)
{
    const char *const kind = code->modifier_count > first + 1 ? code->modifiers[first + 1] : "F16";
    const bool to_float = code->modifier_count > first && strcmp(code->modifiers[first], "F32") == 0;
    if (code->modifier_count == first || code->modifier_count > first + 2 ||
        (!to_float && (strcmp(code->modifiers[first], "F16") != 0 || code->modifier_count != first + 1)))
        return false;
    code->flags[PRODUCT_SUM] = to_float ? ELEMENT_F32 : ELEMENT_F16;
    code->flags[PRODUCT_LEFT] = strcmp(kind, "TF32") == 0   ? ELEMENT_TF32
                                : strcmp(kind, "BF16") == 0 ? ELEMENT_BF16
                                                            : ELEMENT_F16;
    code->flags[PRODUCT_RIGHT] = code->flags[PRODUCT_LEFT];
    return code->flags[PRODUCT_LEFT] != ELEMENT_F16 || code->modifier_count == first + 1;
}

static bool is_sparse(const struct instruction *code)
{
    return code->modifier_count > 0 && strcmp(code->modifiers[0], "SP") == 0;
}

/* Sets how long a warp's part of a product takes. One core of a Xeon made 270 (HMMA) to 470 (HGMMA) million products of
 * elements a second, in steps of 16 columns, and about 50 million other instructions. */
static void set_work(struct instruction *code)
{
    enum { AT_ONCE = 8 };
    const unsigned columns = (code->flags[PRODUCT_COLUMNS] + 1u) / 2 * 16;
    code->work = (unsigned short)(PRODUCT_ROWS * columns * code->flags[PRODUCT_DEPTH] / AT_ONCE);
}

/* The shapes of HMMA, a row each; those of .SP have twice the depth of what A has. */
bool prepare_hmma(struct instruction *code)
{
    static const struct {
        const char *name;
        unsigned char depth, bytes;
        bool sparse;
    } shapes[] = {{"1688", 8, 2, false}, {"16816", 16, 2, false}, {"1684", 4, 4, false},
                  {"1688", 8, 4, false}, {"16832", 32, 2, true},  {"16816", 16, 4, true}};
    const bool sparse = is_sparse(code);
    if (code->modifier_count < sparse + 2u || !float_kinds_read(code, sparse + 1u) ||
        code->operand_count != (sparse ? 6 : 4))
        return false;
    for (unsigned i = 0; i < 4u + sparse; i++)
        if (!is_plain_row(&code->operands[i]))
            return false;
    if (sparse && (!code->operands[5].immediate || code->operands[5].value < 0 || code->operands[5].value > 1))
        return false;
    code->flags[PRODUCT_WAYS] = sparse ? WAY_SPARSE : 0;
    code->flags[PRODUCT_COLUMNS] = 1;
    code->flags[PRODUCT_ADDED] = 3;
    for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
        if (strcmp(shapes[i].name, code->modifiers[sparse]) == 0 && shapes[i].sparse == sparse &&
            shapes[i].bytes == product_bytes(code->flags[PRODUCT_LEFT])) {
            code->flags[PRODUCT_DEPTH] = shapes[i].depth;
            set_work(code);
            return true;
        }
    return false;
}

/* IMMA of which A is sparse. lanes_tensor.c has the others. */
bool prepare_sparse_imma(struct instruction *code)
{
    const bool saturates = code->modifier_count == 5 && strcmp(code->modifiers[4], "SAT") == 0;
    const bool is_long = code->modifier_count > 1 && strcmp(code->modifiers[1], "16864") == 0;
    code->flags[PRODUCT_SUM] = ELEMENT_S32;
    code->flags[PRODUCT_WAYS] = (unsigned char)(WAY_SPARSE | (saturates ? WAY_SATURATES : 0));
    code->flags[PRODUCT_COLUMNS] = 1;
    code->flags[PRODUCT_DEPTH] = 64;
    set_work(code);
    code->flags[PRODUCT_ADDED] = 3;
    for (unsigned i = 0; i < 5 && code->operand_count == 6; i++)
        if (!is_plain_row(&code->operands[i]))
            return false;
    return is_long && code->modifier_count == 4u + saturates && kinds_read(code, 2, "S8 U8") &&
           code->operand_count == 6 && code->operands[5].immediate && code->operands[5].value == 0;
}

/* Reads the shape, 64xNxK, of which N is a multiple of 8 up to 256. Of whole numbers and bits N is 8, 24 or a multiple
 * of 16. */
static bool shape_read(struct instruction *code, unsigned place, unsigned depth)
{
    char *end;
    if (code->modifier_count <= place || strncmp(code->modifiers[place], "64x", 3) != 0)
        return false;
    const unsigned long columns = strtoul(code->modifiers[place] + 3, &end, 10);
    if (columns == 0 || columns % GROUP || columns > PRODUCT_COLUMNS_MOST || *end != 'x' ||
        strtoul(end + 1, &end, 10) != depth || *end)
        return false;
    code->flags[PRODUCT_COLUMNS] = (unsigned char)(columns / GROUP);
    return code->flags[PRODUCT_SUM] != ELEMENT_S32 || columns == 8 || columns == 24 || columns % 16 == 0;
}

/* Returns whether operand n describes matrices, with no more done to them than these instructions can. */
static bool is_descriptor(const struct instruction *code, unsigned n, bool turns, bool with_a)
{
    const int64_t known = DESCRIPTOR_NEGATES_B | (turns ? DESCRIPTOR_TURNS_B : 0) |
                          (with_a ? DESCRIPTOR_NEGATES_A | (turns ? DESCRIPTOR_TURNS_A : 0) : 0);
    return code->operands[n].kind == OPERAND_DESCRIPTOR && code->operands[n].index < 60 &&
           !(code->operands[n].value & ~known) && (code->flags[PRODUCT_SUM] != ELEMENT_S32 || !code->operands[n].value);
}

/* Operands d, descriptor, c or d, a, descriptor, c. Behind them are, where there are such, the predicate of c, what of
 * A there is (a register, and 1), and the scoreboard. */
static bool warpgroup_operands_read(struct instruction *code, bool sparse, bool turns)
{
    const bool in_registers = is_register(&code->operands[1]);
    unsigned at = in_registers ? 3 : 2;
    if (code->operand_count <= at || !is_plain_row(&code->operands[0]) || !is_plain_row(&code->operands[at]) ||
        !is_descriptor(code, at - 1, turns, !in_registers) ||
        (in_registers &&
         (code->operands[1].index + 4 > 255 || (code->operands[1].negate && code->flags[PRODUCT_SUM] == ELEMENT_S32))))
        return false;
    code->flags[PRODUCT_ADDED] = (unsigned char)at++;
    if (at < code->operand_count && code->operands[at].kind == OPERAND_PREDICATE)
        at++;
    if (sparse && (at >= code->operand_count || !is_plain_row(&code->operands[at++])))
        return false;
    const int64_t last = product_bytes(code->flags[PRODUCT_LEFT]) > 1 ? 1 : 0;
    if (sparse && at < code->operand_count && code->operands[at].immediate)
        at += code->operands[at].value >= 0 && code->operands[at].value <= last;
    code->flags[PRODUCT_WAYS] |= WAY_FROM_MEMORY | (sparse ? WAY_SPARSE : 0);
    if (at < code->operand_count && code->operands[at].kind == OPERAND_SPECIAL &&
        strcmp(code->operands[at].word, "gsb0") == 0) {
        code->flags[PRODUCT_WAYS] |= WAY_ENDS_GROUP;
        at++;
    }
    code->flags[PRODUCT_DEPTH] =
        (unsigned char)(LINE_BYTES / product_bytes(code->flags[PRODUCT_LEFT]) * (sparse ? 2u : 1u));
    code->apart = true;
    set_work(code);
    const unsigned registers = code->flags[PRODUCT_COLUMNS] * (code->flags[PRODUCT_SUM] == ELEMENT_F16 ? 2u : 4u);
    return at == code->operand_count && code->operands[0].index + registers <= 255 &&
           (code->operands[code->flags[PRODUCT_ADDED]].index == 255 ||
            code->operands[code->flags[PRODUCT_ADDED]].index + registers <= 255);
}

static operation end_group;

static bool only_ends_group(const struct instruction *code)
{
    const struct operand *o = code->operands;
    return code->operand_count == 5 && o[0].kind == OPERAND_ROW && o[0].row == ROW_SINK * ROW_BYTES &&
           o[1].kind == OPERAND_DESCRIPTOR && o[1].index == 63 && o[2].kind == OPERAND_ROW &&
           o[2].row == ROW_ZERO * ROW_BYTES && o[3].kind == OPERAND_PREDICATE && o[3].invert &&
           o[3].index == MASK_TRUE && o[4].kind == OPERAND_SPECIAL && strcmp(o[4].word, "gsb0") == 0;
}

bool prepare_hgmma(struct instruction *code)
{
    if (only_ends_group(code)) {
        code->run = end_group;
        code->apart = true;
        code->flags[PRODUCT_WAYS] = WAY_ENDS_GROUP;
        return float_kinds_read(code, 1) && shape_read(code, 0, 16);
    }
    const unsigned sparse = is_sparse(code);
    if (!float_kinds_read(code, sparse + 1))
        return false;
    const bool words = code->flags[PRODUCT_LEFT] == ELEMENT_TF32;
    return shape_read(code, sparse, (words ? 8u : 16u) << sparse) && warpgroup_operands_read(code, sparse, !words);
}

bool prepare_qgmma(struct instruction *code)
{
    const unsigned sparse = is_sparse(code);
    if (code->modifier_count != sparse + 4 || !kinds_read(code, sparse + 2, "E4M3 E5M2"))
        return false;
    const bool to_float = strcmp(code->modifiers[sparse + 1], "F32") == 0;
    code->flags[PRODUCT_SUM] = to_float ? ELEMENT_F32 : ELEMENT_F16;
    return (to_float || strcmp(code->modifiers[sparse + 1], "F16") == 0) && shape_read(code, sparse, 32u << sparse) &&
           warpgroup_operands_read(code, sparse, false);
}

bool prepare_igmma(struct instruction *code)
{
    const unsigned sparse = is_sparse(code);
    const bool saturates = code->modifier_count == sparse + 4 && strcmp(code->modifiers[sparse + 3], "SAT") == 0;
    code->flags[PRODUCT_SUM] = ELEMENT_S32;
    code->flags[PRODUCT_WAYS] = saturates ? WAY_SATURATES : 0;
    return code->modifier_count == sparse + 3 + saturates && kinds_read(code, sparse + 1, "S8 U8") &&
           shape_read(code, sparse, 32u << sparse) && warpgroup_operands_read(code, sparse, false);
}

bool prepare_bgmma(struct instruction *code)
{
    code->flags[PRODUCT_SUM] = ELEMENT_S32;
    code->flags[PRODUCT_LEFT] = code->flags[PRODUCT_RIGHT] = ELEMENT_BITS;
    return code->modifier_count == 3 && strcmp(code->modifiers[1], "AND") == 0 &&
           strcmp(code->modifiers[2], "POPC") == 0 && shape_read(code, 0, 256) &&
           warpgroup_operands_read(code, false, false);
}

/* ---- Elements in shared memory ---- */

struct tile {
    uint32_t start, leading, stride; /* bytes */
    unsigned pattern;                /* bytes that are beside each other: 16, 32, 64, 128 */
    unsigned base;
    bool turned; /* lines go along m or n */
};

static struct tile tile_of(struct warp *warp, const struct instruction *code, unsigned n, bool is_right)
{
    static const unsigned char patterns[] = {UNIT, 128, 64, 32};
    const struct operand *operand = &code->operands[n];
    const uint32_t *row = row_at(warp, SPACE_WARP, operand->row + (is_right ? 2 * ROW_BYTES : 0));
    const uint64_t bits = row[0] | (uint64_t)row[LANES] << 32;
    if (bits & ~(UINT64_C(0xc00e3fff3fff3fff)))
        block_not_simulated(warp->block, "%s with the descriptor 0x%llx", code->opcode, (unsigned long long)bits);
    return (struct tile){.start = (uint32_t)(bits & 0x3fff) * UNIT,
                         .leading = (uint32_t)(bits >> 16 & 0x3fff) * UNIT,
                         .stride = (uint32_t)(bits >> 32 & 0x3fff) * UNIT,
                         .base = bits >> 49 & 7,
                         .pattern = patterns[bits >> 62],
                         .turned = operand->value & (is_right ? DESCRIPTOR_TURNS_B : DESCRIPTOR_TURNS_A)};
}

/* Returns the bytes of a unit: of element k of a line and those behind it, or of these lines where they are turned. */
static const unsigned char *unit_at(struct warp *warp, const struct tile *tile, unsigned line, unsigned k,
                                    unsigned bytes)
{
    const unsigned pattern = tile->pattern, wide = pattern / 2, unit = k * bytes / UNIT;
    uint32_t place;
    if (!tile->turned)
        place = line / GROUP * tile->stride + line % GROUP * pattern + unit * (pattern == UNIT ? tile->leading : UNIT);
    else if (pattern == UNIT)
        place = line / GROUP * tile->stride + k / GROUP * tile->leading + k % GROUP * UNIT;
    else
        place = line / wide * tile->leading + line % wide * 2 + k / GROUP * tile->stride + k % GROUP * pattern;
    uint32_t address = tile->start + place;
    address ^= (((address >> 7) - tile->base) & (pattern / UNIT - 1)) << 4;
    const unsigned char *bytes_there = warpgroup_unit(warp, address);
    if (warp->block->watch.shared & ACCESS_MULTIPLIES)
        watch_bytes(warp, warp->block->now, warp->block, ACCESS_MULTIPLIES, address, UNIT, 0);
    return bytes_there;
}

/* Reads `lines` lines from `first` on: element k of line i becomes to[k * by_k + i * by_line]. */
static void from_memory(uint32_t *to, size_t by_line, size_t by_k, struct warp *warp, const struct tile *tile,
                        unsigned first, unsigned lines, unsigned depth, unsigned bytes)
{
    const unsigned each = UNIT / bytes;
    for (unsigned line = 0; line < lines; line += tile->turned ? each : 1)
        for (unsigned k = 0; k < depth; k += tile->turned ? 1 : each) {
            const unsigned char *unit = unit_at(warp, tile, first + line, k, bytes);
            const size_t by = tile->turned ? by_line : by_k;
            uint32_t *const here = &to[k * by_k + line * by_line], words[UNIT] = {0};
            product_widen(by == 1 ? here : words, unit, bytes);
            for (unsigned i = 0; i < each && by > 1; i++)
                here[i * by] = words[i];
        }
}

/* ---- Products ---- */

/* A descriptor is followed by that of B. */
static void read_matrices(struct product *p, struct warp *warp, const struct instruction *code)
{
    const bool in_registers = code->operands[1].kind == OPERAND_ROW;
    const unsigned n = in_registers ? 2 : 1;
    const unsigned depth = code->flags[PRODUCT_WAYS] & WAY_SPARSE ? p->depth / 2 : p->depth; /* of A */
    const struct tile b = tile_of(warp, code, n, true);
    if (!in_registers) {
        const struct tile a = tile_of(warp, code, n, false);
        from_memory(&p->a[0][0], 1, PRODUCT_ROWS, warp, &a, warp->number % WARPGROUP * PRODUCT_ROWS, PRODUCT_ROWS,
                    depth, product_bytes(code->flags[PRODUCT_LEFT]));
    }
    from_memory(p->b, p->depth, 1, warp, &b, 0, p->columns, p->depth, product_bytes(code->flags[PRODUCT_RIGHT]));
}

/* Counted on an H100, wherever the elements are: a wavefront for 128 bytes, of the whole warpgroup. */
static void wavefronts_counted(struct warp *warp, const struct instruction *code)
{
    enum { WAVEFRONT = 128 };
    const unsigned columns = code->flags[PRODUCT_COLUMNS] * 8u;
    const unsigned lines = (code->flags[PRODUCT_WAYS] & WAY_SPARSE ? 2 : 1) * columns +
                           (code->operands[1].kind == OPERAND_ROW ? 0u : WARPGROUP * PRODUCT_ROWS);
    struct tally *tally = &warp->block->tallies[code->index];
    if (warp->number % WARPGROUP != 0)
        return;
    tally->wavefronts += lines * LINE_BYTES / WAVEFRONT;
    tally->ideal_wavefronts += lines * LINE_BYTES / WAVEFRONT;
}

/* wgmma.commit_group where no product can end the group: one does that goes nowhere. It costs what another costs. */
static void end_group(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    (void)lanes;
    wavefronts_counted(warp, code);
    warpgroup_end(warp, code, 0);
}

/* A register says which elements of A there are: of four, two; of two that have 32 bits, one. Four bits have two
 * places, in quarters of what is chosen from; this returns those for element i of the ones that there are.
 *
 * Of a group of four lanes the first two have them, or with 1 as the operand behind it the last two: the lower half of
 * the word is
 * of row g, the upper of row g + 8, and the second lane has the second half of k. Of bytes the even lanes have row g,
 * the odd ones row g + 8, and the last two the second half of k. */
static unsigned places_of(const struct warp *warp, const struct instruction *code, unsigned bytes, unsigned row,
                          unsigned i)
{
    const unsigned n = product_metadata(code);
    const uint32_t *which = ROW(n);
    const bool last = n + 1 < code->operand_count && code->operands[n + 1].immediate && code->operands[n + 1].value;
    const unsigned quad = row % 8 * 4, four = bytes == 4 ? i : i / 2, lane = last ? 2 : 0;
    if (bytes == 1)
        return which[quad + row / 8 + four / 8 * 2] >> four % 8 * 4 & 15;
    return which[quad + lane + four / 4] >> (row / 8 * 16 + four % 4 * 4) & 15;
}

void product_spread(struct product *p, struct warp *warp, const struct instruction *code)
{
    const unsigned bytes = product_bytes(code->flags[PRODUCT_LEFT]), half = p->depth / 2;
    uint32_t kept[PRODUCT_DEPTH_MOST / 2][PRODUCT_ROWS];
    memcpy(kept, p->a, half * sizeof kept[0]);
    memset(p->a, 0, p->depth * sizeof p->a[0]);
    for (unsigned row = 0; row < PRODUCT_ROWS; row++) {
        p->absent[row] = ~UINT64_C(0);
        for (unsigned i = 0; i < half; i++) {
            const unsigned places = places_of(warp, code, bytes, row, i), first = places & 3, second = places >> 2;
            if (bytes == 4 ? places != 4 && places != 14 : first >= second)
                block_not_simulated(warp->block, "%s with the element order 0x%x", code->opcode, places);
            const unsigned k = bytes == 4 ? i * 2 + first / 2 : i / 2 * 4 + (i % 2 ? second : first);
            p->a[k][row] = kept[i][row];
            p->absent[row] &= ~(UINT64_C(1) << k);
        }
    }
}

void product_from_memory(struct product *p, struct warp *warp, const struct instruction *code)
{
    warpgroup_begin(warp, code);
    read_matrices(p, warp, code);
    wavefronts_counted(warp, code);
}
