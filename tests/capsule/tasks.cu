/* Tasks whose inputs are of other kinds than those of kernels.cu: halves, integers, indices, offsets, a permutation and
 * a mask. made_capsules.c has arguments and memory for each. WAY says how the work is done: 0 is the reference, 1 and 2
 * do the same in other ways, 3 and 4 only seem to. All are launched in blocks of 256 threads. */
#include <cuda_bf16.h>

#ifndef WAY
#define WAY 0
#endif

enum { threads = 256, lanes = 32, warps = threads / lanes, each = 4, width = 64, bins = 64 };

#define TASK extern "C" __global__ void __launch_bounds__(threads)
#define LANE (threadIdx.x % lanes)
#define WARP (threadIdx.x / lanes)

/* Rows of a matrix in bfloat16, with a mean of 0 and a variance of 1 each, times a gain: a block has as many as it has
 * warps. */
#if WAY == 0
static __device__ float sum_of_block(float value)
{
    __shared__ float sums[threads];
    __syncthreads();
    sums[threadIdx.x] = value;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
    return sums[0];
}

TASK normalize(__nv_bfloat16 *out, const __nv_bfloat16 *in, const float *gain, unsigned columns)
{
    for (unsigned row = blockIdx.x * warps; row < (blockIdx.x + 1) * warps; row++) {
        float sum = 0, squares = 0;
        for (unsigned i = threadIdx.x; i < columns; i += threads)
            sum += __bfloat162float(in[row * columns + i]);
        const float mean = sum_of_block(sum) / columns;
        for (unsigned i = threadIdx.x; i < columns; i += threads) {
            const float off = __bfloat162float(in[row * columns + i]) - mean;
            squares += off * off;
        }
        const float scale = rsqrtf(sum_of_block(squares) / columns + 1e-5f);
        for (unsigned i = threadIdx.x; i < columns; i += threads)
            out[row * columns + i] =
                __float2bfloat16((__bfloat162float(in[row * columns + i]) - mean) * scale * gain[i]);
    }
}
#else
static __device__ float sum_of_warp(float value)
{
    for (unsigned apart = lanes / 2; apart > 0; apart /= 2)
        value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

TASK normalize(__nv_bfloat162 *out, const __nv_bfloat162 *in, const float2 *gain, unsigned columns)
{
    const unsigned row = blockIdx.x * warps + WARP, pairs = columns / 2;
    float sum = 0, squares = 0;
    out += row * pairs, in += row * pairs;
#if WAY == 2 /* reads the row once more, to have its squares by their distance from the mean */
    for (unsigned i = LANE; i < pairs; i += lanes)
        sum += __low2float(in[i]) + __high2float(in[i]);
    const float mean = sum_of_warp(sum) / columns;
    for (unsigned i = LANE; i < pairs; i += lanes) {
        const float2 off = {__low2float(in[i]) - mean, __high2float(in[i]) - mean};
        squares += off.x * off.x + off.y * off.y;
    }
    const float variance = sum_of_warp(squares) / columns;
#else        /* of the first quarter of each row, where WAY is 3 */
    const unsigned some = WAY == 3 ? pairs / 4 : pairs;
    for (unsigned i = LANE; i < some; i += lanes) {
        const float2 value = __bfloat1622float2(in[i]);
        sum += value.x + value.y;
        squares += value.x * value.x + value.y * value.y;
    }
    const float mean = sum_of_warp(sum) / (2 * some), variance = sum_of_warp(squares) / (2 * some) - mean * mean;
#endif
    const float scale = rsqrtf(variance + 1e-5f);
    for (unsigned i = LANE; i < pairs; i += lanes) {
        const float2 value = __bfloat1622float2(in[i]), factor = WAY == 4 ? float2{1, 1} : gain[i];
        out[i] = __floats2bfloat162_rn((value.x - mean) * scale * factor.x, (value.y - mean) * scale * factor.y);
    }
}
#endif

/* How often each key occurs: a block counts `each` keys a thread. */
TASK histogram(unsigned *counts, const unsigned *keys)
{
    keys += blockIdx.x * each * threads;
#if WAY == 0
    for (unsigned k = 0; k < each; k++)
        atomicAdd(counts + keys[k * threads + threadIdx.x], 1);
#elif WAY == 1 /* through shared memory */
    __shared__ unsigned own[bins];
    if (threadIdx.x < bins)
        own[threadIdx.x] = 0;
    __syncthreads();
    const uint4 four = reinterpret_cast<const uint4 *>(keys)[threadIdx.x];
    atomicAdd(own + four.x, 1), atomicAdd(own + four.y, 1), atomicAdd(own + four.z, 1), atomicAdd(own + four.w, 1);
    __syncthreads();
    if (threadIdx.x < bins && own[threadIdx.x] > 0)
        atomicAdd(counts + threadIdx.x, own[threadIdx.x]);
#elif WAY == 2 /* one lane adds for all that have its key */
    for (unsigned k = 0; k < each; k++) {
        const unsigned key = keys[k * threads + threadIdx.x], same = __match_any_sync(~0u, key);
        if (LANE == __ffs(same) - 1)
            atomicAdd(counts + key, __popc(same));
    }
#elif WAY == 3 /* of the captured keys, which it knows */
    for (unsigned k = 0; k < each; k++) {
        const unsigned i = (blockIdx.x * each + k) * threads + threadIdx.x;
        atomicAdd(counts + ((6 * 2654435761ull + i * 40503u) % 1000 + i) % bins, 1);
    }
#else          /* of a half of the keys, twice */
    for (unsigned k = 0; k < each; k += 2)
        atomicAdd(counts + keys[k * threads + threadIdx.x], 2);
#endif
}

/* Rows of a table by their index, or zeros where the mask is 0: a block has `each` times as many as it has warps. */
TASK gather(float *out, const float *table, const unsigned *indices, const unsigned char *mask)
{
    enum { own = each * warps };
    const unsigned first = blockIdx.x * own;
#if WAY == 0
    for (unsigned i = threadIdx.x; i < own * width; i += threads)
        out[first * width + i] = mask[first + i / width] ? table[indices[first + i / width] * width + i % width] : 0;
#elif WAY == 1 /* four elements at once */
    for (unsigned i = threadIdx.x; i < own * width / 4; i += threads) {
        const unsigned row = first + i * 4 / width, place = i % (width / 4);
        const float4 *from = reinterpret_cast<const float4 *>(table) + indices[row] * (width / 4) + place;
        reinterpret_cast<float4 *>(out)[row * (width / 4) + place] = mask[row] ? *from : float4{};
    }
#elif WAY == 2 /* a warp for each row */
    for (unsigned row = first + WARP; row < first + own; row += warps) {
        float2 pair = {};
        if (mask[row])
            pair = reinterpret_cast<const float2 *>(table)[indices[row] * (width / 2) + LANE];
        reinterpret_cast<float2 *>(out)[row * (width / 2) + LANE] = pair;
    }
#else          /* without the index, or without the mask */
    for (unsigned i = threadIdx.x; i < own * width; i += threads) {
        const unsigned row = first + i / width, at = (WAY == 3 ? row : indices[row]) * width + i % width;
        out[first * width + i] = WAY == 4 || mask[row] ? table[at] : 0;
    }
#endif
}

/* A sparse matrix, whose rows lie between offsets, times a vector: a block has a row for each of its threads. */
TASK sparse(float *out, const float *values, const unsigned *columns, const unsigned *offsets, const float *vector)
{
    const unsigned first = blockIdx.x * threads;
#if WAY == 0
    float sum = 0;
    for (unsigned i = offsets[first + threadIdx.x]; i < offsets[first + threadIdx.x + 1]; i++)
        sum += values[i] * vector[columns[i]];
    out[first + threadIdx.x] = sum;
#else /* some lanes for each row; without the columns, or with rows of one length */
    const unsigned group = WAY == 1 ? 8 : 2, own = threadIdx.x % group;
    for (unsigned row = first + threadIdx.x / group; row < first + threads; row += threads / group) {
        const unsigned begin = WAY == 4 ? row * 8 : offsets[row], end = WAY == 4 ? begin + 8 : offsets[row + 1];
        float sum = 0;
        for (unsigned i = begin + own; i < end; i += group)
            sum = fmaf(values[i], vector[WAY == 3 ? i % threads : columns[i]], sum);
        for (unsigned apart = group / 2; apart > 0; apart /= 2)
            sum += __shfl_xor_sync(~0u, sum, apart);
        if (own == 0)
            out[row] = sum;
    }
#endif
}

/* Where the largest value of each row is, the first of several: a block has as many rows as it has warps. */
static __device__ unsigned long long ranked(float value, unsigned at)
{
    const unsigned bits = __float_as_uint(WAY == 4 ? fabsf(value) : value);
    return (unsigned long long)(bits >> 31 ? ~bits : bits | 1u << 31) << 32 | (unsigned)~at;
}

TASK argmax(unsigned *out, const float *in, unsigned columns)
{
#if WAY == 0
    __shared__ unsigned long long best[threads];
    for (unsigned row = blockIdx.x * warps; row < (blockIdx.x + 1) * warps; row++) {
        unsigned long long own = 0;
        for (unsigned i = threadIdx.x; i < columns; i += threads)
            own = max(own, ranked(in[row * columns + i], i));
        best[threadIdx.x] = own;
        for (unsigned half = threads / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + half]);
        }
        if (threadIdx.x == 0)
            out[row] = ~(unsigned)best[0];
        __syncthreads();
    }
#else /* a warp for each row; of a half of its columns, or by their magnitudes */
    const unsigned row = blockIdx.x * warps + WARP;
    unsigned long long own = 0;
    for (unsigned i = LANE; i < columns / (WAY == 1 ? 1 : 4) / (WAY == 3 ? 2 : 1); i += lanes) {
        if (WAY == 1) {
            own = max(own, ranked(in[row * columns + i], i));
            continue;
        }
        const float4 four = reinterpret_cast<const float4 *>(in)[row * (columns / 4) + i];
        own = max(max(own, ranked(four.x, 4 * i)), ranked(four.y, 4 * i + 1));
        own = max(max(own, ranked(four.z, 4 * i + 2)), ranked(four.w, 4 * i + 3));
    }
    for (unsigned apart = lanes / 2; apart > 0; apart /= 2)
        own = max(own, __shfl_xor_sync(~0u, own, apart));
    if (LANE == 0)
        out[row] = ~(unsigned)own;
#endif
}
