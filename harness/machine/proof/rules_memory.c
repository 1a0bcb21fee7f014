/* Rules of special registers and constants, of what lanes tell each other, and of memory. */
#include "rules.h"

#include "machine/memory/memory.h"

/* ---- Special registers, constants, other lanes ---- */

/* Returns what moves by so much from one place along an axis of the grid to the next. */
static struct tag place_tag(const struct block_proof *proof, uint32_t of, int64_t by)
{
    const struct axis *axes = proof->axes;
    struct tag tag = tag_same;
    for (uint32_t k = 0; k < AXES_MOST; k++)
        if (axes[k].of == of && axes[k].most > 0)
            tag.parts[tag.count++] = (struct tag_part){.axis = k, .high = axes[k].most, .by = by * axes[k].unit};
    return tag;
}

static unsigned cluster_size(const struct step *step, uint32_t of)
{
    const unsigned size = step->warp->block->grid->cluster[of];
    return size ? size : 1;
}

void rule_s2r(struct step *step)
{
    const struct operand *special = &step->code->operands[1];
    struct tag tag = tag_same;
    const bool is_place = strncmp(special->word, "SR_CTAID.", 9) == 0;
    const uint32_t of = is_place ? (uint32_t)(special->word[9] - 'X') : 0;
    if (is_place)
        tag = place_tag(step->proof, of, cluster_size(step, of));
    for (unsigned i = 0; i < tag.count; i++)
        if (step->proof->axes[tag.parts[i].axis].order) /* it is the place in another order */
            tag.parts[i].low = tag.parts[i].high = step->proof->axes[tag.parts[i].axis].at;
    put_row(step, 0, 0, &tag);
    if (strncmp(step->code->opcode, "CS2R", 4) == 0 && !step->code->flags[FLAG_SHORT])
        put_row(step, 0, 1, &tag_same);
    if (is_place && step->lanes == ALL_LANES) {
        step->tags->place_row = 1 + step->code->operands[0].row / ROW_BYTES;
        step->tags->place_of = of;
    }
}

/* Reads a table by the place of the block: numbers of all blocks, which may be linear in the order of their places. */
static bool look_up(struct step *step, const struct operand *from)
{
    const struct block *block = step->warp->block;
    const uint32_t of = step->tags->place_of, size = cluster_size(step, of);
    const uint32_t *order = NULL;
    uint32_t first = 0, second = 0;
    unsigned blocks[GRID_AXES];
    if (from->index != PARAMETER_BANK || step->code->size > 4 || step->code->flags[FLAG_SIGN_EXTENDS] ||
        step->tags->place_row != 1 + from->row / ROW_BYTES)
        return false;
    grid_clusters(block->grid, blocks);
    for (unsigned k = 0; k < AXES_MOST; k++)
        order = step->proof->axes[k].of == of && step->proof->axes[k].order ? step->proof->axes[k].order : order;
    for (uint32_t k = 0; k < blocks[of]; k++) {
        const int64_t index = order ? order[blocks[of] + k] : k;
        const int64_t at = from->value + index * size + block->index[of] % size;
        uint32_t number = 0;
        if (at < 0 || at + step->code->size > (int64_t)block->bank0_size)
            return false;
        memcpy(&number, block->bank0 + at, step->code->size);
        first = k == 0 ? number : first;
        second = k == 1 ? number : second;
        if (k > 0 && number != first + k * (second - first))
            return false;
    }
    const struct tag tag = place_tag(step->proof, of, (int32_t)(second - first));
    put_row(step, 0, 0, &tag);
    return true;
}

/* Constants: how many turns that takes depends on which lanes have one address, and all addresses move alike. What is
 * read is the same where the address is. */
void rule_ldc(struct step *step)
{
    const struct operand *from = &step->code->operands[1];
    struct tag tag = tag_same;
    if (from->kind == OPERAND_CONSTANT) {
        if (look_up(step, from))
            return;
        struct tag address = step->tags->rows[from->row / ROW_BYTES];
        tag_settle(&address, step->proof->floors, step->proof->axes);
        address.ring = 0; /* lanes that turn around it are as far apart as before */
        if (!tag_add(&tag, &address, 0) ||
            !need(step, &tag, step->lanes, "a constant-memory address does not follow from the block index"))
            return;
        tag.lanes = tag_add(&tag, &address, 1) ? UINT32_MAX : 0;
        tag_same_by(&tag, 32);
    }
    for (unsigned k = 0; k < (step->code->size + 3u) / 4; k++)
        put_row(step, 0, k, &tag);
}

