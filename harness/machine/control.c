/* What a control instruction does: branches, calls, exits, and by barriers.c barriers. Each do_X is as control_run().
 */
#include "control.h"

#include "control_parts.h"
#include "splits.h"

#include "machine/races/races.h"

/* The place a jump names: the last immediate or symbol. */
static uint32_t target_of(struct warp *warp, const struct instruction *code)
{
    for (unsigned i = code->operand_count; i-- > 0;) {
        const struct operand *operand = &code->operands[i];
        if (operand->kind == OPERAND_TARGET || (operand->kind == OPERAND_ROW && operand->immediate))
            return (uint32_t)(operand->value / INSTRUCTION_BYTES);
    }
    block_not_simulated(warp->block, "%s without a target", code->opcode);
}

/* ---- Branches ---- */

static bool goes_apart(uint32_t active, uint32_t taken)
{
    return (taken & active) != 0 && (taken & active) != active;
}

/* Lanes that wait for a phase yield between two looks, and are then not waited for where others were to join them. So
 * they may be apart from these behind that, until they join them elsewhere: a branch of both is then one of each. */
static void note_yielders(struct warp *warp, struct tally *tally, uint32_t active, uint32_t taken)
{
    const uint32_t one = active & warp->yielders, other = active & ~warp->yielders;
    const unsigned together = goes_apart(active, taken), apart = goes_apart(one, taken) + goes_apart(other, taken);
    if (!one || !other)
        return;
    tally->more_targets++;
    tally->more_divergent += apart > together;
    tally->fewer_divergent += apart < together;
}

static void tally_branch(struct warp *warp, const struct instruction *code, uint32_t active, uint32_t taken)
{
    struct tally *tally = &warp->block->tallies[code->index];
    if (taken == 0 || taken == active)
        tally->uniform++;
    else
        tally->divergent++;
    if (warp->yielders)
        note_yielders(warp, tally, active, taken);
    /* Seen on an H200: lanes that break out one after the other execute what is behind that together, now and then. */
    tally->followed += warp->followers && !(active & ~warp->followers);
    warp->followers |= active & warp->follow;
    warp->follow &= ~active;
}

/* Sends each lane to its own place, the index of an instruction. Lanes with the same place stay together. The hardware
 * executes the instruction again for each further place. */
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
            split_add(warp, split, same, place);
        }
    }
}

/* Sends lanes to the place in a register, 32 or 64 bits with a sign, in bytes from the start of the code. */
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
            block_not_simulated(warp->block, "%s jumps out of the function", code->opcode);
        places[l] = (taken >> l & 1) ? (uint32_t)(place / INSTRUCTION_BYTES) : split->pc + 1;
    }
    const uint32_t before = split->lanes;
    go_apart(warp, split, before, places);
    warp->block->tallies[code->index].uniform += split->lanes == before;
}

/* Sends some of the lanes, all or none to the target, and the others on. */
static void send(struct warp *warp, const struct instruction *code, struct split *split, uint32_t taken)
{
    const uint32_t target = target_of(warp, code);
    tally_branch(warp, code, split->lanes, taken);
    if (taken == split->lanes) {
        split->pc = target;
    } else if (taken == 0) {
        split->pc++;
    } else {
        split_add(warp, split, taken, target);
        split->lanes &= ~taken;
        split->pc++;
    }
}

static void branch(struct warp *warp, const struct instruction *code, struct split *split, uint32_t lanes,
                   uint32_t taken)
{
    warp->block->tallies[code->index].unsent_threads += count_lanes(lanes & ~taken);
    send(warp, code, split, taken);
}

/* With .U it is taken by all lanes or by none. */
static bool do_branch(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const uint32_t taken = lanes & extra_predicate(warp, code);
    if (code->modifier_count > 0 && taken != split->lanes && has_modifier(code, "U"))
        branch(warp, code, split, 0, 0);
    else
        branch(warp, code, split, lanes, taken);
    return true;
}

