/* cub - kernels as users write them, and CUB's, for which harness/machine was not made.
 *
 * micro.cu asks what one instruction counts. This library asks what a simulator lacks that was made with that in hand:
 * CUB's device-wide algorithms and its parts for blocks and warps, barriers of the whole grid and in memory, tensor
 * cores, small numbers, atomics of all kinds. */
#include "library.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>
#include <thrust/iterator/transform_iterator.h>

/* Not anonymous: the functions' names must not depend on the folder that they are built in. */
namespace users {

using u32 = uint32_t;
namespace cg = cooperative_groups;

constexpr u32 seed = 0xc0b;
constexpr unsigned hashes = 1u << 18;  /* random words, where the input begins */
constexpr unsigned sparse_rows = 4096; /* and then where sparse rows begin */
constexpr unsigned in_words = hashes + sparse_rows + 1;
constexpr unsigned out_words = 1u << 19;
constexpr size_t scratch_bytes = 16u << 20;

/* ---- What all have ---- */

struct job {
    cugate::device_array<u32> in, out;
    cugate::device_array<unsigned char> scratch; /* zeros before a launch */
    std::vector<u32> host_in;
    unsigned words = 0; /* of the output of the last launch, from its beginning */

    int open()
    {
        host_in.resize(in_words);
        for (unsigned i = 0; i < hashes; i++)
            host_in[i] = cugate::hash32(seed, i);
        for (unsigned row = 0; row < sparse_rows; row++) {
            const u32 h = cugate::hash32(seed + 1, row);
            const unsigned length = h % 9 == 0 ? 0 : h % 5 == 0 ? h / 5 % 300 : h / 5 % 40;
            host_in[hashes + row + 1] = host_in[hashes + row] + length;
        }
        CUGATE_TRY(in.allocate(in_words));
        CUGATE_TRY(out.allocate(out_words));
        CUGATE_TRY(scratch.allocate(scratch_bytes));
        return in.upload(host_in);
    }
};

int restore(void *state)
{
    job *const j = static_cast<job *>(state);
    CUGATE_TRY(cudaMemsetAsync(j->scratch.data, 0, scratch_bytes));
    return j->out.poison();
}

/* For sums: they begin at 0. */
int restore_zeros(void *state)
{
    job *const j = static_cast<job *>(state);
    CUGATE_TRY(cudaMemsetAsync(j->scratch.data, 0, scratch_bytes));
    return static_cast<int>(cudaMemsetAsync(j->out.data, 0, out_words * sizeof(u32)));
}

template <class V> int launch(void *state)
{
    job *const j = static_cast<job *>(state);
    static_assert(V::words <= out_words);
    j->words = V::words;
    CUGATE_TRY(V::start(*j));
    return cugate::launched();
}

/* In [0, 1). */
__host__ __device__ inline float part(u32 word)
{
    return static_cast<float>(word >> 8) * 0x1p-24f;
}

#define FAMILY(id, text, restore_function) FAMILY_OF(job, id, text, restore_function)

/* ---- device_wide: CUB over the whole input ---- */

/* Calls it twice: how much memory does it need, and then in earnest. */
template <class Call> int with_memory(job &j, Call call)
{
    size_t needed = 0;
    CUGATE_TRY(call(nullptr, needed));
    if (needed > scratch_bytes)
        return static_cast<int>(cudaErrorMemoryAllocation);
    return static_cast<int>(call(j.scratch.data, needed));
}

struct sum_int {
    static constexpr unsigned words = 1;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceReduce::Sum(memory, size, j.in.data, j.out.data, hashes);
        });
    }
};

struct part_of {
    __host__ __device__ float operator()(u32 word) const
    {
        return part(word);
    }
};

struct sum_float {
    static constexpr unsigned words = 1;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceReduce::TransformReduce(memory, size, j.in.data, reinterpret_cast<float *>(j.out.data),
                                                      hashes, cuda::std::plus<float>(), part_of(), 0.0f);
        });
    }
};

struct minimum {
    static constexpr unsigned words = 1;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceReduce::Min(memory, size, reinterpret_cast<int *>(j.in.data),
                                          reinterpret_cast<int *>(j.out.data), hashes);
        });
    }
};

struct exclusive_sum {
    static constexpr unsigned words = hashes;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceScan::ExclusiveSum(memory, size, j.in.data, j.out.data, hashes);
        });
    }
};

template <unsigned count> struct sort_keys {
    static constexpr unsigned words = count;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceRadixSort::SortKeys(memory, size, j.in.data, j.out.data, count);
        });
    }
};

struct sort_pairs {
    static constexpr unsigned count = hashes / 2, words = hashes;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceRadixSort::SortPairs(memory, size, j.in.data, j.out.data, j.in.data + count,
                                                   j.out.data + count, count);
        });
    }
};

