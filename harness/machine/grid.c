/* Executes a launch. In order 0, its blocks are shared by as many threads as there are processors, and the counts of
 * all threads are added up. In other orders, one thread executes them. */
#include "grid.h"

#include "block.h"
#include "device_memory.h"
#include "hot_addresses.h"
#include "meetings.h"
#include "memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { WORKSPACE_BYTES = 256 };

/* Blocks wait in vain when so many instructions were executed and nothing was done; others begin before that. It is
 * looked for whenever each warp has executed some. */
enum { STEPS_BETWEEN = 512, STEPS_TO_BEGIN = 1 << 20, MOST_STEPS = 1 << 24 };
#define MOST_BYTES (UINT64_C(4) << 30) /* of this machine, of blocks that have begun */

/* Where constants are that the launch sets, in bytes. Only 9.0 has clusters here. */
enum {
    CONSTANTS_AT = 0xc0, /* the address of constant bank 0 itself, by which nvjet finds its tensor maps */
    CLUSTER_SIZES = 0x140,
    CLUSTER_COUNTS = 0x15c,
    CLUSTER_BLOCKS = 0x188,
    PARAMETERS_AT = 0x198,
    MOST_ALIGNED = 128 /* as much as an argument can be aligned */
};

/* The rows are the orders. Each says how many clusters a thread has begun at a time, and how many instructions a warp
 * executes before the next one; whether blocks, and warps, come last first; and which word shared memory holds at
 * first. Without clusters, each block is one by itself. In the first order, turns are short because warps of a block
 * often read the same lines, which then are still in the CPU's caches. */
static const struct order {
    unsigned clusters, turn;
    bool backwards, warps_backwards, parts;
    uint32_t fresh;
} orders[ALL_ORDERS] = {{1, 256, false, false, false, 0},
                        {1, FUEL, true, true, false, 0},
                        {16, 61, false, false, false, 0},
                        {5, 7, true, true, true, 0},
                        /* Large as a float, a half, a whole number: positive, and negative. */
                        {1, FUEL, true, true, false, 0x7f7f7f7f},
                        {1, FUEL, true, false, false, 0xff7fff7f},
                        {1, 1, true, false, false, 0x7f7f7f7f}};

static const struct watcher *const watchers[WATCHERS] = {
    [WATCH_OUTCOMES] = &outcomes_watcher, [WATCH_MEETINGS] = &meetings_watcher, [WATCH_ANSWERS] = &answers_watcher,
    [WATCH_HOT] = &hot_watcher,           [WATCH_RACES] = &races_watcher,       [WATCH_SHADOW] = &shadow_watcher,
    [WATCH_HAZARDS] = &hazards_watcher,   [WATCH_TILES] = &tiles_watcher,       [WATCH_SWAPS] = &swaps_watcher,
    [WATCH_WAITS] = &waits_watcher};

/* What the threads of a launch share. */
struct run_state {
    const struct grid *grid;
    struct code *code;
    bool counts;
    uint64_t workspace;   /* where the blocks of a cooperative launch meet, an address of the GPU */
    uint64_t parameters;  /* where kernels find their arguments in memory, an address of the GPU */
    uint64_t next, count; /* clusters that have begun, of so many */
    uint64_t progress;    /* how often a thread saw that its blocks do more than wait */
    uint64_t live, stuck; /* threads that have blocks, and those of them that have seen none for long */
    uint64_t bytes;       /* of this machine that the places for blocks take, of all threads */
    uint64_t from_front;  /* where the last one comes first: those of them that others waited for, from the first on */
    bool failed, fault;
    uint64_t failed_block;
    struct problem problem;
    pthread_mutex_t lock;
};

