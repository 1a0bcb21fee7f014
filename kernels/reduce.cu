/* reduce - the sum of 2^24 float32, to one value (of 2^30: reduce_1g.cu).
 *
 * Problem: 64 MiB are read once, one float is written. The inputs are 1 and -1, so sums are exact: see `tolerance`.
 *
 * Variants in order; DRAM throughput rises from one to the next. What else each one moves:
 *   global_strided       global memory only, one launch per halving: DRAM bytes several times the input, sectors per
 *                        request grow with the stride; 24 launches
 *   interleaved_modulo   shared memory, `tid % (2 * s) == 0` works: few threads active per instruction (predicated, so
 *                        branch efficiency stays at 100 %)
 *   interleaved_index    working threads are neighbours, at `2 * s * tid`: threads active rise, bank conflicts appear
 *   sequential           the upper half is added to the lower: excess shared wavefronts fall to 0
 *   first_add            adds two elements while loading: half the blocks, fewer instructions and barriers
 *   unroll_last_warp     the last 64 values need one warp and no block barrier: fewer instructions
 *   unroll_full          block size a template parameter, so no loop is left: fewer instructions and branches
 *   grid_stride          as many blocks as the device holds, each thread sums a column: shared-memory work nearly gone
 *   grid_stride_ilp4     four independent loads in flight per thread: DRAM throughput
 *   warp_shuffle         16-byte loads, sums passed between lanes, the last block finishes: one launch, a quarter of
 *                        the load instructions; the best own version
 *   cub                  cub::DeviceReduce::Sum, the vendor's
 * From interleaved_modulo to unroll_full a launch turns each block's elements into one, and the same kernel is launched
 * again on what is left (two or three launches); grid_stride needs a second launch of one block.
 */
#include <cugate/arrays.hpp>

#include <cooperative_groups.h>
#include <cuda/atomic>

#if __has_include(<cub/device/device_reduce.cuh>)
#define HAVE_CUB 1
#include <cub/device/device_reduce.cuh>
#else
#define HAVE_CUB 0
#endif

namespace cg = cooperative_groups;
namespace {

#ifndef REDUCE_BITS
#define REDUCE_BITS 24
#endif
constexpr unsigned total = 1u << REDUCE_BITS;
constexpr unsigned threads = 256;
constexpr uint32_t seed = 0x5eed0001;

/* No error is allowed: sums stay below 2^24, up to which integers are floats. One element lost or added twice shows. Of
 * 2^24 each fourth is -1, and a lost block shows too; of 2^30 each second, and some blocks and warps sum up to 0. */
constexpr double tolerance = 0.0;
__host__ __device__ int input(unsigned i)
{
    return cugate::hash32(seed, i) >> (REDUCE_BITS > 24 ? 31 : 30) == 0 ? -1 : 1;
}

__global__ void fill_reduce_input(float *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cugate::input_period)
        in[i] = static_cast<float>(input(i));
}

/* Elements past the end count as 0, so that n need not be a multiple of what a block takes. */
__device__ float element(const float *in, unsigned i, unsigned n)
{
    return i < n ? in[i] : 0.0f;
}

/* One halving: element 2 * stride * i takes in its neighbour at distance `stride`. Works in place but for the last. */
__global__ void sum_global_strided(const float *from, float *to, unsigned stride, unsigned pairs)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        to[2 * stride * i] = from[2 * stride * i] + from[2 * stride * i + stride];
}

/* The kernels below have one shape: each block turns its elements of in[0 .. n) into out[blockIdx.x]. */

