/* Where a warp goes: branches, lanes that part and join again, barriers.
 *
 * Lanes that part become splits, which join only where the code says so: BSSY notes the lanes of a split in a register,
 * BSYNC waits until all of those that are left have come. A copy of these registers belongs to each split, because two
 * of them may use the same one for different places; so lanes that break out (BREAK) are taken from every copy that is
 * the same. */
#include "machine.h"

#include <string.h>

enum { INSTRUCTION_BYTES = 16 };

static unsigned count_lanes(uint32_t lanes)
{
    /* Few machines that this is compiled for promise an instruction for it. */
    if (lanes == ALL_LANES)
        return LANES;
    lanes -= lanes >> 1 & 0x55555555;
    lanes = (lanes & 0x33333333) + (lanes >> 2 & 0x33333333);
    return ((lanes + (lanes >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* ---- Splits ---- */

static struct split *add_split(struct warp *warp, const struct split *from, uint32_t lanes, uint32_t pc)
{
    struct split *split = &warp->splits[warp->split_count++];
    if (split != from)
        *split = *from;
    split->lanes = lanes;
    split->pc = pc;
    split->state = SPLIT_READY;
    return split;
}

static void remove_split(struct warp *warp, unsigned index)
{
    warp->splits[index] = warp->splits[--warp->split_count];
}

/* Joins the splits that are at that place and marked (state as given); they go on behind it. Splits that wait elsewhere
 * for the same go on by themselves. */
static void release(struct warp *warp, uint32_t marked)
{
    for (unsigned i = 0; i < warp->split_count; i++) {
        if (!(marked >> i & 1))
            continue;
        struct split *split = &warp->splits[i];
        split->state = SPLIT_READY;
        for (unsigned k = i + 1; k < warp->split_count;) {
            if ((marked >> k & 1) && warp->splits[k].pc == split->pc) {
                split->lanes |= warp->splits[k].lanes;
                const unsigned last = warp->split_count - 1;
                marked = (marked & ~(1u << k)) | ((marked >> last & 1) << k);
                if (k == last)
                    marked &= ~(1u << k);
                else
                    marked &= ~(1u << last);
                remove_split(warp, k);
            } else {
                k++;
            }
        }
        split->pc++;
    }
}

/* Looks at everyone who waits in the warp again: after an arrival, an exit or a break. */
static bool look_again(struct warp *warp)
{
    for (unsigned i = 0; i < warp->split_count; i++) {
        const struct split *split = &warp->splits[i];
        uint32_t marked = 0, there = 0;
        if (split->state == SPLIT_JOINING) {
            const unsigned b = split->joins;
            const uint32_t wanted = split->targets[b];
            for (unsigned k = 0; k < warp->split_count; k++)
                if (warp->splits[k].state == SPLIT_JOINING && warp->splits[k].joins == b &&
                    warp->splits[k].targets[b] == wanted) {
                    marked |= 1u << k;
                    there |= warp->splits[k].lanes;
                }
            if ((wanted & warp->alive & ~there) == 0) {
                release(warp, marked);
                return true;
            }
        } else if (split->state == SPLIT_SYNCING) {
            for (unsigned k = 0; k < warp->split_count; k++)
                if (warp->splits[k].state == SPLIT_SYNCING) {
                    marked |= 1u << k;
                    there |= warp->splits[k].lanes;
                }
            /* All that wait for each other and are there. */
            uint32_t wanted = split->wanted, together = 0;
            for (unsigned k = 0; k < warp->split_count; k++)
                if ((marked >> k & 1) && (warp->splits[k].lanes & wanted)) {
                    together |= 1u << k;
                    wanted |= warp->splits[k].wanted;
                }
            together |= 1u << i;
            if ((wanted & warp->alive & ~there) == 0) {
                release(warp, together);
                return true;
            }
        }
    }
    return false;
}

/* ---- What an instruction's operands say ---- */

static uint32_t extra_predicate(struct warp *warp, const struct instruction *code)
{
    uint32_t lanes = ALL_LANES;
    for (unsigned i = 0; i < code->operand_count; i++)
        if (code->operands[i].kind == OPERAND_PREDICATE)
            lanes &= predicate(warp, &code->operands[i]);
    return lanes;
}

static const struct operand *operand_of(const struct instruction *code, enum operand_kind kind)
{
    for (unsigned i = 0; i < code->operand_count; i++)
        if (code->operands[i].kind == kind)
            return &code->operands[i];
    return NULL;
}

static uint32_t first_value(const struct warp *warp, const struct operand *operand, uint32_t lanes)
{
    const unsigned lane = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    return row_at(warp, operand->space, operand->row)[lane];
}

/* The place a jump names: the last immediate or symbol. */
static uint32_t target_of(struct warp *warp, const struct instruction *code)
{
    for (unsigned i = code->operand_count; i-- > 0;) {
        const struct operand *operand = &code->operands[i];
        if (operand->kind == OPERAND_TARGET || (operand->kind == OPERAND_ROW && operand->immediate))
            return (uint32_t)(operand->value / INSTRUCTION_BYTES);
    }
    block_not_simulated(warp->block, "%s without a place to go to", code->opcode);
}

/* ---- Branches ---- */

static void tally_branch(struct warp *warp, const struct instruction *code, uint32_t active, uint32_t taken)
{
    struct tally *tally = &warp->block->tallies[code->index];
    if (taken == 0 || taken == active)
        tally->uniform++;
    else
        tally->divergent++;
}

/* Each lane to its own place (an instruction's index): lanes of one place stay together. The hardware executes the
 * instruction again for each further place. */
static void go_apart(struct warp *warp, struct split *split, uint32_t lanes, const uint32_t *places)
{
    struct tally *tally = &warp->block->tallies[split->pc];
    uint32_t left = lanes;
    bool first = true;
    while (left) {
        if (!first) {
            tally->again++;
            tally->again_threads += count_lanes(left);
            tally->divergent++;
        }
        const uint32_t place = places[__builtin_ctz(left)];
        uint32_t same = 0;
        for (unsigned l = 0; l < LANES; l++)
            same |= (left >> l & 1) && places[l] == place ? 1u << l : 0;
        left &= ~same;
        if (first) {
            split->pc = place;
            split->lanes = same;
            first = false;
        } else {
            add_split(warp, split, same, place);
        }
    }
}

/* A register's value, 32 or 64 bits with a sign, as bytes from the start of the code. */
static void indirect(struct warp *warp, const struct instruction *code, struct split *split, uint32_t taken,
                     int64_t from)
{
    const struct operand *operand = operand_of(code, OPERAND_ROW);
    if (!operand || operand->immediate)
        block_not_simulated(warp->block, "%s without a register", code->opcode);
    const uint32_t *row = row_at(warp, operand->space, operand->row);
    uint32_t places[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        const int64_t place = from + (int32_t)row[l];
        if ((taken >> l & 1) &&
            (place < 0 || place % INSTRUCTION_BYTES || (uint64_t)place / INSTRUCTION_BYTES >= warp->block->code->count))
            block_not_simulated(warp->block, "%s leaves the function", code->opcode);
        places[l] = (taken >> l & 1) ? (uint32_t)(place / INSTRUCTION_BYTES) : split->pc + 1;
    }
    const uint32_t before = split->lanes;
    go_apart(warp, split, before, places);
    warp->block->tallies[code->index].uniform += split->lanes == before;
}

/* A function of the driver's, by its address in a register: only what a failing assertion calls is known. */
__attribute__((noreturn)) static void call_outside(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *operand = operand_of(code, OPERAND_ROW);
    const char *name = NULL;
    if (operand && !operand->immediate) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        const uint64_t low = row_at(warp, operand->space, operand->row)[lane];
        const uint64_t high = row_at(warp, operand->space, operand->high)[lane];
        name = module_outside(warp->block->grid->function->module, high << 32 | low);
    }
    if (name && strcmp(name, "__assertfail") == 0)
        block_fault(warp->block, "an assertion fails");
    block_not_simulated(warp->block, "%s of %s", code->opcode, name ? name : "something outside the machine code");
}

static void branch(struct warp *warp, const struct instruction *code, struct split *split, uint32_t lanes,
                   uint32_t taken)
{
    const uint32_t target = target_of(warp, code);
    warp->block->tallies[code->index].unsent_threads += count_lanes(lanes & ~taken);
    tally_branch(warp, code, split->lanes, taken);
    if (taken == split->lanes) {
        split->pc = target;
    } else if (taken == 0) {
        split->pc++;
    } else {
        add_split(warp, split, taken, target);
        split->lanes &= ~taken;
        split->pc++;
    }
}

/* ---- Barriers of a warp ---- */

static void break_out(struct warp *warp, unsigned barrier, uint32_t mask, uint32_t lanes)
{
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].targets[barrier] == mask)
            warp->splits[i].targets[barrier] &= ~lanes;
}

static void move_barrier(struct warp *warp, const struct instruction *code, struct split *split, uint32_t lanes)
{
    const struct operand *barrier = operand_of(code, OPERAND_BARRIER), *other = operand_of(code, OPERAND_ROW);
    if (!barrier || !other)
        block_not_simulated(warp->block, "%s of these operands", code->opcode);
    uint32_t *row = row_at(warp, other->space, other->row);
    if (code->operands[0].kind == OPERAND_BARRIER) {
        split->targets[barrier->index] = first_value(warp, other, lanes);
        return;
    }
    const bool is_kept = other->row != ROW_ZERO * ROW_BYTES;
    for (unsigned l = 0; l < LANES && is_kept; l++)
        if (lanes >> l & 1)
            row[l] = split->targets[barrier->index];
    if (IS(CLEAR))
        split->targets[barrier->index] = 0;
}

/* Each group of lanes that name each other goes on by itself. */
static void go_in_groups(struct warp *warp, const struct instruction *code, struct split *split, const uint32_t *row)
{
    /* Seen on an H200: .EXCLUSIVE is executed again for each group, .COLLECTIVE is not. */
    const bool again = has_modifier(code, "EXCLUSIVE");
    struct tally *tally = &warp->block->tallies[code->index];
    uint32_t left = split->lanes;
    const uint32_t behind = split->pc + 1;
    bool first = true;
    while (left) {
        const uint32_t group = row[__builtin_ctz(left)] & left;
        if (!group)
            block_not_simulated(warp->block, "%s of a lane that does not name itself", code->opcode);
        if (!first && again) {
            tally->again++;
            tally->again_threads += count_lanes(left);
            tally->divergent++;
        }
        tally->uniform += again && first && group == left;
        left &= ~group;
        if (first) {
            split->lanes = group;
            split->pc = behind;
            first = false;
        } else {
            add_split(warp, split, group, behind);
        }
    }
}

/* Lanes that each name those that they want to be with. False: it waits. */
static bool warpsync(struct warp *warp, const struct instruction *code, struct split *split)
{
    uint32_t wanted = 0;
    const struct operand *mask = operand_of(code, OPERAND_ROW);
    const bool target_only = has_modifier(code, "COLLECTIVE") && code->operand_count == 1;
    if (has_modifier(code, "ALL") || !mask || target_only) {
        wanted = ALL_LANES;
    } else {
        const uint32_t *row = row_at(warp, mask->space, mask->row);
        for (unsigned l = 0; l < LANES; l++)
            wanted |= split->lanes >> l & 1 ? row[l] : 0;
        bool alike = true;
        for (unsigned l = 0; l < LANES; l++)
            alike &= !(split->lanes >> l & 1) || (row[l] & warp->alive) == (wanted & warp->alive);
        const bool collective = has_modifier(code, "COLLECTIVE") && !alike,
                   here = (wanted & warp->alive & ~split->lanes) == 0;
        if (collective && !here)
            block_not_simulated(warp->block, "%s of several groups, some of whose lanes are elsewhere", code->opcode);
        if (here && (collective || has_modifier(code, "EXCLUSIVE"))) {
            go_in_groups(warp, code, split, row);
            return true;
        }
    }
    if ((wanted & warp->alive & ~split->lanes) == 0) {
        split->pc++;
        return true;
    }
    split->state = SPLIT_SYNCING;
    split->wanted = wanted;
    return false;
}

/* ---- Barriers of a block ---- */

static unsigned value_of(const struct warp *warp, const struct operand *operand, uint32_t lanes)
{
    return operand->immediate ? (unsigned)operand->value : first_value(warp, operand, lanes);
}

/* BAR id [, threads] [, predicate]. False: it waits. */
static bool block_barrier(struct warp *warp, const struct instruction *code, struct split *split, uint32_t lanes)
{
    unsigned numbers[2] = {0, 0}, count = 0;
    uint32_t yes = ALL_LANES;
    for (unsigned i = 0; i < code->operand_count; i++) {
        const struct operand *operand = &code->operands[i];
        if (operand->kind == OPERAND_PREDICATE)
            yes = predicate(warp, operand);
        else if (operand->kind == OPERAND_ROW && count < 2)
            numbers[count++] = value_of(warp, operand, lanes);
    }
    /* A register has both: the number below, and the threads above it. */
    if (count > 0 && !code->operands[0].immediate) {
        numbers[1] = count > 1 ? numbers[1] >> 16 & 0xfff : 0;
        numbers[0] &= 0xf;
    }
    struct block_barrier *barrier = &warp->block->barriers[numbers[0] % BLOCK_BARRIERS];
    if (IS(ARV)) {
        barrier->arrived += LANES;
        split->pc++;
        return true;
    }
    if (IS(RED)) {
        barrier->votes += count_lanes(lanes & yes);
        barrier->vote_and |= lanes & ~yes ? 1u : 0;
        barrier->vote_or |= lanes & yes ? 1u : 0;
    }
    split->state = SPLIT_AT_BARRIER;
    split->barrier = (unsigned char)(numbers[0] % BLOCK_BARRIERS);
    split->barrier_threads = numbers[1];
    return false;
}

/* ---- The loop ---- */

static void leave(struct warp *warp, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    warp->alive &= ~lanes;
    split->lanes &= ~lanes;
    if (split->lanes)
        split->pc++;
    else
        remove_split(warp, index);
}

static void note_loose(struct warp *warp, const struct instruction *code, unsigned threads)
{
    struct tally *tally = &warp->block->tallies[code->index];
    tally->loose++;
    tally->loose_threads += threads;
}

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

/* Executes a control instruction; false: the split waits, is gone or is to stand back. */
static bool control(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const struct operand *barrier;
    warp->block->now = code;
    switch ((enum control)code->control) {
    case CONTROL_BRANCH:
        branch(warp, code, split, lanes, lanes & extra_predicate(warp, code));
        return true;
    case CONTROL_BRANCH_DIVERGENT: {
        const struct operand *mask = operand_of(code, OPERAND_ROW);
        const uint32_t wanted = mask ? first_value(warp, mask, split->lanes) : ALL_LANES;
        /* Its guard is true for those lanes that need not go apart. Seen on an H200: if one has to, all do. */
        branch(warp, code, split, 0, lanes == (wanted & warp->alive) ? 0 : split->lanes);
        return true;
    }
    case CONTROL_BRANCH_ANY:
        branch(warp, code, split, 0, lanes & extra_predicate(warp, code) ? split->lanes : 0);
        return true;
    case CONTROL_BRANCH_INDEXED: {
        const struct operand *last = &code->operands[code->operand_count - 1];
        indirect(warp, code, split, lanes, (int64_t)(split->pc + 1) * INSTRUCTION_BYTES + last->value);
        return true;
    }
    case CONTROL_CALL:
        if (operand_of(code, OPERAND_ROW) && !operand_of(code, OPERAND_ROW)->immediate)
            indirect(warp, code, split, lanes,
                     operand_of(code, OPERAND_TARGET) ? operand_of(code, OPERAND_TARGET)->value : 0);
        else if (lanes == split->lanes) {
            tally_branch(warp, code, lanes, lanes);
            split->pc = target_of(warp, code);
        } else {
            tally_branch(warp, code, split->lanes, lanes);
            add_split(warp, split, lanes, target_of(warp, code));
            split = &warp->splits[index];
            split->lanes &= ~lanes;
            split->pc++;
        }
        return true;
    case CONTROL_CALL_OUTSIDE:
        if (!lanes) {
            split->pc++;
            return true;
        }
        call_outside(warp, code, lanes);
    case CONTROL_RETURN:
        indirect(warp, code, split, lanes,
                 operand_of(code, OPERAND_TARGET) ? operand_of(code, OPERAND_TARGET)->value : 0);
        return true;
    case CONTROL_EXIT:
        lanes &= extra_predicate(warp, code);
        if (!lanes) {
            split->pc++;
            return true;
        }
        leave(warp, index, lanes);
        while (look_again(warp))
            continue;
        return false;
    case CONTROL_OPEN:
        barrier = operand_of(code, OPERAND_BARRIER);
        split->targets[barrier->index] = split->lanes;
        split->pc++;
        return true;
    case CONTROL_JOIN:
        barrier = operand_of(code, OPERAND_BARRIER);
        if (!lanes) {
            split->pc++;
            return true;
        }
        /* All there, most of the time. */
        if ((split->targets[barrier->index] & warp->alive & ~split->lanes) == 0) {
            split->pc++;
            return true;
        }
        note_arrival(warp, code, split, barrier->index);
        split->state = SPLIT_JOINING;
        split->joins = barrier->index;
        while (look_again(warp))
            continue;
        return false;
    case CONTROL_BREAK:
        barrier = operand_of(code, OPERAND_BARRIER);
        if (lanes && warp->split_count > 1)
            note_loose(warp, code, count_lanes(lanes));
        break_out(warp, barrier->index, split->targets[barrier->index], lanes & extra_predicate(warp, code));
        split->pc++;
        while (look_again(warp))
            continue;
        return false;
    case CONTROL_MOVE_BARRIER:
        /* Seen on an H200: what is kept so while lanes are apart joins elsewhere than its place says. */
        if (split->lanes != warp->alive)
            block_not_simulated(warp->block, "%s by some lanes of a warp", code->opcode);
        move_barrier(warp, code, split, lanes);
        split->pc++;
        return true;
    case CONTROL_WARPSYNC:
        if (warpsync(warp, code, split))
            return true;
        note_loose(warp, code, count_lanes(split->lanes));
        while (look_again(warp))
            continue;
        return false;
    case CONTROL_BLOCK_BARRIER:
        if (!lanes) {
            split->pc++;
            return true;
        }
        return block_barrier(warp, code, split, lanes);
    case CONTROL_WAIT_PHASE:
        if (!lanes || phase_is_over(warp, code, lanes)) {
            split->pc++;
            return true;
        }
        split->state = SPLIT_AT_PHASE;
        return false;
    case CONTROL_YIELD:
        /* Seen on an H200: lanes that yield are not waited for any more where they were to join others, now and then.
         */
        for (unsigned b = 0; b < BARRIERS && lanes; b++)
            if (split->targets[b] & warp->alive & ~split->lanes)
                block_not_simulated(warp->block, "%s where lanes of a warp are apart", code->opcode);
        split->pc++;
        warp->yields = true;
        return false;
    case CONTROL_TRAP:
        if (!lanes) {
            split->pc++;
            return true;
        }
        block_fault(warp->block, "the kernel traps itself (%s)", code->opcode);
    default:
        block_not_simulated(warp->block, "%s", code->opcode);
    }
}

/* Runs one split until it waits or is gone; true: until it has had its turn. */
static bool run_split(struct warp *warp, unsigned index)
{
    struct block *const block = warp->block;
    const struct instruction *const list = block->code->list;
    struct tally *const tallies = block->tallies;
    const size_t count = block->code->count;
    struct split *split = &warp->splits[index];
    uint32_t pc = split->pc, active = split->lanes;
    unsigned threads = count_lanes(active);
    warp->active = active;
    const unsigned turn = block->turn;
    for (unsigned fuel = 0; fuel < turn; fuel++) {
        if (pc >= count)
            block_not_simulated(block, "execution beyond the end of the function");
        const struct instruction *code = &list[pc];
        struct tally *tally = &tallies[pc];
        uint32_t lanes = active;
        tally->executed++;
        tally->active += threads;
        if (code->guarded) {
            lanes &= *mask_at(warp, code->guard) ^ code->guard_flip;
            tally->working += count_lanes(lanes);
        } else {
            tally->working += threads;
        }
        if (code->control == CONTROL_NEXT) {
            pc++;
            if (lanes && code->run) {
                block->now = code;
                warp->guarded = lanes;
                code->run(warp, code, code->uniform ? ALL_LANES : lanes);
            }
            continue;
        }
        split->pc = pc;
        if (!control(warp, code, index, lanes))
            return false;
        pc = split->pc;
        if (split->lanes != active) {
            active = split->lanes;
            threads = count_lanes(active);
            warp->active = active;
        }
    }
    split->pc = pc;
    warp->yields = true;
    return true;
}

bool warp_end_waits(struct warp *warp)
{
    bool ended = false;
    for (unsigned i = 0; i < warp->split_count; i++) {
        struct split *split = &warp->splits[i];
        const struct instruction *code = &warp->block->code->list[split->pc];
        if (split->state != SPLIT_AT_PHASE ||
            !phase_is_over(warp, code, split->lanes & (*mask_at(warp, code->guard) ^ code->guard_flip)))
            continue;
        split->state = SPLIT_READY;
        split->pc++;
        ended = true;
    }
    return ended;
}

void warp_start(struct warp *warp)
{
    warp->split_count = 1;
    warp->current = 0;
    warp->splits[0] = (struct split){.lanes = warp->alive};
    memset(warp->masks, 0, sizeof warp->masks);
    warp->masks[MASK_TRUE] = warp->masks[8 + MASK_TRUE] = ALL_LANES;
    warp->poll = (struct poll){0};
    warp->turns = 0;
}

bool warp_run(struct warp *warp)
{
    bool ran = false;
    for (;;) {
        unsigned ready = warp->split_count;
        /* In turn, so that none of two that wait for each other in a loop runs for ever. */
        for (unsigned k = 0; k < warp->split_count && ready == warp->split_count; k++) {
            const unsigned i = (warp->current + k) % warp->split_count;
            if (warp->splits[i].state == SPLIT_READY)
                ready = i;
        }
        if (ready == warp->split_count)
            return ran;
        ran = true;
        /* However short its turns are, it is the next one's after as many instructions. */
        warp->turns = run_split(warp, ready) ? warp->turns + 1 : 0;
        if (warp->turns >= FUEL / warp->block->turn)
            warp->turns = 0;
        warp->current = ready + (warp->turns == 0);
        if (warp->yields) {
            warp->yields = false;
            return ran;
        }
    }
}

/* clang-format off */
const struct opcode control_opcodes[] = {
    {"BRA",        NULL, CONTROL_BRANCH,           NULL, "", "U UNIFORM"},
    {"BRA.DIV",    NULL, CONTROL_BRANCH_DIVERGENT, NULL, "", ""},
    {"BRA.U.ANY",  NULL, CONTROL_BRANCH_ANY,       NULL, "", ""},
    {"BRX",        NULL, CONTROL_BRANCH_INDEXED,   NULL, "", ""},
    {"BRXU",       NULL, CONTROL_BRANCH_INDEXED,   NULL, "", ""},
    {"CALL.REL",   NULL, CONTROL_CALL,             NULL, "", "NOINC"},
    {"CALL.ABS",   NULL, CONTROL_CALL_OUTSIDE,     NULL, "", "NOINC"},
    /* Where the function outside would return to: it is not executed. */
    {"LEPC",       NULL, CONTROL_NEXT,             NULL, "d", ""},
    {"RET.REL",    NULL, CONTROL_RETURN,           NULL, "", "NODEC"},
    {"EXIT",       NULL, CONTROL_EXIT,             NULL, "", ""},
    {"BSSY",       NULL, CONTROL_OPEN,             NULL, "", ""},
    {"BSYNC",      NULL, CONTROL_JOIN,             NULL, "", ""},
    {"BREAK",      NULL, CONTROL_BREAK,            NULL, "", ""},
    {"BMOV.32",    NULL, CONTROL_MOVE_BARRIER,     NULL, "", "CLEAR"},
    {"WARPSYNC",   NULL, CONTROL_WARPSYNC,         NULL, "", "ALL EXCLUSIVE COLLECTIVE"},
    {"BAR.SYNC",   NULL, CONTROL_BLOCK_BARRIER,    NULL, "", "DEFER_BLOCKING"},
    {"BAR.ARV",    NULL, CONTROL_BLOCK_BARRIER,    NULL, "", ""},
    {"BAR.RED",    NULL, CONTROL_BLOCK_BARRIER,    NULL, "", "DEFER_BLOCKING POPC AND OR"},
    {"YIELD",      NULL, CONTROL_YIELD,            NULL, "", ""},
    {"NANOSLEEP",  NULL, CONTROL_YIELD,            NULL, "", ""},
    {"BPT.TRAP",   NULL, CONTROL_TRAP,             NULL, "", ""},
    {"NOP",        NULL, CONTROL_NEXT,             NULL, "", ""},
    /* Kernels run one after the other: there is no other to wait for, or to let go. */
    {"ACQBULK",    NULL, CONTROL_NEXT,             NULL, "", ""},
    {"PREEXIT",    NULL, CONTROL_NEXT,             NULL, "", ""},
    {"DEPBAR",     NULL, CONTROL_NEXT,             NULL, "", "LE"},
    {"LDGDEPBAR",  NULL, CONTROL_NEXT,             NULL, "", ""},
    {"MEMBAR",     NULL, CONTROL_NEXT,             NULL, "", "ALL SC CTA GPU SYS"},
    {"ERRBAR",     NULL, CONTROL_NEXT,             NULL, "", ""},
    {"CGAERRBAR",  NULL, CONTROL_NEXT,             NULL, "", ""},
    {"CCTL.IVALL", NULL, CONTROL_NEXT,             NULL, "", ""},
    {"CCTL.E.PF2", NULL, CONTROL_NEXT,             NULL, "", ""},
    {"CCTL.E.PF1", NULL, CONTROL_NEXT,             NULL, "", ""},
    {"FENCE.VIEW", NULL, CONTROL_NEXT,             NULL, "", "ASYNC S T"},
    {"ENDCOLLECTIVE", NULL, CONTROL_NEXT,          NULL, "", ""},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
