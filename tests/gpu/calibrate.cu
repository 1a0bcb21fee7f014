/* calibrate.cu - a kernel library whose kernels each ask for one or two constants of the replay
 * (harness/replay/timing.h): chains of one instruction by a single warp, for latencies; the same instruction
 * independent on all SMs, for rates; loads, stores and atomics with patterns that differ; products of matrices; copies
 * of the hardware; barriers. tests/gpu/calibrate.sh measures them on a GPU, and fits the constants to what it measured.
 */
#include <cugate/kernel.hpp>

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

constexpr unsigned sms = 132, words = 64u << 20; /* 256 MiB */

struct arrays {
    cugate::device_array<u32> in, out;
    int open()
    {
        CUGATE_TRY(in.allocate(words));
        CUGATE_TRY(cudaMemset(in.data, 0, words * sizeof(u32)));
        return out.allocate(words);
    }
    int restore()
    {
        return cudaMemset(out.data, 0, 4096);
    }
    int verify(cugate::why &)
    {
        return 0; /* only time is asked for */
    }
};

__device__ u32 at(const void *shared)
{
    return static_cast<u32>(__cvta_generic_to_shared(shared));
}

/* ---- Chains: each needs the answer of the one before. `zero` is 0, which the compiler does not know. ---- */

#define CHAIN(name, type, begin, step)                                                                                 \
    __global__ void name(u32 *out, const u32 *in, u32 zero, unsigned steps)                                            \
    {                                                                                                                  \
        type x = begin;                                                                                                \
        _Pragma("unroll 16") for (unsigned i = 0; i < steps; i++)                                                      \
        {                                                                                                              \
            step;                                                                                                      \
        }                                                                                                              \
        out[threadIdx.x] = static_cast<u32>(x) + zero + (in ? 0 : 1);                                                  \
    }

__shared__ u32 few[1024];
__constant__ u32 table[4096];

#define FILL_FEW                                                                                                       \
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x)                                                          \
        few[k] = 0;                                                                                                    \
    __syncthreads()

CHAIN(chain_single, float, zero, x = x * 1.5f + 1)
CHAIN(chain_integer, u32, zero, x = (x ^ i) + zero)
CHAIN(chain_double, double, zero, x = x * 1.5 + 1)
CHAIN(chain_special, float, zero + 1, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(chain_shuffle, u32, zero, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x)))
CHAIN(chain_constant, u32, zero, x = table[x])
CHAIN(chain_fence, u32, zero, out[threadIdx.x] = i; __threadfence())
CHAIN(chain_atomic, u32, zero, x = atomicAdd(&out[x], zero))
CHAIN(chain_strong, u32, zero, x = __ldcg(&in[x]))
CHAIN(chain_near, u32, zero, x = __ldg(&in[x]))
CHAIN(chain_far, u32, zero, x = __ldcg(&in[x + i * 8192]))

__global__ void chain_shared(u32 *out, u32 zero, unsigned steps)
{
    u32 x = zero;
    FILL_FEW;
#pragma unroll 16
    for (unsigned i = 0; i < steps; i++)
        x = few[x];
    out[threadIdx.x] = x;
}
__global__ void chain_shared_atomic(u32 *out, u32 zero, unsigned steps)
{
    u32 x = zero;
    FILL_FEW;
#pragma unroll 16
    for (unsigned i = 0; i < steps; i++)
        x = atomicAdd(&few[x + threadIdx.x], zero);
    out[threadIdx.x] = x;
}
__global__ void chain_barrier(u32 *out, u32 zero, unsigned steps)
{
#pragma unroll 16
    for (unsigned i = 0; i < steps; i++)
        __syncthreads();
    out[threadIdx.x] = zero;
}
__global__ void chain_branch(u32 *out, u32 zero, unsigned steps)
{
    float x = zero;
#pragma unroll 1
    for (unsigned i = 0; i < steps; i++)
        x = x * 1.5f + 1;
    out[threadIdx.x] = static_cast<u32>(x);
}

/* ---- Rates: independent ones. ---- */

