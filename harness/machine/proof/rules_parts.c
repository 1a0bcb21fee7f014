/* What all rules share: the class, operands, and rules of operations that have no other input than what they read. */
#include "rules.h"

const struct tag tag_data = {.lanes = 0};

void proof_open(struct block_proof *proof, const struct grid *grid, const struct axis *axes, const uint32_t *at)
{
    *proof = (struct block_proof){0};
    for (unsigned k = 0; k < AXES_MOST; k++) {
        proof->axes[k] = axes[k];
        proof->axes[k].at = at[k];
        proof->box[k].high = axes[k].most;
    }
    proof->warp_count =
        (grid->threads[0] * grid->threads[1] * grid->threads[2] + LANES - 1) / LANES * (unsigned)cluster_blocks(grid);
    proof->warps = x_calloc(proof->warp_count, sizeof *proof->warps);
    for (unsigned w = 0; w < proof->warp_count; w++) {
        proof->warps[w].rows[ROW_ZERO] = proof->warps[w].rows[ROW_UNIFORM_ZERO] = tag_same;
        for (unsigned i = 0; i < MASKS; i++)
            proof->warps[w].masks[i] = tag_same;
    }
}

void proof_close(struct block_proof *proof)
{
    for (unsigned w = 0; w < proof->warp_count; w++)
        free(proof->warps[w].local);
    free(proof->warps);
    free(proof->arrays.list);
    free(proof->words);
    free(proof->word_tags);
    free(proof->floors);
    free(proof->values);
}

void proof_fail(struct block_proof *proof, const struct instruction *code, const char *why)
{
    if (proof->why)
        return;
    proof->why = why;
    proof->where = code;
}

/* ---- For tests ---- */

/* By how much a value moves from that of the executed block. False: it is not known of this block. */
static bool foretells(const struct tag *tag, const struct axis *from, const struct axis *at, uint32_t *more)
{
    *more = 0;
    for (unsigned i = 0; i < tag->count; i++) {
        const struct tag_part *part = &tag->parts[i];
        const uint32_t between = (1u << part->every) - 1;
        if (at[part->axis].at < part->low || at[part->axis].at > part->high ||
            ((at[part->axis].at - from[part->axis].at) & between) != 0)
            return false;
        *more += (uint32_t)part->by * (at[part->axis].at - from[part->axis].at);
    }
    return true;
}

void proof_check(const struct warp *warp)
{
    struct block_proof *proof = warp->block->proof;
    const struct block_proof *of = proof->of_class;
    const unsigned place = proof_place(warp);
    struct proof_values *values = &proof->values[place];
    memcpy(values->rows, warp->rows, sizeof values->rows);
    memcpy(values->masks, warp->masks, sizeof values->masks);
    for (unsigned row = 0; !of && row < ROWS; row++)
        tag_settle(&proof->warps[place].rows[row], proof->floors, proof->axes);
    for (unsigned row = 0; of && row < ROW_SINK; row++) {
        const struct tag *tag = &of->warps[place].rows[row];
        const uint32_t moves = tag->ring ? (1u << tag->ring) - 1 : UINT32_MAX;
        uint32_t more;
        if (!foretells(tag, of->axes, proof->axes, &more))
            continue;
        for (unsigned l = 0; l < LANES && !proof->wrong; l++) {
            const uint32_t was = of->values[place].rows[row][l], is = values->rows[row][l];
            const uint32_t wanted = (was & ~moves) | ((was + more) & moves);
            if (tag->lanes >> l & 1 && is != wanted)
                proof->wrong =
                    x_sprintf("row %u of warp %u, lane %u, is 0x%x, not 0x%x", row, warp->number, l, is, wanted);
        }
    }
    for (unsigned mask = 0; of && mask < MASKS - 1 && !proof->wrong; mask++) {
        const struct tag *tag = &of->warps[place].masks[mask];
        uint32_t more;
        if (foretells(tag, of->axes, proof->axes, &more) &&
            (values->masks[mask] ^ of->values[place].masks[mask]) & tag->lanes)
            proof->wrong = x_sprintf("predicate %u of warp %u", mask, warp->number);
    }
}

