/* Shared memory of the blocks of a cluster. */
#include "block.h"

struct block *cluster_block(struct block *block, uint32_t address, uint64_t bytes)
{
    const uint32_t rank = address >> RANK_SHIFT, offset = address & OFFSET_MASK;
    struct block *other = rank < block->cluster->count ? &block->cluster->blocks[rank] : NULL;
    if (!other)
        block_fault_of(block, FAULT_CLUSTER, "an address in shared memory of block %u of a cluster of %u blocks", rank,
                       block->cluster->count);
    if (!other->runs)
        block_fault_of(block, FAULT_ADDRESS, "an access to shared memory of block %u of the cluster, which has exited",
                       rank);
    if (offset < SHARED_RESERVED || offset + bytes > other->shared_size)
        block_fault_of(block, FAULT_ADDRESS,
                       "an access to bytes %lld to %lld of block %u's %llu bytes of shared memory",
                       (long long)offset - SHARED_RESERVED, (long long)(offset + bytes) - 1 - SHARED_RESERVED, rank,
                       (unsigned long long)(other->shared_size - SHARED_RESERVED));
    return other;
}

unsigned char *cluster_bytes(struct block *block, uint32_t address, uint64_t bytes)
{
    return cluster_block(block, address, bytes)->shared + (address & OFFSET_MASK);
}

void cluster_places(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses,
                    unsigned size, unsigned kind, unsigned char **places)
{
    EACH_BIT(l, lanes) {
        struct block *other = cluster_block(warp->block, addresses[l], size);
        const uint32_t offset = addresses[l] & OFFSET_MASK;
        if (offset % size)
            block_fault_of(warp->block, FAULT_MISALIGNED,
                           "lane %u accesses %u bytes at byte %lld of shared memory, which is not a multiple of %u", l,
                           size, (long long)offset - SHARED_RESERVED, size);
        watch_bytes(warp, code, other, kind, offset, size, 0);
        places[l] = other->shared + offset;
    }
}

bool mbarrier_phase(struct block *block, uint32_t address)
{
    uint64_t state;
    memcpy(&state, cluster_bytes(block, address, sizeof state), sizeof state);
    return state >> 63;
}
