/* A kernel for sectors.c: 32 threads read floats that are `stride` apart. */
extern "C" __global__ void strided(const float *in, float *out, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}
