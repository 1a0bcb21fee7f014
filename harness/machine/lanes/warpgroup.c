#include "warpgroup.h"

#include "product.h"

#include "machine/races/races.h"

enum { UNIT = 16 /* bytes */, A_REGISTERS = 4 };

/* ---- Sets of registers ---- */

static bool has(const struct register_set *set, unsigned number)
{
    return set->bits[number / 64] >> number % 64 & 1;
}

static void add(struct register_set *set, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        set->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void add_set(struct register_set *set, const struct register_set *more)
{
    for (unsigned i = 0; i < ARRAY_SIZE(set->bits); i++)
        set->bits[i] |= more->bits[i];
}

/* The number of an operand's register; -1: it is none that a product could have. */
static int register_of(const struct operand *operand)
{
    const bool row = (operand->kind == OPERAND_ROW && operand->space == SPACE_WARP) || operand->kind == OPERAND_ADDRESS;
    return row && operand->row < ROW_ZERO * ROW_BYTES ? (int)(operand->row / ROW_BYTES) : -1;
}

/* ---- Registers ---- */

/* A register of A that is written while its product is not waited for is no matter of time that could be let pass. On
 * an H200 (driver 580.159.04, 2026-11-26) products of 64x256x16 with one group left by wait_group gave wrong sums for
 * 39 % of the threads where A was written at once, for 70 % behind a barrier of the block, and for 7 % behind a barrier
 * and a load from shared memory; with wait_group 0 for none. */
void warpgroup_watch(struct warp *warp, const struct instruction *code)
{
    struct products *products = &warp->products;
    if (code->apart)
        return;
    for (unsigned i = 0; i < code->operand_count; i++) {
        const int number = register_of(&code->operands[i]);
        const bool writes = i < code->output_count;
        if (number < 0)
            continue;
        if (has(&products->written, (unsigned)number) || (writes && has(&products->read, (unsigned)number))) {
            warp->block->now = code;
            block_fault(warp->block, "%s %s R%d, which a wgmma in flight still %s", code->opcode,
                        writes ? "writes" : "reads", number,
                        has(&products->written, (unsigned)number) ? "writes" : "reads");
        }
        if (writes)
            add(&products->changed, (unsigned)number, 1);
    }
}

/* Fails the block if one of the registers was written by others than products, and no WARPGROUP.ARRIVE came since. */
static void look_for_changed(const struct warp *warp, const struct instruction *code, unsigned n, unsigned count)
{
    const int first = register_of(&code->operands[n]);
    for (unsigned i = 0; first >= 0 && i < count; i++)
        if (has(&warp->products.changed, (unsigned)first + i))
            block_fault(warp->block, "%s reads R%u, which was written without a wgmma.fence after it", code->opcode,
                        (unsigned)first + i);
}

void warpgroup_begin(struct warp *warp, const struct instruction *code)
{
    const unsigned n = code->flags[PRODUCT_ADDED];
    const unsigned registers = code->flags[PRODUCT_COLUMNS] * (code->flags[PRODUCT_SUM] == ELEMENT_F16 ? 2u : 4u);
    const struct operand *added = n + 1 < code->operand_count ? &code->operands[n + 1] : NULL;
    if (warp->guarded != ALL_LANES)
        block_not_simulated(warp->block, "%s by some lanes of a warp", code->opcode);
    if (!added || added->kind != OPERAND_PREDICATE || predicate(warp, added))
        look_for_changed(warp, code, n, registers);
    if (product_metadata(code))
        look_for_changed(warp, code, product_metadata(code), 1);
    const int a = register_of(&code->operands[1]);
    if (a < 0)
        return;
    look_for_changed(warp, code, 1, A_REGISTERS);
    for (unsigned i = 0; i < A_REGISTERS; i++)
        if (has(&warp->products.written, (unsigned)a + i))
            block_fault(warp->block, "%s reads R%u, which a wgmma in flight still writes", code->opcode,
                        (unsigned)a + i);
}

void warpgroup_end(struct warp *warp, const struct instruction *code, unsigned registers)
{
    struct products *products = &warp->products;
    const unsigned group = products->committed % GROUPS_MOST;
    const int a = register_of(&code->operands[1]);
    if (products->committed - products->waited >= GROUPS_MOST - 1)
        block_not_simulated(warp->block, "%s with more than %d wgmma groups in flight", code->opcode, GROUPS_MOST - 1);
    if (!products->open)
        memset(&products->groups[group], 0, sizeof products->groups[group]);
    add(&products->groups[group].written, (unsigned)register_of(&code->operands[0]), registers);
    if (a >= 0)
        add(&products->groups[group].read, (unsigned)a, A_REGISTERS);
    if (product_metadata(code) && register_of(&code->operands[product_metadata(code)]) >= 0)
        add(&products->groups[group].read, (unsigned)register_of(&code->operands[product_metadata(code)]), 1);
    add_set(&products->written, &products->groups[group].written);
    for (unsigned i = 0; i < ARRAY_SIZE(products->changed.bits); i++) /* what it leaves is its own */
        products->changed.bits[i] &= ~products->groups[group].written.bits[i];
    add_set(&products->read, &products->groups[group].read);
    products->open = !(code->flags[PRODUCT_WAYS] & WAY_ENDS_GROUP);
    products->committed += !products->open;
}

/* Returns whether all warps of the warpgroup that are not gone have come as far, by one of two numbers. */
static bool all_there(const struct warp *warp, uint64_t arrived, uint64_t committed)
{
    const struct block *block = warp->block;
    const unsigned first = warp->number / WARPGROUP * WARPGROUP;
    bool there = true;
    for (unsigned w = first; w < first + WARPGROUP && w < block->warp_count; w++)
        if (block->warps[w].split_count > 0)
            there &= block->warps[w].products.arrived >= arrived && block->warps[w].products.committed >= committed;
    return there;
}

/* The four warps meet here, and what they did before is done for all of them. */
static bool have_arrived(struct warp *warp)
{
    struct products *products = &warp->products;
    products->arrived += !products->arrives;
    products->arrives = !all_there(warp, products->arrived, 0);
    if (!products->arrives)
        products->changed = (struct register_set){0};
    return !products->arrives;
}

/* Operands of DEPBAR: scoreboard, how many groups need not be done. ARRIVE has none. */
bool products_are_done(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct products *products = &warp->products;
    (void)lanes;
    if (code->operand_count == 0)
        return have_arrived(warp);
    const uint64_t left = (uint64_t)code->operands[1].value;
    const uint64_t wanted = products->committed > left ? products->committed - left : 0;
    if (!all_there(warp, 0, wanted))
        return false;
    for (; products->waited < wanted; products->waited++)
        products->groups[products->waited % GROUPS_MOST].clock = hazards_clock(warp);
    products->written = products->read = (struct register_set){0};
    for (uint64_t i = products->waited; i < products->committed + products->open; i++) {
        add_set(&products->written, &products->groups[i % GROUPS_MOST].written);
        add_set(&products->read, &products->groups[i % GROUPS_MOST].read);
    }
    return true;
}

/* ---- Shared memory ---- */

/* 16 bytes. Products look at all that they read, so that this is small, and what few ask for is apart. */
struct unit {
    uint32_t block;        /* number of the block, from 1, that the rest is about */
    unsigned short reader; /* warpgroup of the last product that read it */
    bool stored;           /* by a warp */
    uint64_t product;      /* the group of that product; 0: none did */
};

/* The last store to a unit. Times are counted by stores and fences. */
struct unit_store {
    uint64_t time;
    unsigned epoch;
    unsigned short storer;   /* the warp */
    unsigned char old[UNIT]; /* before stores that products may not see yet */
};

struct tiles {
    struct unit *units;
    struct unit_store *stores; /* of each unit */
    uint32_t block;
    uint64_t now;
    uint64_t fenced; /* when any warp was last at a fence */
    unsigned fence_epoch;
    uint64_t *fences; /* the same of each warp */
};

static bool tiles_begin(struct block *block)
{
    struct tiles *tiles = block->watch.states[WATCH_TILES];
    if (!block->code->multiplies_apart)
        return false;
    tiles->units = tiles->units ? tiles->units : x_calloc(block->shared_size / UNIT + 1, sizeof *tiles->units);
    tiles->stores = tiles->stores ? tiles->stores : x_calloc(block->shared_size / UNIT + 1, sizeof *tiles->stores);
    tiles->fences = tiles->fences ? tiles->fences : x_calloc(block->warp_count, sizeof *tiles->fences);
    tiles->block++;
    for (unsigned w = 0; w < block->warp_count; w++)
        block->warps[w].products = (struct products){0};
    return true;
}

static void tiles_release(void *state)
{
    struct tiles *tiles = state;
    free(tiles->units);
    free(tiles->stores);
    free(tiles->fences);
}

static struct tiles *tiles_of(const struct block *block)
{
    return block->watch.states[WATCH_TILES];
}

static struct unit *unit_of(const struct block *block, uint32_t address)
{
    const struct tiles *tiles = tiles_of(block);
    struct unit *unit = &tiles->units[address / UNIT];
    if (unit->block != tiles->block)
        *unit = (struct unit){.block = tiles->block};
    return unit;
}

/* Returns whether a warp knows that the product which last read a unit is done: it has waited for it, or has learnt
 * from a warp of the product's warpgroup that this one has. */
static bool knows_done(const struct warp *issuer, const struct unit *unit)
{
    const struct block *block = issuer->block;
    const unsigned first = unit->reader * WARPGROUP;
    for (unsigned w = first; w < first + WARPGROUP && w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        const struct products *products = &warp->products;
        if (products->waited >= unit->product &&
            (products->waited - unit->product >= GROUPS_MOST ||
             hazards_knows(issuer, warp, products->groups[(unit->product - 1) % GROUPS_MOST].clock)))
            return true;
    }
    return false;
}

/* Notes that a copy which a warp of the block issues (cp.async.bulk) writes to shared memory. Products need no fence to
 * read what it brings. */
static void copied(const struct access *access)
{
    struct block *block = access->block;
    const struct warp *issuer = access->warp;
    for (uint64_t at = access->first / UNIT; at <= (access->first + access->size - 1) / UNIT; at++) {
        struct unit *unit = unit_of(block, (uint32_t)at * UNIT);
        if (unit->product && !knows_done(issuer, unit))
            block_fault(block,
                        "%s overwrites byte %lld of shared memory, which a wgmma still reads: warp %u is not ordered "
                        "after the wait for it",
                        block->now->opcode, (long long)at * UNIT - SHARED_RESERVED, issuer->number);
        unit->stored = false;
    }
}

/* Returns whether a store is visible to products: the warp that stored has been at a fence since, or another one has
 * after a barrier. Where warps meet by other means than barriers of the block, any fence will do. */
static bool is_fenced(const struct block *block, const struct unit_store *store)
{
    const struct tiles *tiles = tiles_of(block);
    return tiles->fences[store->storer] > store->time ||
           (tiles->fenced > store->time && (tiles->fence_epoch != store->epoch || block->code->tells_others));
}

/* Whether lanes fill shared memory by cp.async, or store zeros in code that does. CUTLASS has no fence behind either:
 * it clears what it will not copy. */
static bool fills(const struct access *access)
{
    const struct instruction *code = access->code;
    const struct warp *warp = access->warp;
    uint32_t any = 0;
    if (access->kind & ACCESS_COPIES || !(access->kind & ACCESS_STORES) || !warp->block->code->has_copies)
        return access->kind & ACCESS_COPIES;
    for (unsigned k = 0; k < (code->size + 3u) / 4; k++)
        for (uint32_t left = access->lanes; left; left &= left - 1)
            any |= ROW_BEHIND(1, k)[__builtin_ctz(left)];
    return any == 0;
}

/* Notes that lanes store to shared memory. Of what is filled so, products need no fence. */
static void stored(const struct access *access)
{
    struct block *block = access->block;
    struct warp *warp = access->warp;
    const uint64_t now = fills(access) ? 0 : ++tiles_of(block)->now;
    uint32_t last = UINT32_MAX;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        const uint32_t address = (uint32_t)access_address(access, (unsigned)__builtin_ctz(left));
        if (address / UNIT == last) /* an access is within a unit */
            continue;
        last = address / UNIT;
        struct unit *unit = unit_of(block, address);
        struct unit_store *store = &tiles_of(block)->stores[address / UNIT];
        if (unit->product && !knows_done(warp, unit))
            block_fault(block, "warp %u writes byte %lld of shared memory, which a wgmma in flight still reads",
                        warp->number, (long long)address - SHARED_RESERVED);
        if (!unit->stored || is_fenced(block, store))
            memcpy(store->old, block->shared + (size_t)(address / UNIT) * UNIT, UNIT);
        unit->stored = now > 0;
        store->time = now;
        store->storer = (unsigned short)warp->number;
        store->epoch = block->epoch;
    }
}

