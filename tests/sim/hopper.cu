/* hopper - small kernels with the matrix instructions of sm_90a, each of which asks one thing: what an instruction
 * computes, where it reads in shared memory, and what it counts as. They are as those of micro.cu, whose comment says
 * how they are recorded. */
#include "hopper_gmma.cuh"
#include "hopper_numbers.h"
#include "library.cuh"

/* Not anonymous: the functions' names must not depend on the folder that they are built in. */
namespace hopper {

using u32 = uint32_t;
using u64 = uint64_t;

/* ---- Families ---- */

constexpr unsigned out_words = 1u << 17;

struct hopper_state {
    cugate::device_array<u32> out;
    unsigned words = 0; /* of the output of the last launch, from its beginning */

    int open()
    {
        return out.allocate(out_words);
    }
};

int restore(void *state)
{
    return static_cast<hopper_state *>(state)->out.poison();
}

/* One block a multiprocessor, so that the compiler knows how many registers there are for setmaxnreg. */
template <class V> __global__ void __launch_bounds__(V::threads, 1) kernel(u32 *out)
{
    V::run(out);
}

template <class V> int launch(void *state)
{
    hopper_state *const s = static_cast<hopper_state *>(state);
    static_assert(V::words <= out_words);
    s->words = V::words;
    kernel<V><<<V::blocks, V::threads>>>(s->out.data);
    return cugate::launched();
}

#define FAMILY(id, text) FAMILY_OF(hopper_state, id, text, restore)

/* ---- Elements ---- */

/* A type of elements: its size in bytes, and the bits of a small whole number, which is -3 to 4 (0 to 7 where there are
 * no signs). */
template <unsigned exponents, unsigned fraction, unsigned size> struct floating {
    static constexpr unsigned bytes = size;
    static constexpr int least = -3;
    static constexpr int exponent_bits = exponents, fraction_bits = fraction;
    static __device__ u32 bits(int value)
    {
        const u32 magnitude = value < 0 ? -value : value, sign = value < 0 ? 1u << (exponents + fraction) : 0;
        if (magnitude == 0)
            return sign;
        const unsigned power = magnitude >= 4 ? 2 : magnitude >= 2 ? 1 : 0, bias = (1u << (exponents - 1)) - 1;
        return sign | (bias + power) << fraction | ((magnitude << fraction >> power) & ((1u << fraction) - 1));
    }
};
struct f16 : floating<5, 10, 2> {};
struct bf16 : floating<8, 7, 2> {};
struct tf32 : floating<8, 23, 4> {};
struct e4m3 : floating<4, 3, 1> {};
struct e5m2 : floating<5, 2, 1> {};
struct s8 {
    static constexpr unsigned bytes = 1;
    static constexpr int least = -3;
    static __device__ u32 bits(int value)
    {
        return static_cast<u32>(value) & 0xff;
    }
};
struct u8 : s8 {
    static constexpr int least = 0;
};
using f32 = tf32;

template <class T> static __device__ int element(unsigned matrix, unsigned row, unsigned column)
{
    return static_cast<int>(hopper_hash(matrix, row * 256 + column) % 8) + T::least;
}

/* ---- Layouts in shared memory ---- */

constexpr unsigned k_bytes = 32; /* along k, of a product */

/* Where element k of line mn is, as bytes from the beginning, and the descriptor. `swizzled` permutes 16-byte units. */
template <unsigned mode, bool mn_major, unsigned leading, unsigned stride> struct layout {
    static constexpr unsigned row = mode == PLAIN ? 16 : mode == SWIZZLE_32 ? 32 : mode == SWIZZLE_64 ? 64 : 128;

    template <class T> static __device__ unsigned at(unsigned mn, unsigned k)
    {
        constexpr unsigned width = 16 / T::bytes, wide = row / T::bytes;
        unsigned place;
        if (!mn_major)
            place = mode == PLAIN ? mn / 8 * stride + mn % 8 * 16 + k / width * leading + k % width * T::bytes
                                  : mn / 8 * stride + mn % 8 * row + k * T::bytes;
        else
            place = mode == PLAIN ? mn / wide * stride + mn % wide * T::bytes + k / 8 * leading + k % 8 * row
                                  : mn / wide * leading + mn % wide * T::bytes + k / 8 * stride + k % 8 * row;
        return swizzled(place);
    }
    static __device__ unsigned swizzled(unsigned place)
    {
        return place ^ ((place >> 7 & (row / 16 - 1)) << 4);
    }
    static __device__ u64 of(u32 address)
    {
        return descriptor(address, leading, stride, mode);
    }
};
/* Units of 8 lines by 16 bytes, one after the other: first all those of a k. */
template <unsigned lines> using plain = layout<PLAIN, false, lines * 16, 128>;

__device__ inline u32 shared_address(const void *place)
{
    return static_cast<u32>(__cvta_generic_to_shared(place));
}

__device__ inline void put(unsigned char *place, u32 bits, unsigned bytes)
{
    if (bytes == 1)
        *place = static_cast<unsigned char>(bits);
    else if (bytes == 2)
        *reinterpret_cast<uint16_t *>(place) = static_cast<uint16_t>(bits);
    else
        *reinterpret_cast<u32 *>(place) = bits;
}

/* Stores the whole numbers of a matrix. */
template <class T, class L, unsigned matrix, unsigned lines> __device__ void fill(unsigned char *tile)
{
    constexpr unsigned depth = k_bytes / T::bytes;
    for (unsigned i = threadIdx.x; i < lines * depth; i += 128)
        put(tile + L::template at<T>(i / depth, i % depth), T::bits(element<T>(matrix, i / depth, i % depth)),
            T::bytes);
}

/* Row and column of accumulator `word` of a thread, of 32 bits. */
static __device__ unsigned row_of(unsigned thread, unsigned word)
{
    return thread / 32 * 16 + thread % 32 / 4 + word / 2 % 2 * 8;
}
static __device__ unsigned column_of(unsigned thread, unsigned word)
{
    return word / 4 * 8 + thread % 4 * 2 + word % 2;
}

/* ---- Whole numbers ---- */

/* Two products of a warpgroup: A B, then A B + that + C, where C is what the accumulators were. */
template <class A, class B, class Sum, class Op, class LA = plain<64>, class LB = plain<Op::columns>, int sign_a = 1,
          int sign_b = 1>
struct product {
    static constexpr unsigned blocks = 1, threads = 128, n = Op::columns, depth = k_bytes / A::bytes;
    static constexpr unsigned registers = Op::registers, words = 2 * registers * threads;
    static constexpr unsigned tile_a = 8192, tile_b = 8192;

