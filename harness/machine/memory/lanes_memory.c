/* Loads and stores. The cost of an access (counting.h) depends on its lanes, on how far their addresses are from the
 * first lane's, and on where that address is in its sector. So the cost is remembered for each instruction with these
 * three, and most accesses are only compared with them. */
#include "lanes_access.h"

#include "shape.h"

/* ---- Global memory ---- */

/* Checks an access and counts it. Sets the lanes that access memory. */
static struct memo *visit_global(struct warp *warp, const struct instruction *code, uint32_t lanes,
                                 const uint64_t *addresses, bool writes, uint32_t *inside)
{
    struct block *block = warp->block;
    struct memo *memo = &block->memos[code->index];
    memo_settle(memo, &block->tallies[code->index]);
    memo_global(memo, block, lanes, addresses, code->size);
    if (!memo_holds(memo, addresses[__builtin_ctz(lanes)], code->size))
        *inside = memory_inside(block, memo, &block->tallies[code->index], lanes, addresses, code->size, writes,
                                block->grid->spares);
    if (!memo->aligned)
        memory_misaligned(block, lanes, addresses, code->size);
    memo->times++;
    return memo;
}

/* Returns the memo if the access has the shape of the one before, within the same allocation. It is then counted, and
 * *first is the first lane's address. Otherwise NULL. */
static struct memo *visit_again(struct warp *warp, const struct instruction *code, const struct operand *operand,
                                uint32_t lanes, uint64_t *first)
{
    struct memo *memo = &warp->block->memos[code->index];
    const uint32_t *low = row_at(warp, SPACE_WARP, operand->row), *high = row_at(warp, SPACE_WARP, operand->high);
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    if (operand->based || !operand->wide || !same_shape(memo, lanes, low, high, lane))
        return NULL;
    *first = wide(low[lane], high[lane]) + (uint64_t)operand->value;
    if (memo->low != (*first & MEMO_LOW_SECTOR) || !memo->aligned || !memo_holds(memo, *first, code->size))
        return NULL;
    memo->times++;
    return memo;
}

/* ---- Bytes ---- */

/* Returns whether all lanes have them in order, or load them from one place. */
static bool are_together(const struct instruction *code, const struct memo *memo, bool writes)
{
    return code->size >= 4 && (memo->in_order || (memo->same && !writes));
}

enum { CACHE_LINE = 64, AHEAD_FROM = 1 << 16 /* bytes: what is nearer this machine foresees by itself */ };

/* Asks for the memory of the next load, if it will be as far from this one as this is from the last. */
static inline void look_ahead(struct memo *memo, const unsigned char *place, unsigned bytes)
{
    const ptrdiff_t by = place - memo->last;
    memo->last = place;
    for (unsigned i = 0; (by >= AHEAD_FROM || by <= -AHEAD_FROM) && i < bytes; i += CACHE_LINE)
        __builtin_prefetch(place + by + i);
}

/* Moves them if they are. Returns whether it did. */
static inline __attribute__((always_inline)) bool move_together(struct warp *warp, const struct instruction *code,
                                                                uint32_t lanes, const struct memo *memo,
                                                                unsigned char *first, bool writes)
{
    if (!are_together(code, memo, writes))
        return false;
    if (writes) {
        give_in_order(warp, code, 1, first);
    } else if (memo->in_order) {
        take_in_order(warp, code, first);
        look_ahead(&warp->block->memos[code->index], first, code->size * LANES);
    } else {
        take_one(warp, code, lanes, first);
    }
    return true;
}

static void move_apart(struct warp *warp, const struct instruction *code, uint32_t lanes, unsigned char *const *places,
                       bool writes)
{
    if (writes)
        give(warp, code, 1, lanes, places);
    else
        take(warp, code, lanes, (const unsigned char *const *)places);
}

/* Returns what kind of access it is. */
static unsigned kind_of(const struct instruction *code, bool writes)
{
    return (writes ? ACCESS_STORES : ACCESS_READS) | code->flags[FLAG_STRONG];
}