struct thread_state {
    struct run_state *run;
    struct tally *tallies;
    struct flow *flows;
    struct hot_addresses hot;
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

/* What the code asks for of clusters, as an H100 had it: sizes, their reciprocals, the number of clusters. */
static void fill_cluster(struct block *block)
{
    const struct grid *grid = block->grid;
    uint32_t words[9] = {grid->cluster[0] != 0};
    for (unsigned i = 0; i < 3; i++) {
        const unsigned size = grid->cluster[0] ? grid->cluster[i] : 1;
        const float reciprocal = 1.0f / (float)size;
        words[1 + i] = size;
        memcpy(&words[4 + i], &reciprocal, sizeof reciprocal);
        const uint32_t clusters = grid->blocks[i] / size;
        memcpy(block->bank0 + CLUSTER_COUNTS + (size_t)i * 4, &clusters, sizeof clusters);
    }
    memcpy(block->bank0 + CLUSTER_SIZES, words, 7 * sizeof *words);
    const uint32_t blocks = (uint32_t)cluster_blocks(grid);
    memcpy(block->bank0 + CLUSTER_BLOCKS, &blocks, sizeof blocks);
}

static void fill_bank0(struct block *block, uint64_t parameters)
{
    const struct grid *grid = block->grid;
    const struct function *function = grid->function;
    const struct architecture *system = function->module->architecture;
    memcpy(block->bank0 + system->threads, grid->threads, sizeof grid->threads);
    memcpy(block->bank0 + system->blocks, grid->blocks, sizeof grid->blocks);
    /* The upper word of the address comes first. */
    const uint64_t workspace = block->launch_workspace << 32 | block->launch_workspace >> 32;
    const uint64_t local = LOCAL_WINDOW, shared = SHARED_WINDOW;
    if (system->workspace)
        memcpy(block->bank0 + system->workspace, &workspace, sizeof workspace);
    memcpy(block->bank0 + system->local_window, &local, sizeof local);
    if (system->shared_window)
        memcpy(block->bank0 + system->shared_window, &shared, sizeof shared);
    memcpy(block->bank0 + system->stack_top, &block->local_bytes, sizeof block->local_bytes);
    if (system->capability / 10 == 9) {
        const uint64_t constants = parameters ? parameters - function->entry.parameter_base : 0;
        memcpy(block->bank0 + PARAMETERS_AT, &parameters, sizeof parameters);
        memcpy(block->bank0 + CONSTANTS_AT, &constants, sizeof constants);
        fill_cluster(block);
    }
    if (grid->parameters)
        memcpy(block->bank0 + function->entry.parameter_base, grid->parameters, function->entry.parameter_bytes);
}

static struct memo *open_memos(size_t count)
{
    struct memo *memos = aligned_alloc(_Alignof(struct memo), (count + 1) * sizeof *memos);
    if (!memos)
        BUG("no memory to remember %zu accesses", count);
    memset(memos, 0, (count + 1) * sizeof *memos);
    return memos;
}

/* Opens a place for blocks. One that borrows has the memos of another, since what is remembered of accesses is of the
 * same code. */
static void open_block(struct block *block, const struct run_state *run, struct thread_state *owner,
                       const struct block *lender)
{
    const struct grid *grid = run->grid;
    const struct function *function = grid->function;
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    *block = (struct block){.grid = grid,
                            .code = run->code,
                            .tallies = owner->tallies,
                            .flows = owner->flows,
                            .hot = &owner->hot,
                            .counts = run->counts,
                            .parts = orders[grid->order].parts,
                            .borrows = lender != NULL,
                            .turn = orders[grid->order].turn,
                            .watch.list = watchers,
                            .launch_workspace = run->workspace};
    block->warp_count = (threads + LANES - 1) / LANES;
    block->warps = aligned_alloc(64, sizeof *block->warps * block->warp_count);
    if (!block->warps)
        BUG("no memory for %u warps", block->warp_count);
    memset(block->warps, 0, sizeof *block->warps * block->warp_count);
    block->memos = lender ? lender->memos : open_memos(run->code->count);
    block->begun = lender ? 2 : 0;
    block->bank0_size = (size_t)function->entry.parameter_base + function->entry.parameter_bytes;
    block->bank0 = x_calloc(block->bank0_size + 8, 1);
    block->local_bytes = (module_stack(function) + 15) / 16 * 16;
    block->constants = aligned_alloc(64, run->code->constant_count * ROW_BYTES + 64);
    block->reserved = function->module->architecture->reserved;
    block->shared_size = block->reserved + (size_t)function->shared_bytes + grid->shared;
    block->shared = x_calloc(block->shared_size + 16, 1);
    fill_bank0(block, run->parameters);
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
    watch_release(&block->watch);
    free(block->warps);
    for (size_t i = 0; i < block->code->count && !block->borrows; i++) {
        memo_settle(&block->memos[i], &block->tallies[i]);
        free(block->memos[i].copy);
    }
    if (!block->borrows)
        free(block->memos);
    free(block->bank0);
    free(block->constants);
    free(block->shared);
}

/* Sets the place of a block, which is the one of that rank in a cluster. */
static void place_block(struct block *block)
{
    uint64_t cluster = block->cluster->number;
    const struct grid *grid = block->grid;
    uint64_t rank = block->rank;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned size = grid->cluster[0] ? grid->cluster[i] : 1, clusters = grid->blocks[i] / size;
        block->index[i] = (unsigned)(cluster % clusters * size + rank % size);
        cluster /= clusters;
        rank /= size;
    }
    block->number =
        block->index[0] + (uint64_t)grid->blocks[0] * (block->index[1] + (uint64_t)grid->blocks[1] * block->index[2]);
}

