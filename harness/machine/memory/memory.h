/* memory.h - the public header of a room that executes accesses to memory and counts what they cost: loads, stores,
 * atomics, copies of lanes and of the hardware, textures, surfaces, and barriers in shared memory. */
#pragma once

#include "counting.h"

#include "machine/lanes/lanes.h"

/* The addresses of lanes in global memory, and in shared or local memory. */
static inline void global_addresses(struct warp *warp, const struct operand *operand, uint64_t *addresses)
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

static inline void narrow_addresses(struct warp *warp, const struct operand *operand, uint32_t *addresses)
{
    const uint32_t *low = row_at(warp, SPACE_WARP, operand->row);
    uint32_t base = (uint32_t)operand->value;
    const uint32_t scale = operand->scale;
    if (operand->based)
        base += row_at(warp, SPACE_WARP, operand->base)[0];
    EACH_LANE addresses[l] = low[l] * scale + base;
}

/* Returns in place of addresses of shared memory their offsets in the block's own. */
static inline void own_addresses(struct warp *warp, const struct operand *operand, uint32_t *addresses)
{
    narrow_addresses(warp, operand, addresses);
    const uint32_t own = warp->block->rank << RANK_SHIFT;
    if (own)
        EACH_LANE addresses[l] -= own;
}

/* Adds the accesses of the memo's shape to the tally. Has to be called before another shape is set, and at the end. */
void memo_settle(struct memo *memo, struct tally *tally);

/* Copies bytes from or to the local memory of a lane. */
void local_move(struct warp *warp, unsigned lane, uint32_t address, unsigned char *bytes, unsigned size, bool writes);

/* Whether the phase is over that an instruction waits for, in these lanes. */
bool phase_is_over(struct warp *warp, const struct instruction *code, uint32_t lanes);
/* Fails the block because a split waits for a phase that never ends. */
__attribute__((noreturn)) void phase_is_missing(struct warp *warp, const struct split *split);

/* Sets *handle to the one of an instruction, and *channels to how many it writes. Returns the number of the handle's
 * operand; 0: it is a constant; -1: each lane has its own. */
int texture_handle(struct warp *warp, const struct instruction *code, uint64_t *handle, unsigned *channels);

/* The tables of this room, for opcode.c. */
VECTOR_TABLES(lanes_memory);
VECTOR_TABLES(lanes_copy);
VECTOR_TABLES(lanes_tensor);
extern const struct opcode texture_opcodes[], surface_opcodes[], atomic_opcodes[], mbarrier_opcodes[], bulk_opcodes[];