/* Notes that a warp shows what it has written to products; FENCE.VIEW.ASYNC.G does so to none. */
static void fenced(const struct access *access)
{
    struct tiles *tiles = tiles_of(access->block);
    const struct instruction *code = access->code;
    if (code->modifier_count > 0 && strcmp(code->modifiers[code->modifier_count - 1], "G") == 0)
        return;
    tiles->fences[access->warp->number] = tiles->fenced = ++tiles->now;
    tiles->fence_epoch = access->block->epoch;
}

static void tiles_hear(const struct access *access)
{
    if (access->kind & ACCESS_FENCES)
        fenced(access);
    else if (!(access->kind & ACCESS_COMES))
        stored(access);
    else if (access->block == access->warp->block)
        copied(access);
}

enum { HEARD = ACCESS_STORES | ACCESS_WRITES | ACCESS_COPIES | ACCESS_CHANGES | ACCESS_COMES | ACCESS_FENCES };
const struct watcher tiles_watcher = {0,          HEARD, sizeof(struct tiles), true, tiles_begin,
                                      tiles_hear, NULL,  tiles_release};

const unsigned char *warpgroup_unit(struct warp *warp, uint32_t address)
{
    struct block *block = warp->block;
    if (address < SHARED_RESERVED || (uint64_t)address + UNIT > block->shared_size)
        block_fault_of(block, FAULT_ADDRESS, "%s reads bytes %lld to %lld of the block's %llu bytes of shared memory",
                       block->now->opcode, (long long)address - SHARED_RESERVED,
                       (long long)address + UNIT - 1 - SHARED_RESERVED,
                       (unsigned long long)(block->shared_size - SHARED_RESERVED));
    struct unit *unit = unit_of(block, address);
    const struct unit_store *store = &tiles_of(block)->stores[address / UNIT];
    const bool unseen = unit->stored && !is_fenced(block, store);
    if (unseen)
        block_doubt_of(block, DOUBT_OTHER,
                       "%s reads byte %lld of shared memory, which warp %u stored without a fence.proxy.async after it",
                       block->now->opcode, (long long)address - SHARED_RESERVED, store->storer);
    unit->reader = (unsigned short)(warp->number / WARPGROUP);
    unit->product = warp->products.committed + 1;
    return unseen && block->grid->order > ORDERS ? store->old : block->shared + address;
}

