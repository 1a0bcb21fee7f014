/* Gives a special function all 2^32 operands, for mufu.sh. What stands here as EX2 becomes any function there. */
__device__ static unsigned special(unsigned operand)
{
    float result;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(__uint_as_float(operand)));
    return __float_as_uint(result);
}

/* results[i] becomes that of first + i, a thread each. */
extern "C" __global__ void results_from(unsigned *results, unsigned first)
{
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    results[at] = special(first + at);
}

/* sums[b] becomes the sum of what operands of binade b, those with b above their 23 lower bits, and their results are
 * mixed to. */
extern "C" __global__ void mixed_sums(unsigned long long *sums)
{
    unsigned long long sum = 0;
    for (unsigned fraction = threadIdx.x; fraction < 1u << 23; fraction += blockDim.x) {
        const unsigned operand = blockIdx.x << 23 | fraction;
        unsigned long long mixed = ((unsigned long long)operand << 32 | special(operand)) * 0x9e3779b97f4a7c15ull;
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ull;
        sum += mixed ^ mixed >> 32;
    }
    atomicAdd(sums + blockIdx.x, sum);
}

/* Of all 2^16 operands: EX2 and TANH of halves, then of bf16. */
extern "C" __global__ void results_of_halves(unsigned short *results)
{
    const unsigned short operand = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short result;
    asm volatile("ex2.approx.f16 %0, %1;" : "=h"(result) : "h"(operand));
    results[operand] = result;
    asm volatile("tanh.approx.f16 %0, %1;" : "=h"(result) : "h"(operand));
    results[65536 + operand] = result;
    asm volatile("ex2.approx.ftz.bf16 %0, %1;" : "=h"(result) : "h"(operand));
    results[131072 + operand] = result;
    asm volatile("tanh.approx.bf16 %0, %1;" : "=h"(result) : "h"(operand));
    results[196608 + operand] = result;
}
