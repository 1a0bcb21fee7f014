/* texture.h - texture objects: two-dimensional arrays of 32-bit elements, read by points. */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

/* The texel at x, y of texture object `handle`, four channels; false: no such object, or one of a kind that is not
 * simulated. */
bool texture_fetch(uint64_t handle, float x, float y, uint32_t texel[4]);

#endif
