/* lanes.h - how an operation on 32 lanes is written: a loop over lanes, which gcc and clang turn into vector code.
 * Files that include it are compiled once for each kind of vector unit (VECTOR names it), and the table of the best is
 * taken when the program starts.
 *
 * An operation computes all 32 lanes, also those that are not to be written: so it must not trap on any value. The
 * lanes of a row depend on the same lane of others only, so a row may be read and written by one loop. */
#ifndef LANES_H
#define LANES_H

#include "machine.h"

#include <string.h>

#define LANES_PASTE2(a, b) a##_##b
#define LANES_PASTE(a, b) LANES_PASTE2(a, b)
/* The file's table: const struct opcode TABLE(lanes_integer)[] = {...}. */
#define TABLE(name) LANES_PASTE(name, VECTOR)

#if defined(__clang__)
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)
#endif

/* Whether lane l is one of the mask, as 0 or all ones. */
#define IN(mask) (0u - ((mask) >> l & 1))

/* d[l] = value of the lanes; the value is written with l. */
#define WRITE_LANES(d, lanes, value)                                                                                   \
    do {                                                                                                               \
        uint32_t *const to = (d);                                                                                      \
        if ((lanes) == ALL_LANES)                                                                                      \
            EACH_LANE to[l] = (value);                                                                                 \
        else                                                                                                           \
            EACH_LANE                                                                                                  \
            {                                                                                                          \
                const uint32_t new_value = (value), old_value = to[l];                                                 \
                to[l] = (lanes) >> l & 1 ? new_value : old_value;                                                      \
            }                                                                                                          \
    } while (0)

/* The same of 64 bits: the lower word to d, the upper to h. */
#define WRITE_WIDE(d, h, lanes, value)                                                                                 \
    do {                                                                                                               \
        uint32_t *const to = (d), *const above = (h);                                                                  \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            const uint64_t new_value = (value);                                                                        \
            const uint32_t old_low = to[l], old_high = above[l];                                                       \
            to[l] = (lanes) >> l & 1 ? (uint32_t)new_value : old_low;                                                  \
            above[l] = (lanes) >> l & 1 ? (uint32_t)(new_value >> 32) : old_high;                                      \
        }                                                                                                              \
    } while (0)

/* The mask of the lanes where a condition, written with l, holds. */
#define MASK_OF(result, condition)                                                                                     \
    do {                                                                                                               \
        uint32_t bits = 0;                                                                                             \
        EACH_LANE bits |= (condition) ? 1u << l : 0;                                                                   \
        (result) = bits;                                                                                               \
    } while (0)

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
static inline uint64_t wide(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* What - and || make of a word that holds a float, or of the upper word of a double: (word & keep) ^ flip. */
#define KEEP(n) (code->operands[n].absolute ? 0x7fffffffu : ALL_LANES)
#define FLIP(n) (code->operands[n].negate ? 0x80000000u : 0)
/* What - and ~ make of an integer: (word ^ flip) + carry. */
#define INVERT(n) (code->operands[n].negate || code->operands[n].invert ? ALL_LANES : 0)
#define CARRY(n) (code->operands[n].negate ? 1u : 0)

#endif
