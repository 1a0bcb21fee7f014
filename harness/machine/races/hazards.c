#include "hazards.h"

#include "machine/block/block.h"

/* 16 bytes of shared memory are one place, since copies move no less. */
enum { PLACE_SHIFT = 4, WARPS = 32, NOBODY = WARPS };
/* Only the last 512 copies are looked at. Every warp is taken to know of the end of earlier ones. */
enum { RECENT = 512, GROUPS = 16 };

struct place {
    unsigned load, store;   /* copies + 1 that write or read it */
    unsigned writer;        /* the warp that wrote it last; NOBODY: none did since a copy came */
    unsigned write_clock;   /* of the writer */
    uint64_t written;       /* when, as the count of events */
    uint32_t readers;       /* warps that have read it since a copy came, one bit each, */
    unsigned clocks[WARPS]; /* and when, by their clocks */
    unsigned copier;        /* the warp + 1 that copies there by cp.async, and which of its copies it is */
    unsigned copied;
};

/* A copy that is on its way. */
struct copy {
    bool stores;
    unsigned index;   /* of its instruction */
    uint32_t barrier; /* of a load, and the phase that its bytes end */
    bool phase;
    bool over;            /* its phase is over, or its group was waited for */
    uint32_t known;       /* warps that know so, one bit each */
    unsigned warp, group; /* of a store: who issued it, and in which group; 0: in none yet */
    unsigned clock;       /* of that warp, when it had waited */
};

/* What arrives at a barrier in memory brings what the warp knows. */
struct barrier {
    uint32_t address;
    uint32_t arrived; /* warps that arrived since a wait was over, and before */
    unsigned clocks[WARPS];
    bool others; /* warps of other blocks arrived */
};

/* The last time that a barrier of the block opened. */
struct opening {
    uint32_t waited;
    unsigned clocks[WARPS]; /* of those warps */
};

struct hazards {
    struct opening openings[NAMED_BARRIERS];
    unsigned arrivals[NAMED_BARRIERS][WARPS]; /* the clock of a warp that only arrived; 0: it did not */
    size_t place_count;
    struct place *places;
    struct copy *copies;
    size_t copy_count;
    struct barrier *barriers;
    size_t barrier_count;
    uint64_t events;
    unsigned clock[WARPS];                /* of each warp, from 1 */
    unsigned knows[WARPS][WARPS];         /* for each warp, up to which clocks of the others */
    uint64_t fenced[WARPS];               /* when each warp did its last fence */
    unsigned committed[WARPS];            /* groups of each warp, */
    unsigned counted[WARPS][SCOREBOARDS]; /* and the last one that each scoreboard counts */
    struct lane_copies {                  /* cp.async of each warp */
        unsigned begun, come, groups;
        unsigned ends[GROUPS]; /* of the last groups, the last copy */
    } lane_copies[WARPS];
};

/* Returns whether code has copies that this looks at. */
static bool has_copies(const struct code *code)
{
    if (code->has_copies)
        return true;
    return ANY(i, code->count, code->list[i].traits & TRAIT_BULK);
}

static bool hazards_begin(struct block *block)
{
    struct hazards *hazards = block->watch.states[WATCH_HAZARDS];
    if (!watch_samples(block) || (block->code->has_flags && !has_copies(block->code)))
        return false;
    hazards->place_count = has_copies(block->code) ? (block->shared_size >> PLACE_SHIFT) + 2 : 0;
    if (!hazards->places && hazards->place_count)
        hazards->places = x_calloc(hazards->place_count, sizeof *hazards->places);
    for (size_t i = 0; i < hazards->place_count; i++)
        hazards->places[i] = (struct place){.writer = NOBODY};
    *hazards = (struct hazards){.place_count = hazards->place_count,
                                .places = hazards->places,
                                .copies = hazards->copies,
                                .barriers = hazards->barriers};
    for (unsigned w = 0; w < WARPS; w++)
        hazards->clock[w] = 1;
    return true;
}