    static __device__ u32 start(unsigned word)
    {
        if constexpr (Sum::bytes == 2)
            return Sum::bits(element<s8>(2, row_of(threadIdx.x, 2 * word), column_of(threadIdx.x, 2 * word))) |
                   Sum::bits(element<s8>(2, row_of(threadIdx.x, 2 * word), column_of(threadIdx.x, 2 * word) + 1)) << 16;
        else
            return Sum::bits(element<s8>(2, row_of(threadIdx.x, word), column_of(threadIdx.x, word)));
    }

    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) unsigned char a[tile_a], b[tile_b];
        u32 d[registers], e[registers];
        fill<A, LA, 0, 64>(a);
        fill<B, LB, 1, n>(b);
        for (unsigned w = 0; w < registers; w++)
            d[w] = e[w] = start(w);
        proxy_fence();
        __syncthreads();
        gmma_fence();
        Op::run(d, LA::of(shared_address(a)), LB::of(shared_address(b)), 0);
        Op::run(e, LA::of(shared_address(a)), LB::of(shared_address(b)), 1);
        gmma_commit();
        gmma_wait<0>();
        for (unsigned w = 0; w < registers; w++) {
            out[w * threads + threadIdx.x] = d[w];
            out[(registers + w) * threads + threadIdx.x] = e[w];
        }
    }
};
/* Of accumulators that are whole numbers, the bits are the number's. */
struct s32 : s8 {
    static __device__ u32 bits(int value)
    {
        return static_cast<u32>(value);
    }
};

/* Every width of each type. */
/* clang-format off */
#define WIDTHS(W) W(8, 4) W(16, 8) W(24, 12) W(32, 16) W(40, 20) W(48, 24) W(56, 28) W(64, 32) W(72, 36) W(80, 40) \
    W(88, 44) W(96, 48) W(104, 52) W(112, 56) W(120, 60) W(128, 64) W(136, 68) W(144, 72) W(152, 76) W(160, 80) \
    W(168, 84) W(176, 88) W(184, 92) W(192, 96) W(200, 100) W(208, 104) W(216, 108) W(224, 112) W(232, 116) \
    W(240, 120) W(248, 124) W(256, 128)
#define SOME_WIDTHS(W) W(8, 4) W(32, 16) W(64, 32) W(96, 48) W(256, 128)
#define HALF_WIDTHS(W) W(16, 4) W(32, 8) W(64, 16) W(176, 44) W(256, 64)
/* clang-format on */

#define OP(kind, n, words, types, tail) GMMA(kind##_##n, n, words, types, tail)
#define F16_OP(n, words) OP(f16_f32, n, words, "k16.f32.f16.f16", ", 1, 1, 0, 0")
WIDTHS(F16_OP)
#define BF16_OP(n, words) OP(bf16_f32, n, words, "k16.f32.bf16.bf16", ", 1, 1, 0, 0")
SOME_WIDTHS(BF16_OP)
#define TF32_OP(n, words) OP(tf32_f32, n, words, "k8.f32.tf32.tf32", ", 1, 1")
SOME_WIDTHS(TF32_OP)
#define F16_F16_OP(n, words) OP(f16_f16, n, words, "k16.f16.f16.f16", ", 1, 1, 0, 0")
HALF_WIDTHS(F16_F16_OP)
#define E4_E4_OP(n, words) OP(e4_e4_f32, n, words, "k32.f32.e4m3.e4m3", ", 1, 1")
SOME_WIDTHS(E4_E4_OP)
#define E4_E5_OP(n, words) OP(e4_e5_f32, n, words, "k32.f32.e4m3.e5m2", ", 1, 1")
SOME_WIDTHS(E4_E5_OP)
#define E5_E4_OP(n, words) OP(e5_e4_f32, n, words, "k32.f32.e5m2.e4m3", ", 1, 1")
SOME_WIDTHS(E5_E4_OP)
#define E5_E5_OP(n, words) OP(e5_e5_f32, n, words, "k32.f32.e5m2.e5m2", ", 1, 1")
SOME_WIDTHS(E5_E5_OP)
#define E4_F16_OP(n, words) OP(e4_e4_f16, n, words, "k32.f16.e4m3.e4m3", ", 1, 1")
HALF_WIDTHS(E4_F16_OP)
#define E5_F16_OP(n, words) OP(e5_e5_f16, n, words, "k32.f16.e5m2.e5m2", ", 1, 1")
HALF_WIDTHS(E5_F16_OP)
#define S8_OP(n, words) OP(s8_s8, n, words, "k32.s32.s8.s8", "")
SOME_WIDTHS(S8_OP)
#define U8_OP(n, words) OP(u8_u8, n, words, "k32.s32.u8.u8", "")
SOME_WIDTHS(U8_OP)
#define S8_U8_OP(n, words) OP(s8_u8, n, words, "k32.s32.s8.u8", "")
SOME_WIDTHS(S8_U8_OP)
#define U8_S8_OP(n, words) OP(u8_s8, n, words, "k32.s32.satfinite.u8.s8", "")
SOME_WIDTHS(U8_S8_OP)

/* Bits that a row of A and a column of B have in common. */
#define BITS_OP(n, words) OP(b1_b1, n, words, "k256.s32.b1.b1.and.popc", "")
SOME_WIDTHS(BITS_OP)
template <class Op> struct bits {
    static constexpr unsigned blocks = 1, threads = 128, registers = Op::registers, words = registers * threads;
    static __device__ u32 word(unsigned matrix, unsigned line, unsigned k)
    {
        return hopper_hash(matrix, line * 8 + k);
    }
    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) unsigned char a[2048], b[8192];
        u32 d[registers];
        for (unsigned i = threadIdx.x; i < 64 * 8; i += threads)
            put(a + plain<64>::at<f32>(i / 8, i % 8), word(0, i / 8, i % 8), 4);
        for (unsigned i = threadIdx.x; i < Op::columns * 8; i += threads)
            put(b + plain<Op::columns>::template at<f32>(i / 8, i % 8), word(1, i / 8, i % 8), 4);
        for (unsigned w = 0; w < registers; w++)
            d[w] = 5;
        proxy_fence();
        __syncthreads();
        gmma_fence();
        Op::run(d, plain<64>::of(shared_address(a)), plain<Op::columns>::of(shared_address(b)), 1);
        gmma_commit();
        gmma_wait<0>();
        for (unsigned w = 0; w < registers; w++)
            out[w * threads + threadIdx.x] = d[w];
    }
};
#define BITS_ROW(n, words) ROW("b1_" #n, "bits", bits<b1_b1_##n>),