#define RATE(name, type, step)                                                                                         \
    __global__ void __launch_bounds__(1024) name(u32 *out, const u32 *in, u32 zero, unsigned steps)                    \
    {                                                                                                                  \
        type x[8];                                                                                                     \
        for (unsigned k = 0; k < 8; k++)                                                                               \
            x[k] = static_cast<type>(threadIdx.x + k);                                                                 \
        for (unsigned i = 0; i < steps; i++)                                                                           \
            _Pragma("unroll") for (unsigned k = 0; k < 8; k++) step;                                                   \
        type sum = 0;                                                                                                  \
        for (unsigned k = 0; k < 8; k++)                                                                               \
            sum += x[k];                                                                                               \
        out[words / 2 + blockIdx.x * blockDim.x + threadIdx.x] = static_cast<u32>(sum) + (in ? 0 : 1);                 \
    }

RATE(rate_single, float, x[k] = x[k] * 1.5f + 1)
RATE(rate_multiply, u32, x[k] = x[k] * 5 + zero)
RATE(rate_integer, u32, x[k] = (x[k] ^ i) + zero)
RATE(rate_double, double, x[k] = x[k] * 1.5 + 1)
RATE(rate_special, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k])))
RATE(rate_count, u32, x[k] = __popc(x[k] + i))
RATE(rate_shuffle, u32, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x[k])))
RATE(rate_constant, u32, x[k] += table[(threadIdx.x % 4 + i + k) % 4096])
RATE(rate_constant_one, u32, x[k] += table[(x[k] % 2 + i * 8 + zero) % 4096])
/* An L1 hit: one line a warp; 32 lines. */
RATE(rate_near, u32, x[k] += __ldg(&in[(threadIdx.x % 32 + k * 32 + (i & 7) * 256 + zero)]))
RATE(rate_near_lines, u32, x[k] += __ldg(&in[(threadIdx.x % 32 * 32 + k + (i & 3) * 8 + zero)]))
/* The L2: a whole line a warp; a sector of 32 lines. 17 MiB together. */
RATE(rate_far, u32,
     x[k] += __ldcg(&in[((blockIdx.x / 2 * 32 + threadIdx.x / 32) * 1024 + (i % 4 * 8 + k) * 32 + threadIdx.x % 32)]))
RATE(rate_far_lines, u32,
     x[k] +=
     __ldcg(&in[((blockIdx.x / 2 * 32 + threadIdx.x / 32) * 1024 + threadIdx.x % 32 * 32 + (i % 4) * 8 + k % 2)]))
RATE(rate_store, u32, out[((blockIdx.x * 32 + threadIdx.x / 32) * 1024 + (i % 4 * 8 + k) * 32 + threadIdx.x % 32)] = i)
RATE(rate_store_sector, u32,
     out[((blockIdx.x * 32 + threadIdx.x / 32) * 1024 + threadIdx.x % 32 * 32 + (i % 4) * 8 + k)] = i)
/* Atomics: one address a warp, one for all, neighbours, apart. */
RATE(rate_add_warp, u32, atomicAdd(&out[(blockIdx.x * 32 + threadIdx.x / 32) * 8], k))
RATE(rate_add_one, u32,
     atomicAdd(&out[threadIdx.x % 32 == 0 ? 0 : 64 + blockIdx.x * 1024 + threadIdx.x], threadIdx.x % 32 == 0 ? k : 0))
RATE(rate_add_near, u32, atomicAdd(&out[blockIdx.x * 1024 + threadIdx.x], k))
RATE(rate_add_far, u32, atomicAdd(&out[(threadIdx.x * 4099 + blockIdx.x * 7919 + k * 511) % (1 << 20)], k))

