/* patterns - how kernels of today are built: constants that lanes index, warps that load for others that compute,
 * groups that take turns, blocks that share a product's last part, several lanes that start a copy each.
 *
 * What is right is what a GPU wrote, to the bit: tests/sim/recorded.sh. */
#include "bulk.cuh"
#include "library.cuh"

/* Not anonymous: the functions' names must not depend on the folder that they are built in. */
namespace patterns {

using u32 = uint32_t;

constexpr u32 seed = 0x9a;
constexpr unsigned in_words = 1u << 16, out_words = 1u << 16;

struct job {
    cugate::device_array<u32> in, out, flags;
    unsigned words = 0; /* of the output of the last launch, from its beginning */

    int open()
    {
        std::vector<u32> host(in_words);
        for (unsigned i = 0; i < in_words; i++)
            host[i] = cugate::hash32(seed, i);
        CUGATE_TRY(in.allocate(in_words));
        CUGATE_TRY(out.allocate(out_words));
        CUGATE_TRY(flags.allocate(64));
        return in.upload(host);
    }
};

int restore(void *state)
{
    const job *const j = static_cast<job *>(state);
    CUGATE_TRY(cudaMemsetAsync(j->flags.data, 0, 64 * sizeof(u32)));
    return static_cast<int>(cudaMemsetAsync(j->out.data, 0, out_words * sizeof(u32)));
}

template <class V> __global__ void __launch_bounds__(V::threads) kernel(const u32 *in, u32 *out, u32 *flags)
{
    V::run(in, out, flags);
}

template <class V> int launch(void *state)
{
    job *const j = static_cast<job *>(state);
    static_assert(V::words <= out_words);
    j->words = V::words;
    kernel<V><<<V::blocks, V::threads>>>(j->in.data, j->out.data, j->flags.data);
    return cugate::launched();
}

/* ---- Constants that lanes index ---- */

__constant__ __align__(16) unsigned char table[16384] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233};

/* Reads of `bytes` each by lanes whose places are `apart` bytes from each other, of `different` places; only `most`
 * lanes read. */
template <unsigned bytes, unsigned apart, unsigned different, unsigned most = 32> struct reads {
    static constexpr unsigned blocks = 2, threads = 64, words = 2 * 64;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        const unsigned lane = threadIdx.x % 32;
        const unsigned char *const at = table + (lane % different) * apart;
        u32 sum = 0;
        if (lane < most)
#pragma unroll
            for (unsigned k = 0; k < 8; k++)
                sum = sum * 3 + one(at + 16 * k);
        out[blockIdx.x * threads + threadIdx.x] = sum;
    }
    static __device__ u32 one(const unsigned char *at)
    {
        const size_t place = __cvta_generic_to_constant(at);
        u32 a = 0, b = 0, c = 0, d = 0;
        if constexpr (bytes == 1)
            asm volatile("ld.const.u8 %0, [%1];" : "=r"(a) : "l"(place));
        else if constexpr (bytes == 2)
            asm volatile("ld.const.u16 %0, [%1];" : "=r"(a) : "l"(place));
        else if constexpr (bytes == 4)
            asm volatile("ld.const.u32 %0, [%1];" : "=r"(a) : "l"(place));
        else if constexpr (bytes == 8)
            asm volatile("ld.const.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(place));
        else
            asm volatile("ld.const.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(place));
        return a ^ b * 5 ^ c * 7 ^ d * 11;
    }
};

/* By data, as a table of a decoder is. */
struct by_data {
    static constexpr unsigned blocks = 4, threads = 128, words = 4 * 128;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        const unsigned i = blockIdx.x * threads + threadIdx.x;
        u32 v = in[i], sum = 0;
        for (unsigned k = 0; k < 4; k++, v >>= 8)
            sum = sum * 5 + reinterpret_cast<const u32 *>(table)[v % 256];
        out[i] = sum;
    }
};

/* ---- Warps that load for others ---- */

constexpr unsigned tile = 256; /* words of a stage */

/* One warp loads by bulk copies what two groups of warps add up: a ring of stages, each with a barrier for full and one
 * for empty. The block goes on with tiles as long as there are some. */
