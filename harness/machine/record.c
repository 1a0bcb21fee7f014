#include "record.h"

#include "control_parts.h"

#include "machine/memory/memory.h"

/* Recorded of a launch are so many instructions, of all warps that an SM holds together, and so many blocks as it holds
 * at once times that. */
#define INSTRUCTIONS_MOST 250000
enum { WAVES = 4, WARP_LEAST = 256, KEPT_MOST = 256, PAYLOAD_MOST = 512 };
#define BLOCKS_MOST (UINT64_C(1) << 24) /* of a launch whose blocks are told apart */
/* By that much the SM that ends last is another one than that of block 0, or has other blocks than if all took as long.
 */
#define UNEVEN 1.03

/* ---- An instruction ---- */

/* What follows the word of an instruction, while it is put together. */
struct payload {
    enum recorded_kind kind;
    unsigned count;
    uint32_t words[PAYLOAD_MOST];
};

static void add_word(struct payload *payload, uint32_t word)
{
    if (payload->count < PAYLOAD_MOST)
        payload->words[payload->count++] = word;
}

/* Adds a sector unless it is among those from `first` on. */
static void add_sector(struct payload *payload, unsigned first, uint32_t sector)
{
    for (unsigned i = payload->count; i-- > first;)
        if (payload->words[i] == sector)
            return;
    add_word(payload, sector);
}

static void add_sectors(struct payload *payload, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    const unsigned first = payload->count;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t at = addresses[__builtin_ctz(left)];
        for (uint64_t sector = at >> 5; sector <= (at + size - 1) >> 5; sector++)
            add_sector(payload, first, (uint32_t)sector);
    }
}

/* How many lanes have each address: the number of addresses, and the most lanes at one. */
static unsigned count_addresses(uint32_t lanes, const uint64_t *addresses, unsigned *most)
{
    unsigned distinct = 0;
    *most = 0;
    for (uint32_t left = lanes; left; distinct++) {
        const uint64_t one = addresses[__builtin_ctz(left)];
        unsigned same = 0;
        for (uint32_t others = left; others; others &= others - 1)
            if (addresses[__builtin_ctz(others)] == one) {
                left &= ~(others & -others);
                same++;
            }
        *most = same > *most ? same : *most;
    }
    return distinct;
}

static uint32_t in_window(uint32_t lanes, const uint64_t *addresses, uint64_t window)
{
    uint32_t within = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        within |= addresses[__builtin_ctz(left)] >> 32 == window >> 32 ? left & -left : 0;
    return within;
}

/* The last access of an instruction, and the wavefronts that it took: banks are the same for addresses that are as far
 * apart. */
enum { BANKS_BYTES = 128 };
struct recorded_shape {
    uint32_t lanes, first;
    uint32_t apart[LANES];
    unsigned wavefronts;
};

static unsigned wavefronts_of(const struct instruction *code, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    if (size == 0) { /* LDSM, STSM */
        const unsigned parts = has_modifier(code, "4") ? 4 : has_modifier(code, "2") ? 2 : 1;
        return count_matrices(lanes, addresses, parts).passes;
    }
    return code->traits & TRAIT_ATOMIC ? count_atomic(lanes, addresses, 4, ATOMIC_CHANGES).passes
                                       : count_wavefronts(lanes, addresses, size, code->traits & TRAIT_STORE).passes;
}

/* Returns the wavefronts of an access to banks, which are counted where it is unlike the instruction's last one. */
static unsigned find_wavefronts(const struct warp *warp, const struct instruction *code, uint32_t lanes,
                                const uint32_t *addresses, unsigned size)
{
    struct recorded_shape *shape = &warp->block->recorded->shapes[code->index];
    const uint32_t from = addresses[__builtin_ctz(lanes)] & ~(size ? size - 1 : 0), first = from % BANKS_BYTES;
    uint32_t aligned[LANES], differs = shape->lanes ^ lanes;
    for (unsigned l = 0; l < LANES; l++)
        aligned[l] = addresses[l] & ~(size ? size - 1 : 0);
    differs |= shape->first ^ first;
    for (unsigned l = 0; l < LANES; l++)
        differs |= lanes >> l & 1 ? shape->apart[l] ^ (aligned[l] - from) : 0;
    if (differs) {
        *shape = (struct recorded_shape){.lanes = lanes, .first = first};
        for (unsigned l = 0; l < LANES; l++)
            shape->apart[l] = aligned[l] - from;
        shape->wavefronts = wavefronts_of(code, lanes, aligned, size);
    }
    return shape->wavefronts;
}

