/* dgemm - C = alpha A B + beta C in double precision.
 *
 * Problem: A, B and C are 1024 x 1024 float64, row-major, alpha 1.25, beta -0.5, C in place.
 *   naive    one thread an element; every operand from L1 or L2: time is load instructions
 *   tiled    64 x 64 x 16 blocks, 4 x 8 elements a thread, asynchronous copies: traffic beyond the SM down, occupancy
 *            limited by registers
 *   cublas   the vendor's; it may use the FP64 tensor cores, twice the rate of the multipliers that `tiled` uses
 *
 * The sizes of `tiled` follow from three bounds, here for an H200: 33.5 TFLOP/s without tensor cores, 4.8 TB/s of DRAM,
 * 48 KiB of shared memory that a block gets unasked, 65536 registers, DW = 8 bytes an element.
 *
 *   bandwidth   FLOP rate / 2 * DW * (1/bm + 1/bn) < 4.8 TB/s, as if no block found another's data in L2:
 *               32 x 32 wants 8.4 TB/s, 64 x 64 wants 4.2, 128 x 64 wants 3.1. 64 x 64 is the smallest that
 *               holds, and makes 256 blocks, two for nearly each of the 132 multiprocessors.
 *   shared      (bm * bk + bn * bk) * DW < 48 KiB: bk = 16 takes 16 KiB a stage, 32 KiB for two (34 with padding)
 *   registers   (rx + ry + rx * ry) * threads < 65536, two registers a double: 4 x 8 elements a thread make 128
 *               threads, (4 + 8 + 32) * 2 * 128 = 11264 a block. Holding two steps of k at once makes it 14336, and
 *               two blocks fit.
 */
#include "gemm.cuh"

#include <cuda_pipeline.h>

