/* Executes a launch. In order 0, its blocks are shared by as many threads as there are processors, and the counts of
 * all threads are added up. In other orders, one thread executes them. */
#include "grid.h"

#include "device_memory.h"
#include "machine.h"
#include "meetings.h"
#include "memory.h"
#include "races.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { WORKSPACE_BYTES = 256 };

/* The rows are the ORDERS. Each says how many blocks a thread has begun at a time, and how many instructions a warp
 * executes before the next one. */
static const struct order {
    unsigned blocks, turn;
    bool backwards, parts;
} orders[ORDERS] = {{1, FUEL, false, false}, {1, FUEL, true, false}, {16, 61, false, false}, {5, 7, true, true}};

/* What the threads of a launch share. */
struct run_state {
    const struct grid *grid;
    struct code *code;
    bool counts;
    uint64_t workspace;   /* where the blocks of a cooperative launch meet, an address of the GPU */
    uint64_t next, count; /* blocks that have begun, of so many */
    uint64_t from_front; /* where the last block comes first: those of them that others waited for, from the first on */
    bool failed, fault;
    uint64_t failed_block;
    struct problem problem;
    pthread_mutex_t lock;
};

struct thread_state {
    struct run_state *run;
    struct tally *tallies;
    pthread_t thread;
};

/* ---- A block ---- */

static void fill_constants(struct block *block)
{
    const struct code *code = block->code;
    const struct module *module = block->grid->function->module;
    for (size_t i = 0; i < code->constant_count; i++) {
        const struct constant_row *row = &code->constants[i];
        uint32_t value = row->value, *words = (uint32_t *)(void *)(block->constants + i * ROW_BYTES);
        if (!row->immediate) {
            const unsigned char *bank = row->bank == 0   ? block->bank0
                                        : row->bank == 2 ? code->bank2
                                        : row->bank == 3 ? module->bank3
                                        : row->bank == 4 ? module->bank4
                                                         : NULL;
            const size_t size = row->bank == 0   ? block->bank0_size
                                : row->bank == 2 ? code->bank2_size
                                : row->bank == 3 ? module->bank3_size
                                                 : module->bank4_size;
            value = 0;
            if (bank && row->value + sizeof value <= size)
                memcpy(&value, bank + row->value, sizeof value);
        }
        for (unsigned l = 0; l < LANES; l++)
            words[l] = value;
    }
}

static void fill_bank0(struct block *block)
{
    const struct grid *grid = block->grid;
    const struct function *function = grid->function;
    uint32_t head[12] = {grid->threads[0], grid->threads[1], grid->threads[2],
                         grid->blocks[0],  grid->blocks[1],  grid->blocks[2]};
    memcpy(block->bank0, head, 24);
    /* The upper word of the address comes first. */
    const uint64_t workspace = block->launch_workspace << 32 | block->launch_workspace >> 32;
    memcpy(block->bank0 + GRID_WORKSPACE, &workspace, sizeof workspace);
    const uint64_t window = LOCAL_WINDOW;
    memcpy(block->bank0 + 0x20, &window, sizeof window);
    memcpy(block->bank0 + STACK_TOP, &block->local_bytes, sizeof block->local_bytes);
    if (grid->parameters)
        memcpy(block->bank0 + function->entry.parameter_base, grid->parameters, function->entry.parameter_bytes);
}

/* Opens a place for blocks. One that borrows has the memos of another, since what is remembered of accesses is of the
 * same code. */
static void open_block(struct block *block, const struct run_state *run, struct tally *tallies,
                       const struct block *lender)
{
    const struct grid *grid = run->grid;
    const struct function *function = grid->function;
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    *block = (struct block){.grid = grid,
                            .code = run->code,
                            .tallies = tallies,
                            .counts = run->counts,
                            .parts = orders[grid->order].parts,
                            .borrows = lender != NULL,
                            .turn = orders[grid->order].turn,
                            .launch_workspace = run->workspace};
    block->warp_count = (threads + LANES - 1) / LANES;
    block->warps = aligned_alloc(64, sizeof *block->warps * block->warp_count);
    if (!block->warps)
        BUG("no memory for %u warps", block->warp_count);
    memset(block->warps, 0, sizeof *block->warps * block->warp_count);
    block->memos = lender ? lender->memos : x_calloc(run->code->count, sizeof *block->memos);
    block->begun = lender ? 2 : 0;
    block->bank0_size = (size_t)function->entry.parameter_base + function->entry.parameter_bytes;
    block->bank0 = x_calloc(block->bank0_size + 8, 1);
    block->local_bytes = (function->stack_bytes + 15) / 16 * 16;
    block->constants = aligned_alloc(64, run->code->constant_count * ROW_BYTES + 64);
    block->shared_size = SHARED_RESERVED + (size_t)function->shared_bytes + grid->shared;
    block->shared = x_calloc(block->shared_size + 16, 1);
    fill_bank0(block);
    fill_constants(block);
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp->block = block;
        warp->number = w;
        warp->spaces[SPACE_WARP] = (char *)warp->rows;
        warp->spaces[SPACE_CONSTANTS] = (char *)block->constants;
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned thread = w * LANES + l;
            warp->threads[0][l] = thread % grid->threads[0];
            warp->threads[1][l] = thread / grid->threads[0] % grid->threads[1];
            warp->threads[2][l] = thread / grid->threads[0] / grid->threads[1];
        }
        warp->local = x_calloc((size_t)block->local_bytes * LANES + 16, 1);
    }
}