static void note_shared(struct warp *warp, const struct instruction *code, uint32_t lanes,
                        const struct operand *operand, struct payload *payload)
{
    uint32_t addresses[LANES];
    own_addresses(warp, operand, addresses);
    payload->kind = code->traits & TRAIT_ATOMIC ? RECORDED_SHARED_ATOMIC : RECORDED_SHARED;
    add_word(payload, find_wavefronts(warp, code, lanes, addresses, code->size));
}

static void note_global(struct warp *warp, const struct instruction *code, uint32_t lanes,
                        const struct operand *operand, struct payload *payload)
{
    const unsigned size = code->size ? code->size : 4;
    uint64_t addresses[LANES];
    uint32_t low[LANES];
    unsigned most;
    global_addresses(warp, operand, addresses);
    for (unsigned l = 0; l < LANES; l++)
        low[l] = (uint32_t)addresses[l];
    if (code->traits & TRAIT_GENERIC) {
        const uint32_t shared = in_window(lanes, addresses, SHARED_WINDOW);
        lanes &= ~(shared | in_window(lanes, addresses, LOCAL_WINDOW));
        if (!lanes) {
            payload->kind = code->traits & TRAIT_ATOMIC ? RECORDED_SHARED_ATOMIC : RECORDED_SHARED;
            add_word(payload, shared ? find_wavefronts(warp, code, shared, low, size) : 1);
            return;
        }
    }
    payload->kind = code->traits & TRAIT_ASYNC_COPY ? RECORDED_COPY
                    : code->traits & TRAIT_ATOMIC   ? RECORDED_ATOMIC
                    : code->traits & TRAIT_STORE    ? RECORDED_STORE
                                                    : RECORDED_LOAD;
    if (payload->kind == RECORDED_ATOMIC) {
        add_word(payload, count_addresses(lanes, addresses, &most));
        add_word(payload, most);
    } else if (payload->kind == RECORDED_STORE) {
        add_word(payload, (uint32_t)__builtin_popcount(lanes) * size);
    } else {
        add_word(payload, find_wavefronts(warp, code, lanes, low, size));
    }
    add_sectors(payload, lanes, addresses, size);
}

static void note_local(struct warp *warp, const struct instruction *code, uint32_t lanes, const struct operand *operand,
                       struct payload *payload)
{
    const struct block *block = warp->block;
    const uint32_t words = block->local_bytes / 4 + 1;
    uint32_t addresses[LANES];
    narrow_addresses(warp, operand, addresses);
    payload->kind = code->traits & TRAIT_STORE ? RECORDED_LOCAL_STORE : RECORDED_LOCAL_LOAD;
    EACH_BIT(lane, lanes) {
        for (unsigned k = 0; k < (code->size + 3u) / 4; k++)
            add_sector(payload, 0, (warp->number * words + addresses[lane] / 4 + k) * 4 + lane / 8);
    }
}

static void note_constant(struct warp *warp, uint32_t lanes, const struct operand *operand, struct payload *payload)
{
    const uint32_t *row = row_at(warp, SPACE_WARP, operand->row);
    uint64_t offsets[LANES];
    unsigned most;
    for (unsigned l = 0; l < LANES; l++)
        offsets[l] = row[l];
    payload->kind = RECORDED_CONSTANT;
    add_word(payload, count_addresses(lanes, offsets, &most));
}

/* Whether no other lanes of the warp have still to come to a barrier where these do. */
static bool arrives_whole(const struct warp *warp)
{
    uint32_t here = warp->active;
    for (unsigned s = 0; s < warp->split_count; s++)
        here |= warp->splits[s].state == SPLIT_AT_BARRIER ? warp->splits[s].lanes : 0;
    return here == warp->alive;
}

