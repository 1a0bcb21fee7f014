/* Asynchronous copies of lanes (cp.async). What one costs is remembered as for loads. */
#include "lanes_access.h"

#include "shape.h"

/* Returns the cost of a copy, which is remembered as for loads. */
static const struct copy_counts *count_again(const struct warp *warp, const struct instruction *code, uint32_t copies,
                                             const uint64_t *from, const uint32_t *to)
{
    struct memo *memo = &warp->block->memos[code->index];
    if (!memo->copies)
        memo->copies = x_calloc(COPY_SHAPES, sizeof *memo->copies);
    const unsigned first = (unsigned)__builtin_ctz(copies);
    const uint64_t from_first = from[first];
    const uint32_t to_first = to[first];
    struct copy_shape *shape = &memo->copies[(from_first ^ to_first) / 16 % COPY_SHAPES];
    uint64_t differs = 0;
    if (shape->copies == copies && shape->low_from == (from_first & MEMO_LOW) &&
        shape->low_to == (to_first & MEMO_LOW)) {
        EACH_LANE differs |= (((from[l] - from_first) ^ shape->from[l]) | ((to[l] - to_first) ^ shape->to[l])) &
                             (0 - (uint64_t)(copies >> l & 1));
        if (differs == 0)
            return &shape->counts;
    }
    shape->copies = copies;
    shape->low_from = (uint32_t)(from_first & MEMO_LOW);
    shape->low_to = to_first & MEMO_LOW;
    EACH_LANE shape->from[l] = from[l] - from_first;
    EACH_LANE shape->to[l] = to[l] - to_first;
    shape->counts = count_copy(copies, from, to, code->size, code->flags[FLAG_BYPASS]);
    return &shape->counts;
}

/* Counts the wavefronts of lanes that write zeros, as many as a store of them has: an H100 counts about so many in a
 * product of cuBLAS whose tiles jut out (5,744). Passes that zeros and copies of one instruction share are not known.
 */
static void count_zeros(struct tally *tally, uint32_t lanes, const uint32_t *to, unsigned size, bool shares)
{
    const struct wavefronts zeros = count_wavefronts(lanes, to, size, true);
    tally->wavefronts += shares ? 0 : zeros.passes;
    tally->ideal_wavefronts += shares ? 0 : zeros.ideal;
    tally->loose_wavefronts += shares ? zeros.passes + zeros.margin : zeros.margin;
}

/* What NVIDIA's instrumented code counts of copies past the L1 whose guard, or predicate of which lanes copy, is P0:
 * it has changed P0 when it reads it (CUDA 13.0; an H200 on 2026-11-22, an H100 on 2026-11-26). With @P0 it counts no
 * access to memory, in 69 of 69 instructions, and [..], P0 as zeros of all lanes, in each of 4 kernels of Triton. With
 * @!P0 it counts more lanes than there are, up to all (grid.c), and with !P0 that may be so as well. */
enum { P0_KEEPS, P0_COUNTS_NONE, P0_COUNTS_ZEROS, P0_COUNTS_ANY };
static unsigned p0_of(const struct instruction *code)
{
    const struct operand *which = &code->operands[2];
    if (!code->flags[FLAG_BYPASS])
        return P0_KEEPS;
    if (code->guarded && code->guard == 0 && !code->guard_flip)
        return P0_COUNTS_NONE;
    if (code->operand_count == 3 && which->row == 0)
        return which->invert ? P0_COUNTS_ANY : P0_COUNTS_ZEROS;
    return P0_KEEPS;
}

