/* What all rules share: the class, operands, and rules of operations that have no other input than what they read. */
#include "rules.h"

#include <string.h>

const struct tag tag_data = {.lanes = 0};

void proof_fail(struct block_proof *proof, const struct instruction *code, const char *why)
{
    if (proof->why)
        return;
    proof->why = why;
    proof->where = code;
}

/* ---- For tests ---- */

/* How much more a value is than that of the executed block. False: it is not known of this block. */
static bool foretells(const struct tag *tag, const struct axis *from, const struct axis *at, uint32_t *more)
{
    for (unsigned i = 0; i < tag->count; i++) {
        const struct tag_part *part = &tag->parts[i];
        if (at[part->axis].at < part->low || at[part->axis].at > part->high)
            return false;
        *more += (uint32_t)part->by * (at[part->axis].at - from[part->axis].at);
    }
    return true;
}

void proof_check(const struct warp *warp)
{
    struct block_proof *proof = warp->block->proof;
    const struct block_proof *of = proof->of_class;
    struct proof_values *values = &proof->values[warp->number];
    memcpy(values->rows, warp->rows, sizeof values->rows);
    memcpy(values->masks, warp->masks, sizeof values->masks);
    for (unsigned row = 0; of && row < ROW_SINK; row++) {
        const struct tag *tag = &of->warps[warp->number].rows[row];
        uint32_t more = 0;
        for (unsigned l = 0; foretells(tag, of->axes, proof->axes, &more) && l < LANES && !proof->wrong; l++, more = 0)
            if (tag->lanes >> l & 1 && values->rows[row][l] != of->values[warp->number].rows[row][l] + more)
                proof->wrong = x_sprintf("row %u of warp %u, lane %u, is 0x%x, not 0x%x", row, warp->number, l,
                                         values->rows[row][l], of->values[warp->number].rows[row][l] + more);
    }
    for (unsigned mask = 0; of && mask < MASKS - 1 && !proof->wrong; mask++) {
        const struct tag *tag = &of->warps[warp->number].masks[mask];
        uint32_t more = 0;
        if (foretells(tag, of->axes, proof->axes, &more) &&
            (values->masks[mask] ^ of->values[warp->number].masks[mask]) & tag->lanes)
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
    }
    return true;
}

/* ---- Operands ---- */

static bool is_constant_row(uint32_t row)
{
    return row == ROW_ZERO || row == ROW_UNIFORM_ZERO;
}

const struct tag *row_tag(const struct step *step, unsigned n, unsigned k)
{
    const struct operand *operand = &step->code->operands[n];
    const uint32_t row = (operand->row + k * (operand->high - operand->row)) / ROW_BYTES;
    if (operand->space != SPACE_WARP || operand->immediate)
        return &tag_same;
    return row < ROWS ? &step->tags->rows[row] : &tag_data;
}

const struct tag *mask_tag(const struct step *step, unsigned n)
{
    return &step->tags->masks[step->code->operands[n].row / sizeof(uint32_t)];
}

void put_row(const struct step *step, unsigned n, unsigned k, const struct tag *tag)
{
    const struct operand *operand = &step->code->operands[n];
    const uint32_t row = (operand->row + k * (operand->high - operand->row)) / ROW_BYTES;
    if (row < ROWS && !is_constant_row(row))
        tag_put(&step->tags->rows[row], tag, step->lanes);
}

void put_mask(const struct step *step, unsigned n, const struct tag *tag)
{
    const uint32_t mask = step->code->operands[n].row / sizeof(uint32_t);
    if (mask % 8 != MASK_TRUE)
        tag_put(&step->tags->masks[mask], tag, step->lanes);
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

void rule_same(struct step *step)
{
    same_of(step, 1, 1, 0);
}

void rule_same_64(struct step *step)
{
    same_of(step, 2, 2, 0);
}

/* Reads one row or two, and may write a second. */
void rule_convert(struct step *step)
{
    same_of(step, 2, 1, 1);
}

/* Compares pairs, and writes predicates or one row. */
void rule_compare_64(struct step *step)
{
    same_of(step, 2, 1, 0);
}

void rule_keeps(struct step *step)
{
    (void)step;
}

void rule_data_1(struct step *step)
{
    put_all(step, &tag_data, 0, 1);
}

void rule_data_4(struct step *step)
{
    put_all(step, &tag_data, 0, 4);
}

void rule_data_8(struct step *step)
{
    put_all(step, &tag_data, 0, 8);
}
