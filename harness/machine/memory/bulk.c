/* Copies that Hopper makes by itself: of consecutive bytes (UBLK*), and of tiles that a tensor map describes (UTMA*).
 * On an H100 none of them counts as an access to memory. Each is done at once; copies to shared memory arrive at a
 * barrier there. */

#include "changes.h"
#include "memo.h"

#include "machine/tile/tile.h"

enum { NO_NUMBER = 255, TENSOR_BF16 = 9, TENSOR_TF32 = 11 }; /* in FLAG_NUMBER: what is there is overwritten */
enum { COPY_UNIT = 16, TILE_UNIT = 128, UNIT_BITS = 16 };
enum { FLAG_KIND, FLAG_NUMBER, FLAG_RANK, FLAG_COLUMNS, FLAG_MULTICAST };

/* The word of the k-th uniform register from the one that an address names. */
static uint32_t word_of(const struct warp *warp, const struct operand *operand, unsigned k)
{
    return row_at(warp, SPACE_WARP, operand->base + k * ROW_BYTES)[0];
}

static uint64_t wide_of(const struct warp *warp, const struct operand *operand)
{
    return word_of(warp, operand, 0) | (uint64_t)word_of(warp, operand, 1) << 32;
}

/* ---- Memory ---- */

/* Checks bytes of global memory, and tells of the access. What is written has to be told of once more: watch_done(). */
static unsigned char *global_bytes(struct warp *warp, const struct instruction *code, uint64_t address, uint64_t bytes,
                                   struct access *written)
{
    struct block *block = warp->block;
    struct allocation found;
    if (!device_find(block->machine, address, &found) || found.end - address < bytes) {
        struct memo memo = {0};
        const uint64_t addresses[LANES] = {address};
        memory_inside(block, &memo, &block->tallies[code->index], 1, addresses, (unsigned)bytes, written != NULL,
                      false);
    }
    block->tallies[code->index].home_bytes[device_home(block->machine, address, &found)] += bytes;
    const struct access access = {warp,    code,  NULL,         written ? ACCESS_GOES : ACCESS_COMES,         1,
                                  address, bytes, .same = true, .more = code->flags[FLAG_NUMBER] != NO_NUMBER};
    watch(&access);
    if (written)
        *written = access;
    else
        watch_done(&access);
    if (block->recorded)
        record_bulk_bytes(warp, address, bytes);
    return device_bytes(block->machine, address);
}

/* Counts the sectors of a copy. Those of a tile are of all of it, wherever it is. */
static void count_bytes(struct warp *warp, const struct instruction *code, uint64_t bytes)
{
    warp->block->tallies[code->index].past_l1 += (bytes + 31) / 32;
}

/* Changes numbers of global memory, which blocks on other threads may change as well. */
static void change_shared_numbers(const struct instruction *code, unsigned char *to, const unsigned char *values,
                                  uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += code->size) {
        uint64_t value = 0;
        memcpy(&value, values + at, code->size);
        change_at_once(code->flags[FLAG_KIND], code->flags[FLAG_NUMBER], code->size, to + at, value, 0);
    }
}

/* A block that gets a copy, and where. */
struct target {
    struct block *block;
    unsigned char *bytes;
    uint32_t offset, barrier; /* of both, the barrier with the block's rank above */
};

/* Sets the targets of a copy: the block that the address is in, or with multicast all blocks of the mask, at the same
 * offset. Returns how many there are. */
static unsigned find_targets(struct block *block, uint32_t address, uint32_t barrier, uint32_t bytes, bool multicast,
                             unsigned mask, struct target *targets)
{
    unsigned count = 0;
    mask = multicast ? mask : 1u << (address >> RANK_SHIFT & 31);
    for (unsigned rank = 0; rank < 32; rank++) {
        if (!(mask >> rank & 1))
            continue;
        const uint32_t there = multicast ? (address & OFFSET_MASK) | rank << RANK_SHIFT : address;
        targets[count++] = (struct target){
            .block = cluster_block(block, there, bytes),
            .bytes = cluster_bytes(block, there, bytes),
            .offset = there & OFFSET_MASK,
            .barrier = multicast ? (barrier & OFFSET_MASK) | rank << RANK_SHIFT : barrier,
        };
    }
    return count;
}