/* ---- The class ---- */

bool need(struct step *step, const struct tag *tag, uint32_t lanes, const char *why)
{
    if (!tag_knows(tag, lanes) || tag_moves(tag)) {
        proof_fail(step->proof, step->code, why);
        return false;
    }
    for (unsigned i = 0; i < tag->count; i++) {
        const struct tag_part *part = &tag->parts[i];
        uint32_t *low = &step->proof->box[part->axis].low, *high = &step->proof->box[part->axis].high;
        *low = part->low > *low ? part->low : *low;
        *high = part->high < *high ? part->high : *high;
        if (part->every > step->proof->box[part->axis].every)
            step->proof->box[part->axis].every = part->every;
    }
    return true;
}

static void extremes(uint32_t lanes, const int64_t *values, int64_t *least, int64_t *most)
{
    *least = INT64_MAX;
    *most = INT64_MIN;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int64_t value = values[__builtin_ctz(left)];
        *least = value < *least ? value : *least;
        *most = value > *most ? value : *most;
    }
}

bool stays(const struct step *step, struct tag *box, const struct tag *tag, uint32_t lanes, const int64_t *values,
           int64_t low, int64_t high)
{
    int64_t least, most;
    extremes(lanes, values, &least, &most);
    return !lanes || tag_limit(box, tag, step->proof->axes, high - most, least - low);
}

/* ---- Operands ---- */

static bool is_constant_row(uint32_t row)
{
    return row == ROW_ZERO || row == ROW_UNIFORM_ZERO;
}

static struct tag *raw_at(const struct step *step, uint32_t row)
{
    struct tag *tag = &step->tags->rows[row], plain = tag_same;
    if (tag->floor > 0 && step->proof->floors[tag->floor - 1].bits == 0)
        tag->floor = 0;
    if (tag->ring) {
        const uint32_t *words = row_at(step->warp, SPACE_WARP, row * ROW_BYTES), most = (1u << tag->ring) - 1;
        int64_t values[LANES];
        for (unsigned l = 0; l < LANES; l++)
            values[l] = words[l] & most;
        struct tag straight = *tag;
        straight.ring = 0;
        const bool known = stays(step, &plain, &straight, tag->lanes, values, 0, most) && tag_add(&plain, &straight, 1);
        tag_same_by(tag, tag->ring);
        if (known && tag_share(&plain, step->proof->axes) >= tag_share(tag, step->proof->axes))
            *tag = plain;
    }
    return tag;
}

const struct tag *tag_at(const struct step *step, uint32_t row)
{
    struct tag *tag = raw_at(step, row);
    if (tag->floor)
        tag_settle(tag, step->proof->floors, step->proof->axes);
    return tag;
}

const struct tag *raw_tag(const struct step *step, unsigned n)
{
    const struct operand *operand = &step->code->operands[n];
    if (operand->space != SPACE_WARP || operand->immediate)
        return &tag_same;
    return raw_at(step, operand->row / ROW_BYTES);
}

const struct tag *sign_tag(const struct step *step, unsigned n)
{
    const struct operand *operand = &step->code->operands[n];
    if (operand->space != SPACE_WARP || operand->immediate)
        return NULL;
    const struct tag *tag = &step->tags->rows[operand->row / ROW_BYTES];
    const struct floor *floor = tag->floor > 0 ? &step->proof->floors[tag->floor - 1] : NULL;
    return floor && floor->bits == 0 && tag_knows(tag, step->lanes) ? &floor->sign : NULL;
}

short floor_add(const struct step *step, const struct floor *floor)
{
    struct block_proof *proof = step->proof;
    if (proof->floor_count == INT16_MAX)
        return 0;
    *ARRAY_GROW(proof->floors, proof->floor_count) = *floor;
    return (short)proof->floor_count;
}

