/* What tests of capsules launch: made_capsules.c has arguments and memory for each, and what it must leave.
 * STRIDE: elements that lanes of saxpy are apart; PAD: what keeps columns of transpose in other banks. */
#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef PAD
#define PAD 0
#endif

enum { count = 1 << 14, side = 32 };

extern "C" __global__ void saxpy(float *out, const float *x, const float *y, float a)
{
    const unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * STRIDE, i = at % count + at / count;
    out[i] = a * x[i] + y[i]; /* the line to blame */
}

extern "C" __global__ void transpose(float *out, const float *in)
{
    extern __shared__ float tile[];
    tile[threadIdx.y * (side + PAD) + threadIdx.x] = in[threadIdx.y * side + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * side + threadIdx.x] = tile[threadIdx.x * (side + PAD) + threadIdx.y];
}

__constant__ unsigned steps[4] = {1, 2, 3, 4};
__device__ unsigned totals[64];
__device__ unsigned *cursor = totals;

/* The slot points to the second half of totals. It and the cursor are left right behind its end. */
extern "C" __global__ void tally(unsigned **slot)
{
    unsigned *place = *slot;
    place[threadIdx.x] += steps[threadIdx.x % 4] + cursor[0];
    __syncthreads();
    if (threadIdx.x == 0) {
        *slot = place + 32;
        cursor = place + 32;
    }
}

struct node {
    const node *next;
    unsigned long long value;
};

extern "C" __global__ void chain(unsigned *sums, const node *const *heads)
{
    unsigned sum = 0;
    for (const node *at = heads[threadIdx.x]; at; at = at->next)
        sum += (unsigned)at->value;
    sums[threadIdx.x] = sum;
}
