/* What a fetch from a texture returns. The rules are those of "Texture Fetching" in the CUDA C++ Programming Guide. */

#include "texels.h"

#include "machine/lanes/lanes.h"

/* A coordinate is a multiple of this once it is counted in texels. */
enum { FRACTION_BITS = 8, FRACTION = 1 << FRACTION_BITS };

/* ---- Texels ---- */

static bool is_filtered(const struct texture *texture)
{
    return texture->to_float || texture->kind == TEXEL_FLOAT;
}

/* Returns a channel of a texel as a whole number of 32 bits, or as the bits of a float. */
static uint32_t read_channel(const struct texture *texture, const unsigned char *bytes)
{
    const bool is_signed = texture->kind == TEXEL_SIGNED;
    uint32_t word = 0;
    memcpy(&word, bytes, texture->bits / 8);
    if (is_signed && texture->bits < 32 && word >> (texture->bits - 1))
        word |= UINT32_MAX << texture->bits;
    float value;
    if (texture->kind == TEXEL_FLOAT && texture->bits == 16)
        value = half_to_float((uint16_t)word);
    else if (texture->to_float && is_signed)
        value = fmaxf((float)(int32_t)word / (float)((1 << (texture->bits - 1)) - 1), -1);
    else if (texture->to_float)
        value = (float)word / (float)((1 << texture->bits) - 1);
    else
        return word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* A texel, by its index on each axis, of which the last may be a layer. */
static void read_texel(const struct texture *texture, const size_t at[TEXTURE_AXES], uint32_t texel[TEXTURE_CHANNELS])
{
    const unsigned char *bytes =
        texture->texels + (at[2] * texture->counts[1] + at[1]) * texture->pitch + at[0] * texture->element;
    memset(texel, 0, TEXTURE_CHANNELS * sizeof *texel);
    for (unsigned i = 0; i < texture->channels; i++)
        texel[i] = read_channel(texture, bytes + (size_t)i * texture->bits / 8);
}

static void read_border(const struct texture *texture, uint32_t texel[TEXTURE_CHANNELS])
{
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++) {
        const uint32_t whole = (uint32_t)(int32_t)texture->border[i];
        memcpy(&texel[i], is_filtered(texture) ? (const void *)&texture->border[i] : &whole, sizeof texel[i]);
    }
}

void texture_at(const struct texture *texture, int64_t number, uint32_t texel[TEXTURE_CHANNELS])
{
    memset(texel, 0, TEXTURE_CHANNELS * sizeof *texel);
    if (number >= 0 && (uint64_t)number < texture->counts[0])
        read_texel(texture, (const size_t[]){(size_t)number, 0, 0}, texel);
}

/* ---- Coordinates ---- */

/* The one or two neighbours on an axis. */
struct texel_axis {
    int64_t first;
    unsigned count;
    double weight; /* of the second */
};

/* Of a coordinate from 0 to 1 an H200 keeps 21 bits behind the point, and 8 more than the texels take where that is
 * more: so were all of 7,950 reads of 14 widths from 3 to 10,000, at most 3 units in the last place from a border or
 * 2^-6 to 2^-22 texels (2026-11-26). No nearest texel was rounded. */
static double kept_of(double coordinate, size_t count)
{
    enum { LEAST = 21, BEYOND = 8 };
    int bits = BEYOND;
    while (bits < 52 && count > (size_t)1 << (bits - BEYOND))
        bits++;
    bits = bits > LEAST ? bits : LEAST;
    return ldexp(floor(ldexp(coordinate, bits)), -bits);
}

static struct texel_axis locate(const struct texture *texture, float coordinate, size_t count, bool two)
{
    double at = isnan(coordinate) ? 0 : (double)coordinate;
    if (texture->normalized)
        at = (two ? at : kept_of(at, count)) * (double)count;
    at = fmin(fmax(at, -0x1p30), 0x1p30);
    if (!two)
        return (struct texel_axis){(int64_t)floor(at), 1, 0};
    const int64_t whole = (int64_t)rint((at - 0.5) * FRACTION);
    return (struct texel_axis){whole >> FRACTION_BITS, 2, (double)(whole & (FRACTION - 1)) / FRACTION};
}

/* Sets the index of a texel that may lie beyond the edges. False: it is the border's. */
static bool find_index(const struct texture *texture, unsigned axis, int64_t wanted, size_t *index)
{
    const int64_t count = (int64_t)texture->counts[axis];
    enum texture_beyond beyond = texture->beyond[axis];
    if (count <= 0)
        return false;
    if (!texture->normalized && (beyond == BEYOND_WRAPS || beyond == BEYOND_MIRRORS))
        beyond = BEYOND_CLAMPS;
    if (wanted < 0 || wanted >= count) {
        if (beyond == BEYOND_IS_BORDER)
            return false;
        const int64_t period = beyond == BEYOND_MIRRORS ? 2 * count : count;
        if (beyond == BEYOND_CLAMPS)
            wanted = wanted < 0 ? 0 : count - 1;
        else
            wanted = (wanted % period + period) % period;
        if (wanted >= count)
            wanted = 2 * count - 1 - wanted;
    }
    *index = (size_t)wanted;
    return true;
}

/* The axes along which a texture is read by coordinates, and the index on those that have layers. */
struct texel_spot {
    unsigned axes;
    struct texel_axis axis[TEXTURE_AXES];
    size_t slice;
    bool only_inside; /* what lies beyond the edges is another face */
};

