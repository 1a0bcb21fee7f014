#include "meetings.h"

#include "machine/block/block.h"

#include <sys/mman.h>

/* A word for each sector of 32 bytes. It has the block that came last, which of the eight words that block has read and
 * written, and which others did before. */
enum { SECTOR_SHIFT = 5, SECTOR_READ = 32, SECTOR_WRITTEN = 40, SECTOR_OTHERS = 16 };

/* Most lines of 128 bytes are accessed by one block only, and each time whole. Such a line has one word: the block's
 * number + 1, and whether it has read and written. LINE_APART: its sectors have words. */
enum { LINE_SHIFT = 7, LINE_BYTES = 1 << LINE_SHIFT, LINE_READ = 1, LINE_WRITTEN = 2, LINE_BLOCK = 2 };
#define LINE_APART UINT32_MAX

/* An allocation in one launch. Most are only read. So reads are not noted until a block has written there, except in
 * the first blocks, which show what the others will do. */
struct shared_place {
    struct allocation place;
    bool written, unseen; /* unseen: there were reads that were not noted */
    uint64_t *sectors;
    uint32_t *lines;
    size_t sector_bytes, line_bytes; /* of them */
};

struct meetings {
    pthread_mutex_t lock;
    struct shared_place *list;
    size_t count;
    uint64_t *written; /* allocations that earlier launches have written */
    size_t written_count;
    bool answered, yielded;
    char *place, *overwritten; /* where blocks met, and where they met only in what they leave behind */
};

struct meetings *meetings_open(void)
{
    struct meetings *meetings = x_calloc(1, sizeof *meetings);
    pthread_mutex_init(&meetings->lock, NULL);
    return meetings;
}

static void forget_launch(struct meetings *meetings)
{
    for (size_t i = 0; i < meetings->count; i++) {
        munmap(meetings->list[i].sectors, meetings->list[i].sector_bytes);
        munmap(meetings->list[i].lines, meetings->list[i].line_bytes);
    }
    free(meetings->list);
    meetings->list = NULL;
    meetings->count = 0;
}

void meetings_close(struct meetings *meetings)
{
    forget_launch(meetings);
    pthread_mutex_destroy(&meetings->lock);
    free(meetings->written);
    free(meetings->place);
    free(meetings->overwritten);
    free(meetings);
}

void meetings_begin(struct meetings *meetings)
{
    forget_launch(meetings);
    free(meetings->place);
    free(meetings->overwritten);
    meetings->place = meetings->overwritten = NULL;
    meetings->answered = meetings->yielded = false;
}

/* A launch may read what an earlier one has left. So from here on, blocks that met only in what they left behind have
 * met. */
void meetings_launch(struct meetings *meetings)
{
    forget_launch(meetings);
    if (!meetings->place) {
        meetings->place = meetings->overwritten;
        meetings->overwritten = NULL;
    }
}

const char *meetings_place(const struct meetings *meetings)
{
    return __atomic_load_n(&meetings->place, __ATOMIC_ACQUIRE);
}

bool meetings_any(const struct meetings *meetings)
{
    return meetings->place || meetings->overwritten;
}

static void note(char **place, struct block *block, const struct instruction *code)
{
    if (*place)
        return;
    OWNED_TEXT where = block_place(block);
    __atomic_store_n(place, x_sprintf("%s at %s", code->opcode, where), __ATOMIC_RELEASE);
}

void meetings_note(struct block *block, const struct instruction *code)
{
    struct meetings *meetings = block->grid->meetings;
    if (!meetings || meetings_place(meetings))
        return;
    pthread_mutex_lock(&meetings->lock);
    note(&meetings->place, block, code);
    pthread_mutex_unlock(&meetings->lock);
}

void meetings_note_yield(struct block *block, const struct instruction *code)
{
    if (block->grid->meetings)
        __atomic_store_n(&block->grid->meetings->yielded, true, __ATOMIC_RELAXED);
    meetings_note(block, code);
}

bool meetings_yielded(const struct meetings *meetings)
{
    return meetings->yielded;
}

bool meetings_answered(const struct meetings *meetings)
{
    return meetings->answered;
}

/* ---- Allocations ---- */

static bool was_written(const struct meetings *meetings, uint64_t begin)
{
    return ANY(i, meetings->written_count, meetings->written[i] == begin);
}

