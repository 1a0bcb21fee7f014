/* The rare cases of memory accesses: a new shape, an address outside of an array, words that blocks or warps share. */
#include "memory.h"

#include "counting.h"
#include "device_memory.h"
#include "memory_access.h"
#include "waits.h"
#include "warpgroup.h"

#include <stdlib.h>
#include <string.h>

/* ---- Shapes ---- */

/* Distances of lanes in order, by their size. They are the same words for all instructions, which the CPU's caches then
 * have once. */
#define FOUR(l, size) (l) * (size), ((l) + 1) * (size), ((l) + 2) * (size), ((l) + 3) * (size)
#define ROW_OF(size)                                                                                                   \
    {                                                                                                                  \
        FOUR(0, size), FOUR(4, size), FOUR(8, size), FOUR(12, size), FOUR(16, size), FOUR(20, size), FOUR(24, size),   \
            FOUR(28, size)                                                                                             \
    }
static const uint32_t no_distances[LANES], in_order[][LANES] = {ROW_OF(1), ROW_OF(2), ROW_OF(4), ROW_OF(8), ROW_OF(16)};

static void set_distances(struct memo *memo, unsigned size)
{
    memo->apart = memo->same ? no_distances : memo->in_order ? in_order[__builtin_ctz(size)] : memo->distances;
}

void memo_settle(struct memo *memo, struct tally *tally)
{
    const uint64_t times = memo->times;
    memo->times = 0;
    tally->accesses += times;
    if (memo->shared) {
        tally->shared_accesses += times;
        tally->wavefronts += times * memo->wavefronts;
        tally->ideal_wavefronts += times * memo->ideal_wavefronts;
        tally->loose_wavefronts += times * memo->margin;
    } else {
        tally->global_accesses += times;
        tally->sectors += times * memo->sectors;
        tally->ideal_sectors += times * memo->ideal_sectors;
        tally->unit_sectors += times * memo->sectors;
    }
}

void memo_global(struct memo *memo, const struct block *block, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    const uint64_t first = addresses[__builtin_ctz(lanes)];
    memo->lanes = lanes;
    memo->shared = false;
    memo->low = (uint32_t)(first & MEMO_LOW_SECTOR);
    memo->least = memo->most = 0;
    memo->in_order = lanes == ALL_LANES;
    memo->same = true;
    memo->aligned = true;
    memo->near = true;
    for (unsigned l = 0; l < LANES; l++) {
        const int64_t apart = lanes >> l & 1 ? (int64_t)(addresses[l] - first) : 0;
        memo->distances[l] = (uint32_t)apart;
        memo->near &= !(lanes >> l & 1) || addresses[l] >> 32 == first >> 32;
        memo->least = apart < memo->least ? apart : memo->least;
        memo->most = apart > memo->most ? apart : memo->most;
        memo->in_order &= apart == (int64_t)l * size;
        memo->same &= apart == 0;
        memo->aligned &= !(lanes >> l & 1) || (addresses[l] & (size - 1)) == 0;
    }
    set_distances(memo, size);
    if (!block || !block->counts)
        return;
    const struct sectors sectors = count_sectors(lanes, addresses, size);
    memo->sectors = sectors.touched;
    memo->ideal_sectors = sectors.ideal;
}

void memo_shared(struct memo *memo, uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes)
{
    const uint32_t first = addresses[__builtin_ctz(lanes)];
    memo->lanes = lanes;
    memo->shared = true;
    memo->low = first & MEMO_LOW_SHARED;
    memo->least = memo->most = 0;
    memo->in_order = lanes == ALL_LANES;
    memo->same = true;
    memo->aligned = true;
    for (unsigned l = 0; l < LANES; l++) {
        const int32_t apart = lanes >> l & 1 ? (int32_t)(addresses[l] - first) : 0;
        memo->distances[l] = (uint32_t)apart;
        memo->least = apart < memo->least ? apart : memo->least;
        memo->most = apart > memo->most ? apart : memo->most;
        memo->in_order &= apart == (int64_t)l * size;
        memo->same &= apart == 0;
        memo->aligned &= !(lanes >> l & 1) || (addresses[l] & (size - 1)) == 0;
    }
    set_distances(memo, size);
    const struct wavefronts wavefronts = count_wavefronts(lanes, addresses, size, writes);
    memo->wavefronts = wavefronts.passes;
    memo->ideal_wavefronts = wavefronts.ideal;
    memo->margin = wavefronts.margin;
}

