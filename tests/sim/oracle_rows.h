/* oracle_rows.h - the oracle's rows: each operation by itself. See oracle.h. */

/* clang-format off */

#ifdef ROW

/* ---- Integers ---- */

#define OF_WORDS(M, ...) M(u32, __VA_ARGS__) M(u64, __VA_ARGS__)
#define TWO_OF(type, id, ...) ROW(id##_##type, type, (type a, type b), __VA_ARGS__)
OF_WORDS(TWO_OF, add, a + b)
OF_WORDS(TWO_OF, sub, a - b)
OF_WORDS(TWO_OF, mul, a * b)
OF_WORDS(TWO_OF, and_not, a & ~b)
OF_WORDS(TWO_OF, or_of, a | b)
OF_WORDS(TWO_OF, xor_not, ~(a ^ b))
OF_WORDS(TWO_OF, average, (a & b) + ((a ^ b) >> 1))
OF_WORDS(TWO_OF, divide, b == 0 ? a : a / b)
OF_WORDS(TWO_OF, remainder, b == 0 ? a : a % b)
OF_WORDS(TWO_OF, smaller, min(a, b))
OF_WORDS(TWO_OF, larger, max(a, b))
OF_WORDS(TWO_OF, below, (a < b) | (a <= b) << 1 | (a == b) << 2)
OF_WORDS(TWO_OF, chosen, a > b ? a - b : b + 1)
#define OF_SIGNED(M, ...) M(s32, __VA_ARGS__) M(s64, __VA_ARGS__)
OF_SIGNED(TWO_OF, smaller, min(a, b))
OF_SIGNED(TWO_OF, larger, max(a, b))
OF_SIGNED(TWO_OF, below, (a < b) | (a <= b) << 1 | (a != b) << 2)
OF_SIGNED(TWO_OF, divide, b == 0 || b == -1 ? a : a / b)
OF_SIGNED(TWO_OF, remainder, b == 0 || b == -1 ? a : a % b)
OF_SIGNED(TWO_OF, absolute, decltype(a)(a < 0 ? u64(b) - u64(a) : u64(a) + u64(b)))
OF_SIGNED(TWO_OF, negative, decltype(a)(0 - u64(a) - u64(b)))