static void hazards_release(void *state)
{
    struct hazards *hazards = state;
    free(hazards->places);
    free(hazards->copies);
    free(hazards->barriers);
}

static struct hazards *hazards_of(const struct block *block)
{
    return block->watch.states[WATCH_HAZARDS];
}

static const char *opcode_of(const struct block *block, const struct copy *copy)
{
    return block->code->list[copy->index].opcode;
}

static long long byte_of(size_t place)
{
    return ((long long)place << PLACE_SHIFT) - SHARED_RESERVED;
}

static size_t first_recent(const struct hazards *hazards)
{
    return hazards->copy_count > RECENT ? hazards->copy_count - RECENT : 0;
}

/* Returns a copy by its number from 1; NULL: it is none, or not recent. */
static const struct copy *recent_copy(const struct hazards *hazards, unsigned number)
{
    return number > first_recent(hazards) ? &hazards->copies[number - 1] : NULL;
}

/* ---- Accesses ---- */

static void check_load(struct warp *warp, size_t at, bool writes)
{
    const struct hazards *hazards = hazards_of(warp->block);
    const struct copy *copy = recent_copy(hazards, hazards->places[at].load);
    if (!copy || copy->known >> warp->number & 1)
        return;
    block_fault(warp->block,
                "warp %u %s shared memory from byte %lld on, which a copy (%s) may still write: it has not waited "
                "for the phase of the mbarrier at byte %lld",
                warp->number, writes ? "writes" : "reads", byte_of(at), opcode_of(warp->block, copy),
                (long long)copy->barrier - SHARED_RESERVED);
}

static bool knows_store(const struct hazards *hazards, unsigned warp, const struct copy *copy)
{
    return copy->over && (warp == copy->warp || hazards->knows[warp][copy->warp] >= copy->clock);
}

static void check_store(struct warp *warp, size_t at, const char *does)
{
    const struct hazards *hazards = hazards_of(warp->block);
    const struct copy *copy = recent_copy(hazards, hazards->places[at].store);
    if (!copy || knows_store(hazards, warp->number, copy))
        return;
    block_fault(warp->block,
                "warp %u %s shared memory from byte %lld on, which a copy (%s) of warp %u may still read: no wait "
                "for its bulk group comes before",
                warp->number, does, byte_of(at), opcode_of(warp->block, copy), copy->warp);
}

/* What cp.async writes may not be accessed before the warp that copies has waited for its group, but by another copy.
 */
static void check_lane_copy(const struct warp *warp, size_t at, const char *does)
{
    const struct hazards *hazards = hazards_of(warp->block);
    const struct place *place = &hazards->places[at];
    if (place->copier && !(warp->block->now->traits & TRAIT_ASYNC_COPY) &&
        place->copied > hazards->lane_copies[place->copier - 1].come)
        block_fault(warp->block,
                    "warp %u %s shared memory from byte %lld on, which a copy (cp.async) of warp %u may still "
                    "write: no wait for its group comes before",
                    warp->number, does, byte_of(at), place->copier - 1);
}

static void visit_place(struct warp *warp, size_t at, bool writes)
{
    struct hazards *hazards = hazards_of(warp->block);
    struct place *place = &hazards->places[at];
    check_load(warp, at, writes);
    check_lane_copy(warp, at, writes ? "writes" : "reads");
    if (!writes) {
        place->readers |= 1u << warp->number;
        place->clocks[warp->number] = hazards->clock[warp->number];
        return;
    }
    check_store(warp, at, "writes");
    place->writer = warp->number;
    place->write_clock = hazards->clock[warp->number];
    place->written = ++hazards->events;
}

