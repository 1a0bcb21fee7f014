/* Launches, checked as a driver does. */
#include "library.h"

enum {
    MOST_THREADS = 1024,
    MOST_DEEP = 64,         /* threads along z */
    MOST_BLOCKS = 65535,    /* along y and z */
    MOST_CLUSTER = 16,      /* blocks */
    REGISTERS = 65536,      /* of a block */
    REGISTER_UNIT = 256,    /* a warp gets them in these */
    MOST_LOCAL = 512 << 10, /* bytes of a thread */
};

static int check_cluster(struct grid *grid, struct problem *problem)
{
    unsigned own[3];
    unsigned *const given = grid->cluster;
    if (module_cluster(grid->function, own)) {
        if (given[0] + given[1] + given[2] > 0 && memcmp(own, given, sizeof own) != 0)
            return problem_set(problem, "the kernel was compiled for clusters of %ux%ux%u blocks, not %ux%ux%u", own[0],
                               own[1], own[2], given[0], given[1], given[2]);
        memcpy(given, own, sizeof own);
    }
    if (given[0] + given[1] + given[2] == 0)
        return 0;
    if (grid->function->module->architecture->capability < 90)
        return problem_set(problem, "clusters need compute capability 9.0");
    for (unsigned i = 0; i < 3; i++)
        if (given[i] == 0 || given[i] > MOST_CLUSTER || grid->blocks[i] % given[i])
            return problem_set(problem, "%u blocks in dimension %u are not whole clusters of %u", grid->blocks[i], i,
                               given[i]);
    if (cluster_blocks(grid) > MOST_CLUSTER)
        return problem_set(problem, "a cluster has %llu blocks, but at most %d are allowed",
                           (unsigned long long)cluster_blocks(grid), MOST_CLUSTER);
    return 0;
}

static int check_threads(const struct grid *grid, struct problem *problem)
{
    const struct function *function = grid->function;
    const unsigned *const threads = grid->threads, *const only = function->entry.block;
    const uint64_t all = (uint64_t)threads[0] * threads[1] * threads[2];
    if (threads[0] > MOST_THREADS || threads[1] > MOST_THREADS || threads[2] > MOST_DEEP || all > MOST_THREADS ||
        all == 0)
        return problem_set(problem, "a block has %ux%ux%u threads, but 1 to %d are allowed, and %d along z", threads[0],
                           threads[1], threads[2], MOST_THREADS, MOST_DEEP);
    if (only[0] && memcmp(only, threads, 3 * sizeof *only) != 0)
        return problem_set(problem, "the kernel was compiled for blocks of %ux%ux%u threads", only[0], only[1],
                           only[2]);
    if (function->max_threads && all > function->max_threads)
        return problem_set(problem, "a block has %llu threads, but the kernel was compiled for at most %u",
                           (unsigned long long)all, function->max_threads);
    const unsigned warp = (function->registers * LANES + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    if (warp && (all + LANES - 1) / LANES > REGISTERS / warp)
        return problem_set(problem,
                           "a block of %llu threads with %u registers each needs more registers than an SM has",
                           (unsigned long long)all, function->registers);
    return 0;
}

static int check_sizes(const struct grid *grid, struct problem *problem)
{
    const struct function *function = grid->function;
    const unsigned *const blocks = grid->blocks;
    if (blocks[0] == 0 || blocks[1] == 0 || blocks[2] == 0 || blocks[0] > INT32_MAX || blocks[1] > MOST_BLOCKS ||
        blocks[2] > MOST_BLOCKS)
        return problem_set(
            problem,
            "the grid %ux%ux%u is invalid: its dimensions must be at least 1 and at most 2147483647, 65535 and 65535",
            blocks[0], blocks[1], blocks[2]);
    const unsigned most = function->module->architecture->shared_most;
    if ((uint64_t)function->shared_bytes + grid->shared > most)
        return problem_set(problem,
                           "the launch needs %u static and %u dynamic bytes of shared memory, but a block has %u",
                           function->shared_bytes, grid->shared, most);
    if (function->stack_bytes > MOST_LOCAL)
        return problem_set(problem, "the kernel needs %u bytes of local memory, but a thread has %d",
                           function->stack_bytes, MOST_LOCAL);
    return 0;
}

/* Puts the arguments where the kernel finds them. Caller frees; NULL with *problem. */
static unsigned char *place_arguments(const cugate_launch *launch, const struct entry *entry, struct problem *problem)
{
    if (launch->argument_count != entry->parameter_count || (launch->argument_count && !launch->arguments)) {
        const size_t count = launch->arguments ? launch->argument_count : 0;
        problem_set(problem, "the launch has %zu argument%s, but the kernel has %zu parameter%s", count, plural(count),
                    entry->parameter_count, plural(entry->parameter_count));
        return NULL;
    }
    unsigned char *bytes = x_calloc((size_t)entry->parameter_bytes + 1, 1);
    for (size_t i = 0; i < entry->parameter_count; i++) {
        if (!launch->arguments[i]) {
            problem_set(problem, "argument %zu is NULL, not a pointer to its value", i);
            free(bytes);
            return NULL;
        }
        memcpy(bytes + entry->parameters[i].offset, launch->arguments[i], entry->parameters[i].size);
    }
    return bytes;
}

/* Whether the blocks that are executed at once fit the limit, with what is allocated. */
static bool blocks_fit(const cugate_machine *machine, const struct grid *grid)
{
    enum { OF_THREAD = 1536 }; /* bytes: registers, and what else is kept of a thread */
    const uint64_t threads =
        ((uint64_t)grid->threads[0] * grid->threads[1] * grid->threads[2] + LANES - 1) / LANES * LANES;
    const uint64_t block =
        threads * (module_stack(grid->function) + OF_THREAD) + grid->function->shared_bytes + grid->shared;
    const uint64_t all = grid_blocks(grid), at_once = processor_count() * cluster_blocks(grid);
    const uint64_t taken = machine->machine->memory.taken;
    return taken <= machine->limits.bytes && (all < at_once ? all : at_once) * block <= machine->limits.bytes - taken;
}

static void add_counts(cugate_tally *sums, const struct tally *tallies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct tally *one = &tallies[i];
        tally_add(&sums[i], &(cugate_tally){one->executed, one->active, one->working, one->uniform, one->divergent,
                                            one->accesses, one->sectors, one->ideal_sectors, one->wavefronts,
                                            one->ideal_wavefronts, one->atomics});
    }
}

