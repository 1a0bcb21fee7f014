/* hopper_numbers.h - the elements of matrices in tests/sim/hopper.cu whose sums are not exact: bits of numbers of every
 * kind. */
#ifndef HOPPER_NUMBERS_H
#define HOPPER_NUMBERS_H

#include <stdint.h>

enum { REGIMES = 8 };

static __device__ inline uint32_t hopper_hash(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b9u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

/* Returns an exponent field: `spread` around the bias at most, and no infinity. */
static __device__ inline uint32_t hopper_near(uint32_t h, uint32_t most, int spread)
{
    int field = (int)(most / 2) + (int)(h % (uint32_t)(2 * spread + 1)) - spread;
    if (field < 0)
        field = 0;
    return (uint32_t)(field >= (int)most ? (int)most - 1 : field);
}

/* Returns the bits of a number of `exponents` bits of exponent and `fraction` bits of fraction. Regimes: 0 exponents
 * that are close, 1 that are apart, 2 all, 3 subnormal and small numbers, 4 zeros among them, 5 nearly equal, 6 also
 * infinities and NaNs, 7 far apart. */
static __device__ inline uint32_t hopper_number(int exponents, int fraction, int regime, uint32_t h)
{
    const uint32_t most = (1u << exponents) - 1, bits = hopper_hash(h, 77), choice = hopper_hash(h, 78);
    uint32_t field = hopper_near(choice, most, 3), part = bits & ((1u << fraction) - 1);
    if (regime == 1)
        field = hopper_near(choice, most, 8);
    if (regime == 2)
        field = choice % most;
    if (regime == 3)
        field = choice % 4;
    if (regime == 4)
        field = choice % 3 == 0 ? 0 : hopper_near(choice >> 4, most, 9);
    if (regime == 4 && choice % 3 == 0)
        part = choice >> 20 & 7 ? 0 : part;
    if (regime == 5)
        field = most / 2 + (choice & 1);
    if (regime == 6)
        field = choice % 101 == 0 ? most : hopper_near(choice >> 4, most, 5);
    if (regime == 6 && choice % 202 == 0)
        part = 0;
    if (regime == 7)
        field = hopper_near(choice, most, 30);
    return (bits >> 31) << (exponents + fraction) | field << fraction | part;
}

#endif
