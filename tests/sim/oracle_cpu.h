/* oracle_cpu.h - CUDA's functions and PTX's instructions in plain C, by what NVIDIA's documentation says of them. It
 * shares nothing with harness/machine: numbers are worked out exactly, in 64 bits of fraction, and rounded once. */
namespace oracle {

struct half {
    u16 word;
};
struct bf16 {
    u16 word;
};
struct half2 {
    half x, y;
};
struct bf162 {
    bf16 x, y;
};
template <> constexpr pool pool_of<half> = POOL_HALF;
template <> constexpr pool pool_of<bf16> = POOL_BF16;
template <> constexpr pool pool_of<half2> = POOL_HALF2;
template <> constexpr pool pool_of<bf162> = POOL_BF162;

/* Functions of the same names are in the GPU's half. A row is one, and what it returns. */
#define FUNCTION(result, name, parameters, ...)                                                                        \
    inline result name parameters                                                                                      \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }
namespace {

/* ---- Rounding ---- */

enum rounding { rn, rz, rm, rp };
constexpr rounding rni = rn, rzi = rz, rmi = rm, rpi = rp;

/* A format: bits of its fraction and its exponent, and what the GPU makes of every NaN. */
template <unsigned fraction, unsigned exponent, u64 nan> struct format {
    static constexpr int bias = (1 << (exponent - 1)) - 1, least = 1 - bias - int(fraction), most = bias + 1;

    static u64 infinity(bool negative)
    {
        return u64((2u * bias) + 1) << fraction | sign(negative);
    }
    static u64 sign(bool negative)
    {
        return u64(negative) << (fraction + exponent);
    }

    /* x has no more than 64 bits, or its last one says whether something follows. */
    static u64 round(long double x, rounding how)
    {
        if (std::isnan(x))
            return nan;
        const bool negative = std::signbit(x);
        if (std::isinf(x))
            return infinity(negative);
        if (x == 0)
            return sign(negative);
        int e;
        std::frexp(x, &e);
        const int unit = std::max(e - 1 - int(fraction), least);
        const long double scaled = std::ldexp(std::fabs(x), -unit), whole = std::floor(scaled), rest = scaled - whole;
        u64 n = u64(whole);
        const bool up = how == rn   ? rest > 0.5 || (rest == 0.5 && n % 2)
                        : how == rz ? false
                                    : rest > 0 && (how == rm) == negative;
        n += up;
        if (n >> (fraction + 1)) /* 2: the next power */
            return finish(n >> 1, unit + 1, negative, how);
        return finish(n, unit, negative, how);
    }

    static long double value(u64 bits)
    {
        const bool negative = bits >> (fraction + exponent) & 1;
        const int e = int(bits >> fraction & ((1u << exponent) - 1));
        const u64 f = bits & ((u64(1) << fraction) - 1);
        long double x;
        if (e == 2 * bias + 1)
            x = f ? std::numeric_limits<long double>::quiet_NaN() : std::numeric_limits<long double>::infinity();
        else
            x = e ? std::ldexp((long double)(f | u64(1) << fraction), e - 1 + least)
                  : std::ldexp((long double)f, least);
        return negative ? -x : x;
    }

  private:
    static u64 finish(u64 n, int unit, bool negative, rounding how)
    {
        if (unit + int(fraction) >= most) {
            const bool largest = how == rz || (how == rm && !negative) || (how == rp && negative);
            return largest ? infinity(negative) - 1 : infinity(negative);
        }
        const u64 e = n >> fraction ? u64(unit - least + 1) : 0;
        return (n & ((u64(1) << fraction) - 1)) | e << fraction | sign(negative);
    }
};

template <class T> struct format_of;
using __half = half;
using __half2 = half2;
using __nv_bfloat16 = bf16;
using __nv_bfloat162 = bf162;
template <> struct format_of<half> : is_type<format<10, 5, 0x7fff>> {
};
template <> struct format_of<bf16> : is_type<format<7, 8, 0x7fff>> {
};
template <> struct format_of<float> : is_type<format<23, 8, 0x7fffffff>> {
};
template <> struct format_of<double> : is_type<format<52, 11, 0xfff8000000000000>> {
};
using f16 = half;
using f32 = float;
using f64 = double;

template <class T> constexpr bool is_float = !std::numeric_limits<T>::is_integer;

template <class T> long double value(T x)
{
    if constexpr (is_float<T>)
        return format_of<T>::type::value(to_bits(x));
    else
        return x;
}
template <class T> T round(long double x, rounding how)
{
    return of_bits<T>(format_of<T>::type::round(x, how));
}

/* The sum of two, with an odd last bit where it is not exact: rounding that again is right, if to 62 bits or fewer. */
inline long double sum(long double a, long double b)
{
    volatile long double s = a + b;
    if (!std::isfinite(s))
        return s;
    const volatile long double bb = s - a, aa = s - bb;
    const volatile long double left = (a - aa) + (b - bb);
    return left == 0 ? +s : [&] {
        u64 n[2] = {0, 0};
        long double t = s;
        memcpy(n, &t, 10);
        if (n[0] % 2 == 0) {
            const bool away = (left > 0) == (t > 0);
            t = std::nextafter(t, away ? std::copysign(HUGE_VALL, t) : 0);
        }
        return t;
    }();
}

/* An approximate result and the sign of what is missing in size. */
inline long double odd(long double s, long double left)
{
    if (left == 0 || !std::isfinite(s) || s == 0)
        return s;
    u64 n[2] = {0, 0};
    memcpy(n, &s, 10);
    return n[0] % 2 ? s : std::nextafter(s, left > 0 ? HUGE_VALL : -HUGE_VALL);
}

template <class T> T flushed(T x, bool flush)
{
    if (!flush || sizeof(T) != 4 || !is_float<T>)
        return x;
    const u64 bits = to_bits(x);
    return of_bits<T>(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
template <class T> T saturated(T x, bool saturate)
{
    if (!saturate)
        return x;
    const long double v = value(x);
    return v > 0 ? v < 1 ? x : round<T>(1, rn) : of_bits<T>(0);
}

/* Of float, half and bf16; doubles are left to the CPU, which has all roundings too. */
template <class T> T finish(long double x, rounding how, bool flush, bool saturate)
{
    return saturated(flushed(round<T>(x, how), flush), saturate);
}
/* The sign of a sum that is 0. */
inline long double signed_zero(long double s, long double a, long double b, rounding how)
{
    if (s != 0)
        return s;
    if (a == 0 && b == 0 && std::signbit(a) == std::signbit(b))
        return a;
    return how == rm ? -0.0L : 0.0L;
}
template <class T> T add(T a, T b, rounding how, bool flush, bool saturate)
{
    const long double x = value(flushed(a, flush)), y = value(flushed(b, flush));
    return finish<T>(signed_zero(sum(x, y), x, y, how), how, flush, saturate);
}
template <class T> T negated(T x)
{
    return of_bits<T>(to_bits(x) ^ u64(1) << (sizeof(T) * 8 - 1));
}
template <class T> T sub(T a, T b, rounding how, bool flush, bool saturate)
{
    return add(a, negated(b), how, flush, saturate);
}
template <class T> T mul(T a, T b, rounding how, bool flush, bool saturate)
{
    return finish<T>(value(flushed(a, flush)) * value(flushed(b, flush)), how, flush, saturate);
}
template <class T> T fma(T a, T b, T c, rounding how, bool flush, bool saturate)
{
    const long double p = value(flushed(a, flush)) * value(flushed(b, flush)), z = value(flushed(c, flush));
    return finish<T>(signed_zero(sum(p, z), p, z, how), how, flush, saturate);
}

#include "oracle_lists.h"

#define OF_FLOATS(op, rounding, flush, saturate, name, text)                                                           \
    FUNCTION(float, name, (float a, float b), op(a, b, rounding, flush, saturate))
ORACLE_FLOATS(OF_FLOATS, add)
ORACLE_FLOATS(OF_FLOATS, sub)
ORACLE_FLOATS(OF_FLOATS, mul)
#undef OF_FLOATS
#define OF_FLOATS(op, rounding, flush, saturate, name, text)                                                           \
    FUNCTION(float, name, (float a, float b, float c), fma(a, b, c, rounding, flush, saturate))
ORACLE_FLOATS(OF_FLOATS, fma)
#undef OF_FLOATS

FUNCTION(long double, whole, (long double x, rounding how),
         how == rn   ? std::rint(x)
         : how == rz ? std::trunc(x)
         : how == rm ? std::floor(x)
                     : std::ceil(x))

/* "In float-to-integer conversions, NaN inputs result in zero if source is not .f64 and destination is not .s64, .u64.
 * Otherwise 1 << (BitWidth(dst) - 1)." */
template <class To, class From> To convert(From a, rounding how, bool flush, bool saturate, bool to_whole)
{
    if constexpr (is_float<To>) {
        long double x = value(flushed(a, flush));
        if (is_float<From> && sizeof(To) == sizeof(From) && to_whole)
            x = whole(x, how);
        return finish<To>(x, how, flush, saturate);
    } else if constexpr (is_float<From>) {
        const long double x = whole(value(flushed(a, flush)), how);
        if (std::isnan(x))
            return sizeof(From) == 8 || sizeof(To) == 8 ? To(u64(1) << (sizeof(To) * 8 - 1)) : To(0);
        if (x <= value(std::numeric_limits<To>::min()))
            return std::numeric_limits<To>::min();
        return x >= value(std::numeric_limits<To>::max()) ? std::numeric_limits<To>::max() : To(x);
    } else {
        if (!saturate)
            return To(a);
        return To(std::clamp<s128>(a, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
    }
}

namespace roundings {
constexpr rounding sat = rn, to = rn, rn_ftz = rn, rz_ftz = rz, rn_sat = rn, rz_sat = rz, ftz = rn, ftz_sat = rn,
                   rni_ftz = rn, rpi_ftz = rp, rmi_ftz = rm, rmi_sat = rm, rni = rn, rzi = rz, rmi = rm, rpi = rp,
                   rn = oracle::rn, rz = oracle::rz, rm = oracle::rm, rp = oracle::rp;
}
#define CONVERSION(rounding, text, flush, saturate, to, from)                                                          \
    FUNCTION(to, cvt_##rounding##_##to##_##from, (from a),                                                             \
             convert<to>(a, roundings::rounding, flush, saturate, text[0] == 'r' && text[2] == 'i'))
ORACLE_CONVERSIONS(CONVERSION)
#undef CONVERSION

/* ---- Integers ---- */

FUNCTION(u32, shl_u32, (u32 a, u32 s), s < 32 ? a << s : 0)
FUNCTION(u32, shr_u32, (u32 a, u32 s), s < 32 ? a >> s : 0)
FUNCTION(s32, shr_s32, (s32 a, u32 s), a >> std::min(s, 31u))
FUNCTION(u64, shl_u64, (u64 a, u32 s), s < 64 ? a << s : 0)
FUNCTION(u64, shr_u64, (u64 a, u32 s), s < 64 ? a >> s : 0)
FUNCTION(s64, shr_s64, (s64 a, u32 s), a >> std::min(s, 63u))

/* Bits of a field, which its position and length may leave: only their lowest bytes count. */
template <class T> T bfe(T a, u32 at, u32 length)
{
    const u32 width = sizeof(T) * 8;
    at &= 255;
    length &= 255;
    const bool is_signed = std::numeric_limits<T>::is_signed;
    const auto bit = [&](u32 n) { return u64(a) >> n & 1; };
    const u64 sign = !is_signed || length == 0 ? 0 : bit(std::min(at + length - 1, width - 1));
    u64 d = 0;
    for (u32 i = 0; i < width; i++)
        d |= (i < length && at + i < width ? bit(at + i) : sign) << i;
    return T(d);
}
FUNCTION(u32, bfe_u32, (u32 a, u32 at, u32 length), bfe(a, at, length))
FUNCTION(s32, bfe_s32, (s32 a, u32 at, u32 length), bfe(a, at, length))
FUNCTION(u64, bfe_u64, (u64 a, u32 at, u32 length), bfe(a, at, length))
FUNCTION(s64, bfe_s64, (s64 a, u32 at, u32 length), bfe(a, at, length))
template <class T> T bfi(T a, T b, u32 at, u32 length)
{
    const u32 width = sizeof(T) * 8;
    at &= 255;
    length &= 255;
    for (u32 i = 0; i < length && at + i < width; i++)
        b = (b & ~(T(1) << (at + i))) | (a >> i & 1) << (at + i);
    return b;
}
FUNCTION(u32, bfi_u32, (u32 a, u32 b, u32 at, u32 length), bfi(a, b, at, length))
FUNCTION(u64, bfi_u64, (u64 a, u64 b, u32 at, u32 length), bfi(a, b, at, length))
/* From bit b on: the sign, or 0. */
FUNCTION(s32, szext_s32, (s32 a, u32 b), b >= 32 ? a : b == 0 ? 0 : s32(u32(a) << (32 - b)) >> (32 - b))
FUNCTION(u32, szext_wrap_u32, (u32 a, u32 b), b % 32 == 0 ? 0 : a & (~0u >> (32 - b % 32)))
inline u32 bmsk_clamp(u32 a, u32 b)
{
    const u32 at = std::min(a, 32u), length = std::min(b, 32u);
    return length == 0 || at >= 32 ? 0 : u32(((u64(1) << length) - 1) << at);
}
FUNCTION(u32, bmsk_wrap, (u32 a, u32 b), u32(((u64(1) << b % 32) - 1) << a % 32))
FUNCTION(s32, clamp_s32, (s64 x), s32(std::clamp<s64>(x, -0x80000000ll, 0x7fffffff)))
FUNCTION(s32, add_sat_s32, (s32 a, s32 b), clamp_s32(s64(a) + b))
FUNCTION(s32, sub_sat_s32, (s32 a, s32 b), clamp_s32(s64(a) - b))
FUNCTION(s32, mad_hi_sat_s32, (s32 a, s32 b, s32 c), clamp_s32((s64(a) * b >> 32) + c))
FUNCTION(u32, mad_hi_u32, (u32 a, u32 b, u32 c), u32(u64(a) * b >> 32) + c)
FUNCTION(s32, mad_hi_s32, (s32 a, s32 b, s32 c), s32(u32(s64(a) * b >> 32) + u32(c)))
FUNCTION(u64, mad_wide_u32, (u32 a, u32 b, u64 c), u64(a) * b + c)
FUNCTION(s64, mad_wide_s32, (s32 a, s32 b, s64 c), s64(u64(s64(a) * b) + u64(c)))

FUNCTION(u32, byte_at, (u64 bytes, u32 n), u32(bytes >> 8 * n) & 0xff)
inline u32 __byte_perm(u32 a, u32 b, u32 selector)
{
    u32 d = 0;
    for (u32 i = 0; i < 4; i++) {
        const u32 s = selector >> 4 * i & 15, byte = byte_at(a | u64(b) << 32, s & 7);
        d |= (s & 8 ? byte >> 7 ? 0xff : 0 : byte) << 8 * i;
    }
    return d;
}
/* PTX's __byte_perm of CUDA looks at three bits only. */
template <class Pick> u32 picked(u32 a, u32 b, Pick pick)
{
    u32 d = 0;
    for (u32 i = 0; i < 4; i++)
        d |= byte_at(a | u64(b) << 32, pick(i) & 7) << 8 * i;
    return d;
}
FUNCTION(u32, prmt_f4e, (u32 a, u32 b, u32 s), picked(a, b, [s](u32 i) { return s % 4 + i; }))
FUNCTION(u32, prmt_b4e, (u32 a, u32 b, u32 s), picked(a, b, [s](u32 i) { return s % 4 + 8 - i; }))
FUNCTION(u32, prmt_rc8, (u32 a, u32 b, u32 s), picked(a, b, [s](u32) { return s % 4; }))
FUNCTION(u32, prmt_ecl, (u32 a, u32 b, u32 s), picked(a, b, [s](u32 i) { return std::max(i, s % 4); }))
FUNCTION(u32, prmt_ecr, (u32 a, u32 b, u32 s), picked(a, b, [s](u32 i) { return std::min(i, s % 4); }))
FUNCTION(u32, prmt_rc16, (u32 a, u32 b, u32 s), picked(a, b, [s](u32 i) { return s % 2 * 2 + i % 2; }))
FUNCTION(u32, bfind_u32, (u32 a), a ? u32(31 - std::countl_zero(a)) : ~0u)
FUNCTION(u32, bfind_s32, (s32 a), bfind_u32(a < 0 ? ~u32(a) : u32(a)))
FUNCTION(u32, bfind_shift, (u32 a), a ? u32(std::countl_zero(a)) : ~0u)
FUNCTION(u32, bfind_u64, (u64 a), a ? u32(63 - std::countl_zero(a)) : ~0u)
FUNCTION(u32, bfind_s64, (s64 a), bfind_u64(a < 0 ? ~u64(a) : u64(a)))
template <unsigned table> u32 lop3(u32 a, u32 b, u32 c)
{
    u32 d = 0;
    for (u32 i = 0; i < 32; i++)
        d |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return d;
}
FUNCTION(u64, two, (u32 low, u32 high), low | u64(high) << 32)
FUNCTION(u64, add_carries, (u32 a, u32 b, u32 c, u32 d), two(a, b) + two(c, d))
FUNCTION(u64, sub_borrows, (u32 a, u32 b, u32 c, u32 d), two(a, b) - two(c, d))
FUNCTION(u64, mad_carries, (u32 a, u32 b, u32 c, u32 d), u64(a) * b + two(c, d))

FUNCTION(int, __popc, (u32 a), std::popcount(a))
FUNCTION(int, __popcll, (u64 a), std::popcount(a))
FUNCTION(int, __clz, (s32 a), std::countl_zero(u32(a)))
FUNCTION(int, __clzll, (s64 a), std::countl_zero(u64(a)))
FUNCTION(int, __ffs, (s32 a), __builtin_ffs(a))
FUNCTION(int, __ffsll, (s64 a), __builtin_ffsll(a))
inline u32 __brev(u32 a)
{
    u32 d = 0;
    for (u32 i = 0; i < 32; i++)
        d |= (a >> i & 1) << (31 - i);
    return d;
}
FUNCTION(u64, __brevll, (u64 a), two(__brev(u32(a >> 32)), __brev(u32(a))))
FUNCTION(u32, __funnelshift_l, (u32 low, u32 high, u32 s), u32(two(low, high) << s % 32 >> 32))
FUNCTION(u32, __funnelshift_r, (u32 low, u32 high, u32 s), u32(two(low, high) >> s % 32))
FUNCTION(u32, __funnelshift_lc, (u32 low, u32 high, u32 s), u32(two(low, high) << std::min(s, 32u) >> 32))
FUNCTION(u32, __funnelshift_rc, (u32 low, u32 high, u32 s), u32(two(low, high) >> std::min(s, 32u)))
FUNCTION(u32, __umulhi, (u32 a, u32 b), u32(u64(a) * b >> 32))
FUNCTION(s32, __mulhi, (s32 a, s32 b), s32(s64(a) * b >> 32))
FUNCTION(u64, __umul64hi, (u64 a, u64 b), u64(u128(a) * b >> 64))
FUNCTION(s64, __mul64hi, (s64 a, s64 b), s64(s128(a) * b >> 64))
FUNCTION(u32, __umul24, (u32 a, u32 b), u32(u64(a & 0xffffff) * (b & 0xffffff)))
FUNCTION(s32, __mul24, (s32 a, s32 b), s32(u32(s64(s32(u32(a) << 8) >> 8) * (s32(u32(b) << 8) >> 8))))
FUNCTION(u32, __usad, (u32 a, u32 b, u32 c), (a > b ? a - b : b - a) + c)
FUNCTION(u32, __sad, (s32 a, s32 b, u32 c), u32(a > b ? s64(a) - b : s64(b) - a) + c)
FUNCTION(u32, __uhadd, (u32 a, u32 b), u32((u64(a) + b) >> 1))
FUNCTION(u32, __urhadd, (u32 a, u32 b), u32((u64(a) + b + 1) >> 1))
FUNCTION(s32, __hadd, (s32 a, s32 b), s32((s64(a) + b) >> 1))
FUNCTION(s32, __rhadd, (s32 a, s32 b), s32((s64(a) + b + 1) >> 1))
inline u32 __dp4a(u32 a, u32 b, u32 c)
{
    for (u32 i = 0; i < 4; i++)
        c += byte_at(a, i) * byte_at(b, i);
    return c;
}
inline s32 __dp4a(s32 a, s32 b, s32 c)
{
    for (u32 i = 0; i < 4; i++)
        c = s32(u32(c) + u32(s8(byte_at(u32(a), i)) * s8(byte_at(u32(b), i))));
    return c;
}
FUNCTION(u32, dp2a, (u32 a, u32 b, u32 c, u32 first),
         c + (a & 0xffff) * byte_at(b, first) + (a >> 16) * byte_at(b, first + 1))
FUNCTION(s32, dp2a, (s32 a, s32 b, s32 c, u32 first),
         s32(u32(c) + u32(s16(a) * s8(byte_at(u32(b), first))) + u32(s16(a >> 16) * s8(byte_at(u32(b), first + 1)))))
FUNCTION(u32, __dp2a_lo, (u32 a, u32 b, u32 c), dp2a(a, b, c, 0))
FUNCTION(u32, __dp2a_hi, (u32 a, u32 b, u32 c), dp2a(a, b, c, 2))
FUNCTION(s32, __dp2a_lo, (s32 a, s32 b, s32 c), dp2a(a, b, c, 0))
FUNCTION(s32, __dp2a_hi, (s32 a, s32 b, s32 c), dp2a(a, b, c, 2))

FUNCTION(u32, min, (u32 a, u32 b), std::min(a, b))
FUNCTION(u32, max, (u32 a, u32 b), std::max(a, b))
FUNCTION(s32, min, (s32 a, s32 b), std::min(a, b))
FUNCTION(s32, max, (s32 a, s32 b), std::max(a, b))
FUNCTION(u64, min, (u64 a, u64 b), std::min(a, b))
FUNCTION(u64, max, (u64 a, u64 b), std::max(a, b))
FUNCTION(s64, min, (s64 a, s64 b), std::min(a, b))
FUNCTION(s64, max, (s64 a, s64 b), std::max(a, b))

/* Video instructions: the parts of words, each by itself. */
template <class Part, class F> u32 parts(F f, u32 a, u32 b, u32 c = 0)
{
    using word = std::make_unsigned_t<Part>;
    u32 d = 0;
    for (u32 i = 0; i < 32; i += sizeof(Part) * 8)
        d |= u32(word(f(s32(Part(a >> i)), s32(Part(b >> i)), s32(Part(c >> i))))) << i;
    return d;
}
#define PARTS(name, part, expression)                                                                                  \
    FUNCTION(u32, name, (u32 a_, u32 b_), parts<part>([](s32 a, s32 b, s32) { return expression; }, a_, b_))
#define PARTS1(name, part, expression)                                                                                 \
    FUNCTION(u32, name, (u32 a_), parts<part>([](s32 a, s32, s32) { return expression; }, a_, 0))
#define PARTS3(name, part, expression)                                                                                 \
    FUNCTION(u32, name, (u32 a_, u32 b_, u32 c_),                                                                      \
             parts<part>([](s32 a, s32 b, s32 c) { return expression; }, a_, b_, c_))
#define VIDEO(n, s, u, s_min, s_max, u_max)                                                                            \
    PARTS(__vadd##n, u, a + b)                                                                                         \
    PARTS(__vsub##n, u, a - b)                                                                                         \
    PARTS(__vaddss##n, s, std::clamp(a + b, s_min, s_max))                                                             \
    PARTS(__vaddus##n, u, std::min(a + b, u_max))                                                                      \
    PARTS(__vsubss##n, s, std::clamp(a - b, s_min, s_max))                                                             \
    PARTS(__vsubus##n, u, std::max(a - b, 0))                                                                          \
    PARTS(__vavgs##n, s, (a + b + (a + b >= 0)) >> 1)                                                                  \
    PARTS(__vavgu##n, u, (a + b + 1) >> 1)                                                                             \
    PARTS(__vhaddu##n, u, (a + b) >> 1)                                                                                \
    PARTS(__vabsdiffs##n, s, std::abs(a - b))                                                                          \
    PARTS(__vabsdiffu##n, u, std::abs(a - b))                                                                          \
    PARTS(__vmaxs##n, s, std::max(a, b))                                                                               \
    PARTS(__vmaxu##n, u, std::max(a, b))                                                                               \
    PARTS(__vmins##n, s, std::min(a, b))                                                                               \
    PARTS(__vminu##n, u, std::min(a, b))                                                                               \
    PARTS(__vcmpeq##n, u, a == b ? u_max : 0)                                                                          \
    PARTS(__vcmpne##n, u, a != b ? u_max : 0)                                                                          \
    PARTS(__vcmpges##n, s, a >= b ? u_max : 0)                                                                         \
    PARTS(__vcmpgts##n, s, a > b ? u_max : 0)                                                                          \
    PARTS(__vcmpleu##n, u, a <= b ? u_max : 0)                                                                         \
    PARTS(__vcmpltu##n, u, a < b ? u_max : 0)                                                                          \
    PARTS(__vcmpgtu##n, u, a > b ? u_max : 0)                                                                          \
    PARTS(__vseteq##n, u, a == b)                                                                                      \
    PARTS(__vsetgts##n, s, a > b)                                                                                      \
    PARTS(__vsetltu##n, u, a < b)                                                                                      \
    PARTS1(__vabs##n, s, a < 0 ? -a : a)                                                                               \
    PARTS1(__vabsss##n, s, std::min(a < 0 ? -a : a, s_max))                                                            \
    PARTS1(__vneg##n, s, -a)                                                                                           \
    PARTS1(__vnegss##n, s, std::min(-a, s_max))                                                                        \
    inline u32 __vsads##n(u32 a_, u32 b_)                                                                              \
    {                                                                                                                  \
        u32 d = 0;                                                                                                     \
        parts<s>([&](s32 a, s32 b, s32) { return d += u32(std::abs(a - b)), 0; }, a_, b_);                             \
        return d;                                                                                                      \
    }                                                                                                                  \
    inline u32 __vsadu##n(u32 a_, u32 b_)                                                                              \
    {                                                                                                                  \
        u32 d = 0;                                                                                                     \
        parts<u>([&](s32 a, s32 b, s32) { return d += u32(std::abs(a - b)), 0; }, a_, b_);                             \
        return d;                                                                                                      \
    }
VIDEO(4, s8, u8, -0x80, 0x7f, 0xff)
VIDEO(2, s16, u16, -0x8000, 0x7fff, 0xffff)

#define VIMIN(suffix, part)                                                                                            \
    PARTS3(__vimax3_##suffix, part, std::max({a, b, c}))                                                               \
    PARTS3(__vimin3_##suffix, part, std::min({a, b, c}))                                                               \
    PARTS3(__viaddmax_##suffix, part, std::max<s32>(part(a + b), c))                                                   \
    PARTS3(__viaddmin_##suffix, part, std::min<s32>(part(a + b), c))
VIMIN(s16x2, s16)
VIMIN(u16x2, u16)
PARTS3(__vimax3_s16x2_relu, s16, std::max({a, b, c, 0}))
PARTS3(__vimin3_s16x2_relu, s16, std::max(std::min({a, b, c}), 0))
PARTS3(__viaddmax_s16x2_relu, s16, std::max({s32(s16(a + b)), c, 0}))
PARTS3(__viaddmin_s16x2_relu, s16, std::max(std::min(s32(s16(a + b)), c), 0))
PARTS(__vimax_s16x2_relu, s16, std::max({a, b, 0}))
PARTS(__vimin_s16x2_relu, s16, std::max(std::min(a, b), 0))
FUNCTION(u32, __vimax3_u32, (u32 a, u32 b, u32 c), std::max({a, b, c}))
FUNCTION(u32, __vimin3_u32, (u32 a, u32 b, u32 c), std::min({a, b, c}))
FUNCTION(s32, __vimax3_s32, (s32 a, s32 b, s32 c), std::max({a, b, c}))
FUNCTION(s32, __vimin3_s32, (s32 a, s32 b, s32 c), std::min({a, b, c}))
FUNCTION(s32, __vimax3_s32_relu, (s32 a, s32 b, s32 c), std::max({a, b, c, 0}))
FUNCTION(s32, __vimin3_s32_relu, (s32 a, s32 b, s32 c), std::max(std::min({a, b, c}), 0))
FUNCTION(u32, __viaddmax_u32, (u32 a, u32 b, u32 c), std::max(a + b, c))
FUNCTION(u32, __viaddmin_u32, (u32 a, u32 b, u32 c), std::min(a + b, c))
FUNCTION(s32, __viaddmax_s32, (s32 a, s32 b, s32 c), std::max(s32(u32(a) + u32(b)), c))
FUNCTION(s32, __viaddmin_s32, (s32 a, s32 b, s32 c), std::min(s32(u32(a) + u32(b)), c))
FUNCTION(s32, __viaddmax_s32_relu, (s32 a, s32 b, s32 c), std::max(__viaddmax_s32(a, b, c), 0))
FUNCTION(s32, __viaddmin_s32_relu, (s32 a, s32 b, s32 c), std::max(__viaddmin_s32(a, b, c), 0))
FUNCTION(s32, __vimax_s32_relu, (s32 a, s32 b), std::max({a, b, 0}))
FUNCTION(s32, __vimin_s32_relu, (s32 a, s32 b), std::max(std::min(a, b), 0))

/* ---- Floats ---- */

FUNCTION(u32, bits, (float x), u32(to_bits(x)))
FUNCTION(u64, bits, (double x), to_bits(x))
FUNCTION(u32, number, (float x), x != x ? 0x7fffffffu : bits(x))
FUNCTION(u64, number, (double x), x != x ? 0x7fffffffffffffffu : bits(x))

FUNCTION(float, __uint_as_float, (u32 x), of_bits<float>(x))
FUNCTION(u32, __float_as_uint, (float x), bits(x))
FUNCTION(s32, __float_as_int, (float x), s32(bits(x)))
FUNCTION(double, __longlong_as_double, (s64 x), of_bits<double>(u64(x)))
FUNCTION(s64, __double_as_longlong, (double x), s64(bits(x)))
FUNCTION(double, __hiloint2double, (s32 high, s32 low), of_bits<double>(two(u32(low), u32(high))))
FUNCTION(s32, __double2hiint, (double x), s32(bits(x) >> 32))
FUNCTION(s32, __double2loint, (double x), s32(bits(x)))

/* By CUDA's names: rn, rz, ru, rd. */
constexpr rounding ru = rp, rd = rm;
template <class T> T quotient(T a, T b, rounding how)
{
    const long double x = value(a), y = value(b), q = x / y;
    /* What is missing, in exact arithmetic: q has 64 bits, y 24 or 53 of them. */
    if (!std::isfinite(q) || q == 0 || !std::isfinite(y))
        return round<T>(q, how);
    const long double left = std::fma(-q, y, x);
    return round<T>(odd(q, y > 0 ? left : -left), how);
}
template <class T> T root(T a, rounding how)
{
    const long double x = value(a), r = std::sqrt(x);
    if (!std::isfinite(r) || r == 0)
        return round<T>(r, how);
    return round<T>(odd(r, std::fma(-r, r, x)), how);
}

/* The CPU's own arithmetic, in a direction. */
template <class F> double directed(rounding how, double a, double b, double c, F f)
{
    const volatile double x = a, y = b, z = c;
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(modes[how]);
    const volatile double d = f(x, y, z);
    std::fesetround(FE_TONEAREST);
    return d == d ? +d : of_bits<double>(0xfff8000000000000);
}
#define BY_ROUNDING(r)                                                                                                 \
    FUNCTION(float, __fadd_##r, (float a, float b), add(a, b, r, false, false))                                        \
    FUNCTION(float, __fsub_##r, (float a, float b), sub(a, b, r, false, false))                                        \
    FUNCTION(float, __fmul_##r, (float a, float b), mul(a, b, r, false, false))                                        \
    FUNCTION(float, __fmaf_##r, (float a, float b, float c), fma(a, b, c, r, false, false))                            \
    FUNCTION(float, __fdiv_##r, (float a, float b), quotient(a, b, r))                                                 \
    FUNCTION(float, __frcp_##r, (float a), quotient(1.0f, a, r))                                                       \
    FUNCTION(float, __fsqrt_##r, (float a), root(a, r))                                                                \
    FUNCTION(double, __dadd_##r, (double a, double b),                                                                 \
             directed(r, a, b, 0, [](auto x, auto y, auto) { return x + y; }))                                         \
    FUNCTION(double, __dsub_##r, (double a, double b),                                                                 \
             directed(r, a, b, 0, [](auto x, auto y, auto) { return x - y; }))                                         \
    FUNCTION(double, __dmul_##r, (double a, double b),                                                                 \
             directed(r, a, b, 0, [](auto x, auto y, auto) { return x * y; }))                                         \
    FUNCTION(double, __ddiv_##r, (double a, double b),                                                                 \
             directed(r, a, b, 0, [](auto x, auto y, auto) { return x / y; }))                                         \
    FUNCTION(double, __drcp_##r, (double a), __ddiv_##r(1, a))                                                         \
    FUNCTION(double, __dsqrt_##r, (double a), directed(r, a, 0, 0, [](auto x, auto, auto) { return std::sqrt(x); }))   \
    FUNCTION(double, __fma_##r, (double a, double b, double c),                                                        \
             directed(r, a, b, c, [](auto x, auto y, auto z) { return std::fma(x, y, z); }))                           \
    FUNCTION(s32, __float2int_##r, (float a), convert<s32>(a, r, false, false, false))                                 \
    FUNCTION(u32, __float2uint_##r, (float a), convert<u32>(a, r, false, false, false))                                \
    FUNCTION(s64, __float2ll_##r, (float a), convert<s64>(a, r, false, false, false))                                  \
    FUNCTION(u64, __float2ull_##r, (float a), convert<u64>(a, r, false, false, false))                                 \
    FUNCTION(s32, __double2int_##r, (double a), convert<s32>(a, r, false, false, false))                               \
    FUNCTION(u32, __double2uint_##r, (double a), convert<u32>(a, r, false, false, false))                              \
    FUNCTION(s64, __double2ll_##r, (double a), convert<s64>(a, r, false, false, false))                                \
    FUNCTION(u64, __double2ull_##r, (double a), convert<u64>(a, r, false, false, false))                               \
    FUNCTION(float, __int2float_##r, (s32 a), convert<float>(a, r, false, false, false))                               \
    FUNCTION(float, __uint2float_##r, (u32 a), convert<float>(a, r, false, false, false))                              \
    FUNCTION(float, __ll2float_##r, (s64 a), convert<float>(a, r, false, false, false))                                \
    FUNCTION(float, __ull2float_##r, (u64 a), convert<float>(a, r, false, false, false))                               \
    FUNCTION(double, __ll2double_##r, (s64 a), convert<double>(a, r, false, false, false))                             \
    FUNCTION(double, __ull2double_##r, (u64 a), convert<double>(a, r, false, false, false))                            \
    FUNCTION(float, __double2float_##r, (double a), convert<float>(a, r, false, false, false))                         \
    FUNCTION(half, __float2half_##r, (float a), convert<half>(a, r, false, false, false))                              \
    FUNCTION(half, __int2half_##r, (s32 a), convert<half>(a, r, false, false, false))                                  \
    FUNCTION(half, __uint2half_##r, (u32 a), convert<half>(a, r, false, false, false))                                 \
    FUNCTION(s32, __half2int_##r, (half a), convert<s32>(a, r, false, false, false))                                   \
    FUNCTION(u32, __half2uint_##r, (half a), convert<u32>(a, r, false, false, false))                                  \
    FUNCTION(s16, __half2short_##r, (half a), convert<s16>(a, r, false, false, false))                                 \
    FUNCTION(u16, __half2ushort_##r, (half a), convert<u16>(a, r, false, false, false))
BY_ROUNDING(rn)
BY_ROUNDING(rz)
BY_ROUNDING(ru)
BY_ROUNDING(rd)
FUNCTION(double, __int2double_rn, (s32 a), a)
FUNCTION(double, __uint2double_rn, (u32 a), a)

/* The smaller of two: -0 is below 0, and a number is taken before what is none. */
template <class T> T least(T a, T b)
{
    const long double x = value(a), y = value(b);
    if (std::isnan(x) && std::isnan(y))
        return round<T>(x, rn);
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) ? b : a;
    return x < y || (x == y && std::signbit(x)) ? a : b;
}
template <class T> T greatest(T a, T b)
{
    return std::isnan(value(a)) && std::isnan(value(b)) ? least(a, b) : negated(least(negated(a), negated(b)));
}
FUNCTION(float, fminf, (float a, float b), least(a, b))
FUNCTION(float, fmaxf, (float a, float b), greatest(a, b))
FUNCTION(double, fmin, (double a, double b), least(a, b))
FUNCTION(double, fmax, (double a, double b), greatest(a, b))
FUNCTION(float, min_ftz_f32, (float a, float b), least(flushed(a, true), flushed(b, true)))
FUNCTION(float, max_ftz_f32, (float a, float b), greatest(flushed(a, true), flushed(b, true)))
FUNCTION(float, min_nan_f32, (float a, float b), a != a || b != b ? of_bits<float>(0x7fffffff) : least(a, b))
FUNCTION(float, max_nan_f32, (float a, float b), a != a || b != b ? of_bits<float>(0x7fffffff) : greatest(a, b))
inline float min_xorsign_f32(float a, float b)
{
    const float d = least(std::fabs(a), std::fabs(b));
    return d != d ? d : std::copysign(d, std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f);
}
/* PTX's copies the sign of the first to the second. */
FUNCTION(float, copysign_f32, (float a, float b), std::copysign(b, a))
FUNCTION(float, __saturatef, (float a), saturated(a, true))

/* ---- Halves and bfloat16, alone and in pairs ---- */

template <class T> struct pair_of;
template <> struct pair_of<half> : is_type<half2> {
};
template <> struct pair_of<bf16> : is_type<bf162> {
};

template <class T> T relu(T x)
{
    return value(x) != value(x) || value(x) > 0 ? x : T{0};
}
template <class T> bool nan(T x)
{
    return value(x) != value(x);
}
template <class T> T one_if(bool holds)
{
    return holds ? round<T>(1, rn) : T{0};
}

#define OF_SMALL1(name, T, expression)                                                                                 \
    FUNCTION(T, __h##name, (T a), expression)                                                                          \
    FUNCTION(T##2, __h##name##2, (T##2 a), {__h##name(a.x), __h##name(a.y)})
#define OF_SMALL2(name, more, T, expression)                                                                           \
    FUNCTION(T, __h##name##more, (T a, T b), expression)                                                               \
    FUNCTION(T##2, __h##name##2##more, (T##2 a, T##2 b), {__h##name##more(a.x, b.x), __h##name##more(a.y, b.y)})
#define OF_SMALL3(name, more, T, expression)                                                                           \
    FUNCTION(T, __h##name##more, (T a, T b, T c), expression)                                                          \
    FUNCTION(T##2, __h##name##2##more, (T##2 a, T##2 b, T##2 c),                                                       \
             {__h##name##more(a.x, b.x, c.x), __h##name##more(a.y, b.y, c.y)})
#define OF_COMPARE(name, T, expression)                                                                                \
    inline bool __h##name(T a_, T b_)                                                                                  \
    {                                                                                                                  \
        const long double a = value(a_), b = value(b_);                                                                \
        return expression;                                                                                             \
    }                                                                                                                  \
    FUNCTION(T##2, __h##name##2, (T##2 a, T##2 b), {one_if<T>(__h##name(a.x, b.x)), one_if<T>(__h##name(a.y, b.y))})   \
    FUNCTION(bool, __hb##name##2, (T##2 a, T##2 b), __h##name(a.x, b.x) && __h##name(a.y, b.y))
#define OF_TYPE(T)                                                                                                     \
    OF_SMALL2(add, , T, add(a, b, rn, false, false))                                                                   \
    OF_SMALL2(sub, , T, sub(a, b, rn, false, false))                                                                   \
    OF_SMALL2(mul, , T, mul(a, b, rn, false, false))                                                                   \
    OF_SMALL2(add, _sat, T, add(a, b, rn, false, true))                                                                \
    OF_SMALL2(sub, _sat, T, sub(a, b, rn, false, true))                                                                \
    OF_SMALL2(mul, _sat, T, mul(a, b, rn, false, true))                                                                \
    OF_SMALL2(add, _rn, T, add(a, b, rn, false, false))                                                                \
    OF_SMALL3(fma, , T, fma(a, b, c, rn, false, false))                                                                \
    OF_SMALL3(fma, _sat, T, fma(a, b, c, rn, false, true))                                                             \
    OF_SMALL3(fma, _relu, T, relu(fma(a, b, c, rn, false, false)))                                                     \
    OF_SMALL2(min, , T, least(a, b))                                                                                   \
    OF_SMALL2(max, , T, greatest(a, b))                                                                                \
    OF_SMALL2(min, _nan, T, nan(a) || nan(b) ? T{0x7fff} : least(a, b))                                                \
    OF_SMALL2(max, _nan, T, nan(a) || nan(b) ? T{0x7fff} : greatest(a, b))                                             \
    OF_SMALL1(neg, T, negated(a))                                                                                      \
    OF_SMALL1(abs, T, T{u16(a.word & 0x7fff)})                                                                         \
    OF_COMPARE(eq, T, a == b)                                                                                          \
    OF_COMPARE(ne, T, a<b || a> b)                                                                                     \
    OF_COMPARE(lt, T, a < b)                                                                                           \
    OF_COMPARE(le, T, a <= b)                                                                                          \
    OF_COMPARE(gt, T, a > b)                                                                                           \
    OF_COMPARE(ge, T, a >= b)                                                                                          \
    OF_COMPARE(equ, T, !(a < b || a > b))                                                                              \
    OF_COMPARE(neu, T, !(a == b))                                                                                      \
    OF_COMPARE(ltu, T, !(a >= b))                                                                                      \
    OF_COMPARE(geu, T, !(a < b))                                                                                       \
    FUNCTION(T##2, number, (T##2 x), {number(x.x), number(x.y)})                                                       \
    FUNCTION(T, __low2##T, (T##2 x), x.x)                                                                              \
    FUNCTION(T, __high2##T, (T##2 x), x.y)                                                                             \
    FUNCTION(float, __low2float, (T##2 x), convert<float>(x.x, rn, false, false, false))                               \
    FUNCTION(float, __high2float, (T##2 x), convert<float>(x.y, rn, false, false, false))
FUNCTION(half, number, (half x), nan(x) ? half{0x7fff} : x)
FUNCTION(bf16, number, (bf16 x), nan(x) ? bf16{0x7fff} : x)
OF_TYPE(half)
OF_TYPE(bf16)

FUNCTION(half2, __floats2half2_rn, (float a, float b), {__float2half_rn(a), __float2half_rn(b)})
FUNCTION(half2, __float2half2_rn, (float a), __floats2half2_rn(a, a))
FUNCTION(bf162, __floats2bfloat162_rn, (float a, float b),
         {convert<bf16>(a, rn, false, false, false), convert<bf16>(b, rn, false, false, false)})
FUNCTION(half2, __lows2half2, (half2 a, half2 b), {a.x, b.x})
FUNCTION(half2, __highs2half2, (half2 a, half2 b), {a.y, b.y})
FUNCTION(half2, __lowhigh2highlow, (half2 a), {a.y, a.x})
FUNCTION(half2, __low2half2, (half2 a), {a.x, a.x})
FUNCTION(half2, __half2half2, (half a), {a, a})
FUNCTION(half2, __halves2half2, (half a, half b), {a, b})
FUNCTION(half2, by_parts, (half2 a, rounding how),
         {convert<half>(a.x, how, false, false, true), convert<half>(a.y, how, false, false, true)})
FUNCTION(half2, h2floor, (half2 a), by_parts(a, rm))
FUNCTION(half2, h2ceil, (half2 a), by_parts(a, rp))
FUNCTION(half2, h2rint, (half2 a), by_parts(a, rn))
FUNCTION(half2, h2trunc, (half2 a), by_parts(a, rz))

/* The same as a number of its type. */
template <class T> inline T plain(T x)
{
    if constexpr (std::is_integral_v<T>)
        return x;
    else if constexpr (std::is_floating_point_v<T>)
        return of_bits<T>(number(x));
    else
        return number(x);
}

/* ---- What random rows use beside ---- */

using std::abs;
using std::isnan;
FUNCTION(double, fma, (double a, double b, double c), std::fma(a, b, c))
FUNCTION(bool, __hisnan, (half x), nan(x))
FUNCTION(u16, __half_as_ushort, (half x), x.word)

} // namespace
} // namespace oracle
