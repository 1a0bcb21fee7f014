/* forms - forms of instructions that other people's code has and the other libraries here lack.
 *
 * Each kernel writes what the instructions of one kind make of seeded words. There is no second computation of it: what
 * is right is what a GPU wrote, to the bit. */
#include "hopper_gmma.cuh"
#include <cugate/kernel.hpp>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/* Not anonymous: the functions' names must not depend on the folder that they are built in. */
namespace forms {

using u32 = uint32_t;
using u64 = unsigned long long;
namespace cg = cooperative_groups;

constexpr u32 seed = 0xf0;
constexpr unsigned in_words = 1u << 16, out_words = 1u << 16, threads = 128;

template <class V> __global__ void __launch_bounds__(V::threads) kernel(const u32 *in, u32 *out)
{
    V::run(in, out);
}

struct job {
    cugate::device_array<u32> in, out;
    unsigned words = 0;           /* of the output of the last launch, from its beginning */
    const char *family = nullptr; /* whose launch it was */

    int open()
    {
        std::vector<u32> host(in_words);
        for (unsigned i = 0; i < in_words; i++)
            host[i] = cugate::hash32(seed, i) >> (i / threads % 5 * 6); /* of all sizes */
        CUGATE_TRY(in.allocate(in_words));
        CUGATE_TRY(out.allocate(out_words));
        return in.upload(host);
    }
    int restore()
    {
        return out.poison(0);
    }
    template <class V> void launch(const char *of)
    {
        static_assert(V::words <= out_words);
        family = of;
        words = V::words;
        kernel<V><<<V::blocks, V::threads>>>(in.data, out.data);
    }
    /* Where CUGATE_OUTPUTS names a folder, the output goes to FOLDER/FAMILY-VARIANT.bin. One that cannot be written
     * whole is an error: half an output would look like a wrong one. */
    int verify(const cugate_variant &variant, cugate::why &why)
    {
        const char *const folder = std::getenv("CUGATE_OUTPUTS");
        if (!folder || !folder[0])
            return 0;
        std::vector<u32> got;
        CUGATE_TRY(out.download(got));
        const std::string path = std::string(folder) + "/" + family + "-" + variant.name + ".bin";
        std::FILE *const file = std::fopen(path.c_str(), "wb");
        const bool written = file && std::fwrite(got.data(), sizeof got[0], words, file) == words;
        if (!file || std::fclose(file) != 0 || !written)
            return why("CUGATE_OUTPUTS: %s could not be written: %s", path.c_str(), std::strerror(errno));
        return 0;
    }
};

/* `count` words of each of the threads of a block. */
template <unsigned count> struct of_threads {
    static constexpr unsigned blocks = 1, threads = forms::threads, each = count, words = threads * count;
};

/* Puts results of a thread one behind the other, in rows of all threads. */
struct results {
    u32 *at;
    __device__ explicit results(u32 *out) : at(out + threadIdx.x)
    {
    }
    __device__ void operator+=(u32 word)
    {
        *at = word;
        at += threads;
    }
    __device__ void operator+=(__half2 pair)
    {
        *this += *reinterpret_cast<u32 *>(&pair);
    }
    __device__ void operator+=(__nv_bfloat162 pair)
    {
        *this += *reinterpret_cast<u32 *>(&pair);
    }
};

#define WORDS                                                                                                          \
    const u32 a = in[threadIdx.x], b = in[threads + threadIdx.x], c = in[2 * threads + threadIdx.x];                   \
    results r(out)
/* An instruction of PTX with three words. */
#define PTX(text)                                                                                                      \
    do {                                                                                                               \
        u32 d;                                                                                                         \
        asm(text : "=r"(d) : "r"(a), "r"(b), "r"(c));                                                                  \
        r += d;                                                                                                        \
    } while (0)

/* ---- Integers ---- */

/* PLOP3 of signs. */
struct saturated : of_threads<6> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        WORDS;
        PTX("add.sat.s32 %0, %1, %2;");
        PTX("sub.sat.s32 %0, %1, %2;");
        PTX("mad.hi.sat.s32 %0, %1, %2, %3;");
        PTX("vadd.s32.s32.s32.sat %0, %1.b0, %2.h1;");
        PTX("vsub.s32.s32.s32.sat %0, %1, %2;");
        PTX("vadd2.s32.s32.s32.sat %0, %1, %2, %3;");
    }
};

