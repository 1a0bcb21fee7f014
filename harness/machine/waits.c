#include "waits.h"

#include "meetings.h"

#include <stdlib.h>

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
        if (code->traits & TRAIT_LOOKS)
            return true;
    return false;
}

void waits_note_all(struct block *block, const struct instruction *code)
{
    meetings_note(block, code);
    if (!block->tallies[0].spins || !block->tallies[block->code->count - 1].spins)
        note_range(block, 0, block->code->count - 1);
}

/* ---- Warps that look again ---- */

/* Notes that the warp has read what others may change. If it reads the same again, it lets others go first; if another
 * warp has changed it meanwhile, it has waited. So it is with an atomic whose answer is used: one that changed nothing
 * is tried again, as a lock is that others hold. What the warp reads next may have changed by what it writes itself. */
static void done(const struct access *access)
{
    struct warp *warp = access->warp;
    struct poll *poll = &warp->poll;
    const uint32_t pc = access->code->index + 1;
    const bool looks = access->kind & (ACCESS_TRIES | ACCESS_READS), changed = !looks || access->changed;
    warp->looked |= looks;
    warp->block->wrote |= changed;
    if (looks && poll->pc == pc && poll->lanes == access->lanes && poll->address == access->first) {
        warp->yields = true;
        warp->idle = poll->value == access->found && !changed;
        if (changed || poll->value != access->found)
            waits_note(warp->block, access->code);
    }
    *poll = changed ? (struct poll){0} : (struct poll){pc, access->lanes, access->first, access->found};
}

const struct watcher waits_watcher = {ACCESS_STRONG | ACCESS_CHANGES, ACCESS_STRONG, 0, true, NULL, NULL, done, NULL};

/* ---- Words that several warps swap ---- */

/* Words of shared memory on which a warp did a compare and swap since the last barrier. There are few. */
struct swap {
    uint64_t address;
    unsigned warp;
};
struct swaps {
    struct swap *list;
    size_t count;
    unsigned epoch;
};

static bool begin(struct block *block)
{
    ((struct swaps *)block->watch.states[WATCH_SWAPS])->count = 0;
    return true;
}

static void release(void *state)
{
    free(((struct swaps *)state)->list);
}

/* If another warp has swapped the same word, how often it is tried depends on timing. */
static void hear(const struct access *access)
{
    struct block *block = access->block;
    struct swaps *swaps = block->watch.states[WATCH_SWAPS];
    if (swaps->epoch != block->epoch) {
        swaps->epoch = block->epoch;
        swaps->count = 0;
    }
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        const uint64_t address = access_address(access, (unsigned)__builtin_ctz(left));
        size_t i = 0;
        while (i < swaps->count && swaps->list[i].address != address)
            i++;
        if (i < swaps->count && swaps->list[i].warp != access->warp->number)
            waits_note(block, access->code);
        if (i == swaps->count)
            *ARRAY_GROW(swaps->list, swaps->count) = (struct swap){address, access->warp->number};
    }
}

const struct watcher swaps_watcher = {0, ACCESS_SWAPS, sizeof(struct swaps), false, begin, hear, NULL, release};
