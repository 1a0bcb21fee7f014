/* Loads and stores. The cost of an access (counting.h) depends on its lanes, on how far their addresses are from the
 * first lane's, and on where that address is in its sector. So the cost is remembered for each instruction with these
 * three, and most accesses are only compared with them. */
#include "lanes.h"

#include "cluster.h"
#include "counting.h"
#include "device_memory.h"
#include "meetings.h"
#include "memory.h"
#include "races.h"
#include "waits.h"
#include "warpgroup.h"

enum { FLAG_SIGNED, FLAG_GENERIC, FLAG_STRONG, FLAG_BYPASS, FLAG_FILLS };

/* ---- Addresses ---- */

static void global_addresses(struct warp *warp, const struct operand *operand, uint64_t *addresses)
{
    const uint32_t *low = row_at(warp, SPACE_WARP, operand->row), *high = row_at(warp, SPACE_WARP, operand->high);
    uint64_t base = (uint64_t)operand->value;
    if (operand->based) {
        const uint32_t *u = row_at(warp, SPACE_WARP, operand->base), *uh = row_at(warp, SPACE_WARP, operand->base_high);
        base += operand->uniform ? wide(u[0], uh[0]) : u[0];
    }
    const uint32_t keep = operand->wide ? ALL_LANES : 0;
    EACH_LANE addresses[l] = wide(low[l], high[l] & keep) + base;
}

static void narrow_addresses(struct warp *warp, const struct operand *operand, uint32_t *addresses)
{
    const uint32_t *low = row_at(warp, SPACE_WARP, operand->row);
    uint32_t base = (uint32_t)operand->value;
    const uint32_t scale = operand->scale;
    if (operand->based)
        base += row_at(warp, SPACE_WARP, operand->base)[0];
    EACH_LANE addresses[l] = low[l] * scale + base;
}

/* Returns in place of addresses of shared memory their offsets in the block's own. */
static void own_addresses(struct warp *warp, const struct operand *operand, uint32_t *addresses)
{
    narrow_addresses(warp, operand, addresses);
    const uint32_t own = warp->block->rank << RANK_SHIFT;
    if (own)
        EACH_LANE addresses[l] -= own;
}

/* ---- What is remembered ---- */

/* Returns whether the rows of an address are, for these lanes, as far from the first lane's as the last time. Upper
 * words have to be the same, and lower ones may not wrap around. An offset that is added to all lanes does not matter.
 */
static bool same_shape(const struct memo *memo, uint32_t lanes, const uint32_t *low, const uint32_t *high,
                       unsigned first)
{
    const uint32_t *apart = memo->apart, from = low[first], above = high[first];
    uint32_t differs[LANES] __attribute__((aligned(64)));
    if (memo->lanes != lanes || memo->shared || !memo->near || from + memo->least < 0 || from + memo->most > UINT32_MAX)
        return false;
    EACH_LANE differs[l] = ((low[l] - from) ^ apart[l]) | (high[l] ^ above);
    return (lanes_not_zero(differs) & lanes) == 0;
}

static bool same_narrow_shape(const struct memo *memo, uint32_t lanes, const uint32_t *addresses, unsigned first)
{
    const uint32_t *apart = memo->apart, from = addresses[first];
    uint32_t differs[LANES] __attribute__((aligned(64)));
    if (memo->lanes != lanes || !memo->shared || memo->low != (from & MEMO_LOW_SHARED))
        return false;
    EACH_LANE differs[l] = (addresses[l] - from) ^ apart[l];
    return (lanes_not_zero(differs) & lanes) == 0;
}

/* ---- Rows to and from memory ---- */

/* Loads and stores of all lanes, each next to the one before. A row of memory is one of registers for 4 bytes. Else the
 * words of a lane are neighbours in memory, and in different rows of registers. */
enum { ROWS_OF_16 = 4 };

static void take_in_order(struct warp *warp, const struct instruction *code, const unsigned char *place)
{
    const struct operand *to = &code->operands[0];
    const uint32_t step = to->high - to->row;
    uint32_t words[LANES * ROWS_OF_16];
    uint32_t *rows[ROWS_OF_16];
    if (code->size == 4) {
        memcpy(row_at(warp, SPACE_WARP, to->row), place, ROW_BYTES);
        return;
    }
    for (unsigned k = 0; k < ROWS_OF_16; k++)
        rows[k] = row_at(warp, SPACE_WARP, to->row + (k < code->size / 4u ? k : 0) * step);
    if (code->size == 8) {
        memcpy(words, place, (size_t)2 * ROW_BYTES);
        EACH_LANE rows[0][l] = words[2L * l];
        EACH_LANE rows[1][l] = words[2L * l + 1];
        return;
    }
    memcpy(words, place, sizeof words);
    for (int k = 0; k < ROWS_OF_16; k++) {
        uint32_t *row = rows[k];
        EACH_LANE row[l] = words[ROWS_OF_16 * l + k];
    }
}

