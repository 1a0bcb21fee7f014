/* roofs - what a GPU can do at most, each measured by a kernel that does nothing else (harness/cupti/cupti_roofs.c).
 * Not a family: embedded in the harness like conditioning.cu. `sink` is never written, but the compiler cannot know. */
#include <cuda_fp16.h>

/* Reads `count` 16-byte words `rounds` times, four in flight a thread. They must be several times the size of the L2.
 */
extern "C" __global__ void cugate_roof_dram(const uint4 *words, size_t count, unsigned rounds, unsigned *sink)
{
    const size_t step = size_t{gridDim.x} * blockDim.x;
    unsigned seen = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += 4 * step) {
            uint4 word[4];
#pragma unroll
            for (int k = 0; k < 4; k++)
                word[k] = i + k * step < count ? words[i + k * step] : uint4{};
#pragma unroll
            for (int k = 0; k < 4; k++)
                seen |= word[k].x | word[k].y | word[k].z | word[k].w;
        }
    }
    if (seen == 1)
        *sink = seen;
}

/* Every warp reads one row of 32 words of shared memory `rounds` times: one wavefront each. */
extern "C" __global__ void cugate_roof_shared(unsigned rounds, unsigned *sink)
{
    __shared__ volatile unsigned row[1024 + 32 * 8];
    row[threadIdx.x] = threadIdx.x;
    __syncthreads();
    unsigned seen = 0;
    for (unsigned i = 0; i < rounds; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            seen += row[threadIdx.x + 32 * k];
    }
    if (seen == 1)
        *sink = seen;
}

/* Eight independent chains of fused multiply-adds a thread, `rounds` long. */
template <class Number> __device__ void multiply_add(unsigned rounds, Number factor, Number *sink)
{
    Number x[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        x[k] = factor;
#pragma unroll 16
    for (unsigned i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            x[k] = x[k] * factor + factor;
    }
#pragma unroll
    for (int k = 1; k < 8; k++)
        x[0] = x[0] + x[k];
    if (threadIdx.x == ~0u)
        *sink = x[0];
}

extern "C" __global__ void cugate_roof_fp64(unsigned rounds, double factor, double *sink)
{
    multiply_add(rounds, factor, sink);
}

extern "C" __global__ void cugate_roof_fp32(unsigned rounds, float factor, float *sink)
{
    multiply_add(rounds, factor, sink);
}

extern "C" __global__ void cugate_roof_fp16(unsigned rounds, float factor, __half2 *sink)
{
    /* Halves that differ: one value for both keeps the compiler from the second of the two pipes. */
    const __half2 number = __floats2half2_rn(factor, 0.99f * factor);
    const __half2 addend = __floats2half2_rn(0.97f * factor, 0.98f * factor);
    __half2 x[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        x[k] = number;
#pragma unroll 16
    for (unsigned i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            x[k] = __hfma2(x[k], number, addend);
    }
#pragma unroll
    for (int k = 1; k < 8; k++)
        x[0] = __hadd2(x[0], x[k]);
    if (threadIdx.x == ~0u)
        *sink = x[0];
}