template <unsigned stages, unsigned tiles> struct specialised {
    static constexpr unsigned consumers = 2, blocks = 4, threads = 32 * (1 + 4 * consumers),
                              words = blocks * consumers * 128;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        __shared__ alignas(128) u32 ring[stages][tile];
        __shared__ alignas(8) uint64_t full[stages], empty[stages];
        if (threadIdx.x == 0)
            for (unsigned s = 0; s < stages; s++) {
                INIT(&full[s], 1);
                INIT(&empty[s], consumers);
            }
        __syncthreads();
        if (threadIdx.x >= 32 * 4 * consumers) {
            if (threadIdx.x == 32 * 4 * consumers)
                load(in, ring, full, empty);
            return;
        }
        const unsigned group = threadIdx.x / 128, mine = threadIdx.x % 128;
        u32 sum = 0;
        for (unsigned t = 0; t < tiles; t++) {
            const unsigned s = t % stages, turn = t / stages % 2;
            WAIT(&full[s], turn);
            sum = sum * 3 + ring[s][group * 128 + mine] + ring[s][(mine * 7 + group) % tile];
            asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
            if (mine == 0)
                ARRIVE(&empty[s], 1);
        }
        out[(blockIdx.x * consumers + group) * 128 + mine] = sum;
    }
    static __device__ void load(const u32 *in, u32 (*ring)[tile], uint64_t *full, uint64_t *empty)
    {
        for (unsigned t = 0; t < tiles; t++) {
            const unsigned s = t % stages;
            if (t >= stages)
                WAIT(&empty[s], (t / stages - 1) % 2);
            EXPECT(&full[s], tile * 4);
            LOAD_BYTES(ring[s], in + (blockIdx.x * tiles + t) % 64 * tile, tile * 4, &full[s]);
        }
    }
};

/* ---- Groups that take turns ---- */

/* Two groups of four warps: while one multiplies, the other stores, by named barriers that each arrives at for the
 * other. */
template <unsigned rounds> struct ping_pong {
    static constexpr unsigned blocks = 3, threads = 256, words = blocks * threads;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        const unsigned group = threadIdx.x / 128, mine = threadIdx.x % 128;
        __shared__ u32 shared[128];
        u32 sum = 0;
        if (group == 1)
            asm volatile("bar.arrive 1, 256;" ::: "memory");
        for (unsigned r = 0; r < rounds; r++) {
            asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory");
            shared[mine] = in[(blockIdx.x * rounds + r) * 128 % in_words + mine] + group;
            asm volatile("bar.sync %0, 128;" ::"r"(group + 3) : "memory");
            for (unsigned k = 0; k < 8; k++)
                sum = sum * 3 + shared[(mine + k * 16) % 128];
            asm volatile("bar.sync %0, 128;" ::"r"(group + 3) : "memory");
            if (group == 0 || r + 1 < rounds)
                asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory");
        }
        out[blockIdx.x * threads + threadIdx.x] = sum;
    }
};

/* ---- Blocks that share the last part ---- */

/* Each of five blocks adds up its share of three tiles' rounds, whose bounds cut tiles. Who ends a tile waits for the
 * partial sums of who began it. */
struct shared_rounds {
    static constexpr unsigned blocks = 5, threads = 128, tiles = 3, rounds = 10, words = tiles * threads;

    static __device__ void run(const u32 *in, u32 *out, u32 *flags)
    {
        unsigned at = tiles * rounds * blockIdx.x / blocks;
        const unsigned end = tiles * rounds * (blockIdx.x + 1) / blocks;
        u32 *const parts = out + 1024;
        while (at < end) {
            const unsigned t = at / rounds, first = at % rounds;
            unsigned last = t * rounds + rounds;
            last = last < end ? last : end;
            u32 sum = 0;
            for (; at < last; at++)
                sum += in[at * threads + threadIdx.x] * (at % rounds + 1);
            const bool ends = last == (t + 1) * rounds;
            if (!ends) {
                parts[blockIdx.x * threads + threadIdx.x] = sum;
                __threadfence();
                __syncthreads();
                if (threadIdx.x == 0)
                    atomicExch(flags + blockIdx.x, 1u);
                continue;
            }
            for (unsigned b = blockIdx.x; first > 0 && b-- > 0;) {
                if (threadIdx.x == 0)
                    while (*const_cast<volatile u32 *>(flags + b) == 0)
                        ;
                __syncthreads();
                __threadfence();
                sum += __ldcg(parts + b * threads + threadIdx.x);
                if (tiles * rounds * b / blocks <= t * rounds)
                    break;
            }
            out[t * threads + threadIdx.x] = sum;
        }
    }
};

/* ---- Several lanes that start a copy each ---- */

template <unsigned copies> struct lanes_copy {
    static constexpr unsigned blocks = 2, threads = 64, words = blocks * copies * 64;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        __shared__ alignas(128) u32 from[copies][64];
        for (unsigned i = threadIdx.x; i < copies * 64; i += threads)
            from[0][i] = in[blockIdx.x * 997 + i] + i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x < copies) {
            u32 *const to = out + (blockIdx.x * copies + (copies - 1 - threadIdx.x)) * 64;
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to),
                         "r"(bulk::at(from[threadIdx.x]))
                         : "memory");
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
};

