/* The words of warps that are recorded, and what instructions add to them once they are executed. */
#include "block.h"

enum { ROOM = 512 };

static void make_room(struct recorded_warp *to, size_t words)
{
    if (to->count + words > to->capacity) {
        to->capacity = 2 * to->capacity + words + ROOM;
        to->words = x_realloc(to->words, to->capacity, sizeof *to->words);
    }
}

void record_new(struct recorded_warp *to, uint32_t head, const uint32_t *words)
{
    const unsigned count = recorded_words(head);
    make_room(to, 1 + count);
    to->last = to->count;
    to->words[to->count++] = head;
    memcpy(to->words + to->count, words, count * sizeof *words);
    to->count += count;
}

/* Adds words to the last instruction of a warp, as many as an instruction may have. */
static void record_more(struct recorded_warp *to, enum recorded_kind kind, const uint32_t *words, unsigned count)
{
    const uint32_t head = to->words[to->last];
    if (recorded_words(head) + count > RECORDED_WORDS_MOST)
        return;
    make_room(to, count);
    to->words[to->last] = recorded_index(head) | (uint32_t)kind << 16 | (uint32_t)recorded_works(head) << 20 |
                          (recorded_words(head) + count) << 21;
    memcpy(to->words + to->count, words, count * sizeof *words);
    to->count += count;
}

/* Returns where a warp's last instruction is recorded; NULL: it is not. */
static struct recorded_warp *recorded_of(const struct warp *warp)
{
    struct recorded_warp *to = warp->block->recorded ? &warp->block->recorded->warps[warp->number] : NULL;
    return to && !to->done && to->count ? to : NULL;
}

void record_bulk(struct warp *warp, bool stores, uint32_t barrier, uint64_t bytes)
{
    struct recorded_warp *to = recorded_of(warp);
    if (to && recorded_words(to->words[to->last]) == 0)
        record_more(to, stores ? RECORDED_BULK_STORE : RECORDED_BULK_LOAD, (uint32_t[]){barrier, (uint32_t)bytes}, 2);
}

void record_bulk_bytes(struct warp *warp, uint64_t address, uint64_t bytes)
{
    struct recorded_warp *to = recorded_of(warp);
    if (!to || bytes == 0)
        return;
    const uint32_t first = (uint32_t)(address >> 5), end = (uint32_t)((address + bytes + 31) >> 5);
    uint32_t *pair = to->words + to->count - 2;
    if (recorded_words(to->words[to->last]) > 2 && pair[0] <= first && pair[0] + pair[1] >= first)
        pair[1] = end > pair[0] + pair[1] ? end - pair[0] : pair[1];
    else if (recorded_words(to->words[to->last]) >= 2)
        record_more(to, recorded_kind(to->words[to->last]), (uint32_t[]){first, end - first}, 2);
}

void record_phase(struct warp *warp, uint32_t barrier, enum phase_part part, uint64_t number)
{
    struct recorded_warp *to = recorded_of(warp);
    if (to)
        record_more(to, RECORDED_PHASE, (uint32_t[]){barrier, part, (uint32_t)number}, 3);
}
