/* memo.h - shared by lanes_memory.c, lanes_copy.c, atomic.c and memory.c. It has what is remembered of an
 * instruction's accesses, what is told of them, and what is done when an access is unlike the one before. */
#pragma once

#include "memory.h"

#define MEMO_LOW 127       /* bits of an address that say where in its line it is */
#define MEMO_LOW_SECTOR 31 /* ... where in its sector, which is all that the sectors of a shape depend on */
/* Bits of a shared address that matter to its shape; banks are a circle, so only alignment does. */
#define MEMO_LOW_SHARED 15

/* Returns whether an access of this shape, with that address of the first lane, is within the memo's allocation.
 * Distances are compared, because sums of addresses may wrap around. */
static inline bool memo_holds(const struct memo *memo, uint64_t first, unsigned size)
{
    return first >= memo->begin && first < memo->end && memo->least >= -(int64_t)(first - memo->begin) &&
           memo->most <= (int64_t)(memo->end - first) - (int64_t)size;
}

/* Returns whether somebody watches an access of this shape to global memory. */
static inline bool global_is_watched(const struct block *block, const struct instruction *code, const struct memo *memo,
                                     uint64_t first, unsigned kind)
{
    const struct met *met = &block->memos[code->index].met;
    return (block->watch.global & kind) != 0 ||
           (block->watch.meets && (met->sectors || first + (uint64_t)memo->least < met->begin ||
                                   first + (uint64_t)memo->most + code->size > met->end));
}

/* Returns what is told of an access of lanes to global memory. */
static inline struct access global_access(struct warp *warp, const struct instruction *code, const struct memo *memo,
                                          uint32_t lanes, const uint64_t *addresses, unsigned kind)
{
    return (struct access){warp,       code,
                           NULL,       kind,
                           lanes,      addresses[__builtin_ctz(lanes)],
                           code->size, memo->in_order,
                           memo->same, .addresses = addresses};
}

/* The shape of the last asynchronous copy: source and destination addresses. */
enum { COPY_SHAPES = 8 }; /* of each instruction, by where in their lines the first lane's bytes are */
struct copy_shape {
    uint32_t copies, low_from, low_to;
    uint64_t from[LANES]; /* distance from the first lane's address */
    uint32_t to[LANES];
    struct copy_counts counts;
};

/* Returns where the shared memory begins that an instruction may access. A tile of several warps keeps its barrier in
 * the part below, which the system keeps (%reserved_smem_offset of PTX), by generic addresses. */
static inline uint32_t shared_begin(const struct block *block, const struct instruction *code)
{
    return code->traits & TRAIT_GENERIC && block->code->uses_window ? 0 : block->reserved;
}

/* Sets the memo's allocation, or the part of it that lies where the first lane's does; bytes that lie elsewhere are
 * counted. If there is none, the block fails, with a message that names the lane, its address, and
 * what is near it. Returns the lanes that access one; if it spares the others, they are a doubt. */
uint32_t memory_inside(struct block *block, struct memo *memo, struct tally *tally, uint32_t lanes,
                       const uint64_t *addresses, unsigned size, bool writes, bool spares);
__attribute__((noreturn)) void memory_misaligned(struct block *block, uint32_t lanes, const uint64_t *addresses,
                                                 unsigned size);
__attribute__((noreturn)) void shared_outside(struct block *block, uint32_t lanes, const uint32_t *addresses,
                                              unsigned size);
__attribute__((noreturn)) void shared_misaligned(struct block *block, uint32_t lanes, const uint32_t *addresses,
                                                 unsigned size);

/* These are for local memory. */
void local_check(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size);
unsigned local_sectors(uint32_t lanes, const uint32_t *addresses, unsigned size);

/* Sets the address in shared memory that operand n, [register + uniform register + offset], has in each of the lanes.
 * Each lane accesses `bytes` there. The block fails if they are outside of its shared memory or not aligned. The bytes
 * are at warp->block->shared + address. */
void shared_access(struct warp *warp, const struct instruction *code, unsigned n, uint32_t lanes, unsigned bytes,
                   bool writes, uint32_t addresses[LANES]);

/* Adds an access to the tally. */
void shared_counted(struct tally *tally, const struct wavefronts *cost);

/* Notes at a barrier that bytes have come; its address has the block's rank above its offset. In mbarrier.c. */
void mbarrier_bytes_come(struct block *block, uint32_t address, uint64_t bytes);
