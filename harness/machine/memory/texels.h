/* texels.h - how instructions read textures (texture_fetch.c) and texels of them (texture_sample.c). Surfaces are
 * accessed by surface_access.c. */
#pragma once

#include "machine/block/block.h"

/* Returns the handle that code of 8.x names by its place: a word of constant bank 0, by its number. 0: none is there.
 */
uint32_t texture_handle_of(const struct block *block, int64_t word);

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
