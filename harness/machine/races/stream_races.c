/* A word is looked at by its first byte, so that no two are taken for one; of large allocations only some are. What a
 * store leaves as it was does not race, nor do atomics or volatile accesses with each other. One that sees what another
 * has left may be told so that it is done, and is behind it from then on. */
#include "stream_races.h"

#include "meetings.h"

#include "machine/affine/affine.h"
#include "machine/block/block.h"

#include <sys/mman.h>

enum { LARGE = 1 << 24, WORD_SHIFT = 2, LARGE_SHIFT = 5, MOST_BYTES = LANES * 16 };
#define STRONG (UINT32_C(1) << 31) /* by an atomic or a volatile store */
#define RACED (UINT32_C(1) << 30)  /* nothing orders it and another writer */
#define MARK (RACED - 1)

struct done_operation {
    uint32_t stream, number;
    uint32_t open; /* so many of its stream, up to it, may not be done when the next one begins early */
    char *name;
};

/* Of a word the operations that changed and read it last, + 1. */
struct marks {
    uint32_t writer, reader;
};

struct raced_place {
    struct allocation place;
    struct marks *marks; /* NULL: it is not looked at */
    uint32_t maker;      /* the operation that allocated it, + 1: it counts as the first writer */
    size_t bytes;
    unsigned shift;
    bool of_host;
};

/* Of a place for blocks: where it looked last, and what stores find; whether the block is behind all of its stream. */
struct seen {
    bool waited;
    struct raced_place *last;
    uint32_t old[LANES][MOST_BYTES >> WORD_SHIFT];
};

void stream_races_begin(struct machine *machine, const struct operation *now, const char *name)
{
    struct stream_races *races = machine->stream_races;
    const struct done_operation *last = races->count > 0 ? &races->list[races->count - 1] : NULL;
    races->now = *now;
    if (now->overlaps) {
        size_t i = races->count;
        while (i > 0 && races->list[i - 1].stream != now->stream)
            i--;
        const uint32_t before = now->number - 1, open = i > 0 ? races->list[i - 1].open : 0;
        uint32_t *behind = &races->now.behind.of[now->stream];
        if (i == 0 || races->list[i - 1].number != before || *behind < before - open)
            *behind = before - open;
        races->now.overlaps = *behind < before;
    }
    if (races->on &&
        !(last && last->stream == now->stream && last->number == now->number && strcmp(last->name, name) == 0))
        *ARRAY_GROW(races->list, races->count) = (struct done_operation){now->stream, now->number, 0, x_strdup(name)};
}

