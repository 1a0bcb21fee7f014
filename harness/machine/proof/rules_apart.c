/* Rules of what is done apart from warps: copies of the hardware, the barriers in shared memory that these arrive at,
 * and products of a warpgroup. All are done in the same order in all blocks of a class. */
#include "rules.h"

#include "machine/memory/memory.h"
#include "machine/tile/tile.h"

enum { COPY_UNIT = 16, TYPES_EXACT = 10 /* CUtensorMapDataType: those behind it are rounded */ };
static const char where[] = "a shared-memory address does not follow from the block index",
                  place[] = "the address of a copy does not follow from the block index";

/* ---- Words of shared memory ---- */

/* Returns what is known of the word at an address, which has the rank of its block above; NULL: there is none. */
static uint32_t *word_at(const struct block *block, uint32_t address)
{
    struct block_proof *proof = block->proof;
    const uint32_t rank = address >> RANK_SHIFT, word = (address & OFFSET_MASK) / sizeof(uint32_t);
    if (!proof->words) {
        proof->words_of_block = block->shared_size / sizeof(uint32_t) + 1;
        proof->words = x_calloc(proof->words_of_block * block->cluster->count, sizeof *proof->words);
    }
    return rank < block->cluster->count && word < proof->words_of_block
               ? &proof->words[rank * proof->words_of_block + word]
               : NULL;
}

static void forget(const struct access *access)
{
    enum { LINE = 128 }; /* in which a swizzle exchanges parts of tiles */
    const struct block *block = access->block;
    const bool tile = access->code->rule == RULE_TILE >> RULE_SHIFT;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        uint64_t at = access_address(access, (unsigned)__builtin_ctz(left)), end = at + access->size;
        at -= at % (tile ? LINE : sizeof(uint32_t));
        end += tile ? -end % LINE : 0;
        for (; at < end && at < block->shared_size; at += sizeof(uint32_t))
            *word_at(block, (uint32_t)at | block->rank << RANK_SHIFT) = 0;
    }
}

/* What one lane stores is known of a word. What else is written is data. */
static void proof_hear(const struct access *access)
{
    const struct instruction *code = access->code;
    const struct block *block = access->block;
    struct block_proof *proof = block->proof;
    if (proof->why || code->rule == RULE_BEGINS >> RULE_SHIFT)
        return;
    /* Of those that go to other blocks each lane is told by itself. */
    const bool far = strncmp(code->opcode, "STAS", 4) == 0, alone = (access->lanes & (access->lanes - 1)) == 0,
               stores = code->traits & TRAIT_STORE && code->traits & TRAIT_SHARED;
    const uint32_t lanes = far ? access->warp->guarded : access->lanes,
                   address = (uint32_t)access_address(access, (unsigned)__builtin_ctz(access->lanes));
    uint32_t *const word = alone && (stores || far) && code->size == sizeof(uint32_t)
                               ? word_at(block, address | block->rank << RANK_SHIFT)
                               : NULL;
    uint32_t had = word ? *word : 0;
    if (proof->words)
        forget(access);
    const struct step step = {proof, &proof->warps[proof_place(access->warp)], access->warp, code, lanes, false};
    if (!word || !tag_knows(row_tag(&step, 1, 0), lanes))
        return;
    struct tag tag = *row_tag(&step, 1, 0);
    tag.lanes = UINT32_MAX;
    if (had == 0 || had == WORD_BARRIER) {
        (void)ARRAY_GROW(proof->word_tags, proof->word_tag_count);
        had = (uint32_t)proof->word_tag_count;
    }
    proof->word_tags[had - 1] = tag;
    *word = had;
}

static bool proof_begin(struct block *block)
{
    return block->proof && !block->proof->of_class;
}

enum { HEARD = ACCESS_STORES | ACCESS_WRITES | ACCESS_COPIES | ACCESS_FAR | ACCESS_CHANGES | ACCESS_COMES };
const struct watcher proof_watcher = {0, HEARD, 0, false, proof_begin, proof_hear, NULL, NULL};

