/* A kernel whose code is of three files, its own, one of the checkout and one of CUDA, for tests/scripts/own.sh. */
#include <cugate/kernel.hpp>

#include "../include/load.cuh"

__global__ void sum_rows(const float *in, float *out)
{
    float sum = load(in, blockIdx.x * blockDim.x + threadIdx.x);
    for (unsigned lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(~0u, sum, lanes); // of CUDA's header
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

struct rows {
    cugate::array<float> in, out;
    int open()
    {
        CUGATE_TRY(in.fill(1 << 15, [](size_t) { return 1; }));
        return out.allocate(1 << 8);
    }
    int restore() { return out.poison(); }
    int verify(cugate::why &why)
    {
        return out.compare(why, [](size_t) { return 32; });
    }
};

CUGATE_LIBRARY(cugate::family<rows>("rows", "sums of rows").variant("shuffled", "a warp a row", [](rows &r) {
    sum_rows<<<1 << 8, 32>>>(r.in.data, r.out.data);
}))
