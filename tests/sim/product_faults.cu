/* Matrix products of a warpgroup with one fault each, and right ones that look like these, for tests/sim/faults.sh.
 * That looks for the line whose comment is the kernel's name. Each number of a right one is 16. What concerns registers
 * ptxas mends by itself: tests/unit/machine/lanes/test_warpgroup.c has it. */
#include "bulk.cuh"
#include "hopper_gmma.cuh"

#include <cugate/kernel.hpp>

using namespace hopper;
using bulk::at;

enum { threads = 256, group = 128, tile_words = 128 * 4, copied = tile_words * 4, outputs = group * 4 };
#define KERNEL(name) __global__ void __launch_bounds__(threads) name(float *out, const uint32_t *ones)
#define T threadIdx.x
#define ONES 0x3c003c00u

/* Of 64 lines of A and 8 of B the tile has all elements alike. */
struct tile {
    uint32_t words[2][tile_words];
};

__device__ static void fill(uint32_t *words)
{
    for (unsigned i = T; i < tile_words; i += threads)
        words[i] = ONES;
}

/* The first warpgroup begins a product, and ends it. */
template <class Op> __device__ static void begin(uint32_t *d, const uint32_t *words)
{
    gmma_fence();
    Op::run(d, descriptor(at(words), 128, 256, PLAIN), descriptor(at(words), 128, 256, PLAIN), 0);
    gmma_commit();
}

__device__ static void put(float *out, const uint32_t *d)
{
    for (unsigned i = 0; i < 4; i++)
        out[i * group + T] = __uint_as_float(d[i]);
}

__device__ static void end(float *out, const uint32_t *d)
{
    gmma_wait<0>();
    put(out, d);
}

/* Two products, of which the mean is taken. */
__device__ static void put(float *out, const uint32_t *d, const uint32_t *e)
{
    for (unsigned i = 0; i < 4; i++)
        out[i * group + T] = (__uint_as_float(d[i]) + __uint_as_float(e[i])) / 2;
}

/* A tile, and the registers of a product: of one that is filled, or of two. */
#define TILE                                                                                                           \
    __shared__ __align__(1024) tile t;                                                                                 \
    uint32_t d[4]
#define FILLED                                                                                                         \
    TILE;                                                                                                              \
    fill(t.words[0]);                                                                                                  \
    proxy_fence();                                                                                                     \
    __syncthreads()
#define TWO_FILLED                                                                                                     \
    TILE, e[4];                                                                                                        \
    fill(t.words[0]);                                                                                                  \
    fill(t.words[1]);                                                                                                  \
    proxy_fence();                                                                                                     \
    __syncthreads()

#define OP(name) GMMA(name##_op, 8, 4, "k16.f32.f16.f16", ", 1, 1, 0, 0")

/* Each thread does that, then the first warpgroup multiplies; behind that stands what it does meanwhile. */
#define PRODUCT(name, op, before, ...)                                                                                 \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        before;                                                                                                        \
        if (T < group) {                                                                                               \
            begin<op>(d, t.words[0]);                                                                                  \
            __VA_ARGS__;                                                                                               \
            end(out, d);                                                                                               \
        }                                                                                                              \
    }

#define STORE(word) (((volatile uint32_t *)(word))[0] = ONES)
#define COPY(word) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(word)), "l"(ones) : "memory")
#define STORE_MATRIX(to) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%0};" ::"r"(to))
#define COPY_WAIT(which) asm volatile("cp.async." which ";" ::: "memory")
#define FOR_WORDS(i) for (unsigned i = T; i < tile_words; i += threads)

/* ---- Wrong ---- */

OP(no_proxy_fence) /* no_proxy_fence */
PRODUCT(no_proxy_fence, no_proxy_fence_op, TILE; fill(t.words[0]); __syncthreads())

OP(early_proxy_fence) /* early_proxy_fence */
PRODUCT(early_proxy_fence, early_proxy_fence_op, TILE; proxy_fence(); fill(t.words[0]); __syncthreads())

OP(beyond_tile) /* beyond_tile */
KERNEL(beyond_tile)
{
    TILE;
    fill(t.words[0]);
    fill(t.words[1]);
    proxy_fence();
    __syncthreads();
    if (T < group) {
        begin<beyond_tile_op>(d, t.words[1] + 256);
        end(out, d);
    }
}

