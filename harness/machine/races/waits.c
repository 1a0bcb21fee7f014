#include "waits.h"

#include "meetings.h"

#include "machine/block/block.h"

/* Sets which instructions the innermost loop around one has, from the first to the last. False: it is in none. A branch
 * back is no loop where it comes from code that the compiler moved behind the end, and that is not reached again. */
static bool loop_around(const struct code *code, size_t at, size_t *from, size_t *to)
{
    *from = *to = at;
    for (size_t i = at; i < code->count; i++) {
        const struct instruction *branch = &code->list[i];
        const size_t target = branch->control == CONTROL_BRANCH ? branch_target(code, branch) : at + 1;
        if (target <= at && (*from == *to || i - target < *to - *from) && flows_reach(code, target, i)) {
            *from = target;
            *to = i;
        }
    }
    return *from < *to;
}

static void note_range(struct block *block, size_t from, size_t to)
{
    for (size_t i = from; i <= to; i++)
        block->tallies[i].spins++;
}

void waits_note(struct block *block, const struct instruction *code)
{
    size_t from, to;
    meetings_note(block, code);
    if (block->tallies[code->index].spins)
        return;
    loop_around(block->code, code->index, &from, &to);
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
        next = branch_target(block->code, code);
    else if (jumps && !asked)
        return NULL;
    if (code->control == CONTROL_EXIT || next >= block->code->count)
        return NULL;
    const struct instruction *found = &block->code->list[next];
    return found->control == CONTROL_WAIT_PHASE ? NULL : found;
}

enum { MOST_BETWEEN = 256 };

void waits_note_retries(struct block *block, const struct instruction *code)
{
    const struct operand *over = &code->operands[0];
    for (unsigned i = 0; code && i < MOST_BETWEEN; i++, code = next_of(block, code, over))
        block->tallies[code->index].retries++;
}

void waits_note_looks(struct block *block, const struct instruction *code, bool gave_up)
{
    const struct operand *over = &code->operands[0];
    for (unsigned i = 0; code && i < MOST_BETWEEN; i++, code = next_of(block, code, over)) {
        block->tallies[code->index].looks++;
        block->tallies[code->index].spins += gave_up;
    }
}

bool waits_between(const struct block *block, const struct instruction *code, bool yields)
{
    const struct operand *over = &code->operands[0];
    for (unsigned i = 0; code && i < MOST_BETWEEN; i++, code = next_of(block, code, over))
        if (yields ? code->control == CONTROL_YIELD : (code->traits & TRAIT_LOOKS) != 0)
            return true;
    return false;
}

void waits_note_apart(struct block *block)
{
    for (size_t i = 0; i < block->code->count && !block->tallies[i].apart; i++)
        block->tallies[i].apart = 1;
}

void waits_note_all(struct block *block, const struct instruction *code)
{
    meetings_note(block, code);
    if (!block->tallies[0].spins || !block->tallies[block->code->count - 1].spins)
        note_range(block, 0, block->code->count - 1);
}

/* ---- Loops that are left by what others write ---- */

/* Registers, and behind them predicates. */
enum { PLACES = ROWS + MASKS, WORDS_MOST = 4 };

static bool *place_of(bool *marked, const struct operand *operand)
{
    const bool row = (operand->kind == OPERAND_ROW && operand->space == SPACE_WARP) || operand->kind == OPERAND_ADDRESS;
    return &marked[row                                  ? operand->row / ROW_BYTES
                   : operand->kind == OPERAND_PREDICATE ? ROWS + operand->row / sizeof(uint32_t)
                                                        : PLACES];
}

/* Returns whether what an instruction finds decides when its loop is left: registers depend on it, what stands between
 * a branch that does and where that goes, and what warps tell each other in shared memory, or by votes. */