static void start_block(struct block *block)
{
    const struct grid *grid = block->grid;
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    place_block(block);
    block->runs = true;
    block->epoch = 1;
    block->doubted = false;
    for (size_t at = block->reserved; orders[grid->order].fresh && at < block->shared_size; at += sizeof(uint32_t))
        memcpy(block->shared + at, &orders[grid->order].fresh, sizeof(uint32_t));
    block->copies_arrive = false;
    memset(block->barriers, 0, sizeof block->barriers);
    watch_begin(block);
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
    uint32_t waiters = 0;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        uint32_t here = 0;
        for (unsigned s = 0; s < warp->split_count; s++)
            if (warp->splits[s].state == SPLIT_AT_BARRIER && warp->splits[s].barrier == number) {
                here |= warp->splits[s].lanes;
                wanted = warp->splits[s].barrier_threads ? warp->splits[s].barrier_threads : wanted;
            }
        waiting += here != 0;
        waiters |= here ? 1u << w : 0;
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
    watch_bytes(NULL, NULL, block, ACCESS_MEETS, waiters, 0, barrier->arrivers);
    *barrier = (struct block_barrier){0};
    block->epoch++;
    return true;
}

static bool open_barriers(struct block *block)
{
    bool opened = false;
    uint32_t waited_for = 0; /* barriers, a bit each */
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        opened |= warp_end_waits(&block->warps[w]);
        for (unsigned s = 0; s < warp->split_count; s++)
            waited_for |= warp->splits[s].state == SPLIT_AT_BARRIER ? 1u << warp->splits[s].barrier : 0;
    }
    for (; waited_for; waited_for &= waited_for - 1)
        opened |= open_barrier(block, (unsigned)__builtin_ctz(waited_for));
    block->cluster->waited &= !opened;
    block->wrote |= opened;
    return opened;
}

/* Fails the block because none of its warps can continue, at the place where the first one waits. */
__attribute__((noreturn)) static void block_stuck(struct block *block)
{
    const struct split *found = NULL;
    unsigned found_warp = 0;
    for (unsigned w = 0; w < block->warp_count; w++)
        for (unsigned s = 0; s < block->warps[w].split_count; s++) {
            const struct split *split = &block->warps[w].splits[s];
            if (!found || (split->state == SPLIT_AT_BARRIER && found->state != SPLIT_AT_BARRIER)) {
                found = split;
                found_warp = w;
            }
        }
    if (!found)
        BUG("a block of no lanes is stuck");
    block->now = &block->code->list[found->pc];
    if (found->state == SPLIT_AT_BARRIER && found->barrier >= NAMED_BARRIERS)
        block_not_simulated(block, "%s without the other warps of its warpgroup", block->now->opcode);
    if (found->state == SPLIT_AT_BARRIER)
        block_fault(block, "the block waits for itself: not all of its threads come to this barrier");
    if (found->state == SPLIT_SYNCING)
        block_fault(block, "lanes of a warp wait for others that do not come");
    if (found->state == SPLIT_AT_CLUSTER)
        block_fault(block, "the cluster waits for itself: not all of its threads arrive at its barrier");
    if (found->state == SPLIT_AT_PHASE)
        phase_is_missing(&block->warps[found_warp], found);
    block_not_simulated(block, "%s that lanes of a warp do not leave", block->now->opcode);
}

