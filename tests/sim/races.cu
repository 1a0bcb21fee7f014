/* Kernels whose blocks race in global memory, on the line whose comment is the kernel's name, and such as are written
 * alike and are right, or may be, for tests/sim/faults.sh. Four blocks of 64 threads begin with zeros in `words` and
 * `more`, and each with its own number in `in`. */
#include "bulk.cuh"

#include <cugate/kernel.hpp>

#define _CG_LIMIT_INCLUDED_DEPENDENCIES /* without <cuda/atomic>, which takes seconds */
#include <cooperative_groups.h>

enum { threads = 64, blocks = 4, count = threads * blocks };

struct state {
    int words[2 * count];
    int more[count];
    float4 four;
    unsigned char bytes[count];
    unsigned flag, tickets;
};
__device__ state s;

#define KERNEL(name) __global__ void name(const int *in)
/* What each thread does; or those where a condition holds. */
#define EACH(name, ...)                                                                                                \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define WHERE(name, condition, ...) EACH(name, if (condition) __VA_ARGS__)
#define T threadIdx.x
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define N (gridDim.x * blockDim.x)
#define NEXT ((I + threads / 2) % N) /* half of them are of the next block */

/* ---- Races ---- */

WHERE(sum, T == 0, s.words[0] += in[I])      /* sum */
WHERE(last_wins, T == 0, s.words[0] = in[I]) /* last_wins */

KERNEL(in_place)
{
    __shared__ int tile[threads + 1];
    tile[T] = s.words[I];
    if (T == 0)
        tile[threads] = s.words[(I + threads) % N]; /* in_place */
    __syncthreads();
    s.words[I] = tile[T] + tile[T + 1] + in[I];
}

EACH(gathered, s.words[I] += s.words[(unsigned)(in[I] + threads / 2) % N] + in[I]) /* gathered */

KERNEL(zeroed_by_one)
{
    if (I == 0)
        s.words[0] = 0; /* zeroed_by_one */
    __syncthreads();
    if (T == 0)
        atomicAdd(&s.words[0], in[I] + 1);
}

KERNEL(read_by_last)
{
    if (T == 0)
        s.words[blockIdx.x] = in[I] + 1;
    if (I == N - 1)
        for (unsigned b = 0; b < blocks; b++)
            s.more[0] += s.words[b]; /* read_by_last */
}

KERNEL(total_read)
{
    atomicAdd(&s.words[0], in[I]);
    __syncthreads();
    s.words[1 + I] = in[I] * s.words[0]; /* total_read */
}

WHERE(saturates, T == 0 && s.words[0] < 1000, s.words[0] += in[I] + 1) /* saturates */

KERNEL(quads)
{
    if (T == 0) {
        float4 four = s.four;
        four.x += 1;
        four.w += (float)in[I];
        s.four = four; /* quads */
    }
}

__device__ __noinline__ void add(int *to, int value)
{
    *to = *to + value; /* called */
}
WHERE(called, T == 0, add(s.words + in[T], in[I] + 1))

KERNEL(pushed)
{
    const int at = atomicAdd(&s.words[count], 1);
    if (T == 0)
        s.words[0] = at + in[I]; /* pushed */
}

#define UNFENCED(name, loaded, ...)                                                                                    \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __shared__ bool last;                                                                                          \
        if (T == 0) {                                                                                                  \
            s.words[blockIdx.x] = in[I] + 1;                                                                           \
            __VA_ARGS__;                                                                                               \
            last = atomicInc(&s.tickets, blocks - 1) == blocks - 1;                                                    \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        if (last && T < blocks)                                                                                        \
            s.more[T] = loaded;                                                                                        \
    }
UNFENCED(fence_missing, s.words[T])                       /* fence_missing */
UNFENCED(past_l1_unfenced, __ldcg(&s.words[T]))           /* past_l1_unfenced */
UNFENCED(volatile_unfenced, ((volatile int *)s.words)[T]) /* volatile_unfenced */
UNFENCED(not_coherent, __ldg(&s.words[T]), __threadfence()) /* not_coherent */