OP(not_waited) /* not_waited */
PRODUCT(not_waited, not_waited_op, TILE; FOR_WORDS(i) COPY(&t.words[0][i]); COPY_WAIT("commit_group"); proxy_fence();
        __syncthreads())

OP(plain)
PRODUCT(stored_in_flight, plain_op, FILLED, STORE(&t.words[0][T % 32]))                /* stored_in_flight */
PRODUCT(copied_in_flight, plain_op, FILLED, COPY(&t.words[0][T % 32]))                 /* copied_in_flight */
PRODUCT(matrix_in_flight, plain_op, FILLED, STORE_MATRIX(at(t.words[0]) + T % 8 * 16)) /* matrix_in_flight */

KERNEL(other_group_stores)
{
    FILLED;
    if (T < group) {
        begin<plain_op>(d, t.words[0]);
        asm volatile("bar.sync 0;" ::: "memory");
        end(out, d);
    } else {
        asm volatile("bar.sync 0;" ::: "memory");
        if (T < group + 32)
            STORE(&t.words[0][T % 32]); /* other_group_stores */
    }
}

KERNEL(older_is_waited_for)
{
    TWO_FILLED;
    if (T < group) {
        begin<plain_op>(d, t.words[0]);
        begin<plain_op>(e, t.words[1]);
        gmma_wait<1>();
        STORE(&t.words[1][T % 32]); /* older_is_waited_for */
        gmma_wait<0>();
        put(out, d, e);
    }
}

KERNEL(bulk_in_flight)
{
    __shared__ __align__(1024) tile t;
    __shared__ uint64_t full;
    uint32_t d[4];
    fill(t.words[0]);
    proxy_fence();
    if (T == 0)
        INIT(&full, 1);
    __syncthreads();
    if (T < group) {
        begin<plain_op>(d, t.words[0]);
        if (T == 0) {
            EXPECT(&full, copied);
            LOAD_BYTES(t.words[0], ones, copied, &full); /* bulk_in_flight */
        }
        gmma_wait<0>();
        WAIT(&full, 0);
        put(out, d);
    }
}

/* The tile is called free before its product is done. */
KERNEL(freed_in_flight)
{
    __shared__ __align__(1024) tile t;
    __shared__ uint64_t full, empty;
    uint32_t d[4];
    fill(t.words[0]);
    proxy_fence();
    if (T == 0) {
        INIT(&full, 1);
        INIT(&empty, 1);
    }
    __syncthreads();
    if (T < group) {
        begin<plain_op>(d, t.words[0]);
        if (T == 0)
            ARRIVE(&empty, 1);
        end(out, d);
    } else if (T == group) {
        WAIT(&empty, 0);
        EXPECT(&full, copied);
        LOAD_BYTES(t.words[0], ones, copied, &full); /* freed_in_flight */
        WAIT(&full, 0);
    }
}

/* ---- Right ---- */

/* A warp of another warpgroup fills two tiles in turn, each when it is told that the products with it are done. */
KERNEL(filled_in_turn)
{
    __shared__ __align__(1024) tile t;
    __shared__ uint64_t full[2], empty[2];
    uint32_t d[4], e[4];
    if (T < 2) {
        INIT(&full[T], 1);
        INIT(&empty[T], 1);
    }
    __syncthreads();
    if (T < group) {
        for (unsigned i = 0; i < 6; i += 2) {
            WAIT(&full[0], i / 2 % 2);
            begin<plain_op>(d, t.words[0]);
            WAIT(&full[1], i / 2 % 2);
            begin<plain_op>(e, t.words[1]);
            gmma_wait<1>();
            if (T == 0)
                ARRIVE(&empty[0], 1);
            gmma_wait<0>();
            if (T == 0)
                ARRIVE(&empty[1], 1);
        }
        put(out, d, e);
    } else if (T == group) {
        for (unsigned i = 0; i < 6; i++) {
            if (i >= 2)
                WAIT(&empty[i % 2], (i / 2 - 1) % 2);
            EXPECT(&full[i % 2], copied);
            LOAD_BYTES(t.words[i % 2], ones, copied, &full[i % 2]);
        }
    }
}

