/* small_float.h - numbers of 8 and 16 bits, and rounding to them. Functions for loops over lanes have no branches, so
 * that compilers make vector code of them. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint32_t of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double to_double(uint32_t low, uint32_t high)
{
    const uint64_t bits = low | (uint64_t)high << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint64_t of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The words that the GPU gives for every NaN. */
#define NAN_16 0x7fffu /* half and bf16 */
#define NAN_32 0x7fffffffu
#define NAN_64 UINT64_C(0xfff8000000000000)
#define NAN_8 0x7fu

static inline uint32_t of_float_canonical(float value)
{
    return value == value ? of_float(value) : NAN_32;
}
static inline uint64_t of_double_canonical(double value)
{
    return value == value ? of_double(value) : NAN_64;
}

/* ---- To float: exact. Of the word only the lower 16 or 8 bits count ---- */

static inline float half_to_float(uint32_t word)
{
    const uint32_t magnitude = word & 0x7fff;
    /* The fraction is where a float has it, but the exponent is too small by 112. */
    uint32_t bits = of_float(to_float(magnitude << 13) * 0x1p112f);
    bits |= magnitude >= 0x7c00 ? 0x7f800000 : 0;
    return to_float(bits | (word & 0x8000) << 16);
}
static inline float bf16_to_float(uint32_t word)
{
    return to_float(word << 16);
}
static inline float e5m2_to_float(uint32_t word)
{
    return half_to_float(word << 8);
}
static inline float e4m3_to_float(uint32_t word)
{
    const float value = half_to_float((word & 0x7f) << 7 | (word & 0x80) << 8) * 256;
    return (word & 0x7f) == 0x7f ? to_float(NAN_32) : value;
}

/* ---- From float, to the nearest, ties to even ---- */

static inline uint32_t half_of_float(float value)
{
    const uint32_t bits = of_float(value);
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t capped = magnitude < 0x47800000 ? magnitude : 0x47800000; /* 2^16 becomes infinity */
    const uint32_t normal = ((capped + 0xfff + (capped >> 13 & 1)) >> 13) - (112 << 10);
    /* Below 2^-14 the last bit of a half is 2^-24, which is also the last bit of a float from 0.5 up. */
    const uint32_t small = of_float(to_float(capped) + 0.5f) - 0x3f000000;
    const uint32_t half = magnitude < 0x38800000 ? small : normal;
    return magnitude > 0x7f800000 ? NAN_16 : half | (bits >> 16 & 0x8000);
}
static inline uint32_t bf16_of_float(float value)
{
    const uint32_t bits = of_float(value);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffff) > 0x7f800000 ? NAN_16 : rounded;
}

/* Rounds a double to odd: if no float equals it, of the two floats around it the one whose last bit is 1 is taken.
 * Rounding that to a narrower format gives what rounding the double would give. */
static inline float float_to_odd(double value)
{
    const float near = (float)value;
    const uint32_t bits = of_float(near);
    const double back = (double)near;
    const uint32_t step = fabs(back) > fabs(value) ? UINT32_MAX : 1;
    return to_float(bits + ((back < value || back > value) && !(bits & 1) ? step : 0));
}

/* ---- Any rounding to any format: scalar code ---- */

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

enum format { F16, BF16, F32, F64, E4M3, E5M2, TF32 };

/* Rounds the number significand * 2^exponent. `finite`: a number that is too large becomes the largest finite one. */
uint64_t round_to(enum format name, bool negative, uint64_t significand, int exponent, enum rounding rounding,
                  bool finite);
uint64_t round_double(enum format name, double value, enum rounding rounding, bool finite);
