/* Kernels whose machine code is another by nvcc 13.0.88 and by nvcc 13.5.37. tests/fuzz/corpus/cubin/upgrade_13.0.cubin
 * and upgrade_13.5.cubin are built from it, for tests of `cugate check --static --against`:
 *
 *     nvcc -cubin -arch=sm_90 -o upgrade_13.0.cubin upgrade.cu */
extern "C" __global__ void cosines(float *x) /* its cosine is other instructions */
{
    x[threadIdx.x] = cosf(x[threadIdx.x]);
}

extern "C" __global__ void sum(const float *x, float *out) /* the same instructions, in another order */
{
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