namespace {

constexpr int n = 1024;

using problem = cugate::gemm<double, n>;

__device__ double2 load2(const double *from)
{
    return *reinterpret_cast<const double2 *>(from);
}

/* --- one element a thread --- */

constexpr int naive_rows = 8;
constexpr int naive_columns = 32;

__global__ void dgemm_naive(const double *a, const double *b, double *c)
{
    const int row = blockIdx.y * naive_rows + threadIdx.y;
    const int column = blockIdx.x * naive_columns + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    double &out = c[row * n + column];
    out = problem::alpha * sum + problem::beta * out;
}

/* --- a register tile a thread --- */

/* Sizes of the tiled kernel: order of the block's tile of C, its depth in k, rows and columns of a thread. A warp is 8
 * threads high and 4 wide. */
template <int block_order_, int depth_, int thread_rows_, int thread_columns_> struct sizes {
    static constexpr int block_order = block_order_;
    static constexpr int depth = depth_;
    static constexpr int thread_rows = thread_rows_;
    static constexpr int thread_columns = thread_columns_;
    static constexpr int warp_rows = 8 * thread_rows;
    static constexpr int warp_columns = 4 * thread_columns;
    static constexpr int warps_across = block_order / warp_columns;
    static constexpr int threads = block_order / warp_rows * warps_across * 32;
    static constexpr int copies = block_order * depth / 2 / threads; /* of 16 bytes, for each thread and matrix */

    static_assert(threads % 32 == 0 && copies * threads * 2 == block_order * depth);
};

/* A is kept as it is, two steps of k in one 16-byte load. Padding by one such load puts the eight rows that a warp
 * reads at once into different banks. */
template <class S> struct tile_pair {
    alignas(16) double a[S::block_order][S::depth + 2];
    alignas(16) double b[S::depth][S::block_order];
};

template <class S> __device__ void start_copy(tile_pair<S> &to, const double *a, const double *b)
{
    constexpr int a_pairs = S::depth / 2;
    constexpr int b_pairs = S::block_order / 2;
#pragma unroll
    for (int i = 0; i < S::copies; i++) {
        const int a_row = i * (S::threads / a_pairs) + threadIdx.x / a_pairs;
        const int a_k = threadIdx.x % a_pairs * 2;
        __pipeline_memcpy_async(&to.a[a_row][a_k], &a[a_row * n + a_k], sizeof(double2));
        const int b_k = i * (S::threads / b_pairs) + threadIdx.x / b_pairs;
        const int b_column = threadIdx.x % b_pairs * 2;
        __pipeline_memcpy_async(&to.b[b_k][b_column], &b[b_k * n + b_column], sizeof(double2));
    }
    __pipeline_commit();
}

/* Two steps of k. The thread's rows are 8 apart, its pairs of columns 8 as well, so that lanes read neighbours. */
template <class S>
__device__ void multiply_pair(double (&sum)[S::thread_rows][S::thread_columns], const tile_pair<S> &tile, int k,
                              int row, int column)
{
    double2 a[S::thread_rows];
    double2 b[2][S::thread_columns / 2];
#pragma unroll
    for (int i = 0; i < S::thread_rows; i++)
        a[i] = load2(&tile.a[row + i * 8][k]);
#pragma unroll
    for (int step = 0; step < 2; step++)
#pragma unroll
        for (int j = 0; j < S::thread_columns / 2; j++)
            b[step][j] = load2(&tile.b[k + step][column + j * 8]);
#pragma unroll
    for (int i = 0; i < S::thread_rows; i++)
#pragma unroll
        for (int j = 0; j < S::thread_columns / 2; j++) {
            sum[i][2 * j] += a[i].x * b[0][j].x;
            sum[i][2 * j + 1] += a[i].x * b[0][j].y;
        }
#pragma unroll
    for (int i = 0; i < S::thread_rows; i++)
#pragma unroll
        for (int j = 0; j < S::thread_columns / 2; j++) {
            sum[i][2 * j] += a[i].y * b[1][j].x;
            sum[i][2 * j + 1] += a[i].y * b[1][j].y;
        }
}

template <class S>
__global__ void __launch_bounds__(S::threads, 2) dgemm_tiled(const double *a, const double *b, double *c)
{
    __shared__ tile_pair<S> tiles[2];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    /* Lanes i and i ^ 1 share rows, lanes i and i ^ 2 share columns: a 16-byte load takes two wavefronts, not four. */
    const int row = warp / S::warps_across * S::warp_rows + lane / 2 % 8;
    const int column = warp % S::warps_across * S::warp_columns + (lane / 16 * 2 + lane % 2) * 2;
    a += blockIdx.y * S::block_order * n;
    b += blockIdx.x * S::block_order;
    c += blockIdx.y * S::block_order * n + blockIdx.x * S::block_order;

    double sum[S::thread_rows][S::thread_columns] = {};
    start_copy(tiles[0], a, b);
    int current = 0;
    for (int k0 = 0; k0 < n; k0 += S::depth) {
        __pipeline_wait_prior(0);
        __syncthreads();
        a += S::depth;
        b += S::depth * n;
        if (k0 + S::depth < n)
            start_copy(tiles[current ^ 1], a, b);
#pragma unroll
        for (int k = 0; k < S::depth; k += 2)
            multiply_pair(sum, tiles[current], k, row, column);
        current ^= 1;
    }

#pragma unroll
    for (int i = 0; i < S::thread_rows; i++)
#pragma unroll
        for (int j = 0; j < S::thread_columns; j += 2) {
            double2 &out = *reinterpret_cast<double2 *>(&c[(row + i * 8) * n + column + j * 4]);
            out = {problem::alpha * sum[i][j] + problem::beta * out.x,
                   problem::alpha * sum[i][j + 1] + problem::beta * out.y};
        }
}

using chosen = sizes<64, 16, 4, 8>;

/* --- the table --- */

/* One block for each `rows` x `columns` tile of C. */
template <auto kernel, int rows, int columns, dim3 threads> int launch(void *state)
{
    const problem &p = *static_cast<problem *>(state);
    kernel<<<dim3(n / columns, n / rows), threads>>>(p.a.data, p.b.data, p.c.data);
    return cugate::launched();
}

/* To add a variant: write its kernel above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "naive",
     .doc = "one thread an element, operands from the caches",
     .launch = launch<dgemm_naive, naive_rows, naive_columns, dim3(naive_columns, naive_rows)>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "tiled",
     .doc = "64 x 64 x 16 blocks, 4 x 8 elements a thread, by the blocking bounds: traffic beyond the SM down",
     .launch = launch<dgemm_tiled<chosen>, chosen::block_order, chosen::block_order, chosen::threads>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "cublas",
     .doc = "cublasDgemm, the vendor reference",
     .launch = cugate::cublas_not_built ? nullptr : problem::launch_cublas,
     .bytes = problem::bytes,
     .flops = problem::flops,
     .not_built = cugate::cublas_not_built},
};

} // namespace

extern "C" const struct cugate_family cugate_family_dgemm = {
    .name = "dgemm",
    .doc = "C = alpha A B + beta C, fp64, 1024 x 1024",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<problem>,
    .restore = problem::restore,
    .verify = problem::verify,
    .close = cugate::close_state<problem>,
    .variants = variants,
    .variant_count = std::size(variants),
};
