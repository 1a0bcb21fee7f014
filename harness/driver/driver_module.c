/* Machine code as a program gives it to the driver, its kernels, and their launches. A module and a library are the
 * same here, and so are a function of the one and a kernel of the other: a handle of either is found as the other. */

#include "parts.h"

#define FILE_LIMIT ((size_t)1 << 30)

/* ---- Modules ---- */

static cudaError_t load_file(void *loaded, const char *path)
{
    char *bytes;
    size_t size;
    if (!path || access(path, R_OK) < 0 || file_read(path, FILE_LIMIT, &bytes, &size) < 0)
        return path ? cudaErrorFileNotFound : cudaErrorInvalidValue;
    const cudaError_t error = runtime_load(loaded, bytes);
    free(bytes);
    return error;
}

static cudaError_t find_variable(CUdeviceptr *address, size_t *size, void *from, const char *name)
{
    struct variable *variable;
    const cudaError_t error = runtime_loaded_variable(&variable, (struct binary *)from, name);
    if (error != cudaSuccess)
        return error;
    if (address)
        *address = variable->address;
    if (size)
        *size = variable->size;
    function_settle(NULL, 0, false); /* it may be a constant, which blocks read without an access to memory */
    grid_leave_none(runtime_machine());
    return cudaSuccess;
}

/* ---- Launches ---- */

cudaError_t buffer_arguments(void ***arguments, CUfunction function, void **extra)
{
    const unsigned char *buffer = NULL;
    size_t size = 0;
    struct device_kernel *kernel;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(const size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    const cudaError_t error = runtime_kernel(&kernel, function);
    if (error != cudaSuccess)
        return error;
    const struct entry *entry = &kernel->function->entry;
    for (size_t i = 0; i < entry->parameter_count; i++)
        if (!buffer || entry->parameters[i].offset + entry->parameters[i].size > size)
            return cudaErrorInvalidValue;
    *arguments = x_calloc(entry->parameter_count + 1, sizeof **arguments);
    for (size_t i = 0; i < entry->parameter_count; i++)
        (*arguments)[i] = (void *)(buffer + entry->parameters[i].offset);
    return cudaSuccess;
}

static cudaError_t launch_buffer(const cudaLaunchConfig_t *config, CUfunction function, void **extra)
{
    void **arguments = NULL;
    cudaError_t error = buffer_arguments(&arguments, function, extra);
    if (error == cudaSuccess)
        error = cudaLaunchKernelExC(config, function, arguments);
    free(arguments);
    return error;
}

static cudaError_t launch(const cudaLaunchConfig_t *config, CUfunction function, void **arguments, void **extra)
{
    if (extra && arguments)
        return cudaErrorInvalidValue;
    return extra ? launch_buffer(config, function, extra) : cudaLaunchKernelExC(config, function, arguments);
}

/* The attributes are the same in both. */
static cudaLaunchConfig_t config_of(const CUlaunchConfig *config)
{
    return (cudaLaunchConfig_t){.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                .dynamicSmemBytes = config->sharedMemBytes,
                                .stream = config->hStream,
                                .attrs = (cudaLaunchAttribute *)config->attrs,
                                .numAttrs = config->numAttrs};
}

static cudaError_t launch_as(const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra)
{
    if (!config)
        return cudaErrorInvalidValue;
    const cudaLaunchConfig_t same_config = config_of(config);
    return launch(&same_config, function, arguments, extra);
}

/* ---- Attributes ---- */

static cudaError_t get_attribute(int *value, CUfunction_attribute attribute, const void *function)
{
    struct cudaFuncAttributes of;
    const cudaError_t error = cudaFuncGetAttributes(&of, function);
    if (error != cudaSuccess || !value)
        return error != cudaSuccess ? error : cudaErrorInvalidValue;
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = of.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)of.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)of.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)of.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = of.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = of.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = of.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = of.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = of.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = of.preferredShmemCarveout,
    };
    if (attribute < 0 || attribute >= (int)ARRAY_SIZE(values))
        return runtime_not_simulated("cuFuncGetAttribute with attribute %d", (int)attribute);
    *value = values[attribute];
    return cudaSuccess;
}

