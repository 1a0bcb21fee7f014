/* shape.h - sets the shape of an access, and its cost. It is compiled for each vector unit, since accesses that scatter
 * have another shape each time. */
#pragma once

#include "memo.h"

/* Distances from the first lane: of lanes at one address, and in order, by the logarithm of their size. In memory.c. */
extern const uint32_t distances_in_order[][LANES];

static inline void set_shape(struct memo *memo, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    const uint64_t first = addresses[__builtin_ctz(lanes)];
    uint64_t apart[LANES], any = 0, unordered = 0, far = 0;
    for (unsigned l = 0; l < LANES; l++)
        apart[l] = (addresses[l] - first) & -(uint64_t)(lanes >> l & 1);
    for (unsigned l = 0; l < LANES; l++) {
        any |= apart[l];
        unordered |= apart[l] ^ (uint64_t)l * size;
        far |= (apart[l] + first) ^ first;
        memo->distances[l] = (uint32_t)apart[l];
    }
    memo->lanes = lanes;
    memo->in_order = unordered == 0;
    memo->same = any == 0;
    memo->near = far >> 32 == 0;
    memo->aligned = ((any | first) & (size - 1)) == 0;
    memo->least = memo->most = 0;
    for (unsigned l = 0; l < LANES && !memo->same; l++) {
        memo->least = (int64_t)apart[l] < memo->least ? (int64_t)apart[l] : memo->least;
        memo->most = (int64_t)apart[l] > memo->most ? (int64_t)apart[l] : memo->most;
    }
    memo->apart = memo->same       ? distances_in_order[0]
                  : memo->in_order ? distances_in_order[1 + __builtin_ctz(size)]
                                   : memo->distances;
}

/* A NULL block means that only the shape is wanted. */
static inline void memo_global(struct memo *memo, const struct block *block, uint32_t lanes, const uint64_t *addresses,
                               unsigned size)
{
    set_shape(memo, lanes, addresses, size);
    memo->shared = false;
    memo->low = (uint32_t)(addresses[__builtin_ctz(lanes)] & MEMO_LOW_SECTOR);
    if (!block || !block->counts)
        return;
    const struct sectors sectors = count_sectors(lanes, addresses, size);
    memo->sectors = sectors.touched;
    memo->ideal_sectors = sectors.ideal;
}

static inline void memo_shared(struct memo *memo, uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes)
{
    uint64_t wide[LANES];
    for (unsigned l = 0; l < LANES; l++)
        wide[l] = addresses[l];
    set_shape(memo, lanes, wide, size);
    memo->shared = true;
    memo->low = addresses[__builtin_ctz(lanes)] & MEMO_LOW_SHARED;
    const struct wavefronts wavefronts = count_wavefronts(lanes, addresses, size, writes);
    memo->wavefronts = wavefronts.passes;
    memo->ideal_wavefronts = wavefronts.ideal;
    memo->margin = wavefronts.margin;
}
