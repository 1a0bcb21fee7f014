#include "instruction.h"

#include <string.h>

bool has_modifier(const struct instruction *code, const char *modifier)
{
    for (unsigned i = 0; i < code->modifier_count; i++)
        if (strcmp(code->modifiers[i], modifier) == 0)
            return true;
    return false;
}

const struct operand *operand_of(const struct instruction *code, enum operand_kind kind)
{
    for (unsigned i = 0; i < code->operand_count; i++)
        if (code->operands[i].kind == kind)
            return &code->operands[i];
    return NULL;
}
