/* texture.h - texture objects: two-dimensional arrays of 32-bit elements, read by points. */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads four channels at x, y of the texture object `handle`. False: there is no such object, or its kind is not
 * simulated. */
bool texture_fetch(uint64_t handle, float x, float y, uint32_t texel[4]);

#endif
