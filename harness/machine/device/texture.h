/* texture.h - texture and surface objects: what they read, where, and how. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

enum { TEXTURE_AXES = 3, TEXTURE_CHANNELS = 4 };

/* What texels are arranged in. The machine code names it with each access. */
enum texture_shape {
    TEXTURE_LINEAR, /* a row of memory, whose texels are counted */
    TEXTURE_1D,
    TEXTURE_2D,
    TEXTURE_3D,
    TEXTURE_CUBE, /* six squares */
    TEXTURE_1D_LAYERS,
    TEXTURE_2D_LAYERS,
    TEXTURE_CUBE_LAYERS,
};

/* What a channel holds, and what lies beyond the edges: the numbers are those of CUDA's enumerations. */
enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum texture_beyond { BEYOND_WRAPS, BEYOND_CLAMPS, BEYOND_MIRRORS, BEYOND_IS_BORDER };

struct texture {
    enum texture_shape shape;
    bool is_surface;
    unsigned char *texels;       /* of an array, or of memory of the GPU */
    uint64_t address;            /* of these in memory of the GPU; 0: they are of an array */
    size_t bytes;                /* of all texels */
    size_t counts[TEXTURE_AXES]; /* width, height, depth or layers (of a cube six each); at least 1 */
    size_t element, pitch;       /* bytes of a texel, and from one row to the next */
    unsigned channels, bits;     /* channels of a texel, and bits of each */
    enum texel_kind kind;
    enum texture_beyond beyond[TEXTURE_AXES];
    bool linear;     /* it filters, otherwise it takes the nearest texel */
    bool normalized; /* coordinates are from 0 to 1 */
    bool to_float;   /* whole numbers become floats from 0 or -1 to 1 */
    float border[TEXTURE_CHANNELS];
};

/* Adds an object, which is borrowed until it is removed. Returns its handle. Any thread may call. Objects are added and
 * removed only while nothing is launched. */
uint64_t texture_add(struct machine *machine, const struct texture *texture);
void texture_remove(struct machine *machine, uint64_t handle);
/* Returns the object of a handle; NULL: there is none. */
const struct texture *texture_find(const struct machine *machine, uint64_t handle);
