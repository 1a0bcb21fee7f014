/* lanes_integer.h - what the files of operations on integers share. */
#pragma once

#include "lanes.h"

static inline bool prepare_extended(struct instruction *code)
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

static inline bool is_sink(const struct operand *operand)
{
    return operand->row == MASK_SINK * 4;
}

static inline bool prepare_plain(struct instruction *code)
{
    for (unsigned i = 1; i < code->operand_count; i++)
        if (code->operands[i].negate || code->operands[i].absolute)
            return false;
    return true;
}

static inline uint32_t byte_of(uint32_t word, int n, bool is_signed)
{
    const uint32_t sign = is_signed ? 0x80 : 0;
    return ((word >> (8 * n) & 0xff) ^ sign) - sign;
}

/* Takes out the predicates that some code of 10.0 and 12.0 has behind the result. Where they are others than PT, they
 * stay and make the operands too many. */
static inline void without_true(struct instruction *code)
{
    const struct operand *two = &code->operands[1];
    for (unsigned i = 0; i < 2; i++)
        if (code->operand_count < 3 || two[i].kind != OPERAND_PREDICATE || two[i].index != MASK_TRUE || two[i].invert)
            return;
    code->operand_count -= 2;
    memmove(code->operands + 1, code->operands + 3, (code->operand_count - 1u) * sizeof *code->operands);
}

/* Checks the sources of an operation on 64 bits: pairs of registers, or numbers. */
static inline bool prepare_pairs(const struct instruction *code, unsigned first, unsigned last)
{
    for (unsigned n = first; n <= last; n++)
        if (n >= code->operand_count || code->operands[n].kind != OPERAND_ROW || code->operands[n].absolute)
            return false;
    return true;
}

#define PAIR(n, l) (wide(ROW(n)[l], HIGH(n)[l]) ^ (INVERT(n) ? UINT64_MAX : 0))