const struct tag *word_known(const struct step *step, const struct operand *address)
{
    const struct instruction *code = step->code;
    uint32_t addresses[LANES];
    if (!(code->traits & TRAIT_LOAD) || code->size != sizeof(uint32_t))
        return NULL;
    narrow_addresses(step->warp, address, addresses);
    const uint32_t first = addresses[__builtin_ctz(step->lanes)];
    for (uint32_t left = step->lanes; left; left &= left - 1)
        if (addresses[__builtin_ctz(left)] != first)
            return NULL;
    const uint32_t *word = word_at(step->warp->block, first);
    return word && *word && *word != WORD_BARRIER ? &step->proof->word_tags[*word - 1] : NULL;
}

/* ---- Barriers ---- */

/* A barrier's words are the same in all blocks if it was initialised alike, and nothing else has written there since.
 */
static bool need_barrier(struct step *step, uint32_t address)
{
    const uint32_t *low = word_at(step->warp->block, address),
                   *high = word_at(step->warp->block, address + sizeof(uint32_t));
    if (address % sizeof(uint64_t) || !low || !high || *low != WORD_BARRIER || *high != WORD_BARRIER)
        proof_fail(step->proof, step->code, "a barrier starts with a value that may differ between blocks");
    return !step->proof->why;
}

/* The address of a barrier, and what it is to become, have to be the same. */
void rule_begins(struct step *step)
{
    uint32_t addresses[LANES];
    if (!need_narrow(step, 1) ||
        !need(step, row_tag(step, 2, 0), step->lanes, "the state of a barrier may differ between blocks") ||
        !need(step, row_tag(step, 2, 1), step->lanes, "the state of a barrier may differ between blocks"))
        return;
    put_all(step, &tag_data, 0, 2);
    narrow_addresses(step->warp, &step->code->operands[1], addresses);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t *word =
            word_at(step->warp->block, addresses[__builtin_ctz(step->lanes)] + k * (uint32_t)sizeof(uint32_t));
        if (word)
            *word = WORD_BARRIER;
    }
}

/* Arrivals and waits: what arrives, and which phase is asked for, have to be the same. So is what they find. */
void rule_barrier(struct step *step)
{
    const struct instruction *code = step->code;
    const unsigned n = code->output_count;
    uint32_t addresses[LANES];
    if (!need_narrow(step, n) ||
        (code->operand_count > n + 1 && !need(step, row_tag(step, n + 1, 0), step->lanes,
                                              "the number of arrivals or the phase may differ between blocks")))
        return;
    narrow_addresses(step->warp, &code->operands[n], addresses);
    for (uint32_t left = step->lanes; left; left &= left - 1)
        if (!need_barrier(step, addresses[__builtin_ctz(left)]))
            return;
    put_all(step, &tag_same, 2, 0);
}

/* Stores that arrive at a barrier: the address is a pair of words. */
void rule_arrives(struct step *step)
{
    const struct operand *to = &step->code->operands[0];
    const uint32_t *barriers = row_at(step->warp, SPACE_WARP, to->high);
    if (!need(step, tag_at(step, to->row / ROW_BYTES), step->lanes, where) ||
        !need(step, tag_at(step, to->high / ROW_BYTES), step->lanes, where))
        return;
    for (uint32_t left = step->lanes; left; left &= left - 1)
        if (!need_barrier(step, barriers[__builtin_ctz(left)]))
            return;
}

/* ---- Copies: their words are in uniform registers ---- */

static const struct tag *word_tag(const struct step *step, const struct operand *operand, unsigned k)
{
    return tag_at(step, operand->base / ROW_BYTES + k);
}

static uint32_t word_of(const struct step *step, const struct operand *operand, unsigned k)
{
    return row_at(step->warp, SPACE_WARP, operand->base + k * ROW_BYTES)[0];
}

static bool need_words(struct step *step, unsigned n, unsigned count)
{
    bool good = true;
    for (unsigned k = 0; k < count && good; k++)
        good = need(step, word_tag(step, &step->code->operands[n], k), 1, where);
    return good;
}