KERNEL(reduced_unfenced)
{
    __shared__ bool last;
    if (T == 0) {
        if (blockIdx.x == 0)
            atomicAdd(&s.words[0], in[I] + 1); /* without an answer, it may not be done */
        last = atomicInc(&s.tickets, blocks - 1) == blocks - 1;
    }
    __syncthreads();
    if (last && T == 0)
        s.more[0] = s.words[0]; /* reduced_unfenced */
}

KERNEL(table_unfenced)
{
    if (blockIdx.x == 0) {
        s.words[T] = in[T] * 7 % threads + 1;
        __syncthreads();
        if (T == 0)
            *(volatile unsigned *)&s.flag = 1;
    } else if (T == 0) {
        while (*(volatile unsigned *)&s.flag == 0)
            continue;
    }
    __syncthreads();
    int at = (int)T;
    for (int k = 0; k < 4; k++)
        at = s.words[at & (threads - 1)]; /* table_unfenced */
    s.more[I] = at;
}

KERNEL(torn)
{
    if (T == 0 && in[I] % 100 > s.words[0]) {
        s.words[0] = in[I] % 100;
        s.words[1] = in[I]; /* torn */
    }
}

KERNEL(meets_unfenced) /* all blocks wait for each other, and the last one sets back what they count */
{
    if (T == 0) {
        s.words[blockIdx.x] = in[I] + 1;
        atomicAdd(&s.tickets, 1);
        while (*(volatile unsigned *)&s.tickets < blocks)
            continue;
        if (atomicAdd(&s.flag, 1) == blocks - 1)
            s.tickets = 0; /* meets_unfenced */
    }
    __syncwarp();
    s.more[I] = T < blocks ? s.words[T] : 0;
}

#define TILE                                                                                                           \
    __shared__ __align__(128) int tile[threads];                                                                       \
    tile[T] = in[I] + 1;                                                                                               \
    asm volatile("fence.proxy.async;" ::: "memory");                                                                   \
    __syncthreads()
#define SEND(operation, to)                                                                                            \
    asm volatile(operation " [%0], [%1], %2;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::"l"(to), \
                 "r"(bulk::at(tile)), "r"(threads * 4)                                                                 \
                 : "memory")
#define COPY(to, from)                                                                                                 \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.wait_all;" ::"r"(bulk::at(to)), "l"(from)       \
                 : "memory")
#define STORE "cp.async.bulk.global.shared::cta.bulk_group"
#define ADD "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32"

KERNEL(copied_early)
{
    __shared__ int tile[threads];
    s.words[I] = in[I] + 1;
    __syncthreads();
    COPY(&tile[T], &s.words[NEXT]); /* copied_early */
    __syncthreads();
    s.more[I] = tile[T ^ 1];
}

KERNEL(brought_early)
{
    __shared__ __align__(128) int tile[threads];
    __shared__ uint64_t full;
    s.words[I] = in[I] + 1;
    if (T == 0) {
        INIT(&full, 1);
        EXPECT(&full, threads * 4);
        LOAD_BYTES(tile, s.words + (I + threads) % N, threads * 4, &full); /* brought_early */
    }
    __syncthreads();
    WAIT(&full, 0);
    s.more[I] = tile[T];
}

KERNEL(sent_over)
{
    TILE;
    if (T == 0)
        SEND(STORE, s.words + I / 2); /* sent_over */
}

KERNEL(sent_unordered)
{
    TILE;
    if (T == 0)
        SEND(STORE, s.words + I);
    __syncthreads();
    s.more[I] = s.words[NEXT]; /* sent_unordered */
}

KERNEL(cleared_by_one)
{
    TILE;
    if (blockIdx.x == 0)
        s.words[T] = 0; /* cleared_by_one */
    if (T == 0)
        SEND(ADD, s.words);
}

/* ---- May be meant ---- */

KERNEL(relaxes)
{
    const int own = s.words[I] + in[I] + 1, there = s.words[NEXT];
    if (there == 0 || own < there) {
        s.words[NEXT] = own;
        s.flag = 1;
    }
}

