/* decode_constants.h - turns immediates that are written as decimals into their bits. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(double value)
{
    if (value != value)
        return signbit(value) ? 0xffffffffu : 0x7fffffffu;
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static inline uint32_t double_upper(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)(bits >> 32);
}

/* Returns the bits of a half-precision number; the value has to be one. */
static inline uint32_t half_bits(double value)
{
    const uint32_t sign = signbit(value) ? 0x8000u : 0;
    if (value != value)
        return sign | 0x7fff;
    value = fabs(value);
    if (value == 0)
        return sign;
    if (value > 65504)
        return sign | 0x7c00;
    int exponent;
    const double fraction = frexp(value, &exponent); /* in [0.5, 1) */
    if (exponent < -13)
        return sign | (uint32_t)lround(value * 0x1p24);
    return sign | (((uint32_t)(exponent + 14) << 10) + ((uint32_t)lround(fraction * 2048) - 1024));
}
