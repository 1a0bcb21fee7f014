#include "instruction.h"

#include "base/base.h"

#include <string.h>

bool has_modifier(const struct instruction *code, const char *modifier)
{
    return ANY(i, code->modifier_count, strcmp(code->modifiers[i], modifier) == 0);
}

int word_place(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (int place = 0; *words; place++) {
        const size_t next = strcspn(words, " ");
        if (next == length && strncmp(words, word, length) == 0)
            return place;
        words += next + (words[next] == ' ');
    }
    return -1;
}

int modifier_among(const struct instruction *code, const char *words)
{
    int place = -1;
    for (unsigned i = 0; i < code->modifier_count && place < 0; i++)
        place = word_place(words, code->modifiers[i]);
    return place;
}

void modifiers_note(struct instruction *code)
{
    static const struct {
        const char *name;
        uint64_t bit;
    } known[] = {
#define MODIFIER_ROW(name) {#name, MODIFIER(name)},
        KNOWN_MODIFIERS(MODIFIER_ROW)
#undef MODIFIER_ROW
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        code->known |= has_modifier(code, known[i].name) ? known[i].bit : 0;
}

bool modifiers_allowed(const struct instruction *code, const struct opcode *row)
{
    if (!row->modifiers)
        return true;
    /* The row's modifiers follow those that are part of its name. */
    unsigned first = 0;
    for (const char *at = row->name; *at; at++)
        first += *at == '.';
    for (unsigned i = first; i < code->modifier_count; i++)
        if (word_place(row->modifiers, code->modifiers[i]) < 0)
            return false;
    return true;
}

const struct operand *operand_of(const struct instruction *code, enum operand_kind kind)
{
    return FIND(one, code->operands, code->operand_count, one->kind == kind);
}