/* Executes BRA.DIV, or BRA.CONV of 8.x, which goes where BRA.DIV does not: its guard is true for lanes that need not go
 * apart. An H200 was seen to send all lanes apart if one has to. */
static bool do_branch_divergent(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const struct operand *mask = operand_of(code, OPERAND_ROW);
    const uint32_t wanted = mask ? first_value(warp, mask, split->lanes) : ALL_LANES;
    branch(warp, code, split, 0, (lanes == (wanted & warp->alive)) == has_modifier(code, "CONV") ? split->lanes : 0);
    return true;
}

static bool do_branch_any(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    branch(warp, code, split, 0, lanes & extra_predicate(warp, code) ? split->lanes : 0);
    return true;
}

static bool do_branch_indexed(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const struct operand *last = &code->operands[code->operand_count - 1];
    indirect(warp, code, split, lanes, (int64_t)(split->pc + 1) * INSTRUCTION_BYTES + last->value);
    return true;
}

/* Returns to the place in a register. If a symbol is given, the place is counted from it. */
static bool do_return(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    const struct operand *target = operand_of(code, OPERAND_TARGET);
    indirect(warp, code, &warp->splits[index], lanes, target ? target->value : 0);
    return true;
}

static bool do_call(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const struct operand *place = operand_of(code, OPERAND_ROW);
    if (place && !place->immediate)
        return do_return(warp, code, index, lanes);
    send(warp, code, split, lanes);
    return true;
}

/* Calls by addresses, in linked code or outside of it. */
static bool do_call_absolute(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const uint32_t before = split->lanes, first = (uint32_t)__builtin_ctz(lanes);
    const struct function *function = warp->block->grid->function;
    uint32_t places[LANES];
    if (!module_place(function, call_address(warp, code, first), &places[first]))
        return do_call_outside(warp, code, index, lanes);
    for (unsigned l = 0; l < LANES; l++) {
        places[l] = split->pc + 1;
        if (lanes >> l & 1 && !module_place(function, call_address(warp, code, l), &places[l]))
            block_not_simulated(warp->block, "%s of targets inside and outside the machine code", code->opcode);
    }
    go_apart(warp, split, before, places);
    warp->block->tallies[code->index].uniform += split->lanes == before;
    return true;
}

static bool do_exit(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    const uint32_t gone = lanes & extra_predicate(warp, code);
    warp->block->tallies[code->index].unsent_threads += count_lanes(lanes & ~gone);
    if (gone)
        split_leave(warp, index, gone);
    else
        warp->splits[index].pc++;
    return !gone;
}

/* Seen on an H200: lanes that yield are not waited for any more where they were to join others, now and then. So some
 * orders have it that they are, and some that they are not. */
static bool do_yield(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    const struct operand *time = operand_of(code, OPERAND_ROW);
    uint32_t longest = 0; /* of its lanes */
    for (uint32_t left = time ? lanes : 0; left; left &= left - 1)
        longest = first_value(warp, time, left) > longest ? first_value(warp, time, left) : longest;
    warp->block->tallies[code->index].slept += longest;
    for (unsigned b = 0; b < BARRIERS && lanes; b++)
        if (split->targets[b] & warp->alive & ~split->lanes) {
            meetings_note_yield(warp->block, code);
            if (warp->block->parts)
                split_part(warp, index, b);
        }
    split->pc++;
    warp->yields = warp->idle = true;
    return false;
}

/* Of splitKreduce_kernel of cuBLAS, which has ACQBULK and PREEXIT, an H100's counter of threads leaves some out: 3,584
 * to 4,416 of 7,168, and 512 of 1,024, as many as one of the two has in some of the warps. Which, and when, is not
 * known: in a small kernel with both it counts all. Counts that are instrumented, of each instruction, were the
 * simulator's in 3 of 3 runs (2026-11-26). */
static void count_none_or_all(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    warp->block->tallies[code->index].loose_threads += count_lanes(lanes);
    if (lanes)
        stream_races_control(warp->block, code->opcode[0] == 'A');
}

