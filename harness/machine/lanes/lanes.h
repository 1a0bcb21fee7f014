/* lanes.h - for files of operations on 32 lanes. Each operation is a loop over lanes, which gcc and clang turn into
 * vector code. Such a file is compiled once for each kind of vector unit of a CPU, which VECTOR names. The best table
 * is chosen when the program starts.
 *
 * An operation computes all 32 lanes, even those that it does not write, so it must not trap on any value. A lane of a
 * row depends only on the same lane of others, so one loop may read and write the same row.
 *
 * A comment at an operation lists its operands in order, such as "d, a, b, p". The first are written: d is a row, p a
 * predicate. */
#pragma once

#include "flags.h"
#include "small_float.h"
#include "warpgroup.h"

#include "machine/block/block.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define LANES_PASTE2(a, b) a##_##b
#define LANES_PASTE(a, b) LANES_PASTE2(a, b)
/* The name of a file's table is made by TABLE: const struct opcode TABLE(lanes_integer)[] = {...}. */
#define TABLE(name) LANES_PASTE(name, VECTOR)

#if defined(__clang__)
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)
#endif

/* All ones if lane l is in the mask, otherwise 0. */
#define IN(mask) (0u - ((mask) >> l & 1))

/* Sets d[l] to value, for the lanes of the mask. The value is an expression of l. */
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

/* Writes 64-bit values in the same way: the lower word to d, the upper to h. */
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

/* Returns the mask of the lanes whose word is not 0. Compilers find no short way of their own. */
static inline uint32_t lanes_not_zero(const uint32_t *words)
{
#if defined(__AVX512F__)
    const __m512i low = _mm512_loadu_si512(words), high = _mm512_loadu_si512(words + LANES / 2);
    return _mm512_test_epi32_mask(low, low) | (uint32_t)_mm512_test_epi32_mask(high, high) << LANES / 2;
#elif defined(__AVX2__)
    uint32_t zero = 0;
    for (unsigned l = 0; l < LANES; l += 8) {
        const __m256i some = _mm256_loadu_si256((const __m256i *)(const void *)(words + l));
        const __m256i equal = _mm256_cmpeq_epi32(some, _mm256_setzero_si256());
        zero |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << l;
    }
    return ~zero;
#else
    uint32_t bits = 0;
    EACH_LANE bits |= (uint32_t)(words[l] != 0) << l;
    return bits;
#endif
}

/* Sets result to the mask of lanes for which the condition, an expression of l, holds. */
#define MASK_OF(result, condition)                                                                                     \
    do {                                                                                                               \
        uint32_t holds[LANES] __attribute__((aligned(64)));                                                            \
        EACH_LANE holds[l] = (condition) ? 1u : 0u;                                                                    \
        (result) = lanes_not_zero(holds);                                                                              \
    } while (0)

static inline uint64_t wide(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* Notes how many bytes each lane accesses, and whether their sign extends. */
static inline void prepare_width(struct instruction *code)
{
    static const unsigned char sizes[] = {4, 1, 1, 2, 2, 8, 16};
    const int place = modifier_among(code, "U8 S8 U16 S16 64 128") + 1;
    code->size = sizes[place];
    code->flags[FLAG_SIGN_EXTENDS] = place == 2 || place == 4;
}

/* A minus sign and bars change a word that holds a float, or the upper word of a double, to (word & KEEP) ^ FLIP. */
#define KEEP(n) (code->operands[n].absolute ? 0x7fffffffu : ALL_LANES)
#define FLIP(n) (code->operands[n].negate ? 0x80000000u : 0)
/* A minus sign or ~ changes an integer to (word ^ INVERT) + CARRY. */
#define INVERT(n) (code->operands[n].negate || code->operands[n].invert ? ALL_LANES : 0)
#define CARRY(n) (code->operands[n].negate ? 1u : 0)

/* The tables of these files, for opcode.c. */
VECTOR_TABLES(lanes_integer);
VECTOR_TABLES(lanes_bits);
VECTOR_TABLES(lanes_compare);
VECTOR_TABLES(lanes_float);
VECTOR_TABLES(lanes_half);
VECTOR_TABLES(lanes_convert);
VECTOR_TABLES(lanes_mufu);
VECTOR_TABLES(lanes_product);
VECTOR_TABLES(lanes_special);
extern const struct opcode warpgroup_opcodes[];