struct video : of_threads<18> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        WORDS;
        PTX("vadd.u32.u32.u32.add %0, %1, %2.b2, %3;");
        PTX("vsub.s32.u32.s32 %0, %1.b3, %2.h0;");
        PTX("vabsdiff.s32.s32.s32.add %0, %1.h0, %2.b1, %3;");
        PTX("vmin.s32.s32.u32.max %0, %1, %2.b1, %3;");
        PTX("vmax.u32.u32.u32 %0, %1.h1, %2;");
        PTX("vshl.u32.u32.u32.clamp.add %0, %1, %2.b0, %3;");
        PTX("vshr.s32.s32.u32.wrap %0, %1, %2;");
        PTX("vmad.s32.s32.s32 %0, %1.h0, %2.h1, %3;");
        PTX("vmad.u32.u32.u32.shr7 %0, %1.b0, %2.h1, %3;");
        PTX("vset.s32.s32.lt %0, %1.b0, %2.b1;");
        PTX("vset.u32.u32.ge.add %0, %1.b0, %2.b1, %3;");
        PTX("vadd4.u32.u32.u32.add %0, %1, %2, %3;");
        PTX("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;");
        PTX("vavrg4.u32.u32.u32 %0, %1, %2, %3;");
        PTX("vset4.u32.u32.gt %0, %1, %2, %3;");
        PTX("vmax2.s32.s32.s32 %0, %1, %2, %3;");
        r += __vsads4(a, b);
        r += __vabsdiffs2(a, b);
    }
};

struct bits : of_threads<26> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        WORDS;
        PTX("szext.clamp.s32 %0, %1, %2;");
        PTX("szext.wrap.u32 %0, %1, %2;");
        PTX("bmsk.clamp.b32 %0, %1, %2;");
        PTX("bmsk.wrap.b32 %0, %1, %2;");
        PTX("sad.s32 %0, %1, %2, %3;");
        PTX("sad.u32 %0, %1, %2, %3;");
        PTX("mul24.lo.s32 %0, %1, %2;");
        PTX("mul24.hi.u32 %0, %1, %2;");
        PTX("mad24.hi.s32 %0, %1, %2, %3;");
        PTX("bfind.s32 %0, %1;");
        PTX("bfind.shiftamt.u32 %0, %1;");
        PTX("bfe.s32 %0, %1, %2, %3;");
        PTX("bfi.b32 %0, %1, %2, %3, 5;");
        PTX("dp4a.s32.u32 %0, %1, %2, %3;");
        PTX("dp2a.hi.u32.s32 %0, %1, %2, %3;");
        PTX("shf.l.wrap.b32 %0, %1, %2, %3;");
        PTX("shf.r.clamp.b32 %0, %1, %2, %3;");
        PTX("prmt.b32.f4e %0, %1, %2, %3;");
        PTX("prmt.b32.rc16 %0, %1, %2, %3;");
        PTX("lop3.b32 %0, %1, %2, %3, 0x1e;");
        PTX("slct.s32.s32 %0, %1, %2, %3;");
        PTX("cnot.b32 %0, %1;");
        r += __fns(a, b % 32, static_cast<int>(c % 9) - 4);
        r += __funnelshift_lc(a, b, c);
        r += static_cast<u32>(__umul64hi(u64{a} << 20, u64{b} << 23));
        r += __rhadd(static_cast<int>(a), static_cast<int>(b));
    }
};

/* ---- Halves ---- */