/* Tells that a copy has come to shared memory, where it is spread over `extent` bytes. */
static void has_come(struct warp *warp, const struct target *target, uint32_t extent, uint32_t bytes)
{
    struct block *block = warp->block, *there = target->block;
    watch_bytes(warp, block->now, there, ACCESS_COMES, target->offset, extent, target->barrier);
    there->copies_arrive = true;
    mbarrier_bytes_come(block, target->barrier, bytes);
}

static void check_unit(struct block *block, const char *what, uint64_t address, unsigned unit)
{
    if (address % unit)
        block_fault_of(block, FAULT_MISALIGNED, "%s of a bulk copy begins at 0x%llx, which is not a multiple of %u",
                       what, (unsigned long long)address, unit);
}

/* ---- Consecutive bytes ---- */

/* An operand has the size in units of 16 bytes, and above it the blocks of a multicast. */
static uint32_t size_of(const struct warp *warp, const struct operand *operand, unsigned *mask)
{
    const uint32_t word = row_at(warp, operand->space, operand->row)[0];
    *mask = word >> UNIT_BITS;
    return (word & ((1u << UNIT_BITS) - 1)) * COPY_UNIT;
}

/* Operands [destination, followed by the barrier], [source in global memory], size. */
static void copy_in(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    const struct operand *to = &code->operands[0];
    struct target targets[32];
    unsigned mask;
    const uint32_t bytes = size_of(warp, &code->operands[2], &mask);
    const uint64_t from = wide_of(warp, &code->operands[1]);
    (void)lanes;
    if (bytes == 0)
        return;
    check_unit(block, "the source", from, COPY_UNIT);
    check_unit(block, "the destination", word_of(warp, to, 0), COPY_UNIT);
    record_bulk(warp, false, word_of(warp, to, 1), bytes);
    const unsigned char *source = global_bytes(warp, code, from, bytes, NULL);
    count_bytes(warp, code, bytes);
    const unsigned count = find_targets(block, word_of(warp, to, 0), word_of(warp, to, 1), bytes,
                                        code->flags[FLAG_MULTICAST], mask, targets);
    for (unsigned i = 0; i < count; i++) {
        memcpy(targets[i].bytes, source, bytes);
        has_come(warp, &targets[i], bytes, bytes);
    }
}

/* Operands [destination, followed by the barrier], [source in this block], size: to another block, or this one. */
static void copy_between(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    struct target target;
    unsigned mask;
    const uint32_t bytes = size_of(warp, &code->operands[2], &mask), from = word_of(warp, &code->operands[1], 0),
                   to = word_of(warp, &code->operands[0], 0);
    (void)lanes;
    if (bytes == 0)
        return;
    check_unit(block, "the source", from, COPY_UNIT);
    check_unit(block, "the destination", to, COPY_UNIT);
    const unsigned char *source = cluster_bytes(block, from, bytes);
    watch_bytes(warp, code, block, ACCESS_GOES, from & OFFSET_MASK, bytes, false);
    find_targets(block, to, word_of(warp, &code->operands[0], 1), bytes, false, 0, &target);
    if (code->flags[FLAG_NUMBER] == NO_NUMBER)
        memmove(target.bytes, source, bytes);
    else
        change_bytes(code->flags[FLAG_KIND], code->flags[FLAG_NUMBER], code->size, target.bytes, source, bytes);
    has_come(warp, &target, bytes, bytes);
}

/* Operands [destination in global memory], [source in this block], size. */
static void copy_out(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    unsigned mask;
    const uint32_t bytes = size_of(warp, &code->operands[2], &mask), from = word_of(warp, &code->operands[1], 0);
    const uint64_t to = wide_of(warp, &code->operands[0]);
    (void)lanes;
    if (bytes == 0)
        return;
    check_unit(block, "the source", from, COPY_UNIT);
    check_unit(block, "the destination", to, COPY_UNIT);
    const unsigned char *source = cluster_bytes(block, from, bytes);
    watch_bytes(warp, code, block, ACCESS_GOES, from & OFFSET_MASK, bytes, true);
    record_bulk(warp, true, 0, bytes);
    struct access written;
    unsigned char *place = global_bytes(warp, code, to, bytes, &written);
    count_bytes(warp, code, bytes);
    if (code->flags[FLAG_NUMBER] == NO_NUMBER)
        memcpy(place, source, bytes);
    else
        change_shared_numbers(code, place, source, bytes);
    watch_done(&written);
}