static void give_in_order(struct warp *warp, const struct instruction *code, unsigned n, unsigned char *place)
{
    const struct operand *from = &code->operands[n];
    const uint32_t step = from->high - from->row;
    uint32_t words[LANES * ROWS_OF_16];
    const int each = code->size / 4;
    if (each == 1) {
        memcpy(place, row_at(warp, from->space, from->row), ROW_BYTES);
        return;
    }
    for (int k = 0; k < each; k++) {
        const uint32_t *row = row_at(warp, from->space, from->row + (uint32_t)k * step);
        if (each == 2)
            EACH_LANE words[2 * l + k] = row[l];
        else
            EACH_LANE words[ROWS_OF_16 * l + k] = row[l];
    }
    memcpy(place, words, (size_t)each * ROW_BYTES);
}

/* Copies what all lanes have at their places, 4, 8 or 16 bytes each, so that it is in order. */
static void collect(unsigned char *together, const unsigned char *const *places, unsigned size)
{
    for (unsigned l = 0; l < LANES && size == 4; l++)
        memcpy(together + 4 * (size_t)l, places[l], 4);
    for (unsigned l = 0; l < LANES && size == 8; l++)
        memcpy(together + 8 * (size_t)l, places[l], 8);
    for (unsigned l = 0; l < LANES && size == 16; l++)
        memcpy(together + 16 * (size_t)l, places[l], 16);
}

/* Copies it back. */
static void distribute(unsigned char *const *places, const unsigned char *together, unsigned size)
{
    for (unsigned l = 0; l < LANES && size == 4; l++)
        memcpy(places[l], together + 4 * (size_t)l, 4);
    for (unsigned l = 0; l < LANES && size == 8; l++)
        memcpy(places[l], together + 8 * (size_t)l, 8);
    for (unsigned l = 0; l < LANES && size == 16; l++)
        memcpy(places[l], together + 16 * (size_t)l, 16);
}

static void take(struct warp *warp, const struct instruction *code, uint32_t lanes, const unsigned char *const *places)
{
    const struct operand *to = &code->operands[0];
    const uint32_t step = to->high - to->row;
    uint32_t *row = row_at(warp, SPACE_WARP, to->row);
    unsigned char together[LANES * 16];
    if (lanes == ALL_LANES && code->size >= 4) {
        collect(together, places, code->size);
        take_in_order(warp, code, together);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        uint32_t words[4] = {0};
        switch (code->size) {
        case 4:
            memcpy(&row[l], places[l], 4);
            break;
        case 8:
            memcpy(words, places[l], 8);
            row[l] = words[0];
            row_at(warp, SPACE_WARP, to->high)[l] = words[1];
            break;
        case 16:
            memcpy(words, places[l], 16);
            for (unsigned k = 0; k < 4; k++)
                row_at(warp, SPACE_WARP, to->row + k * step)[l] = words[k];
            break;
        default:
            memcpy(words, places[l], code->size);
            if (code->flags[FLAG_SIGNED])
                words[0] = code->size == 1 ? (uint32_t)(int32_t)(int8_t)words[0] : (uint32_t)(int32_t)(int16_t)words[0];
            row[l] = words[0];
        }
    }
}

/* Loads the same place for all lanes, as most reads of a tile do. */
static void take_one(struct warp *warp, const struct instruction *code, uint32_t lanes, const unsigned char *place)
{
    const struct operand *first = &code->operands[0];
    const uint32_t step = first->high - first->row;
    uint32_t words[4];
    memcpy(words, place, code->size);
    for (unsigned k = 0; k < code->size / 4u; k++) {
        const uint32_t word = words[k];
        WRITE_LANES(row_at(warp, SPACE_WARP, first->row + k * step), lanes, word);
    }
}

static void give(struct warp *warp, const struct instruction *code, unsigned n, uint32_t lanes,
                 unsigned char *const *places)
{
    const struct operand *from = &code->operands[n];
    const uint32_t step = from->high - from->row;
    const uint32_t *row = row_at(warp, from->space, from->row);
    unsigned char together[LANES * 16];
    if (lanes == ALL_LANES && code->size >= 4) {
        give_in_order(warp, code, n, together);
        distribute(places, together, code->size);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        uint32_t words[4];
        if (code->size <= 4) {
            memcpy(places[l], &row[l], code->size);
            continue;
        }
        for (unsigned k = 0; k < code->size / 4u; k++)
            words[k] = row_at(warp, from->space, from->row + k * step)[l];
        memcpy(places[l], words, code->size);
    }
}

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

/* ---- Asynchronous copies: [shared], [global] [, which lanes copy; the others write zeros] ---- */

