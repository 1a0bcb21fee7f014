/* oracle.h - what the two halves of the oracle agree on: the GPU's (oracle.cu, by nvcc) and the CPU's (oracle_cpu.cc,
 * by the host's compiler).
 *
 * A row is a function, written once in ORACLE_ROWS: ROW(NAME, RESULT, (PARAMETERS), EXPRESSION). Both compilers make
 * one of it. A kernel computes it for all cases, first of operands that it loads, then with one of them being a
 * constant that the compiler knows; the library's verify() compares with what the CPU makes of the same text. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifndef __CUDACC__
#define __host__
#define __device__
#endif

/* Draws the random operands, and which constants a row has. */
#ifndef ORACLE_SEED
#define ORACLE_SEED 1
#endif

namespace oracle {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = unsigned long long;
using u128 = unsigned __int128;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = long long;
using s128 = __int128;

constexpr unsigned cases = 2048, most_operands = 4;

/* How many times a row is computed with a constant in the place of an operand. */
#ifndef ORACLE_CONSTANTS
#define ORACLE_CONSTANTS 1
#endif
constexpr unsigned versions = 1 + ORACLE_CONSTANTS;

constexpr u64 hash(u64 z)
{
    z = (z + ORACLE_SEED) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

constexpr u64 hash_of(const char *name)
{
    u64 h = 0;
    for (; *name; name++)
        h = h * 257 + static_cast<unsigned char>(*name);
    return h;
}

/* What operands are drawn from, by what their bits mean. */
enum pool {
    POOL_8,
    POOL_16,
    POOL_32,
    POOL_64,
    POOL_HALF,
    POOL_BF16,
    POOL_FLOAT,
    POOL_DOUBLE,
    POOL_HALF2,
    POOL_BF162,
    POOLS
};

/* clang-format off */
constexpr u64 special[POOL_HALF2][32] = {
    {0, 1, 2, 0x7f, 0x80, 0x81, 0xff, 0xfe, 7, 8, 31, 32, 33, 63, 64, 100},
    {0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xffff, 0xfffe, 15, 16, 31, 32, 33, 0xff, 0x100, 0xff80},
    {0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 0xff, 0xffff, 0x10000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
     0xfffffffe, 0xffffffff, 0xffffff80, 0xffff8000, 0x55555555, 0xff00ff00, 0x40000000, 0x7f7f7f7f, 0x80808080,
     0x80008000, 0x7fff8000, 16, 0xff7fffff, 24},
    {0, 1, 2, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x100000001,
     0x1ffffffff, 0x500000000, 0x7fffffff00000000, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
     0xffffffff00000000, 0xffffffff80000000, 0xfffffffffffffffe, 0xffffffffffffffff, 0x20000000000001,
     0x1fffffffffffff, 0xff80000000000, 0xfffffffffffffc00, 0x8000000000000400, 0x8000008000000000,
     0x5555555555555555, 3},
    {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x8400, 0x3800, 0x3c00, 0xbc00, 0x3e00, 0x4000, 0x3c01, 0x3bff, 0x7bff,
     0xfbff, 0x7c00, 0xfc00, 0x7fff, 0x7e00, 0xfe01, 0x7800, 0xb800, 0x4100, 0x57f0, 0x5bff, 0x5800, 0xd800, 0x77ff,
     0x2, 0x4248, 0x3555},
    {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x8080, 0x3f00, 0x3f80, 0xbf80, 0x3fc0, 0x4000, 0x3f81, 0x3f7f, 0x7f7f, 0xff7f,
     0x7f80, 0xff80, 0x7fff, 0x7fc0, 0xffc1, 0x4f00, 0xcf00, 0x4f80, 0x5f00, 0x437f, 0x4300, 0xc300, 0x4700, 0x2,
     0x4049, 0x3eab},
    {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x80800000, 0x3f000000, 0x3f800000, 0xbf800000, 0x3fc00000,
     0x40200000, 0x3f800001, 0x3f7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
     0x7f7ffffe, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000, 0xdf000000, 0x4b000001, 0x4b7fffff,
     0xbf000000, 0x477fe000, 0x477ff000},
    {0, 0x8000000000000000, 1, 0x8000000000000001, 0xfffffffffffff, 0x10000000000000, 0x8010000000000000,
     0x3fe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff8000000000000, 0x4004000000000000,
     0x3ff0000000000001, 0x3fefffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
     0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
     0xc1e0000000000000, 0x41f0000000000000, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000,
     0x4330000000000001, 0xbfe0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000},
};
/* clang-format on */
constexpr unsigned specials[POOL_HALF2] = {16, 16, 32, 32, 32, 32, 32, 32};

/* ptxas (of CUDA 13.0) converts a constant at compile time, and rounds odd integers above 2^52 to the even ones above
 * them: of 0x1.0000000000001p52 it makes 0x10000000000002. What it puts in the machine code is no question of
 * arithmetic. */
constexpr bool is_folded_wrongly(u64 name)
{
    return name == hash_of("rni_u64_of_f64") || name == hash_of("ulong_of_double_rn");
}

/* Whether a version of a row has a constant for an operand: each operand in turn, from one that the row's name decides.
 * Version 0 has none. */
constexpr bool has_constant(u64 name, unsigned operands, unsigned operand, unsigned version)
{
    return version > 0 && !is_folded_wrongly(name) && (hash(name) + version) % operands == operand;
}

/* The constants of a row, which its name decides. */
constexpr u64 constant(pool pool, u64 name, unsigned operand, unsigned version)
{
    const u64 h = hash(name + operand * 16 + version);
    if (pool == POOL_HALF2 || pool == POOL_BF162) {
        const u64 *const halves = special[pool == POOL_HALF2 ? POOL_HALF : POOL_BF16];
        return halves[h % 32] | halves[h / 32 % 32] << 16;
    }
    return special[pool][h % specials[pool]];
}

/* Where the operands of a case lie. */
constexpr size_t place(pool pool, unsigned operand, unsigned which)
{
    return (size_t(pool) * most_operands + operand) * cases + which;
}

template <class T> constexpr pool pool_of = POOLS;

/* One result a version and case. */
struct row {
    const char *name;
    unsigned operands;
    pool pools[most_operands];
    u64 (*expect)(const u64 *operands);
};

extern const row rows[];
void draw(u64 *pools);

/* Values as the bits that memory has. */
template <class T> struct is_type {
    using type = T;
};
template <size_t> struct word;
template <> struct word<1> : is_type<u8> {
};
template <> struct word<2> : is_type<u16> {
};
template <> struct word<4> : is_type<u32> {
};
template <> struct word<8> : is_type<u64> {
};
template <class T> __host__ __device__ inline T of_bits(u64 bits)
{
    if constexpr (std::is_arithmetic_v<T>) {
        return __builtin_bit_cast(T, typename word<sizeof(T)>::type(bits));
    } else { /* CUDA's are of no kind that may be cast */
        T value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}
template <class T> __host__ __device__ inline u64 to_bits(T value)
{
    if constexpr (std::is_arithmetic_v<T>) {
        return __builtin_bit_cast(typename word<sizeof(T)>::type, value);
    } else {
        u64 bits = 0;
        memcpy(&bits, &value, sizeof value);
        return bits;
    }
}

template <> constexpr pool pool_of<u8> = POOL_8;
template <> constexpr pool pool_of<s8> = POOL_8;
template <> constexpr pool pool_of<u16> = POOL_16;
template <> constexpr pool pool_of<s16> = POOL_16;
template <> constexpr pool pool_of<u32> = POOL_32;
template <> constexpr pool pool_of<s32> = POOL_32;
template <> constexpr pool pool_of<u64> = POOL_64;
template <> constexpr pool pool_of<s64> = POOL_64;
template <> constexpr pool pool_of<float> = POOL_FLOAT;
template <> constexpr pool pool_of<double> = POOL_DOUBLE;

} // namespace oracle
