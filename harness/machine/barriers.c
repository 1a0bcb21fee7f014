/* Where lanes of a warp wait for each other, and warps of a block. Each do_X is as control_run(). */
#include "control.h"
#include "control_parts.h"
#include "splits.h"

#include "machine/memory/memory.h"
#include "machine/races/races.h"

/* ---- Of a warp ---- */

/* Lanes that come one after the other to where they join execute the BSYNC each, unless they come at once: then the
 * hardware takes them together, now and then. Of two it cannot. */
static void note_arrival(struct warp *warp, const struct instruction *code, const struct split *split, unsigned barrier)
{
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == SPLIT_JOINING && warp->splits[i].joins == barrier &&
            warp->splits[i].targets[barrier] == split->targets[barrier]) {
            note_loose(warp, code, count_lanes(split->lanes));
            return;
        }
}

bool do_move_barrier(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const struct operand *barrier = operand_of(code, OPERAND_BARRIER), *other = operand_of(code, OPERAND_ROW);
    if (!barrier || !other)
        block_not_simulated(warp->block, "%s of these operands", code->opcode);
    /* Seen on an H200: what is kept so while lanes are apart may join elsewhere than its place says. So it is not known
     * from here on which lanes are together. And where lanes call from within a region that they are to join in, as a
     * function does that calls itself, an H100 counts more instructions than are executed. */
    const bool keeps = code->operands[0].kind != OPERAND_BARRIER;
    if (split->lanes != warp->alive || (keeps && split->targets[barrier->index]))
        waits_note_apart(warp->block);
    uint32_t *row = row_at(warp, other->space, other->row);
    split->pc++;
    if (code->operands[0].kind == OPERAND_BARRIER) {
        split->targets[barrier->index] = first_value(warp, other, lanes);
        return true;
    }
    const bool is_kept = other->row != ROW_ZERO * ROW_BYTES;
    for (unsigned l = 0; l < LANES && is_kept; l++)
        if (lanes >> l & 1)
            row[l] = split->targets[barrier->index];
    if (IS(CLEAR))
        split->targets[barrier->index] = 0;
    return true;
}

/* Each group of lanes that name each other goes on by itself. */
static void go_in_groups(struct warp *warp, const struct instruction *code, struct split *split, const uint32_t *row)
{
    /* An H200 executes WARPSYNC.EXCLUSIVE once for each group of lanes, and WARPSYNC.COLLECTIVE only once. */
    const bool again = has_modifier(code, "EXCLUSIVE");
    struct tally *tally = &warp->block->tallies[code->index];
    uint32_t left = split->lanes;
    const uint32_t behind = split->pc + 1;
    bool first = true;
    while (left) {
        const uint32_t group = row[__builtin_ctz(left)] & left;
        if (!first && again) {
            tally->again++;
            tally->again_threads += count_lanes(left);
            tally->divergent++;
        }
        tally->uniform += again && first && group == left;
        /* An H100 counts an instruction behind .COLLECTIVE once more for each group; an H200 was seen not to. */
        tally->wide += !again && !first;
        tally->loose_threads += !again && !first ? count_lanes(group) : 0;
        left &= ~group;
        if (first) {
            split->lanes = group;
            split->pc = behind;
            first = false;
        } else {
            split_add(warp, split, group, behind);
        }
    }
}