#define PRODUCT(name, text, a, b, sum, op) ROW(name, text, product<a, b, sum, op>),
#define F16_ROW(n, words) PRODUCT("f16_" #n, "f16, sums in f32", f16, f16, f32, f16_f32_##n)
#define BF16_ROW(n, words) PRODUCT("bf16_" #n, "bf16, sums in f32", bf16, bf16, f32, bf16_f32_##n)
#define TF32_ROW(n, words) PRODUCT("tf32_" #n, "tf32, sums in f32", tf32, tf32, f32, tf32_f32_##n)
#define F16_F16_ROW(n, words) PRODUCT("f16_f16_" #n, "f16, sums in f16", f16, f16, f16, f16_f16_##n)
#define E4_E4_ROW(n, words) PRODUCT("e4m3_" #n, "e4m3, sums in f32", e4m3, e4m3, f32, e4_e4_f32_##n)
#define E4_E5_ROW(n, words) PRODUCT("e4m3_e5m2_" #n, "e4m3 by e5m2, sums in f32", e4m3, e5m2, f32, e4_e5_f32_##n)
#define E5_E4_ROW(n, words) PRODUCT("e5m2_e4m3_" #n, "e5m2 by e4m3, sums in f32", e5m2, e4m3, f32, e5_e4_f32_##n)
#define E5_E5_ROW(n, words) PRODUCT("e5m2_" #n, "e5m2, sums in f32", e5m2, e5m2, f32, e5_e5_f32_##n)
#define E4_F16_ROW(n, words) PRODUCT("e4m3_f16_" #n, "e4m3, sums in f16", e4m3, e4m3, f16, e4_e4_f16_##n)
#define E5_F16_ROW(n, words) PRODUCT("e5m2_f16_" #n, "e5m2, sums in f16", e5m2, e5m2, f16, e5_e5_f16_##n)
#define S8_ROW(n, words) PRODUCT("s8_" #n, "s8", s8, s8, s32, s8_s8_##n)
#define U8_ROW(n, words) PRODUCT("u8_" #n, "u8", u8, u8, s32, u8_u8_##n)
#define S8_U8_ROW(n, words) PRODUCT("s8_u8_" #n, "s8 by u8", s8, u8, s32, s8_u8_##n)
#define U8_S8_ROW(n, words) PRODUCT("u8_s8_" #n, "u8 by s8, saturated", u8, s8, s32, u8_s8_##n)

constexpr struct cugate_variant types_variants[] = {
    WIDTHS(F16_ROW) SOME_WIDTHS(BF16_ROW) SOME_WIDTHS(TF32_ROW) HALF_WIDTHS(F16_F16_ROW) SOME_WIDTHS(E4_E4_ROW)
        SOME_WIDTHS(E4_E5_ROW) SOME_WIDTHS(E5_E4_ROW) SOME_WIDTHS(E5_E5_ROW) HALF_WIDTHS(E4_F16_ROW)
            HALF_WIDTHS(E5_F16_ROW) SOME_WIDTHS(S8_ROW) SOME_WIDTHS(U8_ROW) SOME_WIDTHS(S8_U8_ROW)
                SOME_WIDTHS(U8_S8_ROW) SOME_WIDTHS(BITS_ROW)};
FAMILY(types, "products of whole numbers: every type and width")

/* ---- Signs, and matrices whose lines go along m or n ---- */

#define TURNED(name, tail)                                                                                             \
    GMMA(f16_##name, 64, 32, "k16.f32.f16.f16", tail) GMMA(bf16_##name, 64, 32, "k16.f32.bf16.bf16", tail)
TURNED(kk, ", 1, 1, 0, 0")
TURNED(kn, ", 1, 1, 0, 1")
TURNED(mk, ", 1, 1, 1, 0")
TURNED(mn, ", 1, 1, 1, 1")
TURNED(minus_a, ", -1, 1, 0, 0")
TURNED(minus_b, ", 1, -1, 0, 0")
TURNED(minus_both, ", -1, -1, 1, 1")
GMMA(tf32_minus, 64, 32, "k8.f32.tf32.tf32", ", -1, 1")
GMMA(e4m3_minus, 64, 32, "k32.f32.e4m3.e4m3", ", 1, -1")
GMMA(tf32_kk, 64, 32, "k8.f32.tf32.tf32", ", 1, 1")
GMMA(s8_kk, 64, 32, "k32.s32.s8.s8", "")

/* The layouts of 64 lines by 32 bytes: along k, then along m or n. */
template <unsigned mode>
using along_k = layout<mode, false, 1024,
                       mode == PLAIN        ? 128
                       : mode == SWIZZLE_32 ? 256
                       : mode == SWIZZLE_64 ? 512
                                            : 1024>;
using apart_k = layout<PLAIN, false, 128, 272>; /* units apart, and those of a k beside each other */
using wide_128 = layout<SWIZZLE_128, false, 16, 1024>;
using along_plain = layout<PLAIN, true, 128, 272>;
using along_32 = layout<SWIZZLE_32, true, 256, 1024>;
using along_64 = layout<SWIZZLE_64, true, 1024, 512>;
using along_128 = layout<SWIZZLE_128, true, 2048, 1024>;
using along_128_apart = layout<SWIZZLE_128, true, 1024, 3072>;

constexpr struct cugate_variant layouts_variants[] = {
    ROW("k_plain", "along k", product<f16, f16, f32, f16_kk, along_k<PLAIN>, along_k<PLAIN>>),
    ROW("k_apart", "along k, with gaps", product<f16, f16, f32, f16_kk, apart_k, apart_k>),
    ROW("k_32", "along k, 32 bytes swizzled", product<f16, f16, f32, f16_kk, along_k<SWIZZLE_32>, along_k<SWIZZLE_32>>),
    ROW("k_64", "along k, 64 bytes swizzled", product<f16, f16, f32, f16_kk, along_k<SWIZZLE_64>, along_k<SWIZZLE_64>>),
    ROW("k_128", "along k, 128 bytes swizzled",
        product<f16, f16, f32, f16_kk, along_k<SWIZZLE_128>, along_k<SWIZZLE_128>>),
    ROW("k_128_other", "another leading offset", product<f16, f16, f32, f16_kk, wide_128, wide_128>),
    ROW("k_32_tf32", "tf32, 32 bytes swizzled",
        product<tf32, tf32, f32, tf32_kk, along_k<SWIZZLE_32>, along_k<SWIZZLE_128>>),
    ROW("k_64_s8", "s8, 64 bytes swizzled", product<s8, s8, s32, s8_kk, along_k<SWIZZLE_64>, along_k<SWIZZLE_128>>),
    ROW("n_plain", "B along n", product<f16, f16, f32, f16_kn, along_k<PLAIN>, along_plain>),
    ROW("n_32", "B along n, 32 bytes swizzled", product<f16, f16, f32, f16_kn, along_k<PLAIN>, along_32>),
    ROW("n_64", "B along n, 64 bytes swizzled", product<f16, f16, f32, f16_kn, along_k<SWIZZLE_128>, along_64>),
    ROW("n_128", "B along n, 128 bytes swizzled", product<f16, f16, f32, f16_kn, along_k<SWIZZLE_64>, along_128>),
    ROW("n_128_apart", "the same with gaps", product<f16, f16, f32, f16_kn, along_k<SWIZZLE_64>, along_128_apart>),
    ROW("m_plain", "A along m", product<bf16, bf16, f32, bf16_mk, along_plain, along_k<PLAIN>>),
    ROW("m_32", "A along m, 32 bytes swizzled", product<bf16, bf16, f32, bf16_mk, along_32, along_k<SWIZZLE_32>>),
    ROW("m_64", "A along m, 64 bytes swizzled", product<bf16, bf16, f32, bf16_mk, along_64, along_k<PLAIN>>),
    ROW("m_128", "A along m, 128 bytes swizzled", product<bf16, bf16, f32, bf16_mk, along_128, along_k<SWIZZLE_128>>),
    ROW("mn_128", "both, 128 bytes swizzled", product<bf16, bf16, f32, bf16_mn, along_128, along_128>),
    ROW("minus_a", "A negated", product<f16, f16, f32, f16_minus_a, plain<64>, plain<64>, -1>),
    ROW("minus_b", "B negated", product<bf16, bf16, f32, bf16_minus_b, plain<64>, plain<64>, 1, -1>),
    ROW("minus_both", "both negated and along m and n",
        product<f16, f16, f32, f16_minus_both, along_64, along_32, -1, -1>),
    ROW("minus_tf32", "tf32, A negated", product<tf32, tf32, f32, tf32_minus, plain<64>, plain<64>, -1>),
    ROW("minus_e4m3", "e4m3, B negated", product<e4m3, e4m3, f32, e4m3_minus, plain<64>, plain<64>, 1, -1>),
};
FAMILY(layouts, "where the elements of a product are, and signs")

/* ---- Descriptors: which byte is which element? ---- */

/* The rows of A pick one k each, so that D is B. Shared memory has its own addresses, in two parts. */
GMMA_REGISTERS(pick_k, "k16.f32.bf16.bf16", ", 1, 1, 0")
GMMA_REGISTERS(pick_n, "k16.f32.bf16.bf16", ", 1, 1, 1")

struct descriptor_row {
    unsigned short start, leading, stride;
    unsigned char base;
};
__constant__ const descriptor_row descriptor_rows[] = {
    {0, 128, 256, 0},     {0, 256, 128, 0},      {16, 128, 256, 0},    {32, 128, 256, 0},    {64, 128, 512, 0},
    {96, 16, 1024, 0},    {112, 16, 1024, 0},    {128, 128, 256, 0},   {256, 64, 512, 0},    {384, 512, 64, 0},
    {512, 1024, 1024, 0}, {640, 16, 1024, 0},    {896, 32, 1024, 0},   {0, 16, 1024, 1},     {0, 16, 1024, 2},
    {0, 16, 1024, 3},     {0, 16, 1024, 4},      {0, 16, 1024, 7},     {128, 16, 1024, 1},   {256, 16, 1024, 2},
    {512, 16, 1024, 4},   {896, 16, 1024, 7},    {128, 16, 1024, 7},   {160, 2048, 1024, 1}, {0, 0, 0, 0},
    {16, 0, 16, 0},       {48, 48, 80, 0},       {2048, 2048, 144, 0}, {208, 272, 528, 0},   {1024, 4096, 2048, 0},
    {528, 528, 32, 0},    {1040, 1040, 1040, 5},
};
constexpr unsigned descriptor_count = std::size(descriptor_rows);

template <class Op, unsigned mode> struct descriptor_map {
    static constexpr unsigned blocks = descriptor_count, threads = 128, tile = 16384;
    static constexpr unsigned words = blocks * 2 * 4 * threads;

    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) uint16_t b[tile / 2];
        const descriptor_row &at = descriptor_rows[blockIdx.x];
        const unsigned lane = threadIdx.x % 32, group = lane / 4;
        u32 a[4];
        for (unsigned w = 0; w < 4; w++) { /* row g takes k = g of the first 8 elements, row g + 8 k = g + 8 */
            const unsigned row = group + w % 2 * 8, first = lane % 4 * 2 + w / 2 * 8;
            a[w] = row == first ? 0x3f80 : row == first + 1 ? 0x3f800000 : 0;
        }
        for (unsigned part = 0; part < 2; part++) {
            u32 d[4] = {0, 0, 0, 0};
            for (unsigned i = threadIdx.x; i < tile / 2; i += threads)
                b[i] = static_cast<uint16_t>(bf16::bits(0) |
                                             (__float_as_uint(static_cast<float>(part ? i / 128 : i % 128)) >> 16));
            proxy_fence();
            __syncthreads();
            gmma_fence();
            Op::run(d, a, descriptor(shared_address(b) + at.start, at.leading, at.stride, mode, at.base), 0);
            gmma_commit();
            gmma_wait<0>();
            for (unsigned w = 0; w < 4; w++)
                out[((blockIdx.x * 2 + part) * 4 + w) * threads + threadIdx.x] =
                    static_cast<u32>(__uint_as_float(d[w]));
            __syncthreads();
        }
    }
};

