/* Finds warps of a block, and lanes of a warp that have parted, that access a word of shared memory without a barrier
 * between them, one of which writes it, and words that are read though nobody wrote them. */
#include "hazards.h"

#include "machine/block/block.h"

/* A word of shared memory. Since it was written, warps have read it, or changed it by an atomic whose answer they do
 * not use, one bit each. Clocks are those of hazards.h: barriers order the warps that take part in them. */
struct shadow_word {
    unsigned write_clock; /* of its writer */
    unsigned char writer; /* the warp that wrote it, from 1; 0: none */
    bool written;
    uint32_t readers, adders;
};

/* When each warp did so last. */
struct shadow_clocks {
    unsigned read[LANES], added[LANES];
};

/* Of a block whose lanes parted also which lanes accessed it, with those that were with them: since the last barrier,
 * and the last time that lanes of their warp joined. */
struct shadow_lanes {
    unsigned clock, since;
    uint32_t wrote, read;
};

enum { MOST_WORDS = LANES * 4 };

struct shadow {
    struct shadow_word *words;
    struct shadow_clocks *clocks;
    struct shadow_lanes *lanes;
    bool parted;
    /* What a store finds in words that another warp has written, or lanes in another branch of its own: it is a fault
     * if it changes them. */
    struct again {
        uint32_t lanes; /* 0: another warp */
        unsigned char writer;
        uint32_t address, word;
    } again[2 * MOST_WORDS]; /* of lanes and of warps */
    unsigned again_count;
};

static size_t words_of(const struct block *block)
{
    return (block->shared_size + SHARED_BEYOND) / 4 + 1;
}

static bool shadow_begin(struct block *block)
{
    struct shadow *shadow = block->watch.states[WATCH_SHADOW];
    if (!watch_samples(block) || block->code->has_flags)
        return false;
    const size_t count = words_of(block);
    shadow->words = shadow->words ? shadow->words : x_calloc(count, sizeof *shadow->words);
    shadow->clocks = shadow->clocks ? shadow->clocks : x_calloc(count, sizeof *shadow->clocks);
    memset(shadow->words, 0, count * sizeof *shadow->words);
    shadow->parted = false;
    shadow->again_count = 0;
    return true;
}

static void shadow_release(void *state)
{
    free(((struct shadow *)state)->words);
    free(((struct shadow *)state)->clocks);
    free(((struct shadow *)state)->lanes);
}

static void warps_meet(const struct warp *warp, const char *does, uint32_t address, int other, const char *did)
{
    block_doubt(warp->block, "warp %u %s byte %lld of shared memory that warp %d %s, without a barrier between them",
                warp->number, does, (long long)address - warp->block->reserved, other, did);
}

static void lanes_meet(const struct warp *warp, bool writes, uint32_t others, bool wrote, uint32_t address)
{
    block_doubt(warp->block,
                "lanes 0x%08x of warp %u %s byte %lld of shared memory that lanes 0x%08x %s, without a __syncwarp() "
                "between them",
                warp->active, warp->number, writes ? "write" : "read", (long long)address - warp->block->reserved,
                others, wrote ? "wrote" : "read");
}

static void note_again(struct shadow *shadow, const struct block *block, uint32_t address, unsigned char writer,
                       uint32_t lanes)
{
    if (shadow->again_count == ARRAY_SIZE(shadow->again))
        return;
    struct again *again = &shadow->again[shadow->again_count++];
    *again = (struct again){.lanes = lanes, .writer = writer, .address = address & ~3u};
    memcpy(&again->word, block->shared + again->address, sizeof again->word);
}

/* Warps may store the same value to a word. Of other blocks nothing is proved then, whose values may differ. */
static void shadow_done(const struct access *access)
{
    struct warp *warp = access->warp;
    struct shadow *shadow = warp->block->watch.states[WATCH_SHADOW];
    EACH(const struct again, again, shadow->again, shadow->again_count)
        if (memcmp(&again->word, warp->block->shared + again->address, sizeof again->word) == 0) {
            if (warp->block->proof)
                warp->block->unproved(warp->block->proof, access->code,
                                      "warps store data-dependent values to the same shared-memory word");
        } else if (again->lanes) {
            lanes_meet(warp, true, again->lanes, true, again->address);
        } else {
            warps_meet(warp, "writes", again->address, again->writer - 1, "wrote");
        }
    shadow->again_count = 0;
}

/* Whether another warp wrote the word, and no barrier orders that before the warp. */
static bool other_wrote(const struct shadow_word *word, const struct warp *warp)
{
    return word->writer && !hazards_knows(warp, &warp->block->warps[word->writer - 1], word->write_clock);
}

/* Returns which of these other warps did what no barrier orders before the warp; -1: none. */
static int other_of(uint32_t who, const unsigned *clocks, const struct warp *warp)
{
    EACH_BIT(other, who & ~(1u << warp->number)) {
        if (!hazards_knows(warp, &warp->block->warps[other], clocks[other]))
            return (int)other;
    }
    return -1;
}

/* What lanes did that are elsewhere, in another branch or gone, and have not joined since, may come before or after.
 * Lanes that are together are in order, whether or not the source has a __syncwarp(). */
static void visit_lanes(struct shadow *shadow, const struct warp *warp, uint32_t address, bool writes, bool stores)
{
    const struct block *block = warp->block;
    struct shadow_lanes *word = &shadow->lanes[address / 4];
    const unsigned since = warp->joined * LANES + warp->number, clock = hazards_clock(warp);
    if (word->clock != clock || word->since != since)
        *word = (struct shadow_lanes){.clock = clock, .since = since};
    const uint32_t others = writes ? word->read : word->wrote, here = warp->active;
    if (others && !(others & here))
        lanes_meet(warp, writes, others, !writes, address);
    if (writes && word->wrote && !(word->wrote & here) && stores)
        note_again(shadow, block, address, 0, word->wrote);
    *(writes ? &word->wrote : &word->read) |= here;
}