static bool do_trap(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    (void)index, (void)lanes;
    block_fault(warp->block, "the kernel executed a trap (%s)", code->opcode);
}

/* What instructions that are not simulated are for, in the words of CUDA. To add one: a row, of the opcode's beginning
 * or of what it reads. */
static const struct {
    const char *begins, *purpose;
} purposes[] = {
    {"SR_CLOCK", "clock64() or clock()"},
    {"SR_GLOBALTIMER", "%globaltimer"},
    {"SR_VIRTUALSMID", "%smid, the SM of a block"},
    {"SR_VIRTID", "%warpid or %smid"},
    {"SR_VIRTCFG", "%nwarpid or %nsmid"},
    {"SR_SMEMSZ", "%total_smem_size"},
    {"SR_PM", "a counter of the SM"},
    {"SULD", "a read of a surface"},
    {"SUST", "a write to a surface"},
    {"SUATOM", "an atomic on a surface"},
    {"SURED", "an atomic on a surface"},
    {"TEX", "this kind of texture"},
    {"TLD", "this kind of texture"},
    {"TXD", "this kind of texture"},
    {"TXQ", "a texture query"},
    {"TMML", "a texture query"},
    {"PMTRIG", "__prof_trigger()"},
};

static const char *purpose_of(const struct instruction *code)
{
    const struct operand *asked = operand_of(code, OPERAND_SPECIAL);
    for (size_t i = 0; i < ARRAY_SIZE(purposes); i++)
        if (strncmp(asked ? asked->word : code->opcode, purposes[i].begins, strlen(purposes[i].begins)) == 0)
            return purposes[i].purpose;
    return NULL;
}

__attribute__((noreturn)) static void refuse(struct warp *warp, const struct instruction *code)
{
    const char *purpose = purpose_of(code);
    block_not_simulated(warp->block, "%s%s%s", purpose ? purpose : "", purpose ? ", " : "", code->opcode);
}

/* ---- Clocks ---- */

/* Returns whether the time is read before a wait. Before libcu++ waits at a barrier in memory it reads the time, to
 * know how long to sleep between two looks. Here it looks only once, so any time will do. */
static bool is_before_wait(const struct block *block, const struct instruction *code)
{
    enum { NEAR = 2 };
    for (unsigned i = code->index + 1; i <= code->index + NEAR && i < block->code->count; i++)
        if (block->code->list[i].control == CONTROL_WAIT_PHASE)
            return true;
    return false;
}

/* A fence of the GPU, or of the system. */
static void publish(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    if (warp->block->watch.global & ACCESS_PUBLISHES)
        watch(&(struct access){warp, code, NULL, ACCESS_PUBLISHES, lanes, 0, 0, .same = true});
}

/* Makes a group of the warp's copies (cp.async) since the last one. */
static void group(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    (void)lanes;
    watch_bytes(warp, code, warp->block, ACCESS_GROUPS, 0, 0, 0);
}

/* Reads a clock. It is virtual, and the same in each execution: each of the warp's instructions takes as long as one
 * that waits for the one before. */
static bool do_clock(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    enum { CYCLES = 4, PER_NS = 2 };
    const char *word = code->operands[1].word;
    const bool is_timer = strncmp(word, "SR_GLOBALTIMER", 14) == 0,
               no_time = is_timer && is_before_wait(warp->block, code);
    struct machine *machine = warp->block->machine;
    if (!no_time && !outside_note(machine, "clocks are virtual: each instruction of a warp takes 4 cycles"))
        refuse(warp, code);
    const uint64_t cycles = CYCLES * (warp->steps + warp->in_turn);
    uint64_t time = no_time ? 0 : is_timer ? machine->ns + cycles / PER_NS : cycles;
    if (strcmp(word + strlen(word) - 2, "HI") == 0)
        time >>= 32;
    const bool whole = code->opcode[0] == 'C' && !has_modifier(code, "32");
    for (unsigned l = 0; l < LANES; l++) {
        if (!code->uniform && !(lanes >> l & 1))
            continue;
        ROW(0)[l] = (uint32_t)time;
        if (whole)
            HIGH(0)[l] = (uint32_t)(time >> 32);
    }
    warp->splits[index].pc++;
    return true;
}

