/* A block's accesses are in the order of its barriers, so blocks are told apart and warps are not: races.c looks at
 * these. Blocks of a cluster are one. Time is a count of accesses, since one thread executes the orders behind 0. A
 * block knows of all that others did until the time of the latest fence that it was told of: too much rather than too
 * little. */
#include "block_races.h"

#include "block.h"
#include "race_kind.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 1 << 18, USED = LOOKED_AT / 2, LOADS = 4, READERS = 2, WIDEST = 4, RACES = 64, WORD = 4 };

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

/* Two instructions that race. */
struct race {
    const struct function *function;
    uint32_t pc, before;
    uint32_t loads[LOADS]; /* of the word */
    bool strong, loose;    /* an access is volatile; what orders them has no fence */
    uint64_t address;
    char *place;
};

struct block_races {
    const struct function *function;
    struct word *words;
    uint32_t *places; /* of those that are used */
    size_t used;
    struct known *known;
    uint64_t *fences; /* of each cluster, when it had its last one */
    uint64_t now;
    uint32_t old[LANES][WIDEST];
    struct allocation *written; /* what a launch of the workload has written */
    size_t written_count;
    struct race *list;
    size_t count;
};

struct block_races *block_races_open(void)
{
    struct block_races *races = x_calloc(1, sizeof *races);
    races->words = x_calloc(LOOKED_AT, sizeof *races->words);
    races->places = x_calloc(USED, sizeof *races->places);
    return races;
}

void block_races_begin(struct block_races *races)
{
    for (size_t i = 0; i < races->count; i++)
        free(races->list[i].place);
    free(races->list);
    free(races->written);
    races->list = NULL;
    races->written = NULL;
    races->count = races->written_count = 0;
}

void block_races_close(struct block_races *races)
{
    block_races_begin(races);
    free(races->words);
    free(races->places);
    free(races->known);
    free(races->fences);
    free(races);
}

void block_races_launch(struct block_races *races, const struct grid *grid)
{
    for (size_t i = 0; i < races->used; i++)
        races->words[races->places[i]] = (struct word){0};
    free(races->known);
    free(races->fences);
    races->function = grid->function;
    const size_t clusters = (size_t)(grid_blocks(grid) / cluster_blocks(grid));
    races->known = x_calloc(clusters, sizeof *races->known);
    races->fences = x_calloc(clusters, sizeof *races->fences);
    races->used = 0;
    races->now = 1;
}

/* ---- Words ---- */

static bool is_written(struct block_races *races, const struct machine *machine, uint64_t address, bool writes)
{
    struct allocation place;
    for (size_t i = races->written_count; i-- > 0;)
        if (address >= races->written[i].begin && address < races->written[i].end)
            return true;
    if (writes && device_find(machine, address, &place))
        *ARRAY_GROW(races->written, races->written_count) = place;
    return writes;
}

