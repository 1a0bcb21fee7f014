/* Kernels with one fault each, kernels that depend on what comes first, and right ones that look like these, for
 * tests/sim/faults.sh. That looks for the line whose comment is the kernel's name. A right kernel adds one to each
 * number. */
#include <cugate/kernel.hpp>

#include <assert.h>
#define _CG_LIMIT_INCLUDED_DEPENDENCIES /* without <cuda/atomic>, which takes seconds */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <math.h>
#include <stdint.h>

enum { count = 1024, threads = 64, blocks = 4 };

#define KERNEL(name) __global__ void name(int *out, const int *in, unsigned zero)
/* What each thread does; or those where a condition holds. */
#define EACH(name, ...)                                                                                                \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define WHERE(name, condition, ...) EACH(name, if (condition) __VA_ARGS__)
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define T threadIdx.x

/* ---- Wrong ---- */

EACH(read_beyond, out[I] = in[I + count - threads * blocks + 1 + zero]) /* read_beyond */
    EACH(write_before, out[(int)I - 1] = in[I])                         /* write_before */

        KERNEL(wild_pointer)
        {
            const int *nowhere = (const int *)(uintptr_t)(zero + 64);
            out[I] = nowhere[T]; /* wild_pointer */
        }

KERNEL(misaligned)
{
    const int4 four = *(const int4 *)(in + I + 1); /* misaligned */
    out[I] = four.x + four.y + four.z + four.w;
}

KERNEL(misaligned_shared)
{
    __shared__ int tile[threads * 2];
    tile[T] = in[I];
    tile[T + threads] = in[I];
    __syncthreads();
    const int2 two = *(const int2 *)(tile + T + zero); /* misaligned_shared */
    out[I] = two.x + two.y;
}

KERNEL(shared_beyond)
{
    __shared__ int tile[threads];
    tile[T + 1 + zero] = in[I]; /* shared_beyond */
    __syncthreads();
    out[I] = tile[T];
}

/* Threads for whom the condition holds write their word. */
#define UNWRITTEN(name, condition)                                                                                     \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __shared__ int tile[threads];                                                                                  \
        if (condition)                                                                                                 \
            tile[T] = in[I];                                                                                           \
        __syncthreads();                                                                                               \
        out[I] = tile[T];                                                                                              \
    }
UNWRITTEN(shared_unwritten, T < 32)        /* shared_unwritten */
UNWRITTEN(shared_partly_unwritten, T >= 2) /* shared_partly_unwritten */

KERNEL(shared_rest_unwritten)
{
    __shared__ int4 tile[threads];
    tile[T].x = in[I];
    tile[T].y = in[I];
    __syncthreads();
    const int4 four = tile[T]; /* shared_rest_unwritten */
    out[I] = four.x + four.y + four.z + four.w;
}

KERNEL(writes_meet)
{
    __shared__ int tile[threads];
    tile[T % 32] = in[I]; /* writes_meet */
    __syncthreads();
    out[I] = tile[T % 32];
}

KERNEL(read_after_write)
{
    __shared__ int tile[threads];
    tile[T] = in[I];
    out[I] = ((volatile int *)tile)[threads - 1 - T]; /* read_after_write */
}

KERNEL(write_after_read)
{
    __shared__ int tile[threads];
    tile[T] = in[I];
    __syncthreads();
    const int other = ((volatile int *)tile)[threads - 1 - T]; /* write_after_read */
    ((volatile int *)tile)[T] = other + 1;
    __syncthreads();
    out[I] = tile[T];
}

KERNEL(added_before_zero)
{
    __shared__ int sums[threads];
    sums[T] = 0; /* added_before_zero */
    atomicAdd(&sums[threads - 1 - T], in[I] + 1);
    __syncthreads();
    out[I] = sums[threads - 1 - T];
}

