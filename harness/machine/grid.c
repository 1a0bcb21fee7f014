/* Executes a launch. In order 0, its blocks are shared by as many threads as there are processors, and the counts of
 * all threads are added up. In other orders, one thread executes them. */
#include "grid.h"
#include "opcode.h"

#include "client.h"
#include "headway.h"
#include "left.h"
#include "turns.h"

#include "machine/races/races.h"

enum { WORKSPACE_BYTES = 256, MOST_ALIGNED = 128 /* as much as an argument can be aligned */ };

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
    return ANY(i, code->count,
               code->list[i].traits & TRAIT_ATOMIC && !(code->list[i].traits & TRAIT_SHARED) &&
                   code->list[i].output_count > 0);
}

/* Returns the number of threads. A launch that is not counted may make the inputs of one that is. Its results have to
 * be the same on every machine, and so has what is recorded: where answers of atomics matter it gets one thread. So do
 * addresses that malloc() returns. */
static size_t thread_count(const struct run_state *run)
{
    const bool one = run->grid->order > 0 || client_calls(run->grid->client) ||
                     ((!run->counts || run->grid->recorder) && uses_answers(run->code)) ||
                     module_calls(run->grid->function->module, "malloc");
    const size_t most = one ? 1 : processors();
    return run->count < most ? (size_t)run->count : most;
}

/* Adds what the threads counted to the tallies of the launch. */
static void add_counts(struct tally *tallies, struct thread_state *threads, size_t count, const struct run_state *run)
{
    const struct code *code = run->code;
    struct most executed = run->most;
    for (size_t i = 0; i < count; i++) {
        add_tallies(tallies, threads[i].tallies, code->count);
        add_flows(tallies, threads[i].flows, code->count);
        most_add(&executed, &threads[i].most);
    }
    tallies->longest_warp += executed.warp;
    tallies->busiest_block += executed.block;
    for (size_t i = 0; i < code->count; i++) {
        const struct instruction *one = &code->list[i];
        tallies[i].slow = one->pipe * tallies[i].executed;
        tallies[i].barriers = one->barrier * tallies[i].executed;
        tallies[i].converted = one->converts ? tallies[i].working : 0;
        if (one->past_l1)
            tallies[i].past_l1 = tallies[i].unit_sectors;
        /* Of a copy past the L1 that @!P0 guards, instrumented code counts more lanes: lanes_copy.c. */
        if (one->guard == 0 && one->guard_flip && IS_OF(one, BYPASS)) {
            tallies[i].loose_wavefronts += tallies[i].active;
            tallies[i].loose_sectors += tallies[i].active; /* by line */
        }
    }
    for (size_t i = 1; i < count; i++)
        hot_merge(&threads[0].hot, &threads[i].hot);
    hot_merge(&threads[0].hot, &run->hot);
    const struct hot_address most = hot_most(&threads[0].hot);
    if (most.count > 0) {
        tallies[most.instruction].hottest += most.count;
        tallies[most.instruction].addresses += threads[0].hot.count;
    }
}

/* What a thread does. Where a client asked for it, a thread that has no memory fails, and the program goes on. */
static void *run_thread(void *data)
{
    struct thread_state *self = data;
    struct run_state *run = self->run;
    jmp_buf out, *const before = memory_into(NULL);
    struct problem said;
    memory_into(run->grid->client ? &out : before);
    struct problem *const taker = run->grid->client ? error_into(&said) : NULL;
    if (setjmp(out) == 0) {
        run_blocks(data);
    } else {
        pthread_mutex_lock(&run->lock);
        run->grid->client->ended = CLIENT_MEMORY;
        problem_set(&run->problem, "there is no memory to go on");
        __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&run->lock);
        __atomic_sub_fetch(&run->live, 1, __ATOMIC_SEQ_CST);
    }
    if (run->grid->client)
        error_into(taker);
    memory_into(before);
    return NULL;
}