/* Executes a turn of each warp. Returns whether anything was executed, or something continues. */
static bool run_block(struct block *block)
{
    const bool is_backwards = orders[block->grid->order].warps_backwards;
    bool ran = false, alive = false, idle = true;
    block->at_turn = true;
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[is_backwards ? block->warp_count - 1 - i : i];
        if (warp->split_count == 0)
            continue;
        const bool went_on = warp_run(warp);
        warp->ran |= went_on;
        idle &= !went_on || warp->idle;
        ran |= went_on;
        alive |= warp->split_count > 0;
    }
    block->runs = alive;
    block->idle = alive && idle;
    ran |= !alive || open_barriers(block);
    block->at_turn = false;
    return ran;
}

/* Where nothing continues, the hardware gives up a wait for a phase after some microseconds, and the code may then do
 * something else. If it only waits again, no one will end the phase. */
static void go_on_or_fail(struct cluster *cluster)
{
    bool gave_up = false;
    for (unsigned i = 0; i < cluster->count && !cluster->waited; i++)
        for (unsigned w = 0; w < cluster->blocks[i].warp_count && cluster->blocks[i].runs; w++)
            gave_up |= warp_give_up_waits(&cluster->blocks[i].warps[w]);
    if (gave_up) {
        cluster->waited = true;
        return;
    }
    for (unsigned i = 0; i < cluster->count; i++)
        if (cluster->blocks[i].runs)
            block_stuck(&cluster->blocks[i]);
}

/* Executes a turn of each block. */
static void run_cluster(struct cluster *cluster)
{
    bool ran = false, alive = false, all = true, idle = true;
    for (unsigned i = 0; i < cluster->count; i++) {
        struct block *block = &cluster->blocks[i];
        if (block->at_turn) {
            all = false;
        } else if (block->runs) {
            ran |= run_block(block);
            idle &= block->idle;
        }
        alive |= block->runs;
    }
    if (alive && all) {
        const bool opened = cluster_open(cluster);
        idle &= !opened;
        if (!ran && !opened)
            go_on_or_fail(cluster);
    }
    cluster->runs = alive;
    cluster->idle = idle;
}

static void let_next_run(struct block *block)
{
    if (block->next)
        run_cluster(block->next->cluster);
}

/* ---- Threads ---- */

/* Starts the next cluster of the launch. Others wait for it: where the last one comes first, it is the first of those
 * that are left, since blocks wait for blocks of lower numbers. False: there is none. */
static bool start_next(struct run_state *run, struct cluster *cluster, bool others_wait)
{
    const uint64_t begun = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
    if (begun >= run->count || __atomic_load_n(&run->failed, __ATOMIC_RELAXED))
        return false;
    cluster->number = begun;
    if (orders[run->grid->order].backwards)
        cluster->number = others_wait ? run->from_front++ : run->count - 1 - (begun - run->from_front);
    cluster->waited = false;
    for (unsigned i = 0; i < cluster->count; i++)
        start_block(&cluster->blocks[i]);
    return true;
}

/* The clusters that a thread executes in turn. */
struct turns {
    struct thread_state *owner;
    struct cluster **list;
    size_t count, capacity;
    struct cluster *at;
    uint64_t seen, steps; /* the progress that was seen last, and the instructions that were executed until then */
    uint64_t looked;      /* those that were when it was looked for */
    bool stuck;
    jmp_buf failed;
    bool fault;
    struct problem problem;
};