static void note_control(struct warp *warp, const struct instruction *code, uint32_t lanes, struct payload *payload)
{
    const struct operand *time = operand_of(code, OPERAND_ROW);
    uint32_t numbers[2];
    if (code->control == CONTROL_BLOCK_BARRIER && arrives_whole(warp)) {
        barrier_operands(warp, code, lanes, numbers);
        payload->kind = RECORDED_BARRIER;
        add_word(payload, numbers[0]);
        add_word(payload, numbers[1]);
    } else if (code->control == CONTROL_WAIT_PHASE) {
        uint32_t addresses[LANES];
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        narrow_addresses(warp, &code->operands[1], addresses);
        payload->kind = RECORDED_PHASE;
        add_word(payload, addresses[lane]);
        add_word(payload, PHASE_WAITS);
        add_word(payload, row_at(warp, code->operands[2].space, code->operands[2].row)[lane] >> 31);
    } else if (code->control == CONTROL_YIELD && time) {
        payload->kind = RECORDED_SLEEP;
        add_word(payload, row_at(warp, time->space, time->row)[__builtin_ctz(lanes)]);
    }
}

/* Of two addresses the second one is where a copy reads. */
static const struct operand *address_operand(const struct instruction *code)
{
    const struct operand *found = NULL;
    for (unsigned i = 0; i < code->operand_count; i++)
        if (code->operands[i].kind == OPERAND_ADDRESS && (!found || code->traits & TRAIT_ASYNC_COPY))
            found = &code->operands[i];
    return found;
}

void record_step(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct recorded_block *recorded = warp->block->recorded;
    struct recorded_warp *to = &recorded->warps[warp->number];
    struct payload payload; /* its words are set as they are added */
    payload.kind = RECORDED_PLAIN;
    payload.count = 0;
    to->done = to->instructions == recorded->warp_most;
    if (to->done)
        return;
    const struct operand *address = lanes ? address_operand(code) : NULL, *constant = NULL;
    if (lanes && code->control != CONTROL_NEXT)
        note_control(warp, code, lanes, &payload);
    else if (address && code->traits & (TRAIT_GLOBAL | TRAIT_GENERIC) && !(code->traits & TRAIT_BULK))
        note_global(warp, code, lanes, address, &payload);
    else if (address && code->traits & TRAIT_SHARED)
        note_shared(warp, code, lanes, address, &payload);
    else if (address && code->traits & TRAIT_LOCAL)
        note_local(warp, code, lanes, address, &payload);
    else if (lanes && !code->uniform && (constant = operand_of(code, OPERAND_CONSTANT)))
        note_constant(warp, lanes, constant, &payload);
    record_new(to, code->index | (uint32_t)payload.kind << 16 | (uint32_t)(lanes != 0) << 20 | payload.count << 21,
               payload.words);
    to->instructions++;
}

/* ---- A block ---- */

ORDER_OF(compare_numbers, uint64_t)

static bool is_chosen(const struct recorder *recorder, uint64_t number)
{
    return recorder->chosen &&
           bsearch(&number, recorder->chosen, recorder->chosen_count, sizeof number, compare_numbers) != NULL;
}

void record_begin(struct block *block)
{
    struct recorder *recorder = block->grid->recorder;
    block->recorded = NULL;
    const bool tried = recorder && block->alone && recorder->count < KEPT_MOST;
    if (!recorder || !block->counts || (!tried && !is_chosen(recorder, block->number)))
        return;
    struct recorded_block *recorded = block->recorded = x_calloc(1, sizeof *recorded);
    recorded->number = block->number;
    recorded->warp_count = block->warp_count;
    recorded->warp_most = recorder->warp_most;
    recorded->warps = x_calloc(block->warp_count, sizeof *recorded->warps);
    recorded->shapes = x_calloc(block->code->count, sizeof *recorded->shapes);
    pthread_mutex_lock(&recorder->lock);
    *ARRAY_GROW(recorder->blocks, recorder->count) = recorded;
    pthread_mutex_unlock(&recorder->lock);
}

void record_end(struct block *block, uint64_t steps)
{
    const struct recorder *recorder = block->grid->recorder;
    if (recorder && recorder->block_steps)
        recorder->block_steps[block->number] = (uint32_t)(steps < UINT32_MAX ? steps : UINT32_MAX);
    if (block->recorded) {
        free(block->recorded->shapes);
        block->recorded->shapes = NULL;
    }
    block->recorded = NULL;
}

