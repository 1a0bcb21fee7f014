/* Changes that trade one count of a kernel for another: those of faster.cuh make it faster all the same, those of
 * slower.cuh make it slower. Built as it is, this is the library before the changes; with -DCHANGED it is the one after
 * them. A row of a case says what the change pays and what it gets. All have sizes of real work: 132 SMs are filled,
 * but where a case is about that, and a launch takes 10 to 500 us on an H100.
 *
 *     nvcc -std=c++20 -O3 -lineinfo -arch=sm_90 -I../../harness -Xcompiler -fPIC -cudart shared -shared trades.cu ...
 */
#include <cugate/kernel.hpp>

#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <algorithm>
#include <numeric>

namespace {

#ifdef CHANGED
constexpr bool changed = true;
#else
constexpr bool changed = false;
#endif
constexpr unsigned sms = 132;

/* ---- What the kernels share ---- */

__device__ unsigned thread_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ unsigned grid_threads()
{
    return gridDim.x * blockDim.x;
}

__device__ float sum_of_warp(float mine)
{
    for (unsigned apart = 16; apart > 0; apart /= 2)
        mine += __shfl_xor_sync(~0u, mine, apart);
    return mine;
}

/* The sum of a block of up to 1024 threads, in its first thread. */
__device__ float sum_of_block(float mine)
{
    __shared__ float sums[32];
    mine = sum_of_warp(mine);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32)
        mine = sum_of_warp(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
    return mine;
}

/* A block's tile x tile elements of a product, per x per of them a thread, by `depth` columns of the left matrix at a
 * time. With `ahead` the next columns are on their way while these are multiplied. */
template <unsigned tile, unsigned per, unsigned depth, bool ahead>
__device__ void multiply(const float *a, const float *b, float (&sum)[per][per], unsigned n, unsigned k, unsigned from,
                         unsigned to)
{
    constexpr unsigned side = tile / per, threads = side * side, share = tile * depth / threads;
    __shared__ __align__(16) float left[depth][tile + 4], right[depth][tile];
    const unsigned t = threadIdx.x, x = t % side, y = t / side;
    float next_left[share], next_right[share];
    const auto load = [&](unsigned at) {
#pragma unroll
        for (unsigned j = 0; j < share; j++) {
            const unsigned i = t + j * threads;
            next_left[j] = a[(blockIdx.y * tile + i / depth) * k + at + i % depth];
            next_right[j] = b[(at + i / tile) * n + blockIdx.x * tile + i % tile];
        }
    };
    if (ahead)
        load(from);
    for (unsigned at = from; at < to; at += depth) {
        if (!ahead)
            load(at);
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < share; j++) {
            const unsigned i = t + j * threads;
            left[i % depth][i / depth] = next_left[j];
            right[i / tile][i % tile] = next_right[j];
        }
        __syncthreads();
        if (ahead && at + depth < to)
            load(at + depth);
#pragma unroll
        for (unsigned d = 0; d < depth; d++)
#pragma unroll
            for (unsigned i = 0; i < per; i++)
#pragma unroll
                for (unsigned j = 0; j < per; j++)
                    sum[i][j] += left[d][y * per + i] * right[d][x * per + j];
    }
}

template <unsigned tile, unsigned per, unsigned depth, bool ahead = false>
__device__ void product_tile(const float *a, const float *b, float *c, unsigned n, unsigned k)
{
    float sum[per][per] = {};
    const unsigned part = k / gridDim.z;
    multiply<tile, per, depth, ahead>(a, b, sum, n, k, blockIdx.z * part, (blockIdx.z + 1) * part);
    const unsigned row = blockIdx.y * tile + threadIdx.x / (tile / per) * per;
    const unsigned column = blockIdx.x * tile + threadIdx.x % (tile / per) * per;
#pragma unroll
    for (unsigned i = 0; i < per; i++)
#pragma unroll
        for (unsigned j = 0; j < per; j++)
            if (gridDim.z == 1)
                c[(row + i) * n + column + j] = sum[i][j];
            else
                atomicAdd(&c[(row + i) * n + column + j], sum[i][j]);
}

/* Where an element of the Walsh transform lies, so that lanes of all passes meet in no bank. */
__device__ unsigned swizzled(unsigned i)
{
    return i ^ (i >> 5 & 1) * 5 ^ (i >> 6 & 1) * 26;
}

/* The Walsh transform of `size` elements by a block, in place. `at` says where an element lies. */
template <unsigned size, unsigned threads, class At> __device__ void walsh(float *v, At at)
{
#pragma unroll
    for (unsigned apart = 1; apart < size; apart *= 4) {
        __syncthreads();
        for (unsigned j = threadIdx.x; j < size / 4; j += threads) {
            const unsigned i = j / apart * 4 * apart + j % apart;
            float &p = v[at(i)], &q = v[at(i + apart)], &r = v[at(i + 2 * apart)], &s = v[at(i + 3 * apart)];
            const float a = p + q, b = p - q, c = r + s, d = r - s;
            p = a + c;
            q = b + d;
            r = a - c;
            s = b - d;
        }
    }
    __syncthreads();
}

