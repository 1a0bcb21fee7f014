/* Draws an argument that is not a pointer: a size, a factor, a seed, a flag. */
#include "draw_parts.h"

#include <inttypes.h>
#include <math.h>

/* Whether the bytes are a float of usual magnitude. */
static bool is_float(const unsigned char *bytes, size_t size)
{
    return (size == 4 && is_usual(word_at(bytes, 0))) ||
           (size == 8 && abs((int)(word_at(bytes, 1) >> 20 & 0x7ff) - 1023) < 40);
}

static double read_float(const unsigned char *bytes, size_t size)
{
    float single;
    double value;
    if (size == 8)
        return *(double *)memcpy(&value, bytes, sizeof value);
    return (double)*(float *)memcpy(&single, bytes, sizeof single);
}

static void write_float(unsigned char *bytes, size_t size, double value)
{
    const float single = (float)value;
    memcpy(bytes, size == 8 ? (const void *)&value : &single, size);
}

/* Returns another float. Near 1 an epsilon matters, and most limits are met; of the last draw some values are so small
 * that it does as it is. */
static double other_float(uint64_t *state, enum draw_way way, bool last, double value)
{
    const double part = (double)below(state, 1 << 20) / (1 << 20);
    if ((way == DRAW_NARROWLY && !last) || value == 0)
        return copysign(0.25 + 0.75 * part, value);
    return value * (way <= DRAW_NARROWLY ? 0.5 + part / 2 : 1 + part);
}

/* Returns another magnitude of an integer. */
static uint64_t other_integer(uint64_t *state, enum draw_way way, uint64_t value, size_t size)
{
    uint64_t step = value & -value;
    if (value <= 1)
        return way == DRAW_BOLDLY ? !value : way == DRAW_NARROWLY ? 2 : 3;
    while (step > 1 && value / step < 3)
        step /= 2;
    const uint64_t off = step * (1 + below(state, value / 2 / step));
    if (way == DRAW_NARROWLY && (value & (value - 1)) == 0 && ((value - off) & (value - off - 1)) == 0 && value > 2)
        return value - step;                        /* a power of 2 becomes none */
    if (way == DRAW_BOLDLY && size == sizeof value) /* beyond 32 bits too */
        return value + off + ((1 + below(state, 1 << 8)) << 32);
    return way == DRAW_BOLDLY ? value + off : way == DRAW_NARROWLY ? value - off : step;
}

/* Returns what code may take for a case of its own: 0, 1, of floats the other sign, of integers 2 or the neighbour that
 * is odd or even. */
static double special(unsigned which, double value, bool is_float)
{
    return which < 3 ? which - 1.0 : is_float ? -value : value < 2 ? 2 : value + (fmod(value, 2) == 0 ? 1 : -1);
}

enum drawn_kind draw_scalar(const struct draw *draw, unsigned char *bytes, size_t size)
{
    uint64_t state = draw->seed, place = draw->place, value = 0;
    if (draw->way > DRAW_CALMLY || (size != 1 && size != 2 && size != 4 && size != 8))
        return DRAWN_SCALAR;
    memcpy(&value, bytes, size);
    if (is_float(bytes, size) || (value == 0 && size >= 4 && draw->way > DRAW_BOLDLY)) {
        const double was = read_float(bytes, size), far = 8 + (double)below(&state, 8);
        write_float(bytes, size,
                    draw->special      ? special(draw->special, was, true)
                    : !draw->far       ? other_float(&state, draw->way, draw->last, was)
                    : below(&place, 2) ? was * far
                                       : was / far); /* as it was tried */
        return DRAWN_FLOATS;
    }
    const bool negative = value >> (8 * size - 1);
    const uint64_t magnitude = negative ? -value & UINT64_MAX >> (64 - 8 * size) : value;
    const uint64_t other = draw->special ? (uint64_t)special(draw->special, (double)magnitude, false)
                           : draw->far && magnitude > 1
                               ? magnitude * (8 + below(&state, 8)) /* a limit that is seldom met */
                               : other_integer(&state, draw->way, magnitude, size);
    value = negative ? -other : other;
    memcpy(bytes, &value, size);
    return draw->way > DRAW_BOLDLY ? DRAWN_SIZE : DRAWN_SCALAR;
}

void drawn_value_text(char text[32], uint64_t value, uint64_t size)
{
    unsigned char bytes[sizeof value];
    memcpy(bytes, &value, sizeof value);
    if (is_float(bytes, size))
        snprintf(text, 32, "%g", read_float(bytes, size));
    else
        snprintf(text, 32, "%" PRId64, (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
}