/* p, d, a: the first lane's, and which differ from it. With .OR also those where p was true. */
void rule_r2ur(struct step *step)
{
    const uint32_t read = step->warp->guarded;
    struct tag tag = *row_tag(step, 2, 0), some = tag_same;
    bool known = tag_knows(&tag, read), alike = known && tag_add(&some, &tag, 0);
    if (has_modifier(step->code, "OR"))
        alike = alike && join(&some, mask_tag(step, 0), read);
    tag.lanes = some.lanes = UINT32_MAX;
    step->lanes &= read;
    put_mask(step, 0, alike ? &some : &tag_data);
    step->lanes = ALL_LANES;
    put_row(step, 1, 0, known ? &tag : &tag_data);
}

/* p, d, a, lane, clamp: another lane's value changes as all do. */
void rule_shfl(struct step *step)
{
    struct tag box = tag_same, value = *row_tag(step, 2, 0);
    const bool known = join(&box, row_tag(step, 3, 0), step->lanes) && join(&box, row_tag(step, 4, 0), step->lanes);
    const bool moved = known && value.lanes == ALL_LANES && tag_add(&value, &box, 0);
    box.lanes = value.lanes = UINT32_MAX;
    put_row(step, 1, 0, moved ? &value : &tag_data);
    put_mask(step, 0, known ? &box : &tag_data);
}

/* d, p, source: of all lanes that are here */
void rule_vote(struct step *step)
{
    struct tag tag = tag_same;
    const bool known = join(&tag, mask_tag(step, 2), step->warp->guarded);
    tag.lanes = UINT32_MAX;
    put_row(step, 0, 0, known ? &tag : &tag_data);
    put_mask(step, 1, known ? &tag : &tag_data);
}

/* Which lanes of those that execute it write predicate k from a word: the mask may leave some out. */
static uint32_t lanes_that_write(const struct step *step, unsigned k)
{
    const uint32_t *chosen = WORDS(2);
    uint32_t lanes = 0;
    for (unsigned l = 0; l < LANES; l++)
        lanes |= (chosen[l] >> k & 1) << l;
    return lanes & step->lanes;
}

/* Predicates as bits of a word, and back, as far as a mask chooses them. */
void rule_predicates(struct step *step)
{
    struct tag *masks = step->tags->masks + (step->code->uniform ? MASK_TRUE + 1 : 0), tag = tag_same;
    const bool writes = step->code->operands[0].kind != OPERAND_SPECIAL;
    bool known = join_all(step, &tag, 1);
    for (unsigned k = 0; k < MASK_TRUE && writes && known; k++)
        known = join(&tag, &masks[k], step->lanes);
    tag.lanes = UINT32_MAX;
    if (writes)
        put_row(step, 0, 0, known ? &tag : &tag_data);
    for (unsigned k = 0; k < MASK_TRUE && !writes; k++)
        tag_put(&masks[k], known ? &tag : &tag_data, known ? lanes_that_write(step, k) : step->lanes);
}

/* ---- Memory ---- */

static void lose_rows(struct step *step, unsigned n, unsigned rows)
{
    for (unsigned k = 0; k < rows; k++)
        put_row(step, n, k, &tag_data);
}

/* The word of local memory at an address; NULL: nothing is known of it, whatever is stored there. */
static struct tag *local_word(const struct step *step, uint32_t address)
{
    const uint32_t word = step->warp->block->local_bytes / 4 - 1 - address / 4;
    return step->tags->local && word < LOCAL_WORDS ? &step->tags->local[word] : NULL;
}

/* Local memory: of a word it is known what each lane has stored there, as of a register; so compilers spill registers.
 * It is loaded so where all lanes do from one address. */