KERNEL(read_before_added)
{
    __shared__ int sums[threads];
    sums[T] = 0;
    __syncthreads();
    atomicAdd(&sums[threads - 1 - T], in[I] + 1); /* read_before_added */
    out[I] = ((volatile int *)sums)[T];
}

/* Takes long, so that lanes part: a short branch is predicated. */
__device__ __noinline__ int walk(const int *in, int at)
{
    for (int steps = at % 8 + 2; steps > 0; steps--)
        at = in[at % threads] + steps;
    return at;
}

/* Lanes in one branch do the first, those in the other one the second, and all do the others in between and last. */
#define BRANCHES(name, begin, first, between, second, last)                                                            \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __shared__ volatile int tile[threads];                                                                         \
        const int at = walk(in, in[I]);                                                                                \
        int seen = (int)zero;                                                                                          \
        tile[T] = begin;                                                                                               \
        __syncthreads();                                                                                               \
        if ((T & 16) && walk(in, at) >= 0)                                                                             \
            first;                                                                                                     \
        between;                                                                                                       \
        if (!(T & 16) && walk(in, at) >= 0)                                                                            \
            second;                                                                                                    \
        __syncwarp();                                                                                                  \
        last;                                                                                                          \
        out[I] = in[I] + 1 + seen;                                                                                     \
    }
BRANCHES(branch_read, at, tile[T] = 0, , seen = tile[T + 16], )    /* branch_read */
BRANCHES(branch_written, 0, seen = tile[T - 16], , tile[T] = at, ) /* branch_written */
BRANCHES(branches_join, at, tile[T] = 0, __syncwarp(), seen = tile[T + 16], )
BRANCHES(branches_write, 0, tile[T & ~16] = at, , tile[T & ~16] = at + 1, seen = tile[T & ~16]) /* branches_write */
BRANCHES(branches_agree, 0, tile[T & ~16] = 7, , tile[T & ~16] = 7, seen = tile[T & ~16] - 7)

/* Both warps add to the same numbers. */
EACH(sums_meet, out[T % 32] += in[I]) /* sums_meet */

/* Each warp adds one for a warp: in whichever order they come, and unless they come at once, the sum is right. Of
 * floats, of which it is large, what is lost is in the last bits. */
#define MEET(name, type, first)                                                                                        \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __shared__ volatile type sum;                                                                                  \
        if (T == 0)                                                                                                    \
            sum = first;                                                                                               \
        __syncthreads();                                                                                               \
        if (T % 32 == 0)                                                                                               \
            sum = sum + 1;                                                                                             \
        __syncthreads();                                                                                               \
        out[threads * blocks + blockIdx.x] = (int)sum;                                                                 \
        out[I] = in[I] + 1;                                                                                            \
    }
    MEET(counts_meet, int, 0)         /* counts_meet */
MEET(large_sums_meet, float, 0x1p20f) /* large_sums_meet */

/* A warp reads what the other one is writing. */
KERNEL(neighbour_in_global)
{
    out[I] = in[I] + 1; /* neighbour_in_global */
    out[I] = out[I ^ 32];
}

KERNEL(local_beyond)
{
    int own[64];
    for (unsigned k = 0; k < 64; k++)
        own[k] = in[(I + k) % count];
    for (unsigned k = 0; k < 8; k++)
        own[own[k] % 64] = own[k];                 /* an array that has to lie in memory */
    out[I] = own[own[0] % 64 + 4096 * (zero + 1)]; /* local_beyond */
}