/* Lanes that each name those that they want to be with. False: it waits. */
bool do_warpsync(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    uint32_t wanted = 0;
    const struct operand *mask = operand_of(code, OPERAND_ROW);
    const bool target_only = has_modifier(code, "COLLECTIVE") && code->operand_count == 1;
    if (has_modifier(code, "ALL") || !mask || target_only) {
        wanted = ALL_LANES;
    } else {
        const uint32_t *row = row_at(warp, mask->space, mask->row);
        EACH_BIT(l, split->lanes) {
            wanted |= row[l];
            if (!(row[l] >> l & 1) && lanes >> l & 1)
                block_fault(warp->block, "lane %u of warp %u synchronizes lanes 0x%08x, without itself", l,
                            warp->number, row[l]);
        }
        bool alike = true;
        for (unsigned l = 0; l < LANES; l++)
            alike &= !(split->lanes >> l & 1) || (row[l] & warp->alive) == (wanted & warp->alive);
        const bool collective = has_modifier(code, "COLLECTIVE") && !alike,
                   here = (wanted & warp->alive & ~split->lanes) == 0;
        if (collective && !here)
            block_not_simulated(warp->block, "%s of several groups whose lanes have diverged", code->opcode);
        if (here && (collective || has_modifier(code, "EXCLUSIVE"))) {
            go_in_groups(warp, code, split, row);
            return true;
        }
    }
    if ((wanted & warp->alive & ~split->lanes) == 0) {
        note_gone(warp, split->pc, split->lanes, wanted);
        split->yielders = warp->yielders = 0;
        split->pc++;
        return true;
    }
    note_loose(warp, code, count_lanes(split->lanes));
    split->state = SPLIT_SYNCING;
    split->wanted = wanted;
    return false;
}

bool do_open(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    (void)lanes;
    const unsigned barrier = operand_of(code, OPERAND_BARRIER)->index;
    split->targets[barrier] = split->lanes;
    split->held &= (unsigned short)~(1u << barrier);
    split->pc++;
    return true;
}

bool do_join(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const unsigned barrier = operand_of(code, OPERAND_BARRIER)->index;
    (void)lanes;
    /* All there, most of the time. */
    if ((split->targets[barrier] & warp->alive & ~split->lanes) == 0) {
        note_gone(warp, split->pc, split->lanes, split->targets[barrier]);
        if (split->yielders && split->held >> barrier & 1)
            split->yielders = warp->yielders = 0;
        split->pc++;
        return true;
    }
    note_arrival(warp, code, split, barrier);
    split->state = SPLIT_JOINING;
    split->joins = (unsigned char)barrier;
    return false;
}

bool do_break(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const unsigned barrier = operand_of(code, OPERAND_BARRIER)->index;
    if (lanes && warp->split_count > 1) {
        note_loose(warp, code, count_lanes(lanes));
        warp->block->tallies[code->index].breaks++;
    }
    const uint32_t leaving = lanes & extra_predicate(warp, code);
    if (warp->broken & warp->alive & ~split->lanes)
        warp->follow |= leaving;
    warp->broken |= leaving;
    splits_break(warp, barrier, split->targets[barrier], leaving);
    split->pc++;
    return false;
}

/* ---- Of a block ---- */

static unsigned value_of(const struct warp *warp, const struct operand *operand, uint32_t lanes)
{
    return operand->immediate ? (unsigned)operand->value : first_value(warp, operand, lanes);
}

bool barrier_open(struct block *block, unsigned number, unsigned wanted)
{
    struct block_barrier *barrier = &block->barriers[number];
    unsigned there = barrier->arrived, missing = 0, waiting = 0;
    uint32_t waiters = 0, gone = 0;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        uint32_t here = 0;
        for (unsigned s = 0; s < warp->split_count; s++)
            if (warp->splits[s].state == SPLIT_AT_BARRIER && warp->splits[s].barrier == number) {
                here |= warp->splits[s].lanes;
                block->now = &block->code->list[warp->splits[s].pc];
                wanted = warp->splits[s].barrier_threads ? warp->splits[s].barrier_threads : wanted;
            }
        waiting += here != 0;
        waiters |= here ? 1u << w : 0;
        gone |= warp->alive ? 0 : 1u << w;
        if (here && here == warp->alive)
            there += LANES;
        else if (warp->alive)
            missing++;
    }
    if (wanted && there > wanted)
        block_fault(block, "%u threads wait at barrier %u, which has a count of %u: nothing decides which it releases",
                    there, number, wanted);
    if (wanted ? there < wanted : waiting == 0 || missing > 0)
        return false;
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        for (unsigned s = 0; s < warp->split_count; s++) {
            struct split *split = &warp->splits[s];
            if (split->state != SPLIT_AT_BARRIER || split->barrier != number)
                continue;
            const struct instruction *code = &block->code->list[split->pc];
            warp->barrier_count = barrier->votes;
            warp->barrier_vote = IS(AND) ? barrier->vote_and == 0 : barrier->vote_or != 0;
            split->state = SPLIT_READY;
            split->pc++;
        }
    }
    watch_bytes(NULL, NULL, block, ACCESS_MEETS, waiters, number + 1, barrier->arrivers | (wanted ? 0 : gone));
    *barrier = (struct block_barrier){0};
    block->epoch++;
    block->cluster->waited = false;
    block->wrote = true;
    return true;
}

