/* cluster.h - blocks of a cluster, which can access each other's shared memory. */
#pragma once

#include "block.h"

#define OFFSET_MASK ((UINT32_C(1) << RANK_SHIFT) - 1)

/* Returns the block whose shared memory an address is in: above its offset it has the block's rank. The block fails if
 * there is none of that rank, if that block has exited, or if the bytes are outside of its memory. */
struct block *cluster_block(struct block *block, uint32_t address, uint64_t bytes);

/* Returns the bytes at such an address. */
unsigned char *cluster_bytes(struct block *block, uint32_t address, uint64_t bytes);

/* Sets the places in shared memory of other blocks where these lanes access `size` bytes each, and tells those who
 * watch it what kind of access it is; 0: they need not know. An H100 counts no such access, but for the instruction. */
void cluster_places(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses,
                    unsigned size, unsigned kind, unsigned char **places);
