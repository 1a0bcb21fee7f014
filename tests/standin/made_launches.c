/* Programs that end well. They differ in how they launch. */
#include "made_program.h"

#include <cudaProfiler.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static int plain(int argc, char **argv)
{
    struct gpu gpu;
    const int count = argument(argc, argv, 0, 48);
    if (argc > 1)
        setenv("STANDIN_IDLE", argv[1], 1);
    if (argc > 2)
        setenv("STANDIN_LOADING", argv[2], 1);
    gpu_open(&gpu, 0);
    launch_some(&gpu, count);
    printf("plain: %d launches, sum %d\n", count, gpu_sum(&gpu));
    gpu_close(&gpu);
    MUST(cuDevicePrimaryCtxRelease(0));
    return 0;
}

/* Launches the same as `plain`, and reads a number after each, as .item() does. */
static int reads(struct gpu *gpu, int count)
{
    int number;
    for (int i = 0; i < count; i++) {
        launch_mixed(gpu, i);
        MUST(cuMemcpyDtoH(&number, gpu->numbers, sizeof number));
    }
    return count;
}

/* Launches the same as `mixed` but for one kernel, which has other code and counts 512 more instructions a thread. */
static int changed(struct gpu *gpu, int argc, char **argv)
{
    struct gpu other;
    const int count = argument(argc, argv, 0, 48);
    gpu_use(&other, gpu->context, _binary_other_cubin_start);
    for (int i = 0; i < count; i++) {
        if (i % 8 == 0)
            launch(&other, "add_one", 64, 256);
        else
            launch_mixed(gpu, i);
    }
    printf("changed: %d launches, sum %d and %d\n", count, gpu_sum(gpu), gpu_sum(&other));
    gpu_close(&other);
    return 0;
}