/* What a copy brings needs no fence, though a warp stored there before. */
KERNEL(overwritten_by_copy)
{
    __shared__ __align__(1024) tile t;
    __shared__ uint64_t full;
    uint32_t d[4];
    fill(t.words[0]);
    if (T == 0)
        INIT(&full, 1);
    __syncthreads();
    if (T == 0) {
        EXPECT(&full, copied);
        LOAD_BYTES(t.words[0], ones, copied, &full);
    }
    if (T < group) {
        WAIT(&full, 0);
        begin<plain_op>(d, t.words[0]);
        end(out, d);
    }
}

PRODUCT(reader_has_fence, plain_op, TILE; fill(t.words[0]); __syncthreads(); proxy_fence())

KERNEL(other_tile_is_stored)
{
    TWO_FILLED;
    if (T < group) {
        begin<plain_op>(d, t.words[0]);
        begin<plain_op>(e, t.words[1]);
        gmma_wait<1>();
        if (T < 32)
            STORE(&t.words[0][T]);
        gmma_wait<0>();
        put(out, d, e);
    }
}

/* Each warp stores its own part, and meets the other three in the product. */
KERNEL(stored_when_done)
{
    FILLED;
    for (int i = 0; i < 3 && T < group; i++) {
        begin<plain_op>(d, t.words[0]);
        gmma_wait<0>();
        for (unsigned k = T; k < tile_words; k += group)
            STORE(&t.words[0][k]);
        proxy_fence();
    }
    if (T < group)
        put(out, d);
}

/* What is stored without a fence was there before. */
PRODUCT(stored_again, plain_op, FILLED; FOR_WORDS(i) STORE(&t.words[0][i]); __syncthreads())

/* cp.async needs no fence: CUTLASS and Triton have none. */
PRODUCT(copied_before, plain_op, TILE; FOR_WORDS(i) COPY(&t.words[0][i]); COPY_WAIT("wait_all"); __syncthreads())

/* Nor do zeros, by which CUTLASS clears what it may not copy. */
KERNEL(cleared_before)
{
    TILE;
    for (unsigned i = T; i < tile_words; i += threads)
        ((volatile uint32_t *)t.words[0])[i] = 0;
    __syncthreads();
    for (unsigned i = T; i < tile_words; i += threads)
        if (i / 32 % 2 == 0)
            COPY(&t.words[0][i]);
    COPY_WAIT("wait_all");
    __syncthreads();
    if (T < group) {
        begin<plain_op>(d, t.words[0]);
        end(out, d);
        for (unsigned i = 0; i < 4; i++)
            out[i * group + T] += 8; /* half are zeros */
    }
}

/* ---- The library ---- */

struct arrays {
    cugate::array<float> out;
    cugate::array<uint32_t> ones;

    int open()
    {
        CUGATE_TRY(out.fill(outputs, [](size_t) { return 0; }));
        return ones.fill(tile_words, [](size_t) { return ONES; });
    }
    int restore()
    {
        CUGATE_TRY(out.reset());
        return ones.reset();
    }
    int verify(cugate::why &why)
    {
        return out.compare(why, [](size_t) { return 16.0; });
    }
};

#define ROW(name) .variant(#name, "see there", [](arrays &a) { name<<<1, threads>>>(a.out.data, a.ones.data); })
#define FAMILY(name) cugate::family<arrays>(name, "see there")

/* clang-format off */
CUGATE_LIBRARY(
    FAMILY("wrong")
        ROW(no_proxy_fence) ROW(early_proxy_fence) ROW(beyond_tile) ROW(not_waited) ROW(stored_in_flight) ROW(copied_in_flight)
        ROW(matrix_in_flight) ROW(other_group_stores) ROW(older_is_waited_for) ROW(bulk_in_flight)
        ROW(freed_in_flight),
    FAMILY("right")
        ROW(reader_has_fence) ROW(other_tile_is_stored) ROW(stored_when_done) ROW(copied_before) ROW(cleared_before)
        ROW(filled_in_turn) ROW(overwritten_by_copy) ROW(stored_again))
/* clang-format on */