KERNEL(lost_barrier)
{
    if (T < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory"); /* lost_barrier */
    __syncthreads();
    out[I] = in[I];
}

KERNEL(trap)
{
    out[I] = in[I];
    if (in[I] == 7)
        __trap(); /* trap */
}

KERNEL(assertion)
{
    assert(in[I] != 7); /* assertion */
    out[I] = in[I];
}

WHERE(second_block, blockIdx.x == 1, out[I + count] = in[I]) /* second_block */

/* Near 2^64, from where one goes on at 0. */
KERNEL(wraps_around)
{
    const uintptr_t last = ~(uintptr_t)3 - zero;
    out[I] = *(const int *)(T == 1 ? last : (uintptr_t)(in + I)); /* wraps_around */
}

KERNEL(atomic_wraps_around)
{
    const uintptr_t last = ~(uintptr_t)3 - zero;
    atomicAdd((int *)(T == 1 ? last : (uintptr_t)(out + I)), in[I] + 1); /* atomic_wraps_around */
}

/* Lanes as far apart as in the round before, if one looks at lower words only. */
__device__ const char *four_gib;

KERNEL(lower_words_wrap)
{
    const uint64_t edge = ((uint64_t)(uintptr_t)four_gib >> 32) << 32;
    int sum = 0;
#pragma unroll 1
    for (unsigned round = 0; round < 2; round++) {
        const unsigned lower = (round == 0 ? 0xfffff000 : 0xffffff80) + T % 32 * 16 + zero;
        int one;
        asm volatile("ld.global.s32 %0, [%1];" : "=r"(one) : "l"(edge | lower)); /* lower_words_wrap */
        sum += one;
    }
    out[I] = in[I] + sum;
}

/* ---- What comes first decides ---- */

__device__ unsigned flag, tickets, lock;

KERNEL(waits_for_block)
{
    if (blockIdx.x == 0) {
        while (*(volatile unsigned *)&flag != blocks - 1) /* waits_for_block */
            ;
    } else if (T == 0) {
        atomicAdd(&flag, 1);
    }
    out[I] = in[I] + 1;
}

KERNEL(takes_lock)
{
    if (T == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) /* takes_lock */
            ;
        tickets = tickets + in[I];
        __threadfence();
        atomicExch(&lock, 0);
    }
    out[I] = in[I] + 1;
}

KERNEL(adds_by_swapping)
{
    unsigned old = *(volatile unsigned *)&tickets, seen;
    do {
        seen = old;
        old = atomicCAS(&tickets, seen, seen + 1); /* adds_by_swapping */
    } while (old != seen);
    out[I] = in[I] + 1;
}

/* Lanes swap words of 8 bytes in one bank, some of them the same. */
KERNEL(doubles_meet)
{
    __shared__ double sums[threads];
    sums[T] = 0;
    __syncthreads();
    atomicAdd(&sums[T % 4 * 16 + zero], 1.0); /* doubles_meet */
    __syncthreads();
    out[I] = in[I] + (sums[T % 4 * 16] == threads / 4);
}

/* How often the lanes look depends on how long they sleep, though the phase is over at once. */
KERNEL(sleeps_between_looks)
{
    __shared__ uint64_t phase;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&phase);
    unsigned over = 0;
    if (T == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(threads));
    __syncthreads();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
    while (true) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at) /* sleeps_between_looks */
                     : "memory");
        if (over)
            break;
        __nanosleep(20);
    }
    out[I] = in[I] + 1;
}

/* Work that does not show in the numbers. */
__device__ void work(int *out, const int *in, unsigned rounds)
{
    for (unsigned k = 0; k < rounds; k++)
        ((volatile int *)out)[I] = in[I] + (int)k;
    ((volatile int *)out)[I] = in[I] + 1;
}

#define BY_ANSWER(name, answer)                                                                                        \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __shared__ unsigned old;                                                                                       \
        if (T == 0)                                                                                                    \
            old = answer;                                                                                              \
        __syncthreads();                                                                                               \
        work(out, in, old *blockIdx.x);                                                                                \
    }
BY_ANSWER(ticket_decides, atomicAdd(&tickets, 1))                      /* ticket_decides */
BY_ANSWER(exchange_decides, atomicExch(&flag, blockIdx.x + 1))         /* exchange_decides */
BY_ANSWER(most_decides, atomicMax(&flag, blockIdx.x + 1))              /* most_decides */
BY_ANSWER(bits_decide, __popc(atomicOr(&flag, 1u << blockIdx.x)) + 1u) /* bits_decide */

