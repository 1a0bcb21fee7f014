/* Kernels whose copies, barriers in memory and clusters have one fault each, and right ones that look like these, for
 * tests/sim/faults.sh. That looks for the line whose comment is the kernel's name. A right kernel adds one to each
 * number. */
#include "bulk.cuh"

#include <cugate/kernel.hpp>

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>

enum { threads = 64, blocks = 4, rounds = 4, tile = threads, count = threads * blocks * rounds };

#define KERNEL(name) __global__ void name(int *out, const int *in, const __grid_constant__ CUtensorMap map)
#define T threadIdx.x
#define MINE (blockIdx.x * rounds * tile) /* the first number of the block */

namespace cg = cooperative_groups;
using u32 = uint32_t;
using u64 = uint64_t;

using bulk::at;
#define LOAD(to, from, barrier) LOAD_BYTES(to, from, tile * 4, barrier)
#define STORE(to, from)                                                                                                \
    asm volatile(                                                                                                      \
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\tcp.async.bulk.commit_group;" ::"l"(to),        \
        "r"(at(from)), "r"(tile * 4)                                                                                   \
        : "memory")
#define LOAD_TILE(to, map, x, barrier)                                                                                 \
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], " \
                 "[%3];" ::"r"(at(to)),                                                                                \
                 "l"(&map), "r"(x), "r"(at(barrier))                                                                   \
                 : "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read " #n ";" ::: "memory")
#define CLUSTER_SYNC() asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory")

#define SHARED                                                                                                         \
    __shared__ __align__(128) int place[tile];                                                                         \
    __shared__ u64 full, empty;                                                                                        \
    if (T == 0) {                                                                                                      \
        INIT(&full, 1);                                                                                                \
        INIT(&empty, 2);                                                                                               \
    }                                                                                                                  \
    __syncthreads()

/* The first thread has the numbers of a round copied to the place, or from there. */
#define BRING(k)                                                                                                       \
    if (T == 0) {                                                                                                      \
        EXPECT(&full, tile * 4);                                                                                       \
        LOAD(place, in + MINE + (k)*tile, &full);                                                                      \
    }
#define SEND(k, from)                                                                                                  \
    FENCE();                                                                                                           \
    __syncthreads();                                                                                                   \
    if (T == 0)                                                                                                        \
    STORE(out + MINE + (k)*tile, from)

/* Numbers that a kernel does not look at. */
static __device__ void rest(int *out, const int *in, int from)
{
    for (int k = from; k < rounds; k++)
        out[MINE + k * tile + T] = in[MINE + k * tile + T] + 1;
}

/* A kernel that looks at the first round alone. */
#define ONCE(name, ...)                                                                                                \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        SHARED;                                                                                                        \
        __VA_ARGS__;                                                                                                   \
        rest(out, in, 1);                                                                                              \
    }
#define OUT out[MINE + T] = place[T] + 1
#define FILL place[T] = in[MINE + T] + 1

/* One that sends all, and does something first in each round. */
#define IN_GROUPS(name, first)                                                                                         \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        SHARED;                                                                                                        \
        for (int k = 0; k < rounds; k++) {                                                                             \
            if (T == 0)                                                                                                \
                first;                                                                                                 \
            __syncthreads();                                                                                           \
            place[T] = in[MINE + k * tile + T] + 1;                                                                    \
            SEND(k, place);                                                                                            \
        }                                                                                                              \
        if (T == 0)                                                                                                    \
            WAIT_READ(0);                                                                                              \
    }

/* ---- Wrong ---- */

ONCE(reads_early, BRING(0) __syncthreads(); OUT; WAIT(&full, 0)) /* reads_early */
ONCE(waits_for_wrong_phase, BRING(0) WAIT(&full, 1); OUT)        /* waits_for_wrong_phase */
ONCE(one_warp_waits, BRING(0) if (T < 32) WAIT(&full, 0); OUT)   /* one_warp_waits */

KERNEL(writes_early)
{
    SHARED;
    BRING(0);
    place[T] = in[T]; /* writes_early */
    WAIT(&full, 0);
    rest(out, in, 0);
}

