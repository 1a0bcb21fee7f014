/* sgemm - C = alpha A B + beta C in single precision.
 * Problem: A, B and C are 2048 x 2048 float32 (8192 x 8192: sgemm_8k.cu), row-major, alpha 1.25, beta -0.5, C in place.
 *   naive                     one thread an element; every operand from L1 or L2: time is load instructions
 *   naive_launch_bounds       the same, registers limited by __launch_bounds__ (76 to 40 on sm_90): occupancy up from
 *                             37.5 to 75 %, fewer loads in flight
 *   tiled                     32 x 32 tiles in shared memory: L2 and DRAM traffic down
 *   register_tile             128 x 128 x 8 blocks, 8 x 8 elements a thread, 16-byte loads: shared-memory loads down to
 *                             an eighth, occupancy down; conflicts two ways reading A, 8 a warp and step of k
 *   register_tile_transposed  A stored [8][128], swizzled: no bank conflicts, neither loading nor storing
 *   double_buffered           two tiles, one barrier each, the next one on its way to registers: stalls on loads down
 *   warp_tile                 64 x 64 elements a warp, 8 x 16 a thread, cp.async: fewest shared-memory loads
 *   snake_order               the same tiles, their products in an order in which neighbours share an operand: fewer
 *                             reads of register banks; copied through registers: fewer instructions beside products
 *   cublas                    the vendor's, without TF32
 */
#include "gemm.cuh"

#include <cuda_pipeline.h>

