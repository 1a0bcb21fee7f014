/* Fetches from textures: by points, of one 32-bit channel. */
#include "machine.h"
#include "texture.h"

#include <string.h>

enum { FLAG_FIRST };

/* Operands d, d, coordinates (a pair of registers), level of detail, handle, 0x0, 2D, channels. A single channel goes
 * to the second d. */
static void tex(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *x = ROW(2), *y = HIGH(2), *handle = ROW(4);
    const unsigned to = code->flags[FLAG_FIRST];
    uint32_t *result = ROW(to);
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        float column, line;
        uint32_t texel[4];
        memcpy(&column, &x[l], 4);
        memcpy(&line, &y[l], 4);
        if (!texture_fetch(handle[l], column, line, texel))
            block_not_simulated(warp->block, "%s of a texture of this kind", code->opcode);
        result[l] = texel[0];
    }
}

static bool prepare_tex(struct instruction *code)
{
    code->flags[FLAG_FIRST] = 1;
    return code->operand_count == 8 && code->operands[4].kind == OPERAND_ROW && code->operands[6].word &&
           strcmp(code->operands[6].word, "2D") == 0 && code->operands[7].value == 1;
}

const struct opcode texture_opcodes[] = {
    {"TEX.LL", tex, CONTROL_NEXT, prepare_tex, "dd", ""},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