__global__ void sum_interleaved_modulo(const float *in, unsigned n, float *out)
{
    __shared__ float tile[threads];
    const unsigned tid = threadIdx.x;
    tile[tid] = element(in, blockIdx.x * blockDim.x + tid, n);
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            tile[tid] += tile[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = tile[0];
}

__global__ void sum_interleaved_index(const float *in, unsigned n, float *out)
{
    __shared__ float tile[threads];
    const unsigned tid = threadIdx.x;
    tile[tid] = element(in, blockIdx.x * blockDim.x + tid, n);
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned index = 2 * s * tid;
        if (index < blockDim.x)
            tile[index] += tile[index + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = tile[0];
}

/* Adds the upper half of tile[0 .. 2 * first) to the lower until `last` values are left. */
__device__ void fold_sequential(float *tile, unsigned first, unsigned last)
{
    for (unsigned s = first; s >= last; s /= 2) {
        if (threadIdx.x < s)
            tile[threadIdx.x] += tile[threadIdx.x + s];
        __syncthreads();
    }
}

__global__ void sum_sequential(const float *in, unsigned n, float *out)
{
    __shared__ float tile[threads];
    tile[threadIdx.x] = element(in, blockIdx.x * blockDim.x + threadIdx.x, n);
    __syncthreads();
    fold_sequential(tile, blockDim.x / 2, 1);
    if (threadIdx.x == 0)
        out[blockIdx.x] = tile[0];
}

/* What thread and block start with from first_add on: two elements, one block size apart. */
__device__ float sum_of_two(const float *in, unsigned n)
{
    const unsigned i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    return element(in, i, n) + element(in, i + blockDim.x, n);
}

__global__ void sum_first_add(const float *in, unsigned n, float *out)
{
    __shared__ float tile[threads];
    tile[threadIdx.x] = sum_of_two(in, n);
    __syncthreads();
    fold_sequential(tile, blockDim.x / 2, 1);
    if (threadIdx.x == 0)
        out[blockIdx.x] = tile[0];
}

/* The sum of tile[0 .. 64), valid in lane 0; for the first warp only. The lanes of a warp may run apart since Volta, so
 * a __syncwarp stands between reading what other lanes wrote and writing over it. */
__device__ float fold_last_warp(float *tile)
{
    float mine = tile[threadIdx.x];
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
        mine += tile[threadIdx.x + s];
        __syncwarp();
        tile[threadIdx.x] = mine;
        __syncwarp();
    }
    return mine;
}

__global__ void sum_unroll_last_warp(const float *in, unsigned n, float *out)
{
    __shared__ float tile[threads];
    tile[threadIdx.x] = sum_of_two(in, n);
    __syncthreads();
    fold_sequential(tile, blockDim.x / 2, 64);
    if (threadIdx.x < 32) {
        const float sum = fold_last_warp(tile);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

/* Writes the sum of every thread's `mine` to *out, all steps unrolled. */
template <unsigned block> __device__ void fold_unrolled(float mine, float *out)
{
    __shared__ float tile[block];
    tile[threadIdx.x] = mine;
    __syncthreads();
#pragma unroll
    for (unsigned s = block / 2; s >= 64; s /= 2) {
        if (threadIdx.x < s)
            tile[threadIdx.x] += tile[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        const float sum = fold_last_warp(tile);
        if (threadIdx.x == 0)
            *out = sum;
    }
}

template <unsigned block> __global__ void sum_unroll_full(const float *in, unsigned n, float *out)
{
    fold_unrolled<block>(sum_of_two(in, n), &out[blockIdx.x]);
}

__global__ void sum_grid_stride(const float *in, unsigned n, float *out)
{
    const unsigned stride = gridDim.x * blockDim.x;
    float mine = 0.0f;
    /* Left alone the compiler unrolls this by four, which is the next variant. */
#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        mine += in[i];
    fold_unrolled<threads>(mine, &out[blockIdx.x]);
}

__global__ void sum_grid_stride_ilp4(const float *in, unsigned n, float *out)
{
    const unsigned stride = gridDim.x * blockDim.x;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        a += in[i];
        b += in[i + stride];
        c += in[i + 2 * stride];
        d += in[i + 3 * stride];
    }
    for (; i < n; i += stride)
        a += in[i];
    fold_unrolled<threads>((a + b) + (c + d), &out[blockIdx.x]);
}

/* warp_shuffle: 4 loads of 16 bytes a thread and 2048 threads a multiprocessor are 128 KiB in flight, some three times
 * what covers the latency of an H200's memory. Large blocks keep the number of partial sums, and so the end, short. */
constexpr unsigned vector_threads = 512;
constexpr unsigned loads_in_flight = 4;
constexpr unsigned chunk = vector_threads * loads_in_flight; /* number of float4 that a block takes at a time */
constexpr unsigned chunks = total / 4 / chunk;
static_assert(total % (4 * chunk) == 0, "sum_warp_shuffle has no code for a rest");

using warp_tile = cg::thread_block_tile<32>;

__device__ float sum_over_warp(const warp_tile &warp, float mine)
{
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += warp.shfl_down(mine, distance);
    return mine;
}

/* The sum of every thread's `mine`, valid in thread 0. A block barrier must stand between two calls. */
__device__ float sum_over_block(const cg::thread_block &block, const warp_tile &warp, float mine)
{
    constexpr unsigned warps = vector_threads / 32;
    __shared__ float sums[warps];
    const unsigned lane = warp.thread_rank();
    mine = sum_over_warp(warp, mine);
    if (lane == 0)
        sums[threadIdx.x / 32] = mine;
    block.sync();
    return sum_over_warp(warp, lane < warps ? sums[lane] : 0.0f);
}

/* `finished` counts the blocks whose partial sum is written; the last one sums those and counts from 0 again. */
__global__ void __launch_bounds__(vector_threads)
    sum_warp_shuffle(const float4 *__restrict__ in, float *partials, unsigned *finished, float *sum)
{
    const cg::thread_block block = cg::this_thread_block();
    const warp_tile warp = cg::tiled_partition<32>(block);
    const unsigned thread = threadIdx.x;

    float mine = 0.0f;
    for (unsigned c = blockIdx.x; c < chunks; c += gridDim.x) {
        const float4 *from = in + c * chunk + thread;
        float4 loaded[loads_in_flight];
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; k++)
            loaded[k] = from[k * vector_threads];
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; k++)
            mine += (loaded[k].x + loaded[k].y) + (loaded[k].z + loaded[k].w);
    }
    mine = sum_over_block(block, warp, mine);

    __shared__ bool is_last;
    if (thread == 0) {
        partials[blockIdx.x] = mine;
        /* Releases this block's partial sum and, in the last block, acquires everybody's; the barrier below passes that
         * on to the other threads. Cheaper than two __threadfence, which order more than is needed here. */
        const cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(*finished);
        is_last = counter.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    block.sync();
    if (!is_last)
        return;

    mine = 0.0f;
    for (unsigned i = thread; i < gridDim.x; i += vector_threads)
        mine += __ldcg(&partials[i]);
    mine = sum_over_block(block, warp, mine);
    if (thread == 0) {
        *sum = mine;
        *finished = 0;
    }
}

/* The number of blocks that the device holds at once. */
template <class Kernel> int resident_blocks(Kernel kernel, unsigned block, unsigned &blocks)
{
    int device, processors, per_processor;
    CUGATE_TRY(cudaGetDevice(&device));
    CUGATE_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUGATE_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, static_cast<int>(block), 0));
    blocks = static_cast<unsigned>(processors * per_processor);
    return 0;
}

