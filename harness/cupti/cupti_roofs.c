/* Measures the peaks of the GPU with kernels/device/roofs.cu: the best of a few runs, timed by events. A data sheet
 * would not do, since clocks, power limits and ECC are as they are today.
 *
 * It allocates nothing, but reads the buffer that flushes the L2. When it allocated a gigabyte, though freed again,
 * kernel libraries got other addresses afterwards. An sgemm of 16 MB of output then wrote back 9.5 MB while it ran, not
 * 8.5 (H200; the same in every session either way). */
#include "cupti_plugin.h"

/* These are the bytes of roofs.cu, compiled for every architecture and embedded by the Makefile. */
extern const char _binary_roofs_fatbin_start[];

enum {
    REPEATS = 3,
    THREADS = 256,
    BLOCKS_AN_SM = 8,
    CHAINS = 8, /* as in roofs.cu */
    ROUNDS = 4096,
    DRAM_ROUNDS = 4
};

/* What every measurement works with. Arguments of the kernels point into it. */
struct bench {
    CUmodule module;
    CUevent begin, end;
    CUdeviceptr words, sink;
    size_t word_count;
    unsigned blocks, rounds, dram_rounds;
    double factor64;
    float factor32;
};

#define WORK(name, ...)                                                                                                \
    static double name(const struct bench *bench)                                                                      \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }

/* Each of these functions returns the work of one launch, in the unit of its roof. */
WORK(dram_work, (double)bench->word_count * 16 * bench->dram_rounds)
WORK(threads, (double)bench->blocks *THREADS)
WORK(shared_work, threads(bench) / 32 * bench->rounds)
WORK(flops, threads(bench) * bench->rounds * CHAINS * 2)
WORK(half2_flops, 2 * flops(bench))

enum arguments { TAKES_WORDS, TAKES_ROUNDS, TAKES_FP64, TAKES_FP32 };

/* To add a roof: its name in session.h, a kernel in roofs.cu and a row here. */
static const struct {
    enum roof roof;
    const char *kernel;
    enum arguments arguments;
    double (*work)(const struct bench *bench);
} roofs_table[] = {
    {ROOF_DRAM, "cugate_roof_dram", TAKES_WORDS, dram_work},
    {ROOF_SHARED, "cugate_roof_shared", TAKES_ROUNDS, shared_work},
    {ROOF_FP64, "cugate_roof_fp64", TAKES_FP64, flops},
    {ROOF_FP32, "cugate_roof_fp32", TAKES_FP32, flops},
    {ROOF_FP16, "cugate_roof_fp16", TAKES_FP32, half2_flops},
};

static int bench_open(struct bench *bench, const struct gpu_condition *condition, struct problem *problem)
{
    int sms = 0;
    TRY(cuda_check("reading the SM count", cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
                   problem));
    TRY(cuda_check("loading cugate's own kernels", cuModuleLoadData(&bench->module, _binary_roofs_fatbin_start),
                   problem));
    TRY(cuda_check("making an event", cuEventCreate(&bench->begin, CU_EVENT_DEFAULT), problem));
    TRY(cuda_check("making an event", cuEventCreate(&bench->end, CU_EVENT_DEFAULT), problem));
    gpu_condition_buffers(condition, &bench->words, &bench->word_count, &bench->sink);
    bench->blocks = (unsigned)sms * BLOCKS_AN_SM;
    bench->rounds = ROUNDS;
    bench->dram_rounds = DRAM_ROUNDS;
    bench->factor64 = 0.999;
    bench->factor32 = 0.999f;
    return 0;
}

static void bench_close(struct bench *bench)
{
    if (bench->end)
        cuEventDestroy(bench->end);
    if (bench->begin)
        cuEventDestroy(bench->begin);
    if (bench->module)
        cuModuleUnload(bench->module);
}

/* Times one launch of a kernel, in milliseconds. */
static int time_launch(struct bench *bench, CUfunction kernel, enum arguments arguments, float *milliseconds,
                       struct problem *problem)
{
    void *lists[][4] = {
        [TAKES_WORDS] = {&bench->words, &bench->word_count, &bench->dram_rounds, &bench->sink},
        [TAKES_ROUNDS] = {&bench->rounds, &bench->sink},
        [TAKES_FP64] = {&bench->rounds, &bench->factor64, &bench->sink},
        [TAKES_FP32] = {&bench->rounds, &bench->factor32, &bench->sink},
    };
    TRY(cuda_check("timing", cuEventRecord(bench->begin, NULL), problem));
    TRY(cuda_check("launching",
                   cuLaunchKernel(kernel, bench->blocks, 1, 1, THREADS, 1, 1, 0, NULL, lists[arguments], NULL),
                   problem));
    TRY(cuda_check("timing", cuEventRecord(bench->end, NULL), problem));
    TRY(cuda_check("running", cuEventSynchronize(bench->end), problem));
    return cuda_check("timing", cuEventElapsedTime(milliseconds, bench->begin, bench->end), problem);
}

static int measure_roof(struct bench *bench, size_t row, double *roof, struct problem *problem)
{
    CUfunction kernel;
    TRY(cuda_check(roofs_table[row].kernel, cuModuleGetFunction(&kernel, bench->module, roofs_table[row].kernel),
                   problem));
    for (int i = 0; i <= REPEATS; i++) {
        float milliseconds = 0;
        TRY(time_launch(bench, kernel, roofs_table[row].arguments, &milliseconds, problem));
        const double rate = milliseconds > 0 ? roofs_table[row].work(bench) / milliseconds * 1e3 : 0;
        if (i > 0 && rate > *roof) /* the first launch also loads the code and raises the clocks */
            *roof = rate;
    }
    *roof = round_value(*roof);
    return 0;
}

void gpu_measure_roofs(struct gpu_condition *condition, double roofs[ROOFS])
{
    struct bench bench = {0};
    struct problem problem;
    int failed = gpu_condition_apply(condition, &problem);
    if (failed == 0)
        failed = bench_open(&bench, condition, &problem);
    for (size_t i = 0; i < ARRAY_SIZE(roofs_table) && failed == 0; i++)
        failed = measure_roof(&bench, i, &roofs[roofs_table[i].roof], &problem);
    if (failed < 0)
        warning("the peaks of this GPU were not measured: %s", problem.text);
    bench_close(&bench);
}