void barrier_operands(const struct warp *warp, const struct instruction *code, uint32_t lanes, unsigned numbers[2])
{
    unsigned count = 0;
    numbers[0] = numbers[1] = 0;
    for (unsigned i = 0; i < code->operand_count && count < 2; i++)
        if (code->operands[i].kind == OPERAND_ROW)
            numbers[count++] = value_of(warp, &code->operands[i], lanes);
    /* Where both are in a register, it has the number below, and the threads above it. */
    if (count > 0 && !code->operands[0].immediate) {
        numbers[0] &= 0xf;
        numbers[1] = count > 1 && !code->operands[1].immediate ? numbers[1] >> 16 & 0xfff : numbers[1];
    }
    numbers[0] %= NAMED_BARRIERS;
}

/* BAR id [, threads] [, predicate]. False: it waits. */
bool do_block_barrier(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const struct operand *vote = operand_of(code, OPERAND_PREDICATE);
    const uint32_t yes = vote ? predicate(warp, vote) : ALL_LANES;
    unsigned numbers[2];
    barrier_operands(warp, code, lanes, numbers);
    const unsigned number = numbers[0];
    struct block_barrier *barrier = &warp->block->barriers[number];
    const unsigned wanted = numbers[1] ? numbers[1] : warp->block->warp_count * LANES;
    if (IS(ARV))
        barrier_open(warp->block, number, numbers[1]); /* this arrival is for the next time */
    if (barrier->wanted && barrier->wanted != wanted)
        block_fault(warp->block, "warp %u comes to barrier %u with a count of %u threads, and others with %u",
                    warp->number, number, wanted, barrier->wanted);
    barrier->wanted = wanted;
    if (IS(ARV)) {
        barrier->arrived += LANES;
        barrier->arrivers |= 1u << warp->number;
        hazards_arrive(warp, number);
        barrier_open(warp->block, number, numbers[1]);
        split->pc++;
        return true;
    }
    if (IS(RED)) {
        barrier->votes += count_lanes(lanes & yes);
        barrier->vote_and |= lanes & ~yes ? 1u : 0;
        barrier->vote_or |= lanes & yes ? 1u : 0;
    }
    split->state = SPLIT_AT_BARRIER;
    split->barrier = (unsigned char)number;
    split->barrier_threads = numbers[1];
    return false;
}

/* Each warp waits until the others of its warpgroup wait, too. On a GPU it is enough that they have arrived, which they
 * do just before. An H100 counts one instruction more for each wait of nvjet, which may be chance. */
bool do_wait_group(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    enum { WARPS = 4 };
    struct split *split = &warp->splits[index];
    (void)lanes;
    struct tally *tally = &warp->block->tallies[code->index];
    tally->more_instructions++;
    tally->loose_threads++; /* in which maybe no lane works */
    split->state = SPLIT_AT_BARRIER;
    split->barrier = (unsigned char)(NAMED_BARRIERS + warp->number / WARPS);
    split->barrier_threads = WARPS * LANES;
    return false;
}

/* Seen on an H100: a wait gives up after 7,700 clocks, and the code then looks again. How long a wait takes is not
 * known here. It ends with the first look where all that other warps execute meanwhile takes less, if it is executed
 * one after the other, with 64 clocks for each instruction. How often it looks otherwise depends on timing; an H100 was
 * seen to differ from run to run. So it does where the code also looks without waiting, or sleeps, between two waits.
 */
