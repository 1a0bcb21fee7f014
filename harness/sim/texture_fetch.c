/* Fetches from textures. Operands of all of them: two rows of results each for the upper and the lower channels,
 * coordinates, ..., the handle, 0x0, the shape, and which channels are wanted, if not all four are. */
#include "device_memory.h"
#include "machine.h"
#include "texture.h"

#include <string.h>

enum { FLAG_SHAPE, FLAG_CHANNELS, FLAG_HANDLE, FLAG_GATHERED };

static const struct texture *find(struct warp *warp, const struct instruction *code, uint64_t handle)
{
    struct block *block = warp->block;
    const struct texture *texture = texture_find(handle);
    struct allocation place;
    if (!texture || texture->is_surface)
        block_fault(block, "%s of 0x%llx, which is no texture", code->opcode, (unsigned long long)handle);
    const unsigned shape = code->flags[FLAG_SHAPE];
    /* A texture of one dimension is read as one of two, at 0. */
    if (texture->shape != shape && !(texture->shape == TEXTURE_1D && shape == TEXTURE_2D))
        block_not_simulated(block, "%s of a texture of another shape than %s", code->opcode,
                            code->operands[code->flags[FLAG_HANDLE] + 2].word);
    const uint64_t begin = (uint64_t)(uintptr_t)texture->texels;
    if (texture->in_memory && (!device_find(begin, &place) || place.end - begin < texture->bytes))
        block_fault(block, "%s of a texture whose memory was freed, or ends before it does", code->opcode);
    const unsigned channels =
        code->flags[FLAG_GATHERED] ? 1u << (code->flags[FLAG_GATHERED] - 1) : code->flags[FLAG_CHANNELS];
    if (channels >> texture->channels)
        block_not_simulated(block, "%s of channels that the texture lacks", code->opcode);
    return texture;
}

/* Writes the wanted channels: the first two to the second operand, the others to the first. */
static void write_channels(struct warp *warp, const struct instruction *code, unsigned lane, const uint32_t texel[4])
{
    unsigned written = 0;
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++) {
        if (!(code->flags[FLAG_CHANNELS] >> i & 1))
            continue;
        const unsigned operand = written < 2;
        (written % 2 ? HIGH(operand) : ROW(operand))[lane] = texel[i];
        written++;
    }
}

/* Reads coordinates from consecutive registers. The layer comes first. */
static void read_place(struct warp *warp, const struct instruction *code, unsigned lane, struct texture_place *place)
{
    static const struct {
        unsigned axes;
        bool layers;
    } shapes[] = {[TEXTURE_LINEAR] = {1, false},   [TEXTURE_1D] = {1, false},        [TEXTURE_2D] = {2, false},
                  [TEXTURE_3D] = {3, false},       [TEXTURE_CUBE] = {3, false},      [TEXTURE_1D_LAYERS] = {1, true},
                  [TEXTURE_2D_LAYERS] = {2, true}, [TEXTURE_CUBE_LAYERS] = {3, true}};
    unsigned number = 0;
    *place = (struct texture_place){{0}, 0};
    if (shapes[code->flags[FLAG_SHAPE]].layers)
        place->layer = ROW_BEHIND(2, number++)[lane];
    for (unsigned i = 0; i < shapes[code->flags[FLAG_SHAPE]].axes; i++, number++)
        memcpy(&place->at[i], &ROW_BEHIND(2, number)[lane], sizeof place->at[i]);
}

/* What one lane reads. */
static const char *fetch(struct warp *warp, const struct instruction *code, const struct texture *texture,
                         unsigned lane, uint32_t texel[TEXTURE_CHANNELS])
{
    struct texture_place place;
    if (texture->shape == TEXTURE_LINEAR) {
        texture_at(texture, (int32_t)ROW(2)[lane], texel);
        return NULL;
    }
    read_place(warp, code, lane, &place);
    if (code->flags[FLAG_GATHERED])
        return texture_gather(texture, &place, code->flags[FLAG_GATHERED] - 1u, texel);
    return texture_sample(texture, &place, texel);
}

