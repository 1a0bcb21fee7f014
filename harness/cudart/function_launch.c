#include "function_launch.h"

#include "cubin/cubin.h"

#include <limits.h>

#define WARP 32

/* Most blocks of a cluster, by itself and where the kernel allows more. */
enum { PORTABLE_CLUSTER = 8, LARGE_CLUSTER = 16 };

/* A warp gets its registers in units of this many. */
#define REGISTER_UNIT 256

static unsigned attribute(enum cudaDeviceAttr number)
{
    return (unsigned)runtime_gpu()->attributes[number]; /* gpu_read() requires the attributes that are asked for here */
}

static unsigned round_up(unsigned number, unsigned unit)
{
    return (number + unit - 1) / unit * unit;
}

/* Returns the most threads that a block of the function can have because of its registers. */
static unsigned threads_by_registers(const struct function *function)
{
    const unsigned warp = round_up(function->registers * WARP, REGISTER_UNIT);
    return warp > 0 ? attribute(cudaDevAttrMaxRegistersPerBlock) / warp * WARP : UINT_MAX;
}

unsigned function_most_threads(const struct function *function)
{
    unsigned most = attribute(cudaDevAttrMaxThreadsPerBlock);
    const unsigned registers = threads_by_registers(function);
    most = registers < most ? registers : most;
    return function->max_threads > 0 && function->max_threads < most ? function->max_threads : most;
}

unsigned function_resident_blocks(const struct function *function, unsigned threads, size_t shared, unsigned carve_out)
{
    struct occupancy occupancy;
    const size_t all = function->shared_bytes + shared;
    const struct occupancy_launch launch = {
        .threads = threads,
        .registers = function->registers,
        .shared_bytes = all < UINT_MAX ? (unsigned)all : UINT_MAX,
        .max_threads = function->max_threads,
        .barriers = module_facts(function)->barriers,
        .carve_out = carve_out,
    };
    return occupancy_of(&occupancy, gpu_capability(runtime_gpu()), &launch) ? occupancy.blocks : 0;
}

static bool is_within(const unsigned sizes[3], enum cudaDeviceAttr x, enum cudaDeviceAttr y, enum cudaDeviceAttr z)
{
    return sizes[0] >= 1 && sizes[1] >= 1 && sizes[2] >= 1 && sizes[0] <= attribute(x) && sizes[1] <= attribute(y) &&
           sizes[2] <= attribute(z);
}

/* As an H200 refuses clusters. */
static cudaError_t check_cluster(struct grid *grid, bool large)
{
    unsigned own[3];
    if (module_cluster(grid->function, own)) {
        if (grid->cluster[0] && memcmp(own, grid->cluster, sizeof own) != 0)
            return cudaErrorInvalidClusterSize;
        memcpy(grid->cluster, own, sizeof own);
    }
    if (grid->cluster[0] + grid->cluster[1] + grid->cluster[2] == 0)
        return cudaSuccess;
    for (unsigned i = 0; i < 3; i++)
        if (grid->cluster[i] == 0 || grid->cluster[i] > LARGE_CLUSTER || grid->blocks[i] % grid->cluster[i])
            return cudaErrorInvalidClusterSize;
    return cluster_blocks(grid) > (large ? LARGE_CLUSTER : PORTABLE_CLUSTER) ? cudaErrorInvalidClusterSize
                                                                             : cudaSuccess;
}

int function_resident_clusters(const struct function *function, unsigned threads, size_t shared, unsigned carve_out,
                               unsigned blocks)
{
    const unsigned all =
        function_resident_blocks(function, threads, shared, carve_out) * attribute(cudaDevAttrMultiProcessorCount);
    return blocks > 2 ? -1 : (int)(all / blocks);
}

cudaError_t function_check(struct grid *grid, unsigned dynamic_limit, bool large_cluster)
{
    const struct function *function = grid->function;
    const unsigned long long threads = 1ull * grid->threads[0] * grid->threads[1] * grid->threads[2];
    if (!is_within(grid->blocks, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ) ||
        !is_within(grid->threads, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ) ||
        threads > attribute(cudaDevAttrMaxThreadsPerBlock))
        return cudaErrorInvalidValue; /* so says CUDA 13.0 on an H200 (2026-11-29), where earlier ones had a code for it
                                       */
    if (threads > threads_by_registers(function))
        return cudaErrorLaunchOutOfResources;
    if (grid->shared > dynamic_limit || threads > function_most_threads(function))
        return cudaErrorInvalidValue;
    const uint64_t resident = 1ull *
                              function_resident_blocks(function, (unsigned)threads, grid->shared, grid->carve_out) *
                              attribute(cudaDevAttrMultiProcessorCount);
    if (grid->cooperative && grid_blocks(grid) > resident)
        return cudaErrorCooperativeLaunchTooLarge;
    const cudaError_t error = check_cluster(grid, large_cluster);
    grid->resident = error == cudaSuccess ? resident / cluster_blocks(grid) : 0;
    return error;
}

void function_run_by(run_launch *run, void *data)
{
    runtime_now()->run_by = run;
    runtime_now()->run_data = data;
}

/* Rounds as whoever simulates asks, which is no program: CUGATE_SIM_ROUNDING is a mode of fesetround(). */
static void round_as_asked(void)
{
    const char *mode = getenv("CUGATE_SIM_ROUNDING");
    if (mode)
        fesetround((int)strtol(mode, NULL, 10));
}

void function_settle(const void *memory, size_t bytes, bool reads)
{
    struct runtime *runtime = runtime_now();
    struct machine *machine = runtime_machine();
    struct problem problem;
    enum fault fault = FAULT_NONE;
    pthread_mutex_lock(&runtime->launching);
    if (!memory || grid_touches(machine, (uintptr_t)memory, bytes, reads)) {
        NUMERIC_DEFAULT;
        round_as_asked();
        if (grid_settle(machine, &fault, &problem) < 0)
            runtime_fault(fault, problem.text);
    }
    pthread_mutex_unlock(&runtime->launching);
}

cudaError_t function_run(const struct grid *grid)
{
    NUMERIC_DEFAULT;
    static const char prefix[] = "not simulated: ";
    struct runtime *runtime = runtime_now();
    struct problem problem;
    enum fault fault = FAULT_NONE;
    const struct passed passed = operation_passed();
    copies_arrive(&passed, true); /* the kernel may read them */
    round_as_asked();
    REFUSE(!outside_begin(grid->function), cudaErrorMemoryAllocation);
    pthread_mutex_lock(&runtime->launching);
    stream_races_begin(runtime->machine, stream_operation(), grid->function->text.name);
    const int failed = runtime->run_by ? runtime->run_by(runtime->run_data, grid, &fault, &problem)
                                       : grid_run(grid, NULL, &fault, &problem);
    const bool told = runtime->machine->stream_races->now.told,
               changed = runtime->machine->stream_races->now.host_changed;
    pthread_mutex_unlock(&runtime->launching);
    if (changed)
        copies_forget_sources();
    if (told)
        operation_seen();
    outside_print(grid->function->module->machine);
    if (failed == 0)
        return cudaSuccess;
    if (fault) {
        /* A GPU is still executing the kernel when the call returns, so only the next call reports the fault. */
        runtime_fault(fault, problem.text);
        return cudaSuccess;
    }
    const bool says_so = strncmp(problem.text, prefix, strlen(prefix)) == 0;
    OWNED_TEXT linked = module_linked(grid->function);
    runtime_not_simulated("%s%s%s", linked ? linked : "", linked ? ": " : "",
                          says_so ? problem.text + strlen(prefix) : problem.text);
    return cudaErrorNotSupported;
}