/* Returns about how many bytes of this machine a place for a block takes. */
static uint64_t bytes_of_block(const struct run_state *run)
{
    const struct grid *grid = run->grid;
    const uint64_t warps = (grid->threads[0] * grid->threads[1] * grid->threads[2] + LANES - 1) / LANES;
    return warps * (sizeof(struct warp) + (uint64_t)module_stack(grid->function) * LANES) +
           grid->function->shared_bytes + grid->shared;
}

/* Adds a place for a cluster. */
static struct cluster *add_cluster(struct run_state *run, struct turns *turns, const struct block *lender)
{
    __atomic_fetch_add(&run->bytes, cluster_blocks(run->grid) * bytes_of_block(run), __ATOMIC_RELAXED);
    struct cluster *cluster = *ARRAY_GROW(turns->list, turns->count) = x_calloc(1, sizeof *cluster);
    cluster->count = (unsigned)cluster_blocks(run->grid);
    cluster->blocks = x_calloc(cluster->count, sizeof *cluster->blocks);
    for (unsigned i = 0; i < cluster->count; i++) {
        struct block *block = &cluster->blocks[i];
        open_block(block, run, turns->owner, lender);
        block->cluster = cluster;
        block->rank = i;
        block->failed = &turns->failed;
        block->problem = &turns->problem;
        block->fault = &turns->fault;
        block->interrupt = let_next_run;
    }
    return cluster;
}

/* Begins a cluster because all others wait. */
static void begin_more(struct run_state *run, struct turns *turns)
{
    if (__atomic_load_n(&run->next, __ATOMIC_RELAXED) >= run->count) {
        sched_yield();
        return;
    }
    struct cluster *cluster = NULL;
    for (size_t i = 0; i < turns->count && !cluster; i++)
        cluster = turns->list[i]->runs ? NULL : turns->list[i];
    if (!cluster && __atomic_load_n(&run->bytes, __ATOMIC_RELAXED) > MOST_BYTES)
        block_not_simulated(turns->at->blocks,
                            "blocks that wait for others which have not begun take more than %llu GiB",
                            (unsigned long long)(MOST_BYTES >> 30));
    if (!cluster)
        cluster = add_cluster(run, turns, turns->list[0]->blocks);
    cluster->runs = start_next(run, cluster, true);
}

/* Whether, since it was asked last, the cluster wrote anything or came past a barrier, or one of its warps worked
 * without a look at what others may change. */
static bool has_worked(struct cluster *cluster)
{
    bool worked = false;
    for (unsigned i = 0; i < cluster->count; i++) {
        struct block *block = &cluster->blocks[i];
        worked |= block->wrote;
        block->wrote = false;
        for (unsigned w = 0; w < block->warp_count; w++) {
            worked |= block->warps[w].ran && !block->warps[w].looked;
            block->warps[w].ran = block->warps[w].looked = false;
        }
    }
    return worked;
}

/* Where all warps of a thread only look at what others may change, and no thread does anything else, those blocks may
 * have to begin that they wait for, though they are not seen to be idle. If all have begun, they wait in vain. */