/* ---- Faults ---- */

__attribute__((noreturn)) static void global_outside(struct block *block, unsigned lane, uint64_t address,
                                                     unsigned size, bool writes)
{
    enum { NEAR = 1 << 20 };
    struct allocation near;
    const char *does = writes ? "writes" : "reads";
    const unsigned long long at = address;
    if (!device_find(address, &near) && !device_find_near(address, NEAR, &near))
        block_fault(block, "lane %u %s %u bytes at 0x%llx, which is in no allocation", lane, does, size, at);
    const unsigned long long bytes = near.end - near.begin;
    if (address < near.begin)
        block_fault(block, "lane %u %s %u bytes at 0x%llx, %llu bytes before an allocation of %llu bytes", lane, does,
                    size, at, (unsigned long long)(near.begin - address), bytes);
    block_fault(block, "lane %u %s %u bytes at 0x%llx, %llu bytes beyond the end of an allocation of %llu bytes", lane,
                does, size, at, (unsigned long long)(address + size - near.end), bytes);
}

static bool holds(const struct allocation *allocation, uint64_t address, unsigned size)
{
    return address >= allocation->begin && address < allocation->end && size <= allocation->end - address;
}

void memory_check(struct block *block, struct memo *memo, uint32_t lanes, const uint64_t *addresses, unsigned size,
                  bool writes)
{
    struct allocation found = {0, 0};
    const uint64_t first = addresses[__builtin_ctz(lanes)];
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1) || holds(&found, addresses[l], size))
            continue;
        if (!device_find(addresses[l], &found) || !holds(&found, addresses[l], size))
            global_outside(block, l, addresses[l], size, writes);
    }
    if (device_find(first, &found)) {
        memo->begin = found.begin;
        memo->end = found.end;
    }
}

void memory_misaligned(struct block *block, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    for (unsigned l = 0; l < LANES; l++)
        if ((lanes >> l & 1) && addresses[l] & (size - 1))
            block_fault(block, "lane %u accesses %u bytes at 0x%llx, which is no multiple of %u", l, size,
                        (unsigned long long)addresses[l], size);
    block_fault(block, "misaligned access");
}

/* Code that allocates tensor memory (tcgen05) notes that in the part of shared memory that the system keeps. */
static const char *tensor_memory(const struct block *block)
{
    for (size_t i = 0; i < block->code->count; i++)
        if (strncmp(block->code->list[i].opcode, "UTC", 3) == 0)
            return block->code->list[i].opcode;
    return NULL;
}

void shared_outside(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    const char *allocates = tensor_memory(block);
    for (unsigned l = 0; l < LANES && allocates; l++)
        if ((lanes >> l & 1) && addresses[l] < block->reserved)
            block_not_simulated(block, "%s", allocates);
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t end = (uint64_t)addresses[l] + size;
        if ((lanes >> l & 1) && (addresses[l] < block->reserved || end > block->shared_size))
            block_fault(block, "lane %u accesses bytes %lld to %lld of the block's %llu bytes of shared memory", l,
                        (long long)(int32_t)addresses[l] - block->reserved, (long long)end - 1 - block->reserved,
                        (unsigned long long)(block->shared_size - block->reserved));
    }
    block_fault(block, "an access beyond shared memory");
}

void shared_misaligned(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    for (unsigned l = 0; l < LANES; l++)
        if ((lanes >> l & 1) && addresses[l] & (size - 1))
            block_fault(block, "lane %u accesses %u bytes at byte %lld of shared memory, which is no multiple of %u", l,
                        size, (long long)addresses[l] - block->reserved, size);
    block_fault(block, "misaligned access to shared memory");
}

/* ---- Local memory ---- */

void local_check(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        if ((uint64_t)addresses[l] + size > block->local_bytes)
            block_fault(block, "lane %u accesses byte %lld of its %u bytes of local memory", l,
                        (long long)(int32_t)addresses[l], block->local_bytes);
        if (addresses[l] & (size - 1))
            block_fault(block, "lane %u accesses %u bytes at byte %u of local memory, which is no multiple of %u", l,
                        size, addresses[l], size);
    }
}

unsigned local_sectors(uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    uint64_t words[LANES];
    unsigned sectors = 0;
    for (unsigned k = 0; k < (size < 4 ? 1 : size / 4); k++) {
        for (unsigned l = 0; l < LANES; l++)
            words[l] = ((uint64_t)addresses[l] / 4 + k) * LANES * 4 + (uint64_t)l * 4;
        sectors += count_sectors(lanes, words, 4).touched;
    }
    return sectors;
}

