/* Loads and stores. The cost of an access (counting.h) depends on its lanes, on how far their addresses are from the
 * first lane's, and on where that address is in its sector. So the cost is remembered for each instruction with these
 * three, and most accesses are only compared with them. */
#include "lanes_access.h"

#include "cluster.h"
#include "counting.h"
#include "device_memory.h"
#include "meetings_note.h"
#include "races.h"
#include "waits.h"
#include "warpgroup.h"

/* ---- Global memory ---- */

/* Checks an access and counts it. */
static void count_global(struct warp *warp, const struct instruction *code, struct memo *memo, uint32_t lanes,
                         uint64_t first, const uint64_t *addresses, bool writes)
{
    struct block *block = warp->block;
    if (!memo_holds(memo, first, code->size))
        memory_check(block, memo, lanes, addresses, code->size, writes);
    if (!memo->aligned)
        memory_misaligned(block, lanes, addresses, code->size);
    memo->times++;
}

static struct memo *visit_global(struct warp *warp, const struct instruction *code, uint32_t lanes,
                                 const uint64_t *addresses, bool writes)
{
    struct memo *memo = &warp->block->memos[code->index];
    const uint64_t first = addresses[__builtin_ctz(lanes)];
    memo_settle(memo, &warp->block->tallies[code->index]);
    memo_global(memo, warp->block, lanes, addresses, code->size);
    count_global(warp, code, memo, lanes, first, addresses, writes);
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
    count_global(warp, code, memo, lanes, *first, NULL, false);
    return memo;
}

/* Notes what lanes have read that others may change. */
static void look(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint64_t *addresses)
{
    const struct operand *to = &code->operands[0];
    uint64_t value = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        for (unsigned k = 0; k < (code->size + 3u) / 4; k++)
            value = value * UINT64_C(0x9e3779b97f4a7c15) +
                    row_at(warp, to->space, to->row + k * (to->high - to->row))[__builtin_ctz(left)];
    waits_read(warp, code, lanes, addresses[__builtin_ctz(lanes)], value);
}

/* Loads what is neither in order nor the same for all lanes, or what is watched. memo is NULL if the access was not
 * counted yet. The common cases are apart, since this has to save many registers. */
__attribute__((noinline)) static void load_scattered(struct warp *warp, const struct instruction *code, uint32_t lanes,
                                                     const struct memo *memo)
{
    uint64_t addresses[LANES];
    const unsigned char *places[LANES];
    global_addresses(warp, &code->operands[1], addresses);
    if (!memo)
        memo = visit_global(warp, code, lanes, addresses, false);
    memory_meet(warp, code, memo, lanes, addresses[__builtin_ctz(lanes)], addresses, false);
    EACH_LANE places[l] = device_bytes(addresses[l]);
    take(warp, code, lanes, places);
    if (code->flags[FLAG_STRONG])
        look(warp, code, lanes, addresses);
    else if (warp->block->races)
        races_load(warp, lanes, addresses, code->size);
}

static void load_global(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint64_t first;
    const struct memo *memo = visit_again(warp, code, &code->operands[1], lanes, &first);
    if (!memo || !(memo->in_order || memo->same) || code->size < 4 || code->flags[FLAG_STRONG] || warp->block->races) {
        load_scattered(warp, code, lanes, memo);
        return;
    }
    memory_meet(warp, code, memo, lanes, first, NULL, false);
    if (memo->in_order)
        take_in_order(warp, code, device_bytes(first));
    else
        take_one(warp, code, lanes, device_bytes(first));
}

__attribute__((noinline)) static void store_scattered(struct warp *warp, const struct instruction *code, uint32_t lanes,
                                                      const struct memo *memo)
{
    uint64_t addresses[LANES];
    unsigned char *places[LANES];
    global_addresses(warp, &code->operands[0], addresses);
    if (!memo)
        memo = visit_global(warp, code, lanes, addresses, true);
    memory_meet(warp, code, memo, lanes, addresses[__builtin_ctz(lanes)], addresses, true);
    if (code->flags[FLAG_STRONG])
        waits_written(warp);
    EACH_LANE places[l] = device_bytes(addresses[l]);
    const bool looks = warp->block->races && !code->flags[FLAG_STRONG];
    if (looks)
        races_before_store(warp, lanes, addresses, code->size);
    give(warp, code, 1, lanes, places);
    if (looks)
        races_store(warp, lanes, addresses, code->size);
}

