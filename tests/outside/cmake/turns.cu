#include <cugate/kernel.hpp>

__global__ void turn_kernel(const float *in, float *out)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

struct turns {
    cugate::array<float> in, out;
    int open()
    {
        CUGATE_TRY(in.fill(1024, 1));
        return out.allocate(1024);
    }
    int restore() { return out.poison(); }
    void launch() { turn_kernel<<<1, dim3(32, 32)>>>(in.data, out.data); }
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) { return in.host[i % 32 * 32 + i / 32]; });
    }
};

CUGATE_LIBRARY(cugate::family<turns>("turns", "a tile is turned")
                   .variant("tiled", "through padded rows", [](turns &t) { t.launch(); }))
