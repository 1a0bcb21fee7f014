#include "small_float.h"

struct float_format {
    unsigned char exponent_bits, fraction_bits;
    uint64_t largest;  /* the largest finite number */
    uint64_t infinite; /* the bits of a number that is too large: infinity, or NaN where there is none */
    uint64_t nan;
    unsigned char shift; /* bits to shift by: TF32 is in the upper bits of a float */
};

/* clang-format off */
static const struct float_format formats[] = {
    [F16]  = { 5, 10, 0x7bff,                       0x7c00,                       NAN_16,         0},
    [BF16] = { 8,  7, 0x7f7f,                       0x7f80,                       NAN_16,         0},
    [F32]  = { 8, 23, 0x7f7fffff,                   0x7f800000,                   NAN_32,         0},
    [F64]  = {11, 52, UINT64_C(0x7fefffffffffffff), UINT64_C(0x7ff0000000000000), NAN_64,         0},
    [E4M3] = { 4,  3, 0x7e,                         0x7f,                         NAN_8,          0},
    [E5M2] = { 5,  2, 0x7b,                         0x7c,                         NAN_8,          0},
    [TF32] = { 8, 10, 0x3fbff,                      0x3fc00,                      NAN_32,        13},
};
/* clang-format on */

static uint64_t signed_bits(const struct float_format *format, bool negative, uint64_t magnitude)
{
    const unsigned width = 1u + format->exponent_bits + format->fraction_bits;
    return (magnitude | (uint64_t)negative << (width - 1)) << format->shift;
}

static uint64_t too_large(const struct float_format *format, bool negative, enum rounding rounding, bool finite)
{
    const bool towards_zero =
        rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !negative) || (rounding == ROUND_UP && negative);
    return signed_bits(format, negative, finite || towards_zero ? format->largest : format->infinite);
}

uint64_t round_to(enum format name, bool negative, uint64_t significand, int exponent, enum rounding rounding,
                  bool finite)
{
    const struct float_format *format = &formats[name];
    if (significand == 0)
        return signed_bits(format, negative, 0);
    /* The exponent of the smallest number's last bit. */
    const int smallest = 2 - (1 << (format->exponent_bits - 1)) - format->fraction_bits;
    const int top = exponent + 63 - __builtin_clzll(significand);
    const int last = top - format->fraction_bits > smallest ? top - format->fraction_bits : smallest;
    const int cut = last - exponent; /* number of bits that are cut off */
    uint64_t kept = significand, rest = 0, half = 0;
    if (cut > 63) {
        /* With 64 bits cut off, the highest bit is the half. With more, everything is less than the half. */
        kept = 0;
        rest = cut == 64 ? significand : 1;
        half = cut == 64 ? UINT64_C(1) << 63 : 2;
    } else if (cut > 0) {
        kept = significand >> cut;
        rest = significand & ((UINT64_C(1) << cut) - 1);
        half = UINT64_C(1) << (cut - 1);
    } else {
        kept = significand << -cut;
    }
    const bool up = rounding == ROUND_NEAREST ? rest > half || (rest == half && rest != 0 && kept & 1)
                    : rounding == ROUND_DOWN  ? negative && rest != 0
                    : rounding == ROUND_UP    ? !negative && rest != 0
                                              : false;
    /* The highest bit of a normal number adds 1 to the exponent field, so that of the smallest normal number is one
     * less here. */
    const uint64_t magnitude = ((uint64_t)(last - smallest) << format->fraction_bits) + kept + up;
    if (magnitude > format->largest)
        return too_large(format, negative, rounding, finite);
    return signed_bits(format, negative, magnitude);
}

uint64_t round_double(enum format name, double value, enum rounding rounding, bool finite)
{
    const struct float_format *format = &formats[name];
    const uint64_t bits = of_double(value);
    const bool negative = bits >> 63;
    const unsigned field = bits >> 52 & 0x7ff;
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (value != value)
        return format->nan;
    if (field == 0x7ff)
        return signed_bits(format, negative, finite ? format->largest : format->infinite);
    return round_to(name, negative, field ? fraction | UINT64_C(1) << 52 : fraction, field ? (int)field - 1075 : -1074,
                    rounding, finite);
}