static void close_block(struct block *block)
{
    for (unsigned w = 0; w < block->warp_count; w++)
        free(block->warps[w].local);
    shadow_close(block->kept_shadow);
    races_close(block->kept_races);
    free(block->swaps.list);
    free(block->warps);
    for (size_t i = 0; i < block->code->count && !block->borrows; i++)
        free(block->memos[i].copy);
    if (!block->borrows)
        free(block->memos);
    free(block->bank0);
    free(block->constants);
    free(block->shared);
}

/* Returns whether races are looked for in a block. That is so in the first blocks, then in ever fewer, since all have
 * the same code. */
static bool is_shadowed(uint64_t number, const struct block *block)
{
    return block->counts && block->grid->order == 0 && block->shared_size > SHARED_RESERVED &&
           !block->code->tells_others && (number < 2 || (number & (number - 1)) == 0);
}

/* Returns whether races in global memory are looked for in a block: in the first two, where barriers of the block are
 * all that orders its warps. */
static bool looks_for_races(uint64_t number, const struct block *block)
{
    return block->counts && block->grid->order == 0 && number < 2 && block->warp_count > 1 &&
           !block->code->tells_others && !block->code->has_fences;
}

/* Begins to note whom a block meets. When the second block begins, it is known what the first has written. */
static void start_watching(struct block *block)
{
    const struct grid *grid = block->grid;
    if (++block->begun == 2)
        for (size_t i = 0; i < block->code->count; i++)
            block->memos[i].watch = (struct watch){0};
    block->watched = block->counts && grid->meetings && !meetings_place(grid->meetings) && grid_blocks(grid) > 1;
}

static void start_block(struct block *block, uint64_t number)
{
    const struct grid *grid = block->grid;
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    block->number = number;
    block->index[0] = (unsigned)(number % grid->blocks[0]);
    block->index[1] = (unsigned)(number / grid->blocks[0] % grid->blocks[1]);
    block->index[2] = (unsigned)(number / grid->blocks[0] / grid->blocks[1]);
    block->epoch = 1;
    block->swaps.count = 0;
    start_watching(block);
    memset(block->barriers, 0, sizeof block->barriers);
    struct shadow *kept = block->kept_shadow;
    block->shadow = NULL;
    if (is_shadowed(number, block)) {
        if (!kept)
            kept = block->kept_shadow = shadow_open(block);
        shadow_clear(kept, block);
        block->shadow = kept;
    }
    block->races = NULL;
    if (looks_for_races(number, block)) {
        if (!block->kept_races)
            block->kept_races = races_open();
        races_clear(block->kept_races);
        block->races = block->kept_races;
    }
    for (unsigned w = 0; w < block->warp_count; w++) {
        const unsigned left = threads - w * LANES;
        block->warps[w].alive = left >= LANES ? ALL_LANES : (1u << left) - 1;
        warp_start(&block->warps[w]);
    }
}

/* ---- Barriers of the block ---- */

/* Lets warps continue that wait at a barrier of the block, if all have arrived. Returns whether it did. */
static bool open_barrier(struct block *block, unsigned number)
{
    struct block_barrier *barrier = &block->barriers[number];
    unsigned wanted = 0, there = barrier->arrived, missing = 0, waiting = 0;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        uint32_t here = 0;
        for (unsigned s = 0; s < warp->split_count; s++)
            if (warp->splits[s].state == SPLIT_AT_BARRIER && warp->splits[s].barrier == number) {
                here |= warp->splits[s].lanes;
                wanted = warp->splits[s].barrier_threads ? warp->splits[s].barrier_threads : wanted;
            }
        waiting += here != 0;
        if (here && here == warp->alive)
            there += LANES;
        else if (warp->alive)
            missing++;
    }
    if (waiting == 0 || (wanted ? there < wanted : missing > 0))
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
    *barrier = (struct block_barrier){0};
    block->epoch++;
    return true;
}