/* ---- The host's side ---- */

/* Arrays of a case: what it needs is filled by its open(). Outputs that are filled begin with that each time. What out
 * or total must be is what want() says, a case's own or this one. */
struct arrays {
    static constexpr double tolerance = 1e-4;
    cugate::array<float> x, y, z, out, sums;
    cugate::array<unsigned> n, m, total;
    std::vector<double> expected;

    double want(size_t i)
    {
        return expected[i];
    }

    template <class T> static int again(cugate::array<T> &a)
    {
        return a.count == 0 ? 0 : a.host.empty() ? a.poison() : a.reset();
    }
    int restore()
    {
        CUGATE_TRY(again(out));
        CUGATE_TRY(again(sums));
        return again(total);
    }
    template <class T> static int zeros(cugate::array<T> &a, size_t count)
    {
        return a.fill(count, [](size_t) { return 0; });
    }
};

/* out = x y, of `rows` x `inner` and `inner` x `columns` elements. */
template <unsigned rows, unsigned columns, unsigned inner> struct product : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(rows * inner, 1));
        CUGATE_TRY(y.fill(inner * columns, 2));
        return out.allocate(rows * columns);
    }
    int restore()
    {
        return out.poison(0);
    }
    /* Freivalds' check: both sides times a random vector. */
    int verify(cugate::why &why)
    {
        std::vector<float> got;
        CUGATE_TRY(out.download(got));
        std::vector<double> with(columns), by(inner, 0);
        for (unsigned j = 0; j < columns; j++)
            with[j] = 0.5 + cugate::uniform(3, j);
        for (unsigned k = 0; k < inner; k++)
            for (unsigned j = 0; j < columns; j++)
                by[k] += double(y.host[k * columns + j]) * with[j];
        for (unsigned i = 0; i < rows; i++) {
            double want = 0, found = 0;
            for (unsigned k = 0; k < inner; k++)
                want += double(x.host[i * inner + k]) * by[k];
            for (unsigned j = 0; j < columns; j++)
                found += double(got[i * columns + j]) * with[j];
            if (!cugate::close_to(found, want, 1e-5))
                return why("row %u: expected %.9g, found %.9g", i, want, found);
        }
        return 0;
    }
    template <unsigned tile, unsigned per, class Kernel> void launch(Kernel kernel, unsigned parts = 1)
    {
        kernel<<<dim3(columns / tile, rows / tile, parts), (tile / per) * (tile / per)>>>(x.data, y.data, out.data,
                                                                                          columns, inner);
    }
};

/* Segments of `size` elements, transformed, scaled, transformed again. */
template <unsigned size> struct transformed : arrays {
    static constexpr unsigned count = 1 << 22;
    static __host__ __device__ float scale(unsigned i)
    {
        return 1.0f / float(1 + i % 7);
    }
    static void walsh_of(double *v)
    {
        for (unsigned apart = 1; apart < size; apart *= 2)
            for (unsigned i = 0; i < size; i += 2 * apart)
                for (unsigned j = i; j < i + apart; j++) {
                    const double a = v[j], b = v[j + apart];
                    v[j] = a + b;
                    v[j + apart] = a - b;
                }
    }
    int open()
    {
        CUGATE_TRY(x.fill(count, 1));
        expected.assign(x.host.begin(), x.host.end());
        for (unsigned first = 0; first < count; first += size) {
            walsh_of(&expected[first]);
            for (unsigned i = 0; i < size; i++)
                expected[first + i] *= scale(i) / size;
            walsh_of(&expected[first]);
        }
        return out.allocate(count);
    }
};

/* Launches with so much dynamic shared memory. */
template <class Kernel, class... Arguments>
int launch(Kernel kernel, unsigned blocks, unsigned threads, unsigned bytes, Arguments... arguments)
{
    CUGATE_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
    kernel<<<blocks, threads, bytes>>>(arguments...);
    return 0;
}

/* A case whose output is what its want() says, unless it has a verify() of its own. */
template <class Case> struct verified : Case {
    int verify(cugate::why &why)
    {
        const auto wanted = [&](size_t i) { return this->want(i); };
        if constexpr (requires(Case & of) { of.verify(why); })
            return Case::verify(why);
        else if (this->total.count > 0)
            return this->total.compare(why, wanted);
        else
            return this->out.compare(why, wanted, Case::tolerance);
    }
};

#define CASE(kind, name, doc)                                                                                          \
    cugate::family<verified<name>>(kind, doc).variant(#name, doc, [](verified<name> &of) { return of.run(); })

#include "faster.cuh"
#include "slower.cuh"

} // namespace