namespace {

#ifndef SGEMM_N
#define SGEMM_N 2048
#endif
constexpr int n = SGEMM_N;

using problem = cugate::gemm<float, n>;

/* A thread's next four floats in one 16-byte access. */
__device__ float4 load4(const float *from)
{
    return *reinterpret_cast<const float4 *>(from);
}

__device__ void store4(float *to, float4 value)
{
    *reinterpret_cast<float4 *>(to) = value;
}

__device__ void unpack4(float *to, float4 value)
{
    to[0] = value.x;
    to[1] = value.y;
    to[2] = value.z;
    to[3] = value.w;
}

__device__ void write_element(float *c, float sum)
{
    *c = problem::alpha * sum + problem::beta * *c;
}

/* --- one element a thread --- */

constexpr int naive_rows = 8;
constexpr int naive_columns = 32;
constexpr int naive_threads = naive_rows * naive_columns;
constexpr dim3 naive_shape(naive_columns, naive_rows);

/* Blocks that must fit on a multiprocessor, which leaves a thread 40 registers; sm_75 has fewer threads, and 64. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int naive_resident_blocks = 4;
#else
constexpr int naive_resident_blocks = 6;
#endif

/* Unrolled so far that the loads in flight take more than 40 registers when nothing limits them. */
__device__ void multiply_element(const float *a, const float *b, float *c)
{
    const int row = blockIdx.y * naive_rows + threadIdx.y;
    const int column = blockIdx.x * naive_columns + threadIdx.x;
    float sum = 0;
#pragma unroll 32
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    write_element(&c[row * n + column], sum);
}

/* Asks for one block only: else the compiler allows for more threads, and limits registers by itself. */
__global__ void __launch_bounds__(naive_threads, 1) sgemm_naive(const float *a, const float *b, float *c)
{
    multiply_element(a, b, c);
}

__global__ void __launch_bounds__(naive_threads, naive_resident_blocks)
    sgemm_naive_launch_bounds(const float *a, const float *b, float *c)
{
    multiply_element(a, b, c);
}

constexpr int square = 32;

__global__ void sgemm_tiled(const float *a, const float *b, float *c)
{
    __shared__ float a_tile[square][square];
    __shared__ float b_tile[square][square];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * square + y;
    const int column = blockIdx.x * square + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += square) {
        a_tile[y][x] = a[row * n + k0 + x];
        b_tile[y][x] = b[(k0 + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < square; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    write_element(&c[row * n + column], sum);
}

/* --- a register tile a thread --- */

template <int rows, int columns>
__device__ void multiply_outer(float (&sum)[rows][columns], const float (&a)[rows], const float (&b)[columns])
{
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
        for (int j = 0; j < columns; j++)
            sum[i][j] += a[i] * b[j];
}

/* A thread's elements of C come in squares of 4 x 4, `row_step` rows and `column_step` columns apart. */
template <int row_step, int column_step, int rows, int columns>
__device__ void write_squares(float *c, int row, int column, const float (&sum)[rows][columns])
{
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
        for (int j = 0; j < columns; j += 4) {
            float *at = &c[(row + i / 4 * row_step + i % 4) * n + column + j / 4 * column_step];
            const float4 old = load4(at);
            store4(at, {problem::alpha * sum[i][j] + problem::beta * old.x,
                        problem::alpha * sum[i][j + 1] + problem::beta * old.y,
                        problem::alpha * sum[i][j + 2] + problem::beta * old.z,
                        problem::alpha * sum[i][j + 3] + problem::beta * old.w});
        }
}

constexpr int block_order = 128; /* rows and columns of C that a block computes */
constexpr int block_depth = 8;   /* part of k that a block holds in shared memory */
constexpr int thread_order = 8;
constexpr int block_threads = (block_order / thread_order) * (block_order / thread_order);

using a_rows = float[block_order][block_depth];
using a_columns = float[block_depth][block_order];
using b_rows = float[block_depth][block_order];

/* Where row `row` of A is kept within column k of a transposed tile: groups of four rows stay together. The even lanes
 * of a warp store 16 rows of k = 0..3, the odd ones the same rows of k = 4..7, to the other 16 banks. */
__device__ int swizzled(int row, int k)
{
    return row ^ k / 4 * 16;
}

/* One thread's share of the block's next tiles of A and B: four floats of each. */
struct share {
    int a_row = threadIdx.x / 2;
    int a_k = threadIdx.x % 2 * 4;
    int b_k = threadIdx.x / 32;
    int b_column = threadIdx.x % 32 * 4;
    float4 a_part, b_part;

    __device__ void fetch(const float *a, const float *b, int k0)
    {
        a_part = load4(&a[(blockIdx.y * block_order + a_row) * n + k0 + a_k]);
        b_part = load4(&b[(k0 + b_k) * n + blockIdx.x * block_order + b_column]);
    }
    __device__ void put(a_rows &a_tile, b_rows &b_tile) const
    {
        store4(&a_tile[a_row][a_k], a_part);
        store4(&b_tile[b_k][b_column], b_part);
    }
    __device__ void put_transposed(a_columns &a_tile, b_rows &b_tile) const
    {
        const int row = swizzled(a_row, a_k);
        a_tile[a_k][row] = a_part.x;
        a_tile[a_k + 1][row] = a_part.y;
        a_tile[a_k + 2][row] = a_part.z;
        a_tile[a_k + 3][row] = a_part.w;
        store4(&b_tile[b_k][b_column], b_part);
    }
};

/* A thread's two groups of four columns (or rows) are half a block apart, not side by side: so neighbouring lanes read
 * neighbouring groups, without bank conflicts. */
constexpr int far = block_order / 2;

__global__ void __launch_bounds__(block_threads, 2) sgemm_register_tile(const float *a, const float *b, float *c)
{
    __shared__ alignas(16) a_rows a_tile;
    __shared__ alignas(16) b_rows b_tile;
    /* Volatile, or the compiler merges four steps of k into one 16-byte load, which has no conflict to show. */
    const volatile a_rows &a_read = a_tile;
    const int row = threadIdx.x / 16 * thread_order;
    const int column = threadIdx.x % 16 * 4;
    share next;
    float sum[thread_order][thread_order] = {};
    for (int k0 = 0; k0 < n; k0 += block_depth) {
        next.fetch(a, b, k0);
        next.put(a_tile, b_tile);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < block_depth; k++) {
            float a_part[thread_order], b_part[thread_order];
#pragma unroll
            for (int i = 0; i < thread_order; i++)
                a_part[i] = a_read[row + i][k];
            unpack4(&b_part[0], load4(&b_tile[k][column]));
            unpack4(&b_part[4], load4(&b_tile[k][column + far]));
            multiply_outer(sum, a_part, b_part);
        }
        __syncthreads();
    }
    write_squares<4, far>(c, blockIdx.y * block_order + row, blockIdx.x * block_order + column, sum);
}

__device__ void multiply_tile(float (&sum)[thread_order][thread_order], const a_columns &a_tile, const b_rows &b_tile,
                              int row, int column)
{
#pragma unroll
    for (int k = 0; k < block_depth; k++) {
        float a_part[thread_order], b_part[thread_order];
        unpack4(&a_part[0], load4(&a_tile[k][swizzled(row, k)]));
        unpack4(&a_part[4], load4(&a_tile[k][swizzled(row, k) + far]));
        unpack4(&b_part[0], load4(&b_tile[k][column]));
        unpack4(&b_part[4], load4(&b_tile[k][column + far]));
        multiply_outer(sum, a_part, b_part);
    }
}

__global__ void __launch_bounds__(block_threads, 2)
    sgemm_register_tile_transposed(const float *a, const float *b, float *c)
{
    __shared__ alignas(16) a_columns a_tile;
    __shared__ alignas(16) b_rows b_tile;
    const int row = threadIdx.x / 16 * 4;
    const int column = threadIdx.x % 16 * 4;
    share next;
    float sum[thread_order][thread_order] = {};
    for (int k0 = 0; k0 < n; k0 += block_depth) {
        next.fetch(a, b, k0);
        next.put_transposed(a_tile, b_tile);
        __syncthreads();
        multiply_tile(sum, a_tile, b_tile, row, column);
        __syncthreads();
    }
    write_squares<far, far>(c, blockIdx.y * block_order + row, blockIdx.x * block_order + column, sum);
}

__global__ void __launch_bounds__(block_threads, 2) sgemm_double_buffered(const float *a, const float *b, float *c)
{
    __shared__ alignas(16) a_columns a_tile[2];
    __shared__ alignas(16) b_rows b_tile[2];
    const int row = threadIdx.x / 16 * 4;
    const int column = threadIdx.x % 16 * 4;
    share next;
    float sum[thread_order][thread_order] = {};
    next.fetch(a, b, 0);
    next.put_transposed(a_tile[0], b_tile[0]);
    __syncthreads();
    int current = 0;
    for (int k0 = block_depth; k0 < n; k0 += block_depth) {
        next.fetch(a, b, k0);
        multiply_tile(sum, a_tile[current], b_tile[current], row, column);
        current ^= 1;
        next.put_transposed(a_tile[current], b_tile[current]);
        __syncthreads();
    }
    multiply_tile(sum, a_tile[current], b_tile[current], row, column);
    write_squares<far, far>(c, blockIdx.y * block_order + row, blockIdx.x * block_order + column, sum);
}

/* --- a register tile a thread, a square of threads a warp, a pipeline of asynchronous copies --- */

/* Sizes of the warp-tiled kernel: of the block (rows, columns, depth), of the warp, and how many tiles are held in
 * shared memory. A warp is 8 threads high and 4 wide. Registers allow 256 threads a multiprocessor with more than 64
 * sums each, 512 with fewer. */
template <int block_rows_, int block_columns_, int depth_, int warp_rows_, int warp_columns_, int stages_>
struct sizes {
    static constexpr int block_rows = block_rows_;
    static constexpr int block_columns = block_columns_;
    static constexpr int depth = depth_;
    static constexpr int warp_rows = warp_rows_;
    static constexpr int warp_columns = warp_columns_;
    static constexpr int stages = stages_;
    static constexpr int warps_across = block_columns / warp_columns;
    static constexpr int threads = block_rows / warp_rows * warps_across * 32;
    static constexpr int thread_rows = warp_rows / 8;
    static constexpr int thread_columns = warp_columns / 4;
    static constexpr int blocks_per_sm = (thread_rows * thread_columns > 64 ? 256 : 512) / threads;

    static constexpr int a_copies = block_rows * depth / threads;        /* of 4 bytes, by each thread for a tile */
    static constexpr int b_copies = depth * block_columns / threads / 4; /* of 16 bytes, by each thread */

    static_assert(depth % 8 == 0 && threads % 32 == 0 && threads <= 256 && threads * 4 % block_columns == 0);
};

/* One tile of A, transposed, and one of B. Element (row, k) of A is kept at [k][swizzled_by_four(row, k)]: a warp
 * stores four rows of eight k at once, to 32 banks, and reads groups of four rows, which stay together. */
template <class S> struct tile_pair {
    alignas(16) float a[S::depth][S::block_rows];
    alignas(16) float b[S::depth][S::block_columns];
};

__device__ int swizzled_by_four(int row, int k)
{
    return row ^ k % 8 * 4;
}

/* One thread's share of the copies. A goes by single floats, since that is what transposes it: a warp copies four
 * rows of eight k, one 32-byte sector each. */
template <class S> struct tile_copier {
    const float *a; /* the thread's first float of the next tile of A */
    const float *b;
    int a_k = threadIdx.x % 8;
    int a_row = swizzled_by_four(threadIdx.x / 8, threadIdx.x % 8);
    int b_k = threadIdx.x / (S::block_columns / 4);
    int b_column = threadIdx.x % (S::block_columns / 4) * 4;

    __device__ tile_copier(const float *a_block, const float *b_block)
        : a(a_block + threadIdx.x / 8 * n + threadIdx.x % 8), b(b_block)
    {
        b += b_k * n + b_column;
    }

    /* Starts to copy the next tile. The swizzle stays inside 32 rows, so the offsets are known to the compiler. */
    __device__ void start(tile_pair<S> &to)
    {
#pragma unroll
        for (int i = 0; i < S::a_copies; i++) {
            const int k = i % (S::depth / 8) * 8;
            const int row = i / (S::depth / 8) * (S::threads / 8);
            float *at = &to.a[k + a_k][(a_row ^ row % 32) + row / 32 * 32];
            __pipeline_memcpy_async(at, &a[row * n + k], sizeof(float));
        }
#pragma unroll
        for (int i = 0; i < S::b_copies; i++) {
            const int k = i * (S::threads * 4 / S::block_columns);
            __pipeline_memcpy_async(&to.b[k + b_k][b_column], &b[k * n], sizeof(float4));
        }
        a += S::depth;
        b += S::depth * n;
    }
};

/* What a thread multiplies in one step of k. */
template <class S> struct operands {
    float a[S::thread_rows];
    float b[S::thread_columns];

    __device__ void read(const tile_pair<S> &from, int k, int row, int column)
    {
#pragma unroll
        for (int i = 0; i < S::thread_rows; i += 4)
            unpack4(&a[i], load4(&from.a[k][swizzled_by_four(row, k) + i * 8]));
#pragma unroll
        for (int j = 0; j < S::thread_columns; j += 4)
            unpack4(&b[j], load4(&from.b[k][column + j * 4]));
    }
};

/* While step k is multiplied, the operands of step k + 1 come from shared memory, and the tile `stages - 1` ahead is
 * on its way from global memory. */
template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    sgemm_warp_tile(const float *a, const float *b, float *c)
{
    __shared__ tile_pair<S> tiles[S::stages];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    /* Lanes i and i ^ 1 share rows, lanes i and i ^ 2 share columns: a 16-byte load takes two wavefronts, not four. */
    const int row = warp / S::warps_across * S::warp_rows + lane / 2 % 8 * 4;
    const int column = warp % S::warps_across * S::warp_columns + (lane / 16 * 2 + lane % 2) * 4;
    const int block_row = blockIdx.y * S::block_rows;
    const int block_column = blockIdx.x * S::block_columns;

    tile_copier<S> copier(a + block_row * n, b + block_column);
#pragma unroll
    for (int stage = 0; stage < S::stages - 1; stage++) {
        copier.start(tiles[stage]);
        __pipeline_commit();
    }
    __pipeline_wait_prior(S::stages - 2);
    __syncthreads();

    operands<S> held[2];
    held[0].read(tiles[0], 0, row, column);
    float sum[S::thread_rows][S::thread_columns] = {};
    int reading = 0;
    int writing = S::stages - 1;
#pragma unroll 1
    for (int k0 = 0; k0 < n; k0 += S::depth) {
#pragma unroll
        for (int k = 0; k < S::depth; k++) {
            if (k == S::depth - 1) {
                __pipeline_wait_prior(S::stages - 2);
                __syncthreads();
                writing = reading;
                reading = reading == S::stages - 1 ? 0 : reading + 1;
            }
            held[(k + 1) % 2].read(tiles[reading], (k + 1) % S::depth, row, column);
            if (k == 0) {
                if (k0 < n - (S::stages - 1) * S::depth)
                    copier.start(tiles[writing]);
                __pipeline_commit(); /* empty at the end, so that the count of groups behind a tile stays the same */
            }
            multiply_outer(sum, held[k % 2].a, held[k % 2].b);
        }
    }
    write_squares<32, 16>(c, block_row + row, block_column + column, sum);
}

/* A 64 x 64 warp tile needs 24 floats from shared memory for 128 multiplications, a 64 x 32 one 16 for 64. 256 blocks
 * of 128 x 128 are one wave at two a multiprocessor. */
using best = sizes<128, 128, 8, 64, 64, 4>;

/* --- the same tiles, in the order of a snake --- */

using snake = sizes<128, 128, 8, 64, 64, 2>;

/* An FFMA takes three operands, and each of the two banks of registers, even and odd, gives one a cycle; an operand
 * that the instruction before had in the same place comes from a cache instead. So neighbours share one: down a column
 * of the thread's tile they have b[j], and at its end they turn, so that a[i] stays when b[j] changes. What is left to
 * read, a sum and a[i], the compiler then puts into different banks. */
template <int rows, int columns>
__device__ void multiply_snake(float (&sum)[rows][columns], const float (&a)[rows], const float (&b)[columns])
{
#pragma unroll
    for (int j = 0; j < columns; j++)
#pragma unroll
        for (int step = 0; step < rows; step++) {
            const int turned = j % 2 ? rows - 1 - step : step;
            sum[turned][j] += a[turned] * b[j];
        }
}

/* A load4 that stays where it is written, a tile ahead; an ordinary one may be moved to where its value is needed. The
 * L2 takes the whole line of 128 bytes from memory: in a row of A, this tile's sector and those of the next three. */
__device__ float4 load4_here(const float *from)
{
    float4 value;
    asm volatile("ld.global.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "l"(from)
                 : "memory");
    return value;
}

/* One thread's share of the copies, by way of registers: 16 bytes a load, at addresses that are constants apart, where
 * cp.async takes 4 bytes to transpose A. Stored transposed as above, with `swizzled`. */
struct register_copier {
    static constexpr int a_rows = snake::threads / 2; /* rows of A that the block copies at once, and of B */
    static constexpr int b_rows = snake::threads * 4 / snake::block_columns;
    static_assert(snake::depth == block_depth && a_rows % 32 == 0); /* `swizzled` needs these sizes */

    int thread = threadIdx.x;
    int a_row = thread / 2;
    int a_k = thread % 2 * 4;
    int a_to = a_k * snake::block_rows + swizzled(a_row, a_k); /* where the thread stores A in a tile, in floats */
    int b_k = thread / (snake::block_columns / 4);
    int b_column = thread % (snake::block_columns / 4) * 4;
    float4 a_part[snake::a_copies / 4];
    float4 b_part[snake::b_copies];

    /* `a` and `b` are the thread's first floats of the next tile, and then of the one after. */
    __device__ void fetch(const float *&a, const float *&b)
    {
#pragma unroll
        for (int i = 0; i < snake::a_copies / 4; i++)
            a_part[i] = load4_here(&a[i * a_rows * n]);
#pragma unroll
        for (int i = 0; i < snake::b_copies; i++)
            b_part[i] = load4_here(&b[i * b_rows * n]);
        a += snake::depth;
        b += snake::depth * n;
    }
    __device__ void put(tile_pair<snake> &to) const
    {
        float *at = &to.a[0][a_to];
#pragma unroll
        for (int i = 0; i < snake::a_copies / 4; i++) {
            at[i * a_rows] = a_part[i].x;
            at[i * a_rows + snake::block_rows] = a_part[i].y;
            at[i * a_rows + snake::block_rows * 2] = a_part[i].z;
            at[i * a_rows + snake::block_rows * 3] = a_part[i].w;
        }
#pragma unroll
        for (int i = 0; i < snake::b_copies; i++)
            store4(&to.b[0][thread * 4 + i * snake::threads * 4], b_part[i]);
    }
};

/* What a thread multiplies in this step of k and in the next, read while the other is multiplied. */
struct operand_pair {
    float a[2][snake::thread_rows];
    float b[2][snake::thread_columns];

    __device__ void read(const tile_pair<snake> &from, int k, int row, int column)
    {
#pragma unroll
        for (int i = 0; i < snake::thread_rows; i += 4)
            unpack4(&a[k % 2][i], load4(&from.a[k][swizzled(row, k) + i * 8]));
#pragma unroll
        for (int j = 0; j < snake::thread_columns; j += 4)
            unpack4(&b[k % 2][j], load4(&from.b[k][column + j * 4]));
    }
};

/* All steps of a tile but the last, during which the first operands of the next tile are read. */
__device__ void multiply_but_last(float (&sum)[snake::thread_rows][snake::thread_columns], operand_pair &held,
                                  const tile_pair<snake> &tile, int row, int column)
{
#pragma unroll
    for (int k = 0; k < snake::depth - 1; k++) {
        held.read(tile, k + 1, row, column);
        multiply_snake(sum, held.a[k % 2], held.b[k % 2]);
    }
}

/* The block's part of C on its way to the L2, a line of 128 bytes at a time. */
__device__ void prefetch_block(const float *c, int block_row, int block_column)
{
    constexpr int lines = snake::block_columns / 32; /* cache lines in a row */
    const int thread = threadIdx.x;
    const int row = block_row + thread / lines;
    const int column = thread % lines * 32;
#pragma unroll
    for (int i = 0; i < snake::block_rows; i += snake::threads / lines)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(c + (row + i) * n + block_column + column));
}

/* While a tile is multiplied, the next one is on its way to registers; before the last step it goes to shared memory,
 * and the one after is asked for. One tile a turn of the loop: two, whose places in shared memory the compiler would
 * know, are twice the machine code, and slower. How an address is written here changes the order of instructions and
 * their registers, so measure after an edit. */
__global__ void __launch_bounds__(snake::threads, snake::blocks_per_sm)
    sgemm_snake_order(const float *a, const float *b, float *c)
{
    __shared__ tile_pair<snake> tiles[snake::stages];
    const int thread = threadIdx.x;
    const int lane = thread % 32;
    const int warp = thread / 32;
    const int row = warp / snake::warps_across * snake::warp_rows + lane / 2 % 8 * 4;
    const int column = warp % snake::warps_across * snake::warp_columns + (lane / 16 * 2 + lane % 2) * 4;
    const int block_row = blockIdx.y * snake::block_rows;
    const int block_column = blockIdx.x * snake::block_columns;

    register_copier copier;
    const float *a_next = a + (block_row + copier.a_row) * n + copier.a_k;
    const float *b_next = b + copier.b_k * n + block_column + copier.b_column;
    copier.fetch(a_next, b_next);
    copier.put(tiles[0]);
    copier.fetch(a_next, b_next);
    __syncthreads();
    operand_pair held;
    held.read(tiles[0], 0, row, column);
    float sum[snake::thread_rows][snake::thread_columns] = {};
#pragma unroll 1
    for (int k0 = 0, current = 0; k0 < n - 2 * snake::depth; k0 += snake::depth) {
        multiply_but_last(sum, held, tiles[current], row, column);
        current ^= 1;
        copier.put(tiles[current]);
        copier.fetch(a_next, b_next);
        __syncthreads();
        held.read(tiles[current], 0, row, column);
        multiply_snake(sum, held.a[1], held.b[1]);
    }
    prefetch_block(c, block_row, block_column);
    multiply_but_last(sum, held, tiles[0], row, column);
    copier.put(tiles[1]);
    __syncthreads();
    held.read(tiles[1], 0, row, column);
    multiply_snake(sum, held.a[1], held.b[1]);
    multiply_but_last(sum, held, tiles[1], row, column);
    multiply_snake(sum, held.a[1], held.b[1]);
    write_squares<32, 16>(c + (block_row + row) * n + block_column + column, 0, 0, sum);
}

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
     .launch = launch<sgemm_naive, naive_rows, naive_columns, naive_shape>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "naive_launch_bounds",
     .doc = "registers limited by launch bounds: occupancy doubles",
     .launch = launch<sgemm_naive_launch_bounds, naive_rows, naive_columns, naive_shape>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "tiled",
     .doc = "32 x 32 tiles in shared memory: traffic beyond the SM down",
     .launch = launch<sgemm_tiled, square, square, dim3(square, square)>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "register_tile",
     .doc = "8 x 8 elements a thread: shared-memory loads down, two-way bank conflicts reading A",
     .launch = launch<sgemm_register_tile, block_order, block_order, block_threads>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "register_tile_transposed",
     .doc = "A stored transposed and swizzled: no bank conflicts",
     .launch = launch<sgemm_register_tile_transposed, block_order, block_order, block_threads>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "double_buffered",
     .doc = "next tile fetched while this one is multiplied: stalls on loads down",
     .launch = launch<sgemm_double_buffered, block_order, block_order, block_threads>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "warp_tile",
     .doc = "8 x 16 elements a thread, asynchronous copies: fewer shared-memory loads",
     .launch = launch<sgemm_warp_tile<best>, best::block_rows, best::block_columns, best::threads>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "snake_order",
     .doc = "neighbouring products share an operand, fewer reads of register banks: the best of our own",
     .launch = launch<sgemm_snake_order, snake::block_rows, snake::block_columns, snake::threads>,
     .bytes = problem::bytes,
     .flops = problem::flops},
    {.name = "cublas",
     .doc = "cublasSgemm without TF32, the vendor reference",
     .launch = cugate::cublas_not_built ? nullptr : problem::launch_cublas,
     .bytes = problem::bytes,
     .flops = problem::flops,
     .not_built = cugate::cublas_not_built},
};

} // namespace

#if SGEMM_N == 2048
extern "C" const struct cugate_family cugate_family_sgemm = {
    .name = "sgemm",
    .doc = "C = alpha A B + beta C, fp32, 2048 x 2048",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<problem>,
    .restore = problem::restore,
    .verify = problem::verify,
    .close = cugate::close_state<problem>,
    .variants = variants,
    .variant_count = std::size(variants),
};
#endif
