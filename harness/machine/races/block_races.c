/* A block's accesses are in the order of its barriers, so blocks are told apart and warps are not: warp_races.c looks
 * at these. Blocks of a cluster are one. Time is a count of accesses, since one thread executes the orders behind 0. A
 * block knows of all that others did until the time of the latest fence that it was told of: too much rather than too
 * little. */
#include "block_races.h"

#include "meetings.h"
#include "race_kind.h"

#include "machine/block/block.h"

#include <sys/mman.h>

enum { LOADS = 4, READERS = 2, RACES = 64, WORD = 4 };

/* Beyond the most words only every second of the addresses is kept, then every fourth, and so on. */
enum { WORDS_FIRST = 1 << 8, SAMPLE_SHIFT = 53, PLACE_SHIFT = 32 };
#define WORDS_NOTE "races between blocks were looked for in a sample of the words that they share"

/* An allocation, with a number for each word: the first cluster + 1 that accessed it, whether any changed it, and
 * whether others accessed it. Words that are not both need not be looked at. As long as none is changed, loads are
 * noted by chunks, so that what is only read takes little memory. */
struct owned {
    struct allocation place;
    uint32_t *words, *chunks;
    size_t bytes;
    bool changed; /* any of them was */
};
enum { CHUNK = 64 }; /* words */
#define OWNED_CHANGED (UINT32_C(1) << 31)
#define OWNED_SHARED (UINT32_C(1) << 30)
#define OWNED_BOTH (OWNED_CHANGED | OWNED_SHARED)

/* An access by a cluster. */
struct visit {
    uint64_t time;
    uint32_t who, pc; /* who: its number + 1 */
    unsigned char bytes;
    bool strong, agreed; /* agreed: of a store, that the same was there, or others have stored it since */
    bool answered;       /* of an atomic: its block has its answer, so it is done, and needs no fence to be seen */
};

/* What is known until when: by fences, and without. */
struct known {
    uint64_t fenced, any;
};

struct word {
    uint64_t address; /* 0: the place is free */
    struct visit store, change, reads[READERS];
    uint32_t loads[LOADS]; /* the instructions that have loaded it, + 1 */
    struct known tells;    /* who looks at it */
};

/* Consecutive bytes that lanes access. */
struct part {
    uint64_t first, end;
    uint32_t *old; /* what was in its words */
};

/* Two instructions that race. */
struct race {
    const struct function *function;
    uint32_t pc, before;
    uint32_t loads[LOADS]; /* of the word */
    bool strong, loose;    /* an access is volatile; what orders them has no fence */
    bool half;             /* only the load is volatile, or past the L1 */
    bool stale;            /* the load is not coherent, so that nothing orders it behind what the launch stores */
    uint64_t address;
    char *place;
};

struct block_races {
    const struct function *function;
    struct word *words;
    size_t size, used, most;
    uint64_t every;    /* one of so many addresses is kept, */
    struct known rest; /* and this tells for the others together, so that nothing is taken for a race instead */
    struct known *known;
    uint64_t *fences; /* of each cluster, when it had its last one */
    uint64_t now;
    uint32_t *old; /* what a store finds */
    size_t old_count;
    struct owned *owned; /* of the workload */
    size_t owned_count, owned_last;
    struct race *list;
    size_t count;
};

struct block_races *block_races_open(size_t most)
{
    struct block_races *races = x_calloc(1, sizeof *races);
    races->most = most;
    return races;
}

void block_races_begin(struct block_races *races)
{
    for (size_t i = 0; i < races->count; i++)
        free(races->list[i].place);
    for (size_t i = 0; i < races->owned_count; i++) {
        munmap(races->owned[i].words, races->owned[i].bytes);
        munmap(races->owned[i].chunks, races->owned[i].bytes / CHUNK + WORD);
    }
    free(races->list);
    free(races->owned);
    races->list = NULL;
    races->owned = NULL;
    races->count = races->owned_count = races->owned_last = 0;
}

void block_races_close(struct block_races *races)
{
    block_races_begin(races);
    free(races->words);
    free(races->known);
    free(races->fences);
    free(races->old);
    free(races);
}