/* There may be as many as a quarter of the allocation's bytes, so large pages save time. */
void *meetings_words(size_t bytes)
{
    void *words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (words == MAP_FAILED)
        BUG("cannot allocate %llu bytes to track the accesses to an array", (unsigned long long)bytes);
    madvise(words, bytes, MADV_HUGEPAGE);
    return words;
}

static struct shared_place *find_place(struct meetings *meetings, const struct allocation *allocation)
{
    for (size_t i = 0; i < meetings->count; i++)
        if (meetings->list[i].place.begin == allocation->begin)
            return &meetings->list[i];
    struct shared_place *shared = ARRAY_GROW(meetings->list, meetings->count);
    *shared = (struct shared_place){
        .place = *allocation,
        .written = was_written(meetings, allocation->begin),
    };
    const uint64_t bytes = allocation->end - allocation->begin;
    shared->sector_bytes = (bytes / SECTOR_BYTES + 2) * sizeof *shared->sectors;
    shared->line_bytes = (bytes / LINE_BYTES + 2) * sizeof *shared->lines;
    shared->sectors = meetings_words(shared->sector_bytes);
    shared->lines = meetings_words(shared->line_bytes);
    return shared;
}

static void look_at_place(struct block *block, const struct instruction *code, uint64_t address, bool writes,
                          struct met *met)
{
    struct meetings *meetings = block->grid->meetings;
    struct allocation allocation;
    if (!device_find(block->machine, address, &allocation))
        return; /* it is outside of all allocations, which was found before */
    pthread_mutex_lock(&meetings->lock);
    struct shared_place *shared = find_place(meetings, &allocation);
    if (writes && shared->unseen)
        note(&meetings->place, block, code);
    if (writes && !was_written(meetings, allocation.begin))
        *ARRAY_GROW(meetings->written, meetings->written_count) = allocation.begin;
    shared->written |= writes;
    const bool looks = shared->written || block->begun == 1 || code->polls;
    shared->unseen |= !looks;
    *met = (struct met){allocation.begin, allocation.end, looks ? shared->sectors : NULL, shared->lines};
    pthread_mutex_unlock(&meetings->lock);
}

/* ---- Words ---- */