constexpr struct cugate_variant descriptors_variants[] = {
    ROW("k_plain", "along k", descriptor_map<pick_k, PLAIN>),
    ROW("k_32", "along k, 32 bytes swizzled", descriptor_map<pick_k, SWIZZLE_32>),
    ROW("k_64", "along k, 64 bytes swizzled", descriptor_map<pick_k, SWIZZLE_64>),
    ROW("k_128", "along k, 128 bytes swizzled", descriptor_map<pick_k, SWIZZLE_128>),
    ROW("n_plain", "along n", descriptor_map<pick_n, PLAIN>),
    ROW("n_32", "along n, 32 bytes swizzled", descriptor_map<pick_n, SWIZZLE_32>),
    ROW("n_64", "along n, 64 bytes swizzled", descriptor_map<pick_n, SWIZZLE_64>),
    ROW("n_128", "along n, 128 bytes swizzled", descriptor_map<pick_n, SWIZZLE_128>),
};
FAMILY(descriptors, "where a descriptor points")

/* ---- A from registers ---- */

GMMA_REGISTERS(f16_r, "k16.f32.f16.f16", ", 1, 1, 0")
GMMA_REGISTERS(bf16_minus_r, "k16.f32.bf16.bf16", ", -1, 1, 0")
GMMA_REGISTERS(tf32_r, "k8.f32.tf32.tf32", ", 1, -1")
GMMA_REGISTERS(e4m3_r, "k32.f32.e4m3.e4m3", ", 1, 1")
GMMA_REGISTERS(e5m2_r, "k32.f32.e5m2.e4m3", ", 1, 1")
GMMA_REGISTERS(s8_r, "k32.s32.s8.u8", "")

/* Word w of A in a thread's registers: elements beside each other along k, `each` of them. */
template <class T> __device__ u32 word_of_a(unsigned w, u32 (*bits)(unsigned row, unsigned k))
{
    constexpr unsigned each = 4 / T::bytes;
    const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + w % 2 * 8;
    u32 word = 0;
    for (unsigned i = 0; i < each; i++)
        word |= bits(row, (threadIdx.x % 4 + w / 2 * 4) * each + i) << 8 * T::bytes * i;
    return word;
}