void block_races_launch(struct block_races *races, const struct grid *grid)
{
    free(races->words);
    free(races->known);
    free(races->fences);
    races->function = grid->function;
    const size_t clusters = (size_t)(grid_blocks(grid) / cluster_blocks(grid));
    races->known = x_calloc(clusters, sizeof *races->known);
    races->fences = x_calloc(clusters, sizeof *races->fences);
    races->words = NULL;
    races->rest = (struct known){0};
    races->size = races->used = 0;
    races->every = races->now = 1;
}

/* ---- Words ---- */

static struct owned *find_owned(struct block_races *races, const struct machine *machine, const struct part *part)
{
    struct allocation place;
    for (size_t i = races->owned_last; i < races->owned_count; i++)
        if (part->first >= races->owned[i].place.begin && part->end <= races->owned[i].place.end)
            return &races->owned[races->owned_last = i];
    if (races->owned_last > 0) {
        races->owned_last = 0;
        return find_owned(races, machine, part);
    }
    if (!device_find(machine, part->first, &place) || part->end > place.end)
        return NULL;
    const size_t bytes = (size_t)(place.end - place.begin / WORD * WORD + WORD);
    races->owned_last = races->owned_count;
    struct owned *owned = ARRAY_GROW(races->owned, races->owned_count);
    *owned = (struct owned){place, meetings_words(bytes), meetings_words(bytes / CHUNK + WORD), bytes, false};
    return owned;
}

static size_t number_of(const struct owned *owned, uint64_t address)
{
    return address / WORD - owned->place.begin / WORD;
}

/* Notes who loads a chunk: the first cluster + 1, and whether others do. */
static void note_chunk(struct owned *owned, const struct block *block, uint64_t address)
{
    uint32_t *chunk = &owned->chunks[number_of(owned, address) / CHUNK];
    const uint32_t me = (uint32_t)(block->cluster->number + 1) & ~OWNED_BOTH;
    if (*chunk != me)
        *chunk = *chunk ? *chunk | OWNED_SHARED : me;
}

/* Notes that a cluster accesses a word. Returns whether others do, too, and one of them changes it. A signal always
 * counts, so that none is missed in another order. */
static bool is_shared(struct owned *owned, const struct block *block, uint64_t address, bool changes, bool signals)
{
    const size_t number = number_of(owned, address);
    uint32_t *word = &owned->words[number];
    const uint32_t me = (uint32_t)(block->cluster->number + 1) & ~OWNED_BOTH, before = *word;
    const uint32_t loaded = owned->chunks[number / CHUNK];
    uint32_t now = before | (changes ? OWNED_CHANGED : 0) | (signals ? OWNED_BOTH : 0);
    if (!(before & ~OWNED_BOTH))
        now |= me | (loaded && loaded != me ? OWNED_SHARED : 0);
    else if ((before & ~OWNED_BOTH) != me)
        now |= OWNED_SHARED;
    if (now != before)
        *word = now;
    return (now & OWNED_BOTH) == OWNED_BOTH;
}

static void tell(struct known *known, const struct known *more)
{
    known->fenced = known->fenced > more->fenced ? known->fenced : more->fenced;
    known->any = known->any > more->any ? known->any : more->any;
}

/* Returns the place of a word, or where it would be; NULL: it is not of those that are kept. */
static struct word *place_of(const struct block_races *races, uint64_t address)
{
    const uint64_t hash = address / WORD * UINT64_C(0x9e3779b97f4a7c15);
    if (hash >> SAMPLE_SHIFT & (races->every - 1))
        return NULL;
    size_t at = (size_t)(hash >> PLACE_SHIFT) & (races->size - 1);
    while (races->words[at].address && races->words[at].address != address)
        at = (at + 1) & (races->size - 1);
    return &races->words[at];
}

/* Makes room for more words: for twice as many, or for half of those that are there. */
static void make_room(struct block_races *races, struct machine *machine)
{
    struct word *words = races->words;
    const size_t size = races->size;
    if (races->used == races->most) {
        races->every *= 2;
        outside_note(machine, WORDS_NOTE);
    } else {
        races->size = size ? size * 2 : WORDS_FIRST;
    }
    races->words = x_calloc(races->size, sizeof *races->words);
    races->used = 0;
    for (size_t i = 0; i < size; i++) {
        struct word *place = words[i].address ? place_of(races, words[i].address) : NULL;
        if (place) {
            *place = words[i];
            races->used++;
        } else {
            tell(&races->rest, &words[i].tells);
        }
    }
    free(words);
}

