/* tensor_map.h - the tensor maps that copies of tiles are told: 128 bytes, which cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col make and the hardware reads. NVIDIA does not document them. What is said here was learnt from
 * 1,312 maps that driver 580.159.04 made, on an H100 in November 2026.
 *
 *   bytes    0 to   7  address of the tensor
 *   byte     8         bit 0: im2col; bits 4 to 6: rank - 1; bit 7: lowest bit of the kind of element
 *   byte     9         bits 0 to 2: the rest of that kind, 3 and 4: interleave, 5 and 6: swizzle, 7: fill with NaN
 *   byte    10         bit 0: elements are rounded to TF32; bits 1 and 2: promotion in the L2
 *   bytes   12 to  27  strides of dimensions 1 to 4, in units of 16 bytes: their lower 32 bits
 *   bytes   28 and 29  their upper 4 bits
 *   bytes   32 to  51  sizes of the five dimensions - 1
 *   bytes   52 and 53  steps from one element of a tile to the next, of 3 bits each, - 1
 *   bytes   55 to  59  of a tile: its sizes - 1
 *   byte    55         of im2col: channels of a pixel - 1
 *   bytes   56 to  59  of im2col: two corners of 16 bits, each with 16, 8 or 5 bits for each spatial dimension
 *   bytes   60 and 61  of im2col: pixels - 1
 *   bytes   64 to  67  bytes of a tile
 *   bytes   72 to  75  alignment of a tile in shared memory: 16, or with a swizzle 256, 512 or 1024 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128, TENSOR_MAP_READ = 64, TENSOR_RANKS = 5, TENSOR_SPACE = 3 };

struct tensor_map {
    bool columns;                       /* im2col */
    unsigned type;                      /* a CUtensorMapDataType */
    unsigned rank;                      /* 1 to 5 */
    uint64_t address;                   /* of the first element */
    uint64_t sizes[TENSOR_RANKS];       /* in elements; 1 from the rank on */
    uint64_t strides[TENSOR_RANKS - 1]; /* in bytes, of dimension 1 and those behind it */
    unsigned steps[TENSOR_RANKS];
    unsigned box[TENSOR_RANKS];                    /* of a tile, in elements */
    int lower[TENSOR_SPACE], upper[TENSOR_SPACE];  /* of im2col: the corners of the box of pixels */
    unsigned channels, pixels;                     /* of im2col: elements of a pixel, pixels of a copy */
    unsigned interleave, swizzle, promotion, fill; /* as in the CUDA driver's enumerations */
};

/* Returns the size in bytes of an element of this type. */
unsigned tensor_element_bytes(unsigned type);

/* Makes a map of it. False where the driver refuses: an address, a size, a stride, a combination. */
bool tensor_map_encode(const struct tensor_map *map, unsigned char bytes[TENSOR_MAP_BYTES]);

/* Reads a map. The GPU reads no more of it than the first 64 bytes: cuBLAS's kernels have the next map there, and those
 * that a kernel made by `tensormap.replace` have zeros. False: it has something that no map of the driver had. */
bool tensor_map_decode(const unsigned char bytes[TENSOR_MAP_READ], struct tensor_map *map);