/* Units of integers and conversions. */
RATE(rate_add, u32, asm volatile("add.u32 %0, %0, %1;" : "+r"(x[k]) : "r"(zero)))
RATE(rate_logic, u32, asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x[k]) : "r"(zero), "r"(i)))
RATE(rate_shift, u32, asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(x[k]) : "r"(i)))
RATE(rate_least, float, asm volatile("min.f32 %0, %0, %1;" : "+f"(x[k]) : "f"(__uint_as_float(i))))
RATE(rate_wide, u64, asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(x[k]) : "r"(i), "r"(zero)))
RATE(rate_half, u32, asm volatile("fma.rn.f16x2 %0, %0, %1, %0;" : "+r"(x[k]) : "r"(zero)))
RATE(rate_to_float, float, x[k] += static_cast<float>(static_cast<int>(i + k) + static_cast<int>(zero)))
RATE(rate_to_integer, u32, asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(x[k]) : "f"(__uint_as_float(x[k]))))
/* An L1 hit by an address that is known. */
RATE(rate_near_fixed, u32, x[k] += reinterpret_cast<const volatile u32 *>(in)[threadIdx.x % 32 + k * 32])
/* Atomics at so many addresses, apart; with an answer; in shared memory: neighbours, one, 64. */
#define FEW(n) ((threadIdx.x * 4099 + blockIdx.x * 7919 + i * 5003 + k * 511) % n)
RATE(rate_add_few_32, u32, atomicAdd(&out[FEW(32)], k))
RATE(rate_add_few_256, u32, atomicAdd(&out[FEW(256)], k))
RATE(rate_add_few_2k, u32, atomicAdd(&out[FEW(2048)], k))
RATE(rate_add_few_16k, u32, atomicAdd(&out[FEW(16384)], k))
RATE(rate_add_answer, u32, x[k] += atomicAdd(&out[blockIdx.x * 1024 + threadIdx.x], k))
RATE(rate_shared_add_near, u32, atomicAdd(&few[threadIdx.x % 1024], x[k]))
RATE(rate_shared_add_one, u32, atomicAdd(&few[threadIdx.x / 32], x[k]))
RATE(rate_shared_add_64, u32, atomicAdd(&few[threadIdx.x * 4099 % 64], x[k]))

/* Shared memory: a word a lane with so many turns; 16 bytes a lane. */
template <unsigned turns> __global__ void __launch_bounds__(1024) rate_shared(u32 *out, u32 zero, unsigned steps)
{
    u32 sum = 0;
    FILL_FEW;
    for (unsigned i = 0; i < steps; i++)
#pragma unroll
        for (unsigned k = 0; k < 8; k++)
            sum += *reinterpret_cast<volatile u32 *>(&few[(threadIdx.x * turns + k + i) % 1024]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + zero;
}

/* ---- DRAM ---- */

__global__ void dram_read(u32 *out, const uint4 *in, unsigned steps)
{
    uint4 sum = {};
    const size_t apart = size_t(gridDim.x) * blockDim.x, first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (unsigned i = 0; i < steps; i++) {
        const uint4 x = in[first + i * apart];
        sum.x ^= x.x ^ x.y ^ x.z ^ x.w;
    }
    if (sum.x == 12345)
        *out = 1;
}
__global__ void dram_copy(uint4 *out, const uint4 *in, unsigned steps)
{
    const size_t apart = size_t(gridDim.x) * blockDim.x, first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (unsigned i = 0; i < steps; i++)
        out[first + i * apart] = in[first + i * apart];
}
__global__ void dram_write(uint4 *out, unsigned steps)
{
    const size_t apart = size_t(gridDim.x) * blockDim.x, first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (unsigned i = 0; i < steps; i++)
        out[first + i * apart] = make_uint4(i, i, i, i);
}
/* A word of each 64 bytes; of each 32 sectors, half of a sector stored. */
__global__ void dram_apart(u32 *out, const u32 *in)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = in[i * 16];
}
__global__ void dram_partial(u32 *out, u32 zero)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i * 8] = zero;
}
/* A part of the array, so many times. */
__global__ void again(u32 *out, const uint4 *in, unsigned count, unsigned times)
{
    u32 sum = 0;
    for (unsigned n = 0; n < times; n++)
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
            sum ^= __ldcg(&in[i]).x;
    if (sum == 12345)
        *out = 1;
}

/* ---- Launches ---- */

__global__ void nothing()
{
}
__global__ void little(u32 *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
}

/* ---- Products of matrices ---- */

template <unsigned chains> __global__ void __launch_bounds__(1024) product(u32 *out, u32 zero, unsigned steps)
{
    float d[chains][4] = {};
    const u32 a = zero, b = zero;
    for (unsigned i = 0; i < steps; i++)
#pragma unroll
        for (unsigned k = 0; k < chains; k++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
                         "{%0,%1,%2,%3};"
                         : "+f"(d[k][0]), "+f"(d[k][1]), "+f"(d[k][2]), "+f"(d[k][3])
                         : "r"(a), "r"(b));
    float sum = 0;
    for (unsigned k = 0; k < chains; k++)
        sum += d[k][0] + d[k][1] + d[k][2] + d[k][3];
    out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<u32>(sum);
}

