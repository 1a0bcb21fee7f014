/* A kernel whose code is of three files, its own, one of the checkout and one of CUDA, for tests/scripts/own.sh. It is
 * built again and again, and kernel.h takes a fifth of the time that kernel.hpp does. */
#include <cuda_runtime.h>
#include <cugate/kernel.h>

#include "../include/load.cuh"

__global__ void sum_rows(const float *in, float *out)
{
    float sum = load(in, blockIdx.x * blockDim.x + threadIdx.x);
    for (unsigned lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(~0u, sum, lanes); // of CUDA's header
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

enum { width = 32, rows = 256 };

struct arrays {
    float *in, *out;
};

static int open_arrays(const struct cugate_family *, void **state)
{
    struct arrays *arrays = new struct arrays();
    *state = arrays;
    const int error = cudaMalloc(&arrays->in, 4 * rows * width * sizeof(float)); /* a stride of up to 4 */
    return error ? error : cudaMalloc(&arrays->out, rows * sizeof(float));
}

static int restore(void *state)
{
    const struct arrays *arrays = (const struct arrays *)state;
    const int error = cudaMemset(arrays->in, 0, 4 * rows * width * sizeof(float));
    return error ? error : cudaMemset(arrays->out, 0xff, rows * sizeof(float));
}

static int verify(void *state, const struct cugate_variant *, char *, size_t)
{
    float sums[rows];
    const int error = cudaMemcpy(sums, ((const struct arrays *)state)->out, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; !error && i < rows; i++)
        if (sums[i] != 0)
            return CUGATE_WRONG;
    return error;
}

static void close_arrays(void *state)
{
    struct arrays *arrays = (struct arrays *)state;
    cudaFree(arrays->in);
    cudaFree(arrays->out);
    delete arrays;
}

static int launch(void *state)
{
    const struct arrays *arrays = (const struct arrays *)state;
    sum_rows<<<rows, width>>>(arrays->in, arrays->out);
    return cudaGetLastError();
}

extern "C" __attribute__((visibility("default"))) const struct cugate_library *cugate_library(void)
{
    static const struct cugate_variant variant = {"shuffled", "a warp a row", launch, 0, 0, NULL};
    static const struct cugate_family family = {
        "rows", "sums of rows", CUGATE_KERNELS, open_arrays, restore, verify, close_arrays, &variant, 1};
    static const struct cugate_family *const families[] = {&family};
    static const struct cugate_library library = {
        CUGATE_KERNEL_ABI,
        "nvcc",
        NULL,
        families,
        1,
        [] { return (int)cudaDeviceSynchronize(); },
        [](int code) { return cudaGetErrorString((cudaError_t)code); },
    };
    return &library;
}