static void free_block(struct recorded_block *recorded)
{
    for (unsigned w = 0; w < recorded->warp_count; w++)
        free(recorded->warps[w].words);
    free(recorded->warps);
    free(recorded->shapes);
    free(recorded);
}

/* ---- Which SM, and which of its blocks ---- */

/* Keeps of an SM's blocks, which are `count`, the first wave and the last ones. */
static bool is_kept(const struct recorder *recorder, uint64_t at, uint64_t count)
{
    return at < recorder->resident || count - at <= (uint64_t)(recorder->waves - 1) * recorder->resident;
}

/* Chooses the blocks that the first SM has if all take as long. */
static void choose_evenly(struct recorder *recorder)
{
    const uint64_t count = (recorder->block_count + recorder->sms - 1) / recorder->sms;
    for (uint64_t at = 0; at < count; at++)
        if (is_kept(recorder, at, count))
            *ARRAY_GROW(recorder->chosen, recorder->chosen_count) = at * recorder->sms;
}

/* A place for a block on an SM, and when it is free. */
struct place {
    uint64_t free;
    uint32_t number; /* the SM is that modulo the number of SMs */
};

static bool is_sooner(const struct place *one, const struct place *other)
{
    return one->free < other->free || (one->free == other->free && one->number < other->number);
}

