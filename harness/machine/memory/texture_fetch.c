/* Fetches from textures. Operands of all of them: two rows of results each for the upper and the lower channels, the
 * sources, the handle, the shape, and which channels are wanted, if not all four are.
 *
 * The sources are coordinates and, of some, a second operand with the level of detail or the gradients. The handle is
 * a uniform register, which 9.0 has 0x0 behind. In code of 8.x it is a word of constant bank 0, written as the bank and
 * the word's number, or with .B the first register of the second operand. With .SCR the registers of both operands are
 * distributed: of those that the instruction has without, the first operand is the first half. */
#include "memo.h"
#include "texels.h"

enum { FLAG_SHAPE, FLAG_CHANNELS, FLAG_HANDLE, FLAG_GATHERED, FLAG_FIRST, FLAG_WHERE };
enum { HANDLE_IN_ROW, HANDLE_IN_BANK, HANDLE_IN_SOURCE };

static const struct {
    const char *name;
    unsigned axes;
    bool layers;
} shapes[] = {
    [TEXTURE_LINEAR] = {"1D", 1, false},
    [TEXTURE_1D] = {"", 1, false},
    [TEXTURE_2D] = {"2D", 2, false},
    [TEXTURE_3D] = {"3D", 3, false},
    [TEXTURE_CUBE] = {"CUBE", 3, false},
    [TEXTURE_1D_LAYERS] = {"ARRAY_1D", 1, true},
    [TEXTURE_2D_LAYERS] = {"ARRAY_2D", 2, true},
    [TEXTURE_CUBE_LAYERS] = {"ARRAY_CUBE", 3, true},
};

uint32_t texture_handle_of(const struct block *block, int64_t word)
{
    uint32_t handle = 0;
    if (word >= 0 && (uint64_t)word * sizeof handle + sizeof handle <= block->bank0_size)
        memcpy(&handle, block->bank0 + (size_t)word * sizeof handle, sizeof handle);
    return handle;
}

static unsigned coordinates(const struct instruction *code)
{
    return shapes[code->flags[FLAG_SHAPE]].axes + shapes[code->flags[FLAG_SHAPE]].layers;
}

/* One of the registers with sources, counted through both operands. */
static uint32_t source(struct warp *warp, const struct instruction *code, unsigned number, unsigned lane)
{
    const unsigned first = code->flags[FLAG_FIRST];
    return number < first ? ROW_BEHIND(2, number)[lane] : ROW_BEHIND(3, number - first)[lane];
}

static uint32_t handle_of(struct warp *warp, const struct instruction *code, unsigned lane)
{
    const unsigned at = code->flags[FLAG_HANDLE];
    switch (code->flags[FLAG_WHERE]) {
    case HANDLE_IN_BANK:
        return texture_handle_of(warp->block, code->operands[at].value);
    case HANDLE_IN_SOURCE:
        return source(warp, code, coordinates(code), lane);
    default:
        return ROW(at)[lane];
    }
}

int texture_handle(struct warp *warp, const struct instruction *code, uint64_t *handle, unsigned *channels)
{
    *channels = (unsigned)__builtin_popcount(code->flags[FLAG_CHANNELS]);
    *handle = handle_of(warp, code, 0);
    return code->flags[FLAG_WHERE] == HANDLE_IN_SOURCE ? -1
           : code->flags[FLAG_WHERE] == HANDLE_IN_ROW  ? code->flags[FLAG_HANDLE]
                                                       : 0;
}