/* Shows what the warp has written to products, and to copies that it or others issue afterwards. */
static void fence(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    (void)lanes;
    watch_bytes(warp, code, warp->block, ACCESS_FENCES, 0, 0, 0);
}

/* ---- Others ---- */

PREPARE(arrive, code->operand_count == 0)
PREPARE(wait, code->operand_count == 2 && code->operands[0].kind == OPERAND_SPECIAL &&
                  strcmp(code->operands[0].word, "gsb0") == 0 && code->operands[1].immediate &&
                  code->operands[1].value >= 0 && code->operands[1].value < GROUPS_MOST)

/* Operands [p,] how many registers: a block has as many as it began with. Others may give theirs back later, so whether
 * there are enough shows when the block ends. */
static void take_registers(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const int registers = (int)code->operands[code->operand_count - 1].value;
    if (registers > warp->registers)
        warp->block->taken_at = code;
    warp->block->taken += registers - warp->registers;
    warp->registers = registers;
    if (code->operand_count > 1)
        predicate_set(warp, &code->operands[0], lanes, ALL_LANES);
}

/* clang-format off */
const struct opcode warpgroup_opcodes[] = {
    {"WARPGROUP.ARRIVE",     NULL,           CONTROL_WAIT_PRODUCTS | RULE_KEEPS, prepare_arrive, "",  ""},
    {"WARPGROUP.DEPBAR.LE",  NULL,           CONTROL_WAIT_PRODUCTS | RULE_KEEPS, prepare_wait,   "",  ""},
    {"FENCE.VIEW.ASYNC",     fence,          RULE_KEEPS,                         NULL,           "",  "S G T"},
    {"USETMAXREG.DEALLOC",   take_registers, RULE_KEEPS,                         NULL,           "",  "CTAPOOL"},
    {"USETMAXREG.TRY_ALLOC", take_registers, RULE_SAME,                          NULL,           "p", "CTAPOOL"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