/* Launches many times, on one number only and with one look-up, so that nothing but the launch takes time. */
static int many(struct gpu *gpu, int count)
{
    CUfunction function;
    int one = 1, value = 0;
    MUST(cuModuleGetFunction(&function, gpu->module, "add_one"));
    void *parameters[] = {&gpu->numbers, &one, &value};
    for (int i = 0; i < count; i++)
        MUST(cuLaunchKernel(function, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    return count;
}

/* Launch `count` times: a kernel, blocks and threads by the launch's number, i. */
#define LAUNCHES(name, kernel, blocks, threads)                                                                        \
    static int name(struct gpu *gpu, int count)                                                                        \
    {                                                                                                                  \
        for (int i = 0; i < count; i++)                                                                                \
            launch(gpu, kernel, blocks, threads);                                                                      \
        return count;                                                                                                  \
    }

/* Launches one kernel, then another one twice, again and again. */
LAUNCHES(every_third, i % 3 ? "tiny" : "add_one", 64, 256)

/* Launches six shapes in turn, and each seventieth time another one. */
LAUNCHES(periods, "add_one", i % 70 == 69 ? 100 : (unsigned)(i % 6) + 1, 128)

/* Launches three shapes in turn, and one of another while the second set of metrics is counted. */
LAUNCHES(aside, i == 20 ? "tiny" : "add_one", i == 20 ? 100 : (unsigned)(i % 3) + 1, 128)

/* Launches one shape 80 times, then another one, and so on. */
static int phases(struct gpu *gpu, int count)
{
    for (int i = 0; i < 80 * count; i++)
        launch(gpu, "add_one", (unsigned)(i / 80) + 1, 128);
    return 80 * count;
}

LAUNCHES(shapes, "add_one", (unsigned)i + 1, 128)

/* Launches as many shapes, few of each block. */
LAUNCHES(blocks, "add_one", (unsigned)i / 32 + 1, 32 * (unsigned)(i % 32 + 1))

/* Launches a kernel whose counts depend on its data. They are the same in each process, but differ in each launch. */
static int data(struct gpu *gpu, int count)
{
    for (int i = 0; i < count; i++)
        launch_value(gpu, "add_value", 64, 256, i);
    return count;
}

/* Launches a kernel whose counts never repeat, and some whose counts do. */
LAUNCHES(restless, i % 2 ? "restless" : "add_one", 64, 256)

static int namesakes(struct gpu *gpu, int argc, char **argv)
{
    struct gpu other;
    const int count = argument(argc, argv, 0, 20);
    gpu_use(&other, gpu->context, _binary_other_cubin_start);
    for (int i = 0; i < count; i++)
        launch(i % 2 ? &other : gpu, "add_one", 64, 256);
    printf("namesakes: %d launches, sum %d and %d\n", count, gpu_sum(gpu), gpu_sum(&other));
    gpu_close(&other);
    return 0;
}

/* Loads and unloads modules, as a compiler at run time does. A handle may be that of a module which is gone. */
static int reload(struct gpu *gpu, int count)
{
    for (int i = 0; i < count; i++) {
        MUST(cuModuleUnload(gpu->module));
        MUST(cuModuleLoadData(&gpu->module, i % 2 ? _binary_kernels_cubin_start : _binary_other_cubin_start));
        launch(gpu, "add_one", 64, 256);
    }
    return count;
}

/* Launches kernels of a library, as the CUDA runtime has them: by CUkernel handles, with machine code that is loaded
 * when it is needed. `library N asked`: a question about the kernel comes first, so that it is loaded before the
 * launch; `library N sized`: a question that nobody watches; `library N both`: of two
 * libraries, which both have the kernel; `library N gone KERNEL`: another one is loaded by a question that nobody
 * watches, and its module has the handle of one that is gone; `library N apart KERNEL`: gone without a context. */
static int library(struct gpu *gpu, int argc, char **argv)
{
    CUlibrary opened;
    CUkernel kernel;
    const int count = argument(argc, argv, 0, 20);
    int numbers = NUMBERS, value = 3;
    MUST(cuLibraryLoadData(&opened, _binary_other_cubin_start, NULL, NULL, 0, NULL, NULL, 0));
    MUST(cuLibraryGetKernel(&kernel, opened, "add_one"));
    if (argc > 1) {
        int registers;
        CUmodule module;
        if (strcmp(argv[1], "asked") == 0 || argc > 2)
            MUST(cuKernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
        if (argc > 2) {
            MUST(cuCtxSetCurrent(strcmp(argv[1], "apart") == 0 ? NULL : gpu->context));
            MUST(cuLibraryUnload(opened));
            MUST(cuCtxSetCurrent(gpu->context));
            MUST(cuLibraryLoadData(&opened, _binary_kernels_cubin_start, NULL, NULL, 0, NULL, NULL, 0));
            MUST(cuLibraryGetKernel(&kernel, opened, argv[2]));
        }
        if (strcmp(argv[1], "asked") != 0)
            MUST(cuLibraryGetModule(&module, opened));
        if (strcmp(argv[1], "both") == 0) {
            CUlibrary another;
            MUST(cuLibraryLoadData(&another, _binary_kernels_cubin_start, NULL, NULL, 0, NULL, NULL, 0));
            MUST(cuLibraryGetModule(&module, another));
        }
    }
    void *parameters[] = {&gpu->numbers, &numbers, &value};
    for (int i = 0; i < count; i++)
        MUST(cuLaunchKernel((CUfunction)(void *)kernel, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    printf("library: %d launches, sum %d\n", count, gpu_sum(gpu));
    MUST(cuLibraryUnload(opened));
    return 0;
}

/* Loads two libraries one after the other, so that the handle of a kernel that is gone may be given to another. */
static int libraries(struct gpu *gpu, int count)
{
    int numbers = NUMBERS, value = 3;
    void *parameters[] = {&gpu->numbers, &numbers, &value};
    for (int i = 0; i < count; i++) {
        CUlibrary opened;
        CUkernel kernel;
        MUST(cuLibraryLoadData(&opened, _binary_kernels_cubin_start, NULL, NULL, 0, NULL, NULL, 0));
        MUST(cuLibraryGetKernel(&kernel, opened, i % 2 ? "large" : "add_one"));
        MUST(cuLaunchKernel((CUfunction)(void *)kernel, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
        MUST(cuLibraryUnload(opened));
    }
    return count;
}

/* Calls each function that launches. Of the six that the profiler knows, a program calls some by these names. By
 * cuGetProcAddress it gets those for a default stream for each thread. */
static int ways(struct gpu *gpu, int count)
{
    CUfunction function;
    int numbers = NUMBERS, value = 3;
    MUST(cuModuleGetFunction(&function, gpu->module, "add_one"));
    void *parameters[] = {&gpu->numbers, &numbers, &value};
    const CUlaunchConfig config = {64, 1, 1, 256, 1, 1, 0, NULL, NULL, 0};
    MUST(cuLaunchKernel(function, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    MUST(cuLaunchKernelEx(&config, function, parameters, NULL));
    MUST(cuLaunchCooperativeKernel(function, 64, 1, 1, 256, 1, 1, 0, NULL, parameters));
    union {
        void *address;
        CUresult (*kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                           void **, void **);
        CUresult (*ex)(const CUlaunchConfig *, CUfunction, void **, void **);
        CUresult (*cooperative)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                CUstream, void **);
    } found;
    const cuuint64_t flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    MUST(cuGetProcAddress("cuLaunchKernel", &found.address, CUDA_VERSION, flags, NULL));
    MUST(found.kernel(function, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    MUST(cuGetProcAddress("cuLaunchKernelEx", &found.address, CUDA_VERSION, flags, NULL));
    MUST(found.ex(&config, function, parameters, NULL));
    MUST(cuGetProcAddress("cuLaunchCooperativeKernel", &found.address, CUDA_VERSION, flags, NULL));
    MUST(found.cooperative(function, 64, 1, 1, 256, 1, 1, 0, NULL, parameters));
    return count;
}

static int failing(struct gpu *gpu, int argc, char **argv)
{
    (void)argc, (void)argv;
    int good = 0, bad = 0;
    for (int i = 0; i < 43; i++) {
        if (i % 2) {
            /* This block has too many threads. */
            bad += try_launch(gpu, "add_one", 64, 2048, NULL) == CUDA_ERROR_INVALID_VALUE;
        } else {
            launch_mixed(gpu, i / 2);
            good++;
        }
    }
    printf("failing: %d good and %d failing launches, sum %d\n", good, bad, gpu_sum(gpu));
    return bad == 21 ? 0 : 1;
}

static int second_context(struct gpu *gpu, int argc, char **argv)
{
    (void)argc, (void)argv;
    struct gpu other;
    CUcontext context;
    launch_some(gpu, 8);
    MUST(cuCtxCreate(&context, NULL, 0, 0));
    gpu_use(&other, context, _binary_kernels_cubin_start);
    launch_some(&other, 8);
    const int sum = gpu_sum(&other);
    gpu_close(&other);
    MUST(cuCtxDestroy(context));
    MUST(cuCtxSetCurrent(gpu->context));
    launch_some(gpu, 8);
    printf("second-context: 8 + 8 + 8 launches, sum %d and %d\n", gpu_sum(gpu), sum);
    return 0;
}

static int devices(int argc, char **argv)
{
    struct gpu gpus[8];
    const int count = argument(argc, argv, 0, 2);
    for (int i = 0; i < count; i++)
        gpu_open(&gpus[i], i);
    for (int i = 0; i < 8 * count; i++) {
        MUST(cuCtxSetCurrent(gpus[i % count].context));
        launch_mixed(&gpus[i % count], i / count);
    }
    printf("devices: %d x 8 launches, sums", count);
    for (int i = 0; i < count; i++) {
        MUST(cuCtxSetCurrent(gpus[i].context));
        printf(" %d", gpu_sum(&gpus[i]));
        gpu_close(&gpus[i]);
    }
    printf("\n");
    return 0;
}

static void *launch_20(void *data)
{
    const struct gpu *gpu = data;
    CUstream stream;
    MUST(cuCtxSetCurrent(gpu->context));
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 20; i++)
        launch_on(gpu, i % 2 ? "add_value" : "add_one", 64, 256, stream);
    MUST(cuStreamSynchronize(stream));
    MUST(cuStreamDestroy(stream));
    return NULL;
}

static int threads(struct gpu *gpu, int count)
{
    enum { MOST = 64 };
    pthread_t list[MOST];
    if (count > MOST)
        count = MOST;
    /* A kernel's first range is cold. Of which set of metrics it is may not depend on which thread comes first. */
    launch_on(gpu, "add_one", 64, 256, NULL);
    launch_on(gpu, "add_value", 64, 256, NULL);
    for (int i = 0; i < count; i++)
        if (pthread_create(&list[i], NULL, launch_20, gpu) != 0)
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(list[i], NULL);
    return 2 + 20 * count;
}

/* Runs another profiler inside the program, as torch.profiler does. It subscribes, and continues when that is refused.
 */
static int subscriber(struct gpu *gpu, int count)
{
    int (*subscribe)(void **, void *, void *) = NULL;
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (cupti)
        *(void **)&subscribe = dlsym(cupti, "cuptiSubscribe");
    if (!subscribe) {
        fprintf(stderr, "program: %s\n", dlerror());
        exit(1);
    }
    void *handle = NULL;
    const int result = subscribe(&handle, NULL, NULL);
    launch_some(gpu, count);
    fprintf(stderr, "subscriber: cuptiSubscribe answered %d\n", result);
    return count;
}

/* Opens an NVTX range of that name, or ends one where it is NULL. Without the stand-in it does nothing. */
static void range(const char *name)
{
    void (*nvtx)(const char *) = NULL;
    *(void **)&nvtx = dlsym(RTLD_DEFAULT, "cupti_standin_nvtx");
    if (nvtx)
        nvtx(name);
}

/* In each of N steps four launches within two ranges, which the range of the step holds; and one outside of it. */
static int in_ranges(struct gpu *gpu, int count)
{
    for (int i = 0; i < count; i++) {
        launch(gpu, "tiny", 1, 32);
        range("step");
        range("forward pass");
        launch(gpu, "add_one", 64, 256);
        launch(gpu, "large", 64, 256);
        range(NULL);
        range("backward");
        launch(gpu, "add_one", 64, 256);
        range(NULL);
        launch(gpu, "add_one", 64, 256);
        range(NULL);
    }
    return 5 * count;
}

/* Warms up by launches of another kernel, and says so by cuProfilerStart and cuProfilerStop. */
static int warmed_up(struct gpu *gpu, int count)
{
    for (int i = 0; i < 20; i++)
        launch(gpu, "large", (unsigned)i + 1, i % 2 ? 64 : 32);
    MUST(cuProfilerStart());
    for (int i = 0; i < count; i++)
        launch(gpu, "add_one", 64, 256);
    MUST(cuProfilerStop());
    launch(gpu, "tiny", 1, 32);
    return count;
}

/* Launches a long kernel once, then N times another. */
static int long_first(struct gpu *gpu, int count)
{
    launch(gpu, "large", 64, 256);
    for (int i = 0; i < count; i++)
        launch(gpu, "tiny", 1, 32);
    return count + 1;
}

/* As XLA's autotuner, holds the GPU before each launch of a kernel that it times; then launches N times another. */
static int tuned(struct gpu *gpu, int count)
{
    for (int i = 0; i < 20; i++) {
        launch(gpu, "_ZN15stream_executor3gpu12_GLOBAL__N_111DelayKernelEv", 1, 32);
        launch(gpu, "add_one", 64, 256);
    }
    for (int i = 0; i < count; i++)
        launch(gpu, "large", 64, 256);
    return 40 + count;
}

/* Launches so many shapes from that one on, fifteen of each block. */
static void launch_shapes(const struct gpu *gpu, const char *name, int first, int count)
{
    for (int i = 0; i < count; i++)
        launch(gpu, name, (unsigned)(first + i), 64 + 32 * (unsigned)((first + i) / 15));
}

/* Launches what a training does: 20 shapes once, then N steps of L layers forward and back. Each step has shapes that
 * no layer has, and 20 of an optimizer. */
static int training(struct gpu *gpu, int argc, char **argv)
{
    const int count = argument(argc, argv, 0, 6), layers = argument(argc, argv, 1, 12);
    launch_shapes(gpu, "tiny", 1, 20);
    for (int step = 0; step < count; step++) {
        launch_shapes(gpu, "add_one", 1, 5);
        for (int i = 0; i < layers; i++)
            launch_shapes(gpu, "add_one", 10, 8);
        launch_shapes(gpu, "add_one", 20, 5);
        for (int i = 0; i < layers; i++)
            launch_shapes(gpu, "add_one", 30, 12);
        launch_shapes(gpu, "add_one", 50, 20);
    }
    printf("training: %d steps, sum %d\n", count, gpu_sum(gpu));
    return 0;
}

static int none(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("none: linked with the driver, and never calls it\n");
    return 0;
}

static int start(int argc, char **argv)
{
    int count = 0;
    MUST(cuInit(0));
    MUST(cuDeviceGetCount(&count));
    printf("start: initialized, launches nothing\n");
    fflush(stdout);
    if (argc > 0)
        _exit(argument(argc, argv, 0, 0));
    return 0;
}

static int echo_and_launch(struct gpu *gpu, int argc, char **argv)
{
    launch_some(gpu, 8);
    const int result = echo(argc, argv);
    return result;
}

const struct program programs_of_launches[] = {
    {"plain",
     "[N] [PERCENT] [NS]: N launches of eight groups; what the GPU waits after each, and before each group's first",
     .run = plain},
    {"changed", "[N]: the same, with other machine code and more instructions in one group", .on_gpu = changed},
    {"many", "[N]: N launches of one kernel (a million)", .launches = many, .count = 1000000},
    {"every-third", "[N]: N launches, every third of one kernel, the rest of another", .launches = every_third,
     .count = 300},
    {"periods", "[N]: N launches of six shapes in turn, each seventieth of another one", .launches = periods,
     .count = 2100},
    {"aside", "[N]: N launches of three shapes in turn, but one of another", .launches = aside, .count = 240},
    {"phases", "[N]: 80 launches of a shape, then as many of another one, N shapes in all", .launches = phases,
     .count = 3},
    {"shapes", "[N]: N launches, each with a grid of its own", .launches = shapes, .count = 100},
    {"blocks", "[N]: N launches, each with a shape of its own, and 32 blocks", .launches = blocks, .count = 100},
    {"reads", "[N]: N launches of eight groups, each followed by a copy to the host", .launches = reads, .count = 48},
    {"data", "[N]: N launches whose counts follow their data", .launches = data, .count = 20},
    {"restless", "[N]: N launches, of which every other counts otherwise each time", .launches = restless, .count = 20},
    {"namesakes", "[N]: N launches of two kernels of one name", .on_gpu = namesakes},
    {"reload", "[N]: N launches, each after unloading the module and loading another", .launches = reload, .count = 20},
    {"library", "[N]: N launches of a CUkernel", .on_gpu = library},
    {"libraries", "[N]: N launches of two CUkernels, each of a library that goes then", .launches = libraries,
     .count = 20},
    {"ways", "a launch by each function that launches", .launches = ways, .count = 6},
    {"failing", "22 launches, with 21 between them that fail", .on_gpu = failing},
    {"second-context", "8 launches, 8 in a second context, 8", .on_gpu = second_context},
    {"devices", "[N]: 8 launches on each of N devices in turn", .run = devices},
    {"threads", "[N]: two launches, then 20 in each of N threads", .launches = threads, .count = 8},
    {"subscriber", "a second subscriber to CUPTI", .launches = subscriber, .count = 8},
    {"in-ranges", "[N]: N steps of five launches in NVTX ranges", .launches = in_ranges, .count = 8},
    {"warmed-up", "[N]: 20 shapes, then N launches between cuProfilerStart and cuProfilerStop", .launches = warmed_up,
     .count = 8},
    {"long-first", "[N]: a long kernel once, then N launches of a short one", .launches = long_first, .count = 480},
    {"tuned", "[N]: 20 launches that an autotuner times, then N of another kernel", .launches = tuned, .count = 480},
    {"training", "[N] [L]: 20 shapes once, then N steps of L layers and 30 shapes besides", .on_gpu = training},
    {"none", "no call of CUDA", .run = none},
    {"start", "[CODE]: cuInit and no launch; then _exit(CODE)", .run = start},
    {"echo", "[TEXT]...: launches; prints arguments, environment, open files, and standard input",
     .on_gpu = echo_and_launch},
    {0},
};