/* Operands [source in global memory], size: to the L2, for which nothing waits. */
static void prefetch(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    unsigned mask;
    const uint32_t bytes = size_of(warp, &code->operands[1], &mask);
    (void)lanes;
    record_bulk(warp, false, UINT32_MAX, 0); /* no barrier */
    count_bytes(warp, code, bytes);
    record_bulk_bytes(warp, wide_of(warp, &code->operands[0]), bytes);
}

/* ---- Tiles ---- */

/* A copy of a tile. */
struct tile_copy {
    struct warp *warp;
    const struct instruction *code;
    struct tensor_map map;
    struct tile_place place;
    struct target targets[32];
    unsigned target_count;
    const unsigned char *shared; /* of a store: the block's, and where its tile begins */
    uint32_t from;
};

/* Reads the map, and the place of a tile from the registers behind the first `skip`. im2col has offsets in `packed`. */
static void read_tile(struct tile_copy *copy, struct warp *warp, const struct instruction *code, unsigned skip,
                      uint32_t packed)
{
    struct block *block = warp->block;
    const unsigned rank = code->flags[FLAG_RANK];
    const uint64_t address = wide_of(warp, &code->operands[1]);
    *copy = (struct tile_copy){.warp = warp, .code = code};
    check_unit(block, "the tensor map", address, 64);
    if (!tensor_map_decode(global_bytes(warp, code, address, TENSOR_MAP_READ, NULL), &copy->map))
        block_fault(block, "no tensor map at 0x%llx", (unsigned long long)address);
    const struct tensor_map *map = &copy->map;
    if (map->rank != rank || map->columns != (code->flags[FLAG_COLUMNS] != 0))
        block_fault(block, "%s with a tensor map of rank %u%s", code->opcode, map->rank,
                    map->columns ? ", im2col" : "");
    if (map->interleave)
        block_not_simulated(block, "%s of an interleaved tensor", code->opcode);
    for (unsigned i = 0; i < rank; i++)
        copy->place.at[i] = (int32_t)word_of(warp, &code->operands[0], skip + i);
    const unsigned bits = rank == 3 ? 16 : rank == 4 ? 8 : 5;
    for (unsigned i = 0; i + 2 < rank; i++)
        copy->place.offsets[i] = (int)(packed >> i * bits & ((1u << bits) - 1));
    const int64_t first = (int64_t)copy->place.at[0] * tensor_element_bytes(map->type);
    if (first % COPY_UNIT) /* to an H200 it is an illegal instruction, with and without swizzle */
        block_fault(block, "a tile begins %lld bytes into the tensor in dimension 0, which is not a multiple of %u",
                    (long long)first, COPY_UNIT);
}

/* Rounds numbers to TF32, in the middle between two to the even one, as an H200 did. How it rounds NaNs was not seen.
 */
static void round_words(struct tile_copy *copy, unsigned char *bytes, unsigned count)
{
    enum { LOST = 0x2000, EXPONENT = 0x7f800000 };
    for (unsigned at = 0; at < count; at += 4) {
        uint32_t word;
        memcpy(&word, bytes + at, sizeof word);
        if ((word & EXPONENT) == EXPONENT)
            block_not_simulated(copy->warp->block, "%s that rounds 0x%08x to TF32", copy->code->opcode, word);
        word = (word + LOST / 2 - 1 + (word / LOST & 1)) & ~(uint32_t)(LOST - 1);
        memcpy(bytes + at, &word, sizeof word);
    }
}

static void load_part(void *context, const struct tile_part *part)
{
    struct tile_copy *copy = context;
    unsigned char bytes[COPY_UNIT];
    tile_fill(&copy->map, bytes, part->bytes);
    if (part->inside)
        memcpy(bytes + part->before, global_bytes(copy->warp, copy->code, part->address, part->inside, NULL),
               part->inside);
    if (part->inside && copy->map.type >= TENSOR_TF32)
        round_words(copy, bytes + part->before, part->inside);
    for (unsigned i = 0; i < copy->target_count; i++) {
        const uint32_t at = copy->targets[i].offset + part->offset;
        memcpy(copy->targets[i].block->shared + tile_swizzled(copy->map.swizzle, at), bytes, part->bytes);
    }
}

