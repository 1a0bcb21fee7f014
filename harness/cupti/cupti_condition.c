/* Prepares the GPU before every measured launch: the L2 is emptied, unless caches are to be warm, and the clocks leave
 * their resting state. Without that, time and DRAM throughput spread by 12 to 24 %, with it by 0.1 to 2 % (17 kernels x
 * 10 samples on an H200). */
#include "cupti_plugin.h"

#include <cudaProfiler.h>

/* These are the bytes of conditioning.cu, compiled for every architecture and embedded by the Makefile. */
extern const char _binary_conditioning_fatbin_start[];

static const unsigned long long busy_ns =
    350000; /* the time that an H200 takes from rest to full clocks, with 60 us of it for the flush */
static const size_t flush_at_least = (size_t)256 << 20;

struct gpu_condition {
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr words;
    CUdeviceptr sink;
    size_t word_count;
    unsigned blocks;
    bool keeps_caches;  /* nothing is flushed */
    bool has_pins;      /* the GPU can pin lines in the L2 */
    bool may_be_pinned; /* a line may have been pinned since all were released last */
    size_t carve_out;   /* bytes of the L2 for pinned lines, as the open family wants them; 0: it wants none */
};

static int get_carve_out(size_t *bytes, struct problem *problem)
{
    return cuda_check("reading the L2's carve-out", cuCtxGetLimit(bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), problem);
}

/* Sets the size of the carve-out. Lines that were pinned in the old one stay there. */
static int set_carve_out(struct gpu_condition *condition, size_t bytes, struct problem *problem)
{
    size_t now;
    TRY(get_carve_out(&now, problem));
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

/* Returns whether the GPU can pin lines in the L2. A chip before Ampere cannot, nor can a part of a GPU (MIG). */
static bool can_pin(void)
{
    size_t bytes;
    return cuCtxResetPersistingL2Cache() != CUDA_ERROR_NOT_SUPPORTED &&
           cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) != CUDA_ERROR_UNSUPPORTED_LIMIT;
}

/* Takes away the carve-out of the L2. An H200 has one unless it is told otherwise, and then any kernel could leave
 * lines there. */
static int take_carve_out(struct gpu_condition *condition, struct problem *problem)
{
    int most = 0;
    TRY(cuda_check("reading how much of the L2 can be pinned",
                   cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0), problem));
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
        cuda_check("loading cugate's own kernels (is this GPU older than its architectures? make CUDA_ARCHS=...)",
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

/* Releases pinned lines. Without a carve-out since the last time, nothing can be pinned, and nothing is done. */
int gpu_condition_unpin(struct gpu_condition *condition, struct problem *problem)
{
    if (!condition->has_pins)
        return 0;
    TRY(set_carve_out(condition, condition->carve_out, problem));
    if (!condition->may_be_pinned)
        return 0;
    condition->may_be_pinned = condition->carve_out > 0;
    TRY(cuda_check("waiting for the inputs", cuCtxSynchronize(), problem));
    TRY(cuda_check("releasing pinned lines of the L2", cuCtxResetPersistingL2Cache(), problem));
    return cuda_check("releasing pinned lines of the L2", cuCtxSynchronize(), problem);
}

bool gpu_condition_is_carved(const struct gpu_condition *condition)
{
    size_t bytes = 0;
    return condition->has_pins && cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) == CUDA_SUCCESS && bytes > 0;
}

int gpu_condition_flush(struct gpu_condition *condition, struct problem *problem)
{
    return launch(condition, condition->keeps_caches ? 0 : condition->word_count, busy_ns, problem);
}

void gpu_condition_keep_caches(struct gpu_condition *condition)
{
    condition->keeps_caches = true;
}

/* Releases pinned lines and flushes the L2. That comes after the inputs were restored, since restoring them may pin
 * lines as well. */
int gpu_condition_apply(struct gpu_condition *condition, struct problem *problem)
{
    TRY(gpu_condition_unpin(condition, problem));
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
    /* These calls only speak to a profiler that is attached. Without one they may fail, which does not matter. */
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