/* Each lane of a warp loads a row of its own, and all arrive at one barrier. */
struct lanes_load {
    static constexpr unsigned blocks = 2, threads = 64, words = blocks * 512;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        __shared__ alignas(128) u32 rows[8][64];
        __shared__ alignas(8) uint64_t full;
        if (threadIdx.x == 0)
            INIT(&full, 8);
        __syncthreads();
        if (threadIdx.x < 8) {
            EXPECT(&full, 256);
            LOAD_BYTES(rows[threadIdx.x], in + (blockIdx.x * 8 + 7 - threadIdx.x) * 128, 256, &full);
        }
        WAIT(&full, 0);
        for (unsigned i = threadIdx.x; i < 512; i += threads)
            out[blockIdx.x * 512 + i] = rows[0][i] * 3;
    }
};

/* ---- Copies that only clear ---- */

/* cp.async past the L1 with zero fill: of each row `there` lanes have something to copy. */
template <unsigned there, unsigned apart> struct clears {
    static constexpr unsigned blocks = 2, threads = 128, words = blocks * threads * 4;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        __shared__ alignas(16) uint4 shared[threads * apart];
        const unsigned size = int(threadIdx.x % 32) < int(there) ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(bulk::at(shared + threadIdx.x * apart)),
                     "l"(in + (blockIdx.x * threads + threadIdx.x) * 4), "r"(size)
                     : "memory");
        asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        reinterpret_cast<uint4 *>(out)[blockIdx.x * threads + threadIdx.x] = shared[(threadIdx.x ^ 1) * apart];
    }
};

/* ---- Lanes that leave under two conditions ---- */

struct leave {
    static constexpr unsigned blocks = 2, threads = 96, words = blocks * threads;

    static __device__ void run(const u32 *in, u32 *out, u32 *)
    {
        const unsigned i = blockIdx.x * threads + threadIdx.x;
        const u32 v = in[i];
        out[i] = v;
        if (v % 3 == 0 && (v >> 8 & 7) < 5)
            return;
        if (threadIdx.x % 5 == 1 && v % 2)
            return;
        out[i] = v * 7 + 1;
    }
};

#define FAMILY(id, text) FAMILY_OF(job, id, text, restore)

constexpr struct cugate_variant constants_variants[] = {
    ROW("same", "one address", reads<4, 4, 1>),
    ROW("two", "two", reads<4, 4, 2>),
    ROW("two_far", "two, in different kilobytes", reads<4, 4096, 2>),
    ROW("eight", "eight", reads<4, 4, 8>),
    ROW("all", "each lane another", reads<4, 4, 32>),
    ROW("all_far", "each lane another, in different lines", reads<4, 448, 32>),
    ROW("some", "of eight lanes that read", reads<4, 4, 32, 8>),
    ROW("one_lane", "of one lane", reads<4, 4, 32, 1>),
    ROW("bytes", "bytes, each another", reads<1, 1, 32>),
    ROW("bytes_of_a_word", "the bytes of one word", reads<1, 1, 4>),
    ROW("halves_of_a_word", "the halves of one word", reads<2, 2, 2>),
    ROW("halves", "of 2 bytes", reads<2, 2, 32>),
    ROW("pairs", "of 8 bytes", reads<8, 8, 32>),
    ROW("pairs_two", "of 8 bytes, two", reads<8, 8, 2>),
    ROW("quads", "of 16 bytes", reads<16, 16, 32>),
    ROW("quads_two", "of 16 bytes, two", reads<16, 16, 2>),
    ROW("by_data", "a table that bytes of the data index", by_data),
};
FAMILY(constants, "reads of constant memory at several addresses")

constexpr struct cugate_variant roles_variants[] = {
    ROW("ring_2", "a warp loads for two groups, two stages", specialised<2, 24>),
    ROW("ring_4", "four stages", specialised<4, 24>),
    ROW("ring_short", "fewer tiles than stages", specialised<4, 3>),
    ROW("ping_pong", "two groups take turns", ping_pong<12>),
    ROW("shared_rounds", "blocks share what is left of a tile", shared_rounds),
};
FAMILY(roles, "warps and blocks that work for each other")

constexpr struct cugate_variant copies_variants[] = {
    ROW("four_lanes", "four lanes store a row each", lanes_copy<4>),
    ROW("two_lanes", "two", lanes_copy<2>),
    ROW("all_lanes", "a whole warp", lanes_copy<32>),
    ROW("eight_load", "eight lanes load a row each", lanes_load),
    ROW("clear_none", "cp.async of all lanes", clears<32, 1>),
    ROW("clear_all", "cp.async that only clears", clears<0, 1>),
    ROW("clear_some", "of which 11 lanes copy", clears<11, 1>),
    ROW("clear_apart", "that only clears, every other 16 bytes", clears<0, 2>),
    ROW("clear_some_apart", "of which 20 lanes copy, every third", clears<20, 3>),
    ROW("leave", "lanes leave under two conditions", leave),
};
FAMILY(copies, "copies by several lanes, and what clears")

const struct cugate_family *const families[] = {&constants_family, &roles_family, &copies_family};

} // namespace patterns

LIBRARY(patterns::families)
