/* The loop that executes a warp. Its splits are executed in turn, each until it waits, is gone, or its turn is over. */
#include "client.h"
#include "control.h"
#include "control_parts.h"
#include "record.h"
#include "splits.h"

#include "machine/memory/memory.h"
#include "machine/proof/proof.h"
#include "machine/races/races.h"

/* Notes that so many threads of a warp executed the instructions from `first` to before `end`. */
static void note_flow(struct block *block, uint32_t first, uint32_t end, unsigned threads)
{
    block->flows[first].warps++;
    block->flows[first].threads += threads;
    block->flows[end].warps--;
    block->flows[end].threads -= threads;
}

enum { LOADS = (1 << SCOREBOARDS) - 1 };

/* Returns how many waits for a load there are, one or none. Groups of copies have read what they copy by then. */
static unsigned wait_for(struct warp *warp, const struct instruction *code, unsigned pending)
{
    const unsigned counts = pending & code->waits_for;
    if (counts >> SCOREBOARDS)
        watch_bytes(warp, code, warp->block, ACCESS_COUNTED, 0, 0, counts);
    return (counts & LOADS) != 0;
}

/* Tells those of an instruction, before it is executed, who ask for each. */
static void see_step(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    if (warp->block->proof)
        proof_step(warp, code, lanes);
    if (warp->block->recorded)
        record_step(warp, code, lanes);
    if (warp->block->grid->client)
        client_step(warp, code, lanes);
}

/* Executes one split. True: its turn is over. False: it waits or is gone. */
static bool run_split(struct warp *warp, unsigned index)
{
    struct block *const block = warp->block;
    const struct instruction *const list = block->code->list;
    struct tally *const tallies = block->tallies;
    const struct instruction *const end = list + block->code->count;
    struct split *split = &warp->splits[index];
    uint32_t active = split->lanes, first = split->pc;
    unsigned threads = count_lanes(active), pending = split->pending;
    warp->active = active;
    warp->yielders = split->yielders;
    const unsigned turn = warp->slow_turns > 0 ? 1 : block->turn;
    warp->slow_turns -= warp->slow_turns > 0;
    const bool multiplies_apart = block->code->multiplies_apart,
               is_seen = block->proof || block->recorded || client_calls(block->grid->client);
    const struct instruction *code = list + first;
    for (unsigned fuel = 0; fuel < turn; fuel++) {
        if (code >= end)
            block_not_simulated(block, "execution beyond the end of the function");
        uint32_t lanes = active;
        if (code->guarded) {
            lanes &= *mask_at(warp, code->guard) ^ code->guard_flip;
            if (lanes != active)
                tallies[code->index].working -= threads - count_lanes(lanes);
        }
        if (pending & code->waits_for) {
            tallies[code->index].waits += wait_for(warp, code, pending);
            pending &= ~(LOADS | code->waits_for); /* whatever is loaded arrives meanwhile */
        }
        if (multiplies_apart && lanes)
            warpgroup_watch(warp, code);
        if (is_seen)
            see_step(warp, code, lanes);
        if (code->control == CONTROL_NEXT) {
            if (lanes && code->run) {
                pending |= code->counted_by;
                block->now = code;
                warp->guarded = lanes;
                code->run(warp, code, code->uniform ? ALL_LANES : lanes);
            }
            code++;
            continue;
        }
        split->pc = code->index;
        split->pending = (unsigned short)pending;
        note_flow(block, first, code->index + 1, threads);
        warp->in_turn = fuel;
        if (!control_run(warp, code, index, lanes) || warp->yields) {
            block->cluster->steps += fuel + 1;
            warp->steps += fuel + 1;
            return false;
        }
        first = split->pc;
        code = list + first;
        pending = split->pending;
        if (split->lanes != active) {
            active = split->lanes;
            threads = count_lanes(active);
            warp->active = active;
        }
    }
    split->pc = (uint32_t)(code - list);
    split->pending = (unsigned short)pending;
    note_flow(block, first, split->pc, threads);
    block->cluster->steps += turn;
    warp->steps += turn;
    warp->yields = true;
    return true;
}

bool warp_end_waits(struct warp *warp)
{
    bool ended = false;
    for (unsigned i = 0; i < warp->split_count; i++) {
        struct split *split = &warp->splits[i];
        const struct instruction *code = &warp->block->code->list[split->pc];
        if (split->state != SPLIT_AT_PHASE)
            continue;
        const uint32_t lanes = split->lanes & (*mask_at(warp, code->guard) ^ code->guard_flip);
        if (!(code->control == CONTROL_WAIT_PRODUCTS ? products_are_done : phase_is_over)(warp, code, lanes))
            continue;
        phase_has_ended(warp, code);
        split->state = SPLIT_READY;
        split->pc++;
        ended = true;
    }
    return ended;
}

bool warp_give_up_waits(struct warp *warp)
{
    bool any = false;
    for (unsigned i = 0; i < warp->split_count; i++) {
        struct split *split = &warp->splits[i];
        const struct instruction *code = &warp->block->code->list[split->pc];
        if (split->state != SPLIT_AT_PHASE || code->control == CONTROL_WAIT_PRODUCTS)
            continue;
        waits_note_looks(warp->block, code, true);
        predicate_set(warp, &code->operands[0], split->lanes & (*mask_at(warp, code->guard) ^ code->guard_flip), 0);
        split->state = SPLIT_READY;
        split->pc++;
        any = true;
    }
    return any;
}

void warp_start(struct warp *warp)
{
    warp->split_count = 1;
    warp->current = 0;
    warp->splits[0] = (struct split){.lanes = warp->alive};
    memset(warp->masks, 0, sizeof warp->masks);
    warp->masks[MASK_TRUE] = warp->masks[8 + MASK_TRUE] = ALL_LANES;
    warp->poll = (struct poll){0};
    warp->cluster_arrived = warp->gone_apart = warp->broken = warp->follow = warp->followers = 0;
    warp->turns = warp->slow_turns = 0;
    warp->steps = 0;
}

bool warp_run(struct warp *warp)
{
    bool ran = false;
    const enum split_order order = warp->block->splits;
    warp->idle = false;
    for (;;) {
        unsigned ready = warp->split_count;
        /* Splits are executed in turn, so that of two that wait for each other in a loop none runs for ever. */
        for (unsigned k = 0; k < warp->split_count && ready == warp->split_count; k++) {
            const unsigned in_turn = (warp->current + k) % warp->split_count,
                           i = order == SPLITS_LAST ? warp->split_count - 1 - in_turn : in_turn;
            if (warp->splits[i].state == SPLIT_READY)
                ready = i;
        }
        if (ready == warp->split_count)
            return ran;
        ran = true;
        /* The next split comes after a fixed number of instructions, however short the turns are. */
        const uint64_t before = warp->steps;
        warp->turns = run_split(warp, ready) ? warp->turns + 1 : 0;
        struct client *client = warp->block->grid->client;
        const char *ends = client ? client_check(client, warp->steps - before) : NULL;
        if (ends)
            block_fault_of(warp->block, FAULT_NONE, "%s", ends);
        const bool long_enough = warp->turns >= FUEL / warp->block->turn;
        if (long_enough)
            warp->turns = 0;
        warp->current = order != SPLITS_IN_TURN ? warp->current + long_enough : ready + (warp->turns == 0);
        if (warp->yields) {
            warp->yields = false;
            return ran;
        }
    }
}