/* Of products of complex numbers one factor's halves change places. */
template <class T> struct complex_products : of_threads<4> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        WORDS;
        const T x = *reinterpret_cast<const T *>(&a), y = *reinterpret_cast<const T *>(&b),
                z = *reinterpret_cast<const T *>(&c);
        r += __hcmadd(x, y, z);
        r += __hcmadd(__hneg2(x), y, z);
        r += __hcmadd(x, __hneg2(y), __hneg2(z));
        r += __hcmadd(x, __habs2(y), z);
    }
};

struct small_constants : of_threads<3> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        WORDS;
        const auto half = [&](unsigned byte, __nv_fp8_interpretation_t kind) {
            return static_cast<u32>(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(byte), kind).x);
        };
        r += half(7, __NV_E4M3) + (a & b);
        r += half(0x7b, __NV_E5M2) + (b & c);
        r += half(c, __NV_E4M3);
    }
};

/* ---- Between lanes ---- */

struct between_lanes : of_threads<13> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        WORDS;
        int same;
        r += __match_any_sync(~0u, a & 3);
        r += __match_all_sync(~0u, b & 0, &same);
        r += static_cast<u32>(same);
        r += __match_any_sync(~0u, u64{a & 1} << 40 | (b & 1));
        r += __reduce_add_sync(~0u, a);
        r += static_cast<u32>(__reduce_min_sync(~0u, static_cast<int>(b)));
        if (c & 1) {
            const auto lanes = cg::coalesced_threads();
            r += cg::reduce(lanes, a, cg::plus<u32>());
            r += cg::exclusive_scan(lanes, b);
            const auto alike = cg::labeled_partition(lanes, a & 3);
            r += cg::reduce(alike, b, cg::greater<u32>()) + alike.size();
        }
        const auto parts = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), b & 2);
        r += parts.size();
        r += cg::reduce(parts, c, cg::bit_xor<u32>());
        const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
        r += cg::inclusive_scan(tile, a);
        r += tile.match_any(b & 1);
    }
};

/* ---- Copies of rows that do not begin at a line ---- */

/* Rows of 128 bytes, a quarter of a warp each, by copies past the L1. Each instruction has its own distance between
 * rows, and its own beginning on either side; a step of 16 bytes. */
template <unsigned from_step, unsigned to_step> struct rows_aside {
    static constexpr unsigned blocks = 1, threads = 32, cases = 16, units = 256, words = cases * 4 * threads;
    static constexpr u64 from_begins = 0x6432221100000000, to_begins = 0x6234201076543210; /* a digit a case */

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ __align__(1024) uint4 tile[units];
        const unsigned row = threadIdx.x / 8, part = threadIdx.x % 8;
        const uint4 *const source = reinterpret_cast<const uint4 *>(in);
#pragma unroll
        for (unsigned i = 0; i < cases; i++) {
            const unsigned to = static_cast<unsigned>(to_begins >> 4 * i) % 16 + row * to_step + part;
            const u32 place = static_cast<u32>(__cvta_generic_to_shared(&tile[to]));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n\tcp.async.wait_all;" ::"r"(place),
                         "l"(source + (from_begins >> 4 * i) % 16 + row * from_step + part)
                         : "memory");
            __syncwarp();
            reinterpret_cast<uint4 *>(out)[i * threads + threadIdx.x] = tile[to];
            __syncwarp();
        }
    }
};

/* ---- Barriers in memory, and groups of products ---- */

struct no_complete : of_threads<4> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ u64 barrier;
        WORDS;
        const u32 at = static_cast<u32>(__cvta_generic_to_shared(&barrier));
        if (threadIdx.x == 0)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(3 * threads) : "memory");
        __syncthreads();
        u64 state;
        u32 left, over;
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(at) : "memory");
        __syncthreads();
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        __syncthreads();
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at), "l"(state)
                     : "memory");
        r += left > 0 && left <= threads;
        r += over;
        r += a ^ b ^ c;
    }
};

GMMA(product, 8, 4, "k16.f32.f16.f16", ", 1, 1, 0, 0")