struct reduce {
    cugate::device_array<float> in;
    cugate::device_array<float> work;        /* a copy of the input, for the variant that works in place, of 2^24 */
    cugate::device_array<float> partials[2]; /* partial sums: each level reads one and writes the other */
    cugate::device_array<unsigned> finished;
    cugate::device_array<float> sum;
    cugate::device_array<unsigned char> cub_temporary;
    size_t cub_bytes = 0;
    unsigned grid_stride_blocks = 0, ilp4_blocks = 0, shuffle_blocks = 0;
    double want = 0.0;

    int open()
    {
        CUGATE_TRY(in.allocate(total));
        CUGATE_TRY(work.allocate(REDUCE_BITS == 24 ? total : 0));
        for (cugate::device_array<float> &level : partials)
            CUGATE_TRY(level.allocate(total / threads));
        CUGATE_TRY(finished.allocate(1));
        CUGATE_TRY(sum.allocate(1));
#if HAVE_CUB
        CUGATE_TRY(cub::DeviceReduce::Sum(nullptr, cub_bytes, in.data, sum.data, total));
        CUGATE_TRY(cub_temporary.allocate(cub_bytes));
#endif
        CUGATE_TRY(resident_blocks(sum_grid_stride, threads, grid_stride_blocks));
        CUGATE_TRY(resident_blocks(sum_grid_stride_ilp4, threads, ilp4_blocks));
        CUGATE_TRY(resident_blocks(sum_warp_shuffle, vector_threads, shuffle_blocks));
        fill_reduce_input<<<(cugate::input_period + threads - 1) / threads, threads>>>(in.data);
        CUGATE_TRY(cugate::launched());
        CUGATE_TRY(in.repeat());
        for (unsigned i = 0; i < cugate::input_period; i++)
            want += input(i) * static_cast<int>(1 + (total - 1 - i) / cugate::input_period);
        return 0;
    }
};

