#include "changes.h"

#include "machine/lanes/lanes.h"

static uint32_t float_sum(uint32_t a, uint32_t b)
{
    return of_float_canonical(to_float(a) + to_float(b));
}

static uint64_t double_sum(uint64_t a, uint64_t b)
{
    return of_double_canonical(to_double((uint32_t)a, (uint32_t)(a >> 32)) +
                               to_double((uint32_t)b, (uint32_t)(b >> 32)));
}

/* Adds two pairs of halves, or of bf16. The sum of two of them is exact enough as a float to be rounded once more. */
static uint32_t halves_sum(uint32_t a, uint32_t b, bool bf16)
{
    uint32_t sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        const uint32_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
        sum |= (bf16 ? bf16_of_float(bf16_to_float(x) + bf16_to_float(y)) & 0xffff
                     : half_of_float(half_to_float(x) + half_to_float(y)) & 0xffff)
               << shift;
    }
    return sum;
}

/* The lesser or the larger of two halves, or bf16. A NaN counts only if both are; of two zeros, -0 is less. */
static uint32_t half_choice(uint32_t x, uint32_t y, bool bf16, bool larger)
{
    const float a = bf16 ? bf16_to_float(x) : half_to_float(x), b = bf16 ? bf16_to_float(y) : half_to_float(y);
    if (a != a)
        return b != b ? NAN_16 : y;
    if (b != b)
        return x;
    const bool less = a < b || (a == b && (x & 0x8000));
    return less != larger ? x : y;
}

static uint32_t halves_choice(uint32_t a, uint32_t b, bool bf16, bool larger)
{
    return half_choice(a & 0xffff, b & 0xffff, bf16, larger) | half_choice(a >> 16, b >> 16, bf16, larger) << 16;
}

static uint64_t sum(enum number_kind number, uint64_t a, uint64_t b)
{
    switch (number) {
    case NUMBER_FLOAT:
        return float_sum((uint32_t)a, (uint32_t)b);
    case NUMBER_DOUBLE:
        return double_sum(a, b);
    case NUMBER_HALVES:
    case NUMBER_BF16S:
        return halves_sum((uint32_t)a, (uint32_t)b, number == NUMBER_BF16S);
    case NUMBER_UNSIGNED:
    case NUMBER_SIGNED:
        break;
    }
    return a + b;
}

static uint64_t choice(enum number_kind number, unsigned size, uint64_t old, uint64_t value, bool larger)
{
    const uint64_t flip = number != NUMBER_SIGNED ? 0 : UINT64_C(1) << (size * 8 - 1);
    if (number == NUMBER_HALVES || number == NUMBER_BF16S)
        return halves_choice((uint32_t)old, (uint32_t)value, number == NUMBER_BF16S, larger);
    const bool is_less = (value ^ flip)<(old ^ flip), is_more = (value ^ flip)>(old ^ flip);
    return (larger ? is_more : is_less) ? value : old;
}

uint64_t change_value(enum change_kind kind, enum number_kind number, unsigned size, uint64_t old, uint64_t value,
                      uint64_t swap)
{
    switch (kind) {
    case ATOMIC_ADD:
        return sum(number, old, value);
    case ATOMIC_MIN:
    case ATOMIC_MAX:
        return choice(number, size, old, value, kind == ATOMIC_MAX);
    case ATOMIC_INC:
        return old >= value ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > value ? value : old - 1;
    case ATOMIC_AND:
        return old & value;
    case ATOMIC_OR:
        return old | value;
    case ATOMIC_XOR:
        return old ^ value;
    case ATOMIC_EXCH:
        return value;
    case ATOMIC_CAS:
        return old == value ? swap : old;
    case ATOMIC_POPC:
        return old + 1;
    }
    return old;
}

void change_bytes(enum change_kind kind, enum number_kind number, unsigned size, unsigned char *place,
                  const unsigned char *values, uint64_t bytes)
{
    for (uint64_t at = 0; at + size <= bytes; at += size) {
        uint64_t old = 0, value = 0;
        memcpy(&old, place + at, size);
        memcpy(&value, values + at, size);
        const uint64_t changed = change_value(kind, number, size, old, value, 0);
        memcpy(place + at, &changed, size);
    }
}

/* Another thread may come between a load and the swap: then it is tried again. */
#define CHANGE(bits)                                                                                                   \
    do {                                                                                                               \
        uint##bits##_t *at = place, old = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                       \
        while (!__atomic_compare_exchange_n(at, &old,                                                                  \
                                            (uint##bits##_t)change_value(kind, number, size, old, value, swap), false, \
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                                       \
            continue;                                                                                                  \
        return old;                                                                                                    \
    } while (0)

uint64_t change_at_once(enum change_kind kind, enum number_kind number, unsigned size, void *place, uint64_t value,
                        uint64_t swap)
{
    if (size == 8)
        CHANGE(64);
    if (size == 4)
        CHANGE(32);
    CHANGE(16);
}