/* Tells that a watched access is done. Of one that reads what others may change, it tells what it has found. */
static void tell_done(struct access *access, bool writes)
{
    const struct instruction *code = access->code;
    for (uint32_t left = access->kind & ACCESS_STRONG && !writes ? access->lanes : 0; left; left &= left - 1)
        for (unsigned k = 0; k < (code->size + 3u) / 4; k++)
            access->found = access->found * UINT64_C(0x9e3779b97f4a7c15) +
                            row_at(access->warp, code->operands[0].space,
                                   code->operands[0].row +
                                       k * (code->operands[0].high - code->operands[0].row))[__builtin_ctz(left)];
    watch_done(access);
}

/* ---- Global memory: accesses ---- */

/* An access some of whose lanes are in no allocation, which the grid spares: they read 0, and store nothing. */
static void access_inside(struct warp *warp, const struct instruction *code, uint32_t lanes, uint32_t inside,
                          const uint64_t *addresses, const struct memo *memo, unsigned kind, bool writes)
{
    unsigned char *places[LANES], zeros[16] = {0};
    struct access access = {0};
    if (inside) {
        access = global_access(warp, code, memo, inside, addresses, kind);
        access.in_order = false;
        watch(&access);
    }
    EACH_LANE places[l] = inside >> l & 1 ? device_bytes(warp->block->machine, addresses[l]) : zeros;
    move_apart(warp, code, writes ? inside : lanes, places, writes);
    if (inside && warp->block->watch.global & kind)
        tell_done(&access, writes);
}

/* memo is NULL if the access was not counted yet. */
static void access_global(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint64_t *addresses,
                          const struct memo *memo, unsigned kind, bool writes)
{
    unsigned char *places[LANES];
    const uint64_t first = addresses[__builtin_ctz(lanes)];
    uint32_t inside = lanes;
    if (!memo)
        memo = visit_global(warp, code, lanes, addresses, writes, &inside);
    if (inside != lanes) {
        access_inside(warp, code, lanes, inside, addresses, memo, kind, writes);
        return;
    }
    const bool watched = global_is_watched(warp->block, code, memo, first, kind);
    struct access access;
    if (watched) {
        access = global_access(warp, code, memo, lanes, addresses, kind);
        watch(&access);
    }
    if (!move_together(warp, code, lanes, memo, device_bytes(warp->block->machine, first), writes)) {
        EACH_LANE places[l] = device_bytes(warp->block->machine, addresses[l]);
        move_apart(warp, code, lanes, places, writes);
    }
    if (watched && warp->block->watch.global & kind) /* meetings hear no more of it */
        tell_done(&access, writes);
}

/* Those that are neither in order nor the same for all lanes, or that are watched. The common cases are apart, since
 * these have to save many registers. */
__attribute__((noinline)) static void global_scattered(struct warp *warp, const struct instruction *code,
                                                       uint32_t lanes, const struct memo *memo, uint64_t first,
                                                       bool writes)
{
    uint64_t addresses[LANES];
    if (memo && are_together(code, memo, writes))
        addresses[__builtin_ctz(lanes)] = first; /* the others are not asked for */
    else
        global_addresses(warp, &code->operands[!writes], addresses);
    access_global(warp, code, lanes, addresses, memo, kind_of(code, writes), writes);
}

static inline void global_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, bool writes)
{
    uint64_t first = 0;
    const struct memo *memo = visit_again(warp, code, &code->operands[!writes], lanes, &first);
    if (!memo || global_is_watched(warp->block, code, memo, first, kind_of(code, writes)) ||
        !move_together(warp, code, lanes, memo, device_bytes(warp->block->machine, first), writes))
        global_scattered(warp, code, lanes, memo, first, writes);
}

/* ---- Shared memory ---- */

/* Those that are neither in order nor the same for all lanes, or that are watched. */
__attribute__((noinline)) static void shared_scattered(struct warp *warp, const struct instruction *code,
                                                       uint32_t lanes, const uint32_t *addresses,
                                                       const struct memo *memo, bool writes)
{
    unsigned char *const shared = warp->block->shared, *places[LANES];
    const bool watched = warp->block->watch.shared & kind_of(code, writes);
    struct access access;
    if (watched) {
        access = (struct access){warp,        code,
                                 warp->block, kind_of(code, writes),
                                 lanes,       addresses[__builtin_ctz(lanes)],
                                 code->size,  .offsets = addresses};
        watch(&access);
    }
    if (!move_together(warp, code, lanes, memo, shared + addresses[__builtin_ctz(lanes)], writes)) {
        EACH_LANE places[l] = shared + addresses[l];
        move_apart(warp, code, lanes, places, writes);
    }
    if (watched)
        tell_done(&access, writes);
}

