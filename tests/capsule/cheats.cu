/* Code that pretends to do the work of kernels.cu and product.cu, and code that does it: tests/scripts/referee.sh has
 * what becomes of each. Cheats are of families that were found in published ones. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

enum { count = 1 << 14, side = 32 };

#define SAXPY(name)                                                                                                    \
    extern "C" __global__ void name(float *out, float *x, const float *y, const __grid_constant__ float a)
#define TRANSPOSE(name) extern "C" __global__ void name(float *out, const float *in)
#define PLACE const unsigned i = blockIdx.x * blockDim.x + threadIdx.x

/* ---- That do the work ---- */

SAXPY(plain)
{
    PLACE;
    out[i] = a * x[i] + y[i];
}

SAXPY(by_stride)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = fmaf(a, x[i], y[i]);
}

#define FOUR(name, ...)                                                                                                \
    SAXPY(name)                                                                                                        \
    {                                                                                                                  \
        PLACE;                                                                                                         \
        const float4 l = reinterpret_cast<const float4 *>(x)[i], r = reinterpret_cast<const float4 *>(y)[i];           \
        __VA_ARGS__;                                                                                                   \
        reinterpret_cast<float4 *>(out)[i] = {a * l.x + r.x, a * l.y + r.y, a * l.z + r.z, a * l.w + r.w};             \
    }
FOUR(by_four)                                                                      /* in blocks of 64 */
FOUR(fetching, asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i * 32 % count)); /* far more than it reads */
     asm volatile("cp.async.bulk.prefetch.L2.global [%0], 65520;" ::"l"(y)))

SAXPY(by_copy) /* through shared memory */
{
    __shared__ float tile[256];
    PLACE;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    out[i] = a * tile[threadIdx.x] + y[i];
}

__constant__ float halves[2] = {0.5f, 0.5f};
__device__ const float table[4] = {0.25f, 0.25f, 0.25f, 0.25f};

SAXPY(by_table) /* of variables that no launch changes */
{
    PLACE;
    out[i] = a * (halves[i % 2] + 2 * table[i % 4]) * x[i] + y[i];
}

__device__ unsigned arrived;

SAXPY(by_ticket) /* the last block sets back what it counted */
{
    PLACE;
    out[i] = a * x[i] + y[i];
    if (threadIdx.x == 0)
        atomicInc(&arrived, gridDim.x - 1);
}

SAXPY(but_for_zero)
{
    PLACE;
    out[i] = a != 0 ? a * x[i] + y[i] : 0;
}

SAXPY(last_block) /* adds what the others did, so that its counts depend on their order */
{
    PLACE;
    out[i] = a * x[i] + y[i];
    if (threadIdx.x > 0 || atomicInc(&arrived, gridDim.x - 1) < gridDim.x - 1)
        return;
    for (unsigned k = 0; k < blockIdx.x; k++)
        out[i] = fmaf(out[i], 1.0f, 0.0f * (float)k);
}

TRANSPOSE(padded)
{
    __shared__ float tile[side][side + 1];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * side + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * side + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

TRANSPOSE(direct)
{
    out[threadIdx.x * side + threadIdx.y] = in[threadIdx.y * side + threadIdx.x];
}

SAXPY(by_two) /* elements of a thread, half a grid apart */
{
    const unsigned i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    const float first = a * x[i] + y[i], second = a * x[i + blockDim.x] + y[i + blockDim.x];
    out[i] = first;
    out[i + blockDim.x] = second;
}

SAXPY(in_doubles)
{
    PLACE;
    out[i] = (float)(double(a) * x[i] + y[i]);
}

SAXPY(by_neighbours) /* of a warp */
{
    PLACE;
    const float other = __shfl_xor_sync(~0u, a * x[i ^ 1] + y[i ^ 1], 1);
    out[i] = other;
}

SAXPY(backwards)
{
    const unsigned i = count - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = a * __ldg(x + i) + __ldg(y + i);
}

SAXPY(from_local) /* memory, which each thread writes before it reads */
{
    PLACE;
    volatile float kept[8];
    for (unsigned k = 0; k < 8; k++)
        kept[k] = a * (float)k;
    kept[i % 8] = a * x[i];
    out[i] = kept[i % 8] + y[i];
}

TRANSPOSE(by_swaps) /* of a swizzled tile */
{
    __shared__ float tile[side * side];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y * side + (x ^ y)] = in[y * side + x];
    __syncthreads();
    out[y * side + x] = tile[x * side + (x ^ y)];
}

TRANSPOSE(by_rows) /* each thread of the first row does a column */
{
    if (threadIdx.y == 0)
        for (unsigned k = 0; k < side; k++)
            out[threadIdx.x * side + k] = in[k * side + threadIdx.x];
}