/* A ticket a thread: of one warp they need not follow each other. */
KERNEL(threads_take_tickets)
{
    const unsigned ticket = atomicInc(&tickets, 1u << 20); /* threads_take_tickets */
    work(out, in, ticket % 32 == 31 ? 100 : ticket / 32);
}

/* Of however many blocks come before one of them has written. */
KERNEL(plain_race)
{
    const unsigned seen = flag; /* plain_race */
    __syncthreads();
    if (seen == 0)
        work(out, in, 100);
    if (T == 0)
        flag = 1;
    out[I] = in[I] + 1;
}

KERNEL(warps_take_tickets)
{
    __shared__ unsigned next;
    if (T == 0)
        next = 0;
    __syncthreads();
    unsigned ticket = 0;
    if (T % 32 == 0)
        ticket = atomicAdd(&next, 1); /* warps_take_tickets */
    work(out, in, __shfl_sync(~0u, ticket, 0) * (T / 32));
}

KERNEL(last_writes)
{
    if (T == 0)
        *(volatile unsigned *)&flag = blockIdx.x; /* last_writes */
    out[I] = in[I];
}

EACH(works_as_written, work(out, in, flag))

    /* Each block waits for the one that took a ticket before. As they do even work, each comes in time. */
    __device__ volatile unsigned states[blocks + 1];
#define LOOKS_BACK(name, own, look, waits)                                                                             \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __shared__ unsigned tile;                                                                                      \
        if (T == 0) {                                                                                                  \
            tile = atomicAdd(&tickets, 1);                                                                             \
            states[tile + 1] = own;                                                                                    \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        volatile unsigned *const before = states + tile + (tile == 0);                                                 \
        unsigned seen;                                                                                                 \
        do                                                                                                             \
            seen = look;                                                                                               \
        while (waits);                                                                                                 \
        out[I] = in[I] + seen;                                                                                         \
    }
LOOKS_BACK(looks_back, 1, *before, seen == 0)                                                    /* looks_back */
LOOKS_BACK(looks_by_swapping, 1, atomicCAS((unsigned *)before, 0, 0), seen == 0)                 /* looks_by_swapping */
LOOKS_BACK(looks_together, 1, T == 0 ? *before : 1, __syncthreads_or(seen == 0))                 /* looks_together */
LOOKS_BACK(looks_and_adds, 1 + in[in[in[tile]]] / 8, (atomicOr(out + I, 0), *before), seen == 0) /* looks_and_adds */

EACH(reads_clock, out[I] = in[I] + 1 + (clock64() == 0)) /* reads_clock */

    KERNEL(prints)
    {
        out[I] = in[I] + 1;
        if (I == 0)
            printf("%d\n", out[I]); /* prints */
    }

/* ---- In vain ---- */

/* Nobody sets the flag; what it reads beside it makes each look differ from the one before. */
KERNEL(never_told)
{
    while (*(volatile unsigned *)&flag == 0 && *(volatile unsigned *)&tickets < 7 + zero) /* never_told */
        continue;
    out[I] = in[I] + 1;
}

/* Each block waits for the last one, and keeps much local memory meanwhile. */
KERNEL(waits_for_last)
{
    int own[1 << 15];
    own[in[T] % (1 << 15)] = in[T];
    if (blockIdx.x + 1 == gridDim.x)
        atomicExch(&flag, 1u);
    while (*(volatile unsigned *)&flag == 0) /* waits_for_last */
        continue;
    out[T] = own[in[T + 1] % (1 << 15)];
}

/* All blocks wait for each other. Of their shared memory, four fit an SM. */
EACH(all_meet, __shared__ int large[12 << 10]; large[T] = in[I % count] + 1; /* one_too_many */
     if (T == 0) for (atomicAdd(&flag, 1); *(volatile unsigned *)&flag < gridDim.x;);
     __syncthreads(); if (I < threads * blocks) out[I] = large[T])

