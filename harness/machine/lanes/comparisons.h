/* comparisons.h - what comparisons of integers, floats and halves have in common. */
#pragma once

#include "lanes.h"

/* The names of comparisons. The place of each is a number whose bits say when it holds: if a is less, equal or greater,
 * and if a or b is NaN. */
#define COMPARISONS "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T"
#define COMBINATIONS "AND OR XOR"

/* Notes a comparison, and how its result is combined with a predicate. False: there is none. */
static inline bool prepare_compare(struct instruction *code)
{
    const int compare = modifier_among(code, COMPARISONS), how = modifier_among(code, COMBINATIONS);
    code->flags[FLAG_COMPARE] = (unsigned char)compare;
    code->flags[FLAG_COMBINE] = how < 0 ? 0 : (unsigned char)how;
    return compare >= 0;
}

/* Sets result to the lanes in which numbers a and b, expressions of l, compare so. */
#define COMPARE(result, compare, a, b)                                                                                 \
    do {                                                                                                               \
        const uint32_t less = (compare)&1, equal = (compare)&2, greater = (compare)&4, unordered = (compare)&8;        \
        MASK_OF(result, (((a) < (b) ? less : 0) | ((a) == (b) ? equal : 0) | ((a) > (b) ? greater : 0) |               \
                         ((a) != (a) || (b) != (b) ? unordered : 0)) != 0);                                            \
    } while (0)

static inline uint32_t combine(const struct instruction *code, uint32_t a, uint32_t b)
{
    return code->flags[FLAG_COMBINE] == 0 ? a & b : code->flags[FLAG_COMBINE] == 1 ? a | b : a ^ b;
}

/* Of operands p0, p1, a, b, q: writes the result to p0 and its opposite to p1, both combined with q. */
static inline void compared(struct warp *warp, const struct instruction *code, uint32_t lanes, uint32_t result)
{
    const uint32_t other = predicate(warp, &code->operands[4]);
    predicate_set(warp, &code->operands[1], lanes, combine(code, ~result, other));
    predicate_set(warp, &code->operands[0], lanes, combine(code, result, other));
}