int restore(void *state)
{
    reduce &r = *static_cast<reduce *>(state);
    CUGATE_TRY(r.work.copy_from(r.in));
    for (cugate::device_array<float> &level : r.partials)
        CUGATE_TRY(level.poison());
    CUGATE_TRY(cudaMemsetAsync(r.finished.data, 0, sizeof(unsigned)));
#if HAVE_CUB
    CUGATE_TRY(r.cub_temporary.poison());
#endif
    return r.sum.poison();
}

int launch_global_strided(void *state)
{
    reduce &r = *static_cast<reduce *>(state);
    for (unsigned stride = 1, pairs = total / 2; pairs > 0; stride *= 2, pairs /= 2) {
        float *to = pairs == 1 ? r.sum.data : r.work.data;
        sum_global_strided<<<(pairs + threads - 1) / threads, threads>>>(r.work.data, to, stride, pairs);
        CUGATE_TRY(cugate::launched());
    }
    return 0;
}

using level_kernel = void (*)(const float *in, unsigned n, float *out);

/* Launches `kernel`, whose blocks turn `per_block` elements into one, until one value is left. */
template <level_kernel kernel, unsigned per_block> int launch_levels(void *state)
{
    reduce &r = *static_cast<reduce *>(state);
    const float *from = r.in.data;
    for (unsigned n = total, level = 0; n > 1; level++) {
        const unsigned blocks = (n + per_block - 1) / per_block;
        float *to = blocks == 1 ? r.sum.data : r.partials[level % 2].data;
        kernel<<<blocks, threads>>>(from, n, to);
        CUGATE_TRY(cugate::launched());
        from = to;
        n = blocks;
    }
    return 0;
}

/* Launches `kernel` on a grid that fills the device, then one block of it on the partial sums. */
template <level_kernel kernel, unsigned reduce::*grid> int launch_grid_and_block(void *state)
{
    reduce &r = *static_cast<reduce *>(state);
    const unsigned blocks = r.*grid;
    kernel<<<blocks, threads>>>(r.in.data, total, r.partials[0].data);
    CUGATE_TRY(cugate::launched());
    kernel<<<1, threads>>>(r.partials[0].data, blocks, r.sum.data);
    return cugate::launched();
}

int launch_warp_shuffle(void *state)
{
    reduce &r = *static_cast<reduce *>(state);
    sum_warp_shuffle<<<r.shuffle_blocks, vector_threads>>>(reinterpret_cast<const float4 *>(r.in.data),
                                                           r.partials[0].data, r.finished.data, r.sum.data);
    return cugate::launched();
}

