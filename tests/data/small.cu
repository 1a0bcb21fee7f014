// What tests/fuzz/corpus/cubin was made from, so that tests of reading machine code need no compiler. By CUDA 13.0:
//
//   nvcc -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -fatbin small.cu
//   nvcc ... -DOTHER -o other.fatbin       with another plain() and nothing else
//   cuda12.cubin: -arch=sm_80 by ptxas 12.9, from the PTX of nvcc; library.so: `gcc -shared` around small.fatbin

__global__ void plain(float *out)
{
#ifdef OTHER
    out[threadIdx.x] = 2;
#else
    out[threadIdx.x] = 1;
#endif
}

#ifndef OTHER
__constant__ float weights[32] = {1, 2, 3};

namespace {

__global__ void __launch_bounds__(256) bounded(float const *in, float *out)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[threadIdx.x] * weights[threadIdx.x % 32];
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

} // namespace

__global__ void stacked(float const *in, float *out, int step)
{
    float local[24];
    for (int i = 0; i < 24; i++)
        local[i * step % 24] = in[i];
    out[threadIdx.x] = local[threadIdx.x % 24];
}

void *const used[] = {(void *)bounded};
#endif