/* ---- Right ---- */

KERNEL(shared_atomics)
{
    __shared__ int sums[4];
    if (T < 4)
        sums[T] = 0;
    __syncthreads();
    atomicAdd(&sums[T % 4], 1);
    __syncthreads();
    out[I] = in[I] + sums[T % 4] / (threads / 4);
}

/* Each warp has sums of its own, and the last one takes what it needs by an answer. */
KERNEL(sums_of_warps)
{
    __shared__ int sums[threads], all;
    sums[T] = in[I] + 1;
    if (T == 0)
        all = 0;
    __syncwarp();
    atomicAdd(&sums[T ^ 1], (int)zero);
    __syncwarp();
    out[I] = sums[T];
    __syncthreads();
    if (T % 32 == 0 && atomicAdd(&all, 1) > threads)
        out[I] = 0;
}

KERNEL(warp_exchange)
{
    __shared__ int tile[threads];
    tile[T] = in[I];
    __syncwarp();
    const int other = tile[T ^ 31];
    __syncwarp();
    tile[T ^ 31] = other + 1;
    __syncwarp();
    out[I] = tile[T];
}

KERNEL(parts_of_words)
{
    __shared__ unsigned char bytes[threads * 2];
    bytes[T % 32 * 2 + T / 32] = in[I] & 0xff; /* of each word both warps write two bytes */
    __syncthreads();
    out[I] = (in[I] & ~0xff) + bytes[T % 32 * 2 + T / 32] + 1;
}

KERNEL(named_barriers)
{
    __shared__ int tile[32];
    if (T < 32) {
        tile[T] = in[I + 32];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        out[I] = in[I] + 1;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[I] = tile[T - 32] + 1;
    }
}

/* The last block to come adds up; which one that is does not show. */
KERNEL(last_block)
{
    __shared__ bool is_last;
    out[I] = in[I];
    __threadfence();
    __syncthreads();
    if (T == 0)
        is_last = atomicInc(&tickets, blocks - 1) == blocks - 1;
    __syncthreads();
    for (unsigned i = T; is_last && i < threads * blocks; i += threads)
        out[i] = ((volatile int *)out)[i] + 1;
}

/* Each block is whichever it gets. */
KERNEL(takes_tiles)
{
    __shared__ unsigned tile;
    if (T == 0)
        tile = atomicAdd(&tickets, 1);
    __syncthreads();
    out[tile * threads + T] = in[tile * threads + T] + 1;
}

/* No other thread swaps the word, so the first attempt does. */
KERNEL(swaps_own_word)
{
    while (__any_sync(~0u, atomicCAS(&out[I], 0, in[I] + 1) != 0))
        continue;
}

/* All write the same. */
KERNEL(says_it_was_there)
{
    if (T == 0)
        flag = 1;
    out[I] = in[I] + 1;
}

/* Reads again what others might change, and does not wait for it. */
KERNEL(volatile_in_loop)
{
    unsigned seen = 0;
    for (unsigned k = 0; k < 100; k++)
        seen += *(volatile unsigned *)&flag;
    out[I] = in[I] + 1 + (seen != 0);
}

/* Two warps in a tile, which waits in memory that the system keeps. */
KERNEL(tile_of_warps)
{
    __shared__ cooperative_groups::block_tile_memory<threads> memory;
    const auto block = cooperative_groups::this_thread_block(memory);
    const auto tile = cooperative_groups::tiled_partition<threads>(block);
    const int sum = cooperative_groups::reduce(tile, (int)T, cooperative_groups::plus<int>());
    out[I] = in[I] + (sum == threads * (threads - 1) / 2);
}

