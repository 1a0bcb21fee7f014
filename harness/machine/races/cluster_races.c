#include "machine/block/block.h"

/* Finds blocks of a cluster that access a word of shared memory of one of them, which one writes, though they have not
 * waited for each other: at the cluster's barrier or at one in memory. After either a block is taken to know all that
 * was done before, as after an atomic's answer or a look at a flag. That two write a word is not looked at. */

/* When a word was last read and written, 0: never, by its own block and by another one, and by which. */
enum { READ, WRITTEN, HOWS };
struct far_word {
    uint64_t own[HOWS], far[HOWS];
    unsigned char who[HOWS];
};

struct cluster_races {
    struct far_word *words;
    uint64_t knows; /* until when the block knows of the others */
    uint64_t now;   /* in the first block's state: the count of accesses */
};

static struct cluster_races *races_of(const struct block *block)
{
    return block->watch.states[WATCH_CLUSTER];
}

static bool cluster_begin(struct block *block)
{
    struct cluster_races *races = races_of(block);
    const size_t count = (block->shared_size + SHARED_BEYOND) / 4 + 1;
    if (block->cluster->count == 1 || !watch_samples(block))
        return false;
    free(races->words);
    *races = (struct cluster_races){.words = x_calloc(count, sizeof *races->words)};
    return true;
}

static void cluster_release(void *state)
{
    free(((struct cluster_races *)state)->words);
}

static void cluster_visit(struct block *me, const struct block *there, uint64_t address, bool writes)
{
    struct far_word *word = &races_of(there)->words[address / 4];
    const bool own = me == there;
    const unsigned how = writes ? READ : WRITTEN; /* of the other */
    if ((own ? word->far : word->own)[how] > races_of(me)->knows)
        block_fault(me,
                    "block %u of the cluster %s byte %lld of block %u's shared memory that block %u %s without a wait "
                    "at the cluster's barrier or an mbarrier between them",
                    me->rank, writes ? "writes" : "reads", (long long)address - SHARED_RESERVED, there->rank,
                    own ? word->who[how] : there->rank, writes ? "reads" : "writes");
    (own ? word->own : word->far)[writes] = races_of(&me->cluster->blocks[0])->now;
    if (!own)
        word->who[writes] = (unsigned char)me->rank;
}

static void cluster_hear(const struct access *access)
{
    enum { ACCESSES = ACCESS_READS | ACCESS_STORES | ACCESS_WRITES | ACCESS_FAR | ACCESS_FAR_READS };
    struct block *me = access->warp ? access->warp->block : access->block;
    const uint64_t now = ++races_of(&me->cluster->blocks[0])->now;
    if (!(access->kind & ACCESSES) || access->kind & (ACCESS_ANSWERS | ACCESS_STRONG) || access->code->polls) {
        races_of(me)->knows = now;
        return;
    }
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        const uint64_t first = access_address(access, (unsigned)__builtin_ctz(left));
        for (uint64_t at = first & ~UINT64_C(3); at < first + access->size; at += 4)
            cluster_visit(me, access->block, at, !(access->kind & (ACCESS_READS | ACCESS_FAR_READS)));
    }
}

enum {
    GLOBAL = ACCESS_ANSWERS | ACCESS_STRONG,
    HEARD = ACCESS_READS | ACCESS_STORES | ACCESS_WRITES | ACCESS_FAR | ACCESS_FAR_READS | ACCESS_ANSWERS |
            ACCESS_WAITED | ACCESS_JOINS
};
const struct watcher cluster_races_watcher = {
    GLOBAL, HEARD, sizeof(struct cluster_races), false, cluster_begin, cluster_hear, NULL, cluster_release};