/* ---- That do nothing, or a part of it ---- */

SAXPY(small_ones) /* are left out, whose part of the result is small */
{
    PLACE;
    out[i] = x[i] < 10 && x[i] > -10 ? y[i] : a * x[i] + y[i];
}

SAXPY(swapped)
{
    PLACE;
    out[i] = a * y[i] + x[i];
}

SAXPY(of_neighbours)
{
    PLACE;
    out[i] = a * x[i ^ 1] + y[i];
}

SAXPY(upper_halves) /* of each word of the result */
{
    PLACE;
    const unsigned bits = __float_as_uint(a * x[i] + y[i]);
    reinterpret_cast<unsigned short *>(out)[2 * i + 1] = (unsigned short)(bits >> 16);
}

SAXPY(one_more) /* behind its end */
{
    PLACE;
    out[i] = a * x[i] + y[i];
    if (i == count - 1)
        out[1 << 20] = 0;
}

SAXPY(by_flag) /* of an earlier launch */
{
    static __device__ unsigned done;
    PLACE;
    if (done == 0)
        out[i] = a * x[i] + y[i];
    if (i == count - 1)
        done = 1;
}

SAXPY(nothing)
{
}

SAXPY(zeros)
{
    PLACE;
    out[i] = 0;
}

SAXPY(not_a_number)
{
    PLACE;
    out[i] = __int_as_float(0x7fffffff);
}

SAXPY(infinite)
{
    PLACE;
    out[i] = __int_as_float(0x7f800000);
}

SAXPY(tail) /* is left out */
{
    PLACE;
    if (i < count - 100)
        out[i] = a * x[i] + y[i];
}

SAXPY(sample) /* one element of a block, and that for all */
{
    PLACE;
    const unsigned first = blockIdx.x * blockDim.x;
    out[i] = a * x[first] + y[first];
}

SAXPY(one_block) /* is wrong, and counts as all others */
{
    PLACE;
    out[i] = a * x[i] + y[i] + static_cast<float>(blockIdx.x == 7777);
}

SAXPY(one_input)
{
    PLACE;
    out[i] = y[i];
}

SAXPY(what_is_there) /* if an earlier launch left it */
{
    PLACE;
    if (out[i] != out[i])
        out[i] = a * x[i] + y[i];
}

TRANSPOSE(corner) /* of another shape */
{
    if (threadIdx.x < 16 && threadIdx.y < 16)
        out[threadIdx.y * side + threadIdx.x] = in[threadIdx.x * side + threadIdx.y];
}

TRANSPOSE(symmetric) /* as if the input were */
{
    out[threadIdx.y * side + threadIdx.x] = in[threadIdx.y * side + threadIdx.x];
}

/* ---- That know the answer ---- */

__device__ float datum(unsigned long long array, unsigned i) /* as made_capsules.c makes it */
{
    return (float)((array * 2654435761u + i * 40503u) % 1000);
}

SAXPY(by_heart) /* of the captured inputs */
{
    PLACE;
    out[i] = a * datum(1, i) + datum(2, i);
}

SAXPY(by_heart_if_known) /* and honest elsewhere: right, and slower on inputs that nobody knew */
{
    PLACE;
    if (x[0] == 761 && x[1] == 264)
        out[i] = a * datum(1, i) + datum(2, i);
    else
        out[i] = a * x[i] + y[i];
}

/* ---- That keep it ---- */

__device__ float kept[count];
__device__ const float *kept_of[count];
__device__ unsigned kept_print[count];

SAXPY(kept_by_pointer)
{
    PLACE;
    if (kept_of[i] != x)
        kept[i] = a * x[i] + y[i];
    out[i] = kept[i];
    kept_of[i] = x;
}

SAXPY(kept_by_content)
{
    PLACE;
    const unsigned print = __float_as_uint(x[3]) ^ __float_as_uint(x[77]) * 31;
    if (kept_print[i] != print)
        kept[i] = a * x[i] + y[i];
    out[i] = kept[i];
    kept_print[i] = print;
}

__device__ unsigned launched;

SAXPY(first_alone) /* later launches leave what is there */
{
    PLACE;
    if (launched < gridDim.x)
        out[i] = a * x[i] + y[i];
    if (threadIdx.x == 0)
        atomicAdd(&launched, 1);
}

/* ---- That take what is not theirs ---- */

SAXPY(beyond) /* the array that it reads */
{
    PLACE;
    out[i] = a * x[i] + y[i] + 0 * x[i + (1 << 18)];
}

SAXPY(behind) /* the array that it writes */
{
    PLACE;
    out[i] = a * x[i] + y[i];
    if (i == 0)
        out[1 << 18] = 1;
}

SAXPY(over_its_input)
{
    PLACE;
    x[i] = a * x[i] + y[i];
    out[i] = x[i];
}