/* The barrier behind the place of what comes to shared memory; with multicast that of each block of the mask. */
static bool need_target(struct step *step, unsigned mask)
{
    const uint32_t barrier = word_of(step, &step->code->operands[0], 1);
    if (!need_words(step, 0, 2))
        return false;
    if (!has_modifier(step->code, "MULTICAST"))
        return need_barrier(step, barrier);
    for (unsigned rank = 0; mask >> rank; rank++)
        if (mask >> rank & 1 && !need_barrier(step, (barrier & OFFSET_MASK) | rank << RANK_SHIFT))
            return false;
    return true;
}

static void note(struct step *step, const struct tag *moves, uint64_t begin, uint64_t end, unsigned kind)
{
    int64_t by[AXES_MOST] = {0};
    tag_factors(moves, by);
    if (end > begin && !footprint_add(&step->proof->footprint, by, begin, end, kind))
        proof_fail(step->proof, step->code, "there are too many accesses to record");
}

/* Bytes of global memory behind each other, which move by units of a copy. */
static void need_bytes(struct step *step, unsigned n, uint32_t bytes, unsigned kind)
{
    const struct operand *operand = &step->code->operands[n];
    const struct tag *low = word_tag(step, operand, 0);
    const int64_t value = word_of(step, operand, 0);
    const uint64_t address = (uint64_t)word_of(step, operand, 1) << 32 | (uint64_t)value;
    struct tag box = *low;
    tag_same_by(&box, (unsigned)__builtin_ctz(COPY_UNIT));
    if (stays(step, &box, low, 1, &value, 0, UINT32_MAX) && need(step, &box, 1, place) &&
        need(step, word_tag(step, operand, 1), 1, place))
        note(step, low, address, address + bytes, kind);
    else
        proof_fail(step->proof, step->code, place);
}

/* [to], [from], units of bytes and blocks of a multicast: between the two memories, or blocks of a cluster. */
void rule_bulk(struct step *step)
{
    enum { UNIT_BITS = 16 };
    const struct instruction *code = step->code;
    const bool to_shared = code->modifiers[0][0] == 'S', from_shared = code->modifiers[1][0] == 'S';
    if (!need(step, row_tag(step, 2, 0), 1, "the number of copied bytes may differ between blocks"))
        return;
    const uint32_t word = row_at(step->warp, code->operands[2].space, code->operands[2].row)[0];
    const uint32_t bytes = (word & ((1u << UNIT_BITS) - 1)) * COPY_UNIT;
    if (bytes == 0 || (to_shared && !need_target(step, word >> UNIT_BITS)) || (from_shared && !need_words(step, 1, 1)))
        return;
    if (!from_shared || !to_shared)
        need_bytes(step, to_shared, bytes, to_shared ? FOOTPRINT_READS : FOOTPRINT_WRITES);
}

/* ---- Tiles ---- */

/* Reads a map that has the same address in all blocks: none writes there if it is proved that blocks are apart. */
static bool read_map(struct step *step, struct tensor_map *map)
{
    const struct operand *operand = &step->code->operands[1];
    const uint64_t address = word_of(step, operand, 0) | (uint64_t)word_of(step, operand, 1) << 32;
    const struct machine *machine = step->warp->block->machine;
    struct allocation found;
    if (!need_words(step, 1, 2))
        return false;
    if (!device_find(machine, address, &found) || found.end - address < TENSOR_MAP_READ ||
        !tensor_map_decode(device_bytes(machine, address), map) || map->columns || map->type >= TYPES_EXACT) {
        proof_fail(step->proof, step->code, "the kind of the tensor map is not supported");
        return false;
    }
    note(step, &tag_same, address, address + TENSOR_MAP_READ, FOOTPRINT_READS);
    return true;
}

/* Cuts the class to where a tile is within the tensor in a dimension, or outside of it; or where it is, if it is partly
 * within. */
static bool need_dimension(struct step *step, const struct tag *tag, int64_t at, int64_t size, int64_t span)
{
    struct tag box = {.lanes = tag->lanes};
    int64_t low = at, high = at;
    if (at >= 0 && at + span <= size) {
        low = 0;
        high = size - span;
    } else if (at >= size) {
        low = size;
        high = INT32_MAX;
    } else if (at + span <= 0) { /* of a load: a store may not begin there */
        low = INT32_MIN;
        high = -span;
    }
    high = high < INT32_MAX ? high : INT32_MAX;
    return stays(step, &box, tag, 1, &at, low, high) && need(step, &box, 1, place);
}