/* Both warps write the same. */
KERNEL(same_in_shared)
{
    __shared__ int any, tile[threads];
    tile[T] = in[I] >= 0;
    if (T == 0)
        any = 0;
    __syncthreads();
    if (tile[threads - 1 - T])
        any = 1;
    __syncthreads();
    out[I] = in[I] + any;
}

/* Warps take over what others wrote, behind a barrier. */
KERNEL(turned_in_global)
{
    out[I] = in[I];
    __syncthreads();
    const int other = out[I ^ 32];
    __syncthreads();
    out[I ^ 32] = other + 1;
}

/* In place, each block its own. */
KERNEL(in_place)
{
    out[I] = in[I];
    out[I] = ((volatile int *)out)[I] + 1;
}

KERNEL(flag_in_warp)
{
    __shared__ volatile int number[threads / 32];
    if (T % 32 == 0)
        number[T / 32] = in[I];
    __syncwarp();
    out[I] = in[I] + 1 + 0 * number[T / 32];
}

/* As merging does, and makes nothing of it. */
KERNEL(reads_one_too_many)
{
    __shared__ int tile[threads + 1];
    tile[T] = in[I];
    __syncthreads();
    const int next = tile[T + 1];
    out[I] = in[I] + 1 + (next == 1 << 30);
}

KERNEL(reused_tile)
{
    __shared__ int tile[threads];
    int sum = 1;
    for (unsigned k = 0; k < 4; k++) {
        tile[T] = in[I];
        __syncthreads();
        sum += tile[threads - 1 - T] - tile[threads - 1 - T];
        __syncthreads();
    }
    out[I] = in[I] + sum;
}

/* base - 4 * 0 carries into the upper word. */
KERNEL(negated_index)
{
    const uint64_t base = 0x500000000 + zero, index = (uint64_t)zero << 32 | (unsigned)in[I];
    out[I] = in[I] + 1 + ((base - 4 * index) >> 32 != (in[I] == 0 ? 5 : 4));
}

/* The upper word of infinity is no number as a float. */
KERNEL(infinity_chosen)
{
    double one = in[I];
    asm volatile("" : "+d"(one));
    one = in[I] % 2 == 0 ? (double)INFINITY : one;
    asm volatile("" : "+d"(one));
    out[I] = in[I] + 1 + (isinf(one) != (in[I] % 2 == 0));
}

__device__ unsigned seen(float one)
{
    asm volatile("" : "+f"(one));
    return __float_as_uint(one);
}

/* Neither a NaN nor a subnormal number is any other. */
KERNEL(bits_kept)
{
    const float one = (float)in[I];
    const unsigned wrong =
        (seen(in[I] < 0 ? one : __uint_as_float(0x7f812345)) != 0x7f812345) +
        (seen(in[I] < 1 ? __uint_as_float(0xffc00001) : one) != (in[I] < 1 ? 0xffc00001 : seen(one))) +
        (seen(in[I] < 2 ? __uint_as_float(3) : one) != (in[I] < 2 ? 3 : seen(one)));
    out[I] = in[I] + 1 + (int)wrong;
}

/* An immediate of 64 bits is their upper word. */
KERNEL(upper_word)
{
    float one = __ull2float_ru(UINT64_C(1) << 63), two = __ll2float_rd(-(INT64_C(1) << 62));
    asm volatile("" : "+f"(one), "+f"(two));
    out[I] = in[I] + (one == 0x1p63f) - (two != -0x1p62f);
}

/* Loads 16 bytes at once, as nvcc does it, whose first 4 nobody filled or uses. */
KERNEL(loads_more)
{
    __shared__ __align__(16) int tile[8];
    if (T < 4)
        tile[T + 1] = in[I];
    __syncthreads();
    out[I ^ 32] = tile[1] + tile[2] + tile[3] + tile[4] - in[blockIdx.x * blockDim.x] * 4 - 5 + in[I ^ 32];
}

/* Reads the next stage, in the last round one that nobody filled, which is not used then; or while the other warp
 * writes its sum there. */