static bool open_barriers(struct block *block)
{
    bool opened = false;
    for (unsigned w = 0; w < block->warp_count; w++)
        opened |= warp_end_waits(&block->warps[w]);
    for (unsigned i = 0; i < BLOCK_BARRIERS; i++)
        opened |= open_barrier(block, i);
    return opened;
}

/* Fails the block because none of its warps can continue, at the place where the first one waits. */
__attribute__((noreturn)) static void block_stuck(struct block *block)
{
    const struct split *found = NULL;
    for (unsigned w = 0; w < block->warp_count; w++)
        for (unsigned s = 0; s < block->warps[w].split_count; s++) {
            const struct split *split = &block->warps[w].splits[s];
            if (!found || (split->state == SPLIT_AT_BARRIER && found->state != SPLIT_AT_BARRIER))
                found = split;
        }
    if (!found)
        BUG("a block of no lanes is stuck");
    block->now = &block->code->list[found->pc];
    if (found->state == SPLIT_AT_BARRIER)
        block_fault(block, "the block waits for itself: not all of its threads come to this barrier");
    if (found->state == SPLIT_SYNCING)
        block_fault(block, "lanes of a warp wait for others that do not come");
    block_not_simulated(block, "%s that lanes of a warp do not leave", block->now->opcode);
}

/* Executes a turn of each warp. False: the block is done. */
static bool run_block(struct block *block)
{
    const bool is_backwards = orders[block->grid->order].backwards;
    bool ran = false, alive = false, idle = true;
    block->at_turn = true;
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[is_backwards ? block->warp_count - 1 - i : i];
        if (warp->split_count == 0)
            continue;
        const bool went_on = warp_run(warp);
        idle &= !went_on || warp->idle;
        ran |= went_on;
        alive |= warp->split_count > 0;
    }
    block->idle = idle;
    if (alive && !open_barriers(block) && !ran)
        block_stuck(block);
    block->at_turn = false;
    return alive;
}

static void let_next_run(struct block *block)
{
    struct block *next = block->next;
    if (next && next->runs && !next->at_turn)
        next->runs = run_block(next);
}

/* ---- Threads ---- */

/* Starts the next block of the launch. Others wait for it: where the last block comes first, it is the first of those
 * that are left, since blocks wait for blocks of lower numbers. False: there is none. */
static bool start_next(struct run_state *run, struct block *block, bool others_wait)
{
    const uint64_t begun = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
    if (begun >= run->count || __atomic_load_n(&run->failed, __ATOMIC_RELAXED))
        return false;
    uint64_t number = begun;
    if (orders[run->grid->order].backwards)
        number = others_wait ? run->from_front++ : run->count - 1 - (begun - run->from_front);
    start_block(block, number);
    return true;
}

/* The blocks that a thread executes in turn. */
struct turns {
    struct block **list;
    size_t count, capacity;
    struct block *at;
};

/* Begins a block because all others wait. */
static void begin_more(struct run_state *run, struct turns *turns)
{
    if (__atomic_load_n(&run->next, __ATOMIC_RELAXED) >= run->count) {
        sched_yield();
        return;
    }
    struct block *block = NULL;
    for (size_t i = 0; i < turns->count && !block; i++)
        block = turns->list[i]->runs ? NULL : turns->list[i];
    if (!block) {
        const struct block *first = turns->list[0];
        block = *ARRAY_GROW(turns->list, turns->count) = x_calloc(1, sizeof *block);
        open_block(block, run, first->tallies, first);
        block->failed = first->failed;
        block->problem = first->problem;
        block->fault = first->fault;
        block->interrupt = first->interrupt;
    }
    block->runs = start_next(run, block, true);
}

/* Executes blocks in turn, until all are done. */
static void run_in_turn(struct run_state *run, struct turns *turns)
{
    const size_t most = orders[run->grid->order].blocks;
    for (bool any = true; any && !__atomic_load_n(&run->failed, __ATOMIC_RELAXED);) {
        any = false;
        bool idle = true;
        for (size_t i = 0; i < turns->count; i++)
            any |= turns->list[i]->runs = turns->list[i]->runs || (i < most && start_next(run, turns->list[i], false));
        for (size_t i = 0; i < turns->count; i++) {
            struct block *block = turns->at = turns->list[i];
            if (!block->runs)
                continue;
            block->runs = run_block(block);
            idle &= block->runs && block->idle;
        }
        if (any && idle)
            begin_more(run, turns);
    }
}