short floor_raised(const struct step *step, short number, unsigned shift)
{
    struct floor floor = step->proof->floors[(number < 0 ? -number : number) - 1];
    floor.up += shift;
    const short raised = floor.up < 32 ? floor_add(step, &floor) : 0;
    return number < 0 ? (short)-raised : raised;
}

static int64_t clipped(int128 value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

struct tag floor_dropped(const struct step *step, const struct tag *tag, const uint32_t *row, unsigned drop,
                         bool is_signed, enum how_dropped how)
{
    const int sign = tag->floor < 0 ? -1 : 1;
    struct floor floor = tag->floor ? step->proof->floors[sign * tag->floor - 1] : (struct floor){.most = 0};
    const int128 one = (int128)1 << floor.bits;
    struct tag result = *tag, moves = tag_same;
    int64_t low = INT64_MAX, high = INT64_MIN;
    uint64_t least = UINT64_MAX, most = 0;
    result.floor = 0;
    bool known = floor.bits + drop < 63 && (floor.up == 0 || how == DROP_STAYS) && (sign < 0) == (how == DROP_HALVES);
    for (unsigned i = 0; i < result.count && known; i++) {
        int64_t *by = &floor.by[result.parts[i].axis], more;
        known = !__builtin_mul_overflow(result.parts[i].by, (int64_t)one, &more) &&
                !__builtin_add_overflow(*by, more, by) && tag_add_part(&moves, result.parts[i].axis, more) &&
                (floor.up == 0 || !more);
        result.parts[i].by = 0;
    }
    for (uint32_t k = 0; k < AXES_MOST && known && tag->floor; k++)
        known = tag_add_part(&moves, k, sign * step->proof->floors[sign * tag->floor - 1].by[k]);
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        const uint32_t word = row[__builtin_ctz(left)];
        const int64_t value = is_signed ? (int64_t)(int32_t)word : (int64_t)word;
        const uint64_t lost = word >> floor.up & ((UINT64_C(1) << drop) - 1);
        low = value < low ? value : low;
        high = value > high ? value : high;
        least = lost < least ? lost : least;
        most = lost > most ? lost : most;
    }
    if (known && how != DROP_STAYS) { /* the number is that word in all blocks */
        const int128 from = is_signed ? INT32_MIN : 0, to = is_signed ? INT32_MAX : UINT32_MAX;
        const int128 above = sign < 0 ? floor.least : one - 1 - floor.most;
        const int128 below = sign < 0 ? one - 1 - floor.most : floor.least;
        known = tag_limit(&result, &moves, step->proof->axes, clipped((to - high) * one + above),
                          clipped((low - from) * one + below));
    }
    floor.least += least << floor.bits;
    floor.most += most << floor.bits;
    floor.bits += drop;
    floor.up += how == DROP_STAYS ? drop : 0;
    result.floor = known ? floor_add(step, &floor) : 0;
    result.lanes = result.floor ? UINT32_MAX : 0;
    return result;
}

bool is_cut(const struct step *step, const struct tag *tag, const struct tag *other)
{
    return tag_share(tag, step->proof->axes) < tag_share(other, step->proof->axes);
}

const struct tag *row_tag(const struct step *step, unsigned n, unsigned k)
{
    const struct operand *operand = &step->code->operands[n];
    const uint32_t row = (operand->row + k * (operand->high - operand->row)) / ROW_BYTES;
    if (operand->space != SPACE_WARP || operand->immediate)
        return &tag_same;
    return tag_at(step, row);
}

const struct tag *mask_tag(const struct step *step, unsigned n)
{
    return &step->tags->masks[step->code->operands[n].row / sizeof(uint32_t)];
}

