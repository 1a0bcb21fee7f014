#include "linked_device.h"

#include <cstdio>

__device__ int line::size() const { return side; }
__device__ int square::size() const { return side * side; }

static __device__ int add(int x) { return x + 1000; }
static __device__ int twice(int x) { return 2 * x; }

__device__ int (*functions[2])(int) = {add, twice}, calls;

/* Lanes leave its loop at different trips. */
__device__ int steps_of(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

__device__ void fill(int *x, int count)
{
    printf("filled %d\n", count);
    x[count > 0 ? count - 1 : 4096] = -1; /* stray */
}