#if HAVE_CUB
int launch_cub(void *state)
{
    reduce &r = *static_cast<reduce *>(state);
    CUGATE_TRY(cub::DeviceReduce::Sum(r.cub_temporary.data, r.cub_bytes, r.in.data, r.sum.data, total));
    return cugate::launched();
}
constexpr const char *cub_not_built = nullptr;
#else
constexpr int (*launch_cub)(void *) = nullptr;
constexpr const char *cub_not_built = "cub/device/device_reduce.cuh was not found";
#endif

int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    reduce &r = *static_cast<reduce *>(state);
    std::vector<float> got;
    CUGATE_TRY(r.sum.download(got));
    if (!cugate::close_to(got[0], r.want, tolerance))
        return cugate::wrong(why, why_size, "sum: expected %.10g, found %.10g", r.want, double{got[0]});
    return 0;
}

constexpr double bytes = 4.0 * total + 4.0;
constexpr double flops = total - 1.0;

/* To add a variant: write its kernel, and a launch function if none above suits, and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "global_strided",
     .doc = "global memory only, a launch per halving: DRAM bytes, sectors per request",
     .launch = launch_global_strided,
     .bytes = bytes,
     .flops = flops},
    {.name = "interleaved_modulo",
     .doc = "shared memory, tid % 2s == 0 works: threads active per instruction",
     .launch = launch_levels<sum_interleaved_modulo, threads>,
     .bytes = bytes,
     .flops = flops},
    {.name = "interleaved_index",
     .doc = "neighbouring threads work, at 2 * s * tid: bank conflicts",
     .launch = launch_levels<sum_interleaved_index, threads>,
     .bytes = bytes,
     .flops = flops},
    {.name = "sequential",
     .doc = "the upper half added to the lower: no bank conflicts",
     .launch = launch_levels<sum_sequential, threads>,
     .bytes = bytes,
     .flops = flops},
    {.name = "first_add",
     .doc = "two elements added while loading: instructions, DRAM throughput",
     .launch = launch_levels<sum_first_add, 2 * threads>,
     .bytes = bytes,
     .flops = flops},
    {.name = "unroll_last_warp",
     .doc = "no block barrier for the last 64 values: instructions",
     .launch = launch_levels<sum_unroll_last_warp, 2 * threads>,
     .bytes = bytes,
     .flops = flops},
    {.name = "unroll_full",
     .doc = "block size a template parameter: instructions, branches",
     .launch = launch_levels<sum_unroll_full<threads>, 2 * threads>,
     .bytes = bytes,
     .flops = flops},
    {.name = "grid_stride",
     .doc = "as many blocks as the device holds: shared-memory work, DRAM throughput",
     .launch = launch_grid_and_block<sum_grid_stride, &reduce::grid_stride_blocks>,
     .bytes = bytes,
     .flops = flops},
    {.name = "grid_stride_ilp4",
     .doc = "four independent loads in flight per thread: DRAM throughput",
     .launch = launch_grid_and_block<sum_grid_stride_ilp4, &reduce::ilp4_blocks>,
     .bytes = bytes,
     .flops = flops},
    {.name = "warp_shuffle",
     .doc = "cooperative groups, 16-byte loads, one launch: DRAM throughput, instructions",
     .launch = launch_warp_shuffle,
     .bytes = bytes,
     .flops = flops},
    {.name = "cub",
     .doc = "cub::DeviceReduce::Sum, the vendor's",
     .launch = launch_cub,
     .bytes = bytes,
     .flops = flops,
     .not_built = cub_not_built},
};

} // namespace

#if REDUCE_BITS == 24
extern "C" const struct cugate_family cugate_family_reduce = {
    .name = "reduce",
    .doc = "the sum of 2^24 float32, to one value",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<reduce>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<reduce>,
    .variants = variants,
    .variant_count = std::size(variants),
};
#endif