static bool decides(const struct code *code, size_t at, size_t from, size_t to)
{
    bool marked[PLACES + WORDS_MOST] = {false}, told = false;
    for (size_t turns = 2, until = from, i = from; turns > 0; turns -= i == to, i = i == to ? from : i + 1) {
        const struct instruction *one = &code->list[i];
        const bool branches = one->control == CONTROL_BRANCH, loads = one->traits & TRAIT_LOAD;
        const size_t target = branches ? branch_target(code, one) : to + (one->control == CONTROL_EXIT);
        bool depends = i < until || (one->guarded && marked[ROWS + one->guard / sizeof(uint32_t)]) ||
                       (told && (IS_OF(one, RESULT) || (loads && one->traits & TRAIT_SHARED)));
        for (unsigned k = one->output_count; k < one->operand_count; k++)
            depends |= *place_of(marked, &one->operands[k]);
        if (depends && (target < from || target > to || (branches && i == to)))
            return true;
        until = depends && branches && target > until ? target : i == to ? from : until;
        told |= depends && (one->control == CONTROL_BLOCK_BARRIER || one->traits & TRAIT_STORE);
        depends |= i == at;
        for (unsigned k = 0; k < one->output_count && (depends || !one->guarded); k++)
            memset(place_of(marked, &one->operands[k]), depends, loads && one->size > 4 ? one->size / 4u : 1);
        marked[PLACES] = false;
    }
    return false;
}

void waits_find(struct code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        struct instruction *one = &code->list[i];
        const bool answers = one->traits & TRAIT_ATOMIC && one->output_count > 0;
        bool works = false;
        size_t from, to;
        if (!(one->traits & (TRAIT_GLOBAL | TRAIT_GENERIC)) || !loop_around(code, i, &from, &to) ||
            !(answers || (one->traits & TRAIT_LOAD && IS_OF(one, STRONG))))
            continue;
        for (size_t k = from; k <= to && !(answers && (IS_OF(one, CAS) || IS_OF(one, EXCH))); k++)
            works |= k != i && code->list[k].traits & (TRAIT_STORE | TRAIT_ATOMIC) &&
                     !(code->list[k].traits & (TRAIT_SHARED | TRAIT_LOCAL));
        one->polls = !works && decides(code, i, from, to);
        code->has_polls |= one->polls;
    }
}

/* ---- Warps that look again ---- */

/* Notes that the warp has read what others may change. If it reads the same again, it lets others go first; if another
 * warp has changed it meanwhile, it has waited. So it is with an atomic whose answer is used: one that changed nothing
 * is tried again, as a lock is that others hold. What the warp reads next may have changed by what it writes itself.
 * Where it polls what another block writes, it may have had to wait, though here it did not. */
static void waits_done(const struct access *access)
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
    if (access->code->polls && warp->block->shares && looks && (changed || !(access->kind & ACCESS_TRIES)))
        waits_note(warp->block, access->code);
    *poll = changed ? (struct poll){0} : (struct poll){pc, access->lanes, access->first, access->found};
}

const struct watcher waits_watcher = {
    ACCESS_STRONG | ACCESS_CHANGES, ACCESS_STRONG, 0, true, NULL, NULL, waits_done, NULL};

/* ---- Words that several warps swap ---- */

/* Words of shared memory on which a warp did a compare and swap since the last barrier. There are few. */
struct lock_swap {
    uint64_t address;
    unsigned warp;
};
struct swaps {
    struct lock_swap *list;
    size_t count;
    unsigned epoch;
};

static bool swaps_begin(struct block *block)
{
    ((struct swaps *)block->watch.states[WATCH_SWAPS])->count = 0;
    return true;
}

static void swaps_release(void *state)
{
    free(((struct swaps *)state)->list);
}

/* If another warp has swapped the same word, how often it is tried depends on timing. */
static void swaps_hear(const struct access *access)
{
    struct block *block = access->block;
    struct swaps *swaps = block->watch.states[WATCH_SWAPS];
    if (swaps->epoch != block->epoch) {
        swaps->epoch = block->epoch;
        swaps->count = 0;
    }
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        const uint64_t address = access_address(access, (unsigned)__builtin_ctz(left));
        const size_t i = FIRST(k, swaps->count, swaps->list[k].address == address);
        if (i < swaps->count && swaps->list[i].warp != access->warp->number)
            waits_note(block, access->code);
        if (i == swaps->count)
            *ARRAY_GROW(swaps->list, swaps->count) = (struct lock_swap){address, access->warp->number};
    }
}

const struct watcher swaps_watcher = {0,          ACCESS_SWAPS, sizeof(struct swaps), false, swaps_begin,
                                      swaps_hear, NULL,         swaps_release};