template <class A, class B, class Sum, class Op, int sign>
struct from_registers : product<A, B, Sum, Op, plain<64>, plain<8>, sign> {
    using base = product<A, B, Sum, Op, plain<64>, plain<8>, sign>;
    static __device__ u32 element_bits(unsigned row, unsigned k)
    {
        return A::bits(element<A>(0, row, k));
    }
    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) unsigned char b[1024];
        u32 a[4], d[4], e[4];
        fill<B, plain<8>, 1, 8>(b);
        for (unsigned w = 0; w < 4; w++) {
            a[w] = word_of_a<A>(w, element_bits);
            d[w] = e[w] = base::start(w);
        }
        proxy_fence();
        __syncthreads();
        gmma_fence();
        Op::run(d, a, plain<8>::of(shared_address(b)), 0);
        Op::run(e, a, plain<8>::of(shared_address(b)), 1);
        gmma_commit();
        gmma_wait<0>();
        for (unsigned w = 0; w < 4; w++) {
            out[w * 128 + threadIdx.x] = d[w];
            out[(4 + w) * 128 + threadIdx.x] = e[w];
        }
    }
};

constexpr struct cugate_variant registers_variants[] = {
    ROW("f16", "f16", from_registers<f16, f16, f32, f16_r, 1>),
    ROW("bf16_minus", "bf16, A negated", from_registers<bf16, bf16, f32, bf16_minus_r, -1>),
    ROW("tf32_minus", "tf32, B negated", from_registers<tf32, tf32, f32, tf32_r, -1>),
    ROW("e4m3", "e4m3", from_registers<e4m3, e4m3, f32, e4m3_r, 1>),
    ROW("e5m2", "e5m2 by e4m3", from_registers<e5m2, e4m3, f32, e5m2_r, 1>),
    ROW("s8", "s8 by u8", from_registers<s8, u8, s32, s8_r, 1>),
};
FAMILY(registers, "A from registers")

/* ---- Sums that are not exact ---- */

/* Numbers of all kinds; each block has other ones, and one product of 64 x 8 each. */
constexpr unsigned sum_blocks = 128;

template <class T> static __device__ u32 sum_bits(unsigned matrix, unsigned block, unsigned row, unsigned column)
{
    return hopper_number(T::exponent_bits, T::fraction_bits, static_cast<int>(block % REGIMES),
                         hopper_hash(1000 + matrix + 8 * block, row * 64 + column));
}

template <class A, class B, class Sum, unsigned depth_> struct sums {
    static constexpr unsigned blocks = sum_blocks, threads = 128, depth = depth_, registers = Sum::bytes == 2 ? 2 : 4;
    static constexpr unsigned words = blocks * registers * threads;

    static __device__ u32 start(unsigned word)
    {
        const unsigned one = Sum::bytes == 2 ? 2 * word : word;
        const u32 low = sum_bits<Sum>(2, blockIdx.x, row_of(threadIdx.x, one), column_of(threadIdx.x, one));
        return Sum::bytes == 4
                   ? low
                   : low | sum_bits<Sum>(2, blockIdx.x, row_of(threadIdx.x, one), column_of(threadIdx.x, one) + 1)
                               << 16;
    }
    static __device__ u32 bits_of_a(unsigned row, unsigned k)
    {
        return sum_bits<A>(0, blockIdx.x, row, k);
    }
    static __device__ void put_out(u32 *out, const u32 *d)
    {
        for (unsigned w = 0; w < registers; w++)
            out[(blockIdx.x * registers + w) * threads + threadIdx.x] = d[w];
    }
};

GMMA(e4_f16_8, 8, 2, "k32.f16.e4m3.e4m3", ", 1, 1")
GMMA(f16_f16_8, 8, 2, "k16.f16.f16.f16", ", 1, 1, 0, 0")

template <class A, class B, class Sum, class Op> struct gmma_sums : sums<A, B, Sum, k_bytes / A::bytes> {
    using base = sums<A, B, Sum, k_bytes / A::bytes>;
    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) unsigned char a[2048], b[256];
        u32 d[base::registers];
        for (unsigned i = threadIdx.x; i < 64 * base::depth; i += base::threads) {
            const unsigned line = i / base::depth, k = i % base::depth;
            put(a + plain<64>::at<A>(line, k), base::bits_of_a(line, k), A::bytes);
            if (line < 8)
                put(b + plain<8>::at<B>(line, k), sum_bits<B>(1, blockIdx.x, line, k), B::bytes);
        }
        for (unsigned w = 0; w < base::registers; w++)
            d[w] = base::start(w);
        proxy_fence();
        __syncthreads();
        gmma_fence();
        Op::run(d, plain<64>::of(shared_address(a)), plain<8>::of(shared_address(b)), 1);
        gmma_commit();
        gmma_wait<0>();
        base::put_out(out, d);
    }
};

/* The same by the instructions of a warp. */
#define MMA(name, shape, words_a, words_b, names_a, names_b)                                                           \
    struct name {                                                                                                      \
        static constexpr unsigned a_words = words_a, b_words = words_b;                                                \
        static __device__ void run(u32 *d, const u32 *a, const u32 *b)                                                 \
        {                                                                                                              \
            asm volatile(                                                                                              \
                "mma.sync.aligned.m16n8" shape " {%0, %1, %2, %3}, {" names_a "}, {" names_b "}, {%0, %1, %2, %3};"    \
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                       \
                : "r"(a[0]), "r"(a[1]), "r"(a[words_a - 2]), "r"(a[words_a - 1]), "r"(b[0]), "r"(b[words_b - 1]));     \
        }                                                                                                              \
    };
MMA(mma_f16_16, "k16.row.col.f32.f16.f16.f32", 4, 2, "%4, %5, %6, %7", "%8, %9")
MMA(mma_f16_8, "k8.row.col.f32.f16.f16.f32", 2, 1, "%4, %5", "%8")
MMA(mma_bf16_16, "k16.row.col.f32.bf16.bf16.f32", 4, 2, "%4, %5, %6, %7", "%8, %9")
MMA(mma_bf16_8, "k8.row.col.f32.bf16.bf16.f32", 2, 1, "%4, %5", "%8")
MMA(mma_tf32_8, "k8.row.col.f32.tf32.tf32.f32", 4, 2, "%4, %5, %6, %7", "%8, %9")
MMA(mma_tf32_4, "k4.row.col.f32.tf32.tf32.f32", 2, 1, "%4, %5", "%8")
#define MMA_HALF(name, shape, words_a, words_b, names_a, names_b)                                                      \
    struct name {                                                                                                      \
        static constexpr unsigned a_words = words_a, b_words = words_b;                                                \
        static __device__ void run(u32 *d, const u32 *a, const u32 *b)                                                 \
        {                                                                                                              \
            asm volatile("mma.sync.aligned.m16n8" shape " {%0, %1}, {" names_a "}, {" names_b "}, {%0, %1};"           \
                         : "+r"(d[0]), "+r"(d[1])                                                                      \
                         : "r"(a[0]), "r"(a[1]), "r"(a[words_a - 2]), "r"(a[words_a - 1]), "r"(b[0]),                  \
                           "r"(b[words_b - 1]));                                                                       \
        }                                                                                                              \
    };
MMA_HALF(mma_half_16, "k16.row.col.f16.f16.f16.f16", 4, 2, "%2, %3, %4, %5", "%6, %7")
MMA_HALF(mma_half_8, "k8.row.col.f16.f16.f16.f16", 2, 1, "%2, %3", "%6")

