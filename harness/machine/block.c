/* A place for blocks: what is in it when a block begins, and turns of its warps until all wait or are gone. */
#include "client.h"
#include "control.h"
#include "headway.h"
#include "record.h"
#include "turns.h"

#include "machine/memory/memory.h"
#include "machine/proof/proof.h"
#include "machine/races/races.h"

const struct order orders[ALL_ORDERS] = {{1, 256, false, false, SPLITS_IN_TURN, false, false, 0},
                                         {1, FUEL, true, true, SPLITS_IN_TURN, false, false, 0},
                                         {16, 61, false, false, SPLITS_IN_TURN, false, false, 0},
                                         {5, 7, true, true, SPLITS_IN_TURN, false, true, 0},
                                         {5, 7, true, true, SPLITS_IN_TURN, true, true, 0},
                                         /* Large as a float, a half, a whole number: positive, and negative. */
                                         {1, FUEL, true, true, SPLITS_FIRST, false, false, 0x7f7f7f7f},
                                         {1, FUEL, true, false, SPLITS_IN_TURN, false, false, 0xff7fff7f},
                                         {1, 1, true, false, SPLITS_LAST, false, false, 0x7f7f7f7f}};

/* Where constants are that the launch sets, in bytes. Only 9.0 has clusters here. */
enum {
    CONSTANTS_AT = 0xc0, /* the address of constant bank 0 itself, by which nvjet finds its tensor maps */
    CLUSTER_SIZES = 0x140,
    CLUSTER_COUNTS = 0x15c,
    CLUSTER_BLOCKS = 0x188,
    PARAMETERS_AT = 0x198
};

static const struct watcher *const watchers[WATCHERS] = {
    [WATCH_OUTCOMES] = &outcomes_watcher,  [WATCH_TOUCHED] = &touched_watcher, [WATCH_MEETINGS] = &meetings_watcher,
    [WATCH_ANSWERS] = &answers_watcher,    [WATCH_HOT] = &hot_watcher,         [WATCH_RACES] = &races_watcher,
    [WATCH_BLOCKS] = &block_races_watcher, [WATCH_SHADOW] = &shadow_watcher,   [WATCH_HAZARDS] = &hazards_watcher,
    [WATCH_TILES] = &tiles_watcher,        [WATCH_SWAPS] = &swaps_watcher,     [WATCH_WAITS] = &waits_watcher,
    [WATCH_LANES] = &lane_stores_watcher,  [WATCH_PROOF] = &proof_watcher,     [WATCH_CLUSTER] = &cluster_races_watcher,
    [WATCH_STREAMS] = &streams_watcher,    [WATCH_CLIENT] = &client_watcher};

/* ---- Beginning ---- */