KERNEL(overwrites_readers)
{
    SHARED;
    for (int k = 0; k < rounds; k++) {
        BRING(k);
        WAIT(&full, k % 2);
        __syncthreads();
        out[MINE + k * tile + T] = place[T] + 1; /* overwrites_readers */
    }
}

KERNEL(arrives_before_reading)
{
    SHARED;
    for (int k = 0; k < rounds; k++) {
        if (T == 0) {
            WAIT(&empty, (k + 1) % 2);
            EXPECT(&full, tile * 4);
            LOAD(place, in + MINE + k * tile, &full); /* arrives_before_reading */
        }
        WAIT(&full, k % 2);
        if (T % 32 == 0)
            ARRIVE(&empty, 1);
        __syncwarp();
        out[MINE + k * tile + T] = place[T] + 1;
    }
}

ONCE(no_fence, FILL; __syncthreads(); if (T == 0) STORE(out + MINE, place))         /* no_fence */
ONCE(no_barrier_before_store, FILL; FENCE(); if (T == 32) STORE(out + MINE, place)) /* no_barrier_before_store */
ONCE(ends_early, FILL; SEND(0, place))                                              /* ends_early */
ONCE(ends_before_it_comes, BRING(0) rest(out, in, 0))                               /* ends_before_it_comes */
IN_GROUPS(source_written_again, (void)0)                                            /* source_written_again */
IN_GROUPS(waits_for_too_few_groups, WAIT_READ(1))                                   /* waits_for_too_few_groups */

#define BYTES(expected)                                                                                                \
    if (T == 0) {                                                                                                      \
        EXPECT(&full, expected);                                                                                       \
        LOAD(place, in + MINE, &full);                                                                                 \
    }                                                                                                                  \
    WAIT(&full, 0);                                                                                                    \
    OUT
ONCE(bytes_do_not_come, BYTES(tile * 4 + 16)) /* bytes_do_not_come */
ONCE(too_many_bytes, BYTES(tile * 4 - 16))    /* too_many_bytes */

KERNEL(arrival_is_missing)
{
    SHARED;
    if (T == 0)
        ARRIVE(&empty, 1);
    WAIT(&empty, 0); /* arrival_is_missing */
    rest(out, in, 0);
}

KERNEL(too_many_arrive)
{
    SHARED;
    if (T == 0)
        ARRIVE(&empty, 3); /* too_many_arrive */
    rest(out, in, 0);
}

KERNEL(no_init)
{
    __shared__ u64 none;
    ARRIVE(&none, 1); /* no_init */
    rest(out, in, 0);
}

KERNEL(tile_not_aligned)
{
    SHARED;
    if (T == 0) {
        EXPECT(&full, 128);
        LOAD_TILE(place, map, 5, &full); /* tile_not_aligned */
    }
    WAIT(&full, 0);
    rest(out, in, 0);
}

KERNEL(neighbour_is_gone)
{
    __shared__ int mine;
    if (T == 0)
        mine = 0;
    CLUSTER_SYNC();
    rest(out, in, 0);
    if (blockIdx.x % 2 == 1) {
        const int *there = cg::this_cluster().map_shared_rank(&mine, 0);
        out[MINE + T] = in[MINE + T] + 1 + (((volatile const int *)there)[0] < 0); /* neighbour_is_gone */
    }
}

KERNEL(arrives_twice)
{
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); /* arrives_twice */
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    rest(out, in, 0);
}

