/* What tests/scripts/swap.sh puts into a capsule that made_capsules.c makes: the product of two matrices, by tiles of
 * them in shared memory. All sums are exact in bfloat16. DEPTH: how many columns of the left matrix a tile has; SINGLE:
 * sums are kept in single precision. */
#include <cuda_bf16.h>

#ifndef DEPTH
#define DEPTH 64
#endif
#ifndef SINGLE
#define SINGLE 0
#endif

enum { rows = 512, columns = 512, inner = 256, tall = 64, pairs = 16, threads = 256, each = 4 };

#if SINGLE
typedef float2 sum;
static __device__ sum add(sum to, __nv_bfloat16 a, __nv_bfloat162 b)
{
    const float factor = __bfloat162float(a); /* of single precision */
    return {fmaf(factor, __low2float(b), to.x), fmaf(factor, __high2float(b), to.y)};
}
static __device__ __nv_bfloat162 packed(sum of)
{
    return __floats2bfloat162_rn(of.x, of.y);
}
#else
typedef __nv_bfloat162 sum;
static __device__ sum add(sum to, __nv_bfloat16 a, __nv_bfloat162 b)
{
    return __hfma2(__bfloat162bfloat162(a), b, to);
}
static __device__ __nv_bfloat162 packed(sum of)
{
    return of;
}
#endif

extern "C" __global__ void __launch_bounds__(threads)
    product(__nv_bfloat162 *out, const __nv_bfloat16 *a, const __nv_bfloat162 *b)
{
    __shared__ __nv_bfloat16 left[tall][DEPTH + 2];
    __shared__ __nv_bfloat162 right[DEPTH][pairs];
    const int x = threadIdx.x % pairs, y = threadIdx.x / pairs;
    sum sums[each] = {};
    for (int from = 0; from < inner; from += DEPTH) {
        __syncthreads(); /* of a tile */
        for (int i = threadIdx.x; i < tall * DEPTH; i += threads)
            left[i / DEPTH][i % DEPTH] = a[(blockIdx.y * tall + i / DEPTH) * inner + from + i % DEPTH];
        for (int i = threadIdx.x; i < DEPTH * pairs; i += threads)
            right[i / pairs][i % pairs] = b[(from + i / pairs) * (columns / 2) + blockIdx.x * pairs + i % pairs];
        __syncthreads();
        for (int k = 0; k < DEPTH; k++)
            for (int row = 0; row < each; row++)
                sums[row] = add(sums[row], left[y * each + row][k], right[k][x]);
    }
    for (int row = 0; row < each; row++)
        out[(blockIdx.y * tall + y * each + row) * (columns / 2) + blockIdx.x * pairs + x] = packed(sums[row]);
}