struct is_third {
    __host__ __device__ bool operator()(u32 word) const
    {
        return word % 3 == 0;
    }
};

/* The word behind the last one tells how many. */
struct select_if {
    static constexpr unsigned words = hashes / 4;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceSelect::If(memory, size, j.in.data, j.out.data, j.out.data + hashes, hashes, is_third());
        });
    }
};

struct flag_of {
    __host__ __device__ u32 operator()(u32 word) const
    {
        return word >> 31;
    }
};

struct select_flagged {
    static constexpr unsigned words = hashes / 4;
    static int start(job &j)
    {
        const auto flags = thrust::make_transform_iterator(j.in.data, flag_of());
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceSelect::Flagged(memory, size, j.in.data, flags, j.out.data, j.out.data + hashes, hashes);
        });
    }
};

struct histogram {
    static constexpr unsigned words = 256;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceHistogram::HistogramEven(memory, size, reinterpret_cast<unsigned char *>(j.in.data),
                                                       j.out.data, 257, 0, 256, hashes);
        });
    }
};

struct segment_sums {
    static constexpr unsigned words = sparse_rows;
    static int start(job &j)
    {
        const u32 *const starts = j.in.data + hashes;
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceSegmentedReduce::Sum(memory, size, j.in.data, j.out.data, sparse_rows, starts,
                                                   starts + 1);
        });
    }
};

struct lesser {
    __host__ __device__ bool operator()(u32 a, u32 b) const
    {
        return a < b;
    }
};

struct merge_sort {
    static constexpr unsigned words = 1u << 16;
    static int start(job &j)
    {
        return with_memory(j, [&](void *memory, size_t &size) {
            return cub::DeviceMergeSort::SortKeysCopy(memory, size, j.in.data, j.out.data, words, lesser());
        });
    }
};

struct doubled {
    __device__ void operator()(unsigned i) const
    {
        out[i] = 2 * in[i] + 1;
    }
    const u32 *in;
    u32 *out;
};

struct for_each {
    static constexpr unsigned words = 1u << 17;
    static int start(job &j)
    {
        return static_cast<int>(cub::DeviceFor::Bulk(words, doubled{j.in.data, j.out.data}));
    }
};

constexpr struct cugate_variant device_wide_variants[] = {
    ROW("sum_int", "DeviceReduce::Sum of integers", sum_int),
    ROW("sum_float", "DeviceReduce::TransformReduce to a float", sum_float),
    ROW("minimum", "DeviceReduce::Min", minimum),
    ROW("exclusive_sum", "DeviceScan: blocks look back at others, so counts depend on timing", exclusive_sum),
    ROW("sort_keys", "DeviceRadixSort, one sweep a digit: looks back as well", sort_keys<hashes>),
    ROW("sort_few_keys", "the same of as many as a block sorts by itself", sort_keys<1000>),
    ROW("sort_pairs", "keys and values", sort_pairs),
    ROW("select_if", "DeviceSelect::If: looks back", select_if),
    ROW("select_flagged", "DeviceSelect::Flagged: looks back", select_flagged),
    ROW("histogram", "DeviceHistogram::HistogramEven of bytes", histogram),
    ROW("segment_sums", "DeviceSegmentedReduce of rows of 0 to 300", segment_sums),
    ROW("merge_sort", "DeviceMergeSort", merge_sort),
    ROW("for_each", "DeviceFor::Bulk", for_each),
};
FAMILY(device_wide, "CUB's device-wide algorithms", restore)

/* ---- blocks: CUB's parts of kernels ---- */

/* What a block of 128 threads does with 4 words each, from its own 512 of the input to its own of the output. */
template <class V> __global__ void __launch_bounds__(128) block_kernel(const u32 *in, u32 *out)
{
    V::run(in + blockIdx.x * 512, out + blockIdx.x * 512);
}
struct of_blocks {
    static constexpr unsigned blocks = 32, words = blocks * 512;
};
#define START_BLOCKS(V)                                                                                                \
    static int start(job &j)                                                                                           \
    {                                                                                                                  \
        block_kernel<V><<<blocks, 128>>>(j.in.data, j.out.data);                                                       \
        return 0;                                                                                                      \
    }

struct block_sort : of_blocks {
    static __device__ void run(const u32 *in, u32 *out)
    {
        using sort = cub::BlockRadixSort<u32, 128, 4>;
        using load = cub::BlockLoad<u32, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
        using store = cub::BlockStore<u32, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
        __shared__ union {
            typename sort::TempStorage sorting;
            typename load::TempStorage loading;
            typename store::TempStorage storing;
        } shared;
        u32 keys[4];
        load(shared.loading).Load(in, keys);
        __syncthreads();
        sort(shared.sorting).Sort(keys);
        __syncthreads();
        store(shared.storing).Store(out, keys);
    }
    START_BLOCKS(block_sort)
};

