/* Device code that is compiled apart (-rdc=true), for tests/sim/runtime.sh: its kernel calls a function by a place that a
 * linker put in. */
#include <cuda_runtime.h>
#include <stdio.h>

__device__ __noinline__ int square(int number)
{
    return number * number;
}

__global__ void call(int *out)
{
    out[threadIdx.x] = square(threadIdx.x);
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof *out);
    call<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
