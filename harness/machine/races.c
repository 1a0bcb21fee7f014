#include "races.h"

#include "base/base.h"

#include "device_memory.h"

#include <stdlib.h>
#include <string.h>

/* A word that warps of the block accessed since its last barrier: the warp + 1 that changed it and the one that read
 * it; several readers are SEVERAL. */
struct race_word {
    uint64_t address; /* 0: the place is free */
    unsigned epoch;
    unsigned char writer, reader;
};

enum { WORDS = 1 << 16, WORDS_USED = WORDS / 2, ACCESSES = 1 << 14, SEVERAL = 255, WIDEST = 4 };

struct races {
    struct race_word *words;
    unsigned used, accesses;
    uint32_t old[LANES][WIDEST]; /* what a store finds */
};

struct races *races_open(void)
{
    struct races *races = x_calloc(1, sizeof *races);
    races->words = x_calloc(WORDS, sizeof *races->words);
    return races;
}

void races_close(struct races *races)
{
    if (races)
        free(races->words);
    free(races);
}

void races_clear(struct races *races)
{
    memset(races->words, 0, WORDS * sizeof *races->words);
    races->used = races->accesses = 0;
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
        *word = (struct race_word){.address = address, .epoch = epoch};
    return word;
}

static void visit(struct warp *warp, uint64_t address, bool changes)
{
    struct block *block = warp->block;
    struct race_word *word = word_at(block->races, address, block->epoch);
    const unsigned char me = (unsigned char)(warp->number + 1);
    const unsigned long long at = address;
    if (!word)
        return;
    if (word->writer && word->writer != me)
        block_doubt(block,
                    "warps %u and %u of a block %s the word at 0x%llx of global memory without a barrier between them",
                    word->writer - 1u, warp->number, changes ? "change" : "change and read", at);
    if (changes && word->reader && word->reader != me)
        block_doubt(block,
                    "warp %u changes the word at 0x%llx of global memory that another warp of its block read, without "
                    "a barrier "
                    "between them",
                    warp->number, at);
    if (changes)
        word->writer = me;
    else
        word->reader = word->reader && word->reader != me ? SEVERAL : me;
}

static unsigned words_of(unsigned size)
{
    return size / 4 < WIDEST ? size / 4 : WIDEST; /* none of an access to a part of a word */
}

/* Returns whether the access is looked at: each block's first ones are. */
static bool is_looked_at(struct races *races)
{
    return races->accesses < ACCESSES && ++races->accesses;
}

void races_load(struct warp *warp, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    if (!is_looked_at(warp->block->races)) {
        warp->block->races = NULL;
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1)
        for (unsigned k = 0; k < words_of(size); k++)
            visit(warp, addresses[__builtin_ctz(left)] + (uint64_t)4 * k, false);
}

static void take_words(uint32_t *words, uint64_t address, unsigned size)
{
    memcpy(words, device_bytes(address), (size_t)words_of(size) * 4);
}

void races_before_store(struct warp *warp, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    for (uint32_t left = lanes; left; left &= left - 1)
        take_words(warp->block->races->old[__builtin_ctz(left)], addresses[__builtin_ctz(left)], size);
}

void races_store(struct warp *warp, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    struct races *races = warp->block->races;
    if (!is_looked_at(races))
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t now[WIDEST];
        take_words(now, addresses[lane], size);
        for (unsigned k = 0; k < words_of(size); k++)
            if (now[k] != races->old[lane][k])
                visit(warp, addresses[lane] + (uint64_t)4 * k, true);
    }
}
