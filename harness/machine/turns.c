/* The clusters that a thread executes in turn, which begin as there is room, or because all others wait. */
#include "turns.h"

#include <sched.h>

/* Blocks wait in vain when so many instructions were executed and nothing was done; others begin before that. It is
 * looked for whenever each warp has executed some. */
enum { STEPS_BETWEEN = 512, STEPS_TO_BEGIN = 1 << 20, MOST_STEPS = 1 << 24, WAITS_ALONE = 256 };
#define MOST_BYTES (UINT64_C(4) << 30) /* of this machine, of blocks that have begun */

/* Whether a cluster is left to begin, and there is room for it on the GPU. */
static bool may_begin(const struct run_state *run)
{
    return __atomic_load_n(&run->next, __ATOMIC_RELAXED) < run->count &&
           (!run->grid->resident || __atomic_load_n(&run->resident, __ATOMIC_RELAXED) < run->grid->resident);
}

/* Starts the next cluster of the launch. Others wait for it: where the last one comes first, it is the first of those
 * that are left, since blocks wait for blocks of lower numbers. False: there is none, or no room. */
static bool start_next(struct run_state *run, struct cluster *cluster, bool others_wait)
{
    uint64_t resident = __atomic_load_n(&run->resident, __ATOMIC_RELAXED);
    do
        if (!may_begin(run))
            return false;
    while (!__atomic_compare_exchange_n(&run->resident, &resident, resident + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    cluster->counted = true;
    uint64_t begun = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
    while (run->done && begun < run->count && run->done[begun / 64] >> begun % 64 & 1)
        begun = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
    if (begun >= run->count || __atomic_load_n(&run->failed, __ATOMIC_RELAXED))
        return false;
    cluster->number = begun;
    if (orders[run->grid->order].backwards)
        cluster->number = others_wait ? run->from_front++ : run->count - 1 - (begun - run->from_front);
    cluster->waited = false;
    for (unsigned i = 0; i < cluster->count; i++)
        block_start(&cluster->blocks[i]);
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
    unsigned waits;       /* how often one that is tried alone only waited */
    bool resumes;         /* the first one was parked */
    bool stuck;
    jmp_buf failed;
    enum fault fault;
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
        block_open(block, run, turns->owner, lender);
        block->cluster = cluster;
        block->rank = i;
        block->failed = &turns->failed;
        block->problem = &turns->problem;
        block->fault = &turns->fault;
    }
    return cluster;
}

/* Whether a warp of the cluster has looked at what others may change, since it was asked last whether any has worked.
 */
static bool has_looked(const struct cluster *cluster)
{
    bool looked = false;
    for (unsigned i = 0; i < cluster->count; i++)
        for (unsigned w = 0; w < cluster->blocks[i].warp_count; w++)
            looked |= cluster->blocks[i].warps[w].looked;
    return looked;
}

/* Begins a cluster because all others wait. One that is tried alone is parked: at once if it looks at what others may
 * change, since it may give up after a few looks; else if it waits for long. */
static void begin_more(struct run_state *run, struct turns *turns)
{
    if (run->alone) {
        run->parked = has_looked(turns->at) || ++turns->waits == WAITS_ALONE;
        return;
    }
    if (!may_begin(run)) {
        sched_yield();
        return;
    }
    struct cluster *cluster = NULL;
    for (size_t i = 0; i < turns->count && !cluster; i++)
        cluster = turns->list[i]->runs ? NULL : turns->list[i];
    if (!cluster && __atomic_load_n(&run->bytes, __ATOMIC_RELAXED) > MOST_BYTES)
        block_not_simulated(turns->at->blocks, "blocks that wait for unstarted blocks take more than %llu GiB",
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
 * have to begin that they wait for, though they are not seen to be idle. If none can begin, they wait in vain. */
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
    if (run->alone || may_begin(run)) {
        run->parked = run->alone;
        if (!run->parked)
            begin_more(run, turns);
        turns->steps = steps;
        return;
    }
    /* On a GPU lanes that yield hold up none of their warp, which may have the lock that they want. */
    bool parted = true;
    for (size_t i = 0; i < turns->count; i++)
        for (unsigned b = 0; b < turns->list[i]->count; b++) {
            parted &= turns->list[i]->blocks[b].parts;
            turns->list[i]->blocks[b].parts = true;
        }
    if (!parted) {
        turns->steps = steps;
        return;
    }
    /* They may wait for one that was tried, and failed. */
    if (steps - turns->steps >= (run->fault ? STEPS_TO_BEGIN : MOST_STEPS) && !turns->stuck) {
        turns->stuck = true;
        __atomic_add_fetch(&run->stuck, 1, __ATOMIC_RELAXED);
    }
    /* A thread that has not been told yet of another's progress takes itself back first. */
    if (turns->stuck &&
        __atomic_load_n(&run->stuck, __ATOMIC_SEQ_CST) >= __atomic_load_n(&run->live, __ATOMIC_SEQ_CST) &&
        __atomic_load_n(&run->progress, __ATOMIC_SEQ_CST) == turns->seen) {
        struct block *block = turns->at->blocks;
        for (unsigned w = 0; w < block->warp_count; w++)
            block->now = block->warps[w].poll.pc ? &block->code->list[block->warps[w].poll.pc - 1] : block->now;
        block_not_simulated(block, "deadlock: %s, and the last %u million instructions wrote nothing",
                            run->next < run->count ? "the waiting blocks fill the GPU, so no other can start"
                                                   : "all blocks have started",
                            MOST_STEPS / 1000000);
    }
}

/* Executes clusters in turn, until all are done. One that was parked goes on when the others wait or are done: on a GPU
 * it would not have begun before those that it waits for, and it may give up. */
static void run_in_turn(struct run_state *run, struct turns *turns)
{
    const size_t most = orders[run->grid->order].clusters;
    for (bool any = true; any && !run->parked && !__atomic_load_n(&run->failed, __ATOMIC_RELAXED);) {
        any = false;
        bool idle = true;
        turns->resumes = turns->resumes && turns->list[0]->runs;
        for (size_t i = 0; i < turns->count; i++)
            if (turns->list[i]->counted && !turns->list[i]->runs) {
                turns->list[i]->counted = false;
                __atomic_sub_fetch(&run->resident, 1, __ATOMIC_RELAXED);
            }
        for (size_t i = 0; i < turns->count; i++)
            any |= turns->list[i]->runs =
                turns->list[i]->runs || (i < most + turns->resumes && start_next(run, turns->list[i], false));
        for (size_t i = turns->resumes; i < turns->count + turns->resumes; i++) {
            struct cluster *cluster = turns->list[i % turns->count];
            if (!cluster->runs || (i == turns->count && !idle))
                continue;
            turns->at = cluster;
            cluster_run(cluster);
            idle &= cluster->idle;
        }
        if (any && idle)
            begin_more(run, turns);
        if (any && !run->parked)
            look_for_progress(run, turns);
    }
}

/* Notes why a thread failed. A fault of the kernel counts more than something that is not simulated. Otherwise the
 * first block counts, which began before those behind it. */
static void note_failure(struct run_state *run, const struct turns *turns)
{
    const uint64_t number = turns->at->blocks->number;
    pthread_mutex_lock(&run->lock);
    if (!run->failed || (turns->fault && !run->fault) || (!turns->fault == !run->fault && number < run->failed_block)) {
        run->problem = turns->problem;
        run->fault = turns->fault;
        run->failed_block = number;
    }
    __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&run->lock);
}

void add_flows(struct tally *tallies, const struct flow *flows, size_t count)
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

static void run_or_fail(struct run_state *run, struct turns *turns)
{
    if (setjmp(turns->failed) == 0)
        run_in_turn(run, turns);
    else
        note_failure(run, turns);
}

static struct turns *open_turns(struct thread_state *owner)
{
    struct run_state *run = owner->run;
    const size_t most = orders[run->grid->order].clusters;
    struct turns *turns = x_calloc(1, sizeof *turns);
    turns->owner = owner;
    for (size_t i = 0; i < most; i++)
        add_cluster(run, turns, NULL);
    for (size_t i = 0; i < most && most > 1; i++)
        for (unsigned b = 0; b < turns->list[i]->count; b++)
            turns->list[i]->blocks[b].next = &turns->list[(i + 1) % most]->blocks[b];
    turns->at = turns->list[0];
    return turns;
}

void *run_blocks(void *data)
{
    struct thread_state *self = data;
    struct run_state *run = self->run;
    if (!self->turns)
        self->turns = open_turns(self);
    struct turns *turns = self->turns;
    run_or_fail(run, turns);
    if (run->parked && !run->failed) {
        for (unsigned b = 0; b < turns->at->count; b++) {
            turns->at->blocks[b].proof = NULL;
            watch_stop(&turns->at->blocks[b], WATCH_PROOF);
        }
        turns->resumes = true;
        return NULL;
    }
    self->turns = NULL;
    __atomic_sub_fetch(&run->stuck, turns->stuck, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&run->live, 1, __ATOMIC_SEQ_CST);
    for (size_t i = turns->count; i-- > 0;) {
        for (unsigned b = turns->list[i]->count; b-- > 0;)
            block_close(&turns->list[i]->blocks[b]);
        free(turns->list[i]->blocks);
        free(turns->list[i]);
    }
    free(turns->list);
    free(turns);
    return NULL;
}