static void tex(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const unsigned handle = code->flags[FLAG_HANDLE];
    uint32_t texels[LANES][TEXTURE_CHANNELS];
    const struct texture *texture = NULL;
    /* Results may be written to the registers of coordinates. */
    for (unsigned l = 0, was = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        const uint32_t wanted = ROW(handle)[l];
        if (!texture || wanted != was)
            texture = find(warp, code, wanted);
        was = wanted;
        const char *unknown = fetch(warp, code, texture, l, texels[l]);
        if (unknown)
            block_not_simulated(warp->block, "%s", unknown);
    }
    for (unsigned l = 0; l < LANES; l++)
        if (lanes >> l & 1)
            write_channels(warp, code, l, texels[l]);
}

/* Takes the shape and the channels, behind the handle. Mipmaps and anisotropic filtering are refused where textures are
 * made, so it does not matter how dense samples are: the level of detail of TEX.LL, the gradients of TXD. */
static bool prepare(struct instruction *code, unsigned handle)
{
    static const char *const shapes[] = {[TEXTURE_LINEAR] = "1D",
                                         [TEXTURE_1D] = "",
                                         [TEXTURE_2D] = "2D",
                                         [TEXTURE_3D] = "3D",
                                         [TEXTURE_CUBE] = "CUBE",
                                         [TEXTURE_1D_LAYERS] = "ARRAY_1D",
                                         [TEXTURE_2D_LAYERS] = "ARRAY_2D",
                                         [TEXTURE_CUBE_LAYERS] = "ARRAY_CUBE"};
    const struct operand *operands = code->operands;
    if (code->operand_count < handle + 3 || code->operand_count > handle + 4 || operands[handle].kind != OPERAND_ROW ||
        operands[handle + 1].value != 0 ||
        (operands[handle + 2].kind != OPERAND_WORD && operands[handle + 2].kind != OPERAND_SPECIAL))
        return false;
    unsigned shape = 0;
    while (shape < sizeof shapes / sizeof *shapes && strcmp(shapes[shape], operands[handle + 2].word) != 0)
        shape++;
    if (shape == sizeof shapes / sizeof *shapes)
        return false;
    const bool all = code->operand_count == handle + 3;
    if (!all && !(operands[handle + 3].immediate && operands[handle + 3].value > 0 && operands[handle + 3].value < 16))
        return false;
    code->flags[FLAG_SHAPE] = (unsigned char)shape;
    code->flags[FLAG_CHANNELS] = all ? 15 : (unsigned char)operands[handle + 3].value;
    code->flags[FLAG_HANDLE] = (unsigned char)handle;
    return true;
}

static bool prepare_tex(struct instruction *code)
{
    return prepare(code, 4) && code->flags[FLAG_SHAPE] != TEXTURE_LINEAR;
}

static bool prepare_tex_zero(struct instruction *code)
{
    return prepare(code, 3) && code->flags[FLAG_SHAPE] != TEXTURE_LINEAR;
}

static bool prepare_tld(struct instruction *code)
{
    return prepare(code, 3) && code->flags[FLAG_SHAPE] == TEXTURE_LINEAR;
}

static bool prepare_tld4(struct instruction *code)
{
    static const char *const channels[TEXTURE_CHANNELS] = {"R", "G", "B", "A"};
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++)
        if (has_modifier(code, channels[i]))
            code->flags[FLAG_GATHERED] = (unsigned char)(i + 1);
    return code->flags[FLAG_GATHERED] > 0 && prepare(code, 3) && code->flags[FLAG_SHAPE] == TEXTURE_2D;
}

/* clang-format off */
const struct opcode texture_opcodes[] = {
    {"TEX.LL", tex, CONTROL_NEXT, prepare_tex,      "dd", ""},
    {"TEX.LZ", tex, CONTROL_NEXT, prepare_tex_zero, "dd", ""},
    {"TXD",    tex, CONTROL_NEXT, prepare_tex,      "dd", ""},
    {"TLD.LZ", tex, CONTROL_NEXT, prepare_tld,      "dd", ""},
    {"TLD4",   tex, CONTROL_NEXT, prepare_tld4,     "dd", "R G B A"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