/* Operands [destination, barrier and place], [map] [, blocks of a multicast and offsets]. */
static void tile_in(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    struct tile_copy copy;
    const struct operand *more =
        code->operand_count > 2 && code->operands[2].kind == OPERAND_ROW ? &code->operands[2] : NULL;
    const uint32_t packed = more ? row_at(warp, more->space, more->row)[0] : 0,
                   to = word_of(warp, &code->operands[0], 0);
    (void)lanes;
    read_tile(&copy, warp, code, 2, packed & 0xffff);
    check_unit(block, "the tile in shared memory", to & OFFSET_MASK, TILE_UNIT);
    copy.target_count = find_targets(block, to, word_of(warp, &code->operands[0], 1), tile_extent(&copy.map),
                                     code->flags[FLAG_MULTICAST], packed >> UNIT_BITS, copy.targets);
    count_bytes(warp, code, tile_bytes(&copy.map));
    record_bulk(warp, false, word_of(warp, &code->operands[0], 1), tile_bytes(&copy.map));
    tile_visit(&copy.map, &copy.place, load_part, &copy);
    for (unsigned i = 0; i < copy.target_count; i++)
        has_come(warp, &copy.targets[i], tile_extent(&copy.map), tile_bytes(&copy.map));
}

static void store_part(void *context, const struct tile_part *part)
{
    struct tile_copy *copy = context;
    if (!part->inside)
        return;
    const unsigned char *from =
        copy->shared + tile_swizzled(copy->map.swizzle, copy->from + part->offset) + part->before;
    struct access written;
    unsigned char *to = global_bytes(copy->warp, copy->code, part->address, part->inside, &written);
    if (copy->code->flags[FLAG_NUMBER] == NO_NUMBER)
        memcpy(to, from, part->inside);
    else
        change_shared_numbers(copy->code, to, from, part->inside);
    watch_done(&written);
}

static void store_tile(struct warp *warp, const struct instruction *code, struct tile_copy *copy)
{
    struct block *block = warp->block;
    const uint32_t from = word_of(warp, &code->operands[0], 0);
    check_unit(block, "the tile in shared memory", from & OFFSET_MASK, TILE_UNIT);
    for (unsigned i = 0; i < copy->map.rank; i++)
        if (copy->place.at[i] < 0)
            block_fault(block, "%s of a tile that begins at coordinate %d: a store may not begin before the tensor",
                        code->opcode, copy->place.at[i]);
    if (copy->map.type > TENSOR_BF16)
        block_not_simulated(block, "%s of elements that are rounded or flushed", code->opcode);
    copy->shared = cluster_block(block, from, tile_extent(&copy->map))->shared;
    copy->from = from & OFFSET_MASK;
    watch_bytes(warp, code, block, ACCESS_GOES, copy->from, tile_extent(&copy->map), true);
    count_bytes(warp, code, tile_bytes(&copy->map));
    record_bulk(warp, true, 0, tile_bytes(&copy->map));
    tile_visit(&copy->map, &copy->place, store_part, copy);
}

/* Operands [source and place], [map]. */
static void tile_out(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct tile_copy copy;
    (void)lanes;
    read_tile(&copy, warp, code, 1, 0);
    store_tile(warp, code, &copy);
}

/* The numbers are of the type that the map says. Which operations a type has was learnt from an H200. */
static void tile_change(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    enum {
        ADD = 1 << ATOMIC_ADD,
        ORDER = 1 << ATOMIC_MIN | 1 << ATOMIC_MAX,
        BITS = 1 << ATOMIC_AND | 1 << ATOMIC_OR | 1 << ATOMIC_XOR,
        STEPS = 1 << ATOMIC_INC | 1 << ATOMIC_DEC
    };
    static const struct {
        unsigned char number;
        unsigned operations;
    } types[] = {[2] = {NUMBER_UNSIGNED, ADD | ORDER | BITS | STEPS},
                 [3] = {NUMBER_SIGNED, ADD | ORDER | BITS},
                 [4] = {NUMBER_UNSIGNED, ADD | ORDER | BITS},
                 [5] = {NUMBER_SIGNED, ORDER},
                 [6] = {NUMBER_HALVES, ADD | ORDER},
                 [7] = {NUMBER_FLOAT, ADD},
                 [8] = {NUMBER_DOUBLE, ADD},
                 [TENSOR_BF16] = {NUMBER_BF16S, ADD | ORDER}};
    struct tile_copy copy;
    struct instruction typed = *code;
    (void)lanes;
    read_tile(&copy, warp, code, 1, 0);
    if (copy.map.type <= TENSOR_BF16 && !(types[copy.map.type].operations >> code->flags[FLAG_KIND] & 1))
        block_fault(warp->block, "%s of elements without this operation", code->opcode);
    typed.flags[FLAG_NUMBER] = copy.map.type <= TENSOR_BF16 ? types[copy.map.type].number : NO_NUMBER;
    typed.size = (unsigned char)tensor_element_bytes(copy.map.type);
    copy.code = &typed;
    store_tile(warp, code, &copy);
}

