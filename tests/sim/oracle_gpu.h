/* oracle_gpu.h - instructions of PTX as functions, and what rows use beside CUDA's own functions. */
#include "oracle_lists.h"

#define LETTER_u8 "r"
#define LETTER_s8 "r"
#define LETTER_u16 "h"
#define LETTER_s16 "h"
#define LETTER_u32 "r"
#define LETTER_s32 "r"
#define LETTER_u64 "l"
#define LETTER_s64 "l"
#define LETTER_f16 "h"
#define LETTER_bf16 "h"
#define LETTER_f32 "f"
#define LETTER_f64 "d"
using f16 = half;
using f32 = float;
using f64 = double;
/* What a register of that type holds. */
template <class T> struct in_register : is_type<T> {
};
template <> struct in_register<u8> : is_type<u32> {
};
template <> struct in_register<s8> : is_type<s32> {
};
template <> struct in_register<half> : is_type<u16> {
};
template <> struct in_register<bf16> : is_type<u16> {
};
template <class T> using of_register = typename in_register<T>::type;

#define ASM __device__ __forceinline__

#define OF_FLOATS(op, rounding, flush, saturate, name, text)                                                           \
    ASM float name(float a, float b)                                                                                   \
    {                                                                                                                  \
        float d;                                                                                                       \
        asm(text " %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));                                                           \
        return d;                                                                                                      \
    }
ORACLE_FLOATS(OF_FLOATS, add)
ORACLE_FLOATS(OF_FLOATS, sub)
ORACLE_FLOATS(OF_FLOATS, mul)
#undef OF_FLOATS
#define OF_FLOATS(op, rounding, flush, saturate, name, text)                                                           \
    ASM float name(float a, float b, float c)                                                                          \
    {                                                                                                                  \
        float d;                                                                                                       \
        asm(text " %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));                                               \
        return d;                                                                                                      \
    }
ORACLE_FLOATS(OF_FLOATS, fma)
#undef OF_FLOATS

#define CONVERSION(rounding, text, flush, saturate, to, from)                                                          \
    ASM to cvt_##rounding##_##to##_##from(from a)                                                                      \
    {                                                                                                                  \
        of_register<to> d;                                                                                             \
        const of_register<from> r = of_bits<of_register<from>>(to_bits(a));                                            \
        asm("cvt." text #to "." #from " %0, %1;" : "=" LETTER_##to(d) : LETTER_##from(r));                             \
        return of_bits<to>(to_bits(d));                                                                                \
    }
ORACLE_CONVERSIONS(CONVERSION)
#undef CONVERSION

/* One or two operands of one type. */
#define ONE(name, text, to, from)                                                                                      \
    ASM to name(from a)                                                                                                \
    {                                                                                                                  \
        of_register<to> d;                                                                                             \
        asm(text " %0, %1;" : "=" LETTER_##to(d) : LETTER_##from(of_bits<of_register<from>>(to_bits(a))));             \
        return of_bits<to>(to_bits(d));                                                                                \
    }
#define THREE(name, text, type, a_type, b_type, c_type)                                                                \
    ASM type name(a_type a, b_type b, c_type c)                                                                        \
    {                                                                                                                  \
        type d;                                                                                                        \
        asm(text " %0, %1, %2, %3;"                                                                                    \
            : "=" LETTER_##type(d)                                                                                     \
            : LETTER_##a_type(a), LETTER_##b_type(b), LETTER_##c_type(c));                                             \
        return d;                                                                                                      \
    }
#define TWO(name, text, type, a_type, b_type)                                                                          \
    ASM type name(a_type a, b_type b)                                                                                  \
    {                                                                                                                  \
        type d;                                                                                                        \
        asm(text " %0, %1, %2;" : "=" LETTER_##type(d) : LETTER_##a_type(a), LETTER_##b_type(b));                      \
        return d;                                                                                                      \
    }
TWO(shl_u32, "shl.b32", u32, u32, u32)
TWO(shr_u32, "shr.u32", u32, u32, u32)
TWO(shr_s32, "shr.s32", s32, s32, u32)
TWO(shl_u64, "shl.b64", u64, u64, u32)
TWO(shr_u64, "shr.u64", u64, u64, u32)
TWO(shr_s64, "shr.s64", s64, s64, u32)
THREE(bfe_u32, "bfe.u32", u32, u32, u32, u32)
THREE(bfe_s32, "bfe.s32", s32, s32, u32, u32)
THREE(bfe_u64, "bfe.u64", u64, u64, u32, u32)
THREE(bfe_s64, "bfe.s64", s64, s64, u32, u32)
TWO(szext_s32, "szext.clamp.s32", s32, s32, u32)
TWO(szext_wrap_u32, "szext.wrap.u32", u32, u32, u32)
TWO(bmsk_clamp, "bmsk.clamp.b32", u32, u32, u32)
TWO(bmsk_wrap, "bmsk.wrap.b32", u32, u32, u32)
TWO(add_sat_s32, "add.sat.s32", s32, s32, s32)
TWO(sub_sat_s32, "sub.sat.s32", s32, s32, s32)
THREE(mad_hi_sat_s32, "mad.hi.sat.s32", s32, s32, s32, s32)
THREE(mad_hi_u32, "mad.hi.u32", u32, u32, u32, u32)
THREE(mad_hi_s32, "mad.hi.s32", s32, s32, s32, s32)
THREE(mad_wide_u32, "mad.wide.u32", u64, u32, u32, u64)
THREE(mad_wide_s32, "mad.wide.s32", s64, s32, s32, s64)
THREE(prmt_f4e, "prmt.b32.f4e", u32, u32, u32, u32)
THREE(prmt_b4e, "prmt.b32.b4e", u32, u32, u32, u32)
THREE(prmt_rc8, "prmt.b32.rc8", u32, u32, u32, u32)
THREE(prmt_ecl, "prmt.b32.ecl", u32, u32, u32, u32)
THREE(prmt_ecr, "prmt.b32.ecr", u32, u32, u32, u32)
THREE(prmt_rc16, "prmt.b32.rc16", u32, u32, u32, u32)
TWO(min_ftz_f32, "min.ftz.f32", f32, f32, f32)
TWO(max_ftz_f32, "max.ftz.f32", f32, f32, f32)
TWO(min_nan_f32, "min.NaN.f32", f32, f32, f32)
TWO(max_nan_f32, "max.NaN.f32", f32, f32, f32)
TWO(min_xorsign_f32, "min.xorsign.abs.f32", f32, f32, f32)
ONE(bfind_u32, "bfind.u32", u32, u32)
ONE(bfind_s32, "bfind.s32", u32, s32)
ONE(bfind_shift, "bfind.shiftamt.u32", u32, u32)
ONE(bfind_u64, "bfind.u64", u32, u64)
ONE(bfind_s64, "bfind.s64", u32, s64)
TWO(copysign_f32, "copysign.f32", f32, f32, f32)

ASM u32 bfi_u32(u32 a, u32 b, u32 at, u32 length)
{
    u32 d;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(at), "r"(length));
    return d;
}
ASM u64 bfi_u64(u64 a, u64 b, u32 at, u32 length)
{
    u64 d;
    asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(d) : "l"(a), "l"(b), "r"(at), "r"(length));
    return d;
}
template <unsigned table> ASM u32 lop3(u32 a, u32 b, u32 c)
{
    u32 d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(table));
    return d;
}
/* Carries from word to word. */
ASM u64 add_carries(u32 a, u32 b, u32 c, u32 d)
{
    u32 low, high;
    asm("add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;" : "=r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(d));
    return low | u64(high) << 32;
}
ASM u64 sub_borrows(u32 a, u32 b, u32 c, u32 d)
{
    u32 low, high;
    asm("sub.cc.u32 %0, %2, %4;\n\tsubc.u32 %1, %3, %5;" : "=r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(d));
    return low | u64(high) << 32;
}
ASM u64 mad_carries(u32 a, u32 b, u32 c, u32 d)
{
    u32 low, high;
    asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, %5;"
        : "=r"(low), "=r"(high)
        : "r"(a), "r"(b), "r"(c), "r"(d));
    return low | u64(high) << 32;
}

ASM u32 bits(float x)
{
    return __float_as_uint(x);
}
ASM u64 bits(double x)
{
    return __double_as_longlong(x);
}

/* Of what is not a number only that counts. */
ASM u32 number(float x)
{
    return x != x ? 0x7fffffffu : __float_as_uint(x);
}
ASM u64 number(double x)
{
    return x != x ? 0x7fffffffffffffffu : u64(__double_as_longlong(x));
}
ASM half number(half x)
{
    return __hisnan(x) ? __ushort_as_half(0x7fff) : x;
}
ASM bf16 number(bf16 x)
{
    return __hisnan(x) ? __ushort_as_bfloat16(0x7fff) : x;
}
ASM half2 number(half2 x)
{
    return __halves2half2(number(__low2half(x)), number(__high2half(x)));
}
ASM bf162 number(bf162 x)
{
    return __halves2bfloat162(number(__low2bfloat16(x)), number(__high2bfloat16(x)));
}

/* The same as a number of its type. */
template <class T> ASM T plain(T x)
{
    if constexpr (std::is_integral_v<T>)
        return x;
    else if constexpr (std::is_floating_point_v<T>)
        return of_bits<T>(number(x));
    else
        return number(x);
}