#define WORDS_4(d, k) "+f"(d[k]), "+f"(d[k + 1]), "+f"(d[k + 2]), "+f"(d[k + 3])
#define WORDS_16(d, k) WORDS_4(d, k), WORDS_4(d, k + 4), WORDS_4(d, k + 8), WORDS_4(d, k + 12)
#define WORDS_64(d) WORDS_16(d, 0), WORDS_16(d, 16), WORDS_16(d, 32), WORDS_16(d, 48)
#define NAMES_64                                                                                                       \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,"   \
    "%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57," \
    "%58,%59,%60,%61,%62,%63"

/* 64 x 128 x 16 by a warpgroup, both from shared memory, or the first from registers; so many before it waits. */
template <bool registers, unsigned each>
__global__ void __launch_bounds__(512) group_product(u32 *out, u32 zero, unsigned steps)
{
    extern __shared__ __align__(1024) u32 operands[];
    for (unsigned k = threadIdx.x; k < 8192; k += blockDim.x)
        operands[k] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d[64] = {};
    const u64 a = (at(operands) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62, b = a + 512;
    for (unsigned i = 0; i < steps; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (unsigned k = 0; k < each; k++)
            if constexpr (registers)
                asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64
                             "}, {%64,%64,%64,%64}, %65, 1, 1, 1, 0;"
                             : WORDS_64(d)
                             : "r"(zero), "l"(b + k % 4 * 2));
            else
                asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64
                             "}, %64, %65, 1, 1, 1, 0, 0;"
                             : WORDS_64(d)
                             : "l"(a + k % 4 * 2), "l"(b + k % 4 * 2));
        asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    float sum = 0;
    for (unsigned k = 0; k < 64; k++)
        sum += d[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<u32>(sum);
}

/* ---- Copies of the hardware, and barriers in memory ---- */

__device__ void wait(u64 *barrier, u32 parity)
{
    for (u32 done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at(barrier)), "r"(parity)
                     : "memory");
}
__device__ void begin_copy(void *to, const void *from, u32 bytes, u64 *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)),
        "l"(from), "r"(bytes), "r"(at(barrier))
        : "memory");
}
__device__ void open_barrier(u64 *barrier, u32 arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(at(barrier)),
                 "r"(arrivals)
                 : "memory");
}
/* One copy after the other, of so many bytes, `stages` of them on the way. Blocks read what is theirs, or all the same.
 */
template <unsigned bytes, unsigned stages>
__global__ void copies(u32 *out, const u32 *in, unsigned steps, unsigned apart)
{
    extern __shared__ __align__(128) unsigned char room[];
    __shared__ u64 full[stages];
    const unsigned char *from = reinterpret_cast<const unsigned char *>(in) + size_t(blockIdx.x) * apart;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < stages; s++)
            open_barrier(&full[s], 1);
        for (unsigned s = 0; s < stages && s < steps; s++)
            begin_copy(room + s * bytes, from + size_t(s) * bytes, bytes, &full[s]);
        for (unsigned i = 0; i < steps; i++) {
            wait(&full[i % stages], i / stages % 2);
            if (i + stages < steps)
                begin_copy(room + i % stages * bytes, from + size_t(i + stages) * bytes, bytes, &full[i % stages]);
        }
        out[blockIdx.x] = *reinterpret_cast<u32 *>(room);
    }
}
/* Two warps, one hands over to the other and back. */
__global__ void hand_over(u32 *out, unsigned steps)
{
    __shared__ u64 turn[2];
    const unsigned mine = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        open_barrier(&turn[0], 1);
        open_barrier(&turn[1], 1);
    }
    __syncthreads();
    for (unsigned i = 0; i < steps; i++) {
        if (mine == 1)
            wait(&turn[0], i % 2);
        if (threadIdx.x % 32 == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&turn[mine])) : "memory");
        if (mine == 0)
            wait(&turn[1], i % 2);
    }
    out[threadIdx.x] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) cluster_barrier(u32 *out, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++)
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) cluster_chain(u32 *out, u32 zero, unsigned steps)
{
    u32 x = zero, other;
    FILL_FEW;
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(at(few)), "r"((blockIdx.x + 1) % 2));
#pragma unroll 16
    for (unsigned i = 0; i < steps; i++)
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(other + x * 4));
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
/* cp.async, waited for one by one. */
__global__ void copy_chain(u32 *out, const u32 *in, unsigned steps)
{
    FILL_FEW;
    for (unsigned i = 0; i < steps; i++)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.wait_all;" ::"r"(at(&few[threadIdx.x])),
                     "l"(in + threadIdx.x + (i & 7) * 32)
                     : "memory");
    out[threadIdx.x] = few[threadIdx.x];
}

