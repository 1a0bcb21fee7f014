/* What goes before every measured launch: an empty L2 and clocks that have left their resting state. Without them time
 * and DRAM throughput spread by 12 to 24 %, with them by 0.1 to 2 % (17 kernels x 10 samples on an H200). */
#include "cupti_plugin.h"

#include "base/base.h"

#include <cudaProfiler.h>
#include <stdlib.h>

/* conditioning.cu, compiled for every architecture and embedded by the Makefile. */
extern const char _binary_conditioning_fatbin_start[];

static const unsigned long long busy_ns =
    350000; /* from rest to full clocks on an H200, with 60 us of it for the flush */
static const size_t flush_at_least = (size_t)256 << 20;

struct gpu_condition {
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr words;
    CUdeviceptr sink;
    size_t word_count;
    unsigned blocks;
    bool has_pins;      /* kernels can have lines of the L2 stay there */
    bool may_be_pinned; /* lines may be, since they were released last */
    size_t carve_out;   /* bytes of it for such lines, as the open family wants them; 0 where it does not say */
};

static int get_carve_out(size_t *bytes, struct problem *problem)
{
    return cuda_check("reading the L2's carve-out", cuCtxGetLimit(bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), problem);
}

/* What was pinned in the old one stays. */
static int set_carve_out(struct gpu_condition *condition, size_t bytes, struct problem *problem)
{
    size_t now;
    if (get_carve_out(&now, problem) < 0)
        return -1;
    condition->may_be_pinned |= now > 0 || bytes > 0;
    return now == bytes ? 0
                        : cuda_check("setting the L2's carve-out",
                                     cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes), problem);
}

int gpu_condition_on_family(struct gpu_condition *condition, bool is_open, struct problem *problem)
{
    if (!condition->has_pins)
        return 0;
    if (is_open)
        return get_carve_out(&condition->carve_out, problem);
    condition->carve_out = 0;
    return set_carve_out(condition, 0, problem);
}

/* A chip before Ampere cannot pin lines, nor a part of a GPU (MIG). */
static bool can_pin(void)
{
    size_t bytes;
    return cuCtxResetPersistingL2Cache() != CUDA_ERROR_NOT_SUPPORTED &&
           cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) != CUDA_ERROR_UNSUPPORTED_LIMIT;
}

/* An H200 has one unless it is told otherwise, and then any kernel could leave lines there. */
static int take_carve_out(struct gpu_condition *condition, struct problem *problem)
{
    int most = 0;
    if (cuda_check("reading how much of the L2 can be pinned",
                   cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0), problem) < 0)
        return -1;
    condition->has_pins = most > 0 && can_pin();
    const int failed = condition->has_pins ? set_carve_out(condition, 0, problem) : 0;
    condition->may_be_pinned = false;
    return failed;
}

int gpu_condition_open(struct gpu_condition **opened, struct problem *problem)
{
    struct gpu_condition *condition = x_calloc(1, sizeof *condition);
    CUcontext context;
    int sms = 0, l2_bytes = 0;
    if (gpu_context(&context, problem) < 0 ||
        cuda_check("reading the SM count", cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
                   problem) < 0 ||
        cuda_check("reading the L2 size", cuDeviceGetAttribute(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0),
                   problem) < 0 ||
        cuda_check("loading cugate's own kernels (is this GPU older than the architectures it was built for? "
                   "make CUDA_ARCHS=...)",
                   cuModuleLoadData(&condition->module, _binary_conditioning_fatbin_start), problem) < 0 ||
        cuda_check("finding cugate_condition",
                   cuModuleGetFunction(&condition->kernel, condition->module, "cugate_condition"), problem) < 0 ||
        take_carve_out(condition, problem) < 0)
        goto failed;
    const size_t bytes = (size_t)l2_bytes * 4 > flush_at_least ? (size_t)l2_bytes * 4 : flush_at_least;
    condition->word_count = bytes / 16;
    condition->blocks = (unsigned)sms * 8;
    if (cuda_check("allocating the flush buffer", cuMemAlloc(&condition->words, bytes), problem) < 0 ||
        cuda_check("allocating the sink", cuMemAlloc(&condition->sink, sizeof(unsigned)), problem) < 0 ||
        cuda_check("clearing the flush buffer", cuMemsetD32(condition->words, 0, bytes / 4), problem) < 0)
        goto failed;
    *opened = condition;
    return 0;
failed:
    gpu_condition_close(condition);
    return -1;
}

static int launch(const struct gpu_condition *condition, size_t words, unsigned long long nanoseconds,
                  struct problem *problem)
{
    CUdeviceptr from = condition->words, sink = condition->sink;
    void *arguments[] = {&from, &words, &nanoseconds, &sink};
    return cuda_check("flushing the L2 and keeping the GPU busy",
                      cuLaunchKernel(condition->kernel, condition->blocks, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL),
                      problem);
}

/* Nothing is pinned where there was no carve-out since. */
int gpu_condition_unpin(struct gpu_condition *condition, struct problem *problem)
{
    if (!condition->has_pins)
        return 0;
    if (set_carve_out(condition, condition->carve_out, problem) < 0)
        return -1;
    if (!condition->may_be_pinned)
        return 0;
    condition->may_be_pinned = condition->carve_out > 0;
    if (cuda_check("waiting for the inputs", cuCtxSynchronize(), problem) < 0 ||
        cuda_check("releasing pinned lines of the L2", cuCtxResetPersistingL2Cache(), problem) < 0)
        return -1;
    return cuda_check("releasing pinned lines of the L2", cuCtxSynchronize(), problem);
}

bool gpu_condition_is_carved(const struct gpu_condition *condition)
{
    size_t bytes = 0;
    return condition->has_pins && cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) == CUDA_SUCCESS && bytes > 0;
}

int gpu_condition_flush(struct gpu_condition *condition, struct problem *problem)
{
    return launch(condition, condition->word_count, busy_ns, problem);
}

/* What puts the inputs back may pin lines as well, so they are released after it. */
int gpu_condition_apply(struct gpu_condition *condition, struct problem *problem)
{
    if (gpu_condition_unpin(condition, problem) < 0)
        return -1;
    return gpu_condition_flush(condition, problem);
}

int gpu_condition_pretend(struct gpu_condition *condition, struct problem *problem)
{
    return launch(condition, 0, 0, problem);
}

void gpu_condition_buffers(const struct gpu_condition *condition, CUdeviceptr *words, size_t *count, CUdeviceptr *sink)
{
    *words = condition->words;
    *count = condition->word_count;
    *sink = condition->sink;
}

void gpu_condition_mark(bool measured)
{
    /* These only speak to a profiler that is attached; without one their failure means nothing. */
    if (measured)
        cuProfilerStart();
    else
        cuProfilerStop();
}

void gpu_condition_close(struct gpu_condition *condition)
{
    if (!condition)
        return;
    cuMemFree(condition->words);
    cuMemFree(condition->sink);
    if (condition->module)
        cuModuleUnload(condition->module);
    free(condition);
}