static void look_for_progress(struct run_state *run, struct turns *turns)
{
    uint64_t steps = 0, warps = 0;
    for (size_t i = 0; i < turns->count; i++) {
        steps += turns->list[i]->steps;
        warps += (uint64_t)turns->list[i]->count * turns->list[i]->blocks->warp_count;
    }
    if (steps - turns->looked < warps * STEPS_BETWEEN)
        return;
    turns->looked = steps;
    bool worked = false;
    for (size_t i = 0; i < turns->count; i++)
        worked |= has_worked(turns->list[i]);
    const uint64_t progress = __atomic_add_fetch(&run->progress, worked, __ATOMIC_RELAXED);
    if (progress != turns->seen) {
        turns->seen = progress;
        turns->steps = steps;
        __atomic_sub_fetch(&run->stuck, turns->stuck, __ATOMIC_RELAXED);
        turns->stuck = false;
    }
    if (steps - turns->steps < STEPS_TO_BEGIN)
        return;
    if (__atomic_load_n(&run->next, __ATOMIC_RELAXED) < run->count) {
        begin_more(run, turns);
        turns->steps = steps;
        return;
    }
    if (steps - turns->steps >= MOST_STEPS && !turns->stuck) {
        turns->stuck = true;
        __atomic_add_fetch(&run->stuck, 1, __ATOMIC_RELAXED);
    }
    /* A thread that has not been told yet of another's progress takes itself back first. */
    if (turns->stuck &&
        __atomic_load_n(&run->stuck, __ATOMIC_SEQ_CST) >= __atomic_load_n(&run->live, __ATOMIC_SEQ_CST) &&
        __atomic_load_n(&run->progress, __ATOMIC_SEQ_CST) == turns->seen)
        block_not_simulated(
            turns->at->blocks,
            "all blocks have begun, and what its warps wait for does not come: nothing was written while "
            "%u instructions were executed",
            MOST_STEPS);
}

/* Executes clusters in turn, until all are done. */
static void run_in_turn(struct run_state *run, struct turns *turns)
{
    const size_t most = orders[run->grid->order].clusters;
    for (bool any = true; any && !__atomic_load_n(&run->failed, __ATOMIC_RELAXED);) {
        any = false;
        bool idle = true;
        for (size_t i = 0; i < turns->count; i++)
            any |= turns->list[i]->runs = turns->list[i]->runs || (i < most && start_next(run, turns->list[i], false));
        for (size_t i = 0; i < turns->count; i++) {
            struct cluster *cluster = turns->at = turns->list[i];
            if (!cluster->runs)
                continue;
            run_cluster(cluster);
            idle &= cluster->idle;
        }
        if (any && idle)
            begin_more(run, turns);
        if (any)
            look_for_progress(run, turns);
    }
}

/* Notes why a thread failed. A fault of the kernel counts more than something that is not simulated. Otherwise the
 * first block counts, which began before those behind it. */
static void note_failure(struct run_state *run, const struct turns *turns)
{
    const uint64_t number = turns->at->blocks->number;
    pthread_mutex_lock(&run->lock);
    if (!run->failed || (turns->fault && !run->fault) || (turns->fault == run->fault && number < run->failed_block)) {
        run->problem = turns->problem;
        run->fault = turns->fault;
        run->failed_block = number;
    }
    __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&run->lock);
}

