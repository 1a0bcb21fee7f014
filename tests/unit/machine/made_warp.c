#include "made_warp.h"

#include <criterion/criterion.h>

struct warp *made_warp(void)
{
    static struct warp warp;
    memset(&warp, 0, sizeof warp);
    warp.spaces[SPACE_WARP] = (char *)warp.rows;
    warp.masks[MASK_TRUE] = ALL_LANES;
    warp.alive = warp.active = ALL_LANES;
    return &warp;
}

struct instruction *made_instruction(const struct opcode *table, const char *opcode, unsigned operands)
{
    static struct instruction code;
    static char text[100];
    memset(&code, 0, sizeof code);
    code.opcode = opcode;
    cr_assert_lt(strlen(opcode), sizeof text);
    strcpy(text, opcode);
    const char *name = strtok(text, ".");
    for (char *word; (word = strtok(NULL, "."));)
        code.modifiers[code.modifier_count++] = word;
    code.operand_count = (unsigned char)operands;
    for (unsigned n = 0; n < operands; n++) {
        const uint32_t row = n * MADE_REGISTER * ROW_BYTES;
        code.operands[n] =
            (struct operand){.kind = OPERAND_ROW, .space = SPACE_WARP, .row = row, .high = row + ROW_BYTES, .scale = 1};
    }
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0) {
            code.run = table->run;
            modifiers_note(&code);
            return modifiers_allowed(&code, table) && (!table->prepare || table->prepare(&code)) ? &code : NULL;
        }
    cr_assert_fail("no row %s", name);
    return NULL;
}

void made_predicate(struct instruction *code, unsigned n, unsigned number)
{
    code->operands[n] = (struct operand){.kind = OPERAND_PREDICATE, .row = number * 4};
}

uint32_t *warp_row(struct warp *warp, unsigned n, unsigned behind)
{
    return warp->rows[n * MADE_REGISTER + behind];
}

unsigned made_vectors(void)
{
    return vector_unit() + 1;
}

uint64_t made_random(void)
{
    static uint64_t state = 1;
    /* This is xorshift64* by Marsaglia and Vigna. */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}
