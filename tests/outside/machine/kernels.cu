// Kernels for the examples of cugate/machine.h: nvcc -cubin -arch=sm_90 -lineinfo kernels.cu
__global__ void saxpy(const float *x, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void strided(const float *x, float *sums, int stride)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[threadIdx.x * stride]);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

// A message is its length and so many bytes. Nobody compares the length with that of the buffer.
__global__ void checksum(const unsigned char *message, unsigned *sum)
{
    unsigned all = 0;
    for (int i = 0; i < message[0]; i++)
        all = all * 31 + message[1 + i];
    *sum = all;
}