template <cub::BlockScanAlgorithm algorithm> struct block_scan : of_blocks {
    static __device__ void run(const u32 *in, u32 *out)
    {
        using scan = cub::BlockScan<u32, 128, algorithm>;
        __shared__ typename scan::TempStorage shared;
        u32 items[4];
        cub::LoadDirectBlockedVectorized(threadIdx.x, const_cast<u32 *>(in), items);
        scan(shared).InclusiveSum(items, items);
        cub::StoreDirectBlockedVectorized(threadIdx.x, out, items);
    }
    START_BLOCKS(block_scan)
};

/* Each word becomes the sum of the 16 that a part of a warp has in its place. */
struct warp_sums : of_blocks {
    static __device__ void run(const u32 *in, u32 *out)
    {
        using reduce = cub::WarpReduce<u32, 16>;
        __shared__ typename reduce::TempStorage shared[8];
        for (unsigned k = 0; k < 4; k++) {
            const u32 sum = reduce(shared[threadIdx.x / 16]).Sum(in[k * 128 + threadIdx.x]);
            out[k * 128 + threadIdx.x] = cub::ShuffleIndex<16>(sum, 0, 0xffffffff);
        }
    }
    START_BLOCKS(warp_sums)
};

template <cub::BlockReduceAlgorithm algorithm> struct block_maximum : of_blocks {
    static __device__ void run(const u32 *in, u32 *out)
    {
        using reduce = cub::BlockReduce<u32, 128, algorithm>;
        __shared__ typename reduce::TempStorage shared;
        __shared__ u32 found;
        u32 items[4];
        cub::LoadDirectStriped<128>(threadIdx.x, in, items);
        const u32 most = reduce(shared).Reduce(items, cuda::maximum<u32>());
        if (threadIdx.x == 0)
            found = most;
        __syncthreads();
        for (unsigned k = 0; k < 4; k++)
            out[k * 128 + threadIdx.x] = found;
    }
    START_BLOCKS(block_maximum)
};

struct warp_merge_sort : of_blocks {
    static __device__ void run(const u32 *in, u32 *out)
    {
        using sort = cub::WarpMergeSort<u32, 4>;
        __shared__ typename sort::TempStorage shared[4];
        u32 keys[4];
        const unsigned warp = threadIdx.x / 32;
        cub::LoadDirectBlocked(threadIdx.x, in, keys);
        sort(shared[warp]).Sort(keys, lesser());
        cub::StoreDirectBlocked(threadIdx.x, out, keys);
    }
    START_BLOCKS(warp_merge_sort)
};

/* How many of the words have each of 64 values; the rest are zeros. */
template <cub::BlockHistogramAlgorithm algorithm> struct block_histogram : of_blocks {
    static __device__ void run(const u32 *in, u32 *out)
    {
        using counts = cub::BlockHistogram<unsigned char, 128, 4, 64, algorithm>;
        __shared__ typename counts::TempStorage shared;
        __shared__ u32 found[64];
        unsigned char items[4];
        for (unsigned k = 0; k < 4; k++)
            items[k] = in[threadIdx.x * 4 + k] & 63;
        counts(shared).Histogram(items, found);
        __syncthreads();
        for (unsigned k = threadIdx.x; k < 512; k += 128)
            out[k] = k < 64 ? found[k] : 0;
    }
    START_BLOCKS(block_histogram)
};

constexpr struct cugate_variant blocks_variants[] = {
    ROW("radix_sort", "BlockRadixSort, loads and stores transposed", block_sort),
    ROW("scan_raking", "BlockScan by raking", block_scan<cub::BLOCK_SCAN_RAKING>),
    ROW("scan_warps", "BlockScan by warps", block_scan<cub::BLOCK_SCAN_WARP_SCANS>),
    ROW("warp_sums", "WarpReduce of 16 lanes", warp_sums),
    ROW("reduce_raking", "BlockReduce by raking", block_maximum<cub::BLOCK_REDUCE_RAKING>),
    ROW("reduce_warps", "BlockReduce by warps", block_maximum<cub::BLOCK_REDUCE_WARP_REDUCTIONS>),
    ROW("warp_merge_sort", "WarpMergeSort", warp_merge_sort),
    ROW("histogram_atomic", "BlockHistogram by atomics", block_histogram<cub::BLOCK_HISTO_ATOMIC>),
    ROW("histogram_sort", "BlockHistogram by sorting", block_histogram<cub::BLOCK_HISTO_SORT>),
};
FAMILY(blocks, "CUB's parts of kernels", restore)

/* ---- numeric: what networks and solvers run ---- */