WHERE(least, T == 0, s.words[0] = min(s.words[0], -in[I]))
WHERE(largest, T == 0 && in[I] > s.words[0], s.words[0] = in[I])

KERNEL(parents)
{
    if (s.words[I % 32] == 0) {
        s.words[I % 32] = 1;
        s.more[I % 32] = in[I];
    }
}

KERNEL(jumps)
{
    if (s.words[I] == 0)
        s.words[I] = in[I] / 2;
    s.words[I] = s.words[s.words[I]];
}

WHERE(volatile_sum, T == 0, *(volatile int *)&s.words[0] = *(volatile int *)&s.words[0] + in[I])

/* ---- Right ---- */

KERNEL(levels)
{
    if (s.words[I] == 0 && I % 3 == 0)
        s.words[I] = 1;
    if (s.words[NEXT] == 0)
        s.words[NEXT] = 1;
    if (s.words[0] == 0)
        s.words[0] = 1;
    s.more[I] = in[I];
}

__device__ int root_of(int at)
{
    while (s.words[at] != at) {
        s.words[at] = s.words[s.words[at]];
        at = s.words[at];
    }
    return at;
}
__global__ void each_its_own()
{
    s.words[I] = (int)I;
}
KERNEL(unites)
{
    int one = root_of((int)I), other = root_of((int)(I + in[count / 2]) % count);
    while (one != other) {
        if (one < other) {
            const int swap = one;
            one = other;
            other = swap;
        }
        const int seen = atomicCAS(&s.words[one], one, other);
        if (seen == one)
            break;
        one = root_of(seen);
        other = root_of(other);
    }
}
__global__ void flattens()
{
    s.more[I] = root_of((int)I);
}
__global__ void forgets()
{
    s.words[I] = 0;
}

KERNEL(last_block)
{
    __shared__ bool last;
    s.words[I] = in[I];
    __threadfence();
    __syncthreads();
    if (T == 0)
        last = atomicInc(&s.tickets, blocks - 1) == blocks - 1;
    __syncthreads();
    if (last)
        s.more[T] = s.words[T] + s.words[T + threads] + s.words[N - 1 - T];
}

KERNEL(ticket_back) /* the atomics on the ticket have answered before their blocks count themselves done */
{
    if (T == 0) {
        s.more[blockIdx.x] = (int)atomicAdd(&s.flag, 1);
        if (atomicInc(&s.tickets, blocks - 1) == blocks - 1)
            s.flag = 0;
    }
}

KERNEL(looks_at_words) /* which are ready when they are not 0, whatever the tickets order */
{
    if (T == 0)
        for (unsigned tile; (tile = atomicAdd(&s.tickets, 1)) < 2 * blocks;) {
            int before = tile == 0;
            while (before == 0)
                before = ((volatile int *)s.words)[tile - 1];
            s.words[tile] = before + 1;
            s.more[tile] = before;
        }
}

KERNEL(looks_back)
{
    __shared__ unsigned tile;
    if (T == 0) {
        tile = atomicAdd(&s.tickets, 1);
        s.more[tile] = in[T + 1] + (tile > 0 ? 0 : 1);
        if (tile > 0) {
            while (((volatile int *)s.words)[tile - 1] == 0)
                continue;
            __threadfence();
            s.more[tile] += s.more[tile - 1];
        }
        __threadfence();
        ((volatile int *)s.words)[tile] = 1;
    }
}

KERNEL(releases)
{
    int seen = 0;
    if (T != 0)
        return;
    if (blockIdx.x > 0)
        while (seen == 0)
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(s.words + blockIdx.x - 1) : "memory");
    s.more[blockIdx.x] = in[I] + (blockIdx.x > 0 ? s.more[blockIdx.x - 1] : 0);
    asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(s.words + blockIdx.x), "r"(1) : "memory");
}

KERNEL(same_values)
{
    s.words[T] = in[T] * 3 + 1;
    s.flag = 1;
    __syncthreads();
    s.more[I] = s.words[(T + 1) % threads];
}