static struct word *word_at(struct block_races *races, uint64_t address)
{
    size_t at = (size_t)((address / WORD) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % LOOKED_AT;
    while (races->words[at].address && races->words[at].address != address)
        at = (at + 1) % LOOKED_AT;
    if (races->words[at].address)
        return &races->words[at];
    if (races->used == USED)
        return NULL;
    races->places[races->used++] = (uint32_t)at;
    races->words[at].address = address;
    return &races->words[at];
}

/* ---- Accesses ---- */

/* Notes a race if nothing orders two accesses. A second one counts if it is surer than the first. */
static void note(struct block_races *races, const struct block *block, const struct word *word, const struct visit *now,
                 const struct visit *before)
{
    const struct known *known = &races->known[now->who - 1];
    const uint64_t ordered = before->answered ? known->any : known->fenced;
    if (!before->who || before->who == now->who || !(before->bytes & now->bytes) || before->time <= ordered)
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
    *race = (struct race){races->function, now->pc, before->pc, {0}, strong, loose, word->address, block_place(block)};
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
static void tell_and_hear(struct block_races *races, struct word *word, uint32_t who, bool tells, bool hears)
{
    struct known *known = &races->known[who - 1];
    if (hears) {
        known->fenced = known->fenced > word->tells.fenced ? known->fenced : word->tells.fenced;
        known->any = known->any > word->tells.any ? known->any : word->tells.any;
    }
    if (tells) {
        const uint64_t fenced = races->fences[who - 1];
        word->tells.fenced = fenced > word->tells.fenced ? fenced : word->tells.fenced;
        word->tells.any = races->now;
    }
}

/* ---- The watcher ---- */

enum { LEARNS = 1, LAST = ORDERS - 1 };

/* In the first order behind 0 it is learned what is written, so that others need not be looked at. */
static bool begin(struct block *block)
{
    const unsigned order = block->grid->order;
    return block->grid->races && order >= LEARNS && order <= LAST &&
           grid_blocks(block->grid) > cluster_blocks(block->grid);
}

static unsigned words_of(const struct access *access)
{
    const unsigned words = (unsigned)(access->size + WORD - 1) / WORD;
    return words < WIDEST ? words : WIDEST;
}

static uint32_t word_now(const struct machine *machine, uint64_t address)
{
    uint32_t word;
    memcpy(&word, device_bytes(machine, address / WORD * WORD), sizeof word);
    return word;
}

/* Before a store, what is there is kept. */
static void hear(const struct access *access)
{
    const struct block *block = access->warp->block;
    struct block_races *races = block->grid->races;
    if (access->kind & ACCESS_PUBLISHES)
        races->fences[block->cluster->number] = races->now;
    for (uint32_t left = access->kind & ACCESS_STORES ? access->lanes : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < words_of(access); k++)
            races->old[lane][k] = word_now(block->machine, access_address(access, lane) + (uint64_t)WORD * k);
    }
}

/* Returns the bytes of a word that a lane accesses, a bit each. */
static unsigned char bytes_of(const struct access *access, uint64_t address)
{
    return (unsigned char)(((1u << (access->size < WORD ? access->size : WORD)) - 1) << address % WORD);
}

/* Returns those that a store has changed. */
static unsigned char changed_of(const struct access *access, unsigned lane, unsigned k, uint64_t address)
{
    const struct block *block = access->warp->block;
    const uint32_t changed = block->grid->races->old[lane][k] ^ word_now(block->machine, address);
    unsigned char bytes = 0;
    for (unsigned i = 0; i < WORD; i++)
        bytes |= (unsigned char)((changed >> 8 * i & 0xff ? 1u : 0u) << i);
    return bytes & bytes_of(access, address);
}

static void visit(const struct access *access, unsigned lane, unsigned k)
{
    const struct block *block = access->warp->block;
    struct block_races *races = block->grid->races;
    const uint64_t address = access_address(access, lane) + (uint64_t)WORD * k;
    const bool atomic = access->kind & ACCESS_CHANGES, strong = access->kind & ACCESS_STRONG;
    const bool reads = access->kind & ACCESS_READS;
    if (!is_written(races, block->machine, address, !reads) || block->grid->order == LEARNS)
        return;
    struct word *word = word_at(races, address / WORD * WORD);
    if (!word)
        return;
    const unsigned char changed = reads || atomic ? access->changed : changed_of(access, lane, k, address);
    const struct visit now = {.time = ++races->now,
                              .who = (uint32_t)block->cluster->number + 1,
                              .pc = access->code->index,
                              .bytes = atomic || !changed ? bytes_of(access, address) : changed,
                              .strong = strong,
                              .agreed = !changed,
                              .answered = access->kind & ACCESS_ANSWERS};
    if (reads)
        visit_load(races, block, word, &now);
    else if (changed)
        visit_change(races, block, word, &now, atomic);
    else if (!atomic && !word->store.who)
        word->store = now;
    else if (!atomic && word->store.who != now.who)
        word->store.agreed = true;
    if (atomic || strong)
        tell_and_hear(races, word, now.who, !reads, atomic || reads);
}

static void done(const struct access *access)
{
    if (access->kind & ACCESS_PUBLISHES)
        return;
    for (uint32_t left = access->same ? access->lanes & -access->lanes : access->lanes; left; left &= left - 1)
        for (unsigned k = 0; k < words_of(access); k++)
            visit(access, (unsigned)__builtin_ctz(left), k);
}

const struct watcher block_races_watcher = {
    ACCESS_READS | ACCESS_STORES | ACCESS_CHANGES | ACCESS_PUBLISHES, 0, 0, true, begin, hear, done, NULL};

/* ---- What a race is ---- */

static bool is_load(const struct race *race, uint32_t pc)
{
    return race->function->code->list[pc].traits & TRAIT_LOAD;
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
    return race->loose && race_is_decided(race->function->code, race->pc);
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
    if (race->strong)
        return RACE_MEANT;
    bool *own = x_calloc(code->count + 1, sizeof *own), *racing = x_calloc(code->count + 1, sizeof *racing);
    mark_own(race, own);
    for (size_t i = 0; i < races->count; i++)
        if (races->list[i].function == race->function)
            mark_own(&races->list[i], racing);
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
        text =
            x_sprintf("blocks load the word at 0x%llx of global memory, change it and store it without an atomic, so "
                      "changes are lost: at %s",
                      at, worst->place);
    else
        text = x_sprintf("a block %s the word at 0x%llx of global memory that another block %s at %s, and %s: at %s",
                         is_load(worst, worst->pc) ? "loads" : "changes", at,
                         is_load(worst, worst->before) ? "loads" : "changes", before,
                         unfenced ? "the atomic or flag that is to order them lacks a __threadfence() before it"
                                  : "nothing orders them",
                         worst->place);
    free(before);
    return text;
}
