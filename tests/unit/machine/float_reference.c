#include "float_reference.h"

#include <fenv.h>

static const struct {
    int exponent_bits, fraction_bits;
    bool infinity;
} shapes[] = {[F16] = {5, 10, true},  [BF16] = {8, 7, true}, [F32] = {8, 23, true}, [F64] = {11, 52, true},
              [E4M3] = {4, 3, false}, [E5M2] = {5, 2, true}, [TF32] = {8, 10, true}};

double reference_value(enum format format, uint64_t bits)
{
    const int fraction_bits = shapes[format].fraction_bits, exponent_bits = shapes[format].exponent_bits;
    if (format == TF32)
        bits >>= 13;
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    const int highest = (1 << exponent_bits) - 1, field = (int)(bits >> fraction_bits) & highest;
    const double sign = bits >> (fraction_bits + exponent_bits) & 1 ? -1 : 1;
    if (field == highest && shapes[format].infinity)
        return fraction ? NAN : sign * INFINITY;
    if (field == highest && fraction == (UINT64_C(1) << fraction_bits) - 1)
        return NAN;
    const int last = (field ? field : 1) - highest / 2 - fraction_bits;
    return sign * ldexp((double)fraction + (field ? ldexp(1, fraction_bits) : 0), last);
}

int reference_mode(enum rounding rounding)
{
    return rounding == ROUND_ZERO   ? FE_TOWARDZERO
           : rounding == ROUND_DOWN ? FE_DOWNWARD
           : rounding == ROUND_UP   ? FE_UPWARD
                                    : FE_TONEAREST;
}

double reference_rounded(enum format format, double value, enum rounding rounding, bool finite)
{
    if (value != value || value == 0)
        return value;
    const int lowest = 2 - (1 << (shapes[format].exponent_bits - 1)); /* exponent of the smallest normal number */
    const int highest = shapes[format].infinity ? 1 - lowest : 2 - lowest;
    const int exponent = isinf(value) ? highest : ilogb(value) > lowest ? ilogb(value) : lowest;
    const int last = exponent - shapes[format].fraction_bits;
    const double most = shapes[format].infinity ? ldexp(2 - ldexp(1, -shapes[format].fraction_bits), highest) : 448;
    fesetround(reference_mode(rounding));
    /* The value is scaled in two steps, since 2^-last may be too large for a double. */
    volatile double scaled = ldexp(ldexp(value, -last / 2), -last + last / 2);
    scaled = nearbyint(scaled);
    fesetround(FE_TONEAREST);
    const double rounded = isinf(value) ? value : copysign(ldexp(scaled, last), value);
    if (fabs(rounded) <= most)
        return rounded;
    const bool inwards =
        rounding == ROUND_ZERO || (rounding == ROUND_DOWN && value > 0) || (rounding == ROUND_UP && value < 0);
    if (finite || (inwards && !isinf(value)))
        return copysign(most, value);
    return shapes[format].infinity ? copysign(INFINITY, value) : NAN;
}

double reference_fused(double a, double b, double c)
{
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_INEXACT);
    volatile double x = a, y = b, z = c;
    volatile double sum = fma(x, y, z);
    const bool exact = !fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    /* The result is -0 only where all of it is -0, as when rounding to the nearest. */
    double result = exact ? fma(x, y, z) : sum;
    if (!exact) {
        uint64_t bits;
        memcpy(&bits, &result, sizeof bits);
        bits |= 1;
        memcpy(&result, &bits, sizeof bits);
    }
    return result;
}

bool reference_same(double a, double b)
{
    return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}
