/* A kernel library of its own, for tests/scripts/simulate_own.sh. STRIDE: lanes read that far apart; INDEX: what the second
 * kernel reads; STEP: what the third is told, which takes millions of instructions, ROUNDS: how many it takes; LAUNCHES: how often the first is
 * launched, with a pause behind each; EXPECTED: what verify() wants; ON_ERROR: what the host does then. */
#include "cugate/kernel.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>

#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef INDEX
#define INDEX i
#endif

enum { count = 1 << 14, threads = 256 };

struct arrays {
    float *in, *out;
};

__global__ void scale(float *out, const float *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i * STRIDE % count]; /* the line to blame */
}

__global__ void shift(float *out, const float *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[INDEX]; /* the line at fault */
}

#ifndef STEP
#define STEP 1
#endif
#ifndef ROUNDS
#define ROUNDS 4096
#endif

__global__ void gather(float *out, const float *in, unsigned step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < ROUNDS; k++)
        sum += in[(i * step + k) % count];
    out[i] = sum;
}

static int open_arrays(const struct cugate_family *, void **state)
{
    struct arrays *arrays = new struct arrays();
    *state = arrays;
    const int error = cudaMalloc(&arrays->in, count * sizeof(float));
    return error ? error : cudaMalloc(&arrays->out, count * sizeof(float));
}

static int restore(void *state)
{
    const struct arrays *arrays = (const struct arrays *)state;
    const int error = cudaMemset(arrays->in, 0, count * sizeof(float));
    return error ? error : cudaMemset(arrays->out, 1, count * sizeof(float));
}

static int launch_scale(void *state)
{
    const struct arrays *arrays = (const struct arrays *)state;
#ifdef LAUNCHES
    for (int i = 1; i < LAUNCHES; i++, usleep(100000))
        scale<<<count / threads, threads>>>(arrays->out, arrays->in);
#endif
    scale<<<count / threads, threads>>>(arrays->out, arrays->in);
    return cudaGetLastError();
}

static int launch_shift(void *state)
{
    const struct arrays *arrays = (const struct arrays *)state;
    shift<<<count / threads, threads>>>(arrays->out, arrays->in);
    return cudaGetLastError();
}

static int launch_gather(void *state)
{
    const struct arrays *arrays = (const struct arrays *)state;
    gather<<<count / threads, threads>>>(arrays->out, arrays->in, STEP);
    return cudaGetLastError();
}

static int launch_handle(void *state)
{
    cudaIpcMemHandle_t handle;
    return cudaIpcGetMemHandle(&handle, ((const struct arrays *)state)->in);
}

#ifndef EXPECTED
#define EXPECTED 0
#endif

static int verify(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    float last;
    (void)variant;
    const int error = cudaMemcpy(&last, ((const struct arrays *)state)->out + count - 1, sizeof last,
                                 cudaMemcpyDeviceToHost);
    if (error || last == EXPECTED)
        return error;
    snprintf(why, why_size, "the last is %g, not %d", last, EXPECTED);
    return CUGATE_WRONG;
}

static void close_arrays(void *state)
{
    struct arrays *arrays = (struct arrays *)state;
    cudaFree(arrays->in);
    cudaFree(arrays->out);
    delete arrays;
}

#ifndef ON_ERROR
#define ON_ERROR
#endif

static int synchronize(void)
{
    const int error = cudaDeviceSynchronize();
    if (error) {
        ON_ERROR;
    }
    return error;
}

static const char *error_text(int code)
{
    return cudaGetErrorString((cudaError_t)code);
}

static const struct cugate_variant variants[] = {
    {"scale", "twice as much", launch_scale, 0, 0, NULL},
    {"shift", "a copy", launch_shift, 0, 0, NULL},
    {"gather", "a sum of many", launch_gather, 0, 0, NULL},
    {"handle", "a handle for other processes, which is not simulated", launch_handle, 0, 0, NULL},
};

static const struct cugate_family family = {
    "mine", "one array becomes another", CUGATE_KERNELS, open_arrays, restore, verify, close_arrays, variants, 4,
};

static const struct cugate_family *const families[] = {&family};

extern "C" __attribute__((visibility("default"))) const struct cugate_library *cugate_library(void)
{
    static const struct cugate_library library = {CUGATE_KERNEL_ABI, "nvcc", NULL, families, 1, synchronize, error_text};
    return &library;
}
