#include "driver.h"

CUresult launch_check(const struct launch *launch, struct CUfunc_st **function)
{
    READY();
    REFUSE(!context_current(), CUDA_ERROR_INVALID_CONTEXT);
    *function = module_function(launch->function);
    REFUSE(!*function, CUDA_ERROR_INVALID_HANDLE);
    const unsigned *grid = launch->grid, *block = launch->block;
    const bool is_some = grid[0] && grid[1] && grid[2] && block[0] && block[1] && block[2];
    if (!is_some || block[0] > 1024 || block[1] > 1024 || block[2] > 64 ||
        (size_t)block[0] * block[1] * block[2] > 1024 || launch->shared > 227u << 10 || !launch->parameters)
        return CUDA_ERROR_INVALID_VALUE;
    return (*function)->work ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

static void describe(const struct launch *launch, const struct CUfunc_st *function, struct standin_kernel *kernel)
{
    *kernel = (struct standin_kernel){
        .context = context_current(),
        .name = function->name,
        .image = function->module->image,
        .image_size = function->module->size,
        .shared = launch->shared,
        .static_shared = (unsigned)function->shared,
        .time_ns = kernel_time(function->work, launch),
        .reads = context_current()->has_pinned                    ? 0
                 : context_current()->carve_out > USUAL_CARVE_OUT ? 2
                                                                  : 1,
    };
    memcpy(kernel->grid, launch->grid, sizeof kernel->grid);
    memcpy(kernel->block, launch->block, sizeof kernel->block);
}

/* A launch returns at once on a GPU. So an error of the kernel is returned by the next call. */
CUresult launch_run(const struct launch *launch, struct standin_kernel *kernel)
{
    struct CUfunc_st *function;
    TRY(launch_check(launch, &function));
    describe(launch, function, kernel);
    kernel->context->has_pinned |= kernel->context->carve_out > 0 && strcmp(function->name, "pin") == 0;
    const struct arguments arguments =
        function->work->time ? (struct arguments){0} : kernel_arguments(launch->parameters);
    kernel->context->clock_ns += kernel->time_ns;
    kernel_run(function->work, kernel->context, &arguments, &kernel->instructions);
    return CUDA_SUCCESS;
}

/* As the real one: a launch that fails makes no range. One with an illegal address makes none either, since nothing of
 * its session is left. */
static CUresult run(const struct launch *launch)
{
    if (capture_is_active(launch->stream))
        return capture_launch(launch);
    struct standin_kernel kernel;
    TRY(launch_run(launch, &kernel));
    TELL(ran, &kernel);
    return CUDA_SUCCESS;
}

/* The body of a function that launches f with such a grid, block, shared memory and stream; behind them its parameters,
 * all of them. */
#define LAUNCHED(name, of, ...)                                                                                        \
    {                                                                                                                  \
        const name##_params params = {__VA_ARGS__};                                                                    \
        const struct launch launch = {f,                                                                               \
                                      {of gridDimX, of gridDimY, of gridDimZ},                                         \
                                      {of blockDimX, of blockDimY, of blockDimZ},                                      \
                                      of sharedMemBytes,                                                               \
                                      of hStream,                                                                      \
                                      kernelParams};                                                                   \
        struct standin_call call = CALL(name, &params, module_name_of(f));                                             \
        driver_enter(&call);                                                                                           \
        return driver_exit(&call, run(&launch));                                                                       \
    }

/* Each defines a function, for the default stream of the process or that of the thread. */
#define LAUNCH(name)                                                                                                   \
    CUresult CUDAAPI name(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ, unsigned blockDimX,   \
                          unsigned blockDimY, unsigned blockDimZ, unsigned sharedMemBytes, CUstream hStream,           \
                          void **kernelParams, void **extra)                                                           \
        LAUNCHED(name, , f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,    \
                 kernelParams, extra)

#define LAUNCH_EX(name)                                                                                                \
    CUresult CUDAAPI name(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)               \
        LAUNCHED(name, config->, config, f, kernelParams, extra)

#define LAUNCH_COOPERATIVE(name)                                                                                       \
    CUresult CUDAAPI name(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ, unsigned blockDimX,   \
                          unsigned blockDimY, unsigned blockDimZ, unsigned sharedMemBytes, CUstream hStream,           \
                          void **kernelParams) LAUNCHED(name, , f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, \
                                                        blockDimZ, sharedMemBytes, hStream, kernelParams)

LAUNCH(cuLaunchKernel)
LAUNCH(cuLaunchKernel_ptsz)
LAUNCH_EX(cuLaunchKernelEx)
LAUNCH_EX(cuLaunchKernelEx_ptsz)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz)
