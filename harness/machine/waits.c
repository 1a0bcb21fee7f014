#include "waits.h"

#include "meetings_note.h"

#include <stddef.h>
#include <string.h>

/* Returns where a branch goes to, as the index of an instruction; `count`: nowhere that is known. */
static size_t target_of(const struct code *code, const struct instruction *branch)
{
    for (unsigned i = branch->operand_count; i-- > 0;)
        if (branch->operands[i].kind == OPERAND_TARGET ||
            (branch->operands[i].kind == OPERAND_ROW && branch->operands[i].immediate))
            return (size_t)branch->operands[i].value / INSTRUCTION_BYTES;
    return code->count;
}

static void note_range(struct block *block, size_t from, size_t to)
{
    for (size_t i = from; i <= to; i++)
        block->tallies[i].spins++;
}

void waits_note(struct block *block, const struct instruction *code)
{
    const size_t at = code->index;
    size_t from = at, to = at;
    meetings_note(block, code);
    if (block->tallies[at].spins)
        return;
    for (size_t i = at; i < block->code->count; i++) {
        const struct instruction *branch = &block->code->list[i];
        const size_t target = branch->control == CONTROL_BRANCH ? target_of(block->code, branch) : at + 1;
        if (target <= at && (from == to || i - target < to - from)) {
            from = target;
            to = i;
        }
    }
    note_range(block, from, to);
}

/* Returns the instruction behind another one if the wait that gave up has set its predicate to false; NULL: that is not
 * known, or the next wait. */
static const struct instruction *next_of(const struct block *block, const struct instruction *code,
                                         const struct operand *over)
{
    size_t next = code->index + 1u;
    const bool asked = code->guarded && code->guard == over->row, jumps = code->control == CONTROL_BRANCH;
    if (jumps && (!code->guarded || (asked && code->guard_flip)))
        next = target_of(block->code, code);
    else if (jumps && !asked)
        return NULL;
    if (code->control == CONTROL_EXIT || next >= block->code->count)
        return NULL;
    const struct instruction *found = &block->code->list[next];
    return found->control == CONTROL_WAIT_PHASE ? NULL : found;
}

enum { MOST_BETWEEN = 256 };

void waits_note_looks(struct block *block, const struct instruction *code)
{
    const struct operand *over = &code->operands[0];
    for (unsigned i = 0; code && i < MOST_BETWEEN; i++, code = next_of(block, code, over))
        block->tallies[code->index].spins++;
}

bool waits_look_between(const struct block *block, const struct instruction *code)
{
    const struct operand *over = &code->operands[0];
    for (unsigned i = 0; code && i < MOST_BETWEEN; i++, code = next_of(block, code, over))
        if (strncmp(code->opcode, "NANOSLEEP", 9) == 0 || strcmp(code->opcode, "SYNCS.PHASECHK.TRANS64") == 0)
            return true;
    return false;
}

void waits_note_all(struct block *block, const struct instruction *code)
{
    meetings_note(block, code);
    if (!block->tallies[0].spins || !block->tallies[block->code->count - 1].spins)
        note_range(block, 0, block->code->count - 1);
}

static bool is_again(const struct poll *poll, const struct instruction *code, uint32_t lanes, uint64_t address)
{
    return poll->pc == code->index + 1 && poll->lanes == lanes && poll->address == address;
}

void waits_read(struct warp *warp, const struct instruction *code, uint32_t lanes, uint64_t address, uint64_t value)
{
    struct poll *poll = &warp->poll;
    warp->looked = true;
    if (is_again(poll, code, lanes, address)) {
        warp->yields = true;
        warp->idle = poll->value == value;
        if (poll->value != value)
            waits_note(warp->block, code);
    }
    *poll = (struct poll){code->index + 1, lanes, address, value};
}

void waits_tried(struct warp *warp, const struct instruction *code, uint32_t lanes, uint64_t address, uint64_t value,
                 bool changed)
{
    struct poll *poll = &warp->poll;
    const bool again = is_again(poll, code, lanes, address);
    warp->looked = true;
    warp->block->wrote |= changed;
    if (again) {
        warp->yields = true;
        warp->idle = poll->value == value && !changed;
        if (changed || poll->value != value)
            waits_note(warp->block, code);
    }
    *poll = changed ? (struct poll){0} : (struct poll){code->index + 1, lanes, address, value};
}