struct tile_notes {
    struct step *step;
    const struct tag *moves;
    struct range range;
    unsigned kind;
};

static void note_part(void *context, const struct tile_part *part)
{
    struct tile_notes *notes = context;
    const uint64_t end = part->address + part->inside;
    if (!part->inside)
        return;
    if (part->address != notes->range.end) {
        note(notes->step, notes->moves, notes->range.begin, notes->range.end, notes->kind);
        notes->range.begin = part->address;
    }
    notes->range.end = end;
}

/* [shared memory, barrier of what comes, place], [map], blocks of a multicast. */
void rule_tile(struct step *step)
{
    const struct instruction *code = step->code;
    const struct operand *words = &code->operands[0];
    const bool loads = code->opcode[4] == 'L', more = code->operand_count > 2 && code->operands[2].kind == OPERAND_ROW;
    const unsigned skip = loads ? 2 : 1;
    struct tensor_map map;
    struct tile_place at = {0};
    struct tag moves = tag_same;
    if (!read_map(step, &map) || (more && !need(step, row_tag(step, 2, 0), 1, "the blocks of a multicast may differ")))
        return;
    const uint32_t packed = more ? row_at(step->warp, code->operands[2].space, code->operands[2].row)[0] : 0;
    if (loads ? !need_target(step, packed >> 16) : !need_words(step, 0, 1))
        return;
    for (unsigned i = 0; i < map.rank; i++) {
        const struct tag *tag = word_tag(step, words, skip + i);
        const unsigned element = tensor_element_bytes(map.type), apart = i ? map.steps[i] : 1;
        const int64_t span = i ? (map.box[i] - 1) / apart * apart + 1 : map.box[0];
        struct tag unit = *tag;
        at.at[i] = (int32_t)word_of(step, words, skip + i);
        tag_same_by(&unit, i || element >= COPY_UNIT ? 0 : (unsigned)__builtin_ctz(COPY_UNIT / element));
        if (!need_dimension(step, tag, at.at[i], (int64_t)map.sizes[i], span) || !need(step, &unit, 1, place) ||
            !tag_add(&moves, tag, i ? (int64_t)map.strides[i - 1] : element)) {
            proof_fail(step->proof, code, place);
            return;
        }
    }
    struct tile_notes notes = {step, &moves, {0, 0}, loads ? FOOTPRINT_READS : FOOTPRINT_WRITES};
    tile_visit(&map, &at, note_part, &notes);
    note(step, &moves, notes.range.begin, notes.range.end, notes.kind);
}

/* ---- Products ---- */

/* Descriptors have to be the same, and whether sums are added up; which rows are written is known. */
void rule_group(struct step *step)
{
    const struct instruction *code = step->code;
    const unsigned rows = code->flags[PRODUCT_COLUMNS] * (code->flags[PRODUCT_SUM] == ELEMENT_F16 ? 2u : 4u);
    if (code->flags[PRODUCT_WAYS] & WAY_SPARSE)
        proof_fail(step->proof, code, "the sparsity pattern may differ between blocks");
    for (unsigned n = 1; n < code->operand_count && !step->proof->why; n++) {
        const struct operand *operand = &code->operands[n];
        if (operand->kind == OPERAND_PREDICATE)
            need(step, mask_tag(step, n), step->lanes, "whether the product accumulates may differ between blocks");
        const bool describes = operand->kind == OPERAND_DESCRIPTOR && operand->row < ROW_UNIFORM_ZERO * ROW_BYTES;
        for (unsigned k = n == 1 ? 0 : 2; k < 4 && describes; k++)
            need(step, tag_at(step, operand->row / ROW_BYTES + k), 1, where);
    }
    for (unsigned k = 0; k < rows; k++)
        put_row(step, 0, k, &tag_data);
}
