/* Clusters: blocks that can access each other's shared memory, and a barrier that all of them reach. */
#include "cluster.h"

#include "control_parts.h"

/* ---- The barrier of a cluster ---- */

/* Notes that lanes arrive. An H100 counts it as an instruction, and nothing more. */
static void arrive(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t here = lanes & warp->guarded;
    if (warp->cluster_arrived & here)
        block_fault(warp->block, "%s: lanes arrive at the cluster barrier twice without waiting", code->opcode);
    warp->cluster_arrived |= here;
}

bool cluster_open(struct cluster *cluster)
{
    bool any = false;
    for (unsigned i = 0; i < cluster->count; i++)
        for (unsigned w = 0; w < cluster->blocks[i].warp_count && cluster->blocks[i].runs; w++) {
            const struct warp *warp = &cluster->blocks[i].warps[w];
            if (warp->alive & ~warp->cluster_arrived)
                return false;
            any |= warp->alive != 0;
        }
    if (!any)
        return false;
    bool opened = false;
    for (unsigned i = 0; i < cluster->count; i++)
        for (unsigned w = 0; w < cluster->blocks[i].warp_count; w++) {
            struct warp *warp = &cluster->blocks[i].warps[w];
            warp->cluster_arrived = 0;
            for (unsigned s = 0; s < warp->split_count; s++)
                if (warp->splits[s].state == SPLIT_AT_CLUSTER) {
                    warp->splits[s].state = SPLIT_READY;
                    warp->splits[s].pc++;
                    opened = true;
                }
        }
    for (unsigned i = 0; i < cluster->count; i++) {
        struct block *block = &cluster->blocks[i];
        block->epoch++;
        if (block->runs)
            watch_bytes(NULL, NULL, block, ACCESS_MEETS, (UINT64_C(1) << block->warp_count) - 1, 0, 0);
        if (block->runs)
            watch_bytes(NULL, NULL, block, ACCESS_JOINS, 0, 0, 0);
    }
    cluster->waited &= !opened;
    return opened;
}

/* Waits until all have arrived. If they have since, no lane of the split has arrived for the next time. */
bool do_wait_cluster(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    (void)code;
    if ((warp->cluster_arrived & lanes) == 0) {
        split->pc++;
        return true;
    }
    split->state = SPLIT_AT_CLUSTER;
    return false;
}

/* ---- Shared memory of other blocks ---- */

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

/* clang-format off */
const struct opcode cluster_opcodes[] = {
    {"UCGABAR_ARV",  arrive, TRAIT_FENCE | RULE_KEEPS,                        NULL, "", ""},
    {"UCGABAR_WAIT", NULL,   CONTROL_WAIT_CLUSTER | TRAIT_FENCE | RULE_KEEPS, NULL, "", ""},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