/* Five points of 512 x 512; beyond the edge lie zeros. */
__global__ void stencil_kernel(const u32 *in, float *out)
{
    __shared__ float tile[18][34];
    const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x), y = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
    const auto at = [&](int column, int row) {
        return column >= 0 && row >= 0 && column < 512 && row < 512 ? part(in[row * 512 + column]) : 0.0f;
    };
    const unsigned tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    tile[ty][tx] = at(x, y);
    if (threadIdx.x == 0)
        tile[ty][0] = at(x - 1, y);
    if (threadIdx.x == 31)
        tile[ty][33] = at(x + 1, y);
    if (threadIdx.y == 0)
        tile[0][tx] = at(x, y - 1);
    if (threadIdx.y == 15)
        tile[17][tx] = at(x, y + 1);
    __syncthreads();
    out[y * 512 + x] =
        0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]) - tile[ty][tx];
}
struct stencil {
    static constexpr unsigned words = 512 * 512;
    static int start(job &j)
    {
        stencil_kernel<<<dim3(16, 32), dim3(32, 16)>>>(j.in.data, reinterpret_cast<float *>(j.out.data));
        return 0;
    }
};

constexpr unsigned softmax_rows = 200, softmax_columns = 1000;

/* A block a row: its maximum, the sum of exponentials, the quotients. */
__global__ void softmax_kernel(const u32 *in, float *out)
{
    using reduce = cub::BlockReduce<float, 256>;
    __shared__ typename reduce::TempStorage shared;
    __shared__ float all;
    const u32 *const row = in + blockIdx.x * softmax_columns;
    float most = -INFINITY, sum = 0;
    for (unsigned i = threadIdx.x; i < softmax_columns; i += 256)
        most = fmaxf(most, 8 * part(row[i]));
    most = reduce(shared).Reduce(most, cuda::maximum<float>());
    if (threadIdx.x == 0)
        all = most;
    __syncthreads();
    most = all;
    for (unsigned i = threadIdx.x; i < softmax_columns; i += 256)
        sum += __expf(8 * part(row[i]) - most);
    sum = reduce(shared).Sum(sum);
    __syncthreads();
    if (threadIdx.x == 0)
        all = sum;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < softmax_columns; i += 256)
        out[blockIdx.x * softmax_columns + i] = __expf(8 * part(row[i]) - most) / all;
}
struct softmax {
    static constexpr unsigned words = softmax_rows * softmax_columns;
    static int start(job &j)
    {
        softmax_kernel<<<softmax_rows, 256>>>(j.in.data, reinterpret_cast<float *>(j.out.data));
        return 0;
    }
};

/* A thread a row. */
__global__ void sparse_kernel(const u32 *starts, const u32 *entries, float *out)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= sparse_rows)
        return;
    float sum = 0;
    for (unsigned i = starts[row]; i < starts[row + 1]; i++)
        sum += part(entries[i]) * part(entries[entries[i] % hashes]);
    out[row] = sum;
}
struct sparse {
    static constexpr unsigned words = sparse_rows;
    static int start(job &j)
    {
        sparse_kernel<<<sparse_rows / 128, 128>>>(j.in.data + hashes, j.in.data, reinterpret_cast<float *>(j.out.data));
        return 0;
    }
};

/* A multiple of 2^-8 in [-0.5, 0.5): exact in a half and, but for the last bit, in a brain float. */
__host__ __device__ inline float small_number(u32 word)
{
    return static_cast<float>(word & 255) * 0x1p-8f - 0.5f;
}

constexpr unsigned side = 256;

__global__ void make_halves(const u32 *in, half *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __float2half(small_number(in[i]));
}

/* A warp a tile of 16 x 16. */
__global__ void wmma_kernel(const half *a, const half *b, float *c)
{
    namespace wmma = nvcuda::wmma;
    const unsigned warp = blockIdx.x * 4 + threadIdx.x / 32, row = warp / (side / 16) * 16,
                   column = warp % (side / 16) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (unsigned k = 0; k < side; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
        wmma::load_matrix_sync(left, a + row * side + k, side);
        wmma::load_matrix_sync(right, b + column * side + k, side);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + row * side + column, sum, side, wmma::mem_row_major);
}
struct wmma_product {
    static constexpr unsigned words = side * side;
    static int start(job &j)
    {
        half *const made = reinterpret_cast<half *>(j.scratch.data);
        make_halves<<<2 * words / 256, 256>>>(j.in.data, made);
        wmma_kernel<<<words / 256 / 4, 128>>>(made, made + words, reinterpret_cast<float *>(j.out.data));
        return 0;
    }
};