/* Atomics may meet each other. An answer may tell that another warp has come before. */
static void visit_word(struct shadow *shadow, const struct warp *warp, uint32_t address, unsigned kind)
{
    const bool reads = kind & ACCESS_READS, adds = kind & ACCESS_CHANGES;
    const char *does = adds ? "changes by an atomic" : reads ? "reads" : "writes";
    struct shadow_word *word = &shadow->words[address / 4];
    struct shadow_clocks *clocks = &shadow->clocks[address / 4];
    const int adder = adds ? -1 : other_of(word->adders, clocks->added, warp),
              reader = reads ? -1 : other_of(word->readers, clocks->read, warp);
    if (shadow->parted && !adds)
        visit_lanes(shadow, warp, address, !reads, kind & ACCESS_STORES);
    if (adder >= 0)
        warps_meet(warp, does, address, adder, "changes by an atomic");
    if (other_wrote(word, warp) && kind & ACCESS_STORES)
        note_again(shadow, warp->block, address, word->writer, 0);
    else if (other_wrote(word, warp))
        warps_meet(warp, does, address, word->writer - 1, "wrote");
    if (reader >= 0)
        warps_meet(warp, does, address, reader, "read");
    if (!reads && !adds)
        *word = (struct shadow_word){.write_clock = hazards_clock(warp), .writer = (unsigned char)(warp->number + 1)};
    *(reads ? &word->readers : &word->adders) |= reads || adds ? 1u << warp->number : 0;
    (reads ? clocks->read : clocks->added)[warp->number] = hazards_clock(warp);
    word->written |= !reads;
}

/* Returns the first word of a load which nobody wrote and that fills a register which may be used: compilers load more
 * than is asked for. NULL: there is none. */
static const struct shadow_word *find_unwritten(const struct access *access, const struct shadow_word *words)
{
    const struct code *code = access->block->code;
    const bool fills = strncmp(access->code->opcode, "LDS", 3) == 0 && access->code->opcode[3] != 'M';
    const size_t load = (size_t)(access->code - code->list);
    return FIND(word, words, access->size < 4 ? 1 : access->size / 4,
                !word->written && (!fills || flows_use(code, load, (unsigned)(word - words))));
}

/* Doubts the block if a lane reads a word that nobody wrote. That may be right, as where CUB's sort by merging reads
 * one key too many and does not use it: whether anything depends on it is found out by other contents of the memory. */
static void look_for_unwritten(const struct shadow *shadow, const struct access *access)
{
    const struct block *block = access->block;
    EACH_BIT(lane, access->lanes) {
        const struct shadow_word *word = find_unwritten(access, &shadow->words[access_address(access, lane) / 4]);
        if (!word)
            continue;
        const long long at = (word - shadow->words) * 4;
        block_doubt_of(
            access->block, DOUBT_UNWRITTEN,
            "warp %u reads unwritten shared memory, lane %u byte %lld: uninitialised, or a barrier is missing",
            access->warp->number, lane, at - block->reserved);
        return;
    }
}

/* Looks for warps of other warpgroups that wrote 16 bytes which a product reads. Those of its own meet at
 * WARPGROUP.ARRIVE, and who waits for the product has waited for all four. */
static void look_at_product(const struct shadow *shadow, const struct access *access)
{
    const struct shadow_word *word = &shadow->words[access->first / 4];
    for (unsigned k = 0; k < 4; k++)
        if (other_wrote(&word[k], access->warp) && (word[k].writer - 1u) / 4 != access->warp->number / 4)
            block_doubt(
                access->block,
                "warp %u writes byte %lld of shared memory and warp %u's warpgroup reads it in a matrix product, "
                "without a barrier between them",
                word[k].writer - 1u, (long long)access->first + 4LL * k - SHARED_RESERVED, access->warp->number);
}

/* Notes an access. Several warps may rightly write parts of one word, so parts are not compared. Copies of the hardware
 * and other blocks may meet, and so may atomics whose answers are used. */
static void shadow_hear(const struct access *access)
{
    struct shadow *shadow = access->block->watch.states[WATCH_SHADOW];
    const bool meets = access->kind & (ACCESS_ANSWERS | ACCESS_FAR | ACCESS_COMES), reads = access->kind & ACCESS_READS;
    if (access->kind & ACCESS_MULTIPLIES) {
        look_at_product(shadow, access);
        return;
    }
    if (reads)
        look_for_unwritten(shadow, access);
    if (access->warp->split_count > 1 && !shadow->parted) {
        shadow->parted = true;
        free(shadow->lanes);
        shadow->lanes = x_calloc(words_of(access->block), sizeof *shadow->lanes);
    }
    uint64_t last = UINT64_MAX;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        const uint64_t first = access_address(access, (unsigned)__builtin_ctz(left));
        if (first == last) /* neighbours often read one word */
            continue;
        last = first;
        for (uint64_t at = first / 4; at <= (first + access->size - 1) / 4; at++)
            if (meets || (access->size < 4 && !(access->kind & ACCESS_CHANGES)))
                shadow->words[at].written |= !reads;
            else
                visit_word(shadow, access->warp, (uint32_t)at * 4, access->kind);
    }
}

enum {
    HEARD = ACCESS_READS | ACCESS_STORES | ACCESS_WRITES | ACCESS_COPIES | ACCESS_CHANGES | ACCESS_FAR | ACCESS_COMES |
            ACCESS_MULTIPLIES
};
const struct watcher shadow_watcher = {0,           HEARD,       sizeof(struct shadow), false, shadow_begin,
                                       shadow_hear, shadow_done, shadow_release};
