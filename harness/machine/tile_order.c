#include "trial.h"

/* The instruction just before one that reads a byte of a table of constants, by the place of the block; NULL: there is
 * none. */
static const struct instruction *place_before(const struct code *code, size_t i)
{
    enum { NEAR = 4 };
    const struct operand *from = &code->list[i].operands[1];
    if (from->kind != OPERAND_CONSTANT || from->index != PARAMETER_BANK || code->list[i].size != 1)
        return NULL;
    for (size_t k = 1; k <= NEAR && k <= i; k++) {
        const struct instruction *before = &code->list[i - k];
        if (before->rule == RULE_SPECIAL >> RULE_SHIFT && before->operands[0].row == from->row &&
            strncmp(before->operands[1].word, "SR_CTAID.", 9) == 0)
            return before;
    }
    return NULL;
}

uint32_t *order_of_tiles(const struct run_state *run, const unsigned *blocks, struct axis *axes)
{
    const struct entry *entry = &run->grid->function->entry;
    for (size_t i = 0; i < run->code->count && run->grid->parameters; i++) {
        const struct instruction *before = place_before(run->code, i);
        const unsigned of = before ? (unsigned)(before->operands[1].word[9] - 'X') : 0, count = blocks[of];
        const int64_t offset = run->code->list[i].operands[1].value - entry->parameter_base;
        if (!before || count != run->grid->blocks[of] || offset < 0 || offset + count > (int64_t)entry->parameter_bytes)
            continue;
        const unsigned char *table = run->grid->parameters + offset;
        uint32_t *order = x_calloc(2 * (size_t)count, sizeof *order), placed = 0;
        for (uint32_t k = 0; k < count && table[k] < count; k++) {
            order[k] = table[k];
            placed += order[count + table[k]] == 0;
            order[count + table[k]] = k + 1;
        }
        for (uint32_t k = 0; k < count; k++)
            order[count + k]--;
        if (placed == count) {
            axes[of].order = order;
            return order;
        }
        free(order);
    }
    return NULL;
}