/* Philox 4x32, 10 rounds (Salmon et al., 2011): four words of a counter and a key. */
__host__ __device__ inline void philox(u32 counter, u32 key, u32 *four)
{
    u32 c[4] = {counter, 0, 0, 0}, k[2] = {key, 0};
    for (int round = 0; round < 10; round++) {
        const uint64_t one = static_cast<uint64_t>(0xd2511f53u) * c[0], two = static_cast<uint64_t>(0xcd9e8d57u) * c[2];
        const u32 next[4] = {static_cast<u32>(two >> 32) ^ c[1] ^ k[0], static_cast<u32>(two),
                             static_cast<u32>(one >> 32) ^ c[3] ^ k[1], static_cast<u32>(one)};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        k[0] += 0x9e3779b9u;
        k[1] += 0xbb67ae85u;
    }
    for (int i = 0; i < 4; i++)
        four[i] = c[i];
}
__global__ void philox_kernel(u32 key, uint4 *words, float4 *normals)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 four[4];
    philox(i, key, four);
    words[i] = make_uint4(four[0], four[1], four[2], four[3]);
    /* Box and Muller's. */
    float4 normal;
    float far = sqrtf(-2 * logf(part(four[0]) + 0x1p-25f)), s, c;
    sincospif(2 * part(four[1]), &s, &c);
    normal.x = far * s;
    normal.y = far * c;
    far = sqrtf(-2 * __logf(part(four[2]) + 0x1p-25f));
    __sincosf(6.2831853f * part(four[3]), &s, &c);
    normal.z = far * s;
    normal.w = far * c;
    normals[i] = normal;
}
struct random_numbers {
    static constexpr unsigned count = 1u << 14, words = 8 * count;
    static int start(job &j)
    {
        philox_kernel<<<count / 128, 128>>>(seed, reinterpret_cast<uint4 *>(j.out.data),
                                            reinterpret_cast<float4 *>(j.out.data + 4 * count));
        return 0;
    }
};

constexpr unsigned norm_rows = 64, norm_columns = 1024;

/* A block a row of brain floats, two at once; sums by shuffles. */
__global__ void layer_norm_kernel(const u32 *in, __nv_bfloat162 *out)
{
    __shared__ float2 sums[4];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, pairs = norm_columns / 2;
    __nv_bfloat162 mine[4];
    float sum = 0, squares = 0;
    for (unsigned k = 0; k < 4; k++) {
        const u32 word = in[blockIdx.x * pairs + k * 128 + threadIdx.x];
        mine[k] = __floats2bfloat162_rn(small_number(word), small_number(word >> 8));
        const float2 pair = __bfloat1622float2(mine[k]);
        sum += pair.x + pair.y;
        squares += pair.x * pair.x + pair.y * pair.y;
    }
    for (int far = 16; far; far /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, far);
        squares += __shfl_xor_sync(0xffffffff, squares, far);
    }
    if (lane == 0)
        sums[warp] = make_float2(sum, squares);
    __syncthreads();
    sum = squares = 0;
    for (unsigned k = 0; k < 4; k++) {
        sum += sums[k].x;
        squares += sums[k].y;
    }
    const float mean = sum / norm_columns, scale = rsqrtf(squares / norm_columns - mean * mean + 1e-5f);
    const __nv_bfloat162 factor = __float2bfloat162_rn(scale), offset = __float2bfloat162_rn(-mean * scale);
    for (unsigned k = 0; k < 4; k++)
        out[blockIdx.x * pairs + k * 128 + threadIdx.x] = __hfma2(mine[k], factor, offset);
}
struct layer_norm {
    static constexpr unsigned words = norm_rows * norm_columns / 2;
    static int start(job &j)
    {
        layer_norm_kernel<<<norm_rows, 128>>>(j.in.data, reinterpret_cast<__nv_bfloat162 *>(j.out.data));
        return 0;
    }
};

/* To numbers of 8 bits and back to halves. */
template <class Four, class Two> __global__ void fp8_kernel(const u32 *in, Four *small, float2 *back)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float far = 600;
    const float4 four = make_float4(far * part(in[4 * i]), -far * part(in[4 * i + 1]), part(in[4 * i + 2]) * 0.01f,
                                    -part(in[4 * i + 3]));
    const Four made(four);
    small[i] = made;
    Two two;
    two.__x = static_cast<unsigned short>(made.__x >> 8);
    back[i] = __half22float2(static_cast<__half2>(two));
}
template <class Four, class Two> struct fp8 {
    static constexpr unsigned count = 1u << 14, words = 3 * count;
    static int start(job &j)
    {
        fp8_kernel<Four, Two><<<count / 256, 256>>>(j.in.data, reinterpret_cast<Four *>(j.out.data),
                                                    reinterpret_cast<float2 *>(j.out.data + count));
        return 0;
    }
};