static const struct texture *find(struct warp *warp, const struct instruction *code, uint64_t handle)
{
    struct block *block = warp->block;
    const struct texture *texture = texture_find(block->machine, handle);
    struct allocation place;
    if (!texture || texture->is_surface)
        block_fault_of(block, FAULT_ADDRESS, "%s of 0x%llx, which is not a texture", code->opcode,
                       (unsigned long long)handle);
    const unsigned shape = code->flags[FLAG_SHAPE];
    /* A texture of one dimension is read as one of two, at 0. */
    if (texture->shape != shape && !(texture->shape == TEXTURE_1D && shape == TEXTURE_2D))
        block_not_simulated(block, "%s of a texture whose dimensions are not those of %s", code->opcode,
                            shapes[shape].name);
    const uint64_t begin = texture->address;
    if (begin && (!device_find(block->machine, begin, &place) || place.end - begin < texture->bytes))
        block_fault_of(block, FAULT_ADDRESS, "%s of a texture whose memory was freed, or is too small", code->opcode);
    const unsigned channels =
        code->flags[FLAG_GATHERED] ? 1u << (code->flags[FLAG_GATHERED] - 1) : code->flags[FLAG_CHANNELS];
    if (channels >> texture->channels)
        block_not_simulated(block, "%s of channels that the texture does not have", code->opcode);
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

/* Reads coordinates. The layer comes first. */
static void read_place(struct warp *warp, const struct instruction *code, unsigned lane, struct texture_place *place)
{
    unsigned number = 0;
    *place = (struct texture_place){{0}, 0};
    if (shapes[code->flags[FLAG_SHAPE]].layers)
        place->layer = source(warp, code, number++, lane);
    for (unsigned i = 0; i < shapes[code->flags[FLAG_SHAPE]].axes; i++) {
        const uint32_t bits = source(warp, code, number++, lane);
        memcpy(&place->at[i], &bits, sizeof bits);
    }
}

/* What one lane reads. */
static const char *fetch(struct warp *warp, const struct instruction *code, const struct texture *texture,
                         unsigned lane, uint32_t texel[TEXTURE_CHANNELS])
{
    struct texture_place place;
    if (texture->shape == TEXTURE_LINEAR) {
        texture_at(texture, (int32_t)source(warp, code, 0, lane), texel);
        return NULL;
    }
    read_place(warp, code, lane, &place);
    if (code->flags[FLAG_GATHERED])
        return texture_gather(texture, &place, code->flags[FLAG_GATHERED] - 1u, texel);
    return texture_sample(texture, &place, texel);
}

static void tex(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t texels[LANES][TEXTURE_CHANNELS];
    const struct texture *texture = NULL;
    struct allocation place = {0, 0};
    /* Results may be written to the registers of coordinates. */
    for (unsigned l = 0, was = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        const uint32_t wanted = handle_of(warp, code, l);
        if (!texture || wanted != was)
            texture = find(warp, code, wanted);
        was = wanted;
        warp->block->tallies[code->index].home_bytes[device_home(warp->block->machine, texture->address, &place)] +=
            SECTOR_BYTES;
        const char *unknown = fetch(warp, code, texture, l, texels[l]);
        if (unknown)
            block_not_simulated(warp->block, "%s", unknown);
    }
    EACH_BIT(l, lanes)
        write_channels(warp, code, l, texels[l]);
}

/* Finds the handle, and what stands before and behind it. Mipmaps and anisotropic filtering are refused where textures
 * are made, so it does not matter how dense samples are: the level of detail of TEX.LL, the gradients of TXD. */
static bool prepare(struct instruction *code, bool detailed)
{
    const struct operand *operands = code->operands;
    unsigned at = 2, shape = 0;
    while (at < code->operand_count && operands[at].kind == OPERAND_ROW)
        at++;
    if (at < 4 || at == code->operand_count || code->operand_count > at + 2 ||
        (operands[at].kind != OPERAND_WORD && operands[at].kind != OPERAND_SPECIAL))
        return false;
    while (shape < ARRAY_SIZE(shapes) && strcmp(shapes[shape].name, operands[at].word) != 0)
        shape++;
    if (shape == ARRAY_SIZE(shapes))
        return false;
    const struct operand *wanted = at + 1 < code->operand_count ? &operands[at + 1] : NULL;
    if (wanted && !(wanted->immediate && wanted->value > 0 && wanted->value < 16))
        return false;
    code->flags[FLAG_SHAPE] = (unsigned char)shape;
    code->flags[FLAG_CHANNELS] = wanted ? (unsigned char)wanted->value : 15;

    const bool zero = operands[at - 1].immediate && operands[at - 1].value == 0, halved = has_modifier(code, "SCR");
    unsigned handle = at - 1 - zero;
    if (operands[at - 1].immediate && operands[at - 2].immediate && operands[at - 2].value == 0) {
        code->flags[FLAG_WHERE] = HANDLE_IN_BANK;
        handle = at - 2;
    } else if (!operands[handle].uniform) {
        code->flags[FLAG_WHERE] = HANDLE_IN_SOURCE;
        handle = zero ? 0 : at;
    }
    /* Of a bank and a word it is the word. */
    code->flags[FLAG_HANDLE] = (unsigned char)(handle + (code->flags[FLAG_WHERE] == HANDLE_IN_BANK));
    const bool bindless = code->flags[FLAG_WHERE] == HANDLE_IN_SOURCE;
    const unsigned registers = coordinates(code) + bindless + detailed;
    code->flags[FLAG_FIRST] = (unsigned char)(halved ? (registers + 1) / 2 : coordinates(code));
    return handle == 3u + (code->flags[FLAG_FIRST] < registers) &&
           (!halved || code->flags[FLAG_WHERE] != HANDLE_IN_ROW);
}

PREPARE(tex, prepare(code, has_modifier(code, "LL")) && code->flags[FLAG_SHAPE] != TEXTURE_LINEAR)
PREPARE(txd, prepare(code, true) && code->flags[FLAG_SHAPE] != TEXTURE_LINEAR)

PREPARE(tld, has_modifier(code, "LZ") && prepare(code, false) && code->flags[FLAG_SHAPE] == TEXTURE_LINEAR)

/* The channel stands last: .B before it says where the handle is. */
static bool prepare_tld4(struct instruction *code)
{
    const unsigned count = code->modifier_count;
    code->flags[FLAG_GATHERED] = count ? (unsigned char)(word_place("R G B A", code->modifiers[count - 1]) + 1) : 0;
    return code->flags[FLAG_GATHERED] > 0 && prepare(code, false) && code->flags[FLAG_SHAPE] == TEXTURE_2D;
}

/* clang-format off */
const struct opcode texture_opcodes[] = {
    {"TEX",  tex, RULE_TEXTURE, prepare_tex,  "dd", "SCR B LL LZ"},
    {"TXD",  tex, RULE_TEXTURE, prepare_txd,  "dd", ""}, /* of .B the handle stands first: not simulated */
    {"TLD",  tex, RULE_TEXTURE, prepare_tld,  "dd", "SCR B LZ"},
    {"TLD4", tex, RULE_TEXTURE, prepare_tld4, "dd", "SCR B R G A"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