#define ALONE(name, steps)                                                                                             \
    .variant(#name, "one warp", [](arrays &a) { name<<<1, 32>>>(a.out.data, a.in.data, 0, steps); })
#define ALL(name, steps)                                                                                               \
    .variant(#name, "all SMs", [](arrays &a) { name<<<sms * 2, 1024>>>(a.out.data, a.in.data, 0, steps); })
#define RUN(name, text, ...) .variant(name, text, [](arrays &a) { __VA_ARGS__; })
#define WIDE(p) reinterpret_cast<uint4 *>(a.p.data)

template <class F> void roomy(F *kernel, unsigned bytes)
{
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

} // namespace

/* clang-format off */
CUGATE_LIBRARY(
    cugate::family<arrays>("calibrate", "kernels that ask for constants of the replay")
        ALONE(chain_single, 8192) ALONE(chain_integer, 8192) ALONE(chain_double, 4096) ALONE(chain_special, 2048)
        ALONE(chain_shuffle, 2048) ALONE(chain_constant, 2048) ALONE(chain_fence, 128) ALONE(chain_atomic, 256)
        ALONE(chain_strong, 512) ALONE(chain_near, 2048) ALONE(chain_far, 256)
        RUN("chain_shared", "one warp", chain_shared<<<1, 32>>>(a.out.data, 0, 2048))
        RUN("chain_shared_atomic", "one warp", chain_shared_atomic<<<1, 32>>>(a.out.data, 0, 1024))
        RUN("chain_barrier_2", "two warps", chain_barrier<<<1, 64>>>(a.out.data, 0, 2048))
        RUN("chain_barrier_32", "32 warps", chain_barrier<<<1, 1024>>>(a.out.data, 0, 2048))
        RUN("chain_branch", "one warp", chain_branch<<<1, 32>>>(a.out.data, 0, 2048))
        ALL(rate_single, 512) ALL(rate_multiply, 512) ALL(rate_integer, 512) ALL(rate_double, 128) ALL(rate_special, 64)
        ALL(rate_count, 64) ALL(rate_shuffle, 128) ALL(rate_constant, 64) ALL(rate_constant_one, 64) ALL(rate_near, 128)
        ALL(rate_near_lines, 32) ALL(rate_far, 32) ALL(rate_far_lines, 8) ALL(rate_store, 32) ALL(rate_store_sector, 8)
        ALL(rate_add_warp, 4) ALL(rate_add_one, 2) ALL(rate_add_near, 4) ALL(rate_add_far, 2) ALL(rate_add, 256)
        ALL(rate_logic, 256) ALL(rate_shift, 256) ALL(rate_least, 256) ALL(rate_wide, 128) ALL(rate_half, 512)
        ALL(rate_to_float, 128) ALL(rate_to_integer, 64) ALL(rate_near_fixed, 128) ALL(rate_add_few_32, 1)
        ALL(rate_add_few_256, 1) ALL(rate_add_few_2k, 1) ALL(rate_add_few_16k, 1) ALL(rate_add_answer, 2)
        ALL(rate_shared_add_near, 32) ALL(rate_shared_add_one, 8) ALL(rate_shared_add_64, 16)
        RUN("rate_barrier", "all SMs", chain_barrier<<<sms * 8, 256>>>(a.out.data, 0, 512))
        RUN("rate_shared_1", "all SMs", rate_shared<1><<<sms * 2, 1024>>>(a.out.data, 0, 64))
        RUN("rate_shared_8", "all SMs", rate_shared<8><<<sms * 2, 1024>>>(a.out.data, 0, 16))
        RUN("dram_read", "256 MiB", dram_read<<<4096, 256>>>(a.out.data, WIDE(in), 16))
        RUN("dram_copy", "128 MiB to 128", dram_copy<<<4096, 256>>>(WIDE(out), WIDE(in), 8))
        RUN("dram_write", "256 MiB", dram_write<<<4096, 256>>>(WIDE(out), 16))
        RUN("dram_write_little", "8 MiB", dram_write<<<2048, 256>>>(WIDE(out), 1))
        RUN("dram_apart", "a word of 64 bytes", dram_apart<<<16384, 256>>>(a.out.data, a.in.data))
        RUN("dram_partial", "a word of 32 bytes", dram_partial<<<32768, 256>>>(a.out.data, 0))
        RUN("again_12", "12 MiB four times", again<<<sms * 2, 1024>>>(a.out.data, WIDE(in), 12 << 16, 4))
        RUN("again_24", "24 MiB four times", again<<<sms * 2, 1024>>>(a.out.data, WIDE(in), 24 << 16, 4))
        RUN("again_48", "48 MiB four times", again<<<sms * 2, 1024>>>(a.out.data, WIDE(in), 48 << 16, 4))
        RUN("again_96", "96 MiB four times", again<<<sms * 2, 1024>>>(a.out.data, WIDE(in), 96 << 16, 4))
        RUN("nothing_1", "a launch", nothing<<<1, 32>>>())
        RUN("nothing_16k", "16,896 blocks", nothing<<<sms * 128, 256>>>())
        RUN("little_1", "a block", little<<<1, 32>>>(a.out.data))
        RUN("little_wide", "8,448 blocks of 1,024", little<<<sms * 64, 1024>>>(a.out.data))
        RUN("little_narrow", "33,792 blocks of 64", little<<<sms * 256, 64>>>(a.out.data))
        RUN("product_chain", "a warp an SM", product<1><<<sms, 32>>>(a.out.data, 0, 2048))
        RUN("product_rate", "16 warps an SM", product<4><<<sms, 512>>>(a.out.data, 0, 256))
        RUN("group_chain", "a warpgroup that waits for each",
            roomy(group_product<false, 1>, 33 << 10);
            group_product<false, 1><<<sms, 128, 33 << 10>>>(a.out.data, 0, 128))
        RUN("group_one", "a warpgroup",
            roomy(group_product<false, 8>, 33 << 10);
            group_product<false, 8><<<sms, 128, 33 << 10>>>(a.out.data, 0, 64))
        RUN("group_two", "two warpgroups",
            roomy(group_product<false, 8>, 33 << 10);
            group_product<false, 8><<<sms, 256, 33 << 10>>>(a.out.data, 0, 64))
        RUN("group_registers", "A from registers",
            roomy(group_product<true, 8>, 33 << 10); group_product<true, 8><<<sms, 256, 33 << 10>>>(a.out.data, 0, 64))
        RUN("copies_chain", "1 KiB that the L2 has", copies<1024, 1><<<1, 32, 1024>>>(a.out.data, a.in.data, 256, 0))
        RUN("copies_chain_16k", "16 KiB", copies<16384, 1><<<1, 32, 16384>>>(a.out.data, a.in.data, 128, 0))
        RUN("copies_small", "256 bytes", copies<256, 32><<<sms, 32, 32 * 256>>>(a.out.data, a.in.data, 1024, 1 << 18))
        RUN("copies_large", "16 KiB, four on the way",
            roomy(copies<16384, 4>, 64 << 10);
            copies<16384, 4><<<sms, 32, 64 << 10>>>(a.out.data, a.in.data, 96, 96 << 14))
        RUN("copies_near", "16 KiB that the L2 has",
            roomy(copies<16384, 4>, 64 << 10); copies<16384, 4><<<sms, 32, 64 << 10>>>(a.out.data, a.in.data, 96, 0))
        RUN("hand_over", "two warps", hand_over<<<1, 64>>>(a.out.data, 512))
        RUN("cluster_barrier", "two blocks", cluster_barrier<<<2, 256>>>(a.out.data, 512))
        RUN("cluster_chain", "two blocks", cluster_chain<<<2, 32>>>(a.out.data, 0, 1024))
        RUN("copy_chain", "one warp", copy_chain<<<1, 32>>>(a.out.data, a.in.data, 256)))
/* clang-format on */