/* 256 x 256 x 1024 of signed bytes, tiles of 16 x 16 words of four. */
__global__ void dp4a_kernel(const int *a, const int *b, int *c)
{
    __shared__ int left[16][17], right[16][17];
    const unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16;
    int sum = 0;
    for (unsigned k = 0; k < side; k += 16) {
        left[y][x] = a[row * side + k + x];
        right[y][x] = b[(column + y) * side + k + x];
        __syncthreads();
        for (unsigned i = 0; i < 16; i++)
            sum = __dp4a(left[y][i], right[x][i], sum);
        __syncthreads();
    }
    c[row * side + column + x] = sum;
}
struct dp4a_product {
    static constexpr unsigned words = side * side;
    static int start(job &j)
    {
        const int *const in = reinterpret_cast<const int *>(j.in.data);
        dp4a_kernel<<<dim3(16, 16), dim3(16, 16)>>>(in, in + words, reinterpret_cast<int *>(j.out.data));
        return 0;
    }
};

/* One of many programs, the same one in all of a block, and chosen by what is in memory. */
__global__ void interpreter_kernel(const u32 *programs, const u32 *in, u32 *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 x = in[i], y = i;
    for (unsigned step = 0; step < 8; step++)
        switch (programs[blockIdx.x * 8 + step] % 12) {
        case 0:
            x += y;
            break;
        case 1:
            x ^= y << 3;
            break;
        case 2:
            x = x * 3 + 1;
            break;
        case 3:
            y = x >> 7;
            break;
        case 4:
            y = ~y;
            break;
        case 5:
            x = __funnelshift_l(x, y, 9);
            break;
        case 6:
            y *= x | 1;
            break;
        case 7:
            x = __popc(x) + y;
            break;
        case 8:
            y = __brev(y);
            break;
        case 9:
            x = min(x, y);
            break;
        case 10:
            y -= x;
            break;
        default:
            x = max(x, y) / 5;
        }
    out[i] = x ^ y;
}
struct interpreter {
    static constexpr unsigned words = 64 * 128;
    static int start(job &j)
    {
        interpreter_kernel<<<words / 128, 128>>>(j.in.data + words, j.in.data, j.out.data);
        return 0;
    }
};

/* The least and the most of three, and what lies between bounds, of two halves at once. */
template <class Two> __global__ void clamp_kernel(const u32 *in, Two *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Two a, b, c;
    const u32 x = in[3 * i] & 0xbf7fbf7f, y = in[3 * i + 1] & 0xbf7fbf7f, z = in[3 * i + 2] & 0xbf7fbf7f;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    memcpy(&c, &z, sizeof c);
    out[2 * i] = __hmax2(__hmax2(a, b), c);
    out[2 * i + 1] = __hmin2(__hmax2(a, b), c);
}
template <class Two> struct clamps {
    static constexpr unsigned count = 1u << 13, words = 2 * count;
    static int start(job &j)
    {
        clamp_kernel<<<count / 128, 128>>>(j.in.data, reinterpret_cast<Two *>(j.out.data));
        return 0;
    }
};

constexpr struct cugate_variant numeric_variants[] = {
    ROW("interpreter", "a jump table, one way for a block", interpreter),
    ROW("clamp_half2", "minima and maxima of halves", clamps<__half2>),
    ROW("clamp_bfloat2", "the same of brain floats", clamps<__nv_bfloat162>),
    ROW("stencil", "five points, a tile in shared memory", stencil),
    ROW("softmax", "a block a row of 1000", softmax),
    ROW("sparse", "rows of 0 to 300 entries, a thread a row", sparse),
    ROW("wmma", "256 x 256 x 256 halves on tensor cores", wmma_product),
    ROW("philox", "random words and normal numbers", random_numbers),
    ROW("layer_norm", "brain floats, two at once", layer_norm),
    ROW("fp8_e4m3", "floats to 8 bits and back", fp8<__nv_fp8x4_e4m3, __nv_fp8x2_e4m3>),
    ROW("fp8_e5m2", "the same with a wider exponent", fp8<__nv_fp8x4_e5m2, __nv_fp8x2_e5m2>),
    ROW("dp4a", "a product of bytes", dp4a_product),
};
FAMILY(numeric, "what networks and solvers run", restore)

/* ---- together: threads, blocks and the whole grid that wait for each other ---- */

/* Each round a block reads what its neighbour wrote in the last one. */
__global__ void grid_sync_kernel(u32 *out)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned count = static_cast<unsigned>(grid.size()), i = static_cast<unsigned>(grid.thread_rank());
    out[i] = i;
    for (unsigned round = 0; round < 4; round++) {
        grid.sync();
        const u32 next = out[(round % 2) * count + (i + 128) % count];
        out[(1 - round % 2) * count + i] = next + 1;
    }
}
struct grid_sync {
    static constexpr unsigned blocks = 64, count = blocks * 128, words = count;
    static int start(job &j)
    {
        void *arguments[] = {&j.out.data};
        return static_cast<int>(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(grid_sync_kernel), blocks,
                                                            128, arguments, 0, nullptr));
    }
};