static void visit_sector(struct block *block, const struct instruction *code, uint64_t *sector, unsigned words,
                         bool writes)
{
    const uint32_t me = (uint32_t)block->number + 1;
    uint64_t old = __atomic_load_n(sector, __ATOMIC_RELAXED), now;
    do {
        uint64_t touched = old >> 32;
        if ((uint32_t)old != me)
            touched = (touched | touched >> SECTOR_OTHERS) << SECTOR_OTHERS & UINT32_MAX;
        now = touched << 32 | me | (uint64_t)words << (writes ? SECTOR_WRITTEN : SECTOR_READ);
    } while (now != old && !__atomic_compare_exchange_n(sector, &old, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    const uint64_t others = now >> SECTOR_OTHERS;
    const bool read = others >> SECTOR_READ & words, written = others >> SECTOR_WRITTEN & words;
    block->shares |= written || (writes && read);
    if (now == old)
        return;
    if (writes ? read : written) {
        meetings_note(block, code);
    } else if (written) {
        struct meetings *meetings = block->grid->meetings;
        pthread_mutex_lock(&meetings->lock);
        note(&meetings->overwritten, block, code);
        pthread_mutex_unlock(&meetings->lock);
    }
}

/* Gives the sectors of a line their words. */
static void part_line(struct block *block, const struct met *met, uint32_t *line, uint64_t address)
{
    enum { WHOLE = (1 << SECTOR_BYTES / 4) - 1 };
    pthread_mutex_t *lock = &block->grid->meetings->lock;
    uint64_t *sectors = &met->sectors[(address >> SECTOR_SHIFT) - (met->begin >> SECTOR_SHIFT)];
    pthread_mutex_lock(lock);
    uint32_t old = __atomic_load_n(line, __ATOMIC_RELAXED);
    while (old != LINE_APART) {
        const uint64_t sector = old >> LINE_BLOCK | (uint64_t)(old & LINE_READ ? WHOLE : 0) << SECTOR_READ |
                                (uint64_t)(old & LINE_WRITTEN ? WHOLE : 0) << SECTOR_WRITTEN;
        for (unsigned i = 0; i < LINE_BYTES / SECTOR_BYTES; i++)
            __atomic_store_n(&sectors[i], sector, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(line, &old, LINE_APART, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            break;
    }
    pthread_mutex_unlock(lock);
}

/* Notes an access to a line in its own word. False: it has to be noted in those of its sectors. */
static bool visit_line(struct block *block, const struct met *met, uint64_t first, uint64_t end, bool writes)
{
    uint32_t *line = &met->lines[(first >> LINE_SHIFT) - (met->begin >> LINE_SHIFT)];
    const uint64_t number = block->number + 1;
    const bool whole = end - first == LINE_BYTES && number < LINE_APART >> LINE_BLOCK;
    const uint32_t me = (uint32_t)(number << LINE_BLOCK), kind = writes ? LINE_WRITTEN : LINE_READ;
    uint32_t old = __atomic_load_n(line, __ATOMIC_ACQUIRE);
    while (old != LINE_APART) {
        const bool mine = whole && (old == 0 || old >> LINE_BLOCK == number);
        const uint32_t now = mine ? me | old | kind : LINE_APART;
        if (now == old)
            return true;
        if (!mine && old != 0) {
            part_line(block, met, line, first & ~(uint64_t)(LINE_BYTES - 1));
            return false;
        }
        if (__atomic_compare_exchange_n(line, &old, now, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            return mine;
    }
    return false;
}

static void visit_range(struct block *block, const struct instruction *code, struct met *met, uint64_t first,
                        uint64_t bytes, bool writes)
{
    if (first < met->begin || first + bytes > met->end)
        look_at_place(block, code, first, writes, met);
    if (!met->sectors)
        return;
    for (const uint64_t end = first + bytes; first < end;) {
        const uint64_t behind = (first | (LINE_BYTES - 1)) + 1, stop = behind < end ? behind : end;
        const bool noted = visit_line(block, met, first, stop, writes);
        for (uint64_t at = first & ~(uint64_t)(SECTOR_BYTES - 1); !noted && at < stop; at += SECTOR_BYTES) {
            const unsigned from = at < first ? (unsigned)(first - at) / 4 : 0;
            const unsigned to = at + SECTOR_BYTES > stop ? (unsigned)(stop - at + 3) / 4 : SECTOR_BYTES / 4;
            visit_sector(block, code, &met->sectors[(at >> SECTOR_SHIFT) - (met->begin >> SECTOR_SHIFT)],
                         (1u << to) - (1u << from), writes);
        }
        first = stop;
    }
}

/* ---- Watchers ---- */

/* When the second block begins, it is known what the first has written. Code that polls is watched in all orders but 0,
 * in which other counts may come of its looks. */
static bool meeting_begin(struct block *block)
{
    const struct grid *grid = block->grid;
    if (++block->begun == 2)
        for (size_t i = 0; i < block->code->count; i++)
            block->memos[i].met = (struct met){0};
    const bool polls = grid->order > 0 && block->code->has_polls;
    block->shares = false;
    return grid->meetings && (polls || !meetings_place(grid->meetings)) && grid_blocks(grid) > 1;
}

static void meeting_hear(const struct access *access)
{
    struct block *block = access->warp->block;
    uint64_t bytes;
    block->shares = false;
    for (uint32_t left = access_parts(access, &bytes); left; left &= left - 1)
        visit_range(block, access->code, &block->memos[access->code->index].met,
                    access_address(access, (unsigned)__builtin_ctz(left)), bytes,
                    access->kind & (ACCESS_STORES | ACCESS_CHANGES | ACCESS_GOES));
}

enum { HEARD = ACCESS_READS | ACCESS_STORES | ACCESS_COPIES | ACCESS_CHANGES | ACCESS_COMES | ACCESS_GOES };
const struct watcher meetings_watcher = {HEARD, 0, 0, false, meeting_begin, meeting_hear, NULL, NULL};

static bool begin_answers(struct block *block)
{
    return block->grid->meetings != NULL;
}

enum { SLOW_TURNS = 64 };

/* An answer depends on which lanes came before, where there are others. It is data: whatever follows may depend on it.
 */
static void hear_answer(const struct access *access)
{
    struct block *block = access->warp->block;
    if (!(access->kind & ACCESS_FAR) && block->warp_count == 1 && (access->block || grid_blocks(block->grid) == 1))
        return;
    access->warp->slow_turns = block->slow ? SLOW_TURNS : 0;
    __atomic_store_n(&block->grid->meetings->answered, true, __ATOMIC_RELAXED);
    meetings_note(block, access->code);
}

const struct watcher answers_watcher = {ACCESS_ANSWERS, ACCESS_ANSWERS, 0,    true,
                                        begin_answers,  hear_answer,    NULL, NULL};