static void access_shared(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses,
                          bool writes)
{
    struct block *block = warp->block;
    struct memo *memo = &block->memos[code->index];
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    const uint32_t first = addresses[lane];
    if (!same_narrow_shape(memo, lanes, addresses, lane)) {
        memo_settle(memo, &block->tallies[code->index]);
        memo_shared(memo, lanes, addresses, code->size, writes);
    }
    if ((int64_t)first + memo->least < shared_begin(block, code) ||
        (int64_t)first + memo->most + (writes ? code->size : 1) > (int64_t)block->shared_size ||
        (int64_t)first + memo->most + code->size > (int64_t)block->shared_size + (code->size == 16 ? SHARED_BEYOND : 0))
        shared_outside(block, lanes, addresses, code->size);
    if (!memo->aligned)
        shared_misaligned(block, lanes, addresses, code->size);
    memo->times++;
    if (block->watch.shared & kind_of(code, writes) ||
        !move_together(warp, code, lanes, memo, block->shared + first, writes))
        shared_scattered(warp, code, lanes, addresses, memo, writes);
}

static inline void shared_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, bool writes)
{
    uint32_t addresses[LANES];
    own_addresses(warp, &code->operands[!writes], addresses);
    access_shared(warp, code, lanes, addresses, writes);
}

/* ---- Local memory ---- */

/* Returns the rows of local memory that an access is to. Word w of lane l is at (w * 32 + l) * 4 of the warp's local
 * memory. Registers that a compiler spills have the same address in all lanes, so each word is a row. */
static unsigned char *local_rows(struct warp *warp, const struct instruction *code, uint32_t lanes,
                                 const uint32_t *addresses)
{
    const uint32_t first = addresses[__builtin_ctz(lanes)];
    uint32_t differs =
        code->size < 4 || (first & (code->size - 1u)) || (uint64_t)first + code->size > warp->block->local_bytes;
    EACH_LANE differs |= (addresses[l] ^ first) & IN(lanes);
    return differs ? NULL : warp->local + (size_t)first * LANES;
}

/* Returns the sectors of an access to rows: eight lanes share a sector of each word. */
static unsigned sectors_of_rows(uint32_t lanes, unsigned size)
{
    unsigned groups = 0;
    for (unsigned l = 0; l < LANES; l += 8)
        groups += (lanes >> l & 0xff) != 0;
    return groups * size / 4;
}

static void count_local(struct warp *warp, const struct instruction *code, unsigned sectors)
{
    struct tally *tally = &warp->block->tallies[code->index];
    tally->accesses++;
    tally->local_accesses++;
    tally->sectors += sectors;
    tally->unit_sectors += sectors;
}

static void access_local(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses,
                         bool writes)
{
    unsigned char bytes[LANES][16], *places[LANES];
    local_check(warp->block, lanes, addresses, code->size);
    count_local(warp, code, local_sectors(lanes, addresses, code->size));
    for (unsigned l = 0; l < LANES; l++) {
        places[l] = bytes[l];
        if (!writes && lanes >> l & 1)
            local_move(warp, l, addresses[l], bytes[l], code->size, false);
    }
    move_apart(warp, code, lanes, places, writes);
    for (uint32_t left = writes ? lanes : 0; left; left &= left - 1)
        local_move(warp, (unsigned)__builtin_ctz(left), addresses[__builtin_ctz(left)], bytes[__builtin_ctz(left)],
                   code->size, true);
}

static inline void local_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, bool writes)
{
    uint32_t addresses[LANES];
    narrow_addresses(warp, &code->operands[!writes], addresses);
    unsigned char *rows = local_rows(warp, code, lanes, addresses);
    if (!rows) {
        access_local(warp, code, lanes, addresses, writes);
        return;
    }
    const struct operand *operand = &code->operands[writes];
    count_local(warp, code, sectors_of_rows(lanes, code->size));
    for (unsigned k = 0; k < code->size / 4u; k++, rows += ROW_BYTES) {
        uint32_t *row = row_at(warp, operand->space, operand->row + k * (operand->high - operand->row)), there[LANES];
        memcpy(there, rows, ROW_BYTES);
        if (writes)
            WRITE_LANES(there, lanes, row[l]);
        else
            WRITE_LANES(row, lanes, there[l]);
        if (writes)
            memcpy(rows, there, ROW_BYTES);
    }
}

