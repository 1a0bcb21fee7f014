#include "made_program.h"

void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *text = NULL;
    cuGetErrorString(result, &text);
    fprintf(stderr, "program: %s: %s (%d)\n", what, text ? text : "unknown", (int)result);
    exit(1);
}

void gpu_use(struct gpu *gpu, CUcontext context, const char *cubin)
{
    gpu->context = context;
    MUST(cuModuleLoadData(&gpu->module, cubin));
    MUST(cuMemAlloc(&gpu->numbers, NUMBERS * sizeof(int)));
    int numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    MUST(cuMemcpyHtoD(gpu->numbers, numbers, sizeof numbers));
}

void gpu_open(struct gpu *gpu, int device)
{
    CUcontext context;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    gpu_use(gpu, context, _binary_kernels_cubin_start);
}

void gpu_close(struct gpu *gpu)
{
    MUST(cuMemFree(gpu->numbers));
    MUST(cuModuleUnload(gpu->module));
}

int gpu_sum(const struct gpu *gpu)
{
    int numbers[NUMBERS];
    unsigned sum = 0;
    MUST(cuMemcpyDtoH(numbers, gpu->numbers, sizeof numbers));
    for (int i = 0; i < NUMBERS; i++)
        sum += (unsigned)numbers[i];
    return (int)sum;
}

static CUresult launch_with(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, int count,
                            int value, unsigned shared, CUstream stream)
{
    CUfunction function;
    CUdeviceptr numbers = gpu->numbers;
    void *parameters[] = {&numbers, &count, &value};
    MUST(cuModuleGetFunction(&function, gpu->module, kernel));
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, stream, parameters, NULL);
}

CUresult try_launch(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, CUstream stream)
{
    return launch_with(gpu, kernel, blocks, threads, NUMBERS, 3, 0, stream);
}

void launch(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads)
{
    MUST(try_launch(gpu, kernel, blocks, threads, NULL));
}

void launch_on(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, CUstream stream)
{
    MUST(try_launch(gpu, kernel, blocks, threads, stream));
}

void launch_value(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, int value)
{
    MUST(launch_with(gpu, kernel, blocks, threads, NUMBERS, value, 0, NULL));
}

CUresult launch_numbers(const struct gpu *gpu, const char *kernel, int count, int value)
{
    return launch_with(gpu, kernel, 1, NUMBERS, count, value, 0, NULL);
}

void launch_mixed(const struct gpu *gpu, int i)
{
    static const struct {
        const char *kernel;
        unsigned blocks, threads, shared;
    } sequence[] = {
        {"add_one", 64, 256, 0}, {"_Z5scaleIiEvPT_ii", 128, 128, 0}, {"tiny", 1, 32, 0},
        {"add_one", 16, 256, 0}, {"_Z5scaleIjEvPT_ii", 32, 64, 0},   {"add_value", 64, 128, 1024},
        {"large", 1024, 256, 0}, {"add_one", 64, 256, 2048},
    };
    const size_t at = (size_t)i % (sizeof sequence / sizeof *sequence);
    MUST(launch_with(gpu, sequence[at].kernel, sequence[at].blocks, sequence[at].threads, NUMBERS, 3,
                     sequence[at].shared, NULL));
}

void launch_some(const struct gpu *gpu, int count)
{
    for (int i = 0; i < count; i++)
        launch_mixed(gpu, i);
}

int argument(int argc, char **argv, int i, int otherwise)
{
    return i < argc ? atoi(argv[i]) : otherwise;
}