static void store_global(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint64_t first;
    const struct memo *memo = visit_again(warp, code, &code->operands[0], lanes, &first);
    if (!memo || !memo->in_order || code->size < 4 || code->flags[FLAG_STRONG] || warp->block->races) {
        store_scattered(warp, code, lanes, memo);
        return;
    }
    memory_meet(warp, code, memo, lanes, first, NULL, true);
    give_in_order(warp, code, 1, device_bytes(first));
}

/* ---- Shared memory ---- */

static struct memo *visit_shared(struct warp *warp, const struct instruction *code, uint32_t lanes,
                                 const uint32_t *addresses, bool writes)
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
        (int64_t)first + memo->most + code->size > (int64_t)block->shared_size)
        shared_outside(block, lanes, addresses, code->size);
    if (!memo->aligned)
        shared_misaligned(block, lanes, addresses, code->size);
    shared_visit(warp, lanes, addresses, code->size, writes ? SHADOW_STORES : SHADOW_READS);
    if (block->tiles && writes)
        tiles_stored(warp, lanes, addresses, code->size, false);
    memo->times++;
    return memo;
}

static void load_shared(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES];
    own_addresses(warp, &code->operands[1], addresses);
    const struct memo *memo = visit_shared(warp, code, lanes, addresses, false);
    const unsigned char *shared = warp->block->shared;
    if (code->size >= 4 && memo->in_order) {
        take_in_order(warp, code, shared + addresses[0]);
        return;
    }
    const unsigned char *places[LANES];
    if (memo->same && code->size >= 4) {
        take_one(warp, code, lanes, shared + addresses[__builtin_ctz(lanes)]);
        return;
    }
    EACH_LANE places[l] = shared + addresses[l];
    take(warp, code, lanes, places);
}

static void store_shared(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES];
    own_addresses(warp, &code->operands[0], addresses);
    const struct memo *memo = visit_shared(warp, code, lanes, addresses, true);
    unsigned char *shared = warp->block->shared;
    if (code->size >= 4 && memo->in_order) {
        give_in_order(warp, code, 1, shared + addresses[0]);
    } else {
        unsigned char *places[LANES];
        EACH_LANE places[l] = shared + addresses[l];
        give(warp, code, 1, lanes, places);
    }
    if (warp->block->shadow)
        shadow_stored(warp);
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

static void visit_local(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses)
{
    local_check(warp->block, lanes, addresses, code->size);
    count_local(warp, code, local_sectors(lanes, addresses, code->size));
}

static void load_local(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES];
    narrow_addresses(warp, &code->operands[1], addresses);
    const unsigned char *rows = local_rows(warp, code, lanes, addresses);
    if (rows) {
        const uint32_t step = code->operands[0].high - code->operands[0].row;
        count_local(warp, code, sectors_of_rows(lanes, code->size));
        for (unsigned k = 0; k < code->size / 4u; k++) {
            uint32_t word[LANES];
            memcpy(word, rows + (size_t)k * ROW_BYTES, ROW_BYTES);
            WRITE_LANES(row_at(warp, SPACE_WARP, code->operands[0].row + k * step), lanes, word[l]);
        }
        return;
    }
    visit_local(warp, code, lanes, addresses);
    unsigned char bytes[LANES][16];
    const unsigned char *places[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        places[l] = bytes[l];
        if (lanes >> l & 1)
            local_move(warp, l, addresses[l], bytes[l], code->size, false);
    }
    take(warp, code, lanes, places);
}

static void store_local(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES];
    narrow_addresses(warp, &code->operands[0], addresses);
    unsigned char *rows = local_rows(warp, code, lanes, addresses);
    if (rows) {
        const struct operand *from = &code->operands[1];
        const uint32_t step = from->high - from->row;
        count_local(warp, code, sectors_of_rows(lanes, code->size));
        for (unsigned k = 0; k < code->size / 4u; k++) {
            const uint32_t *word = row_at(warp, from->space, from->row + k * step);
            uint32_t kept[LANES];
            memcpy(kept, rows + (size_t)k * ROW_BYTES, ROW_BYTES);
            WRITE_LANES(kept, lanes, word[l]);
            memcpy(rows + (size_t)k * ROW_BYTES, kept, ROW_BYTES);
        }
        return;
    }
    visit_local(warp, code, lanes, addresses);
    unsigned char bytes[LANES][16], *places[LANES];
    for (unsigned l = 0; l < LANES; l++)
        places[l] = bytes[l];
    give(warp, code, 1, lanes, places);
    for (unsigned l = 0; l < LANES; l++)
        if (lanes >> l & 1)
            local_move(warp, l, addresses[l], bytes[l], code->size, true);
}

/* ---- Generic addresses: lanes of each kind in turn ---- */

