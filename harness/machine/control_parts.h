/* control_parts.h - what control.c and barriers.c share. Private to them. */
#pragma once

#include "machine/block/block.h"

/* As control_run(), of one kind of instruction. */
typedef bool control_step(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes);

/* barriers.c */
control_step do_open, do_join, do_break, do_move_barrier, do_warpsync, do_block_barrier, do_wait_group, do_wait_phase,
    do_wait_cluster;

/* Sets which barrier BAR names, and for how many threads it waits; 0: all. In barriers.c. */
void barrier_operands(const struct warp *warp, const struct instruction *code, uint32_t lanes, unsigned numbers[2]);

/* Notes that a wait for a phase is over. In barriers.c. */
void phase_has_ended(struct warp *warp, const struct instruction *code);

/* outside_calls.c */
control_step do_call_outside;
/* The address that a lane calls: of a register, or of what the code names. */
uint64_t call_address(const struct warp *warp, const struct instruction *code, unsigned lane);

/* The operand's word in the first of these lanes. */
static inline uint32_t first_value(const struct warp *warp, const struct operand *operand, uint32_t lanes)
{
    const unsigned lane = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    return row_at(warp, operand->space, operand->row)[lane];
}

/* It was executed by so many threads, and by how many is known between two bounds only. */
static inline void note_loose(struct warp *warp, const struct instruction *code, unsigned threads)
{
    struct tally *tally = &warp->block->tallies[code->index];
    if (warp->block->code->has_spins)
        tally->wide++;
    else
        tally->loose++;
    tally->loose_threads += threads;
    tally->loose_waits += code->waits_for != 0;
}