/* A barrier in shared memory, by which half of a block hands words to the other half. */
__global__ void barrier_kernel(const u32 *in, u32 *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier there;
    __shared__ u32 words[256];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x == 0)
        init(&there, 256);
    __syncthreads();
    u32 sum = 0;
    for (unsigned round = 0; round < 3; round++) {
        words[threadIdx.x] = in[i] + round;
        there.wait(there.arrive());
        sum += words[(threadIdx.x + 100) % 256];
        there.arrive_and_wait();
    }
    out[i] = sum;
}
struct barriers {
    static constexpr unsigned words = 16 * 256;
    static int start(job &j)
    {
        barrier_kernel<<<16, 256>>>(j.in.data, j.out.data);
        return 0;
    }
};

/* Copies by the copying engine: one thread asks, all wait. */
__global__ void bulk_kernel(const u32 *in, u32 *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(128) u32 words[512];
    __shared__ barrier there;
    if (threadIdx.x == 0)
        init(&there, 128);
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(words, in + blockIdx.x * 512, cuda::aligned_size_t<16>(sizeof words), there);
        token = there.arrive();
    } else {
        token = there.arrive();
    }
    there.wait(std::move(token));
    for (unsigned k = threadIdx.x; k < 512; k += 128)
        out[blockIdx.x * 512 + k] = words[511 - k];
}
struct bulk_copies {
    static constexpr unsigned words = 32 * 512;
    static int start(job &j)
    {
        bulk_kernel<<<32, 128>>>(j.in.data, j.out.data);
        return 0;
    }
};