#define AHEAD(name, first, last)                                                                                       \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __shared__ int stages[2][threads];                                                                             \
        const volatile int *const stage = stages[0];                                                                   \
        stages[0][T] = in[I];                                                                                          \
        first;                                                                                                         \
        __syncthreads();                                                                                               \
        int now = stage[T ^ 32], sum = 0;                                                                              \
        for (unsigned round = 0; round < 1 + zero; round++) {                                                          \
            const int next = stage[(round + 1) % 2 * threads + (T ^ 32)];                                              \
            sum += now;                                                                                                \
            now = next;                                                                                                \
        }                                                                                                              \
        last;                                                                                                          \
    }
AHEAD(reads_ahead, , out[I ^ 32] = sum + 1)
AHEAD(reads_aside, stages[1][T] = 0, stages[1][T] = sum + 1; __syncthreads(); out[I ^ 32] = stages[1][T])

/* ---- The library ---- */

/* The number of the barrier is in a register and its threads are an immediate; the first warp waits twice. */
KERNEL(barrier_in_register)
{
    const unsigned group = T / 32 + 1 + zero;
    for (unsigned k = group; k <= 2; k++)
        asm volatile("bar.sync %0, 32;" ::"r"(group) : "memory");
    out[I] = in[I] + 1;
}