#define SCALED(k)                                                                                                      \
    ROW(lea_##k, u32, (u32 a, u32 b), (a << k) + b)                                                                    \
    ROW(lea_minus_##k, u32, (u32 a, u32 b), b - (a << k))                                                              \
    ROW(lea_from_##k, u32, (u32 a, u32 b), (a << k) - b)                                                               \
    ROW(lea_wide_##k, u64, (u32 a, u64 b), b + (u64(a) << k))                                                          \
    ROW(lea_wide_minus_##k, u64, (u32 a, u64 b), b - (u64(a) << k))                                                    \
    ROW(lea_signed_##k, u64, (s32 a, u64 b), b + (u64(s64(a)) << k))                                                   \
    ROW(lea_signed_minus_##k, u64, (s32 a, u64 b), b - (u64(s64(a)) << k))                                             \
    ROW(lea_long_##k, u64, (u64 a, u64 b), b + (a << k))                                                               \
    ROW(lea_long_minus_##k, u64, (u64 a, u64 b), b - (a << k))                                                         \
    ROW(lea_scaled_##k, u64, (u64 a, u32 b, s32 c), a - (1ull << k) * b + (u64(s64(c)) << k))
SCALED(1)
SCALED(2)
SCALED(3)
SCALED(7)
SCALED(12)
SCALED(31)
ROW(indexed, u64, (u64 a, u32 b, s32 c, u32 d), a + u64(b) * 24 - 4 * u64(s64(c)) + 16ull * d)

ROW(add_three, u32, (u32 a, u32 b, u32 c), a + b - c)
ROW(add_three_negative, u32, (u32 a, u32 b, u32 c), c - a - b)
ROW(add_three_long, u64, (u64 a, u64 b, u64 c), a - b + c)
ROW(add_three_minus, u64, (u64 a, u64 b, u64 c), c - a - b)
ROW(add_wide, u64, (u32 a, u32 b, u32 c), u64(a) + b + c)
ROW(sub_wide, u64, (u32 a, u32 b, u64 c), c - a - b)
ROW(mad, u32, (u32 a, u32 b, u32 c), a * b + c)
ROW(mad_minus, u32, (u32 a, u32 b, u32 c), c - a * b)
ROW(mad_from, u32, (u32 a, u32 b, u32 c), a * b - c)
ROW(mad_long, u64, (u64 a, u64 b, u64 c), a * b + c)
ROW(mad_long_minus, u64, (u64 a, u64 b, u64 c), c - a * b)
ROW(mul_wide, u64, (u32 a, u32 b), u64(a) * b)
ROW(mul_wide_signed, s64, (s32 a, s32 b), s64(a) * b)
ROW(mad_wide, u64, (u32 a, u32 b, u64 c), c + u64(a) * b)
ROW(mad_wide_minus, u64, (u32 a, u32 b, u64 c), c - u64(a) * b)
ROW(mad_wide_signed, u64, (s32 a, s32 b, u64 c), c + u64(s64(a) * b))
ROW(mad_wide_signed_minus, u64, (s32 a, s32 b, u64 c), c - u64(s64(a) * b))
ROW(mad_wide_mixed, u64, (s32 a, u32 b, u64 c), c + u64(s64(a) * s64(b)))
ROW(mulhi_u32, u32, (u32 a, u32 b), __umulhi(a, b))
ROW(mulhi_s32, s32, (s32 a, s32 b), __mulhi(a, b))
ROW(mulhi_u64, u64, (u64 a, u64 b), __umul64hi(a, b))
ROW(mulhi_s64, s64, (s64 a, s64 b), __mul64hi(a, b))
ROW(mul24_u32, u32, (u32 a, u32 b), __umul24(a, b))
ROW(mul24_s32, s32, (s32 a, s32 b), __mul24(a, b))
#define PTX3(id, type, a_type, b_type, c_type) ROW(ptx_##id, type, (a_type a, b_type b, c_type c), id(a, b, c))
PTX3(mad_hi_u32, u32, u32, u32, u32)
PTX3(mad_hi_s32, s32, s32, s32, s32)
PTX3(mad_hi_sat_s32, s32, s32, s32, s32)
PTX3(mad_wide_u32, u64, u32, u32, u64)
PTX3(mad_wide_s32, s64, s32, s32, s64)
ROW(ptx_add_sat_s32, s32, (s32 a, s32 b), add_sat_s32(a, b))
ROW(ptx_sub_sat_s32, s32, (s32 a, s32 b), sub_sat_s32(a, b))
ROW(ptx_add_carries, u64, (u32 a, u32 b, u32 c, u32 d), add_carries(a, b, c, d))
ROW(ptx_sub_borrows, u64, (u32 a, u32 b, u32 c, u32 d), sub_borrows(a, b, c, d))
ROW(ptx_mad_carries, u64, (u32 a, u32 b, u32 c, u32 d), mad_carries(a, b, c, d))

#define WIDE(a, b) (u128(a) << 64 | (b))
#define OF_128(id, ...)                                                                                                \
    ROW(id##_low, u64, (u64 a, u64 b, u64 c, u64 d), u64(__VA_ARGS__))                                                 \
    ROW(id##_high, u64, (u64 a, u64 b, u64 c, u64 d), u64((__VA_ARGS__) >> 64))
OF_128(add_128, WIDE(a, b) + WIDE(c, d))
OF_128(sub_128, WIDE(a, b) - WIDE(c, d))
OF_128(mul_128, WIDE(a, b) * WIDE(c, d))
OF_128(negative_128, u128(0) - WIDE(a, b) - (WIDE(c, d) << 2))
OF_128(left_128, WIDE(a, b) << (c & 127))
OF_128(right_128, WIDE(a, b) >> (c & 127))
OF_128(right_signed_128, u128(s128(WIDE(a, b)) >> (c & 127)))
OF_128(below_128, u128(WIDE(a, b) < WIDE(c, d) ? a : d) + (s128(WIDE(a, b)) <= s128(WIDE(c, d))))
ROW(divide_128, u64, (u64 a, u64 b, u32 c), u64(WIDE(a, b) / (u64(c) + 1)))

#define SHIFTS(type, width)                                                                                            \
    ROW(left_##type, type, (type a, u32 b), type(a << (b & (width - 1))))                                              \
    ROW(right_##type, type, (type a, u32 b), type(a >> (b & (width - 1))))
SHIFTS(u32, 32)
SHIFTS(u64, 64)
ROW(right_s32, s32, (s32 a, u32 b), a >> (b & 31))
ROW(right_s64, s64, (s64 a, u32 b), a >> (b & 63))
#define PTX_SHIFT(id, type) ROW(ptx_##id, type, (type a, u32 b), id(a, b))
PTX_SHIFT(shl_u32, u32)
PTX_SHIFT(shr_u32, u32)
PTX_SHIFT(shr_s32, s32)
PTX_SHIFT(shl_u64, u64)
PTX_SHIFT(shr_u64, u64)
PTX_SHIFT(shr_s64, s64)
PTX_SHIFT(szext_s32, s32)
PTX_SHIFT(szext_wrap_u32, u32)
PTX_SHIFT(bmsk_clamp, u32)
PTX_SHIFT(bmsk_wrap, u32)
#define WORDS3(id, call) ROW(id, u32, (u32 a, u32 b, u32 c), call(a, b, c))
WORDS3(funnel_l, __funnelshift_l)
WORDS3(funnel_r, __funnelshift_r)
WORDS3(funnel_lc, __funnelshift_lc)
WORDS3(funnel_rc, __funnelshift_rc)
PTX3(bfe_u32, u32, u32, u32, u32)
PTX3(bfe_s32, s32, s32, u32, u32)
ROW(ptx_bfe_u64, u64, (u64 a, u32 b, u32 c), bfe_u64(a, b & 255, c & 255))
ROW(ptx_bfe_s64, s64, (s64 a, u32 b, u32 c), bfe_s64(a, b & 255, c & 255))
ROW(ptx_bfi_u32, u32, (u32 a, u32 b, u32 c, u32 d), bfi_u32(a, b, c, d))
ROW(ptx_bfi_u64, u64, (u64 a, u64 b, u32 c, u32 d), bfi_u64(a, b, c & 255, d & 255))

#define TABLE_OF(n) WORDS3(lop3_##n, lop3<n>)
TABLE_OF(0x01)
TABLE_OF(0x12)
TABLE_OF(0x1e)
TABLE_OF(0x2d)
TABLE_OF(0x42)
TABLE_OF(0x57)
TABLE_OF(0x69)
TABLE_OF(0x80)
TABLE_OF(0x96)
TABLE_OF(0xac)
TABLE_OF(0xca)
TABLE_OF(0xd8)
TABLE_OF(0xe8)
TABLE_OF(0xf4)
TABLE_OF(0xfe)
TABLE_OF(0x7f)
ROW(any_bits, u32, (u32 a, u32 b, u32 c), ((a & b) ^ c) == 0 ? 3 : (a | c) != ~0u)
ROW(popcount, u32, (u32 a), u32(__popc(a)))
ROW(popcount_long, u32, (u64 a), u32(__popcll(a)))
ROW(popcount_not, u32, (u32 a, u32 b), u32(__popc(~a & b)))
ROW(leading, u32, (u32 a), u32(__clz(s32(a))))
ROW(leading_long, u32, (u64 a), u32(__clzll(s64(a))))
ROW(first, u32, (u32 a), u32(__ffs(s32(a))))
ROW(first_long, u32, (u64 a), u32(__ffsll(s64(a))))
ROW(reversed, u32, (u32 a), __brev(a))
ROW(reversed_long, u64, (u64 a), __brevll(a))
ROW(ptx_bfind_u32, u32, (u32 a), bfind_u32(a))
ROW(ptx_bfind_s32, u32, (s32 a), bfind_s32(a))
ROW(ptx_bfind_shift, u32, (u32 a), bfind_shift(a))
ROW(ptx_bfind_u64, u32, (u64 a), bfind_u64(a))
ROW(ptx_bfind_s64, u32, (s64 a), bfind_s64(a))
ROW(permuted, u32, (u32 a, u32 b, u32 c), __byte_perm(a, b, c & 0x7777))
PTX3(prmt_f4e, u32, u32, u32, u32)
PTX3(prmt_b4e, u32, u32, u32, u32)
PTX3(prmt_rc8, u32, u32, u32, u32)
PTX3(prmt_ecl, u32, u32, u32, u32)
PTX3(prmt_ecr, u32, u32, u32, u32)
PTX3(prmt_rc16, u32, u32, u32, u32)

WORDS3(sad_u32, __usad)
ROW(sad_s32, u32, (s32 a, s32 b, u32 c), u32(__sad(a, b, c)))
ROW(half_sum_u32, u32, (u32 a, u32 b), __uhadd(a, b))
ROW(half_sum_up_u32, u32, (u32 a, u32 b), __urhadd(a, b))
ROW(half_sum_s32, s32, (s32 a, s32 b), __hadd(a, b))
ROW(half_sum_up_s32, s32, (s32 a, s32 b), __rhadd(a, b))
WORDS3(dot4_u32, __dp4a)
WORDS3(dot2_low_u32, __dp2a_lo)
WORDS3(dot2_high_u32, __dp2a_hi)
#define SIGNED3(id, call) ROW(id, s32, (s32 a, s32 b, s32 c), call(a, b, c))
SIGNED3(dot4_s32, __dp4a)
SIGNED3(dot2_low_s32, __dp2a_lo)
SIGNED3(dot2_high_s32, __dp2a_hi)

#define VIDEO_ROWS(n)                                                                                                  \
    VIDEO2(vadd##n)                                                                                                    \
    VIDEO2(vsub##n) VIDEO2(vaddss##n) VIDEO2(vaddus##n) VIDEO2(vsubss##n) VIDEO2(vsubus##n) VIDEO2(vavgs##n)           \
    VIDEO2(vavgu##n) VIDEO2(vhaddu##n) VIDEO2(vabsdiffs##n) VIDEO2(vabsdiffu##n) VIDEO2(vmaxs##n) VIDEO2(vmaxu##n)     \
    VIDEO2(vmins##n) VIDEO2(vminu##n) VIDEO2(vcmpeq##n) VIDEO2(vcmpne##n) VIDEO2(vcmpges##n)                           \
    VIDEO2(vcmpgts##n) VIDEO2(vcmpleu##n) VIDEO2(vcmpltu##n) VIDEO2(vseteq##n) VIDEO2(vsetgts##n)                      \
    VIDEO2(vsetltu##n) VIDEO2(vsads##n) VIDEO2(vsadu##n) VIDEO1(vabs##n) VIDEO1(vabsss##n)                             \
    VIDEO1(vneg##n) VIDEO1(vnegss##n)
#define VIDEO2(id) ROW(id, u32, (u32 a, u32 b), __##id(a, b))
#define VIDEO1(id) ROW(id, u32, (u32 a), __##id(a))
VIDEO_ROWS(4)
VIDEO_ROWS(2)
#define VIDEO3(id) ROW(id, u32, (u32 a, u32 b, u32 c), __##id(a, b, c))
#define VIDEO3_SIGNED(id) ROW(id, s32, (s32 a, s32 b, s32 c), __##id(a, b, c))
VIDEO3(vimax3_u32)
VIDEO3(vimin3_u32)
VIDEO3(viaddmax_u32)
VIDEO3(viaddmin_u32)
VIDEO3_SIGNED(vimax3_s32)
VIDEO3_SIGNED(vimin3_s32)
VIDEO3_SIGNED(viaddmax_s32)
VIDEO3_SIGNED(viaddmin_s32)
VIDEO3_SIGNED(vimax3_s32_relu)
VIDEO3_SIGNED(vimin3_s32_relu)
VIDEO3_SIGNED(viaddmax_s32_relu)
VIDEO3_SIGNED(viaddmin_s32_relu)
VIDEO3(vimax3_s16x2)
VIDEO3(vimin3_s16x2)
VIDEO3(viaddmax_s16x2)
VIDEO3(viaddmin_s16x2)
VIDEO3(vimax3_u16x2)
VIDEO3(vimin3_u16x2)
VIDEO3(viaddmax_u16x2)
VIDEO3(viaddmin_u16x2)
VIDEO3(vimax3_s16x2_relu)
VIDEO3(vimin3_s16x2_relu)
VIDEO3(viaddmax_s16x2_relu)
VIDEO3(viaddmin_s16x2_relu)
VIDEO2(vimax_s16x2_relu)
VIDEO2(vimin_s16x2_relu)

/* ---- Floats: what a GPU makes of every NaN of a float or a half is one word, of a double it is not documented ---- */

#define FLOATS2(op, rounding, flush, saturate, id, text) ROW(id, u32, (float a, float b), bits(id(a, b)))
#define FLOATS3(op, rounding, flush, saturate, id, text) ROW(id, u32, (float a, float b, float c), bits(id(a, b, c)))
ORACLE_FLOATS(FLOATS2, add)
ORACLE_FLOATS(FLOATS2, sub)
ORACLE_FLOATS(FLOATS2, mul)
ORACLE_FLOATS(FLOATS3, fma)
ROW(fma_negative, u32, (float a, float b, float c), bits(__fmaf_rn(-a, b, -c)))
ROW(fma_absolute, u32, (float a, float b), bits(__fadd_rn(fabsf(a), -fabsf(b))))

#define BY(r)                                                                                                          \
    ROW(dadd_##r, u64, (double a, double b), number(__dadd_##r(a, b)))                                                 \
    ROW(dsub_##r, u64, (double a, double b), number(__dsub_##r(a, b)))                                                 \
    ROW(dmul_##r, u64, (double a, double b), number(__dmul_##r(a, b)))                                                 \
    ROW(dfma_##r, u64, (double a, double b, double c), number(__fma_##r(a, b, c)))                                     \
    ROW(ddiv_##r, u64, (double a, double b), number(__ddiv_##r(a, b)))                                                 \
    ROW(dsqrt_##r, u64, (double a), number(__dsqrt_##r(a)))                                                            \
    ROW(drcp_##r, u64, (double a), number(__drcp_##r(a)))                                                              \
    ROW(fdiv_##r, u32, (float a, float b), number(__fdiv_##r(a, b)))                                                   \
    ROW(fsqrt_##r, u32, (float a), number(__fsqrt_##r(a)))                                                             \
    ROW(frcp_##r, u32, (float a), number(__frcp_##r(a)))
BY(rn)
BY(rz)
BY(ru)
BY(rd)

#define OF_REAL(M, id, ...) M(float, id, __VA_ARGS__) M(double, id, __VA_ARGS__)
#define REAL2(type, id, ...) ROW(id##_##type, decltype(bits(type())), (type a, type b), __VA_ARGS__)
#define REAL3(type, id, ...) ROW(id##_##type, decltype(bits(type())), (type a, type b, type c), __VA_ARGS__)
OF_REAL(REAL2, sum, number(a + b))
OF_REAL(REAL2, difference, number(a - b))
OF_REAL(REAL2, product, number(a * b))
OF_REAL(REAL2, quotient, number(a / b))
OF_REAL(REAL3, sum_of_products, number(a * b + c))
OF_REAL(REAL2, less,
        decltype(bits(a))(a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5)
OF_REAL(REAL2, not_less, decltype(bits(a))(!(a < b)) | !(a <= b) << 1 | !(a > b) << 2 | !(a >= b) << 3)
OF_REAL(REAL3, choose, bits(a < b ? a : c))
OF_REAL(REAL3, choose_not, number(!(a >= b) ? -b : c))
OF_REAL(REAL3, within, a < b && b < c ? 1 : a == c || b != b ? 2 : 3)
ROW(choose_infinity, u64, (double a, double b), bits(a < b ? a : __longlong_as_double(0x7ff0000000000000)))
ROW(choose_minus_infinity, u64, (double a, double b), bits(a < b ? __longlong_as_double(s64(0xfff0000000000000)) : b))
ROW(choose_nan, u64, (double a, double b), bits(a < b ? a : __longlong_as_double(0x7ff8000000000000)))
ROW(choose_infinity_float, u32, (float a, float b), bits(a < b ? a : __uint_as_float(0x7f800000)))
ROW(choose_nan_float, u32, (float a, float b), bits(a < b ? __uint_as_float(0xffc00001) : b))
ROW(choose_bits, u32, (u32 a, float b), bits(a > 5 ? b : __uint_as_float(0x7fa00000)))
ROW(minus_float, u32, (float a), bits(__uint_as_float(bits(a) ^ 0x80000000)))
ROW(double_words, u64, (u32 a, u32 b), bits(__hiloint2double(s32(a), s32(b))))
ROW(double_high, u32, (double a, u32 b), u32(__double2hiint(a)) + b)
#define FLOAT2(id, call) ROW(id, u32, (float a, float b), bits(call(a, b)))
FLOAT2(fmin_float, fminf)
FLOAT2(fmax_float, fmaxf)
FLOAT2(ptx_min_ftz_f32, min_ftz_f32)
FLOAT2(ptx_max_ftz_f32, max_ftz_f32)
FLOAT2(ptx_min_nan_f32, min_nan_f32)
FLOAT2(ptx_max_nan_f32, max_nan_f32)
ROW(ptx_min_xorsign_f32, u32, (float a, float b), number(min_xorsign_f32(a, b)))
FLOAT2(ptx_copysign_f32, copysign_f32)
ROW(fmin_double, u64, (double a, double b), number(fmin(a, b)))
ROW(fmax_double, u64, (double a, double b), number(fmax(a, b)))
ROW(saturate_float, u32, (float a, float b), bits(__saturatef(a + b)))

/* ---- Conversions ---- */

#define CONVERTED(rounding, text, flush, saturate, to, from)                                                           \
    ROW(rounding##_##to##_of_##from, to, (from a), plain(cvt_##rounding##_##to##_##from(a)))
ORACLE_CONVERSIONS(CONVERTED)
#define TO_AND_FROM(r)                                                                                                 \
    ROW(int_of_float_##r, s32, (float a), __float2int_##r(a))                                                          \
    ROW(long_of_float_##r, s64, (float a), __float2ll_##r(a))                                                          \
    ROW(unsigned_of_double_##r, u32, (double a), __double2uint_##r(a))                                                 \
    ROW(ulong_of_double_##r, u64, (double a), __double2ull_##r(a))                                                     \
    ROW(float_of_ulong_##r, u32, (u64 a), bits(__ull2float_##r(a)))                                                    \
    ROW(float_of_long_##r, u32, (s64 a), bits(__ll2float_##r(a)))                                                      \
    ROW(double_of_ulong_##r, u64, (u64 a), bits(__ull2double_##r(a)))                                                  \
    ROW(double_of_long_##r, u64, (s64 a), bits(__ll2double_##r(a)))                                                    \
    ROW(float_of_double_##r, u32, (double a), number(__double2float_##r(a)))
TO_AND_FROM(rn)
TO_AND_FROM(rz)
TO_AND_FROM(ru)
TO_AND_FROM(rd)
#define CONSTANTS_OF(id, number)                                                                                       \
    ROW(float_of_##id, u32, (u32 a), bits(__ull2float_ru(number)) + a)                                                 \
    ROW(signed_float_of_##id, u32, (u32 a), bits(__ll2float_rd(s64(number))) + a)                                      \
    ROW(double_of_##id, u64, (u32 a), bits(__ull2double_rz(number)) + a)
CONSTANTS_OF(2_to_63, 1ull << 63)
CONSTANTS_OF(2_to_32, 1ull << 32)
CONSTANTS_OF(all_ones, ~0ull)
CONSTANTS_OF(large, 0x7fffffffffffff01ull)

/* ---- Halves and bfloat16 ---- */

#define SMALL_ROWS(T)                                                                                                  \
    SMALL2(T, hadd)                                                                                                    \
    SMALL2(T, hsub) SMALL2(T, hmul) SMALL2(T, hadd_sat) SMALL2(T, hsub_sat) SMALL2(T, hmul_sat) SMALL2(T, hmin)        \
    SMALL2(T, hmax) SMALL2(T, hmin_nan) SMALL2(T, hmax_nan) SMALL3(T, hfma) SMALL3(T, hfma_sat)                        \
    SMALL3(T, hfma_relu) SMALL2(T##2, hadd2) SMALL2(T##2, hsub2) SMALL2(T##2, hmul2) SMALL2(T##2, hadd2_sat)           \
    SMALL2(T##2, hsub2_sat) SMALL2(T##2, hmul2_sat) SMALL2(T##2, hadd2_rn) SMALL2(T##2, hmin2)                         \
    SMALL2(T##2, hmax2) SMALL2(T##2, hmin2_nan) SMALL2(T##2, hmax2_nan) SMALL3(T##2, hfma2)                            \
    SMALL3(T##2, hfma2_sat) SMALL3(T##2, hfma2_relu) SMALL2(T##2, heq2) SMALL2(T##2, hne2)                             \
    SMALL2(T##2, hlt2) SMALL2(T##2, hle2) SMALL2(T##2, hgt2) SMALL2(T##2, hge2)                                        \
    SMALL2(T##2, hequ2) SMALL2(T##2, hneu2) SMALL2(T##2, hltu2) SMALL2(T##2, hgeu2)                                    \
    SMALL_BOTH(T, eq) SMALL_BOTH(T, ne) SMALL_BOTH(T, lt) SMALL_BOTH(T, le)                                            \
    SMALL_BOTH(T, gt) SMALL_BOTH(T, ge) SMALL_BOTH(T, equ) SMALL_BOTH(T, neu)                                          \
    SMALL_BOTH(T, ltu) SMALL_BOTH(T, geu)                                                                              \
    ROW(T##_hneg2, T##2, (T##2 a), number(__hneg2(a)))                                                                 \
    ROW(T##_habs2, T##2, (T##2 a), number(__habs2(a)))                                                                 \
    ROW(T##_hneg_sum, T##2, (T##2 a, T##2 b, T##2 c),                                                                  \
    __hfma2(__hneg2(a), __habs2(b), __hneg2(c)))                                                                       \
    ROW(T##_low, u32, (T##2 a), number(__low2float(a)))                                                                \
    ROW(T##_high, u32, (T##2 a), number(__high2float(a)))
#define SMALL2(T, id) ROW(T##_##id, T, (T a, T b), __##id(a, b))
#define SMALL3(T, id) ROW(T##_##id, T, (T a, T b, T c), __##id(a, b, c))
#define SMALL_BOTH(T, id)                                                                                              \
    ROW(T##_h##id, u32, (T a, T b), u32(__h##id(a, b)))                                                                \
    ROW(T##_hb##id, u32, (T##2 a, T##2 b), u32(__hb##id##2(a, b)))
SMALL_ROWS(half)
SMALL_ROWS(bf16)
ROW(halves_of_floats, half2, (float a, float b), __floats2half2_rn(a, b))
ROW(bf16s_of_floats, bf162, (float a, float b), __floats2bfloat162_rn(a, b))
ROW(halves_crossed, half2, (half2 a, half2 b), __hadd2(__lowhigh2highlow(a), __lows2half2(a, b)))
ROW(halves_spread, half2, (half2 a, half2 b), __hmul2(__highs2half2(a, b), __low2half2(b)))
ROW(halves_floor, half2, (half2 a), h2floor(a))
ROW(halves_ceil, half2, (half2 a), h2ceil(a))
ROW(halves_rint, half2, (half2 a), h2rint(a))
ROW(halves_trunc, half2, (half2 a), h2trunc(a))

#endif