void stream_races_control(struct block *block, bool waits)
{
    struct stream_races *races = block->machine->stream_races;
    struct seen *seen = block->watch.states[WATCH_STREAMS];
    if (!(block->watch.on >> WATCH_STREAMS & 1))
        return;
    uint32_t *open = &races->list[races->count - 1].open; /* the most that any block leaves open: threads share them */
    uint32_t known = __atomic_load_n(open, __ATOMIC_RELAXED), most = 1;
    if (waits) {
        seen->waited = true;
        return;
    }
    if (!seen->waited)
        most = races->now.number - __atomic_load_n(&races->now.behind.of[races->now.stream], __ATOMIC_RELAXED);
    while (known < most && !__atomic_compare_exchange_n(open, &known, most, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static size_t below(const struct stream_races *races, uint64_t address)
{
    BISECT(first, races->place_count, i, races->places[i]->place.begin <= address);
    return first;
}

/* Returns the place that has an address, or NULL. What blocks allocate themselves is not looked at. */
static struct raced_place *find(struct machine *machine, uint64_t address)
{
    struct stream_races *races = machine->stream_races;
    struct allocation place, within;
    const size_t at = below(races, address);
    if (at > 0 && address < races->places[at - 1]->place.end)
        return races->places[at - 1];
    if (!device_find(machine, address, &place))
        return NULL;
    struct raced_place *made = x_calloc(1, sizeof *made);
    within = place;
    made->place = place;
    made->of_host = device_home(machine, address, &within) != HOME_DEVICE;
    made->shift = place.end - place.begin >= LARGE ? LARGE_SHIFT : WORD_SHIFT;
    made->bytes = (((place.end - place.begin) >> made->shift) + 1) * sizeof *made->marks;
    made->marks = made->of_host || place.begin == machine->heap.begin ? NULL : meetings_words(made->bytes);
    *ARRAY_INSERT(races->places, races->place_count, at) = made;
    return made;
}

static void release_place(struct raced_place *place)
{
    if (place->marks)
        munmap(place->marks, place->bytes);
    free(place);
}

void stream_races_forget(struct machine *machine, uint64_t begin)
{
    struct stream_races *races = machine->stream_races;
    const size_t at = below(races, begin);
    if (at == 0 || races->places[at - 1]->place.begin != begin)
        return;
    release_place(races->places[at - 1]);
    memmove(&races->places[at - 1], &races->places[at], (races->place_count-- - at) * sizeof *races->places);
}

void stream_races_close(struct stream_races *races)
{
    for (size_t i = 0; i < races->place_count; i++)
        release_place(races->places[i]);
    for (size_t i = 0; i < races->count; i++)
        free(races->list[i].name);
    free(races->places);
    free(races->list);
}

/* Whether the operation that is done comes behind the one of a mark, if there is one. */
static bool is_behind(const struct stream_races *races, uint32_t mark, bool waited)
{
    const struct done_operation *one = mark ? &races->list[(mark & MARK) - 1] : NULL;
    return !one || (one->stream == races->now.stream && (waited || one->number == races->now.number)) ||
           one->number <= __atomic_load_n(&races->now.behind.of[one->stream], __ATOMIC_RELAXED);
}

/* Notes an access of a word. Returns what it races with, + 1, or 0. Two writers race once their word is read: the last
 * one | RACED. */
static uint32_t streams_visit(struct stream_races *races, const struct raced_place *place, struct marks *marks,
                              bool writes, bool strong, bool answers, bool waited)
{
    const uint32_t me = (uint32_t)races->count, last = __atomic_load_n(&marks->writer, __ATOMIC_RELAXED),
                   writer = last ? last : place->maker, reader = __atomic_load_n(&marks->reader, __ATOMIC_RELAXED);
    const bool behind = is_behind(races, writer, waited), again = (writer & MARK) == me && writer & RACED,
               raced = again || (!behind && !(strong && writer & STRONG));
    if (!behind && strong && writer & STRONG && answers) {
        const struct done_operation *one = &races->list[(writer & MARK) - 1];
        __atomic_store_n(&races->now.behind.of[one->stream], one->number, __ATOMIC_RELAXED);
    }
    if (!writes && (raced || writer & RACED))
        return (writer & MARK) | (behind ? RACED : 0);
    if (writes && !is_behind(races, reader, waited))
        return reader;
    if (writes)
        __atomic_store_n(&marks->writer, me | (strong ? STRONG : 0) | (raced ? RACED : 0), __ATOMIC_RELAXED);
    else if (!strong && reader != me && is_behind(races, reader, waited))
        __atomic_store_n(&marks->reader, me, __ATOMIC_RELAXED);
    return 0;
}

/* Returns the first byte in a range that is looked at. */
static uint64_t first_of(const struct raced_place *place, uint64_t begin)
{
    const uint64_t unit = UINT64_C(1) << place->shift;
    return place->place.begin + (begin - place->place.begin + unit - 1) / unit * unit;
}

static struct marks *marks_of(const struct raced_place *place, uint64_t address)
{
    return &place->marks[(address - place->place.begin) >> place->shift];
}

static void describe(struct problem *problem, const struct machine *machine, uint32_t with, bool writes,
                     uint64_t address)
{
    const struct done_operation *one = &machine->stream_races->list[(with & MARK) - 1];
    const uint32_t now = machine->stream_races->now.stream;
    OWNED_TEXT name = x_strdup(one->name);
    demangle((char **[]){&name}, 1);
    problem_set(problem, "%s the word at 0x%llx of global memory that %.150s %s %s", writes ? "changes" : "reads",
                (unsigned long long)address, name, writes ? "reads" : "changes",
                with & RACED         ? "as another stream or branch does: no event or edge orders the two"
                : one->stream == now ? "and may not have finished: no griddepcontrol.wait comes before"
                : one->stream >= FIRST_BRANCH || now >= FIRST_BRANCH
                    ? "in another branch of a graph; no edge orders them"
                    : "in another stream; no event orders them");
}

bool stream_races_bytes(struct machine *machine, uint64_t begin, uint64_t size, bool writes, const void *others,
                        struct problem *problem)
{
    struct stream_races *races = machine->stream_races;
    const struct raced_place *place = races->on ? find(machine, begin) : NULL;
    for (uint64_t at = place && place->marks ? first_of(place, begin) : UINT64_MAX, left; at < begin + size;
         at += UINT64_C(1) << place->shift) {
        struct marks *marks = marks_of(place, at);
        left = begin + size - at < sizeof(uint32_t) ? begin + size - at : sizeof(uint32_t);
        const bool same = others && memcmp((const char *)others + (at - begin), device_bytes(machine, at), left) == 0;
        const uint32_t with = same ? 0 : streams_visit(races, place, marks, writes, false, false, true);
        if (with) {
            describe(problem, machine, with, writes, at);
            return true;
        }
        marks->writer = writes && same ? (uint32_t)races->count : marks->writer;
    }
    return false;
}

void stream_races_allocate(struct machine *machine, uint64_t begin)
{
    struct raced_place *place = machine->stream_races->on ? find(machine, begin) : NULL;
    if (place)
        place->maker = (uint32_t)machine->stream_races->count;
}

bool stream_races_again(struct machine *machine, size_t earlier, const struct ranges *read,
                        const struct ranges *written)
{
    struct stream_races *races = machine->stream_races;
    if (!races->on || earlier == 0)
        return false;
    for (unsigned k = 0; k < 2; k++)
        EACH(const struct range, range, (k ? written : read)->list, (k ? written : read)->count) {
            const struct raced_place *place = find(machine, range->begin);
            const size_t count = place && place->marks ? place->bytes / sizeof *place->marks : 0;
            for (size_t i = 0; i < count; i++) {
                const struct marks *marks = &place->marks[i];
                const bool wrote = (marks->writer & MARK) == earlier, was_read = marks->reader == earlier;
                if ((wrote && !is_behind(races, marks->reader, !races->now.overlaps)) ||
                    (was_read && !wrote && !is_behind(races, marks->writer, !races->now.overlaps)))
                    return true;
            }
        }
    races->list[races->count - 1].open = races->list[earlier - 1].open;
    races->list[earlier - 1].number = races->now.number;
    races->list[earlier - 1].stream = races->now.stream;
    return false;
}

/* ---- The watcher ---- */

static bool streams_begin(struct block *block)
{
    const struct stream_races *races = block->machine->stream_races;
    ((struct seen *)block->watch.states[WATCH_STREAMS])->waited = !races->now.overlaps;
    return races->on && block->grid->order == 0 && races->count > 0;
}

enum { READS = ACCESS_READS | ACCESS_COPIES | ACCESS_COMES, WRITES = ACCESS_STORES | ACCESS_GOES | ACCESS_CHANGES };

static struct raced_place *place_of(const struct access *access, uint64_t first)
{
    struct block *block = access->warp->block;
    struct seen *seen = block->watch.states[WATCH_STREAMS];
    if (!seen->last || first < seen->last->place.begin || first >= seen->last->place.end) {
        pthread_mutex_lock(&block->machine->changing);
        seen->last = find(block->machine, first);
        pthread_mutex_unlock(&block->machine->changing);
    }
    return seen->last && seen->last->marks ? seen->last : NULL;
}

/* Before a store, what is there is kept. */
static void streams_hear(const struct access *access)
{
    const struct machine *machine = access->warp->block->machine;
    struct seen *seen = access->warp->block->watch.states[WATCH_STREAMS];
    uint64_t bytes;
    for (uint32_t left = access->kind & ACCESS_STORES ? access_parts(access, &bytes) : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t first = access_address(access, lane);
        const struct raced_place *place = place_of(access, first);
        if (!place && seen->last && seen->last->of_host) {
            struct operation *now = &access->warp->block->machine->stream_races->now;
            now->host_changed = true;
            now->told |= access->kind & ACCESS_STRONG || access->warp->block->code->has_fences;
        }
        if (place && bytes <= MOST_BYTES)
            memcpy(seen->old[lane], device_bytes(machine, first), bytes);
    }
}

static void streams_done(const struct access *access)
{
    struct block *block = access->warp->block;
    const struct machine *machine = block->machine;
    struct seen *seen = block->watch.states[WATCH_STREAMS];
    const bool stores = access->kind & ACCESS_STORES, atomic = access->kind & ACCESS_CHANGES,
               writes = access->kind & WRITES && !(access->kind & READS) && (!atomic || access->changed),
               strong = atomic || access->kind & ACCESS_STRONG || (access->kind & ACCESS_GOES && access->more);
    const bool answers = atomic ? access->kind & ACCESS_ANSWERS : !writes;
    uint64_t bytes;
    for (uint32_t left = access_parts(access, &bytes); left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t first = access_address(access, lane);
        const struct raced_place *place = place_of(access, first);
        for (uint64_t at = place ? first_of(place, first) : UINT64_MAX; at < first + bytes && at < place->place.end;
             at += UINT64_C(1) << place->shift) {
            const uint64_t rest = first + bytes - at < sizeof(uint32_t) ? first + bytes - at : sizeof(uint32_t);
            if (stores && bytes <= MOST_BYTES &&
                memcmp((char *)seen->old[lane] + (at - first), device_bytes(machine, at), rest) == 0)
                continue;
            const uint32_t with = streams_visit(block->machine->stream_races, place, marks_of(place, at), writes,
                                                strong, answers, seen->waited);
            if (with && !(block->doubted >> DOUBT_STREAMS & 1)) {
                struct problem problem;
                describe(&problem, machine, with, writes, at);
                if (!machine->stream_races->suppressed)
                    block_fault(block, "%s", problem.text);
                block_doubt_of(block, DOUBT_STREAMS, "%s", problem.text);
            }
        }
    }
}

const struct watcher streams_watcher = {READS | WRITES, 0,   sizeof(struct seen), false, streams_begin, streams_hear,
                                        streams_done,   NULL};
