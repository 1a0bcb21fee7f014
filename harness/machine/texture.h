/* texture.h - texture and surface objects: what they read, where, and how. texture_fetch.c keeps them, texture_sample.c
 * reads texels of a texture. Surfaces are accessed by surface_access.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
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

/* Returns the handle that code of 8.x names by its place: a word of constant bank 0, by its number. 0: none is there.
 */
uint32_t texture_handle_of(const struct block *block, int64_t word);

struct warp;
struct instruction;
/* Sets *handle to the one of an instruction, and *channels to how many it writes. Returns the number of the handle's
 * operand; 0: it is a constant; -1: each lane has its own. */
int texture_handle(struct warp *warp, const struct instruction *code, uint64_t *handle, unsigned *channels);

/* Where a texture is read. */
struct texture_place {
    float at[TEXTURE_AXES]; /* coordinates; of a cube the direction */
    unsigned layer;
};

/* Reads a texel, or what filtering makes of its neighbours. Weights are multiples of 1/256, as CUDA's guide has them;
 * how the GPU rounds the sum is not known, so last bits may differ. Returns NULL, or what is not simulated of it. */
const char *texture_sample(const struct texture *texture, const struct texture_place *place,
                           uint32_t texel[TEXTURE_CHANNELS]);

/* Reads one channel of the four texels that filtering would take, counted from the lower left against the clock. */
const char *texture_gather(const struct texture *texture, const struct texture_place *place, unsigned channel,
                           uint32_t texels[4]);

/* Reads a texel by its number. Beyond the end all channels are 0. */
void texture_at(const struct texture *texture, int64_t number, uint32_t texel[TEXTURE_CHANNELS]);