/* guarded: where the guard is true of no lane, it does nothing. frees: when the split does not go on, others may. */
static const struct {
    control_step *run;
    bool guarded, frees;
} controls[] = {
    [CONTROL_BRANCH] = {do_branch, false, false},
    [CONTROL_BRANCH_DIVERGENT] = {do_branch_divergent, false, false},
    [CONTROL_BRANCH_ANY] = {do_branch_any, false, false},
    [CONTROL_BRANCH_INDEXED] = {do_branch_indexed, false, false},
    [CONTROL_CALL_OUTSIDE] = {do_call_absolute, true, false},
    [CONTROL_CALL] = {do_call, false, false},
    [CONTROL_RETURN] = {do_return, false, false},
    [CONTROL_EXIT] = {do_exit, false, true},
    [CONTROL_OPEN] = {do_open, false, false},
    [CONTROL_JOIN] = {do_join, true, true},
    [CONTROL_BREAK] = {do_break, false, true},
    [CONTROL_MOVE_BARRIER] = {do_move_barrier, false, false},
    [CONTROL_WARPSYNC] = {do_warpsync, false, true},
    [CONTROL_BLOCK_BARRIER] = {do_block_barrier, true, false},
    [CONTROL_WAIT_GROUP] = {do_wait_group, false, false},
    [CONTROL_WAIT_PHASE] = {do_wait_phase, true, false},
    [CONTROL_WAIT_CLUSTER] = {do_wait_cluster, true, false},
    [CONTROL_WAIT_PRODUCTS] = {do_wait_phase, true, false},
    [CONTROL_YIELD] = {do_yield, false, true},
    [CONTROL_CLOCK] = {do_clock, true, false},
    [CONTROL_TRAP] = {do_trap, true, false},
    [CONTROL_UNKNOWN] = {NULL, false, false},
};

bool control_run(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    warp->block->now = code;
    if (!controls[code->control].run)
        refuse(warp, code);
    if (controls[code->control].guarded && !lanes) {
        warp->splits[index].pc++;
        return true;
    }
    if (controls[code->control].run(warp, code, index, lanes))
        return true;
    if (controls[code->control].frees)
        splits_look_again(warp);
    return false;
}