static void split_generic(struct warp *warp, const struct instruction *code, uint32_t lanes, bool writes)
{
    const unsigned data = writes ? 1 : 0;
    uint64_t addresses[LANES];
    global_addresses(warp, &code->operands[!writes], addresses);
    uint32_t shared = 0, local = 0, others = 0, narrow[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t window = addresses[l] & ~(uint64_t)UINT32_MAX;
        const uint32_t bit = 1u << l;
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
    unsigned char *places[LANES], bytes[LANES][16];
    const uint32_t global = lanes & ~shared & ~local & ~others;
    if (global) {
        const struct memo *memo = visit_global(warp, code, global, addresses, writes);
        memory_meet(warp, code, memo, global, addresses[__builtin_ctz(global)], addresses, writes);
        EACH_LANE places[l] = device_bytes(addresses[l]);
        if (writes)
            give(warp, code, data, global, places);
        else
            take(warp, code, global, (const unsigned char *const *)places);
        if (code->flags[FLAG_STRONG] && writes)
            waits_written(warp);
        else if (code->flags[FLAG_STRONG])
            look(warp, code, global, addresses);
    }
    if (shared & lanes) {
        visit_shared(warp, code, shared & lanes, narrow, writes);
        EACH_LANE places[l] = warp->block->shared + narrow[l];
        if (writes)
            give(warp, code, data, shared & lanes, places);
        else
            take(warp, code, shared & lanes, (const unsigned char *const *)places);
        if (warp->block->shadow && writes)
            shadow_stored(warp);
        if (code->flags[FLAG_STRONG] && writes)
            waits_written(warp);
        else if (code->flags[FLAG_STRONG])
            look(warp, code, shared & lanes, addresses);
    }
    if (others & lanes) {
        cluster_places(warp, code, others & lanes, narrow, code->size, writes, places);
        if (writes)
            give(warp, code, data, others & lanes, places);
        else
            take(warp, code, others & lanes, (const unsigned char *const *)places);
    }
    if (local & lanes) {
        visit_local(warp, code, local & lanes, narrow);
        for (unsigned l = 0; l < LANES; l++) {
            places[l] = bytes[l];
            if (!writes && (local & lanes) >> l & 1)
                local_move(warp, l, narrow[l], bytes[l], code->size, false);
        }
        if (!writes) {
            take(warp, code, local & lanes, (const unsigned char *const *)places);
            return;
        }
        give(warp, code, data, local & lanes, places);
        for (unsigned l = 0; l < LANES; l++)
            if ((local & lanes) >> l & 1)
                local_move(warp, l, narrow[l], bytes[l], code->size, true);
    }
}

static void load_generic(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    split_generic(warp, code, lanes, false);
}

static void store_generic(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    split_generic(warp, code, lanes, true);
}

/* ---- Preparation ---- */

static bool prepare_load(struct instruction *code)
{
    /* With ".128" to RZ, the rows behind the sink are sinks as well. */
    return prepare_size(code) && code->operand_count == 2 && code->operands[1].kind == OPERAND_ADDRESS;
}

/* Prepares a store. A source that is RZ is zeros, however wide. */
static bool prepare_store(struct instruction *code)
{
    return prepare_size(code) && code->operand_count == 2 && code->operands[0].kind == OPERAND_ADDRESS &&
           code->operands[1].kind == OPERAND_ROW;
}

/* clang-format off */
#define WIDTHS "E U8 S8 U16 S16 64 128"
#define HINTS " CONSTANT STRONG WEAK GPU SYS SM CTA EF EL LU EU NA PRIVATE"
const struct opcode TABLE(lanes_memory)[] = {
    {"LDG",    load_global,   CONTROL_NEXT, prepare_load,  "d", WIDTHS HINTS " LTC64B LTC128B LTC256B"},
    {"STG",    store_global,  CONTROL_NEXT, prepare_store, "",  WIDTHS HINTS},
    {"LDS",    load_shared,   CONTROL_NEXT, prepare_load,  "d", WIDTHS},
    {"STS",    store_shared,  CONTROL_NEXT, prepare_store, "",  WIDTHS},
    {"LDL",    load_local,    CONTROL_NEXT, prepare_load,  "d", WIDTHS " LU"},
    {"STL",    store_local,   CONTROL_NEXT, prepare_store, "",  WIDTHS},
    {"LD",     load_generic,  CONTROL_NEXT, prepare_load,  "d", WIDTHS HINTS},
    {"ST",     store_generic, CONTROL_NEXT, prepare_store, "",  WIDTHS HINTS},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