static void *run_blocks(void *data)
{
    struct thread_state *self = data;
    struct run_state *run = self->run;
    const size_t most = orders[run->grid->order].clusters;
    struct turns *turns = x_calloc(1, sizeof *turns);
    turns->owner = self;
    for (size_t i = 0; i < most; i++)
        add_cluster(run, turns, NULL);
    for (size_t i = 0; i < most && most > 1; i++)
        for (unsigned b = 0; b < turns->list[i]->count; b++)
            turns->list[i]->blocks[b].next = &turns->list[(i + 1) % most]->blocks[b];
    turns->at = turns->list[0];
    if (setjmp(turns->failed) == 0)
        run_in_turn(run, turns);
    else
        note_failure(run, turns);
    __atomic_sub_fetch(&run->stuck, turns->stuck, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&run->live, 1, __ATOMIC_SEQ_CST);
    for (size_t i = turns->count; i-- > 0;) {
        for (unsigned b = turns->list[i]->count; b-- > 0;)
            close_block(&turns->list[i]->blocks[b]);
        free(turns->list[i]->blocks);
        free(turns->list[i]);
    }
    free(turns->list);
    free(turns);
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

/* Adds how often instructions were executed. Until then `working` has, below 0, the threads whose guard was false. */
static void add_flows(struct tally *tallies, const struct flow *flows, size_t count)
{
    struct flow now = {0, 0};
    for (size_t i = 0; i < count; i++) {
        now.warps += flows[i].warps;
        now.threads += flows[i].threads;
        tallies[i].executed += now.warps;
        tallies[i].active += now.threads;
        tallies[i].working += now.threads;
    }
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

/* Adds what the threads counted to the tallies of the launch. */
static void add_counts(struct tally *tallies, struct thread_state *threads, size_t count, const struct code *code)
{
    for (size_t i = 0; i < count; i++) {
        add_tallies(tallies, threads[i].tallies, code->count);
        add_flows(tallies, threads[i].flows, code->count);
    }
    /* Of a copy past the L1 that @!P0 guards, instrumented code counts more lanes: lanes_copy.c. */
    for (size_t i = 0; i < code->count; i++) {
        const struct instruction *one = &code->list[i];
        if (one->guard == 0 && one->guard_flip && IS_OF(one, BYPASS)) {
            tallies[i].loose_wavefronts += tallies[i].active;
            tallies[i].loose_sectors += tallies[i].active; /* by line */
        }
    }
    for (size_t i = 1; i < count; i++)
        hot_merge(&threads[0].hot, &threads[i].hot);
    const struct hot_address most = hot_most(&threads[0].hot);
    if (most.count > 0)
        tallies[most.instruction].hottest += most.count;
}

int grid_run(const struct grid *grid, struct tally *tallies, bool *fault, struct problem *problem)
{
    *fault = false;
    if (code_of(grid->function, problem) < 0)
        return -1;
    const struct architecture *system = grid->function->module->architecture;
    if (grid->cooperative && !system->workspace)
        return problem_set(problem, "not simulated: a cooperative launch (grid.sync) of compute capability %d.%d",
                           system->capability / 10, system->capability % 10);
    struct run_state run = {.grid = grid, .code = grid->function->code, .counts = tallies != NULL};
    run.count = grid_blocks(grid) / cluster_blocks(grid);
    if (grid->meetings)
        meetings_launch(grid->meetings);
    pthread_mutex_init(&run.lock, NULL);
    void *workspace = grid->cooperative ? device_allocate(WORKSPACE_BYTES) : NULL;
    if (workspace)
        memset(workspace, 0, WORKSPACE_BYTES);
    run.workspace = (uintptr_t)workspace;
    const struct entry *entry = &grid->function->entry;
    /* Of constant bank 0 only arguments are in memory, aligned as they are in the bank. */
    const size_t before = entry->parameter_base % MOST_ALIGNED;
    unsigned char *parameters =
        grid->parameters && entry->parameter_bytes ? device_allocate(before + entry->parameter_bytes) : NULL;
    if (parameters)
        memcpy(parameters + before, grid->parameters, entry->parameter_bytes);
    run.parameters = parameters ? (uintptr_t)parameters + before : 0;
    const size_t most = thread_count(&run);
    run.live = most;
    struct thread_state *threads = x_calloc(most, sizeof *threads);
    for (size_t i = 0; i < most; i++) {
        threads[i].run = &run;
        threads[i].tallies = x_calloc(run.code->count, sizeof *threads[i].tallies);
        threads[i].flows = x_calloc(run.code->count + 1, sizeof *threads[i].flows);
        if (i > 0 && pthread_create(&threads[i].thread, NULL, run_blocks, &threads[i]) != 0)
            BUG("cannot start a thread");
    }
    run_blocks(&threads[0]);
    for (size_t i = 1; i < most; i++)
        pthread_join(threads[i].thread, NULL);
    if (tallies && !run.failed)
        add_counts(tallies, threads, most, run.code);
    for (size_t i = 0; i < most; i++) {
        free(threads[i].tallies);
        free(threads[i].flows);
        hot_release(&threads[i].hot);
    }
    free(threads);
    pthread_mutex_destroy(&run.lock);
    if (workspace)
        device_free(workspace);
    if (parameters)
        device_free(parameters);
    *fault = run.fault;
    if (run.failed)
        *problem = run.problem;
    return run.failed ? -1 : 0;
}