/* Several lanes start a copy each, from places of their own. */
KERNEL(copies_by_lanes)
{
    __shared__ alignas(16) int tile[threads];
    tile[T] = in[I] + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (T < 8) {
        const unsigned from = (unsigned)__cvta_generic_to_shared(tile + T * 8);
        asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 32;" ::"l"(out + blockIdx.x * threads + T * 8),
            "r"(from)
            : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* The division of such small numbers calls a slow path, which returns to a function whose name begins as a constant
 * does. */

/* Reads four words at once, of which three are used: the other lies behind what is declared. */
KERNEL(reads_beyond)
{
    __shared__ int aside[3];
    __shared__ int words[4];
    if (T < 3)
        aside[T] = (int)zero;
    if (T < 4)
        words[T] = in[I] > 0 ? -1 : -2;
    __syncthreads();
    int most = (int)zero;
    for (int i = 1; i < 4; i++)
        most = max(most, words[i]);
    out[I] = in[I] + 1 + most + aside[1];
}
extern "C" KERNEL(calls_and_returns)
{
    out[I] = (int)((in[I] + 1) * 1e-310 / ((I + zero + 1) * 1e-310)) + (int)I;
}

/* Some lanes exit for whom two predicates hold. */
KERNEL(exits_by_two)
{
    const bool low = in[I % 16], high = in[(I + 4) % 16];
    if (low)
        out[I] = in[I] + 1;
    if (high)
        out[I] = in[I] + 1;
    if (low & high)
        return;
    out[I] = in[I] + 1;
}

/* Lanes whose copy is out of bounds write zeros, those of the second warp. */
KERNEL(copies_zeros)
{
    __shared__ alignas(16) int tile[threads * 4];
    const unsigned to = (unsigned)__cvta_generic_to_shared(tile + T * 4), bytes = (T + zero) % 64 < 32 ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + T * 4), "r"(bytes) : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    out[I] = in[I] + 1 + (T < 32 ? 0 : tile[T * 4]);
}

struct arrays {
    cugate::array<int> in, out;
    cugate::device_array<char> beyond_four_gib; /* so that 4 GiB end within */

    int open()
    {
        CUGATE_TRY(in.fill(count, [](size_t i) { return i; }));
        CUGATE_TRY(beyond_four_gib.allocate(((size_t)1 << 32) + 4096));
        return out.fill(count, [](size_t) { return 0; });
    }
    int restore()
    {
        const unsigned none = 0, before[blocks + 1] = {};
        CUGATE_TRY(in.reset());
        CUGATE_TRY(out.reset());
        CUGATE_TRY(cudaMemcpyToSymbol(four_gib, &beyond_four_gib.data, sizeof beyond_four_gib.data));
        CUGATE_TRY(cudaMemcpyToSymbol(states, before, sizeof before));
        CUGATE_TRY(cudaMemcpyToSymbol(flag, &none, sizeof none));
        CUGATE_TRY(cudaMemcpyToSymbol(tickets, &none, sizeof none));
        return cudaMemcpyToSymbol(lock, &none, sizeof none);
    }
    int verify(cugate::why &why)
    {
        return out.compare(why, [](size_t i) { return i < threads * blocks ? i + 1 : 0; });
    }
};

#define LAUNCH(name, blocks) name<<<blocks, threads>>>(a.out.data, a.in.data, 0)
#define ROW_OF(name, ...) .variant(#name, "see there", [](arrays &a) { __VA_ARGS__; })
#define ROW(name) ROW_OF(name, LAUNCH(name, blocks))
#define FAMILY(name) cugate::family<arrays>(name, "see there")

/* clang-format off */
CUGATE_LIBRARY(
    FAMILY("wrong")
        ROW(read_beyond) ROW(write_before) ROW(wild_pointer) ROW(misaligned) ROW(misaligned_shared) ROW(shared_beyond)
        ROW(shared_unwritten) ROW(shared_partly_unwritten) ROW(shared_rest_unwritten) ROW(writes_meet) ROW(read_after_write) ROW(write_after_read) ROW(sums_meet)
        ROW(added_before_zero) ROW(read_before_added)
        ROW(neighbour_in_global) ROW(local_beyond) ROW(lost_barrier) ROW(trap) ROW(assertion) ROW(second_block)
        ROW(wraps_around) ROW(atomic_wraps_around) ROW(lower_words_wrap) ROW(counts_meet) ROW(large_sums_meet) ROW(branch_read) ROW(branch_written)
        ROW(branches_write),
    FAMILY("timing")
        ROW(waits_for_block) ROW(takes_lock) ROW(doubles_meet) ROW(sleeps_between_looks) ROW(adds_by_swapping)
        ROW(reads_clock) ROW(prints) ROW(ticket_decides) ROW(exchange_decides) ROW(most_decides) ROW(bits_decide)
        ROW(threads_take_tickets) ROW(tile_of_warps) ROW(plain_race) ROW(warps_take_tickets)
        ROW(looks_back) ROW(looks_by_swapping) ROW(looks_together) ROW(looks_and_adds)
        ROW_OF(all_meet, LAUNCH(all_meet, 4 * 132))
        /* What the first launch leaves is what the second one works by. */
        ROW_OF(last_writes, LAUNCH(last_writes, blocks); LAUNCH(works_as_written, blocks)),
    FAMILY("in_vain") ROW(never_told) ROW_OF(waits_for_last, LAUNCH(waits_for_last, 1 << 14))
        ROW_OF(one_too_many, LAUNCH(all_meet, 4 * 132 + 1)),
    FAMILY("right")
        ROW(shared_atomics) ROW(warp_exchange) ROW(parts_of_words) ROW(named_barriers) ROW(last_block)
        ROW(flag_in_warp) ROW(reused_tile) ROW(reads_one_too_many) ROW(takes_tiles) ROW(says_it_was_there)
        ROW(in_place) ROW(volatile_in_loop) ROW(turned_in_global) ROW(same_in_shared) ROW(negated_index)
        ROW(infinity_chosen) ROW(bits_kept) ROW(upper_word) ROW(barrier_in_register) ROW(copies_by_lanes)
        ROW(calls_and_returns) ROW(exits_by_two) ROW(copies_zeros) ROW(reads_ahead) ROW(reads_beyond) ROW(reads_aside)
        ROW(swaps_own_word) ROW(sums_of_warps) ROW(branches_join) ROW(branches_agree) ROW(loads_more))
/* clang-format on */
