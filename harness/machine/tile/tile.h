/* tile.h - which bytes of a tensor, and of shared memory, a copy of a tile moves. */
#pragma once

#include "tensor_map.h"

/* Consecutive bytes of a copy: up to 16, which a swizzle moves together. */
struct tile_part {
    uint64_t address; /* in the tensor */
    uint32_t offset;  /* in the tile, before it is swizzled */
    unsigned bytes;
    unsigned before; /* bytes at the beginning that are outside of the tensor, */
    unsigned inside; /* and those behind them that are inside; 0: all are outside */
};

/* What is told to a copy besides the map: where the tile begins, and of im2col offsets of pixels. */
struct tile_place {
    int32_t at[TENSOR_RANKS];
    int offsets[TENSOR_SPACE];
};

/* Returns the bytes that a copy of a tile moves, which its barrier expects. */
uint32_t tile_bytes(const struct tensor_map *map);

/* Returns how many bytes of shared memory they are spread over. With a swizzle, each row begins at a multiple of 32, 64
 * or 128 bytes. */
uint32_t tile_extent(const struct tensor_map *map);

/* Calls `visit` for all parts of a tile, in order. */
typedef void visit_part(void *context, const struct tile_part *part);
void tile_visit(const struct tensor_map *map, const struct tile_place *place, visit_part *visit, void *context);

/* Returns the address in shared memory at which 16 bytes are that would be at `address` without the swizzle. Eight rows
 * of 128 bytes exchange their parts, four of 64 and two of 32. */
uint32_t tile_swizzled(unsigned swizzle, uint32_t address);

/* Writes in place of elements outside of the tensor, `count` bytes of them: zeros, or a NaN. */
void tile_fill(const struct tensor_map *map, unsigned char *to, unsigned count);