/* Takes the face of a cube that a direction points to, and where on it. */
static const char *locate_cube(const struct texture *texture, const struct texture_place *place,
                               struct texel_spot *spot)
{
    static const struct face {
        unsigned axis, s, t;
        float s_sign, t_sign;
    } faces[] = {{0, 2, 1, -1, -1}, {0, 2, 1, 1, -1}, {1, 0, 2, 1, 1},
                 {1, 0, 2, 1, -1},  {2, 0, 1, 1, -1}, {2, 0, 1, -1, -1}};
    const float *at = place->at;
    const float sizes[TEXTURE_AXES] = {fabsf(at[0]), fabsf(at[1]), fabsf(at[2])};
    unsigned most = 0;
    for (unsigned i = 1; i < TEXTURE_AXES; i++)
        most = sizes[i] > sizes[most] ? i : most;
    for (unsigned i = 0; i < TEXTURE_AXES; i++)
        if (i != most && !(sizes[i] < sizes[most]))
            return "a direction along the edge of a cube map";
    const size_t number = 2 * (size_t)most + (at[most] < 0), layers = texture->counts[2] / 6;
    const struct face *face = &faces[number];
    const float s = (face->s_sign * at[face->s] / sizes[most] + 1) / 2;
    const float t = (face->t_sign * at[face->t] / sizes[most] + 1) / 2;
    spot->axes = 2;
    spot->axis[0] = locate(texture, s, texture->counts[0], texture->linear);
    spot->axis[1] = locate(texture, t, texture->counts[1], texture->linear);
    spot->slice = (place->layer < layers ? place->layer : layers - 1) * 6 + number;
    spot->only_inside = true;
    return NULL;
}

static const char *locate_all(const struct texture *texture, const struct texture_place *place, bool two,
                              struct texel_spot *spot)
{
    /* clang-format off */
    static const unsigned axes[] = {[TEXTURE_1D] = 1, [TEXTURE_2D] = 2, [TEXTURE_3D] = 3,
                                    [TEXTURE_1D_LAYERS] = 1, [TEXTURE_2D_LAYERS] = 2, [TEXTURE_CUBE_LAYERS] = 0};
    /* clang-format on */
    *spot = (struct texel_spot){.axes = axes[texture->shape]};
    if (spot->axes == 0)
        return locate_cube(texture, place, spot);
    for (unsigned i = 0; i < spot->axes; i++)
        spot->axis[i] = locate(texture, place->at[i], texture->counts[i], two);
    if (spot->axes < 3)
        spot->slice = place->layer < texture->counts[2] ? place->layer : texture->counts[2] - 1;
    return NULL;
}

/* Reads one of the neighbours; bit i of `corner` says which one on axis i. */
static const char *read_corner(const struct texture *texture, const struct texel_spot *spot, unsigned corner,
                               uint32_t texel[TEXTURE_CHANNELS])
{
    size_t at[TEXTURE_AXES] = {0, 0, spot->slice};
    for (unsigned i = 0; i < spot->axes; i++) {
        const int64_t wanted = spot->axis[i].first + (corner >> i & 1);
        /* The edge of the last texel is a part of the face. */
        const bool at_edge = wanted == (int64_t)texture->counts[i] && spot->axis[i].count == 1;
        if (spot->only_inside && !at_edge && (wanted < 0 || wanted >= (int64_t)texture->counts[i]))
            return "filtering across the edge of a cube map";
        if (spot->only_inside && at_edge)
            at[i] = texture->counts[i] - 1;
        else if (!find_index(texture, i, wanted, &at[i])) {
            read_border(texture, texel);
            return NULL;
        }
    }
    read_texel(texture, at, texel);
    return NULL;
}

const char *texture_sample(const struct texture *texture, const struct texture_place *place,
                           uint32_t texel[TEXTURE_CHANNELS])
{
    struct texel_spot spot;
    const char *unknown = locate_all(texture, place, texture->linear, &spot);
    if (unknown || !texture->linear)
        return unknown ? unknown : read_corner(texture, &spot, 0, texel);
    double sums[TEXTURE_CHANNELS] = {0};
    for (unsigned corner = 0; corner < 1u << spot.axes; corner++) {
        double weight = 1;
        uint32_t one[TEXTURE_CHANNELS];
        for (unsigned i = 0; i < spot.axes; i++)
            weight *= corner >> i & 1 ? spot.axis[i].weight : 1 - spot.axis[i].weight;
        if (weight == 0)
            continue;
        unknown = read_corner(texture, &spot, corner, one);
        if (unknown)
            return unknown;
        for (unsigned i = 0; i < TEXTURE_CHANNELS; i++) {
            float value;
            memcpy(&value, &one[i], sizeof value);
            sums[i] += weight * (double)value;
        }
    }
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++) {
        const float value = (float)sums[i];
        memcpy(&texel[i], &value, sizeof value);
    }
    return NULL;
}

const char *texture_gather(const struct texture *texture, const struct texture_place *place, unsigned channel,
                           uint32_t texels[4])
{
    static const unsigned corners[4] = {2, 3, 1, 0};
    struct texel_spot spot;
    const char *unknown = locate_all(texture, place, true, &spot);
    if (!unknown && (spot.axes != 2 || spot.only_inside))
        unknown = "a gather from a texture that is not two-dimensional";
    for (unsigned i = 0; i < 4 && !unknown; i++) {
        uint32_t texel[TEXTURE_CHANNELS];
        unknown = read_corner(texture, &spot, corners[i], texel);
        texels[i] = texel[channel];
    }
    return unknown;
}
