/* Launches, the attributes of kernels, and how many blocks of a kernel fit. */

#include "cubin/cubin.h"

#include "function_launch.h"
#include "graph.h"

#include <limits.h>

#define CONFIGURATIONS 16 /* most launches that are nested in the arguments of another */

/* ---- The launch ---- */

static cudaError_t launch(const struct launch_work *work)
{
    const struct cudaKernelNodeParams *params = &work->params;
    void *const *arguments = params->kernelParams;
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, params->func));
    struct function *function = kernel->function;
    struct grid grid = {
        .function = function,
        .blocks = {params->gridDim.x, params->gridDim.y, params->gridDim.z},
        .threads = {params->blockDim.x, params->blockDim.y, params->blockDim.z},
        .shared = params->sharedMemBytes,
        .carve_out = work->carve_out > 0 ? work->carve_out : kernel->carve_out,
        .cooperative = work->cooperative,
        .cluster = {work->cluster.x, work->cluster.y, work->cluster.z},
    };
    cudaError_t error = function_check(&grid, kernel_dynamic_limit(kernel), kernel->large_cluster);
    if (error == cudaSuccess && function->entry.parameter_count > 0 && !arguments)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess) {
        atomic_fetch_add(&runtime_now()->work.refused, 1);
        return runtime_return(error);
    }
    unsigned char *parameters = x_calloc(function->entry.parameter_bytes, 1);
    for (size_t i = 0; i < function->entry.parameter_count; i++)
        memcpy(parameters + function->entry.parameters[i].offset, arguments[i], function->entry.parameters[i].size);
    grid.parameters = parameters;
    error = function_run(&grid);
    atomic_fetch_add(&runtime_now()->work.programmatic, error == cudaSuccess && work->overlaps);
    free(parameters);
    return error;
}

static cudaError_t run_launch_of(const struct node_work *work)
{
    return launch(&work->launch);
}

static cudaError_t keep_launch(struct node_work *kept, const struct node_work *work)
{
    struct device_kernel *kernel;
    void **arguments = work->launch.params.kernelParams;
    CUDA_TRY(runtime_kernel(&kernel, work->launch.params.func));
    const struct entry *entry = &kernel->function->entry;
    REFUSE(entry->parameter_count > 0 && !arguments, cudaErrorInvalidValue);
    void **copy = kept->launch.params.kernelParams =
        x_calloc(1, (entry->parameter_count + 1) * sizeof *arguments + entry->parameter_bytes);
    unsigned char *bytes = (unsigned char *)(copy + entry->parameter_count + 1);
    for (size_t i = 0; i < entry->parameter_count; i++)
        copy[i] = memcpy(bytes + entry->parameters[i].offset, arguments[i], entry->parameters[i].size);
    return cudaSuccess;
}

static void release_launch(struct node_work *work)
{
    free(work->launch.params.kernelParams);
}

const struct node_kind node_launch = {
    .type = cudaGraphNodeTypeKernel, .run = run_launch_of, .keep = keep_launch, .release = release_launch};

/* Launches, or adds the launch to the graph that the stream is captured into. */
static cudaError_t launch_in(cudaStream_t stream, const struct launch_work *work)
{
    cudaGraph_t graph = stream_graph(stream);
    cudaError_t error = stream_lost(stream);
    struct node_work kept;
    if (error == cudaSuccess && !graph) {
        stream_begins(stream);
        if (work->overlaps)
            operation_overlaps();
        error = launch(work);
    } else if (graph)
        error = work_keep(&kept, &(struct node_work){.kind = &node_launch, .launch = *work});
    if (error == cudaSuccess && graph)
        graph_capture(stream, &kept);
    if (error == cudaSuccess)
        stream_chain(stream, 1);
    return error;
}

static struct launch_work work_of(const void *kernel, dim3 blocks, dim3 threads, void **arguments, size_t shared)
{
    return (struct launch_work){
        .params = {(void *)kernel, blocks, threads, shared < UINT_MAX ? (unsigned)shared : UINT_MAX, arguments, NULL}};
}

