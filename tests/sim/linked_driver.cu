/* A kernel whose function is in another piece of code, for tests/sim/driver_program.c: with FUNCTION it is that piece.
 */
#ifdef FUNCTION
__device__ __noinline__ float joined(float x, float y)
{
    return x + y;
}
#else
extern __device__ float joined(float x, float y);

extern "C" __global__ void add(const float *x, const float *y, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = joined(x[i], y[i]);
}
#endif
