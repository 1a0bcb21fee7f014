/* What the host decides and no kernel's code shows, for tests of `cugate run --simulate`.
 *
 *   host WHAT      what differs from `device` */
#include "bulk.cuh"

#include <cstdlib>
#include <cstring>
#include <cuda_pipeline.h>

enum { BLOCKS = 4, THREADS = 256, COUNT = BLOCKS * THREADS };

__managed__ float table[64];

/* Every way to access memory. Half of the lanes of the first load read `own`. */
__global__ void accesses(float *x, float *own, cudaTextureObject_t texture)
{
    __shared__ alignas(16) float tile[THREADS], copied[THREADS];
    __shared__ uint64_t barrier;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float *from = threadIdx.x & 1 ? x : own;
    float sum = from[i] + table[i % 64] + tex1Dfetch<float>(texture, i);
    if (threadIdx.x == 0)
        INIT(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        EXPECT(&barrier, (unsigned)sizeof tile);
        LOAD_BYTES(tile, x + blockIdx.x * THREADS, (unsigned)sizeof tile, &barrier);
    }
    __pipeline_memcpy_async(&copied[threadIdx.x], &x[i], sizeof *x);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    WAIT(&barrier, 0);
    atomicAdd(&x[COUNT + threadIdx.x % 8], 1.0f);
    own[COUNT + i] = sum + tile[threadIdx.x] + copied[threadIdx.x];
}

static float *allocate(const char *what)
{
    float *x = nullptr;
    const size_t bytes = 2 * COUNT * sizeof *x;
    cudaError_t error = cudaSuccess;
    if (strcmp(what, "pinned") == 0)
        error = cudaMallocHost(&x, bytes);
    else if (strcmp(what, "managed") == 0)
        error = cudaMallocManaged(&x, bytes);
    else if (strcmp(what, "registered") == 0)
        error = cudaHostRegister(x = (float *)aligned_alloc(4096, bytes), bytes, 0);
    else
        error = cudaMalloc(&x, bytes);
    return error || cudaMemset(x, 0, bytes) ? nullptr : x;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    float *x = allocate(what), *own = allocate("");
    cudaTextureObject_t texture;
    cudaResourceDesc memory = {};
    cudaTextureDesc how = {};
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = x;
    memory.res.linear.desc = cudaCreateChannelDesc<float>();
    memory.res.linear.sizeInBytes = COUNT * sizeof *x;
    table[0] = 1;
    if (!x || !own || cudaCreateTextureObject(&texture, &memory, &how, nullptr))
        return 4;
    accesses<<<BLOCKS, THREADS>>>(x, own, texture);
    return cudaDeviceSynchronize() != cudaSuccess;
}