static void local_words(struct step *step, unsigned n)
{
    const struct instruction *code = step->code;
    const bool loads = code->output_count > 0, whole = code->size >= sizeof(uint32_t);
    uint32_t addresses[LANES], others = 0;
    narrow_addresses(step->warp, &code->operands[n], addresses);
    const unsigned first = (unsigned)__builtin_ctz(step->lanes);
    for (uint32_t left = step->lanes; left; left &= left - 1)
        others |= addresses[__builtin_ctz(left)] ^ addresses[first];
    if (!loads && !step->tags->local)
        step->tags->local = x_calloc(LOCAL_WORDS, sizeof *step->tags->local);
    for (unsigned k = 0; k < (code->size + 3u) / 4; k++)
        EACH_BIT(lane, others ? step->lanes : 1u << first) {
            struct tag *word = local_word(step, addresses[lane] + k * (uint32_t)sizeof(uint32_t));
            if (loads)
                put_row(step, 0, k, word && whole && !others ? word : &tag_data);
            else if (word)
                tag_put(word, whole ? row_tag(step, n + 1, k) : &tag_data, others ? 1u << lane : step->lanes);
        }
}

/* Shared and local memory: what is loaded is data, or what one lane has stored. */
void rule_narrow(struct step *step)
{
    const struct instruction *code = step->code;
    const unsigned n = code->output_count; /* the address */
    if (!need_narrow(step, n))
        return;
    if (code->traits & TRAIT_LOCAL)
        local_words(step, n);
    if (code->traits & TRAIT_LOCAL || code->output_count == 0)
        return;
    const struct tag *word = word_known(step, &code->operands[n]);
    if (word)
        put_row(step, 0, 0, word);
    else
        lose_rows(step, 0, code->size > 4 ? code->size / 4 : 1);
}

/* Matrices from shared memory, to as many rows. */
void rule_matrices(struct step *step)
{
    const struct instruction *code = step->code;
    const char *last = code->modifiers[code->modifier_count - 1];
    if (need_narrow(step, code->output_count) && code->output_count > 0)
        lose_rows(step, 0, last[1] == '\0' ? (unsigned)(last[0] - '0') : 1);
}

/* Notes an access of lanes, whose addresses move by that much. */
static void note_access(struct step *step, uint32_t lanes, const uint64_t *addresses, const struct tag *moves,
                        unsigned size, unsigned kind)
{
    int64_t by[AXES_MOST] = {0};
    tag_factors(moves, by);
    struct range range = {0, 0};
    bool noted = true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t begin = addresses[__builtin_ctz(left)], end = begin + size;
        if (kind == FOOTPRINT_ADDS)
            footprint_add_hot(&step->proof->footprint, by, begin, step->code->index);
        if (range.end && begin >= range.begin && begin <= range.end) {
            range.end = end > range.end ? end : range.end;
            continue;
        }
        noted &= !range.end || footprint_add(&step->proof->footprint, by, range.begin, range.end, kind);
        range = (struct range){begin, end};
    }
    if (!footprint_add(&step->proof->footprint, by, range.begin, range.end, kind) || !noted)
        proof_fail(step->proof, step->code, "there are too many accesses to record");
}

/* Whether a load of what others may change (a volatile one) may find the address at which the warp looked last: what it
 * does then depends on data (waits.h). */
static bool looks_again(const struct step *step, uint32_t lanes, const uint64_t *addresses, const struct tag *moves)
{
    const struct poll *last = &step->warp->poll;
    struct tag apart = *moves;
    const bool known = tag_add(&apart, &step->tags->looked, -1) && !tag_moves(&apart);
    step->tags->looked = *moves;
    return last->pc == step->code->index + 1 && last->lanes == lanes &&
           (!known || last->address == addresses[__builtin_ctz(lanes)]);
}

/* An access to global memory costs the same where its lanes' addresses move alike, by multiples of `stride` bytes (a
 * power of two), and do not wrap; an access of all lanes at one address costs the same wherever that is. */
