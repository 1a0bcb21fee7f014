/* Kernels that tests/sim/driver_program.c loads by the driver. */
enum { SIDE = 16 };
__device__ int written;
__constant__ float factor = 1;

extern "C" __global__ void add(const float *x, const float *y, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SLOWER
    float more = 0;
    for (int k = 0; k < n % 7; k++)
        more += x[(i + k) % n] * 0;
    if (i < n)
        out[i] = more;
    __syncthreads();
#endif
    if (i < n)
        out[i] = factor * (x[i] + y[i]);
}

extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[SIDE][SIDE], right[SIDE][SIDE];
    const int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += SIDE) {
        left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
#ifndef NO_BARRIER
        __syncthreads();
#endif
        for (int i = 0; i < SIDE; i++)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x]; /* product */
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void stray(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1; /* stray */
}

extern "C" __global__ void race(float *x)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    tile[threadIdx.x] = tile[threadIdx.x ^ 32] + 1; /* race */
    x[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void note(int value)
{
    written += value;
}