/* Groups whose product stands in another branch than their end, or that have none. */
struct empty_groups : of_threads<8> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ __align__(1024) u32 tile[512];
        u32 d[4], e[4];
        results r(out);
        for (unsigned i = threadIdx.x; i < 512; i += threads)
            tile[i] = 0x3c003c00u + (in[i] & 0x01010101u);
        hopper::proxy_fence();
        __syncthreads();
        const u64 of_tile =
            hopper::descriptor(static_cast<u32>(__cvta_generic_to_shared(tile)), 128, 256, hopper::PLAIN);
        const unsigned rounds = 1 + (in[512] & 1);
        for (unsigned i = 0; i < rounds; i++) {
            hopper::gmma_fence();
            product::run(d, of_tile, of_tile, 0);
            __syncwarp();
            if (in[513 + i] & 1)
                hopper::gmma_commit();
            hopper::gmma_commit();
            product::run(e, of_tile, of_tile, 0);
            hopper::gmma_commit();
            hopper::gmma_wait<1>();
            hopper::gmma_wait<0>();
        }
        for (unsigned i = 0; i < 4; i++)
            r += d[i];
        for (unsigned i = 0; i < 4; i++)
            r += e[i];
    }
};

/* ---- Atomics ---- */

/* Two or four floats at once, where no two threads meet. */
struct vectors : of_threads<6> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        const auto number = [&](unsigned i) { return static_cast<float>(in[i * threads + threadIdx.x] & 0xfff) / 16; };
        const unsigned turned = threadIdx.x ^ 5;
        atomicAdd(reinterpret_cast<float4 *>(out) + turned, make_float4(number(0), number(1), number(2), number(3)));
        atomicAdd(reinterpret_cast<float2 *>(out + 4 * threads) + turned, make_float2(number(4), number(5)));
    }
};

} // namespace forms

#define FAMILY(name, text) cugate::family<forms::job>(name, text)
#define ROW(family, name, text, ...)                                                                                   \
    .variant(name, text, [](forms::job &j) {                                                                           \
        using namespace forms;                                                                                         \
        j.launch<__VA_ARGS__>(family);                                                                                 \
    })

/* clang-format off */
CUGATE_LIBRARY(
    FAMILY("values", "what instructions make of words")
        ROW("values", "saturated", "sums that saturate, by signs", saturated)
        ROW("values", "video", "bytes and halves of words", video)
        ROW("values", "bits", "bits and shifts", bits)
        ROW("values", "complex_halves", "products of complex numbers", complex_products<__half2>)
        ROW("values", "complex_bfloats", "products of complex numbers", complex_products<__nv_bfloat162>)
        ROW("values", "small_constants", "numbers of 8 bits, known to the compiler", small_constants)
        ROW("values", "lanes", "groups of lanes", between_lanes),
    FAMILY("asides", "asynchronous copies of rows that do not begin at a line")
        ROW("asides", "rows_128", "rows behind each other", rows_aside<8, 8>)
        ROW("asides", "rows_144", "16 bytes between rows in shared memory", rows_aside<8, 9>)
        ROW("asides", "rows_160", "32 bytes between rows in shared memory", rows_aside<8, 10>)
        ROW("asides", "rows_192", "64 bytes between rows in shared memory", rows_aside<8, 12>)
        ROW("asides", "rows_256", "128 bytes between rows in shared memory", rows_aside<8, 16>)
        ROW("asides", "from_160", "32 bytes between rows in global memory", rows_aside<10, 8>)
        ROW("asides", "from_1024", "rows far from each other", rows_aside<64, 8>)
        ROW("asides", "from_1040", "rows far from each other, and 32 bytes between them", rows_aside<65, 10>),
    FAMILY("others", "barriers, groups and atomics")
        ROW("others", "no_complete", "arrivals that may not end a phase", no_complete)
        ROW("others", "empty_groups", "groups without products", empty_groups)
        ROW("others", "vectors", "atomics on two and four floats", vectors))
/* clang-format on */
