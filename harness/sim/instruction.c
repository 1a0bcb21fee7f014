#include "machine.h"

#include <string.h>

bool has_modifier(const struct instruction *code, const char *modifier)
{
    for (unsigned i = 0; i < code->modifier_count; i++)
        if (strcmp(code->modifiers[i], modifier) == 0)
            return true;
    return false;
}