static struct word *word_at(struct block_races *races, struct machine *machine, uint64_t address)
{
    while (races->used * 2 >= races->size)
        make_room(races, machine);
    struct word *word = place_of(races, address);
    if (word && !word->address) {
        races->used++;
        word->address = address;
    }
    return word;
}

/* ---- Accesses ---- */

/* Notes a race if nothing orders two accesses. A second one counts if it is surer than the first. What a load that is
 * not coherent finds (LDG.CONSTANT) is undefined if the launch has stored it, whoever did. */
static void note(struct block_races *races, const struct block *block, const struct word *word, const struct visit *now,
                 const struct visit *before)
{
    const struct known *known = &races->known[now->who - 1];
    const uint64_t ordered = before->answered ? known->any : known->fenced;
    const bool stale = IS_OF(&races->function->code->list[now->pc], CONSTANT);
    if (!before->who || !(before->bytes & now->bytes) ||
        (!stale && (before->who == now->who || before->time <= ordered)))
        return;
    const bool strong = now->strong || before->strong, loose = before->time <= known->any;
    struct race *race = NULL;
    for (size_t i = 0; i < races->count && !race; i++)
        if (races->list[i].function == races->function && races->list[i].pc == now->pc &&
            races->list[i].before == before->pc)
            race = &races->list[i];
    if (race ? strong >= race->strong && loose >= race->loose : races->count == RACES)
        return;
    if (race)
        free(race->place);
    else
        race = ARRAY_GROW(races->list, races->count);
    *race = (struct race){races->function,
                          now->pc,
                          before->pc,
                          {0},
                          strong,
                          loose,
                          strong && !before->strong && race_loads(&races->function->code->list[now->pc]),
                          stale,
                          word->address,
                          block_place(block)};
    memcpy(race->loads, word->loads, sizeof race->loads);
}

static void visit_load(struct block_races *races, const struct block *block, struct word *word, const struct visit *now)
{
    unsigned k = 0;
    if (!word->store.agreed && !(now->strong && word->store.strong))
        note(races, block, word, now, &word->store);
    if (!now->strong)
        note(races, block, word, now, &word->change);
    while (k < LOADS - 1 && word->loads[k] && word->loads[k] != now->pc + 1)
        k++;
    word->loads[k] = now->pc + 1;
    if (word->reads[0].who != now->who)
        word->reads[1] = word->reads[0];
    word->reads[0] = *now;
}

/* A store or an atomic that changes the word. Volatile stores and atomics of a word do not race with each other. */
static void visit_change(struct block_races *races, const struct block *block, struct word *word,
                         const struct visit *now, bool atomic)
{
    for (unsigned k = 0; k < READERS; k++)
        if (!(now->strong && word->reads[k].strong) && !(atomic && word->reads[k].strong))
            note(races, block, word, now, &word->reads[k]);
    if (!now->strong || !word->store.strong)
        note(races, block, word, now, &word->store);
    if (!atomic && !now->strong)
        note(races, block, word, now, &word->change);
    *(atomic ? &word->change : &word->store) = *now;
}

/* A volatile store or an atomic tells what its block knew at its fence, and an atomic or volatile load hears it. */
static void tell_and_hear(struct block_races *races, struct known *tells, uint32_t who, bool is_told, bool hears)
{
    if (hears)
        tell(&races->known[who - 1], tells);
    if (is_told)
        tell(tells, &(struct known){races->fences[who - 1], races->now});
}

/* ---- The watcher ---- */

enum { LEARNS = 1, LAST = ORDER_PARTED - 1 };

/* In the first order behind 0 it is learned what is written, so that others need not be looked at. */
static bool block_races_watch_begin(struct block *block)
{
    const unsigned order = block->grid->order;
    return block->grid->races && order >= LEARNS && order <= LAST &&
           grid_blocks(block->grid) > cluster_blocks(block->grid);
}

enum {
    READS = ACCESS_READS | ACCESS_COPIES | ACCESS_COMES,
    WRITES = ACCESS_STORES | ACCESS_GOES,
    HEARD = READS | WRITES | ACCESS_CHANGES | ACCESS_PUBLISHES
};