void local_move(struct warp *warp, unsigned lane, uint32_t address, unsigned char *bytes, unsigned size, bool writes)
{
    for (unsigned done = 0; done < size;) {
        const unsigned in_word = (address + done) & 3, part = size - done < 4 - in_word ? size - done : 4 - in_word;
        unsigned char *place = warp->local + ((size_t)(address + done) / 4 * LANES + lane) * 4 + in_word;
        if (writes)
            memcpy(place, bytes + done, part);
        else
            memcpy(bytes + done, place, part);
        done += part;
    }
}

/* ---- Races in shared memory ---- */

/* For each word of shared memory: the warp + 1 that wrote it and the one that read it since the last barrier. Several
 * readers are SEVERAL. */
struct shadow_word {
    unsigned epoch;
    unsigned char writer, reader;
    bool written;
};

struct shadow {
    struct shadow_word *words;
    size_t count;
    /* A store to a word that another warp has written: it is a fault if it changes the word. */
    struct {
        bool any;
        unsigned char writer;
        uint32_t address, word;
    } again;
};

enum { SEVERAL = 255 };

struct shadow *shadow_open(const struct block *block)
{
    struct shadow *shadow = x_calloc(1, sizeof *shadow);
    shadow->count = block->shared_size / 4 + 1;
    shadow->words = x_calloc(shadow->count, sizeof *shadow->words);
    return shadow;
}

void shadow_clear(struct shadow *shadow, const struct block *block)
{
    (void)block;
    memset(shadow->words, 0, shadow->count * sizeof *shadow->words);
}

void shadow_close(struct shadow *shadow)
{
    if (shadow)
        free(shadow->words);
    free(shadow);
}

static void writes_meet(struct block *block, unsigned one, unsigned other, uint32_t address, const char *what)
{
    block_doubt(block, "warps %u and %u of a block %s byte %lld of shared memory without a barrier between them", one,
                other, what, (long long)address - SHARED_RESERVED);
}

static void note_again(struct shadow *shadow, const struct block *block, uint32_t address, unsigned char writer)
{
    if (shadow->again.any)
        return;
    shadow->again.any = true;
    shadow->again.writer = writer;
    shadow->again.address = address & ~3u;
    memcpy(&shadow->again.word, block->shared + shadow->again.address, sizeof shadow->again.word);
}

void shadow_stored(struct warp *warp)
{
    struct shadow *shadow = warp->block->shadow;
    if (!shadow->again.any)
        return;
    shadow->again.any = false;
    if (memcmp(&shadow->again.word, warp->block->shared + shadow->again.address, sizeof shadow->again.word) != 0)
        writes_meet(warp->block, shadow->again.writer - 1u, warp->number, shadow->again.address, "write");
}

static void visit_word(struct warp *warp, uint32_t address, enum shadow_use use)
{
    const bool writes = use != SHADOW_READS;
    struct block *block = warp->block;
    struct shadow_word *word = &block->shadow->words[address / 4];
    const unsigned char me = (unsigned char)(warp->number + 1);
    const long long byte = (long long)address - block->reserved;
    if (word->epoch != block->epoch) {
        word->epoch = block->epoch;
        word->writer = word->reader = 0;
    }
    if (word->writer && word->writer != me && use == SHADOW_STORES)
        note_again(block->shadow, block, address, word->writer);
    else if (word->writer && word->writer != me)
        writes_meet(block, word->writer - 1u, warp->number, address, writes ? "write" : "write and read");
    if (writes && word->reader && word->reader != me)
        block_doubt(block,
                    "warp %u writes byte %lld of shared memory that another warp read, without a barrier between them",
                    warp->number, byte);
    if (writes) {
        word->writer = me;
        word->written = true;
    } else {
        word->reader = word->reader && word->reader != me ? SEVERAL : me;
    }
}

/* Doubts the block if all lanes read words that nobody wrote. If only some do, that may be right: CUB's sort by merging
 * reads one key too many, and does not use it. */
static void look_for_unwritten(struct warp *warp, uint32_t lanes, const uint32_t *addresses)
{
    const struct shadow_word *words = warp->block->shadow->words;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (words[addresses[__builtin_ctz(left)] / 4].written)
            return;
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    block_doubt(warp->block,
                "warp %u reads shared memory that nobody wrote: lane %u byte %lld, the other lanes likewise",
                warp->number, lane, (long long)addresses[lane] - warp->block->reserved);
}