template <class T, class Sum, class Op, unsigned depth> struct mma_sums : sums<T, T, Sum, depth> {
    using base = sums<T, T, Sum, depth>;
    static __device__ void run(u32 *out)
    {
        constexpr unsigned each = 4 / T::bytes;
        u32 a[Op::a_words], b[Op::b_words], d[base::registers];
        for (unsigned w = 0; w < Op::a_words; w++)
            a[w] = word_of_a<T>(w, base::bits_of_a);
        for (unsigned w = 0; w < Op::b_words; w++) {
            b[w] = 0;
            for (unsigned i = 0; i < each; i++)
                b[w] |= sum_bits<T>(1, blockIdx.x, threadIdx.x % 32 / 4, (threadIdx.x % 4 + w * 4) * each + i)
                        << 8 * T::bytes * i;
        }
        for (unsigned w = 0; w < base::registers; w++)
            d[w] = base::start(w);
        Op::run(d, a, b);
        base::put_out(out, d);
    }
};

constexpr struct cugate_variant sums_variants[] = {
    ROW("gmma_f16", "f16, sums in f32", gmma_sums<f16, f16, f32, f16_f32_8>),
    ROW("gmma_bf16", "bf16, sums in f32", gmma_sums<bf16, bf16, f32, bf16_f32_8>),
    ROW("gmma_tf32", "tf32, sums in f32", gmma_sums<tf32, tf32, f32, tf32_f32_8>),
    ROW("gmma_f16_f16", "f16, sums in f16", gmma_sums<f16, f16, f16, f16_f16_8>),
    ROW("gmma_e4m3", "e4m3, sums in f32", gmma_sums<e4m3, e4m3, f32, e4_e4_f32_8>),
    ROW("gmma_e5m2", "e5m2, sums in f32", gmma_sums<e5m2, e5m2, f32, e5_e5_f32_8>),
    ROW("gmma_e4m3_e5m2", "e4m3 by e5m2, sums in f32", gmma_sums<e4m3, e5m2, f32, e4_e5_f32_8>),
    ROW("gmma_e4m3_f16", "e4m3, sums in f16", gmma_sums<e4m3, e4m3, f16, e4_f16_8>),
    ROW("mma_f16_16", "of a warp: f16, k 16", mma_sums<f16, f32, mma_f16_16, 16>),
    ROW("mma_f16_8", "of a warp: f16, k 8", mma_sums<f16, f32, mma_f16_8, 8>),
    ROW("mma_bf16_16", "of a warp: bf16, k 16", mma_sums<bf16, f32, mma_bf16_16, 16>),
    ROW("mma_bf16_8", "of a warp: bf16, k 8", mma_sums<bf16, f32, mma_bf16_8, 8>),
    ROW("mma_tf32_8", "of a warp: tf32, k 8", mma_sums<tf32, f32, mma_tf32_8, 8>),
    ROW("mma_tf32_4", "of a warp: tf32, k 4", mma_sums<tf32, f32, mma_tf32_4, 4>),
    ROW("mma_f16_f16_16", "of a warp: f16, sums in f16, k 16", mma_sums<f16, f16, mma_half_16, 16>),
    ROW("mma_f16_f16_8", "of a warp: f16, sums in f16, k 8", mma_sums<f16, f16, mma_half_8, 8>),
};
FAMILY(sums, "sums of numbers of all kinds, which are rounded")

/* ---- Several products at once ---- */

/* A loop over k with two tiles of shared memory: of two groups one is waited for. Two warpgroups have 64 lines each. */
struct pipelined {
    static constexpr unsigned blocks = 2, threads = 256, steps = 6, words = blocks * threads * 16;
    static __device__ int number(unsigned matrix, unsigned block, unsigned line, unsigned k)
    {
        return element<f16>(matrix + 4 * block, line, k);
    }
    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) unsigned char a[2][128 * 32], b[2][32 * 32];
        const unsigned group = threadIdx.x / 128;
        u32 d[16] = {0};
#pragma unroll 1
        for (unsigned step = 0; step < steps; step++) {
            unsigned char *const to_a = a[step % 2], *const to_b = b[step % 2];
            for (unsigned i = threadIdx.x; i < 128 * 16; i += threads)
                put(to_a + plain<128>::at<f16>(i / 16, i % 16),
                    f16::bits(number(0, blockIdx.x, i / 16, step * 16 + i % 16)), 2);
            for (unsigned i = threadIdx.x; i < 32 * 16; i += threads)
                put(to_b + plain<32>::at<f16>(i / 16, i % 16),
                    f16::bits(number(1, blockIdx.x, i / 16, step * 16 + i % 16)), 2);
            proxy_fence();
            __syncthreads();
            gmma_fence();
            f16_f32_32::run(d, plain<128>::of(shared_address(to_a) + group * 1024), plain<32>::of(shared_address(to_b)),
                            1);
            gmma_commit();
            gmma_wait<0>();
            __syncthreads();
        }
        for (unsigned w = 0; w < 16; w++)
            out[(blockIdx.x * 16 + w) * threads + threadIdx.x] = d[w];
    }
};

/* Three tiles: a group is in flight while the next tile is stored. */
struct overlapped {
    static constexpr unsigned blocks = 1, threads = 128, steps = 7, words = threads * 32;
    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) unsigned char a[3][64 * 32], b[3][64 * 32];
        u32 d[32] = {0};
#pragma unroll 1
        for (unsigned step = 0; step < steps; step++) {
            unsigned char *const to_a = a[step % 3], *const to_b = b[step % 3];
            for (unsigned i = threadIdx.x; i < 64 * 32; i += threads) {
                put(to_a + plain<64>::at<e4m3>(i / 32, i % 32),
                    e4m3::bits(element<e4m3>(0, i / 32, step * 32 + i % 32)), 1);
                put(to_b + plain<64>::at<e4m3>(i / 32, i % 32),
                    e4m3::bits(element<e4m3>(1, i / 32, step * 32 + i % 32)), 1);
            }
            proxy_fence();
            __syncthreads();
            gmma_fence();
            e4_e4_f32_64::run(d, plain<64>::of(shared_address(to_a)), plain<64>::of(shared_address(to_b)), step != 0);
            gmma_commit();
            gmma_wait<1>();
        }
        gmma_wait<0>();
        for (unsigned w = 0; w < 32; w++)
            out[w * threads + threadIdx.x] = d[w];
    }
};

constexpr struct cugate_variant pipelines_variants[] = {
    ROW("waited", "two warpgroups, each group waited for", pipelined),
    ROW("overlapped", "a group in flight while the next tile is stored", overlapped),
};
FAMILY(pipelines, "products in loops")

/* ---- Others that such kernels use ---- */