void put_row(const struct step *step, unsigned n, unsigned k, const struct tag *tag)
{
    const struct operand *operand = &step->code->operands[n];
    const uint32_t row = (operand->row + k * (operand->high - operand->row)) / ROW_BYTES;
    if (row >= ROWS || is_constant_row(row))
        return;
    tag = step->maybe ? &tag_data : tag;
    struct tag *to = &step->tags->rows[row], settled;
    step->tags->place_row = step->tags->place_row == row + 1 ? 0 : step->tags->place_row;
    if (to->lanes & ~step->lanes && (to->floor || tag->floor)) {
        settled = *tag;
        tag_settle(to, step->proof->floors, step->proof->axes);
        tag_settle(&settled, step->proof->floors, step->proof->axes);
        tag = &settled;
    }
    tag_put(to, tag, step->lanes);
}

void put_mask(const struct step *step, unsigned n, const struct tag *tag)
{
    const uint32_t mask = step->code->operands[n].row / sizeof(uint32_t);
    tag_put(&step->tags->masks[mask], step->maybe ? &tag_data : tag, step->lanes);
}

void put_all(const struct step *step, const struct tag *tag, unsigned rows, unsigned lost)
{
    for (unsigned n = 0; n < step->code->output_count; n++) {
        if (step->code->operands[n].kind == OPERAND_PREDICATE) {
            put_mask(step, n, tag);
            continue;
        }
        for (unsigned k = 0; k < rows + lost; k++)
            put_row(step, n, k, k < rows ? tag : &tag_data);
    }
}

bool join(struct tag *tag, const struct tag *other, uint32_t lanes)
{
    return tag_knows(other, lanes) && !tag_moves(other) && tag_add(tag, other, 0);
}

bool join_all(const struct step *step, struct tag *tag, unsigned rows)
{
    const struct instruction *code = step->code;
    bool known = true;
    for (unsigned n = code->output_count; n < code->operand_count && known; n++) {
        const unsigned kind = code->operands[n].kind;
        if (kind == OPERAND_PREDICATE)
            known = join(tag, mask_tag(step, n), step->lanes);
        for (unsigned k = 0; k < rows && known && (kind == OPERAND_ROW || kind == OPERAND_SIGN); k++)
            known = join(tag, row_tag(step, n, k), step->lanes);
        known &= kind == OPERAND_PREDICATE || kind == OPERAND_ROW || kind == OPERAND_SIGN || kind == OPERAND_SPECIAL ||
                 kind == OPERAND_WORD;
    }
    return known;
}

/* ---- The same of the same ---- */

static void same_of(struct step *step, unsigned reads, unsigned writes, unsigned lost)
{
    struct tag tag = tag_same;
    put_all(step, join_all(step, &tag, reads) ? &tag : &tag_data, writes, lost);
}

#define RULE_THAT(name, call)                                                                                          \
    void name(struct step *step)                                                                                       \
    {                                                                                                                  \
        call;                                                                                                          \
    }
RULE_THAT(rule_keeps, (void)step)
RULE_THAT(rule_same, same_of(step, 1, 1, 0))
RULE_THAT(rule_same_64, same_of(step, 2, 2, 0))
RULE_THAT(rule_compare_64, same_of(step, 2, 1, 0)) /* compares pairs, and writes predicates or one row */
RULE_THAT(rule_data_1, put_all(step, &tag_data, 0, 1))
RULE_THAT(rule_data_4, put_all(step, &tag_data, 0, 4))
RULE_THAT(rule_data_8, put_all(step, &tag_data, 0, 8))

/* Where a type has 64 bits it reads two rows, or writes two, or both. */
void rule_convert(struct step *step)
{
    const struct instruction *code = step->code;
    const bool wide = has_modifier(code, "F64") || has_modifier(code, "U64") || has_modifier(code, "S64");
    same_of(step, wide ? 2 : 1, 1, wide);
}

/* ---- Addresses ---- */

bool need_row(struct step *step, uint32_t offset, const char *why)
{
    return need(step, tag_at(step, offset / ROW_BYTES), step->lanes, why);
}

bool need_narrow(struct step *step, unsigned n)
{
    const struct operand *operand = &step->code->operands[n];
    return need_row(step, operand->row, "a shared or local address does not follow from the block index") &&
           (!operand->based ||
            need_row(step, operand->base, "a shared or local address does not follow from the block index"));
}