static void hazards_visit(const struct access *access, bool writes)
{
    size_t last = SIZE_MAX;
    for (uint32_t left = hazards_of(access->block)->place_count ? access->lanes : 0; left; left &= left - 1) {
        const uint64_t address = access_address(access, (unsigned)__builtin_ctz(left));
        for (size_t at = address >> PLACE_SHIFT; at <= (address + access->size - 1) >> PLACE_SHIFT; at++)
            if (at != last)
                visit_place(access->warp, last = at, writes);
    }
}

static void copy_lanes(const struct access *access)
{
    struct hazards *hazards = hazards_of(access->block);
    const unsigned me = access->warp->number, copy = ++hazards->lane_copies[me].begun;
    hazards_visit(access, true);
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        struct place *place = &hazards->places[access_address(access, (unsigned)__builtin_ctz(left)) >> PLACE_SHIFT];
        place->copier = me + 1;
        place->copied = copy;
    }
}

/* ---- Copies ---- */

static struct copy *add_copy(struct hazards *hazards, const struct block *block)
{
    struct copy *copy = ARRAY_GROW(hazards->copies, hazards->copy_count);
    *copy = (struct copy){.index = block->now->index};
    return copy;
}

/* Fails if a warp may still access a place that a copy overwrites. */
static void check_overwritten(struct warp *issuer, size_t at)
{
    const struct hazards *hazards = hazards_of(issuer->block);
    const struct place *place = &hazards->places[at];
    const unsigned *knows = hazards->knows[issuer->number];
    check_load(issuer, at, true);
    check_store(issuer, at, "copies to");
    EACH_BIT(reader, place->readers & ~(1u << issuer->number)) {
        if (knows[reader] < place->clocks[reader])
            block_fault(
                issuer->block,
                "%s overwrites shared memory from byte %lld on, which warp %u may still read: warp %u did not wait",
                issuer->block->now->opcode, byte_of(at), reader, issuer->number);
    }
    if (place->writer < WARPS && place->writer != issuer->number && knows[place->writer] < place->write_clock)
        block_fault(
            issuer->block,
            "%s overwrites shared memory from byte %lld on, which warp %u may still write: warp %u did not wait",
            issuer->block->now->opcode, byte_of(at), place->writer, issuer->number);
}

/* A copy that a warp, maybe of another block, issues to this block's memory. */
static void load(struct hazards *hazards, const struct access *access)
{
    struct warp *issuer = access->warp;
    for (size_t at = access->first >> PLACE_SHIFT; at <= (access->first + access->size - 1) >> PLACE_SHIFT; at++) {
        if (issuer->block == access->block)
            check_overwritten(issuer, at);
        hazards->places[at] = (struct place){.load = (unsigned)hazards->copy_count + 1, .writer = NOBODY};
    }
    struct copy *copy = add_copy(hazards, issuer->block);
    copy->barrier = (uint32_t)access->more & OFFSET_MASK;
    copy->phase = mbarrier_phase(issuer->block, (uint32_t)access->more);
}

/* A copy from the memory of the warp's block. Without groups, that it has read its source is not followed. */
static void store(struct hazards *hazards, const struct access *access)
{
    struct warp *warp = access->warp;
    const unsigned me = warp->number;
    for (size_t at = access->first >> PLACE_SHIFT; at <= (access->first + access->size - 1) >> PLACE_SHIFT; at++) {
        struct place *place = &hazards->places[at];
        const unsigned writer = place->writer;
        check_load(warp, at, false);
        check_lane_copy(warp, at, "copies");
        if (writer < WARPS && writer != me && hazards->knows[me][writer] < place->write_clock)
            block_fault(
                warp->block,
                "%s copies shared memory from byte %lld on, which warp %u may still write: warp %u did not wait",
                warp->block->now->opcode, byte_of(at), writer, me);
        if (writer < WARPS && hazards->fenced[writer] <= place->written && hazards->fenced[me] <= place->written)
            block_fault(warp->block,
                        "%s copies shared memory from byte %lld on, which warp %u wrote, without a fence.proxy.async",
                        warp->block->now->opcode, byte_of(at), writer);
        if (access->more)
            place->store = (unsigned)hazards->copy_count + 1;
    }
    if (!access->more)
        return;
    struct copy *copy = add_copy(hazards, warp->block);
    copy->stores = true;
    copy->warp = me;
}