/* ---- Stores that arrive at a barrier: [address and barrier], value ---- */

/* The value of an operand, of so many bytes. */
static void value_of(const struct warp *warp, const struct operand *operand, unsigned lane, unsigned size,
                     unsigned char *bytes)
{
    const uint32_t step = operand->high - operand->row;
    for (unsigned k = 0; k < size / 4; k++)
        memcpy(bytes + (size_t)k * 4, &row_at(warp, operand->space, operand->row + k * step)[lane], 4);
}

/* The address has two words: where the value goes, and a barrier there to which its bytes come. */
static void store_async(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *to = &code->operands[0];
    const uint32_t *where = row_at(warp, SPACE_WARP, to->row), *barrier = row_at(warp, SPACE_WARP, to->high);
    uint32_t addresses[LANES];
    unsigned char *places[LANES];
    for (unsigned l = 0; l < LANES; l++)
        addresses[l] = where[l] + (uint32_t)to->value;
    cluster_places(warp, code, lanes, addresses, code->size, ACCESS_FAR, places);
    EACH_BIT(l, lanes) {
        unsigned char value[16];
        value_of(warp, &code->operands[1], l, code->size, value);
        if (code->flags[FLAG_NUMBER] != NO_NUMBER)
            change_bytes(code->flags[FLAG_KIND], code->flags[FLAG_NUMBER], code->size, places[l], value, code->size);
        else
            memcpy(places[l], value, code->size);
        mbarrier_bytes_come(warp->block, barrier[l], code->size);
    }
}

/* ---- Order ---- */

/* Makes a group of the stores that were issued since the last one. */
static void commit(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    (void)lanes;
    watch_bytes(warp, code, warp->block, ACCESS_COMMITS, 0, 0, code->counted_by);
}

/* Waits until the stores of all groups but the last few have read what they copy. */
static void wait_groups(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    (void)lanes;
    const bool some = code->operand_count == 2 && code->operands[1].immediate;
    watch_bytes(warp, code, warp->block, ACCESS_RETIRES, 0, 0, some ? (uint64_t)code->operands[1].value : UINT64_MAX);
}

/* ---- Preparation ---- */

/* words: how many uniform registers a copy takes from it on, at most. */
static bool is_address(const struct operand *operand, unsigned words)
{
    return operand->kind == OPERAND_ADDRESS && operand->based && operand->value == 0 &&
           operand->base <= (ROW_UNIFORM_ZERO - words) * ROW_BYTES;
}

static bool prepare_rows(struct instruction *code)
{
    code->flags[FLAG_NUMBER] = NO_NUMBER;
    code->flags[FLAG_MULTICAST] = has_modifier(code, "MULTICAST");
    return (code->operand_count == 3 || (code->operand_count == 4 && code->operands[3].kind == OPERAND_SPECIAL)) &&
           is_address(&code->operands[0], 1) && is_address(&code->operands[1], 1) &&
           code->operands[2].kind == OPERAND_ROW;
}

#define RANKS "1D 2D 3D 4D 5D"
#define CHANGES "ADD MIN MAX INC DEC AND OR XOR" /* in the order of enum change_kind */

static bool read_kind(struct instruction *code)
{
    const int kind = modifier_among(code, CHANGES);
    code->flags[FLAG_KIND] = (unsigned char)kind;
    return kind >= 0;
}

static bool prepare_row_changes(struct instruction *code)
{
    static const struct {
        const char *name;
        unsigned char number, size;
    } numbers[] = {{"S32", NUMBER_SIGNED, 4}, {"U64", NUMBER_UNSIGNED, 8}, {"S64", NUMBER_SIGNED, 8},
                   {"F16", NUMBER_HALVES, 2}, {"BF16", NUMBER_BF16S, 2},   {"F32", NUMBER_FLOAT, 4},
                   {"F64", NUMBER_DOUBLE, 8}};
    if (!prepare_rows(code) || !read_kind(code))
        return false;
    code->flags[FLAG_NUMBER] = NUMBER_UNSIGNED;
    code->size = 4;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (has_modifier(code, numbers[i].name)) {
            code->flags[FLAG_NUMBER] = numbers[i].number;
            code->size = numbers[i].size;
        }
    return true;
}