static cudaError_t set_attribute(const void *function, CUfunction_attribute attribute, int value)
{
    return cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value);
}

static cudaError_t resident(int *blocks, CUfunction function, int threads, size_t shared)
{
    return blocks ? cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared)
                  : cudaErrorInvalidValue;
}

/* Finds the largest block with which most threads are resident, as the runtime's header does. */
static cudaError_t fill_multiprocessor(int *least_grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                       size_t shared, int limit)
{
    enum { WARP = 32 };
    struct cudaFuncAttributes of;
    const int *chip = runtime_gpu()->attributes;
    int best = 0;
    cudaError_t error = cudaFuncGetAttributes(&of, function);
    if (error != cudaSuccess || !least_grid || !block)
        return error != cudaSuccess ? error : cudaErrorInvalidValue;
    const int most = limit > 0 && limit < of.maxThreadsPerBlock ? limit : of.maxThreadsPerBlock;
    for (int rounded = (most + WARP - 1) / WARP * WARP; rounded > 0 && error == cudaSuccess; rounded -= WARP) {
        const int threads = rounded < most ? rounded : most;
        int blocks = 0;
        error = resident(&blocks, function, threads, shared_of ? shared_of(threads) : shared);
        if (error == cudaSuccess && threads * blocks > best) {
            best = threads * blocks;
            *block = threads;
            *least_grid = blocks * chip[cudaDevAttrMultiProcessorCount];
        }
        if (best == chip[cudaDevAttrMaxThreadsPerMultiProcessor])
            break;
    }
    return error;
}

static cudaError_t clusters(int *count, CUfunction function, const CUlaunchConfig *config,
                            cudaError_t (*ask)(int *, const void *, const cudaLaunchConfig_t *))
{
    if (!count || !config)
        return cudaErrorInvalidValue;
    const cudaLaunchConfig_t same_config = config_of(config);
    return ask(count, function, &same_config);
}

/* clang-format off */
FRONT(cuModuleLoad, (CUmodule *module, const char *path), load_file(module, path))
FRONT(cuModuleLoadData, (CUmodule *module, const void *code), runtime_load((struct binary **)module, code))
FRONT(cuModuleLoadDataEx, (CUmodule *module, const void *code, unsigned count, CUjit_option *options, void **values), link_options(count, options, values) == cudaSuccess ? runtime_load((struct binary **)module, code) : cudaErrorNotSupported)
FRONT(cuModuleLoadFatBinary, (CUmodule *module, const void *code), runtime_load((struct binary **)module, code))
FRONT(cuModuleUnload, (CUmodule module), runtime_unload((struct binary *)module))
FRONT(cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name), runtime_loaded_kernel((struct device_kernel **)function, (struct binary *)module, name))
FRONT(cuModuleGetGlobal_v2, (CUdeviceptr *address, size_t *size, CUmodule module, const char *name), find_variable(address, size, module, name))
FRONT_INIT(cuModuleGetLoadingMode, (CUmoduleLoadingMode *mode), SET(mode, CU_MODULE_LAZY_LOADING, cudaSuccess))
FRONT_INIT(cuLibraryLoadData, (CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned count, CUlibraryOption *of_library, void **of_library_values, unsigned of_library_count),
    ((void)of_library, (void)of_library_values, (void)of_library_count, link_options(count, options, values) == cudaSuccess ? runtime_load((struct binary **)library, code) : cudaErrorNotSupported))
FRONT_INIT(cuLibraryLoadFromFile, (CUlibrary *library, const char *path, CUjit_option *options, void **values, unsigned count, CUlibraryOption *of_library, void **of_library_values, unsigned of_library_count),
    ((void)of_library, (void)of_library_values, (void)of_library_count, link_options(count, options, values) == cudaSuccess ? load_file(library, path) : cudaErrorNotSupported))