KERNEL(grid_sync)
{
    s.words[I] = in[I];
    for (int k = 0; k < 2; k++) {
        cooperative_groups::this_grid().sync();
        const int next = s.words[NEXT];
        cooperative_groups::this_grid().sync();
        s.words[I] += next;
    }
}

KERNEL(own_barrier)
{
    s.words[I] = in[I];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(&s.tickets, 1);
        while (*(volatile unsigned *)&s.tickets < blocks)
            continue;
        __threadfence();
    }
    __syncthreads();
    s.more[I] = s.words[NEXT];
}

WHERE(changed, in[I] % 3 == 0 && s.flag == 0, s.flag = 1)
WHERE(bytes, T % 4 == blockIdx.x, s.bytes[T] = (unsigned char)(in[I] + 1))

__global__ void __cluster_dims__(2, 1, 1) clusters(const int *in)
{
    s.words[I] = in[I];
    cooperative_groups::this_cluster().sync();
    s.more[I] = s.words[I ^ threads];
}

KERNEL(sends)
{
    __shared__ bool last;
    TILE;
    if (T == 0) {
        SEND(STORE, s.words + I);
        SEND(ADD, s.more);
        __threadfence();
        last = atomicInc(&s.tickets, blocks - 1) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        s.more[threads + T] = s.words[T] + s.words[T + threads] + s.more[T];
}

KERNEL(sends_the_same) /* tiles that overlap */
{
    __shared__ __align__(128) int tile[threads];
    tile[T] = (int)(I - blockIdx.x * (threads / 2)) + 1;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (T == 0)
        SEND(STORE, s.words + I / 2);
}

/* ---- The library ---- */

struct arrays {
    cugate::array<int> in;

    int open()
    {
        return in.fill(count, [](size_t i) { return i; });
    }
    int restore()
    {
        static const state none = {};
        CUGATE_TRY(in.reset());
        return cudaMemcpyToSymbol(s, &none, sizeof none);
    }
    int verify(cugate::why &)
    {
        return 0;
    }
};

#define LAUNCH(name) name<<<blocks, threads>>>(a.in.data)
#define ROW_OF(name, ...) .variant(#name, "see there", [](arrays &a) { __VA_ARGS__; })
#define ROW(name) ROW_OF(name, LAUNCH(name))
#define FAMILY(name) cugate::family<arrays>(name, "see there")

static void launch_together(void (*kernel)(const int *), const int *in)
{
    void *arguments[] = {&in};
    cudaLaunchCooperativeKernel((const void *)kernel, blocks, threads, arguments, 0, 0);
}

/* clang-format off */
CUGATE_LIBRARY(
    FAMILY("wrong")
        ROW(sum) ROW(last_wins) ROW(in_place) ROW(gathered) ROW(zeroed_by_one) ROW(read_by_last) ROW(total_read)
        ROW(saturates) ROW(quads) ROW(called) ROW(pushed) ROW(fence_missing)
        ROW(past_l1_unfenced) ROW(volatile_unfenced) ROW(not_coherent) ROW(meets_unfenced)
        ROW(table_unfenced) ROW(reduced_unfenced) ROW(torn)
        ROW(copied_early) ROW(brought_early) ROW(sent_over) ROW(sent_unordered) ROW(cleared_by_one),
    FAMILY("meant")
        ROW(relaxes) ROW(least) ROW(largest) ROW(parents) ROW(jumps) ROW(volatile_sum),
    FAMILY("right")
        ROW(levels) ROW(last_block) ROW(ticket_back) ROW(looks_back) ROW(looks_at_words) ROW(releases)
        ROW_OF(unites, (each_its_own<<<blocks, threads>>>()); LAUNCH(unites); (flattens<<<blocks, threads>>>());
               (forgets<<<blocks, threads>>>()))
        ROW_OF(grid_sync, launch_together(grid_sync, a.in.data))
        ROW(same_values) ROW(own_barrier) ROW(changed) ROW(bytes)
        ROW(clusters) ROW(sends) ROW(sends_the_same))
/* clang-format on */