static void commit(struct hazards *hazards, const struct warp *warp, unsigned counted_by)
{
    const unsigned group = ++hazards->committed[warp->number];
    for (unsigned s = 0; s < SCOREBOARDS; s++)
        if (counted_by >> (SCOREBOARDS + s) & 1)
            hazards->counted[warp->number][s] = group;
    for (size_t i = hazards->copy_count; i-- > first_recent(hazards);) {
        struct copy *copy = &hazards->copies[i];
        if (copy->stores && copy->warp == warp->number && copy->group)
            return;
        if (copy->stores && copy->warp == warp->number)
            copy->group = group;
    }
}

/* The warp has waited until its groups of copies up to `last` have read what they copy. */
static void retire(struct hazards *hazards, const struct warp *warp, unsigned last)
{
    for (size_t i = first_recent(hazards); i < hazards->copy_count; i++) {
        struct copy *copy = &hazards->copies[i];
        if (!copy->stores || copy->over || copy->warp != warp->number || copy->group == 0 || copy->group > last)
            continue;
        copy->over = true;
        copy->clock = hazards->clock[warp->number];
    }
}

/* It has waited until nothing is left that these scoreboards count. Groups end in the order in which they began. */
static void retire_counted(struct hazards *hazards, const struct warp *warp, unsigned scoreboards)
{
    for (unsigned s = 0; s < SCOREBOARDS; s++)
        if (scoreboards >> (SCOREBOARDS + s) & 1)
            retire(hazards, warp, hazards->counted[warp->number][s]);
}

/* ---- What warps learn of each other ---- */

/* Warps learn what others knew when their clocks were so. Of copies they learn what those know now. */
static void learn(struct hazards *hazards, uint32_t warps, uint32_t from, const unsigned *clocks)
{
    unsigned all[WARPS] = {0};
    EACH_BIT(other, from) {
        for (unsigned w = 0; w < WARPS; w++)
            all[w] = hazards->knows[other][w] > all[w] ? hazards->knows[other][w] : all[w];
        all[other] = clocks[other] > all[other] ? clocks[other] : all[other];
    }
    EACH_BIT(warp, warps) {
        for (unsigned w = 0; w < WARPS; w++)
            hazards->knows[warp][w] = all[w] > hazards->knows[warp][w] ? all[w] : hazards->knows[warp][w];
    }
    for (size_t i = first_recent(hazards); i < hazards->copy_count; i++)
        if (hazards->copies[i].known & from)
            hazards->copies[i].known |= warps;
}

/* A warp learns all that was done before, in a way that is not followed. */
static void learn_all(struct hazards *hazards, const struct warp *warp)
{
    for (unsigned w = 0; w < WARPS; w++) {
        hazards->knows[warp->number][w] = hazards->clock[w];
        hazards->clock[w]++;
    }
    for (size_t i = first_recent(hazards); i < hazards->copy_count; i++)
        if (hazards->copies[i].known)
            hazards->copies[i].known |= 1u << warp->number;
}

static struct barrier *find_barrier(struct hazards *hazards, uint32_t address)
{
    for (size_t i = 0; i < hazards->barrier_count; i++)
        if (hazards->barriers[i].address == address)
            return &hazards->barriers[i];
    struct barrier *barrier = ARRAY_GROW(hazards->barriers, hazards->barrier_count);
    *barrier = (struct barrier){.address = address};
    return barrier;
}

static void arrive(struct hazards *hazards, const struct access *access)
{
    struct barrier *place = find_barrier(hazards, (uint32_t)access->first);
    const unsigned from = access->warp->number;
    if (access->warp->block != access->block) {
        place->others = true;
        return;
    }
    place->arrived |= 1u << from;
    place->clocks[from] = hazards->clock[from]++;
}