static bool need_global(struct step *step, unsigned n, uint32_t lanes, int64_t stride, unsigned size, unsigned kind)
{
    const struct operand *operand = &step->code->operands[n];
    const struct tag *low = tag_at(step, operand->row / ROW_BYTES);
    const struct tag *base = operand->based ? tag_at(step, operand->base / ROW_BYTES) : &tag_same;
    const uint32_t *base_row = operand->based ? row_at(step->warp, SPACE_WARP, operand->base) : NULL;
    static const char why[] = "a global-memory address does not follow from the block index";
    struct tag moves = tag_same, box = tag_same;
    int64_t values[LANES], bases[LANES];
    uint64_t addresses[LANES];
    if (!tag_knows(low, lanes) || !tag_knows(base, lanes) || !tag_add(&moves, low, 1) || !tag_add(&moves, base, 1)) {
        proof_fail(step->proof, step->code, why);
        return false;
    }
    if (operand->wide && !need(step, tag_at(step, operand->high / ROW_BYTES), lanes, why))
        return false;
    if (operand->based && operand->uniform && !need(step, tag_at(step, operand->base_high / ROW_BYTES), lanes, why))
        return false;
    global_addresses(step->warp, operand, addresses);
    bool one = true;
    for (unsigned l = 0; l < LANES; l++) {
        values[l] = row_at(step->warp, SPACE_WARP, operand->row)[l];
        bases[l] = base_row ? base_row[0] : 0;
        one &= !(lanes >> l & 1) || addresses[l] == addresses[__builtin_ctz(lanes)];
    }
    if (kind == FOOTPRINT_READS && step->code->flags[FLAG_STRONG] && looks_again(step, lanes, addresses, &moves)) {
        proof_fail(step->proof, step->code, "it polls memory that other blocks may change");
        return false;
    }
    const int64_t unit = one && stride == 32 ? size : stride;
    bool known = tag_add(&box, &moves, 1);
    tag_same_by(&box, (unsigned)__builtin_ctzll((uint64_t)unit));
    if (tag_moves(low))
        known &= stays(step, &box, low, lanes, values, 0, UINT32_MAX);
    if (tag_moves(base))
        known &= stays(step, &box, base, lanes, bases, 0, UINT32_MAX);
    box.lanes = UINT32_MAX;
    if (!known || !need(step, &box, lanes, why)) {
        proof_fail(step->proof, step->code, why);
        return false;
    }
    note_access(step, lanes, addresses, &moves, size, kind);
    return true;
}

/* What several blocks load from one place is the same in these, since one that wrote there would meet the others. The
 * class is in the box of the address already. */
static struct tag of_one_place(const struct step *step, unsigned n)
{
    const struct operand *operand = &step->code->operands[n];
    const struct axis *axes = step->proof->axes;
    struct tag moves = tag_same, same = tag_same;
    uint64_t addresses[LANES];
    if (has_modifier(step->code, "STRONG") || !tag_add(&moves, tag_at(step, operand->row / ROW_BYTES), 1) ||
        (operand->based && !tag_add(&moves, tag_at(step, operand->base / ROW_BYTES), 1)))
        return tag_data;
    if (!tag_moves(&moves))
        return tag_same;
    /* Where it moves, it is looked for only if all lanes load the same. */
    global_addresses(step->warp, operand, addresses);
    for (uint32_t left = step->lanes; left; left &= left - 1)
        if (addresses[__builtin_ctz(left)] != addresses[__builtin_ctz(step->lanes)])
            return tag_data;
    bool others = false;
    const bool known = tag_limit(&same, &moves, axes, 0, 0);
    for (unsigned k = 0; k < AXES_MOST; k++) {
        bool stays = axes[k].most == 0;
        for (unsigned i = 0; i < same.count; i++)
            stays |= same.parts[i].axis == k && same.parts[i].low == same.parts[i].high;
        others |= !stays;
    }
    return known && others ? same : tag_data;
}

void rule_load(struct step *step)
{
    const struct instruction *code = step->code;
    const unsigned n = code->output_count; /* the address */
    if (!need_global(step, n, step->lanes, 32, code->size, FOOTPRINT_READS))
        return;
    const struct tag loaded = of_one_place(step, n);
    step->proof->relies |= loaded.lanes != 0;
    for (unsigned k = 0; k < (code->size > 4 ? code->size / 4u : 1); k++)
        put_row(step, 0, k, &loaded);
}

void rule_store(struct step *step)
{
    need_global(step, step->code->output_count, step->lanes, 32, step->code->size, FOOTPRINT_WRITES);
}

/* An atomic whose answer is not used, of one number or several. */
void rule_reduction(struct step *step)
{
    const struct instruction *code = step->code;
    const unsigned parts = has_modifier(code, "F32x4") ? 4 : has_modifier(code, "F32x2") ? 2 : 1;
    need_global(step, 0, step->lanes, 32, code->size * parts, FOOTPRINT_ADDS);
}