/* Notes an access. Several warps may rightly write parts of one word, so parts are not compared. */
void shadow_visit(struct warp *warp, uint32_t lanes, const uint32_t *addresses, unsigned size, enum shadow_use use)
{
    const bool writes = use != SHADOW_READS;
    if (!writes)
        look_for_unwritten(warp, lanes, addresses);
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (size < 4) {
            warp->block->shadow->words[addresses[l] / 4].written |= writes;
            continue;
        }
        for (unsigned k = 0; k < size; k += 4)
            visit_word(warp, addresses[l] + k, use);
    }
}

void shadow_product(struct warp *warp, uint32_t address)
{
    const struct shadow_word *word = &warp->block->shadow->words[address / 4];
    for (unsigned k = 0; k < 4; k++)
        if (word[k].epoch == warp->block->epoch && word[k].writer && (word[k].writer - 1u) / 4 != warp->number / 4)
            block_doubt(
                warp->block,
                "warp %u writes byte %lld of shared memory and warp %u's warpgroup reads it in a matrix product, "
                "without a barrier between them",
                word[k].writer - 1u, (long long)address + 4LL * k - SHARED_RESERVED, warp->number);
}

/* Notes atomics, which may meet. */
void shadow_atomic(struct warp *warp, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < size; k += 4)
            if (lanes >> l & 1)
                warp->block->shadow->words[addresses[l] / 4 + k / 4].written = true;
}

void shadow_written(struct block *block, uint32_t address, uint64_t bytes)
{
    for (uint64_t at = address / 4; at <= (address + bytes - 1) / 4; at++)
        block->shadow->words[at].written = true;
}

/* By atomics warps may tell each other anything. */
void shared_visit_atomic(struct warp *warp, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    if (warp->block->shadow)
        shadow_atomic(warp, lanes, addresses, size);
    if (!warp->block->hazards)
        return;
    hazards_learn_all(warp);
    hazards_visit(warp, lanes, addresses, size, false);
    hazards_visit(warp, lanes, addresses, size, true);
}

/* Notes a compare and swap. Few words are swapped between two barriers of a block, so they are in a list, each with its
 * warp. */
void shared_swap(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses)
{
    struct swaps *swaps = &warp->block->swaps;
    if (!warp->block->counts)
        return;
    if (swaps->epoch != warp->block->epoch) {
        swaps->epoch = warp->block->epoch;
        swaps->count = 0;
    }
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        size_t i = 0;
        while (i < swaps->count && swaps->list[i].address != addresses[l])
            i++;
        if (i < swaps->count && swaps->list[i].warp != warp->number)
            waits_note(warp->block, code);
        if (i == swaps->count)
            *ARRAY_GROW(swaps->list, swaps->count) = (struct swap){addresses[l], warp->number};
    }
}

/* ---- For operations that are not loads and stores ---- */

void shared_access(struct warp *warp, const struct instruction *code, unsigned n, uint32_t lanes, unsigned bytes,
                   bool writes, uint32_t addresses[LANES])
{
    const struct operand *operand = &code->operands[n];
    struct block *block = warp->block;
    const uint32_t *row = row_at(warp, SPACE_WARP, operand->row);
    const uint32_t base = operand->based ? row_at(warp, SPACE_WARP, operand->base)[0] : 0;
    for (unsigned l = 0; l < LANES; l++) {
        addresses[l] = row[l] * operand->scale + base + (uint32_t)operand->value - (block->rank << RANK_SHIFT);
        if (!(lanes >> l & 1))
            continue;
        if (addresses[l] < block->reserved || (uint64_t)addresses[l] + bytes > block->shared_size)
            shared_outside(block, lanes & 1u << l, addresses, bytes);
        if (addresses[l] % bytes)
            shared_misaligned(block, lanes & 1u << l, addresses, bytes);
    }
    shared_visit(warp, lanes, addresses, bytes, writes ? SHADOW_WRITES : SHADOW_READS);
    if (block->tiles && writes)
        tiles_stored(warp, lanes, addresses, bytes, false);
}

void shared_counted(struct warp *warp, const struct instruction *code, unsigned wavefronts, unsigned ideal)
{
    struct tally *tally = &warp->block->tallies[code->index];
    tally->accesses++;
    tally->shared_accesses++;
    tally->wavefronts += wavefronts;
    tally->ideal_wavefronts += ideal;
}
