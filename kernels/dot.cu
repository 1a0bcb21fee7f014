/* dot - dot product in three precisions.
 *
 * Problem: a and b of 2^24 elements each, whole numbers -4..4 without 0, so that all three formats hold them exactly,
 * every product counts and every partial sum is exact. One launch: each thread adds up its share from 16-byte loads,
 * each block writes one partial sum, and the block that finishes last adds those up.
 *   fp32   float32, fused multiply-add: 128 MiB read, DRAM bytes and time as for any bandwidth-bound kernel.
 *   half2  float16, two products per instruction: DRAM bytes and time halve. The 4 products of one load go into a
 *          half (at most 64 here, and halves are exact to 2048), the sum of the loads into a float.
 *   dp4a   int8, four products per instruction, 32-bit sums: a quarter of the bytes; launch and tail show in the
 *          time.
 */
#include <cugate/arrays.hpp>

#include <cuda_fp16.h>

namespace {

constexpr size_t total = size_t{1} << 24;
constexpr unsigned block_threads = 512;
constexpr unsigned warp_threads = 32;
constexpr unsigned block_warps = block_threads / warp_threads;
constexpr uint32_t seed = 0xd07;

/* The sum is a whole number that every precision computes exactly, in any order: partial sums stay below 2^24, where
 * float32 loses its first whole number. No product is 0, so one element left out shows. */
constexpr double tolerance = 0;

/* -4..-1 or 1..4, from three bits. */
__host__ __device__ int small_number(uint32_t bits)
{
    const int n = static_cast<int>(bits & 7);
    return n < 4 ? n - 4 : n - 3;
}

__host__ __device__ int element_a(size_t i)
{
    return small_number(cugate::hash32(seed, i));
}

__host__ __device__ int element_b(size_t i)
{
    return small_number(cugate::hash32(seed, i) >> 3);
}

/* A precision: its element, what one 16-byte load holds, and the product of two loads in the type that adds them up. */
struct as_fp32 {
    using element = float;
    using vector = float4;
    using sum = float;

    static __device__ sum product(const vector &a, const vector &b)
    {
        return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, a.w * b.w)));
    }
};

struct as_half2 {
    using element = __half;
    struct alignas(16) vector {
        __half2 pair[4];
    };
    using sum = float;

    static __device__ sum product(const vector &a, const vector &b)
    {
        __half2 two = __hmul2(a.pair[0], b.pair[0]);
#pragma unroll
        for (unsigned k = 1; k < 4; k++)
            two = __hfma2(a.pair[k], b.pair[k], two);
        const float2 wide = __half22float2(two);
        return wide.x + wide.y;
    }
};

struct as_dp4a {
    using element = int8_t;
    using vector = int4;
    using sum = int;

    static __device__ sum product(const vector &a, const vector &b)
    {
        return __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, 0))));
    }
};

template <class T> __global__ void fill_with_small_numbers(T *a, T *b)
{
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total; i += size_t{gridDim.x} * blockDim.x) {
        a[i] = static_cast<T>(static_cast<float>(element_a(i)));
        b[i] = static_cast<T>(static_cast<float>(element_b(i)));
    }
}

/* The sum over the block, in its thread 0. */
template <class T> __device__ T sum_of_block(T value)
{
    __shared__ T of_warp[block_warps];
    const unsigned lane = threadIdx.x % warp_threads;
    for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (lane == 0)
        of_warp[threadIdx.x / warp_threads] = value;
    __syncthreads();
    value = threadIdx.x < block_warps ? of_warp[threadIdx.x] : T{0};
    if (threadIdx.x < warp_threads) {
        for (unsigned offset = block_warps / 2; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffff, value, offset);
    }
    __syncthreads(); /* afterwards of_warp may be overwritten */
    return value;
}

/* True in every thread of the block that gets here last; all partial sums are visible to it. */
__device__ bool is_last_block(unsigned *blocks_done)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(blocks_done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

template <class precision>
__global__ void __launch_bounds__(block_threads)
    dot_product(const typename precision::vector *__restrict__ a, const typename precision::vector *__restrict__ b,
                typename precision::sum *partial, unsigned *blocks_done, double *result)
{
    using sum = typename precision::sum;
    constexpr unsigned vectors = total * sizeof(typename precision::element) / sizeof(typename precision::vector);
    const unsigned stride = gridDim.x * block_threads;

    /* Two 16-byte loads by every thread that fits: 64 KiB in flight per multiprocessor, enough for DRAM. */
    sum own = 0;
    for (unsigned i = blockIdx.x * block_threads + threadIdx.x; i < vectors; i += stride)
        own += precision::product(a[i], b[i]);
    own = sum_of_block(own);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = own;

    if (!is_last_block(blocks_done))
        return;
    own = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += block_threads)
        own += __ldcg(partial + i);
    own = sum_of_block(own);
    if (threadIdx.x == 0)
        *result = static_cast<double>(own);
}