/* One lane of a warp is elected, of the lanes that ask. */
struct elected {
    static constexpr unsigned blocks = 1, threads = 64, words = threads * 3;
    static __device__ u32 elect(u32 mask)
    {
        u32 leader, is_leader;
        asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p;}"
                     : "=r"(leader), "=r"(is_leader)
                     : "r"(mask));
        return leader * 2 + is_leader;
    }
    static __device__ void run(u32 *out)
    {
        out[threadIdx.x] = elect(~0u);
        out[threads + threadIdx.x] = threadIdx.x % 32 >= 7 ? elect(~0u << 7) : 99;
        u32 count = 0;
        if (elect(~0u) & 1)
            count = threadIdx.x + 5;
        out[2 * threads + threadIdx.x] = count;
    }
};

/* A warpgroup gives registers back, the other takes them. */
struct register_count {
    static constexpr unsigned blocks = 2, threads = 256, words = blocks * threads;
    static __device__ void run(u32 *out)
    {
        __shared__ u32 of_first[128];
        if (threadIdx.x < 128) {
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
            of_first[threadIdx.x] = threadIdx.x * 3;
        } else {
            asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        }
        __syncthreads();
        out[blockIdx.x * threads + threadIdx.x] = of_first[threadIdx.x % 128] + threadIdx.x / 128 + blockIdx.x;
    }
};

/* Fences between kinds of accesses. */
struct fences {
    static constexpr unsigned blocks = 1, threads = 64, words = threads;
    static __device__ void run(u32 *out)
    {
        __shared__ u32 tile[threads];
        tile[threadIdx.x] = threadIdx.x;
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("fence.proxy.async.global;" ::: "memory");
        __syncthreads();
        out[threadIdx.x] = tile[threadIdx.x ^ 33];
    }
};

/* Rows of matrices to shared memory, as the accumulators lie; `pitch` bytes apart. */
template <unsigned matrices, bool turned, unsigned pitch> struct rows_stored {
    static constexpr unsigned blocks = 1, threads = 32, tile = 32 * pitch / 4, words = tile;
    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) u32 rows[tile];
        const u32 address = shared_address(rows) + threadIdx.x * pitch, x = threadIdx.x * 0x10001 + 0x4000;
        for (unsigned i = threadIdx.x; i < tile; i += threads)
            rows[i] = 0;
        __syncwarp();
        if constexpr (matrices == 1 && !turned)
            asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(x) : "memory");
        else if constexpr (matrices == 2 && !turned)
            asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(x), "r"(x + 1)
                         : "memory");
        else if constexpr (matrices == 4 && !turned)
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x),
                         "r"(x + 1), "r"(x + 2), "r"(x + 3)
                         : "memory");
        else if constexpr (matrices == 1)
            asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(address), "r"(x)
                         : "memory");
        else if constexpr (matrices == 2)
            asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(x),
                         "r"(x + 1)
                         : "memory");
        else
            asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                         "r"(x), "r"(x + 1), "r"(x + 2), "r"(x + 3)
                         : "memory");
        __syncwarp();
        for (unsigned i = threadIdx.x; i < tile; i += threads)
            out[i] = rows[i];
    }
};

constexpr struct cugate_variant others_variants[] = {
    ROW("elected", "elect.sync", elected),
    ROW("register_count", "setmaxnreg", register_count),
    ROW("fences", "fence.proxy.async", fences),
    ROW("rows_1", "stmatrix, a matrix", rows_stored<1, false, 16>),
    ROW("rows_2", "stmatrix, two matrices, with conflicts", rows_stored<2, false, 64>),
    ROW("rows_4", "stmatrix, four matrices", rows_stored<4, false, 16>),
    ROW("rows_4_apart", "stmatrix, four matrices, no conflicts", rows_stored<4, false, 144>),
    ROW("turned_1", "stmatrix, transposed", rows_stored<1, true, 32>),
    ROW("turned_2", "stmatrix, two transposed", rows_stored<2, true, 128>),
    ROW("turned_4", "stmatrix, four transposed", rows_stored<4, true, 80>),
};
FAMILY(others, "what kernels with such products use beside them")

/* ---- Sparse: of four elements of A beside each other along k, two are there ---- */