static void have_waited(struct hazards *hazards, const struct warp *warp, uint32_t barrier, bool phase)
{
    struct barrier *place = find_barrier(hazards, barrier);
    for (size_t i = first_recent(hazards); i < hazards->copy_count; i++) {
        struct copy *copy = &hazards->copies[i];
        if (!copy->stores && copy->barrier == barrier && copy->phase == phase)
            copy->known |= 1u << warp->number;
    }
    if (place->others)
        learn_all(hazards, warp);
    learn(hazards, 1u << warp->number, place->arrived, place->clocks);
    hazards->clock[warp->number]++;
}

/* Fails if a warp that waited may have come to a barrier before it last opened, and taken the place of one that did. */
static void check_opening(const struct hazards *hazards, struct block *block, const struct opening *last,
                          uint32_t waited, unsigned number)
{
    EACH_BIT(warp, last->waited && !block->code->has_flags ? waited & ~last->waited : 0) {
        bool knows = false;
        EACH_BIT(other, last->waited)
            knows |= hazards->knows[warp][other] > last->clocks[other];
        if (!knows)
            block_fault(
                block,
                "warp %u comes to barrier %u, and nothing orders it behind the last warps there, whose places it "
                "may take",
                warp, number);
    }
}

/* Warps, one bit each, that have waited for each other and for those that arrived, at barrier `number` - 1. */
static void meet(struct hazards *hazards, struct block *block, uint32_t waited, uint32_t arrived, uint64_t number)
{
    const uint32_t all = waited | arrived;
    struct opening now = {.waited = waited};
    memcpy(now.clocks, hazards->clock, sizeof now.clocks);
    if (number - 1 < NAMED_BARRIERS) {
        check_opening(hazards, block, &hazards->openings[number - 1], waited, (unsigned)number - 1);
        hazards->openings[number - 1] = now;
        EACH_BIT(warp, arrived) {
            unsigned *arrival = &hazards->arrivals[number - 1][warp];
            now.clocks[warp] = *arrival ? *arrival : now.clocks[warp];
            *arrival = 0;
        }
    }
    learn(hazards, waited, all, now.clocks);
    for (uint32_t left = all; left; left &= left - 1)
        hazards->clock[__builtin_ctz(left)]++;
}

/* Copies of lanes become a group, or are done: all but the last few groups of the warp. So they are, rather than not,
 * where what waits for them may be another thing. */
static void end_lane_copies(const struct access *access)
{
    struct lane_copies *copies = &hazards_of(access->block)->lane_copies[access->warp->number];
    const bool all = access->kind != ACCESS_RETIRES || access->more >= GROUPS;
    if (access->kind == ACCESS_GROUPS)
        copies->ends[++copies->groups % GROUPS] = copies->begun;
    else if (access->kind == ACCESS_ARRIVES && access->warp->block->now->opcode[0] != 'A')
        return; /* it is not ARRIVES.LDGSTSBAR */
    else if (all)
        copies->come = copies->begun;
    else if (access->more < copies->groups && copies->ends[(copies->groups - access->more) % GROUPS] > copies->come)
        copies->come = copies->ends[(copies->groups - access->more) % GROUPS];
}