/* Returns what a lane of access_parts() accesses, and makes room for what is there. */
static struct part part_of(const struct access *access, unsigned lane, uint64_t bytes)
{
    struct block_races *races = access->warp->block->grid->races;
    const uint64_t first = access_address(access, lane);
    const size_t words = (size_t)bytes / WORD + 2;
    while (races->old_count < (size_t)LANES * words)
        *ARRAY_GROW(races->old, races->old_count) = 0;
    return (struct part){first, first + bytes, &races->old[lane * words]};
}

static uint32_t word_now(const struct machine *machine, uint64_t address)
{
    uint32_t word;
    memcpy(&word, device_bytes(machine, address), sizeof word);
    return word;
}

/* Before a store, what is there is kept. */
static void block_races_watch_hear(const struct access *access)
{
    const struct block *block = access->warp->block;
    struct block_races *races = block->grid->races;
    uint64_t bytes;
    if (access->kind & ACCESS_PUBLISHES)
        races->fences[block->cluster->number] = races->now;
    if (!(access->kind & WRITES) || block->grid->order == LEARNS)
        return;
    for (uint32_t left = access_parts(access, &bytes); left; left &= left - 1) {
        const struct part part = part_of(access, (unsigned)__builtin_ctz(left), bytes);
        for (uint64_t at = part.first / WORD, k = 0; at * WORD < part.end; at++, k++)
            part.old[k] = word_now(block->machine, at * WORD);
    }
}

/* Returns the bytes of a word that a part has, a bit each. */
static unsigned char bytes_of(const struct part *part, uint64_t address)
{
    enum { ALL = (1 << WORD) - 1 };
    unsigned bytes = ALL;
    if (address < part->first)
        bytes &= (unsigned)ALL << (part->first - address);
    if (address + WORD > part->end)
        bytes &= (unsigned)ALL >> (address + WORD - part->end);
    return (unsigned char)(bytes & ALL);
}

/* Returns those of them that are others now. */
static unsigned char changed_of(const struct machine *machine, const struct part *part, uint64_t address)
{
    const uint32_t changed = part->old[address / WORD - part->first / WORD] ^ word_now(machine, address);
    unsigned char bytes = 0;
    for (unsigned i = 0; i < WORD; i++)
        bytes |= (unsigned char)((changed >> 8 * i & 0xff ? 1u : 0u) << i);
    return bytes & bytes_of(part, address);
}

static void block_races_watch_visit(const struct access *access, const struct part *part, uint64_t address)
{
    const struct block *block = access->warp->block;
    struct block_races *races = block->grid->races;
    const bool reads = access->kind & READS, strong = access->kind & ACCESS_STRONG,
               bulk = access->kind & ACCESS_GOES && access->more, atomic = bulk || access->kind & ACCESS_CHANGES;
    struct word *word = word_at(races, block->machine, address);
    struct known *tells = word ? &word->tells : &races->rest;
    const unsigned char changed = reads                           ? 0
                                  : access->kind & ACCESS_CHANGES ? access->changed
                                                                  : changed_of(block->machine, part, address);
    const struct visit now = {.time = ++races->now,
                              .who = (uint32_t)block->cluster->number + 1,
                              .pc = access->code->index,
                              .bytes = atomic || !changed ? bytes_of(part, address) : changed,
                              .strong = strong,
                              .agreed = !changed,
                              .answered = access->kind & ACCESS_ANSWERS};
    if (word && reads)
        visit_load(races, block, word, &now);
    else if (word && changed)
        visit_change(races, block, word, &now, atomic);
    else if (word && !atomic && !word->store.who)
        word->store = now;
    else if (word && !atomic && word->store.who != now.who)
        word->store.agreed = true;
    if ((atomic && !bulk) || strong)
        tell_and_hear(races, tells, now.who, !reads, atomic || reads);
}

