/* splits.h - lanes of a warp that part into splits, and join again. */
#pragma once

#include "machine/block/block.h"

static inline unsigned count_lanes(uint32_t lanes)
{
    /* The bits are counted by arithmetic, since few of the machines that this is compiled for have an instruction for
     * it. */
    if (lanes == ALL_LANES)
        return LANES;
    lanes -= lanes >> 1 & 0x55555555;
    lanes = (lanes & 0x33333333) + (lanes >> 2 & 0x33333333);
    return ((lanes + (lanes >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Seen on an H100: lanes that wait where they join execute that once more if the last of the others does not come but
 * exits. Of two sides of a branch the smaller one went first there. Whether it does everywhere is not known, so it may
 * be so wherever some of those to join exited apart from the others. */
static inline void note_gone(struct warp *warp, uint32_t pc, uint32_t there, uint32_t wanted)
{
    if (!(wanted & warp->gone_apart))
        return;
    warp->block->tallies[pc].more_instructions++;
    if (there == warp->alive)
        warp->gone_apart = 0; /* nobody waits any more */
}

/* Whether others of the warp are to join these lanes. */
static inline bool split_is_awaited(const struct warp *warp, const struct split *split)
{
    uint32_t missing = 0;
    for (unsigned b = 0; b < BARRIERS && split->lanes != warp->alive; b++)
        missing |= split->targets[b];
    return missing & warp->alive & ~split->lanes;
}

/* Makes a split of some lanes of *from, ready to execute the instruction at pc. The caller removes the lanes from
 * *from. */
struct split *split_add(struct warp *warp, const struct split *from, uint32_t lanes, uint32_t pc);

/* Notes that these lanes of a split exit. */
void split_leave(struct warp *warp, unsigned index, uint32_t lanes);

/* Takes lanes out of those that join at a barrier register, in every copy of it that has this mask. */
void splits_break(struct warp *warp, unsigned barrier, uint32_t mask, uint32_t lanes);

/* Parts a split from all others that were to join it at a barrier register: it goes on by itself there. */
void split_part(struct warp *warp, unsigned index, unsigned barrier);

/* Lets splits continue that wait for nobody any more, after an arrival, an exit or a break. */
void splits_look_again(struct warp *warp);