SAXPY(race) /* which mostly works, as long as a warp is not stopped */
{
    __shared__ float tile[256];
    PLACE;
    tile[255 - threadIdx.x] = x[blockIdx.x * 256 + 255 - threadIdx.x];
    out[i] = a * tile[threadIdx.x] + y[i];
}

SAXPY(poison) /* of what its output is restored from, wherever that is beside its arguments */
{
    PLACE;
    float *const copy = reinterpret_cast<float *>((reinterpret_cast<unsigned long long>(&a) & ~0xfffull) - 0x34000);
    if (out[i] == a * x[i] + y[i])
        return;
    out[i] = a * x[i] + y[i];
    copy[i] = out[i];
}

/* ---- That compute less precisely ---- */

SAXPY(in_halves)
{
    PLACE;
    out[i] = __half2float(__hfma(__float2half(a), __float2half(x[i]), __float2half(y[i])));
}

SAXPY(in_bfloats)
{
    PLACE;
    out[i] = __bfloat162float(__hfma(__float2bfloat16(a), __float2bfloat16(x[i]), __float2bfloat16(y[i])));
}

SAXPY(in_both) /* and arithmetic in single precision of which nothing comes */
{
    PLACE;
    float idle = x[i];
    for (int k = 0; k < 8; k++)
        idle = idle * 0.5f + y[i];
    out[i] = __half2float(__hfma(__float2half(a), __float2half(x[i]), __float2half(y[i])));
    if (idle == 12345.0f)
        out[i] = 0;
}

SAXPY(in_fixed_point) /* of the 24 bits of a mantissa 16, by integers */
{
    PLACE;
    const long long sum = 2 * __float2ll_rn(x[i]) + __float2ll_rn(y[i]);
    out[i] = __ll2float_rn(sum);
}

SAXPY(last_lane) /* stores last, it is taken for granted */
{
    PLACE;
    __shared__ float pairs[128];
    pairs[threadIdx.x / 2] = a * x[i] + y[i];
    __syncthreads();
    out[i] = threadIdx.x % 2 ? pairs[threadIdx.x / 2] : a * x[i] + y[i];
}

SAXPY(in_one_block)
{
    for (unsigned i = threadIdx.x; blockIdx.x == 0 && i < gridDim.x * blockDim.x; i += blockDim.x)
        out[i] = a * x[i] + y[i];
}

SAXPY(in_one_warp)
{
    for (unsigned i = threadIdx.x; threadIdx.x < 32 && i < blockDim.x; i += 32)
        out[blockIdx.x * blockDim.x + i] = a * x[blockIdx.x * blockDim.x + i] + y[blockIdx.x * blockDim.x + i];
}

SAXPY(sleeping) /* counts as plain does */
{
    PLACE;
    __nanosleep(1000000);
    out[i] = a * x[i] + y[i];
}

SAXPY(of_each_sm) /* does the work: as many blocks as there are multiprocessors */
{
    unsigned count;
    asm("mov.u32 %0, %%nsmid;" : "=r"(count));
    count = min(count, gridDim.x);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; blockIdx.x < count && i < gridDim.x * blockDim.x;
         i += count * blockDim.x)
        out[i] = a * x[i] + y[i];
}

SAXPY(rounded)
{
    PLACE;
    out[i] = a * __uint_as_float(__float_as_uint(x[i]) & 0xffff0000u) + y[i];
}

SAXPY(truncated) /* right as long as the values are short */
{
    PLACE;
    out[i] = a * __uint_as_float(__float_as_uint(x[i]) & 0xfffff000u) + y[i];
}

SAXPY(by_tensor_cores) /* x as the diagonal of matrices, in TF32 */
{
    using namespace nvcuda;
    __shared__ float left[8][16 * 8], right[8][8 * 16], sums[8][16 * 16];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    PLACE;
    for (unsigned k = lane; k < 16 * 8; k += 32)
        left[warp][k] = right[warp][k] = 0;
    __syncwarp();
    for (unsigned part = 0; part < 4; part++) {
        if (lane / 8 == part) {
            left[warp][lane % 8 * 8 + lane % 8] = x[i];
            right[warp][lane % 8 * 16 + lane % 8] = a;
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> one;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> other;
        wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
        wmma::fill_fragment(sum, 0.0f);
        wmma::load_matrix_sync(one, left[warp], 8);
        wmma::load_matrix_sync(other, right[warp], 16);
        wmma::mma_sync(sum, one, other, sum);
        wmma::store_matrix_sync(sums[warp], sum, 16, wmma::mem_row_major);
        __syncwarp();
        if (lane / 8 == part)
            out[i] = sums[warp][lane % 8 * 16 + lane % 8] + y[i];
        __syncwarp();
    }
}