CUGATE_LIBRARY(CASE("faster", staged_window, "windows of rows, a row a thread: staged in shared memory"),
               CASE("faster", warp_sum, "row sums by atomics: added up in the warp first"),
               CASE("faster", private_histogram, "a histogram: in shared memory first"),
               CASE("faster", byte_vectors, "bytes turned round: 16 at once"),
               CASE("faster", padded_tile, "a tile turned: padded"),
               CASE("faster", split_k, "a product of 64 blocks: split among 512"),
               CASE("faster", recomputed_twiddles, "factors from a large table: computed"),
               CASE("faster", half_pairs, "halves: two at once"),
               CASE("faster", blocks_that_stay, "a table a block: fewer blocks that stay"),
               CASE("faster", coefficients_shared, "coefficients in registers: in shared memory"),
               CASE("faster", coarsened, "a filter of columns: sixteen rows a thread"),
               CASE("faster", double_buffer, "a product by tiles: the next one on its way"),
               CASE("faster", shared_table, "a table in global memory: in shared memory"),
               CASE("faster", turned_writes, "a matrix turned by its stores: in shared memory"),
               CASE("faster", one_pass, "a map and its sums: in one pass"),
               CASE("faster", arrays_of_fields, "structs: arrays of fields"),
               CASE("faster", ballot_counts, "classes counted by atomics: by ballots"),
               CASE("faster", swizzled_index, "a transform with bank conflicts: a swizzled index"),
               CASE("faster", weights_in_bytes, "a matrix of floats times a vector: of bytes"),
               CASE("faster", magic_division, "64-bit remainders: by multiplication"),
               CASE("faster", sorted_lengths, "work of different lengths: sorted"),
               CASE("faster", both_loads, "loads in branches: before the choice"),
               CASE("faster", early_exit, "a fixed number of steps: until it is done"),
               CASE("faster", copied_ahead, "tiles loaded and used: copied ahead"),
               CASE("faster", register_tile, "a product, an element a thread: sixteen"),
               CASE("faster", warp_rows, "sums of rows, a thread a row: a warp"),
               CASE("faster", sparse_vector, "sparse rows, a thread a row: a warp"),
               CASE("faster", copied_histogram, "a histogram with a favourite: eight copies"),
               CASE("faster", smaller_blocks, "300 blocks of 1024: 1200 of 256"),
               CASE("faster", one_launch, "a sum in two launches: by atomics"),
               CASE("faster", tree_top, "a search in global memory: its first steps in shared"),
               CASE("slower", consecutive, "a map: sixteen consecutive elements a thread"),
               CASE("slower", conflicting_tile, "features read again: staged with bank conflicts"),
               CASE("slower", capped_registers, "a product: half the registers"),
               CASE("slower", loaded_again, "pairs of values in registers: loaded again"),
               CASE("slower", both_sides, "a choice of each warp: both sides"),
               CASE("slower", last_round, "tiles of 8 rows: of 32"),
               CASE("slower", one_block, "small tiles: one as large as an SM"),
               CASE("slower", staged_once, "sums by loads: staged in shared memory"),
               CASE("slower", one_address, "a sum in two launches: by atomics at one address"),
               CASE("slower", scattered_stores, "an element a thread: a piece of a row"),
               CASE("slower", row_a_thread, "sums of rows, a warp a row: a thread"),
               CASE("slower", followed_list, "an index computed: a list followed"),
               CASE("slower", recomputed_powers, "a small table: computed"),
               CASE("slower", barrier_each_step, "factors loaded by each warp: by one, with barriers"),
               CASE("slower", small_grid, "1056 blocks: 64"), CASE("slower", local_bins, "bins in registers: by index"),
               CASE("slower", unpacked_each_time, "coefficients in floats: in bytes"),
               CASE("slower", divided_index, "an index from a table: computed"),
               CASE("slower", sorted_kinds, "elements in their order: by kind"),
               CASE("slower", warp_for_four, "sparse rows of four, a thread a row: a warp"),
               CASE("slower", tile_too_large, "a product by tiles of 32: of 128"),
               CASE("slower", shuffled_taps, "neighbours from shared memory: by shuffles"),
               CASE("slower", one_thread_adds, "a tree of a block: one thread"),
               CASE("slower", two_passes, "values in registers: loaded twice"),
               CASE("slower", linear_search, "a binary search: all compared"),
               CASE("slower", blur_at_once, "a blur in two passes: in one"),
               CASE("slower", test_each_load, "records loaded whole: until the test"),
               CASE("slower", bin_a_thread, "a histogram by atomics: by comparing"),
               CASE("slower", rows_by_rows, "a product by coalesced columns: by rows"),
               CASE("slower", global_scratch, "a transform in shared memory: in global"),
               CASE("slower", table_of_roots, "a function: a large table"))
