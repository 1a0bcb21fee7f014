/* A program whose device code is in two files: linked_device.cu has what its kernel calls.
 *
 *   linked COUNT    0 elements make a stray access there */
#include "linked_device.h"

#include <cstdio>
#include <cstdlib>

__global__ void kernel(int *x, int count)
{
    const shape *made = threadIdx.x & 1 ? (const shape *)new square(threadIdx.x) : new line(threadIdx.x);
    x[threadIdx.x] = steps_of(threadIdx.x + 1) + made->size() + functions[threadIdx.x & 1](threadIdx.x);
    atomicAdd(&calls, 1);
    delete made;
    if (threadIdx.x == 0)
        fill(x, count);
}

int main(int, char **argv)
{
    int *x, found[64], called;
    if (cudaMalloc(&x, sizeof found))
        return 4;
    kernel<<<1, 64>>>(x, atoi(argv[1]));
    if (cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost) || cudaMemcpyFromSymbol(&called, calls, sizeof called))
        return 4;
    printf("%d, %d, %d, %d calls\n", found[0], found[26], found[27], called);
}