/* The memory of one precision on the device. */
template <class precision> struct operands {
    cugate::device_array<typename precision::element> a, b;
    cugate::device_array<typename precision::sum> partial;
    unsigned blocks = 0; /* blocks of a launch: as many as the device holds at once */

    int open()
    {
        int device, processors, resident;
        CUGATE_TRY(cudaGetDevice(&device));
        CUGATE_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
        CUGATE_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, dot_product<precision>, block_threads, 0));
        blocks = static_cast<unsigned>(processors * resident);
        CUGATE_TRY(a.allocate(total));
        CUGATE_TRY(b.allocate(total));
        CUGATE_TRY(partial.allocate(blocks));
        fill_with_small_numbers<<<blocks, block_threads>>>(a.data, b.data);
        return cugate::launched();
    }
};

struct dot {
    operands<as_fp32> single;
    operands<as_half2> half;
    operands<as_dp4a> byte;
    cugate::device_array<unsigned> blocks_done;
    cugate::device_array<double> result;
    double want = 0;

    int open()
    {
        CUGATE_TRY(single.open());
        CUGATE_TRY(half.open());
        CUGATE_TRY(byte.open());
        CUGATE_TRY(blocks_done.allocate(1));
        CUGATE_TRY(result.allocate(1));
        int64_t sum = 0;
        for (size_t i = 0; i < total; i++)
            sum += element_a(i) * element_b(i);
        want = static_cast<double>(sum);
        return 0;
    }
};

int restore(void *state)
{
    dot *const d = static_cast<dot *>(state);
    CUGATE_TRY(cudaMemsetAsync(d->blocks_done.data, 0, sizeof(unsigned)));
    CUGATE_TRY(d->single.partial.poison());
    CUGATE_TRY(d->half.partial.poison());
    CUGATE_TRY(d->byte.partial.poison());
    return d->result.poison();
}

template <class precision> int launch(const dot &d, const operands<precision> &o)
{
    using vector = typename precision::vector;
    dot_product<precision><<<o.blocks, block_threads>>>(reinterpret_cast<const vector *>(o.a.data),
                                                        reinterpret_cast<const vector *>(o.b.data), o.partial.data,
                                                        d.blocks_done.data, d.result.data);
    return cugate::launched();
}

int launch_fp32(void *state)
{
    const dot *const d = static_cast<dot *>(state);
    return launch(*d, d->single);
}

int launch_half2(void *state)
{
    const dot *const d = static_cast<dot *>(state);
    return launch(*d, d->half);
}

int launch_dp4a(void *state)
{
    const dot *const d = static_cast<dot *>(state);
    return launch(*d, d->byte);
}

int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    const dot *const d = static_cast<dot *>(state);
    std::vector<double> got;
    CUGATE_TRY(d->result.download(got));
    if (!cugate::close_to(got[0], d->want, tolerance))
        return cugate::wrong(why, why_size, "dot product: expected %.0f, found %.9g", d->want, got[0]);
    return 0;
}

template <class precision> constexpr double bytes = 2.0 * total * sizeof(typename precision::element);
constexpr double flops = 2.0 * total; /* dp4a operates on whole numbers instead */

/* To add a variant: write its precision and its launch function above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "fp32",
     .doc = "float32: 4 elements per 16-byte load, 128 MiB",
     .launch = launch_fp32,
     .bytes = bytes<as_fp32>,
     .flops = flops},
    {.name = "half2",
     .doc = "float16 in pairs: half of the DRAM bytes and of the time",
     .launch = launch_half2,
     .bytes = bytes<as_half2>,
     .flops = flops},
    {.name = "dp4a",
     .doc = "int8, four products per instruction: a quarter of the DRAM bytes",
     .launch = launch_dp4a,
     .bytes = bytes<as_dp4a>,
     .flops = flops},
};

} // namespace

extern "C" const struct cugate_family cugate_family_dot = {
    .name = "dot",
    .doc = "dot product of 2^24 elements in three precisions",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<dot>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<dot>,
    .variants = variants,
    .variant_count = std::size(variants),
};