static void block_races_watch_done(const struct access *access)
{
    const struct block *block = access->warp->block;
    struct block_races *races = block->grid->races;
    const bool learns = block->grid->order == LEARNS, changes = !(access->kind & READS),
               signals = access->kind & (ACCESS_CHANGES | ACCESS_STRONG);
    uint64_t bytes;
    if (access->kind & ACCESS_PUBLISHES)
        return;
    for (uint32_t left = access_parts(access, &bytes); left; left &= left - 1) {
        const struct part part = part_of(access, (unsigned)__builtin_ctz(left), bytes);
        struct owned *owned = find_owned(races, block->machine, &part);
        if (!owned || (!learns && !changes && !owned->changed))
            continue;
        owned->changed |= changes;
        const bool only_loads = learns && !signals && !owned->changed;
        for (uint64_t at = part.first / WORD * WORD; only_loads && at < part.end; at += (uint64_t)CHUNK * WORD)
            note_chunk(owned, block, at);
        if (only_loads)
            note_chunk(owned, block, part.end - 1);
        for (uint64_t at = part.first / WORD * WORD; !only_loads && at < part.end; at += WORD)
            if (is_shared(owned, block, at, changes, signals) && !learns)
                block_races_watch_visit(access, &part, at);
    }
}

const struct watcher block_races_watcher = {
    HEARD, 0, 0, true, block_races_watch_begin, block_races_watch_hear, block_races_watch_done, NULL};

/* ---- What a race is ---- */

static bool is_load(const struct race *race, uint32_t pc)
{
    return race_loads(&race->function->code->list[pc]);
}

/* Marks the loads of the race's word. */
static void mark_own(const struct race *race, bool *loads)
{
    for (size_t k = 0; k < LOADS && race->loads[k]; k++)
        loads[race->loads[k] - 1] = true;
}

/* Whether only a fence is missing between two accesses. */
static bool is_unfenced(const struct race *race)
{
    return race->loose && race_is_decided(race->function->code, race->pc, NULL);
}

/* Whether a store is chosen by a word that other blocks choose differently: what is stored may not fit to it. */
static bool is_torn(const struct block_races *races, const struct race *race)
{
    bool torn = false;
    for (size_t i = 0; i < races->count && !race->loads[0] && !is_load(race, race->pc); i++) {
        const struct race *other = &races->list[i];
        torn |= other->function == race->function && other->loads[0] && !is_load(other, other->pc) &&
                !is_load(other, other->before);
    }
    return torn;
}

static enum race_kind kind_of(const struct block_races *races, const struct race *race)
{
    const struct code *code = race->function->code;
    if (race->stale)
        return RACE_READ;
    /* A volatile load of what was stored plainly needs the fence too, unless it waits for the word itself. */
    if (race->strong && !(race->half && is_unfenced(race) && !race_is_decided(code, race->pc, &race->pc)))
        return RACE_MEANT;
    bool *own = x_calloc(code->count + 1, sizeof *own), *racing = x_calloc(code->count + 1, sizeof *racing);
    mark_own(race, own);
    for (size_t i = 0; i < races->count; i++)
        if (races->list[i].function == race->function)
            mark_own(&races->list[i], racing);
    for (size_t i = 0; i < code->count; i++)
        racing[i] &= !code->list[i].polls; /* what is stored behind a wait is not chosen by it */
    enum race_kind kind = race_kind(code, race->pc, race->before, own, racing, is_unfenced(race));
    if (kind == RACE_MEANT && is_torn(races, race))
        kind = RACE_STORED;
    free(own);
    free(racing);
    return kind;
}

char *block_races_find(const struct block_races *races, bool *sure)
{
    const struct race *worst = NULL;
    enum race_kind most = RACE_MEANT;
    for (const struct race *race = races->list; race < races->list + races->count; race++) {
        const enum race_kind kind = kind_of(races, race);
        if (!worst || kind > most) {
            worst = race;
            most = kind;
        }
    }
    *sure = most > RACE_MEANT;
    if (!worst)
        return NULL;
    const bool unfenced = is_unfenced(worst);
    const unsigned long long at = worst->address;
    char *before = code_place(worst->function, worst->before), *text;
    if (most == RACE_LOST && !unfenced)
        text = x_sprintf("blocks load the word at 0x%llx of global memory, modify it and store it without an "
                         "atomic, so updates are lost: at %s",
                         at, worst->place);
    else
        text = x_sprintf("a block %s the word at 0x%llx of global memory that another block %s at %s, and %s: at %s",
                         is_load(worst, worst->pc) ? "loads" : "changes", at,
                         is_load(worst, worst->before) ? "loads" : "changes", before,
                         worst->stale
                             ? "the load is not coherent (__ldg or const __restrict__), so it may find an old value"
                         : unfenced ? "the atomic or flag that should order them has no __threadfence() before it"
                                    : "nothing orders them",
                         worst->place);
    free(before);
    return text;
}