PREPARE(map, code->operand_count >= 1 && code->operands[0].kind == OPERAND_ADDRESS)
PREPARE(prefetch,
        code->operand_count >= 2 && is_address(&code->operands[0], 1) && code->operands[1].kind == OPERAND_ROW)

enum { TILE_WORDS = 7 }; /* the place, its barrier, and a tile's coordinates */

static bool prepare_tile(struct instruction *code)
{
    code->flags[FLAG_RANK] = (unsigned char)(modifier_among(code, RANKS) + 1);
    code->flags[FLAG_NUMBER] = NO_NUMBER;
    code->flags[FLAG_COLUMNS] = has_modifier(code, "IM2COL");
    code->flags[FLAG_MULTICAST] = has_modifier(code, "MULTICAST");
    unsigned count = code->operand_count;
    count -= count > 2 && code->operands[count - 1].kind == OPERAND_SPECIAL;
    return code->flags[FLAG_RANK] && (count == 2 || (count == 3 && code->operands[2].kind == OPERAND_ROW)) &&
           is_address(&code->operands[0], TILE_WORDS) && is_address(&code->operands[1], TILE_WORDS);
}

PREPARE(tile_change, prepare_tile(code) && read_kind(code))

/* STAS and REDAS have the address of the value, and that of the barrier, in two registers. */
static bool has_address(const struct instruction *code)
{
    return code->operand_count == 2 && code->operands[0].kind == OPERAND_ADDRESS && !code->operands[0].based &&
           code->operands[1].kind == OPERAND_ROW;
}

static bool prepare_store(struct instruction *code)
{
    code->flags[FLAG_NUMBER] = NO_NUMBER;
    code->size = has_modifier(code, "128") ? 16 : IS(64) ? 8 : 4;
    return has_address(code);
}

static bool prepare_store_change(struct instruction *code)
{
    code->flags[FLAG_NUMBER] = IS(S32) ? NUMBER_SIGNED : NUMBER_UNSIGNED;
    code->size = IS(64) ? 8 : 4;
    return read_kind(code) && has_address(code) && (!IS(64) || code->flags[FLAG_KIND] == ATOMIC_ADD);
}

/* clang-format off */
const struct opcode bulk_opcodes[] = {
    {"UBLKCP.S.G",   copy_in,      TRAIT_BULK | RULE_BULK,                      prepare_rows,         "", "MULTICAST"},
    {"UBLKCP.S.S",   copy_between, TRAIT_BULK | RULE_BULK,                      prepare_rows,         "", ""},
    {"UBLKCP.G.S",   copy_out,     TRAIT_BULK | RULE_BULK,                      prepare_rows,         "", ""},
    {"UBLKRED.G.S",  copy_out,     CONTROL_NEXT,                    prepare_row_changes,  "", CHANGES " S32 U64 S64 "
                                                                                                      "F16 BF16 F32 "
                                                                                                      "F64 RN"},
    {"UBLKRED.S.S",  copy_between, RULE_BULK,                       prepare_row_changes,  "", CHANGES " S32 U64"},
    {"UBLKPF.L2",    prefetch,     CONTROL_NEXT,                    prepare_prefetch,     "", ""},
    {"UTMALDG",      tile_in,      TRAIT_BULK | RULE_TILE,                      prepare_tile,         "", RANKS " IM2COL MULTICAST"},
    {"UTMASTG",      tile_out,     TRAIT_BULK | RULE_TILE,                      prepare_tile,         "", RANKS " IM2COL"},
    {"UTMAREDG",     tile_change,  TRAIT_BULK,                      prepare_tile_change,  "", RANKS " " CHANGES},
    {"UTMAPF.L2",    NULL,         TRAIT_BULK,                      prepare_map,          "", RANKS " IM2COL"},
    {"UTMACCTL",     NULL,         TRAIT_BULK,                      prepare_map,          "", "PF IV"},
    {"UTMACMDFLUSH", commit,       TRAIT_BULK | TRAIT_COMMITS | RULE_KEEPS,      NULL,                 "", ""},
    {"STAS",         store_async,  RULE_ARRIVES,                    prepare_store,        "", "64 128"},
    {"REDAS",        store_async,  RULE_ARRIVES,                    prepare_store_change, "", CHANGES " S32 64"},
    {"DEPBAR",       wait_groups,  TRAIT_NO_IMMEDIATE | RULE_KEEPS, NULL,                 "", "LE"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