FRONT_INIT(cuLibraryUnload, (CUlibrary library), runtime_unload((struct binary *)library))
FRONT_INIT(cuLibraryGetKernel, (CUkernel *kernel, CUlibrary library, const char *name), runtime_loaded_kernel((struct device_kernel **)kernel, (struct binary *)library, name))
FRONT(cuLibraryGetModule, (CUmodule *module, CUlibrary library), SET(module, (CUmodule)library, runtime_lost()))
FRONT(cuLibraryGetGlobal, (CUdeviceptr *address, size_t *size, CUlibrary library, const char *name), find_variable(address, size, library, name))
FRONT(cuKernelGetFunction, (CUfunction *function, CUkernel kernel), SET(function, (CUfunction)kernel, runtime_lost()))
FRONT_INIT(cuKernelGetName, (const char **name, CUkernel kernel), cudaFuncGetName(name, kernel))
FRONT(cuKernelGetAttribute, (int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device), ((void)device, get_attribute(value, attribute, kernel)))
FRONT(cuKernelSetAttribute, (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device), ((void)device, set_attribute(kernel, attribute, value)))
FRONT(cuKernelSetCacheConfig, (CUkernel kernel, CUfunc_cache config, CUdevice device), ((void)device, cudaFuncSetCacheConfig(kernel, (enum cudaFuncCache)config)))
FRONT_INIT(cuKernelGetParamInfo, (CUkernel kernel, size_t number, size_t *offset, size_t *size), cudaFuncGetParamInfo(kernel, number, offset, size))

FRONT(cuLaunchKernel, (CUfunction function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared, CUstream stream, void **arguments, void **extra),
    launch(&(cudaLaunchConfig_t){.gridDim = {blocks_x, blocks_y, blocks_z}, .blockDim = {threads_x, threads_y, threads_z}, .dynamicSmemBytes = shared, .stream = stream}, function, arguments, extra))
FRONT(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra), launch_as(config, function, arguments, extra))
FRONT(cuLaunchCooperativeKernel, (CUfunction function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared, CUstream stream, void **arguments),
    cudaLaunchCooperativeKernel(function, (dim3){blocks_x, blocks_y, blocks_z}, (dim3){threads_x, threads_y, threads_z}, arguments, shared, stream))
FRONT(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data), cudaLaunchHostFunc(stream, function, data))
FRONT(cuFuncGetName, (const char **name, CUfunction function), cudaFuncGetName(name, function))
FRONT(cuFuncGetParamInfo, (CUfunction function, size_t number, size_t *offset, size_t *size), cudaFuncGetParamInfo(function, number, offset, size))
FRONT(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function), get_attribute(value, attribute, function))
FRONT(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value), set_attribute(function, attribute, value))
FRONT(cuFuncSetCacheConfig, (CUfunction function, CUfunc_cache config), cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config))
FRONT(cuFuncSetSharedMemConfig, (CUfunction function, CUsharedconfig config), ((void)config, cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone)))

FRONT(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction function, int threads, size_t shared), resident(blocks, function, threads, shared))
FRONT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int *blocks, CUfunction function, int threads, size_t shared, unsigned flags), ((void)flags, resident(blocks, function, threads, shared)))
FRONT(cuOccupancyMaxPotentialBlockSize, (int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit), fill_multiprocessor(grid, block, function, shared_of, shared, limit))
FRONT(cuOccupancyMaxPotentialBlockSizeWithFlags, (int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned flags), ((void)flags, fill_multiprocessor(grid, block, function, shared_of, shared, limit)))
FRONT(cuOccupancyMaxActiveClusters, (int *count, CUfunction function, const CUlaunchConfig *config), clusters(count, function, config, cudaOccupancyMaxActiveClusters))
FRONT(cuOccupancyMaxPotentialClusterSize, (int *count, CUfunction function, const CUlaunchConfig *config), clusters(count, function, config, cudaOccupancyMaxPotentialClusterSize))
/* clang-format on */