/* A function that launches a kernel, by a handle of that type. */
#define LAUNCH(name, type, together)                                                                                   \
    cudaError_t name(type kernel, dim3 blocks, dim3 threads, void **arguments, size_t shared, cudaStream_t stream);    \
    cudaError_t name(type kernel, dim3 blocks, dim3 threads, void **arguments, size_t shared, cudaStream_t stream)     \
    {                                                                                                                  \
        struct launch_work work = work_of(kernel, blocks, threads, arguments, shared);                                 \
        work.cooperative = together;                                                                                   \
        return launch_in(stream, &work);                                                                               \
    }
LAUNCH(cudaLaunchKernel, const void *, false)
LAUNCH(cudaLaunchCooperativeKernel, const void *, true)
LAUNCH(__cudaLaunchKernel, cudaKernel_t, false)
/* For a default stream for each thread. Such names of all others are made when this is built. */
extern __typeof(__cudaLaunchKernel) __cudaLaunchKernel_ptsz __attribute__((alias("__cudaLaunchKernel")));

cudaError_t launch_attribute(struct launch_work *work, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value)
{
    switch (id) {
    case cudaLaunchAttributeCooperative:
        work->cooperative = value->cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        work->cluster = (dim3){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
        return cudaSuccess;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        work->carve_out = value->sharedMemCarveout + 1;
        return cudaSuccess;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        work->overlaps = value->programmaticStreamSerializationAllowed != 0;
        runtime_machine()->stream_races->on |= work->overlaps;
        return cudaSuccess;
    /* These say when a launch may begin, and what stays in the caches. They change no count. */
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
    default:
        return runtime_not_simulated("a launch with attribute %d", (int)id);
    }
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments)
{
    REFUSE(!config, cudaErrorInvalidValue);
    struct launch_work work = work_of(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes);
    for (unsigned i = 0; i < config->numAttrs; i++)
        CUDA_TRY(launch_attribute(&work, config->attrs[i].id, &config->attrs[i].val));
    return launch_in(config->stream, &work);
}

/* ---- What stands in <<<>>>, until the kernel's stub takes it ---- */

struct configuration {
    dim3 blocks, threads;
    size_t shared;
    cudaStream_t stream;
};

static _Thread_local struct configuration configurations[CONFIGURATIONS];
static _Thread_local size_t configuration_count;

unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *blocks, dim3 *threads, size_t *shared, void *stream);

unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream)
{
    if (configuration_count == CONFIGURATIONS)
        return (unsigned)runtime_not_simulated("launches nested more than %d deep", CONFIGURATIONS);
    configurations[configuration_count++] = (struct configuration){blocks, threads, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *blocks, dim3 *threads, size_t *shared, void *stream)
{
    REFUSE(configuration_count == 0, cudaErrorMissingConfiguration);
    const struct configuration *last = &configurations[--configuration_count];
    *blocks = last->blocks;
    *threads = last->threads;
    *shared = last->shared;
    *(cudaStream_t *)stream = last->stream;
    return cudaSuccess;
}

/* ---- Attributes ---- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *handle)
{
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, handle));
    const struct function *function = kernel->function;
    const int capability = module_facts(function)->capability;
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = function->shared_bytes,
        .constSizeBytes = function->module->bank3_size,
        .localSizeBytes = module_facts(function)->local_bytes,
        .maxThreadsPerBlock = (int)function_most_threads(function),
        .numRegs = (int)function->registers,
        .ptxVersion = capability,
        .binaryVersion = capability,
        .maxDynamicSharedSizeBytes = (int)kernel_dynamic_limit(kernel),
        .preferredShmemCarveout = (int)kernel->carve_out - 1,
    };
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *handle, enum cudaFuncAttribute which, int value)
{
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, handle));
    switch (which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || kernel->function->shared_bytes + (unsigned long long)value >
                             (unsigned)runtime_gpu()->attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin])
            return runtime_return(cudaErrorInvalidValue);
        kernel->has_dynamic_limit = true;
        kernel->dynamic_limit = (unsigned)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout: /* it changes no count but occupancy */
        REFUSE(value < -1 || value > 100, cudaErrorInvalidValue);
        kernel->carve_out = (unsigned)(value + 1);
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->large_cluster = value != 0;
        return cudaSuccess;
    default:
        return runtime_not_simulated("cudaFuncSetAttribute with attribute %d", (int)which);
    }
}