#define COPY(k)                                                                                                        \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&stages[(k) % 2][T])),                            \
                 "l"(in + MINE + (k)*tile + T)                                                                         \
                 : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_GROUPS(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
#define PIPELINE(n)                                                                                                    \
    __shared__ int stages[2][tile];                                                                                    \
    COPY(0);                                                                                                           \
    COMMIT();                                                                                                          \
    for (int k = 0; k < rounds; k++) {                                                                                 \
        if (k + 1 < rounds)                                                                                            \
            COPY(k + 1);                                                                                               \
        COMMIT();                                                                                                      \
        WAIT_GROUPS(n);                                                                                                \
        __syncthreads();                                                                                               \
        out[MINE + k * tile + T] = stages[k % 2][T] + 1;                                                               \
        __syncthreads();                                                                                               \
    }

KERNEL(lanes_wait_for_too_few){
    PIPELINE(2) /* lanes_wait_for_too_few */
}

KERNEL(lanes_do_not_commit)
{
    __shared__ int stages[2][tile];
    COPY(0);
    WAIT_GROUPS(0);
    __syncthreads();
    out[MINE + T] = stages[0][T] + 1; /* lanes_do_not_commit */
    rest(out, in, 1);
}

#define NEIGHBOUR(p) cg::this_cluster().map_shared_rank(p, cg::this_cluster().block_rank() ^ 1)

KERNEL(neighbour_may_write)
{
    __shared__ int mine[tile];
    CLUSTER_SYNC();
    mine[T] = in[MINE + T];
    __syncthreads();
    out[MINE + T] = NEIGHBOUR(mine)[T] + 1; /* neighbour_may_write */
    CLUSTER_SYNC();
}

KERNEL(neighbour_may_read)
{
    __shared__ int mine[tile];
    mine[T] = in[MINE + T];
    CLUSTER_SYNC();
    if (blockIdx.x % 2 == 0)
        out[MINE + T] = NEIGHBOUR(mine)[T] + 1;
    else
        mine[T] = 0; /* neighbour_may_read */
    CLUSTER_SYNC();
}

/* ---- Right ---- */

KERNEL(lanes_copy){PIPELINE(1)}

KERNEL(waits)
{
    SHARED;
    for (int k = 0; k < rounds; k++) {
        BRING(k);
        WAIT(&full, k % 2);
        out[MINE + k * tile + T] = place[tile - 1 - T] * 0 + place[T] + 1;
        __syncthreads();
    }
}

/* One warp waits, and tells the other by a barrier. */
KERNEL(is_told)
{
    SHARED;
    if (T == 0) {
        EXPECT(&full, tile * 4);
        LOAD(place, in + MINE, &full);
        WAIT(&full, 0);
    }
    __syncthreads();
    out[MINE + T] = place[T] + 1;
    rest(out, in, 1);
}

/* The same by a barrier that one warp only arrives at. */
KERNEL(is_told_by_name)
{
    SHARED;
    if (T < 32) {
        BRING(0);
        WAIT(&full, 0);
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        out[MINE + T] = place[T] + 1;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[MINE + T] = place[T] + 1;
    }
    rest(out, in, 1);
}

KERNEL(empties)
{
    SHARED;
    for (int k = 0; k < rounds; k++) {
        if (T == 0) {
            WAIT(&empty, (k + 1) % 2);
            EXPECT(&full, tile * 4);
            LOAD(place, in + MINE + k * tile, &full);
        }
        WAIT(&full, k % 2);
        out[MINE + k * tile + T] = place[T] + 1;
        __syncwarp();
        if (T % 32 == 0)
            ARRIVE(&empty, 1);
    }
}

IN_GROUPS(stores, WAIT_READ(0))

/* Two places in turn, so that one group may be left. */
KERNEL(stores_in_turn)
{
    SHARED;
    __shared__ __align__(128) int second[tile];
    for (int k = 0; k < rounds; k++) {
        int *const to = k % 2 ? second : place;
        if (T == 0)
            WAIT_READ(1);
        __syncthreads();
        to[T] = in[MINE + k * tile + T] + 1;
        SEND(k, to);
    }
    if (T == 0)
        WAIT_READ(0);
}

/* The fence is of the warp that stores, behind the barrier. */
KERNEL(fence_of_one)
{
    SHARED;
    place[T] = in[MINE + T] + 1;
    __syncthreads();
    if (T == 0) {
        FENCE();
        STORE(out + MINE, place);
        WAIT_READ(0);
    }
    rest(out, in, 1);
}

/* What came by a copy needs no fence to be changed in place, but what is written does. */
KERNEL(changes_in_place)
{
    SHARED;
#pragma unroll
    for (int k = 0; k < rounds; k++) {
        if (T == 0) {
            WAIT_READ(0);
            EXPECT(&full, tile * 4);
            LOAD(place, in + MINE + k * tile, &full);
        }
        WAIT(&full, k % 2);
        place[T] += 1;
        SEND(k, place);
    }
    if (T == 0)
        WAIT_READ(0);
}

/* As NVIDIA's guide does it, by libcu++. */
KERNEL(by_the_library)
{
    using barrier_type = cuda::barrier<cuda::thread_scope_block>;
    __shared__ __align__(16) int data[tile];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier_type bar;
    if (T == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        if (T == 0)
            cuda::memcpy_async(data, in + MINE + k * tile, cuda::aligned_size_t<16>(sizeof data), bar);
        bar.arrive_and_wait();
        out[MINE + k * tile + T] = data[T] + 1;
        bar.arrive_and_wait();
    }
}

/* Blocks exchange what they have, and stay until all have read it. */
KERNEL(neighbours)
{
    __shared__ int mine[tile];
    mine[T] = in[(MINE ^ (rounds * tile)) + T];
    CLUSTER_SYNC();
    out[MINE + T] = cg::this_cluster().map_shared_rank(mine, cg::this_cluster().block_rank() ^ 1)[T] + 1;
    CLUSTER_SYNC();
    rest(out, in, 1);
}

/* A copy for both blocks of a cluster, each of which waits for its own. */
KERNEL(for_both)
{
    SHARED;
    __shared__ __align__(128) int second[tile];
    const u32 rank = cg::this_cluster().block_rank();
    if (T == 0)
        EXPECT(&full, 2 * tile * 4);
    CLUSTER_SYNC();
    if (T == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(at(rank ? second : place)),
                     "l"(in + MINE), "r"(tile * 4), "r"(at(&full)), "h"((short)3)
                     : "memory");
    WAIT(&full, 0);
    out[MINE + T] = (rank ? second : place)[T] + 1;
    rest(out, in, 1);
    CLUSTER_SYNC();
}

/* ---- The library ---- */

struct arrays {
    cugate::array<int> in, out;
    CUtensorMap map;

    int open()
    {
        void *found;
        cudaDriverEntryPointQueryResult result;
        const cuuint64_t size = count, no_strides = 0;
        const cuuint32_t box = 32, step = 1;
        CUGATE_TRY(in.fill(count, [](size_t i) { return i; }));
        CUGATE_TRY(out.fill(count, [](size_t) { return 0; }));
        CUGATE_TRY(
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
        return ((decltype(&cuTensorMapEncodeTiled))found)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, in.data, &size,
                                                          &no_strides, &box, &step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                          CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    }
    int restore()
    {
        CUGATE_TRY(in.reset());
        return out.reset();
    }
    int verify(cugate::why &why)
    {
        return out.compare(why, [](size_t i) { return i + 1; });
    }
    int launch(void (*kernel)(int *, const int *, CUtensorMap), unsigned cluster)
    {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.gridDim = blocks;
        config.blockDim = threads;
        config.attrs = &attribute;
        config.numAttrs = cluster > 1;
        return cudaLaunchKernelEx(&config, kernel, out.data, (const int *)in.data, map);
    }
};

#define ROW_OF(name, cluster) .variant(#name, "see there", [](arrays &a) { return a.launch(name, cluster); })
#define ROW(name) ROW_OF(name, 1)
#define FAMILY(name) cugate::family<arrays>(name, "see there")

/* clang-format off */
CUGATE_LIBRARY(
    FAMILY("wrong")
        ROW(reads_early) ROW(waits_for_wrong_phase) ROW(one_warp_waits) ROW(writes_early) ROW(overwrites_readers)
        ROW(arrives_before_reading) ROW(no_fence) ROW(no_barrier_before_store) ROW(source_written_again) ROW(ends_early)
        ROW(ends_before_it_comes) ROW(waits_for_too_few_groups) ROW(bytes_do_not_come) ROW(too_many_bytes) ROW(arrival_is_missing)
        ROW(too_many_arrive) ROW(no_init) ROW(tile_not_aligned) ROW_OF(neighbour_is_gone, 2) ROW_OF(arrives_twice, 2)
        ROW(lanes_wait_for_too_few) ROW(lanes_do_not_commit) ROW_OF(neighbour_may_write, 2)
        ROW_OF(neighbour_may_read, 2),
    FAMILY("right")
        ROW(waits) ROW(is_told) ROW(is_told_by_name) ROW(empties) ROW(stores) ROW(stores_in_turn) ROW(fence_of_one)
        ROW(changes_in_place) ROW(by_the_library) ROW(lanes_copy) ROW_OF(neighbours, 2) ROW_OF(for_both, 2))
/* clang-format on */