/* clang-format off */
const struct opcode control_opcodes[] = {
    {"BRA",            NULL,              CONTROL_BRANCH | RULE_ASKS,                             NULL, "",  "U "
                                                                                                             "UNIFORM"},
    {"BRA.DIV",        NULL,              CONTROL_BRANCH_DIVERGENT | RULE_ASKS,                   NULL, "",  ""},
    {"BRA.CONV",       NULL,              CONTROL_BRANCH_DIVERGENT | RULE_ASKS,                   NULL, "",  ""},
    {"BRA.U.ANY",      NULL,              CONTROL_BRANCH_ANY | RULE_ASKS,                         NULL, "",  ""},
    {"BRX",            NULL,              CONTROL_BRANCH_INDEXED | RULE_ASKS,                     NULL, "",  ""},
    {"BRXU",           NULL,              CONTROL_BRANCH_INDEXED | RULE_ASKS,                     NULL, "",  ""},
    {"CALL.REL",       NULL,              CONTROL_CALL | RULE_ASKS,                               NULL, "",  "NOINC"},
    {"CALL.ABS",       NULL,              CONTROL_CALL_OUTSIDE,                                   NULL, "",  "NOINC"},
    /* It gives the address to return to from a function outside, which is not executed. */
    {"LEPC",           NULL,              TRAIT_NO_IMMEDIATE,                                     NULL, "d", ""},
    {"RET.REL",        NULL,              CONTROL_RETURN | RULE_ASKS,                             NULL, "",  "NODEC"},
    {"RET.ABS",        NULL,              CONTROL_RETURN,                                         NULL, "",  "NODEC"},
    {"EXIT",           NULL,              CONTROL_EXIT | RULE_ASKS,                               NULL, "",  ""},
    {"BSSY",           NULL,              CONTROL_OPEN | RULE_ASKS,                               NULL, "",  "RECONVERGENT RELIABLE"},
    {"BSYNC",          NULL,              CONTROL_JOIN | RULE_ASKS,                               NULL, "",  "RECONVERGENT RELIABLE"},
    {"BREAK",          NULL,              CONTROL_BREAK | RULE_ASKS,                              NULL, "",  "RELIABLE"},
    {"BMOV.32",        NULL,              CONTROL_MOVE_BARRIER | RULE_ASKS,                       NULL, "",  "CLEAR"},
    {"WARPSYNC",       NULL,              CONTROL_WARPSYNC | RULE_ASKS,                           NULL, "",  "ALL "
                                                                                                             "EXCLUSIVE COLLECTIVE"},
    {"BAR.SYNC",       NULL,              CONTROL_BLOCK_BARRIER | TRAIT_SIGNALS_SOME | RULE_ASKS, NULL, "",  "DEFER_BLOCKING"},
    {"BAR.ARV",        NULL,              CONTROL_BLOCK_BARRIER | TRAIT_SIGNALS_SOME | RULE_ASKS, NULL, "",  ""},
    {"BAR.RED",        NULL,              CONTROL_BLOCK_BARRIER | RULE_ASKS,                      NULL, "",  "DEFER_BLOCKING POPC AND OR"},
    {"YIELD",          NULL,              CONTROL_YIELD | RULE_KEEPS,                             NULL, "",  ""},
    {"NANOSLEEP",      NULL,              CONTROL_YIELD | TRAIT_LOOKS | RULE_ASKS,                NULL, "",  "SYNCS"},
    {"WARPGROUP.WAIT", NULL,              CONTROL_WAIT_GROUP | RULE_KEEPS,                        NULL, "",  ""},
    {"BPT.TRAP",       NULL,              CONTROL_TRAP,                                           NULL, "",  ""},
    /* Gives back shared memory that is not needed any more, which others may then have. */
    {"USETSHMSZ",      NULL,              CONTROL_NEXT,                                           NULL, "",  "FLUSH"},
    {"NOP",            NULL,              CONTROL_NEXT,                                           NULL, "",  ""},
    /* Kernels are executed one after the other: what these order is only looked at (stream_races.c). */
    {"ACQBULK",        count_none_or_all, RULE_KEEPS,                                             NULL, "",  ""},
    {"PREEXIT",        count_none_or_all, RULE_KEEPS,                                             NULL, "",  ""},
    {"LDGDEPBAR",      group,             TRAIT_COMMITS | RULE_KEEPS,                             NULL, "",  ""},
    {"MEMBAR",         publish,           TRAIT_FENCE | RULE_KEEPS,                               NULL, "",  "ALL SC CTA GPU SYS"},
    {"MEMBAR.ALL.CTA", NULL,              TRAIT_FENCE | TRAIT_SIGNALS,                            NULL, "",  ""},
    {"MEMBAR.SC.CTA",  NULL,              TRAIT_FENCE | TRAIT_SIGNALS,                            NULL, "",  ""},
    {"ERRBAR",         NULL,              CONTROL_NEXT,                                           NULL, "",  ""},
    {"CGAERRBAR",      NULL,              CONTROL_NEXT,                                           NULL, "",  ""},
    {"CCTL.IVALL",     NULL,              CONTROL_NEXT,                                           NULL, "",  ""},
    {"ENDCOLLECTIVE",  NULL,              CONTROL_NEXT,                                           NULL, "",  ""},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