/* Returns the cost of a copy, which is remembered as for loads. */
static const struct copy_counts *count_again(struct memo *memo, const struct instruction *code, uint32_t copies,
                                             const uint64_t *from, const uint32_t *to)
{
    struct copy_shape *shape = memo->copy;
    const unsigned first = (unsigned)__builtin_ctz(copies);
    const uint64_t from_first = from[first];
    const uint32_t to_first = to[first];
    uint64_t differs = 0;
    if (shape && shape->copies == copies && shape->low_from == (from_first & MEMO_LOW) &&
        shape->low_to == (to_first & MEMO_LOW)) {
        EACH_LANE differs |= (((from[l] - from_first) ^ shape->from[l]) | ((to[l] - to_first) ^ shape->to[l])) &
                             (0 - (uint64_t)(copies >> l & 1));
        if (differs == 0)
            return &shape->counts;
    }
    if (!shape)
        shape = memo->copy = x_calloc(1, sizeof *shape);
    shape->copies = copies;
    shape->low_from = (uint32_t)(from_first & MEMO_LOW);
    shape->low_to = to_first & MEMO_LOW;
    EACH_LANE shape->from[l] = from[l] - from_first;
    EACH_LANE shape->to[l] = to[l] - to_first;
    shape->counts = count_copy(copies, from, to, code->size, code->flags[FLAG_BYPASS]);
    return &shape->counts;
}

static void copy_async(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    uint32_t to[LANES];
    uint64_t from[LANES];
    own_addresses(warp, &code->operands[0], to);
    global_addresses(warp, &code->operands[1], from);
    uint32_t copies = lanes, zeros[LANES] = {0};
    if (code->operand_count > 2)
        copies &= predicate(warp, &code->operands[2]);
    /* .ZFILL: the lowest bits of the source's address say how many bytes are zeros in its place. */
    for (unsigned l = 0; l < LANES && code->flags[FLAG_FILLS]; l++) {
        zeros[l] = (uint32_t)from[l] % code->size;
        from[l] -= zeros[l];
    }
    struct memo memo = {0};
    struct tally *tally = &block->tallies[code->index];
    if (copies) {
        memo_global(&memo, NULL, copies, from, code->size);
        memory_check(block, &memo, copies, from, code->size, false);
        if (!memo.aligned)
            memory_misaligned(block, copies, from, code->size);
        memory_meet(warp, code, &memo, copies, from[__builtin_ctz(copies)], from, false);
        if (block->counts) {
            const struct copy_counts *counts = count_again(&block->memos[code->index], code, copies, from, to);
            tally->sectors += counts->lines.touched;
            tally->ideal_sectors += counts->lines.ideal;
            tally->unit_sectors += counts->unit;
            tally->wavefronts += counts->wavefronts.passes;
            tally->ideal_wavefronts += counts->wavefronts.ideal;
            tally->loose_wavefronts += counts->wavefronts.margin;
            tally->loose_sectors += counts->margin;
        }
    }
    tally->accesses++;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (to[l] < block->reserved || (uint64_t)to[l] + code->size > block->shared_size)
            shared_outside(block, lanes, to, code->size);
        if (to[l] % code->size)
            shared_misaligned(block, lanes, to, code->size);
    }
    shared_visit(warp, lanes, to, code->size, SHADOW_WRITES);
    if (block->tiles)
        tiles_stored(warp, lanes, to, code->size, true);
    for (unsigned l = 0; l < LANES; l++) {
        if (copies >> l & 1)
            memcpy(block->shared + to[l], device_bytes(from[l]), code->size - zeros[l]);
        else if (lanes >> l & 1)
            zeros[l] = code->size;
        if (lanes >> l & 1)
            memset(block->shared + to[l] + code->size - zeros[l], 0, zeros[l]);
    }
}

/* ---- Preparation ---- */

static bool prepare_size(struct instruction *code)
{
    static const struct {
        const char *name;
        unsigned char size, is_signed;
    } sizes[] = {{"U8", 1, 0}, {"S8", 1, 1}, {"U16", 2, 0}, {"S16", 2, 1}, {"64", 8, 0}, {"128", 16, 0}};
    code->size = 4;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (has_modifier(code, sizes[i].name)) {
            code->size = sizes[i].size;
            code->flags[FLAG_SIGNED] = sizes[i].is_signed;
        }
    code->flags[FLAG_STRONG] = IS(STRONG);
    code->flags[FLAG_BYPASS] = IS(BYPASS);
    code->flags[FLAG_FILLS] = has_modifier(code, "ZFILL");
    return true;
}

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

static bool prepare_copy(struct instruction *code)
{
    const unsigned n = code->operand_count;
    return prepare_size(code) && (n == 2 || (n == 3 && code->operands[2].kind == OPERAND_PREDICATE)) &&
           code->operands[0].kind == OPERAND_ADDRESS && code->operands[1].kind == OPERAND_ADDRESS;
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
    {"LDGSTS", copy_async,    CONTROL_NEXT, prepare_copy,  "",  "E 64 128 BYPASS ZFILL LTC64B LTC128B LTC256B"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