/* Executes blocks on all processors. */
static void run_threads(struct run_state *run, struct tally *tallies)
{
    const size_t most = thread_count(run);
    size_t started = 1;
    run->live = most;
    OWNED_MEMORY struct thread_state *threads = x_calloc(most, sizeof *threads);
    for (size_t i = 0; i < most; i++) {
        threads[i].run = run;
        threads[i].tallies = x_calloc(run->code->count, sizeof *threads[i].tallies);
        threads[i].flows = x_calloc(run->code->count + 1, sizeof *threads[i].flows);
    }
    while (started < most && pthread_create(&threads[started].thread, NULL, run_thread, &threads[started]) == 0)
        started++;
    __atomic_sub_fetch(&run->live, most - started, __ATOMIC_SEQ_CST); /* fewer do the same */
    struct thread_state *const waiting = run->waiting, *const first = waiting ? waiting : &threads[0];
    first->run = run;
    run_thread(first);
    for (size_t i = 1; i < started; i++)
        pthread_join(threads[i].thread, NULL);
    if (waiting) {
        free(threads[0].tallies);
        free(threads[0].flows);
        threads[0] = *waiting;
        free(waiting);
    }
    if (tallies && !run->failed)
        add_counts(tallies, threads, most, run);
    for (size_t i = 0; i < most; i++) {
        free(threads[i].tallies);
        free(threads[i].flows);
        hot_release(&threads[i].hot);
    }
}

/* Returns how many clusters are executed already. One that is parked goes on. */
static uint64_t count_done(const struct run_state *run)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < run->count && run->done; i += 64)
        count += (uint64_t)__builtin_popcountll(run->done[i / 64]);
    return count - (run->waiting != NULL);
}

static int run_grid(const struct grid *grid, uint64_t *done, struct tally *tallies, enum fault *fault,
                    struct problem *problem)
{
    *fault = FAULT_NONE;
    TRY(code_of(grid->function, problem));
    struct machine *machine = grid->function->module->machine;
    const struct architecture *system = grid->function->module->architecture;
    if (grid->cooperative && !system->workspace)
        return problem_set(problem, "not simulated: a cooperative launch (grid.sync) of compute capability %d.%d",
                           system->capability / 10, system->capability % 10);
    struct run_state run = {.grid = grid, .code = grid->function->code, .counts = tallies != NULL, .done = done};
    run.count = grid_blocks(grid) / cluster_blocks(grid);
    if (grid->meetings)
        meetings_launch(grid->meetings);
    if (grid->races)
        block_races_launch(grid->races, grid);
    headway_begin(machine->headway, grid_blocks(grid));
    pthread_mutex_init(&run.lock, NULL);
    if (grid->cooperative && (run.workspace = device_allocate(machine, WORKSPACE_BYTES)))
        memset(device_bytes(machine, run.workspace), 0, WORKSPACE_BYTES);
    const struct entry *entry = &grid->function->entry;
    /* Of constant bank 0 only arguments are in memory, aligned as they are in the bank. */
    const size_t before = entry->parameter_base % MOST_ALIGNED;
    const uint64_t parameters =
        grid->parameters && entry->parameter_bytes ? device_allocate(machine, before + entry->parameter_bytes) : 0;
    run.parameters = parameters ? parameters + before : 0;
    if (parameters)
        memcpy(device_bytes(machine, run.parameters), grid->parameters, entry->parameter_bytes);
    if (tallies && grid->proved && classes_count(&run, tallies, &done))
        run.next = run.count; /* none is left to do */
    run.done = done;
    const struct run_state tried = run;
    headway_all(machine->headway, count_done(&run) * cluster_blocks(grid));
    run.resident = run.waiting != NULL;
    run.failed = false; /* of blocks that fail the first one counts, or a fault, for which others may wait */
    run_threads(&run, tallies);
    if (tried.failed && (!run.failed || (tried.fault && !run.fault) || tried.failed_block < run.failed_block)) {
        run.failed = true;
        run.fault = tried.fault;
        run.problem = tried.problem;
    }
    if (!grid->proved || grid->proved->why || run.failed)
        free(done);
    pthread_mutex_destroy(&run.lock);
    hot_release(&run.hot);
    if (run.workspace)
        device_free(machine, run.workspace);
    if (parameters)
        device_free(machine, parameters);
    *fault = run.fault;
    if (run.failed)
        *problem = run.problem;
    return run.failed ? -1 : 0;
}

int grid_settle(struct machine *machine, enum fault *fault, struct problem *problem)
{
    struct grid grid;
    uint64_t *done = left_take(machine, &grid);
    *fault = FAULT_NONE;
    if (!done)
        return 0;
    const int failed = run_grid(&grid, done, NULL, fault, problem);
    grid_forget(machine);
    return failed;
}

int grid_run(const struct grid *grid, struct tally *tallies, enum fault *fault, struct problem *problem)
{
    return grid_settle(grid->function->module->machine, fault, problem) < 0
               ? -1
               : run_grid(grid, NULL, tallies, fault, problem);
}
