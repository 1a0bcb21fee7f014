/* Finds warps of one block that race on a word of global memory: between two barriers of the block, one changes it and
 * another one reads or changes it. Atomics, and accesses that are meant for others (volatile ones), are none, nor is a
 * store of what was there. It looks at the first accesses of a block. */
#include "race_kind.h"

#include "machine/block/block.h"

/* A word that warps of the block accessed since its last barrier. Warps and instructions are numbered from 1: 0 is
 * none, SEVERAL are several. */
struct race_word {
    uint64_t address; /* 0: the place is free */
    unsigned epoch;
    unsigned char writer, reader; /* the warp that changed it, and the warp that read it */
    uint32_t written_at, read_at; /* the instructions that did so last */
};

/* Instructions that race and may be meant to. */
struct meant {
    uint32_t one, other;
};

enum { PAIRS = 64, WORDS = 1 << 16, WORDS_USED = WORDS / 2, ACCESSES = 1 << 14, SEVERAL = 255, WIDEST = 4 };

struct races {
    struct race_word *words;
    unsigned used, accesses;
    uint32_t old[LANES][WIDEST]; /* what a store finds */
    struct meant meant[PAIRS];
    unsigned meant_count;
};

/* Looks for them in the first two blocks, where barriers of the block are all that orders its warps. */
static bool races_begin(struct block *block)
{
    struct races *races = block->watch.states[WATCH_RACES];
    if (block->grid->order != 0 || block->cluster->number >= 2 || block->warp_count == 1 || block->code->tells_others ||
        block->code->has_fences)
        return false;
    races->words = races->words ? races->words : x_calloc(WORDS, sizeof *races->words);
    memset(races->words, 0, WORDS * sizeof *races->words);
    races->used = races->accesses = races->meant_count = 0;
    return true;
}

static void races_release(void *state)
{
    free(((struct races *)state)->words);
}

/* Returns the entry of a word; NULL: there are too many. */
static struct race_word *word_at(struct races *races, uint64_t address, unsigned epoch)
{
    size_t at = (size_t)((address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % WORDS;
    while (races->words[at].address && races->words[at].address != address)
        at = (at + 1) % WORDS;
    struct race_word *word = &races->words[at];
    if (!word->address) {
        if (races->used == WORDS_USED)
            return NULL;
        races->used++;
        word->address = address;
    }
    if (word->epoch != epoch)
        *word = (struct race_word){
            .address = address, .epoch = epoch, .read_at = word->read_at, .written_at = word->written_at};
    return word;
}

/* Whether two instructions may be meant to race. */
static bool is_meant(struct races *races, const struct code *code, const struct race_word *word, uint32_t one,
                     uint32_t other)
{
    for (unsigned i = 0; i < races->meant_count; i++)
        if (races->meant[i].one == one && races->meant[i].other == other)
            return true;
    OWNED_MEMORY bool *loads = x_calloc(code->count + 2, sizeof *loads);
    loads[word->read_at ? word->read_at - 1 : code->count] = true;
    loads[one] |= (code->list[one].traits & TRAIT_LOAD) != 0;
    const bool meant = race_kind(code, one, other, loads, loads, false) == RACE_MEANT;
    if (meant && races->meant_count < PAIRS)
        races->meant[races->meant_count++] = (struct meant){one, other};
    return meant;
}

static void races_visit(struct races *races, const struct access *access, uint64_t address, bool changes)
{
    const struct warp *warp = access->warp;
    struct block *block = warp->block;
    struct race_word *word = word_at(races, address, block->epoch);
    const unsigned char me = (unsigned char)(warp->number + 1);
    const unsigned long long at = address;
    const uint32_t pc = access->code->index;
    if (!word || block->doubted >> DOUBT_RACE & 1)
        return;
    if (word->written_at && IS_OF(access->code, CONSTANT))
        block_fault(
            block,
            "warp %u loads the word at 0x%llx of global memory that its block has stored, by a load that is not "
            "coherent (__ldg or const __restrict__), so it may find an old value",
            warp->number, at);
    if (word->writer && word->writer != me && !is_meant(races, block->code, word, pc, word->written_at - 1))
        block_doubt(block,
                    "warps %u and %u of a block %s the word at 0x%llx of global memory without a barrier between them",
                    word->writer - 1u, warp->number, changes ? "change" : "change and read", at);
    if (changes && word->reader && word->reader != me && !is_meant(races, block->code, word, pc, word->read_at - 1))
        block_doubt(block,
                    "warp %u changes the word at 0x%llx of global memory that another warp of its block read, without "
                    "a barrier",
                    warp->number, at);
    if (changes) {
        word->writer = me;
        word->written_at = pc + 1;
        return;
    }
    word->read_at = pc + 1;
    word->reader = word->reader && word->reader != me ? SEVERAL : me;
}

static unsigned words_of(const struct access *access)
{
    const unsigned size = (unsigned)access->size;
    return size / 4 < WIDEST ? size / 4 : WIDEST; /* none of an access to a part of a word */
}

static void take_words(uint32_t *words, const struct access *access, unsigned lane)
{
    memcpy(words, device_bytes(access->warp->block->machine, access_address(access, lane)),
           (size_t)words_of(access) * 4);
}

/* Before a store, what is there is kept. */
static void races_hear(const struct access *access)
{
    struct races *races = access->warp->block->watch.states[WATCH_RACES];
    for (uint32_t left = access->kind == ACCESS_STORES ? access->lanes : 0; left; left &= left - 1)
        take_words(races->old[__builtin_ctz(left)], access, (unsigned)__builtin_ctz(left));
}

/* Notes a load, or what a store has changed. Fails the block if it races. */
static void races_done(const struct access *access)
{
    struct races *races = access->warp->block->watch.states[WATCH_RACES];
    const bool stores = access->kind == ACCESS_STORES;
    if (!stores && access->kind != ACCESS_READS)
        return;
    if (races->accesses++ == ACCESSES) {
        watch_stop(access->warp->block, WATCH_RACES);
        return;
    }
    EACH_BIT(lane, access->lanes) {
        uint32_t now[WIDEST];
        take_words(now, access, lane);
        for (unsigned k = 0; k < words_of(access); k++)
            if (!stores || now[k] != races->old[lane][k])
                races_visit(races, access, access_address(access, lane) + (uint64_t)4 * k, stores);
    }
}

const struct watcher races_watcher = {
    ACCESS_READS | ACCESS_STORES, 0, sizeof(struct races), false, races_begin, races_hear, races_done, races_release};