enum { LOOK_CLOCKS = 7700, STEP_CLOCKS = 64 };

void phase_has_ended(struct warp *warp, const struct instruction *code)
{
    if (code->control != CONTROL_WAIT_PHASE)
        return;
    const struct cluster *cluster = warp->block->cluster;
    const uint64_t clocks = (cluster->steps - warp->waits_from) / cluster->count * STEP_CLOCKS;
    if (clocks >= LOOK_CLOCKS || waits_between(warp->block, code, false))
        waits_note_looks(warp->block, code, false);
}

bool do_wait_phase(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    struct tally *tally = &warp->block->tallies[code->index];
    if (code->control == CONTROL_WAIT_PHASE && tally->phase_waits++ == 0)
        waits_note_retries(warp->block, code);
    warp->waits_from = warp->block->cluster->steps;
    if (split_is_awaited(warp, split) && waits_between(warp->block, code, true))
        split->yielders = split->lanes;
    if ((code->control == CONTROL_WAIT_PRODUCTS ? products_are_done : phase_is_over)(warp, code, lanes)) {
        phase_has_ended(warp, code);
        split->pc++;
        return true;
    }
    split->state = SPLIT_AT_PHASE;
    return false;
}

/* ---- Of a cluster ---- */

/* Notes that lanes arrive. An H100 counts it as an instruction, and nothing more. */
static void arrive(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t here = lanes & warp->guarded;
    if (warp->cluster_arrived & here)
        block_fault(warp->block, "%s: lanes arrive at the cluster barrier twice without waiting", code->opcode);
    warp->cluster_arrived |= here;
}

bool cluster_open(struct cluster *cluster)
{
    bool any = false;
    for (unsigned i = 0; i < cluster->count; i++)
        for (unsigned w = 0; w < cluster->blocks[i].warp_count && cluster->blocks[i].runs; w++) {
            const struct warp *warp = &cluster->blocks[i].warps[w];
            if (warp->alive & ~warp->cluster_arrived)
                return false;
            any |= warp->alive != 0;
        }
    if (!any)
        return false;
    bool opened = false;
    for (unsigned i = 0; i < cluster->count; i++)
        for (unsigned w = 0; w < cluster->blocks[i].warp_count; w++) {
            struct warp *warp = &cluster->blocks[i].warps[w];
            warp->cluster_arrived = 0;
            for (unsigned s = 0; s < warp->split_count; s++)
                if (warp->splits[s].state == SPLIT_AT_CLUSTER) {
                    warp->splits[s].state = SPLIT_READY;
                    warp->splits[s].pc++;
                    opened = true;
                }
        }
    for (unsigned i = 0; i < cluster->count; i++) {
        struct block *block = &cluster->blocks[i];
        block->epoch++;
        if (block->runs)
            watch_bytes(NULL, NULL, block, ACCESS_MEETS, (UINT64_C(1) << block->warp_count) - 1, 0, 0);
        if (block->runs)
            watch_bytes(NULL, NULL, block, ACCESS_JOINS, 0, 0, 0);
    }
    cluster->waited &= !opened;
    return opened;
}

/* Waits until all have arrived. If they have since, no lane of the split has arrived for the next time. */
bool do_wait_cluster(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    (void)code;
    if ((warp->cluster_arrived & lanes) == 0) {
        split->pc++;
        return true;
    }
    split->state = SPLIT_AT_CLUSTER;
    return false;
}

/* clang-format off */
const struct opcode cluster_opcodes[] = {
    {"UCGABAR_ARV",  arrive, TRAIT_FENCE | RULE_KEEPS,                        NULL, "", ""},
    {"UCGABAR_WAIT", NULL,   CONTROL_WAIT_CLUSTER | TRAIT_FENCE | RULE_KEEPS, NULL, "", ""},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