#define SPARSE(name, shape, names_b, words_b)                                                                          \
    struct name {                                                                                                      \
        static constexpr unsigned b_words = words_b;                                                                   \
        template <int selector> static __device__ void run(u32 *d, const u32 *a, const u32 *b, u32 which)              \
        {                                                                                                              \
            asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8" shape                                           \
                         " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {" names_b "}, {%0, %1, %2, %3}, %12, %13;"             \
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                              \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),     \
                           "r"(which), "n"(selector));                                                                 \
        }                                                                                                              \
    };
SPARSE(sparse_f16, "k32.row.col.f32.f16.f16.f32", "%8, %9, %10, %11", 4)
SPARSE(sparse_bf16, "k32.row.col.f32.bf16.bf16.f32", "%8, %9, %10, %11", 4)
SPARSE(sparse_tf32, "k16.row.col.f32.tf32.tf32.f32", "%8, %9, %10, %11", 4)
SPARSE(sparse_s8, "k64.row.col.s32.s8.s8.s32", "%8, %9, %10, %11", 4)

/* Which elements there are: two different places of four, ascending, for each four; of tf32 0100 or 1110. */
template <class T> __device__ u32 sparse_pairs()
{
    u32 bits = 0;
    for (unsigned i = 0; i < 8; i++) {
        const u32 two[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, one[] = {0x4, 0xe};
        const u32 h = hopper_hash(500 + blockIdx.x, threadIdx.x * 8 + i);
        bits |= (T::bytes == 4 ? one[h % 2] : two[h % 6]) << 4 * i;
    }
    return bits;
}

/* The registers and which elements they are come from a table of numbers; what comes of it only a GPU says. */
template <class T, class Sum, class Op> struct sparse {
    static constexpr unsigned blocks = 8, threads = 32, words = blocks * threads * 8;
    static __device__ u32 word(unsigned which)
    {
        u32 bits = 0;
        for (unsigned i = 0; i < 4 / T::bytes; i++)
            bits |= T::bits(static_cast<int>(hopper_hash(which + 64 * blockIdx.x, threadIdx.x * 4 + i) % 8) - 3)
                    << 8 * T::bytes * i;
        return bits;
    }
    static __device__ void run(u32 *out)
    {
        u32 a[4], b[4], d[4], e[4];
        for (unsigned w = 0; w < 4; w++) {
            a[w] = word(w);
            b[w] = word(4 + w);
            d[w] = e[w] = Sum::bits(static_cast<int>(hopper_hash(8 + w, threadIdx.x) % 8));
        }
        Op::template run<0>(d, a, b, sparse_pairs<T>());
        Op::template run<T::bytes == 1 ? 0 : 1>(e, a, b, sparse_pairs<T>());
        for (unsigned w = 0; w < 4; w++) {
            out[((blockIdx.x * 8) + w) * threads + threadIdx.x] = d[w];
            out[((blockIdx.x * 8) + 4 + w) * threads + threadIdx.x] = e[w];
        }
    }
};

/* The same of a warpgroup, A in shared memory. */
#define GMMA_SPARSE(name, types, select, tail)                                                                         \
    struct name {                                                                                                      \
        static __device__ void run(u32 *d, u64 a, u64 b, u32 which)                                                    \
        {                                                                                                              \
            u32 scale = 1;                                                                                             \
            asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0;\n"                                                      \
                         "wgmma.mma_async.sp.sync.aligned.m64n8" types " {" NAMES_4 "}, %0, %1, %7, " select           \
                         ", p" tail ";}"                                                                               \
                         : "+l"(a), "+l"(b), "+r"(scale), SUMS_4                                                       \
                         : "r"(which));                                                                                \
        }                                                                                                              \
    };
GMMA_SPARSE(gmma_sparse_f16, "k32.f32.f16.f16", "0", ", 1, 1, 0, 0")
GMMA_SPARSE(gmma_sparse_f16_1, "k32.f32.f16.f16", "1", ", 1, 1, 0, 0")
GMMA_SPARSE(gmma_sparse_bf16, "k32.f32.bf16.bf16", "0", ", -1, 1, 0, 0")
GMMA_SPARSE(gmma_sparse_tf32, "k16.f32.tf32.tf32", "1", ", 1, 1")
GMMA_SPARSE(gmma_sparse_e4m3, "k64.f32.e4m3.e4m3", "0", ", 1, 1")
GMMA_SPARSE(gmma_sparse_s8, "k64.s32.s8.s8", "0", "")

/* Elements are whole numbers, or numbers of all kinds. */
template <class T, class Sum, class Op, bool all> struct gmma_sparse {
    static constexpr unsigned blocks = 16, threads = 128, words = blocks * threads * 4, kept = k_bytes / T::bytes;

    static __device__ u32 bits(unsigned matrix, unsigned line, unsigned k)
    {
        if constexpr (all)
            return sum_bits<T>(matrix, blockIdx.x, line, k);
        else
            return T::bits(element<T>(matrix + 4 * blockIdx.x, line, k));
    }
    static __device__ u32 start(unsigned row, unsigned column)
    {
        if constexpr (all)
            return sum_bits<Sum>(2, blockIdx.x, row, column);
        else
            return Sum::bits(element<s8>(2, row, column));
    }
    static __device__ void run(u32 *out)
    {
        __shared__ __align__(1024) unsigned char a[2048], b[512];
        u32 d[4];
        for (unsigned i = threadIdx.x; i < 64 * kept; i += threads)
            put(a + plain<64>::at<T>(i / kept, i % kept), bits(0, i / kept, i % kept), T::bytes);
        for (unsigned i = threadIdx.x; i < 8 * 2 * kept; i += threads)
            put(b + plain<8>::at<T>(i / (2 * kept), i % (2 * kept)), bits(1, i / (2 * kept), i % (2 * kept)), T::bytes);
        for (unsigned w = 0; w < 4; w++)
            d[w] = start(row_of(threadIdx.x, w), column_of(threadIdx.x, w));
        proxy_fence();
        __syncthreads();
        gmma_fence();
        Op::run(d, plain<64>::of(shared_address(a)), plain<8>::of(shared_address(b)), sparse_pairs<T>());
        gmma_commit();
        gmma_wait<0>();
        for (unsigned w = 0; w < 4; w++)
            out[(blockIdx.x * 4 + w) * threads + threadIdx.x] = d[w];
    }
};

/* Numbers of all kinds, of a warp. */
template <class T, class Op> struct sparse_sums {
    static constexpr unsigned blocks = 64, threads = 32, words = blocks * threads * 4, each = 4 / T::bytes;
    static __device__ u32 word(unsigned matrix, unsigned line, unsigned first)
    {
        u32 bits = 0;
        for (unsigned i = 0; i < each; i++)
            bits |= sum_bits<T>(matrix, blockIdx.x, line, first + i) << 8 * T::bytes * i;
        return bits;
    }
    static __device__ void run(u32 *out)
    {
        u32 a[4], b[4], d[4];
        for (unsigned w = 0; w < 4; w++) {
            a[w] = word(0, threadIdx.x / 4 + w % 2 * 8, (threadIdx.x % 4 + w / 2 * 4) * each);
            b[w] = word(1, threadIdx.x / 4, (threadIdx.x % 4 + w * 4) * each);
            d[w] = sum_bits<f32>(2, blockIdx.x, threadIdx.x / 4 + w / 2 * 8, threadIdx.x % 4 * 2 + w % 2);
        }
        Op::template run<1>(d, a, b, sparse_pairs<T>());
        for (unsigned w = 0; w < 4; w++)
            out[(blockIdx.x * 4 + w) * threads + threadIdx.x] = d[w];
    }
};

constexpr struct cugate_variant sparse_variants[] = {
    ROW("f16", "m16n8k32, f16", sparse<f16, f32, sparse_f16>),
    ROW("bf16", "m16n8k32, bf16", sparse<bf16, f32, sparse_bf16>),
    ROW("tf32", "m16n8k16, tf32", sparse<tf32, f32, sparse_tf32>),
    ROW("s8", "m16n8k64, s8", sparse<s8, s32, sparse_s8>),
    ROW("f16_sums", "m16n8k32, f16, numbers of all kinds", sparse_sums<f16, sparse_f16>),
    ROW("bf16_sums", "m16n8k32, bf16, numbers of all kinds", sparse_sums<bf16, sparse_bf16>),
    ROW("tf32_sums", "m16n8k16, tf32, numbers of all kinds", sparse_sums<tf32, sparse_tf32>),
    ROW("gmma_f16", "warpgroup, f16", gmma_sparse<f16, f32, gmma_sparse_f16, false>),
    ROW("gmma_f16_1", "warpgroup, f16, the other lanes say which", gmma_sparse<f16, f32, gmma_sparse_f16_1, false>),
    ROW("gmma_bf16", "warpgroup, bf16, A negated", gmma_sparse<bf16, f32, gmma_sparse_bf16, false>),
    ROW("gmma_tf32", "warpgroup, tf32", gmma_sparse<tf32, f32, gmma_sparse_tf32, false>),
    ROW("gmma_e4m3", "warpgroup, e4m3", gmma_sparse<e4m3, f32, gmma_sparse_e4m3, false>),
    ROW("gmma_s8", "warpgroup, s8", gmma_sparse<s8, s32, gmma_sparse_s8, false>),
    ROW("gmma_f16_sums", "warpgroup, f16, numbers of all kinds", gmma_sparse<f16, f32, gmma_sparse_f16, true>),
    ROW("gmma_e4m3_sums", "warpgroup, e4m3, numbers of all kinds", gmma_sparse<e4m3, f32, gmma_sparse_e4m3, true>),
};
FAMILY(sparse, "sparse products")

/* ---- The library ---- */

const struct cugate_family *const families[] = {
    &types_family, &layouts_family,   &descriptors_family, &registers_family,
    &sums_family,  &pipelines_family, &others_family,      &sparse_family,
};

} // namespace hopper

LIBRARY(hopper::families)
