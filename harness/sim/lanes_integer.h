/* lanes_integer.h - what the files of operations on integers share. */
#ifndef LANES_INTEGER_H
#define LANES_INTEGER_H

#include "lanes.h"

enum { FLAG_EXTENDED, FLAG_SIGNED, FLAG_HIGH, FLAG_LEFT, FLAG_WRAP, FLAG_WIDE };

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
    const uint32_t byte = word >> (8 * n) & 0xff;
    return is_signed ? (uint32_t)(int32_t)(int8_t)byte : byte;
}

#endif