static void *run_blocks(void *data)
{
    struct thread_state *self = data;
    struct run_state *run = self->run;
    const size_t most = orders[run->grid->order].blocks;
    struct turns turns = {0};
    jmp_buf failed;
    bool fault = false;
    struct problem problem;
    for (size_t i = 0; i < most; i++) {
        struct block *block = *ARRAY_GROW(turns.list, turns.count) = x_calloc(1, sizeof *block);
        open_block(block, run, self->tallies, NULL);
        block->failed = &failed;
        block->problem = &problem;
        block->fault = &fault;
        block->interrupt = let_next_run;
    }
    for (size_t i = 0; i < most && most > 1; i++)
        turns.list[i]->next = turns.list[(i + 1) % most];
    struct turns *volatile kept = &turns;
    if (setjmp(failed) == 0) {
        run_in_turn(run, kept);
    } else {
        const struct block *at = kept->at;
        if (!at)
            BUG("a block failed before one was executed");
        pthread_mutex_lock(&run->lock);
        /* A fault of the kernel counts more than something that is not simulated. Otherwise the first block counts,
         * which began before those behind it. */
        if (!run->failed || (fault && !run->fault) || (fault == run->fault && at->number < run->failed_block)) {
            run->problem = problem;
            run->fault = fault;
            run->failed_block = at->number;
        }
        __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&run->lock);
    }
    for (size_t i = kept->count; i-- > 0;) {
        close_block(kept->list[i]);
        free(kept->list[i]);
    }
    free(kept->list);
    return NULL;
}

static unsigned processors(void)
{
    const char *wanted = getenv("CUGATE_SIM_THREADS");
    const long threads = wanted ? strtol(wanted, NULL, 10) : 0;
    if (threads > 0 && threads < 4096)
        return (unsigned)threads;
    return processor_count();
}

static void add_tallies(struct tally *sum, const struct tally *more, size_t count)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)more;
    for (size_t i = 0; i < count * sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

/* Returns whether the code uses the answers of atomics on global memory. */
static bool uses_answers(const struct code *code)
{
    for (size_t i = 0; i < code->count; i++)
        if (code->list[i].opcode &&
            (strncmp(code->list[i].opcode, "ATOM.", 5) == 0 || strncmp(code->list[i].opcode, "ATOMG.", 6) == 0))
            return true;
    return false;
}

/* Returns the number of threads. A launch that is not counted may make the inputs of one that is. Its results have to
 * be the same on every machine, so where answers of atomics matter it gets one thread. */
static size_t thread_count(const struct run_state *run)
{
    const bool one = run->grid->order > 0 || (!run->counts && uses_answers(run->code));
    const size_t most = one ? 1 : processors();
    return run->count < most ? (size_t)run->count : most;
}

int grid_run(const struct grid *grid, struct tally *tallies, bool *fault, struct problem *problem)
{
    *fault = false;
    if (code_of(grid->function, problem) < 0)
        return -1;
    struct run_state run = {.grid = grid, .code = grid->function->code, .counts = tallies != NULL};
    run.count = grid_blocks(grid);
    if (grid->meetings)
        meetings_launch(grid->meetings);
    pthread_mutex_init(&run.lock, NULL);
    void *workspace = grid->cooperative ? device_allocate(WORKSPACE_BYTES) : NULL;
    if (workspace)
        memset(workspace, 0, WORKSPACE_BYTES);
    run.workspace = (uintptr_t)workspace;
    const size_t most = thread_count(&run);
    struct thread_state *threads = x_calloc(most, sizeof *threads);
    for (size_t i = 0; i < most; i++) {
        threads[i].run = &run;
        threads[i].tallies = x_calloc(run.code->count, sizeof *threads[i].tallies);
        if (i > 0 && pthread_create(&threads[i].thread, NULL, run_blocks, &threads[i]) != 0)
            BUG("cannot start a thread");
    }
    run_blocks(&threads[0]);
    for (size_t i = 0; i < most; i++) {
        if (i > 0)
            pthread_join(threads[i].thread, NULL);
        if (tallies && !run.failed)
            add_tallies(tallies, threads[i].tallies, run.code->count);
        free(threads[i].tallies);
    }
    free(threads);
    pthread_mutex_destroy(&run.lock);
    if (workspace)
        device_free(workspace);
    *fault = run.fault;
    if (run.failed)
        *problem = run.problem;
    return run.failed ? -1 : 0;
}