/* ---- Generic addresses: lanes of each kind in turn ---- */

static void generic_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, bool writes)
{
    uint64_t addresses[LANES];
    global_addresses(warp, &code->operands[!writes], addresses);
    uint32_t shared = 0, local = 0, others = 0, narrow[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t window = addresses[l] & ~(uint64_t)UINT32_MAX;
        const uint32_t bit = lanes & 1u << l;
        narrow[l] = (uint32_t)addresses[l];
        local |= window == LOCAL_WINDOW ? bit : 0;
        if (window != SHARED_WINDOW)
            continue;
        if (narrow[l] >> RANK_SHIFT == warp->block->rank) {
            shared |= bit;
            narrow[l] -= warp->block->rank << RANK_SHIFT;
        } else {
            others |= bit;
        }
    }
    if (lanes & ~shared & ~local & ~others)
        access_global(warp, code, lanes & ~shared & ~local & ~others, addresses, NULL,
                      kind_of(code, writes) | ACCESS_GENERIC, writes);
    if (shared)
        access_shared(warp, code, shared, narrow, writes);
    if (others) {
        unsigned char *places[LANES];
        cluster_places(warp, code, others, narrow, code->size, writes ? ACCESS_FAR : ACCESS_FAR_READS, places);
        move_apart(warp, code, others, places, writes);
    }
    if (local)
        access_local(warp, code, local, narrow, writes);
}

#define BOTH_WAYS(memory)                                                                                              \
    static void load_##memory(struct warp *warp, const struct instruction *code, uint32_t lanes)                       \
    {                                                                                                                  \
        memory##_lanes(warp, code, lanes, false);                                                                      \
    }                                                                                                                  \
    static void store_##memory(struct warp *warp, const struct instruction *code, uint32_t lanes)                      \
    {                                                                                                                  \
        memory##_lanes(warp, code, lanes, true);                                                                       \
    }
BOTH_WAYS(global)
BOTH_WAYS(shared)
BOTH_WAYS(local)
BOTH_WAYS(generic)

/* ---- Preparation ---- */

static bool prepare_load(struct instruction *code)
{
    /* With ".128" to RZ, the rows behind the sink are sinks as well. */
    return prepare_size(code) && code->operand_count == 2 && code->operands[1].kind == OPERAND_ADDRESS;
}

/* Prepares a store. A source that is RZ is zeros, however wide. */
PREPARE(store, prepare_size(code) && code->operand_count == 2 && code->operands[0].kind == OPERAND_ADDRESS &&
                   code->operands[1].kind == OPERAND_ROW)

/* clang-format off */
#define WIDTHS "E U8 S8 U16 S16 64 128"
#define HINTS " CONSTANT STRONG WEAK GPU SYS SM CTA EF EL LU EU NA PRIVATE"
const struct opcode TABLE(lanes_memory)[] = {
    {"LDG", load_global,   TRAIT_LOAD | TRAIT_GLOBAL | RULE_LOAD,      prepare_load,  "d", WIDTHS HINTS " LTC64B LTC128B LTC256B"},
    {"STG", store_global,  TRAIT_STORE | TRAIT_GLOBAL | RULE_STORE,    prepare_store, "",  WIDTHS HINTS},
    {"LDS", load_shared,   TRAIT_LOAD | TRAIT_SHARED | RULE_NARROW,    prepare_load,  "d", WIDTHS},
    {"STS", store_shared,  TRAIT_STORE | TRAIT_SHARED | RULE_NARROW,   prepare_store, "",  WIDTHS},
    {"LDL", load_local,    TRAIT_LOAD | TRAIT_LOCAL | RULE_NARROW,     prepare_load,  "d", WIDTHS " LU"},
    {"STL", store_local,   TRAIT_STORE | TRAIT_LOCAL | RULE_NARROW,    prepare_store, "",  WIDTHS},
    {"LD",  load_generic,  TRAIT_LOAD | TRAIT_GENERIC | RULE_GENERIC,  prepare_load,  "d", WIDTHS HINTS},
    {"ST",  store_generic, TRAIT_STORE | TRAIT_GENERIC | RULE_GENERIC, prepare_store, "",  WIDTHS HINTS},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