static cugate_status status_of(const struct client *client, enum fault fault, const struct problem *problem)
{
    static const cugate_status ends[] = {
        [CLIENT_LIMIT] = CUGATE_LIMIT, [CLIENT_STOPPED] = CUGATE_STOPPED, [CLIENT_MEMORY] = CUGATE_NO_MEMORY};
    const int ended = atomic_load(&client->ended);
    return fault ? CUGATE_FAULT : ended ? ends[ended] : problem_status(problem, CUGATE_NOT_SIMULATED);
}

/* Executes a launch that was checked. */
static cugate_status execute(cugate_machine *machine, const struct grid *grid, cugate_tally *sums,
                             struct problem *problem)
{
    const size_t count = grid->function->text.size / INSTRUCTION_BYTES;
    OWNED_MEMORY struct tally *tallies =
        x_calloc(count, sizeof *tallies); /* races are looked for where it is counted */
    struct client *client = &machine->client;
    enum fault fault = FAULT_NONE;
    atomic_store(&client->executed, 0);
    atomic_store(&client->ended, CLIENT_NOT);
    client->waits = false;
    client->warp = NULL;
    client->steps = machine->limits.steps;
    client->until = machine->limits.seconds > 0 ? now_seconds() + machine->limits.seconds : 0;
    const int failed = grid_run(grid, tallies, &fault, problem);
    outside_print(machine->machine);
    const cugate_status status = failed ? status_of(client, fault, problem) : CUGATE_OK;
    atomic_store(&client->stop, false);
    machine->is_broken |= status == CUGATE_NO_MEMORY;
    if (sums && !failed)
        add_counts(sums, tallies, count);
    return status;
}

static cugate_status run(cugate_kernel *kernel, const cugate_launch *launch, cugate_tally *tallies,
                         struct problem *problem)
{
    cugate_machine *machine = kernel->module->machine;
    struct grid grid = {.function = kernel->function,
                        .shared = launch->shared,
                        .cooperative = launch->cooperative,
                        .untrusted = true,
                        .client = &machine->client};
    memcpy(grid.blocks, launch->grid, sizeof grid.blocks);
    memcpy(grid.threads, launch->block, sizeof grid.threads);
    memcpy(grid.cluster, launch->cluster, sizeof grid.cluster);
    if (check_sizes(&grid, problem) < 0 || check_threads(&grid, problem) < 0 || check_cluster(&grid, problem) < 0)
        return CUGATE_BAD_ARGUMENT;
    if (!blocks_fit(machine, &grid) || !outside_begin(grid.function)) {
        problem_set(problem, "the blocks of the launch need more memory than is left of %llu bytes",
                    (unsigned long long)machine->limits.bytes);
        return CUGATE_NO_MEMORY;
    }
    if (kernel_decode(kernel, problem))
        return problem_status(problem, CUGATE_NOT_SIMULATED);
    unsigned char *arguments = place_arguments(launch, &kernel->function->entry, problem);
    if (!arguments)
        return CUGATE_BAD_ARGUMENT;
    machine->client.fault.kernel = kernel;
    grid.parameters = arguments;
    const cugate_status status = execute(machine, &grid, tallies, problem);
    free(arguments);
    return status;
}

cugate_status cugate_run(cugate_kernel *kernel, const cugate_launch *launch, cugate_tally *tallies)
{
    struct call call;
    if (!kernel || !launch)
        return call_refused(CUGATE_BAD_ARGUMENT, "kernel or launch is NULL");
    kernel->module->machine->client.failed = false;
    if (setjmp(*call_begin(&call, kernel->module->machine)))
        return call_without_memory(&call);
    return call_end(&call, run(kernel, launch, tallies, &call.problem));
}

cugate_status cugate_last_fault(cugate_machine *machine, cugate_fault *fault)
{
    if (!machine || !fault || !machine->client.failed)
        return call_refused(CUGATE_NOT_FOUND, "the last launch had no fault");
    *fault = machine->client.fault;
    return CUGATE_OK;
}