/* Counts what lanes copy, and others fill with zeros. */
static void count_all(struct tally *tally, const struct instruction *code, uint32_t copies, uint32_t zeros,
                      const uint64_t *from, const uint32_t *to, const struct copy_counts *counts)
{
    const struct copy_counts none = {0};
    const unsigned p0 = p0_of(code);
    counts = counts ? counts : &none;
    tally->unit_sectors += counts->unit;
    if (p0 == P0_COUNTS_NONE)
        return;
    tally->sectors += counts->lines.touched;
    tally->ideal_sectors += counts->lines.ideal;
    if (p0 == P0_COUNTS_ZEROS) {
        count_zeros(tally, copies | zeros, to, code->size, false);
        return;
    }
    const uint64_t before = tally->wavefronts;
    tally->wavefronts += counts->wavefronts.passes;
    tally->ideal_wavefronts += counts->wavefronts.ideal;
    tally->loose_wavefronts += counts->wavefronts.margin;
    if (zeros)
        count_zeros(tally, zeros, to, code->size, copies != 0);
    if (zeros && p0 == P0_COUNTS_ANY) {
        const unsigned all = count_copy(copies | zeros, from, to, code->size, true).wavefronts.passes;
        const uint64_t here = tally->wavefronts - before;
        tally->loose_wavefronts += all > here ? all - here : here - all;
    }
}

/* Operands [shared], [global] [, which lanes copy; the others write zeros]. */
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
    for (uint32_t left = copies; left; left &= left - 1) /* it takes longer to come than all that is seen to before */
        __builtin_prefetch(device_bytes(block->machine, from[__builtin_ctz(left)]));
    struct memo memo = {0};
    struct tally *tally = &block->tallies[code->index];
    const struct copy_counts *counts = NULL;
    if (copies) {
        memo_global(&memo, NULL, copies, from, code->size);
        memory_inside(block, &memo, tally, copies, from, code->size, false, false);
        if (!memo.aligned)
            memory_misaligned(block, copies, from, code->size);
        if (global_is_watched(block, code, &memo, from[__builtin_ctz(copies)], ACCESS_COPIES)) {
            const struct access access = global_access(warp, code, &memo, copies, from, ACCESS_COPIES);
            watch(&access);
            watch_done(&access);
        }
        if (block->counts)
            counts = count_again(warp, code, copies, from, to);
    }
    tally->home_bytes[memo.home] += counts ? counts->unit * SECTOR_BYTES : 0;
    if (block->counts)
        count_all(tally, code, copies, lanes & ~copies, from, to, counts);
    tally->accesses++;
    EACH_BIT(l, lanes) {
        if (to[l] < block->reserved || (uint64_t)to[l] + code->size > block->shared_size)
            shared_outside(block, lanes, to, code->size);
        if (to[l] & (code->size - 1u))
            shared_misaligned(block, lanes, to, code->size);
    }
    watch_lanes(warp, code, lanes, to, code->size, ACCESS_COPIES);
    EACH_BIT(l, lanes) {
        const unsigned bytes = copies >> l & 1 ? code->size - zeros[l] : 0;
        unsigned char words[16] = {0};
        if (bytes == 16)
            memcpy(words, device_bytes(block->machine, from[l]), 16);
        else if (bytes)
            memcpy(words, device_bytes(block->machine, from[l]), bytes);
        memcpy(block->shared + to[l], words, code->size);
    }
}

static bool prepare_copy(struct instruction *code)
{
    const unsigned n = code->operand_count;
    return prepare_size(code) && (n == 2 || (n == 3 && code->operands[2].kind == OPERAND_PREDICATE)) &&
           code->operands[0].kind == OPERAND_ADDRESS && code->operands[1].kind == OPERAND_ADDRESS;
}

/* To a cache: nothing waits for it, and what lies nowhere is not fetched. */
static void prefetch(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint64_t from[LANES];
    global_addresses(warp, &code->operands[0], from);
    warp->block->tallies[code->index].past_l1 += count_sectors(lanes, from, 1).touched;
}

PREPARE(prefetch, code->operand_count == 1 && code->operands[0].kind == OPERAND_ADDRESS)

/* clang-format off */
const struct opcode TABLE(lanes_copy)[] = {
    {"CCTL.E.PF1", prefetch, TRAIT_GLOBAL, prepare_prefetch, "", ""},
    {"CCTL.E.PF2", prefetch, TRAIT_GLOBAL, prepare_prefetch, "", ""},
    {"LDGSTS", copy_async, TRAIT_LOAD | TRAIT_GLOBAL | TRAIT_SHARED | TRAIT_ASYNC_COPY | RULE_COPY, prepare_copy, "", "E 64 128 BYPASS ZFILL LTC64B LTC128B LTC256B"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