/* By atomics warps may tell each other anything, where code has flags. */
static void hazards_hear(const struct access *access)
{
    struct hazards *hazards = hazards_of(access->block);
    const unsigned kind = access->kind;
    if (kind == ACCESS_MULTIPLIES) {
        if (access->block->code->has_copies) /* else places, which are large, are not looked at so often */
            check_lane_copy(access->warp, access->first >> PLACE_SHIFT, "multiplies");
        return;
    }
    if (kind & ACCESS_CHANGES && access->block->code->has_flags)
        learn_all(hazards, access->warp);
    if (kind & (ACCESS_READS | ACCESS_CHANGES))
        hazards_visit(access, false);
    if (kind & (ACCESS_STORES | ACCESS_WRITES | ACCESS_CHANGES))
        hazards_visit(access, true);
    if (kind == ACCESS_COPIES)
        copy_lanes(access);
    if (kind & (ACCESS_GROUPS | ACCESS_RETIRES | ACCESS_COUNTED | ACCESS_ARRIVES))
        end_lane_copies(access);
    if (kind == ACCESS_COMES)
        load(hazards, access);
    if (kind == ACCESS_GOES)
        store(hazards, access);
    if (kind == ACCESS_ARRIVES)
        arrive(hazards, access);
    if (kind == ACCESS_WAITED)
        have_waited(hazards, access->warp, (uint32_t)access->first, access->more != 0);
    if (kind == ACCESS_MEETS)
        meet(hazards, access->block, (uint32_t)access->first, (uint32_t)access->more, access->size);
    if (kind == ACCESS_FENCES)
        hazards->fenced[access->warp->number] = ++hazards->events;
    if (kind == ACCESS_COMMITS)
        commit(hazards, access->warp, (unsigned)access->more);
    if (kind == ACCESS_RETIRES && access->more < hazards->committed[access->warp->number])
        retire(hazards, access->warp, hazards->committed[access->warp->number] - (unsigned)access->more);
    if (kind == ACCESS_COUNTED)
        retire_counted(hazards, access->warp, (unsigned)access->more);
}

enum {
    HEARD = ACCESS_READS | ACCESS_STORES | ACCESS_WRITES | ACCESS_COPIES | ACCESS_CHANGES | ACCESS_COMES | ACCESS_GOES |
            ACCESS_ARRIVES | ACCESS_WAITED | ACCESS_MEETS | ACCESS_FENCES | ACCESS_COMMITS | ACCESS_RETIRES |
            ACCESS_COUNTED | ACCESS_GROUPS | ACCESS_MULTIPLIES
};
const struct watcher hazards_watcher = {
    0, HEARD, sizeof(struct hazards), false, hazards_begin, hazards_hear, NULL, hazards_release};

/* Returns them if they are looked for in the block. */
static const struct hazards *looked_for(const struct block *block)
{
    return block->watch.on >> WATCH_HAZARDS & 1 ? hazards_of(block) : NULL;
}

void hazards_end(struct block *block)
{
    const struct hazards *hazards = looked_for(block);
    const size_t first = hazards ? first_recent(hazards) : 0;
    const struct copy *copy = hazards ? FIND(one, &hazards->copies[first], hazards->copy_count - first,
                                             one->stores ? !one->over : !one->known)
                                      : NULL;
    if (!copy)
        return;
    block->now = &block->code->list[copy->index];
    if (copy->stores)
        block_fault(block,
                    "the block ends while %s of warp %u may still read its shared memory: its group was not waited for",
                    block->now->opcode, copy->warp);
    block_fault(block,
                "the block ends while %s may still write its shared memory: no warp waited for the phase of the "
                "mbarrier at byte %lld",
                block->now->opcode, (long long)copy->barrier - SHARED_RESERVED);
}

void hazards_arrive(const struct warp *warp, unsigned number)
{
    if (looked_for(warp->block))
        hazards_of(warp->block)->arrivals[number][warp->number] = hazards_of(warp->block)->clock[warp->number]++;
}

unsigned hazards_clock(const struct warp *warp)
{
    const struct hazards *hazards = looked_for(warp->block);
    return hazards ? hazards->clock[warp->number] : 0;
}

bool hazards_knows(const struct warp *warp, const struct warp *of, unsigned clock)
{
    const struct hazards *hazards = looked_for(warp->block);
    return !hazards || warp == of || hazards->knows[warp->number][of->number] >= clock;
}