/* Two stages: while one is summed the next is copied. */
__global__ void pipeline_kernel(const u32 *in, u32 *out)
{
    __shared__ u32 words[2][128];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const u32 *const mine = in + blockIdx.x * 1024 + threadIdx.x;
    u32 sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&words[0][threadIdx.x], mine, sizeof *mine, pipe);
    pipe.producer_commit();
    for (unsigned k = 0; k < 8; k++) {
        if (k + 1 < 8) {
            pipe.producer_acquire();
            cuda::memcpy_async(&words[(k + 1) % 2][threadIdx.x], mine + (k + 1) * 128, sizeof *mine, pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        sum += words[k % 2][threadIdx.x] * (k + 1);
        pipe.consumer_release();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
struct pipelines {
    static constexpr unsigned words = 32 * 128;
    static int start(job &j)
    {
        pipeline_kernel<<<32, 128>>>(j.in.data, j.out.data);
        return 0;
    }
};

/* The block that is the last one to have written its sum adds all of them. */
__global__ void last_block_kernel(const u32 *in, u32 *sums, u32 *done, u32 *out)
{
    using reduce = cub::BlockReduce<u32, 256>;
    __shared__ typename reduce::TempStorage shared;
    __shared__ bool last;
    u32 sum = reduce(shared).Sum(in[blockIdx.x * 256 + threadIdx.x]);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    sum = reduce(shared).Sum(threadIdx.x < gridDim.x ? __ldcg(sums + threadIdx.x) : 0);
    if (threadIdx.x == 0)
        *out = sum;
}
struct last_block {
    static constexpr unsigned blocks = 200, words = 1;
    static int start(job &j)
    {
        u32 *const memory = reinterpret_cast<u32 *>(j.scratch.data);
        last_block_kernel<<<blocks, 256>>>(j.in.data, memory + 32, memory, j.out.data);
        return 0;
    }
};

/* Two blocks of a cluster read each other's shared memory. */
__global__ void __cluster_dims__(2, 1, 1) cluster_kernel(const u32 *in, u32 *out)
{
    __shared__ u32 words[128];
    const cg::cluster_group cluster = cg::this_cluster();
    words[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    cluster.sync();
    const u32 *const others = cluster.map_shared_rank(words, cluster.block_rank() ^ 1);
    out[blockIdx.x * 128 + threadIdx.x] = others[threadIdx.x];
    cluster.sync();
}
struct clusters {
    static constexpr unsigned words = 16 * 128;
    static int start(job &j)
    {
        cluster_kernel<<<16, 128>>>(j.in.data, j.out.data);
        return 0;
    }
};

/* Tiles, groups of lanes that have the same, and lanes that happen to be there. */
__global__ void groups_kernel(const u32 *in, u32 *out)
{
    const unsigned i = blockIdx.x * 128 + threadIdx.x;
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    u32 sum = cg::reduce(tile, in[i], cg::plus<u32>());
    sum += cg::exclusive_scan(tile, in[i] & 255, cg::plus<u32>());
    const auto alike = cg::labeled_partition(cg::tiled_partition<32>(block), in[i] % 3);
    sum += cg::reduce(alike, in[i] >> 8, cg::bit_xor<u32>()) + alike.thread_rank();
    if (in[i] & 1) {
        const cg::coalesced_group here = cg::coalesced_threads();
        sum += here.size() * 1000 + here.shfl(in[i], 0);
    }
    out[i] = sum;
}
struct groups {
    static constexpr unsigned words = 64 * 128;
    static int start(job &j)
    {
        groups_kernel<<<64, 128>>>(j.in.data, j.out.data);
        return 0;
    }
};

constexpr struct cugate_variant together_variants[] = {
    ROW("grid_sync", "64 blocks wait for each other: how long depends on timing", grid_sync),
    ROW("barriers", "cuda::barrier in shared memory", barriers),
    ROW("bulk_copies", "cuda::memcpy_async of a block's 2 KiB by the copying engine", bulk_copies),
    ROW("pipelines", "cuda::pipeline of a thread, two stages", pipelines),
    ROW("last_block", "the last block to come adds up", last_block),
    ROW("clusters", "shared memory of another block", clusters),
    ROW("groups", "cooperative groups of lanes", groups),
};
FAMILY(together, "threads that wait for each other", restore)

/* ---- sums: atomics of all kinds; the outputs are zeros before ---- */

/* What a thread adds to 64 cells; sums are exact whatever the order. */
template <class Op, class T> __global__ void atomic_kernel(const u32 *in, T *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Op::add(out + in[i] % 64, in[i]);
}
constexpr unsigned atomic_count = 64 * 256;
#define ATOMIC(id, T, count, ...)                                                                                      \
    struct id {                                                                                                        \
        static constexpr unsigned words = (count);                                                                     \
        static __device__ void add(T *cell, u32 word)                                                                  \
        {                                                                                                              \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        static int start(job &j)                                                                                       \
        {                                                                                                              \
            atomic_kernel<id><<<atomic_count / 256, 256>>>(j.in.data, reinterpret_cast<T *>(j.out.data));              \
            return 0;                                                                                                  \
        }                                                                                                              \
    }

ATOMIC(add_float, float, 64, atomicAdd(cell, static_cast<float>(word >> 28)));
ATOMIC(add_double, double, 128, atomicAdd(cell, static_cast<double>(word)));
/* Up to 1 a thread: a half is exact up to 2048. */
ATOMIC(add_half2, __half2, 64, atomicAdd(cell, __floats2half2_rn(static_cast<float>(word >> 31), 1.0f)));
/* To 256, beyond which 1 is lost: so 4 threads of 256 add. */
ATOMIC(add_bfloat2, __nv_bfloat162, 64,
       if (word >> 26 == 1) atomicAdd(cell, __floats2bfloat162_rn(static_cast<float>(word >> 10 & 1), 1.0f)));
ATOMIC(ref_add, u32, 64, (cuda::atomic_ref<u32, cuda::thread_scope_device>(*cell).fetch_add(word >> 6)));
ATOMIC(ref_max_relaxed, u32, 64,
       (cuda::atomic_ref<u32, cuda::thread_scope_device>(*cell).fetch_max(word, cuda::std::memory_order_relaxed)));
ATOMIC(xor_wide, unsigned long long, 128, atomicXor(cell, word * 0x100000001ull));

/* Through shared memory: each block adds up first. */
__global__ void shared_sums_kernel(const u32 *in, float *out)
{
    __shared__ float cells[64];
    if (threadIdx.x < 64)
        cells[threadIdx.x] = 0;
    __syncthreads();
    const u32 word = in[blockIdx.x * 32 + threadIdx.x % 32];
    if (threadIdx.x < 32)
        atomicAdd(&cells[word % 64], static_cast<float>(word >> 28));
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(out + threadIdx.x, cells[threadIdx.x]);
}
struct shared_sums {
    static constexpr unsigned words = 64;
    static int start(job &j)
    {
        shared_sums_kernel<<<64, 128>>>(j.in.data, reinterpret_cast<float *>(j.out.data));
        return 0;
    }
};

constexpr struct cugate_variant sums_variants[] = {
    ROW("float", "atomicAdd of floats", add_float),
    ROW("double", "atomicAdd of doubles", add_double),
    ROW("half2", "atomicAdd of two halves", add_half2),
    ROW("bfloat2", "atomicAdd of two brain floats", add_bfloat2),
    ROW("ref", "cuda::atomic_ref, in order", ref_add),
    ROW("ref_relaxed", "cuda::atomic_ref, relaxed", ref_max_relaxed),
    ROW("xor_wide", "atomicXor of 64 bits", xor_wide),
    ROW("shared", "floats in shared memory first, by one warp", shared_sums),
};
FAMILY(sums, "atomics", restore_zeros)

/* ---- The library ---- */

const struct cugate_family *const families[] = {&device_wide_family, &blocks_family, &numeric_family, &together_family,
                                                &sums_family};

} // namespace users

LIBRARY(users::families)