/* Lets the first place of a heap sink to where it belongs. */
static void sink(struct place *heap, size_t count)
{
    const struct place moved = heap[0];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_sooner(&heap[child + 1], &heap[child]);
        if (!is_sooner(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Finds the SM of each block, and returns the one that ends last. */
static uint32_t find_last(const struct recorder *recorder, uint16_t *sm_of, double *later)
{
    const uint64_t places = (uint64_t)recorder->sms * recorder->resident;
    const size_t count = (size_t)(places < recorder->block_count ? places : recorder->block_count);
    OWNED_MEMORY struct place *heap = x_calloc(count, sizeof *heap);
    uint64_t *ends = x_calloc(recorder->sms, sizeof *ends);
    for (size_t i = 0; i < count; i++)
        heap[i].number = (uint32_t)i; /* all are free: a heap */
    for (uint64_t b = 0; b < recorder->block_count; b++) {
        const uint32_t sm = heap[0].number % recorder->sms;
        sm_of[b] = (uint16_t)sm;
        heap[0].free += recorder->block_steps[b];
        ends[sm] = heap[0].free > ends[sm] ? heap[0].free : ends[sm];
        sink(heap, count);
    }
    uint32_t last = 0;
    for (uint32_t sm = 1; sm < recorder->sms; sm++)
        last = ends[sm] > ends[last] ? sm : last;
    *later = ends[0] ? (double)ends[last] / (double)ends[0] : UNEVEN;
    free(ends);
    return last;
}

void recorder_choose(struct recorder *recorder)
{
    double later;
    if (!recorder->block_steps)
        return;
    for (uint64_t b = 0; b < recorder->block_count; b++)
        recorder->steps += recorder->block_steps[b];
    uint16_t *sm_of = x_calloc(recorder->block_count, sizeof *sm_of);
    const uint32_t last = find_last(recorder, sm_of, &later);
    const double wave = (double)recorder->steps / (double)recorder->block_count * recorder->resident;
    recorder->waves = wave * WAVES > INSTRUCTIONS_MOST ? 1 + (unsigned)(INSTRUCTIONS_MOST / wave) : WAVES;
    recorder->waves = recorder->waves < WAVES ? recorder->waves : WAVES;
    uint64_t count = 0, evenly = 0;
    for (uint64_t b = 0; b < recorder->block_count; b++) {
        recorder->sm_steps += sm_of[b] == last ? recorder->block_steps[b] : 0;
        evenly += b % recorder->sms == 0 ? recorder->block_steps[b] : 0;
        count += sm_of[b] == last;
    }
    const bool is_even = later < UNEVEN && (double)evenly <= UNEVEN * (double)recorder->sm_steps &&
                         (double)recorder->sm_steps <= UNEVEN * (double)evenly;
    recorder->chosen_count = 0;
    free(recorder->chosen);
    recorder->chosen = NULL;
    if (is_even)
        choose_evenly(recorder);
    for (uint64_t b = 0, at = 0; b < recorder->block_count && !is_even; b++)
        if (sm_of[b] == last && is_kept(recorder, at++, count))
            *ARRAY_GROW(recorder->chosen, recorder->chosen_count) = b;
    free(sm_of);
}

/* ---- A launch ---- */

static void forget_blocks(struct recorder *recorder)
{
    for (size_t i = 0; i < recorder->count; i++)
        free_block(recorder->blocks[i]);
    free(recorder->blocks);
    free(recorder->block_steps);
    free(recorder->places);
    recorder->blocks = NULL;
    recorder->block_steps = NULL;
    recorder->places = NULL;
    recorder->count = recorder->place_count = 0;
}

void recorder_begin(struct recorder *recorder, const struct grid *grid)
{
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    forget_blocks(recorder);
    pthread_mutex_init(&recorder->lock, NULL);
    recorder->block_count = grid_blocks(grid);
    recorder->waves = WAVES;
    recorder->warp_most = INSTRUCTIONS_MOST / ((uint64_t)recorder->resident * ((threads + LANES - 1) / LANES));
    recorder->warp_most = recorder->warp_most < WARP_LEAST ? WARP_LEAST : recorder->warp_most;
    if (recorder->block_count <= BLOCKS_MOST && recorder->sms <= UINT16_MAX)
        recorder->block_steps = x_calloc(recorder->block_count, sizeof *recorder->block_steps);
    if (!recorder->chosen)
        choose_evenly(recorder);
}

static int compare_blocks(const void *one, const void *other)
{
    return compare_numbers(&(*(struct recorded_block *const *)one)->number,
                           &(*(struct recorded_block *const *)other)->number);
}

/* Returns where the next array of an allocation begins: an argument points there. Else its end. */
static uint64_t next_array(const struct grid *grid, uint64_t begin, uint64_t end)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= grid->function->entry.parameter_bytes; at += sizeof(uint64_t)) {
        uint64_t pointer;
        memcpy(&pointer, grid->parameters + at, sizeof pointer);
        end = pointer >> 5 > begin >> 5 && pointer < end ? pointer : end;
    }
    return end;
}

/* Notes arrays by sectors: allocations, and what one is divided into for several arrays. */
static void find_places(struct recorder *recorder, const struct grid *grid)
{
    struct allocation one;
    for (size_t i = 0; device_allocation(grid->function->module->machine, i, &one); i++)
        for (uint64_t begin = one.begin, end; begin < one.end; begin = end) {
            end = next_array(grid, begin, one.end);
            *ARRAY_GROW(recorder->places, recorder->place_count) =
                (struct recorded_place){(uint32_t)(begin >> 5), (uint32_t)((end + (end == one.end ? 31 : 0)) >> 5)};
        }
}

bool recorder_end(struct recorder *recorder, const struct grid *grid)
{
    size_t kept = 0;
    recorder->recorded = recorder->steps = recorder->sm_steps = 0;
    recorder_choose(recorder);
    if (recorder->count)
        qsort(recorder->blocks, recorder->count, sizeof(void *), compare_blocks);
    for (size_t i = 0; i < recorder->count; i++) {
        struct recorded_block *block = recorder->blocks[i];
        if (!is_chosen(recorder, block->number) || (kept && recorder->blocks[kept - 1]->number == block->number)) {
            free_block(block);
            continue;
        }
        for (unsigned w = 0; w < block->warp_count; w++)
            recorder->recorded += block->warps[w].instructions;
        recorder->blocks[kept++] = block;
    }
    recorder->count = kept;
    if (!recorder->block_steps) { /* as if all were alike */
        recorder->sm_steps =
            kept ? recorder->recorded * ((recorder->block_count + recorder->sms - 1) / recorder->sms) / kept : 0;
        recorder->steps = recorder->sm_steps * recorder->sms;
    }
    find_places(recorder, grid);
    free(recorder->block_steps);
    recorder->block_steps = NULL;
    pthread_mutex_destroy(&recorder->lock);
    return kept == recorder->chosen_count;
}

void recorder_release(struct recorder *recorder)
{
    forget_blocks(recorder);
    free(recorder->chosen);
    recorder->chosen = NULL;
    recorder->chosen_count = 0;
}