/* Whether it is a kernel. */
static cudaError_t check_kernel(const void *handle)
{
    struct device_kernel *kernel;
    return runtime_kernel(&kernel, handle);
}

RUNTIME(cudaFuncSetCacheConfig, (const void *handle, enum cudaFuncCache config), ((void)config, check_kernel(handle)))

cudaError_t cudaFuncGetName(const char **name, const void *handle)
{
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, handle));
    *name = kernel->function->text.name;
    return cudaSuccess;
}

/* Which banks shared memory has cannot be chosen on a GPU that is described here. */
RUNTIME(cudaFuncSetSharedMemConfig, (const void *handle, enum cudaSharedMemConfig config),
        ((void)config, check_kernel(handle)))

cudaError_t cudaFuncGetParamInfo(const void *handle, size_t number, size_t *offset, size_t *size)
{
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, handle));
    const struct entry *entry = &kernel->function->entry;
    REFUSE(!offset || number >= entry->parameter_count, cudaErrorInvalidValue);
    *offset = entry->parameters[number].offset;
    if (size)
        *size = entry->parameters[number].size;
    return cudaSuccess;
}

/* A function of the driver is the kernel of the runtime here. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, symbol));
    *function = (cudaFunction_t)kernel;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *handle, int threads,
                                                                   size_t shared, unsigned flags)
{
    struct device_kernel *kernel;
    (void)flags; /* the flags say whether the L1 caches global memory: it always does */
    CUDA_TRY(runtime_kernel(&kernel, handle));
    REFUSE(threads <= 0, cudaErrorInvalidValue);
    *blocks = (int)function_resident_blocks(kernel->function, (unsigned)threads, shared, kernel->carve_out);
    return cudaSuccess;
}

/* The most dynamic shared memory with which so many blocks are resident. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *handle, int blocks, int threads)
{
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, handle));
    if (!bytes || blocks <= 0 || threads <= 0 ||
        function_resident_blocks(kernel->function, (unsigned)threads, 0, kernel->carve_out) < (unsigned)blocks)
        return runtime_return(cudaErrorInvalidValue);
    const size_t most = (size_t)runtime_gpu()->attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin];
    BISECT(above, most + 1, size,
           function_resident_blocks(kernel->function, (unsigned)threads, size, kernel->carve_out) >= (unsigned)blocks);
    *bytes = above - 1;
    return cudaSuccess;
}

/* The cluster that a configuration asks for. */
static unsigned cluster_of(const cudaLaunchConfig_t *config)
{
    unsigned blocks = 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            blocks = config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                     config->attrs[i].val.clusterDim.z;
    return blocks;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *handle, const cudaLaunchConfig_t *config)
{
    struct device_kernel *kernel;
    CUDA_TRY(runtime_kernel(&kernel, handle));
    const unsigned blocks = config ? cluster_of(config) : 0;
    REFUSE(blocks == 0, cudaErrorInvalidValue);
    *clusters =
        function_resident_clusters(kernel->function, config->blockDim.x * config->blockDim.y * config->blockDim.z,
                                   config->dynamicSmemBytes, kernel->carve_out, blocks);
    if (*clusters < 0)
        return runtime_not_simulated("cudaOccupancyMaxActiveClusters for clusters of %u blocks, because its result "
                                     "differs between chips of one model",
                                     blocks);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *handle, const cudaLaunchConfig_t *config)
{
    struct device_kernel *kernel;
    (void)config;
    const cudaError_t found = runtime_kernel(&kernel, handle);
    if (found == cudaSuccess)
        *blocks = kernel->large_cluster ? 16 : 8;
    return found;
}

RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, const void *handle, int threads, size_t shared),
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared, 0))