/* By generic addresses: all of shared memory, the block's own or another's, and of local memory; or all of global. */
void rule_generic(struct step *step)
{
    const struct instruction *code = step->code;
    const unsigned n = code->output_count; /* the address */
    const bool loads = code->traits & TRAIT_LOAD;
    const struct operand *operand = &code->operands[n];
    static const char why[] = "a shared or local address does not follow from the block index";
    uint64_t addresses[LANES];
    uint32_t narrow = 0;
    global_addresses(step->warp, operand, addresses);
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t window = addresses[l] & ~(uint64_t)UINT32_MAX;
        narrow |= (uint32_t)(window == SHARED_WINDOW || window == LOCAL_WINDOW) << l;
    }
    narrow &= step->lanes;
    if (narrow && narrow != step->lanes)
        proof_fail(step->proof, code, "one access reaches several kinds of memory");
    if (narrow && loads && code->flags[FLAG_STRONG])
        proof_fail(step->proof, code, "it reads shared memory that other threads may change");
    if (step->proof->why)
        return;
    if (!narrow) {
        if (code->traits & TRAIT_ATOMIC)
            proof_fail(step->proof, code, "the result of a global atomic may differ between blocks");
        else
            (loads ? rule_load : rule_store)(step);
        return;
    }
    if (!loads) { /* local memory may be among it */
        free(step->tags->local);
        step->tags->local = NULL;
    }
    if (!need_narrow(step, n) || (operand->wide && !need_row(step, operand->high, why)) ||
        (operand->based && operand->uniform && !need_row(step, operand->base_high, why)))
        return;
    put_all(step, &tag_data, 0, code->size > 4 ? code->size / 4 : 1);
    if (code->traits & TRAIT_ATOMIC)
        put_mask(step, 0, &tag_same); /* it says that it was done */
}

/* A fetch costs the same wherever it is. What cannot be simulated of it depends on its place in a cube alone. What is
 * written while textures of memory are read is not known to be apart. */
void rule_texture(struct step *step)
{
    const struct instruction *code = step->code;
    uint64_t handle;
    unsigned channels;
    const int row = texture_handle(step->warp, code, &handle, &channels);
    const struct texture *texture = texture_find(step->warp->block->machine, handle);
    if (row < 0 ||
        (row > 0 &&
         !need(step, row_tag(step, (unsigned)row, 0), step->lanes, "the texture may differ between blocks")) ||
        !texture || texture->shape == TEXTURE_CUBE || texture->shape == TEXTURE_CUBE_LAYERS) {
        proof_fail(step->proof, code, "it reads a cube map, or a texture that may differ between blocks");
        return;
    }
    static const int64_t stays_there[AXES_MOST] = {0};
    const uint64_t array = (uintptr_t)texture->texels;
    struct ranges *arrays = &step->proof->arrays;
    const size_t noted = FIRST(k, arrays->count, arrays->list[k].begin == array);
    if (!texture->address && noted == arrays->count)
        *ARRAY_GROW(arrays->list, arrays->count) = (struct range){array, array + texture->bytes};
    else if (texture->address && !footprint_add(&step->proof->footprint, stays_there, texture->address,
                                                texture->address + texture->bytes, FOOTPRINT_READS))
        proof_fail(step->proof, code, "there are too many accesses to record");
    for (unsigned i = 0; i < channels; i++)
        put_row(step, i < 2, i % 2, &tag_data);
}

/* [shared], [global] [, which lanes copy] */
void rule_copy(struct step *step)
{
    uint32_t copies = step->lanes;
    if (!need_narrow(step, 0))
        return;
    if (step->code->operand_count > 2) {
        if (!need(step, mask_tag(step, 2), step->lanes, "the lanes that copy may differ between blocks"))
            return;
        copies &= predicate(step->warp, &step->code->operands[2]);
    }
    if (step->code->flags[FLAG_FILLS])
        proof_fail(step->proof, step->code, "the number of copied bytes may differ between blocks");
    else if (copies)
        need_global(step, 1, copies, 128, step->code->size, FOOTPRINT_READS);
}