static void fill_constants(struct block *block)
{
    const struct code *code = block->code;
    const struct module *module = block->grid->function->module;
    for (size_t i = 0; i < code->constant_count; i++) {
        const struct constant_row *row = &code->constants[i];
        uint32_t value = row->value, *words = (uint32_t *)(void *)(block->constants + i * ROW_BYTES);
        block->asks_smids |= !row->immediate && row->bank == 0 && row->value == module->architecture->smids;
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

static void let_next_run(struct block *block)
{
    if (block->next)
        cluster_run(block->next->cluster);
}

void block_open(struct block *block, const struct run_state *run, struct thread_state *owner,
                const struct block *lender)
{
    const struct grid *grid = run->grid;
    const struct function *function = grid->function;
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    *block = (struct block){.grid = grid,
                            .machine = function->module->machine,
                            .code = run->code,
                            .tallies = owner->tallies,
                            .flows = owner->flows,
                            .hot = &owner->hot,
                            .most = &owner->most,
                            .counts = run->counts,
                            .alone = run->alone,
                            .proof = run->proof,
                            .splits = orders[grid->order].splits,
                            .parts = orders[grid->order].parts,
                            .borrows = lender != NULL,
                            .turn = orders[grid->order].turn,
                            .watch.list = watchers,
                            .interrupt = let_next_run,
                            .fails = client_fails,
                            .unproved = proof_fail,
                            .launch_workspace = run->workspace};
    block->warp_count = (threads + LANES - 1) / LANES;
    block->warps = x_aligned(64, sizeof *block->warps * block->warp_count);
    block->memos =
        lender ? lender->memos : x_aligned(_Alignof(struct memo), (run->code->count + 1) * sizeof *block->memos);
    block->begun = lender ? 2 : 0;
    block->bank0_size = (size_t)function->entry.parameter_base + function->entry.parameter_bytes;
    block->bank0 = x_calloc(block->bank0_size + 8, 1);
    block->local_bytes = (module_stack(function) + 15) / 16 * 16;
    block->constants = x_aligned(64, run->code->constant_count * ROW_BYTES);
    block->reserved = function->module->architecture->reserved;
    block->shared_size = block->reserved + (size_t)function->shared_bytes + grid->shared;
    block->shared = x_calloc(block->shared_size + SHARED_BEYOND + sizeof(uint32_t), 1);
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

void block_close(struct block *block)
{
    for (unsigned w = 0; w < block->warp_count; w++)
        free(block->warps[w].local);
    watch_release(&block->watch);
    free(block->warps);
    for (size_t i = 0; i < block->code->count && !block->borrows; i++) {
        memo_settle(&block->memos[i], &block->tallies[i]);
        free(block->memos[i].copies);
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

void block_start(struct block *block)
{
    const struct grid *grid = block->grid;
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    place_block(block);
    block->runs = true;
    block->epoch = 1;
    block->doubted = 0;
    block->slow = orders[grid->order].slow && block->number % 2 == 0;
    for (size_t at = block->reserved; orders[grid->order].fresh && at < block->shared_size + SHARED_BEYOND;
         at += sizeof(uint32_t))
        memcpy(block->shared + at, &orders[grid->order].fresh, sizeof(uint32_t));
    block->copies_arrive = false;
    block->taken = 0;
    memset(block->barriers, 0, sizeof block->barriers);
    if (block->asks_smids)
        block_not_simulated(block, "%%nsmid");
    watch_begin(block);
    record_begin(block);
    for (unsigned w = 0; w < block->warp_count; w++) {
        const unsigned left = threads - w * LANES;
        block->warps[w].alive = left >= LANES ? ALL_LANES : (1u << left) - 1;
        block->warps[w].registers = (int)(grid->function->registers + 7) & ~7; /* they come in eights */
        warp_start(&block->warps[w]);
    }
}

/* ---- Barriers of the block ---- */

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
        opened |= barrier_open(block, (unsigned)__builtin_ctz(waited_for), 0);
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
        BUG("a block without active lanes is stuck");
    block->now = &block->code->list[found->pc];
    if (found->state == SPLIT_AT_BARRIER && found->barrier >= NAMED_BARRIERS)
        block_not_simulated(block, "%s without the other warps of its warpgroup", block->now->opcode);
    if (found->state == SPLIT_AT_BARRIER)
        block_fault(block, "deadlock: not every thread of the block reaches this barrier");
    if (found->state == SPLIT_SYNCING)
        block_fault(block, "deadlock: lanes of a warp wait for lanes that never arrive");
    if (found->state == SPLIT_AT_CLUSTER)
        block_fault(block, "deadlock: not every thread of the cluster arrives at its barrier");
    if (found->state == SPLIT_AT_PHASE)
        phase_is_missing(&block->warps[found_warp], found);
    block_not_simulated(block, "%s that lanes of a warp never leave", block->now->opcode);
}

void most_add(struct most *most, const struct most *more)
{
    most->warp = more->warp > most->warp ? more->warp : most->warp;
    most->block = more->block > most->block ? more->block : most->block;
}

static void note_most(struct block *block)
{
    struct most own = {0, 0};
    for (unsigned w = 0; w < block->warp_count; w++) {
        own.warp = block->warps[w].steps > own.warp ? block->warps[w].steps : own.warp;
        own.block += block->warps[w].steps;
    }
    most_add(block->most, &own);
    record_end(block, own.block);
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
    if (!alive && block->taken > 0) {
        block->now = block->taken_at;
        block_fault(block, "deadlock: setmaxnreg waits for registers that no warp gives back: %d of each lane",
                    block->taken);
    }
    if (!alive) {
        hazards_end(block);
        note_most(block);
    }
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

void cluster_run(struct cluster *cluster)
{
    const bool ran_before = cluster->runs;
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
    if (ran_before && !alive)
        headway_add(cluster->blocks->machine->headway, cluster->count);
}
