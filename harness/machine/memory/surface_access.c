/* Accesses to surfaces: texels as they are, whose first coordinate counts bytes. Coordinates and layer are in
 * consecutive registers. */
#include "texels.h"

#include "machine/races/races.h"

enum { FLAG_SHAPE, FLAG_BEYOND };

/* What becomes of an access beyond the edges. */
enum { BEYOND_FAILS, BEYOND_IS_ZERO, BEYOND_IS_EDGE };

/* As the machine code has it. A cube has six layers. */
static const struct surface_shape {
    const char *name;
    unsigned axes;
    bool layers;
    unsigned fits; /* bits of enum texture_shape */
} shapes[] = {
    {"1D", 1, false, 1u << TEXTURE_1D},
    {"2D", 2, false, 1u << TEXTURE_2D},
    {"3D", 3, false, 1u << TEXTURE_3D},
    {"1D_ARRAY", 2, true, 1u << TEXTURE_1D_LAYERS},
    {"2D_ARRAY", 3, true, 1u << TEXTURE_2D_LAYERS | 1u << TEXTURE_CUBE | 1u << TEXTURE_CUBE_LAYERS},
};

static const struct texture *find(struct warp *warp, const struct instruction *code, uint64_t handle)
{
    const struct texture *surface = texture_find(warp->block->machine, handle);
    if (!surface || !surface->is_surface)
        block_fault_of(warp->block, FAULT_ADDRESS, "%s of 0x%llx, which is not a surface", code->opcode,
                       (unsigned long long)handle);
    if (!(shapes[code->flags[FLAG_SHAPE]].fits >> surface->shape & 1))
        block_not_simulated(warp->block, "%s of a surface with different dimensions", code->opcode);
    return surface;
}

/* Returns the bytes that a lane accesses; NULL: they are beyond the edges, where nothing is. */
static unsigned char *place_of(struct warp *warp, const struct instruction *code, const struct texture *surface,
                               const struct operand *coordinates, unsigned lane)
{
    const struct surface_shape *shape = &shapes[code->flags[FLAG_SHAPE]];
    const unsigned size = code->size;
    size_t at[TEXTURE_AXES] = {0};
    for (unsigned i = 0; i < shape->axes; i++) {
        const uint32_t *row =
            row_at(warp, coordinates->space, coordinates->row + i * (coordinates->high - coordinates->row));
        const int64_t wanted = (int32_t)row[lane];
        /* Of one dimension, layers are on the last axis as well. */
        const unsigned axis = shape->layers && i + 1 == shape->axes ? TEXTURE_AXES - 1 : i;
        const int64_t last =
            axis == 0 ? (int64_t)(surface->counts[0] * surface->element) - size : (int64_t)surface->counts[axis] - 1;
        if (axis == 0 && wanted % size != 0)
            block_fault_of(warp->block, FAULT_MISALIGNED,
                           "lane %u accesses %u bytes at byte %lld of a surface's row, which is not a multiple of it",
                           lane, size, (long long)wanted);
        const bool inside = wanted >= 0 && wanted <= last;
        if (!inside && code->flags[FLAG_BEYOND] == BEYOND_FAILS)
            block_fault_of(
                warp->block, FAULT_ADDRESS,
                "lane %u accesses a surface out of bounds: coordinate %lld on axis %u, where the last is %lld", lane,
                (long long)wanted, axis, (long long)last);
        if (last < 0 || (!inside && code->flags[FLAG_BEYOND] == BEYOND_IS_ZERO))
            return NULL;
        at[axis] = (size_t)(wanted < 0 ? 0 : wanted > last ? last : wanted);
    }
    return surface->texels + (at[2] * surface->counts[1] + at[1]) * surface->pitch + at[0];
}

/* The third operand: a register, which 9.0 has 0x0 behind, or in code of 8.x constant bank 0 and a word of it. */
static uint32_t handle_of(struct warp *warp, const struct instruction *code, unsigned lane)
{
    return code->operands[2].immediate ? texture_handle_of(warp->block, code->operands[3].value) : ROW(2)[lane];
}

/* Operands d, coordinates, handle. What others write meanwhile may be read. */
static void suld(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t words[LANES][4] = {{0}};
    meetings_note(warp->block, code);
    EACH_BIT(l, lanes) {
        const struct texture *surface = find(warp, code, handle_of(warp, code, l));
        const unsigned char *bytes = place_of(warp, code, surface, &code->operands[1], l);
        if (bytes)
            memcpy(words[l], bytes, code->size);
    }
    for (unsigned k = 0; k < (code->size + 3u) / 4; k++)
        EACH_BIT(l, lanes)
            ROW_BEHIND(0, k)[l] = words[l][k];
}

/* Operands coordinates, values, handle. */
static void sust(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    EACH_BIT(l, lanes) {
        const struct texture *surface = find(warp, code, handle_of(warp, code, l));
        unsigned char *bytes = place_of(warp, code, surface, &code->operands[0], l);
        uint32_t words[4];
        for (unsigned k = 0; k < 4; k++)
            words[k] = k < (code->size + 3u) / 4 ? ROW_BEHIND(1, k)[l] : 0;
        if (!bytes)
            continue;
        watch_bytes(warp, code, NULL, ACCESS_TEXELS, (uintptr_t)bytes, code->size, 0);
        memcpy(bytes, words, code->size);
    }
}

static bool prepare(struct instruction *code, unsigned coordinates)
{
    static const struct {
        const char *name;
        unsigned char size;
    } sizes[] = {{"U8", 1}, {"U16", 2}, {"64", 8}, {"128", 16}};
    unsigned shape = 0;
    while (shape < sizeof shapes / sizeof *shapes && !has_modifier(code, shapes[shape].name))
        shape++;
    if (shape == sizeof shapes / sizeof *shapes || code->operand_count < 3 || code->operand_count > 4 ||
        code->operands[coordinates].kind != OPERAND_ADDRESS || code->operands[coordinates].value != 0 ||
        code->operands[coordinates].based || code->operands[2].kind != OPERAND_ROW)
        return false;
    const bool bound = code->operands[2].immediate;
    if (code->operand_count == 4 ? code->operands[bound ? 2 : 3].value != 0 : bound)
        return false;
    code->size = 4;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (has_modifier(code, sizes[i].name))
            code->size = sizes[i].size;
    code->flags[FLAG_SHAPE] = (unsigned char)shape;
    code->flags[FLAG_BEYOND] = has_modifier(code, "TRAP")  ? BEYOND_FAILS
                               : has_modifier(code, "IGN") ? BEYOND_IS_ZERO
                                                           : BEYOND_IS_EDGE;
    return true;
}

PREPARE(load, prepare(code, 1))
PREPARE(store, prepare(code, 0))

#define FORMS "1D 2D 3D 1D_ARRAY 2D_ARRAY U8 U16 64 128 STRONG SM TRAP IGN"
const struct opcode surface_opcodes[] = {
    {"SULD.D.BA", suld, CONTROL_NEXT, prepare_load, "d", FORMS},
    {"SUST.D.BA", sust, CONTROL_NEXT, prepare_store, "", FORMS},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
