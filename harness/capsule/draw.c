#include "draw.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 1 << 25, /* an integer is less than that in magnitude: as single precision it is less than 1e-37 */
    FEW = 64,        /* so many different words of 8 bytes at most are few, if each comes 4 times on average */
    LEAST = 4,       /* an array of fewer words is kept: it may be a length */
};

uint64_t draw_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns a number below `most`. */
static uint64_t below(uint64_t *state, uint64_t most)
{
    return draw_next(state) % most;
}

static uint32_t word_at(const unsigned char *bytes, size_t i)
{
    uint32_t word;
    memcpy(&word, bytes + 4 * i, sizeof word);
    return word;
}

static uint64_t long_at(const unsigned char *bytes, size_t i)
{
    uint64_t word;
    memcpy(&word, bytes + 8 * i, sizeof word);
    return word;
}

static uint16_t half_at(const unsigned char *bytes, size_t i)
{
    uint16_t half;
    memcpy(&half, bytes + 2 * i, sizeof half);
    return half;
}

/* ---- Kinds ---- */

static bool is_small(uint32_t word)
{
    return word < SMALL || word > -(uint32_t)SMALL;
}

/* Whether it is between 2^-40 and 2^40 in magnitude, as float32 or, in the upper half, as bfloat16. */
static bool is_usual(uint32_t word)
{
    const unsigned exponent = word >> 23 & 0xff;
    return exponent > 127 - 40 && exponent < 127 + 40;
}

/* Whether it is between 2^-12 and 2^12 in magnitude, as float16. */
static bool is_usual_half(uint16_t half)
{
    const unsigned exponent = half >> 10 & 0x1f;
    return exponent >= 15 - 12 && exponent <= 15 + 12;
}

static bool is_special(uint32_t word)
{
    return (word & 0x7f800000) == 0x7f800000;
}

/* Whether all but one of 16 values that are not 0 are usual in one of the ways of reading them. As float64 the upper
 * words are read, whose exponent has 3 bits more. */
static bool are_floats(const unsigned char *bytes, size_t words)
{
    size_t filled = 0, usual = 0, halves = 0, usual_halves = 0, doubles = 0, usual_doubles = 0;
    for (size_t i = 0; i < words; i++) {
        const uint32_t word = word_at(bytes, i);
        const unsigned exponent = word >> 20 & 0x7ff;
        filled += word != 0;
        usual += word != 0 && (is_usual(word) || is_special(word));
        doubles += i % 2 == 1 && word != 0;
        usual_doubles += i % 2 == 1 && exponent > 1023 - 40 && exponent < 1023 + 40;
        for (unsigned k = 0; k < 2; k++) {
            const uint16_t half = half_at(bytes, 2 * i + k);
            halves += half != 0;
            usual_halves += is_usual_half(half) || (half & 0x7fff) == 0x7c00;
        }
    }
    return usual * 16 >= filled * 15 || usual_halves * 16 >= halves * 15 ||
           (doubles > 0 && usual_doubles * 16 >= doubles * 15);
}

static enum drawn_kind kind_of(const struct draw *draw, const unsigned char *bytes, size_t size)
{
    bool zeros = true, small = true;
    for (size_t i = 0; i < size / 8; i++)
        if (draw->points && draw->points(draw->self, long_at(bytes, i)))
            return DRAWN_POINTERS;
    for (size_t i = 0; i < size / 4; i++) {
        zeros &= word_at(bytes, i) == 0;
        small &= is_small(word_at(bytes, i));
    }
    return zeros ? DRAWN_ZEROS : small ? DRAWN_INTEGERS : are_floats(bytes, size / 4) ? DRAWN_FLOATS : DRAWN_UNKNOWN;
}

/* Whether every second word only continues the sign of the one before: integers of 64 bits. */
static bool are_long(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i + 1 < size / 4; i += 2)
        if (word_at(bytes, i + 1) != ((int32_t)word_at(bytes, i) < 0 ? UINT32_MAX : 0))
            return false;
    return size % 8 == 0;
}

/* The zeros at the end may be no part of the array. */
static bool never_fall(const unsigned char *bytes, size_t count, size_t step)
{
    while (count > 1 && word_at(bytes, (count - 1) * step) == 0)
        count--;
    for (size_t i = 1; i < count; i++)
        if ((int32_t)word_at(bytes, i * step) < (int32_t)word_at(bytes, (i - 1) * step))
            return false;
    return true;
}

int compare_words(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool are_few(const unsigned char *bytes, size_t count)
{
    uint64_t found[FEW];
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = long_at(bytes, i);
        if (bsearch(&word, found, different, sizeof word, compare_words))
            continue;
        if (different == FEW || 4 * (different + 1) > count)
            return false;
        found[different++] = word;
        qsort(found, different, sizeof *found, compare_words);
    }
    return true;
}

/* ---- Drawing ---- */

/* Puts words of 4 or 8 bytes in another order, but for zeros at the end, which may be no part of the array. */
static void reorder(uint64_t *state, unsigned char *bytes, size_t count, size_t width)
{
    static const unsigned char zeros[8];
    while (count > 0 && memcmp(bytes + (count - 1) * width, zeros, width) == 0)
        count--;
    for (size_t i = count; i > 1; i--) {
        unsigned char kept[8], *a = bytes + (i - 1) * width, *b = bytes + below(state, i) * width;
        memcpy(kept, a, width);
        memcpy(a, b, width);
        memcpy(b, kept, width);
    }
}

static bool are_different(const unsigned char *bytes, size_t count, size_t width)
{
    uint64_t *words = x_calloc(count + 1, sizeof *words);
    bool different = true;
    for (size_t i = 0; i < count; i++)
        memcpy(&words[i], bytes + i * width, width);
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 1; i < count; i++)
        different &= words[i] != words[i - 1];
    free(words);
    return different;
}

/* Each word becomes one of those that were there, but for zeros at the end. */
static void replace(uint64_t *state, unsigned char *bytes, size_t count, size_t width)
{
    static const unsigned char zeros[8];
    unsigned char *before = x_calloc(count + 1, width);
    memcpy(before, bytes, count * width);
    while (count > 0 && memcmp(bytes + (count - 1) * width, zeros, width) == 0)
        count--;
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + i * width, before + below(state, count) * width, width);
    free(before);
}

/* Whether a half may take part: it is no 0, and no part of an infinity or a NaN of any type. */
static bool is_drawn(const unsigned char *bytes, size_t half)
{
    const uint16_t bits = half_at(bytes, half) & 0x7fff;
    return bits != 0 && bits != 0x7c00 && (bits & 0x7f80) != 0x7f80 && !is_special(word_at(bytes, half / 2));
}

/* Returns another half that has the same place in a word of 8 bytes. */
static size_t another(uint64_t *state, size_t halves, size_t i)
{
    return below(state, (halves - i % 4 + 3) / 4) * 4 + i % 4;
}

/* Whether halves of both signs have that place in the words of its span. */
static bool has_both_signs(const unsigned char *bytes, size_t halves, size_t i)
{
    const size_t from = i / (DRAW_SPAN / 2) * (DRAW_SPAN / 2) + i % 4, to = from + DRAW_SPAN / 2;
    unsigned signs = 0;
    for (size_t k = from; k < to && k < halves && signs != 3; k += 4)
        signs |= is_drawn(bytes, k) ? 1u << (half_at(bytes, k) >> 15) : 0;
    return signs == 3;
}

/* Each half becomes one between two of a sign. One of them is itself, or, where both signs are near it, any. */
static void draw_floats(uint64_t *state, unsigned char *bytes, size_t size)
{
    enum { TRIES = 8 };
    const size_t halves = size / 2;
    unsigned char *before = x_calloc(size, 1);
    memcpy(before, bytes, size);
    for (size_t i = 0; i < halves; i++) {
        const bool both = is_drawn(before, i) && has_both_signs(before, halves, i);
        for (unsigned t = 0; t < TRIES && is_drawn(before, i); t++) {
            const size_t first = both ? another(state, halves, i) : i, j = another(state, halves, i);
            const uint16_t one = half_at(before, first), other = half_at(before, j);
            if (!is_drawn(before, first) || !is_drawn(before, j) || ((one ^ other) & 0x8000))
                continue;
            const uint16_t least = one < other ? one : other, most = one < other ? other : one;
            const uint16_t drawn = (uint16_t)(least + below(state, (uint64_t)(most - least) + 1));
            memcpy(bytes + 2 * i, &drawn, sizeof drawn);
            break;
        }
    }
    free(before);
}

static bool are_alike(const unsigned char *bytes, size_t size)
{
    for (size_t at = 4; at + 4 <= size; at += 4)
        if (memcmp(bytes, bytes + at, 4) != 0)
            return false;
    return true;
}

/* Values become others near them, by the last bits of their mantissas: single-precision numbers that all have a short
 * mantissa by the bits behind it, others by two bits of each half. */
static void draw_near(uint64_t *state, unsigned char *bytes, size_t size)
{
    enum { SHORT = 8, HALF = 16 };
    uint32_t used = 1u << HALF;
    for (size_t i = 0; i < size / 4; i++) {
        const bool are_halves = half_at(bytes, 2 * i) != 0 && half_at(bytes, 2 * i) == half_at(bytes, 2 * i + 1);
        used |= are_halves ? 1 : word_at(bytes, i);
    }
    const int behind = __builtin_ctz(used);
    for (size_t i = 0; i < size / 4; i++) {
        uint32_t word = word_at(bytes, i), bits = 0;
        if (behind >= SHORT)
            bits = is_drawn(bytes, 2 * i + 1) ? (1u << behind) - 1 : 0;
        else
            bits = (is_drawn(bytes, 2 * i) ? 3 : 0) | (is_drawn(bytes, 2 * i + 1) ? 3u << HALF : 0);
        word ^= (uint32_t)draw_next(state) & bits;
        memcpy(bytes + 4 * i, &word, sizeof word);
    }
}

static enum drawn_kind draw_run(const struct draw *draw, uint64_t *state, enum drawn_kind kind, unsigned char *bytes,
                                size_t size)
{
    if (kind == DRAWN_INTEGERS) {
        const size_t width = are_long(bytes, size) ? 8 : 4;
        if (never_fall(bytes, size / width, width / 4))
            return DRAWN_OFFSETS;
        if (draw->integers && size / width >= LEAST)
            (draw->anew && !are_different(bytes, size / width, width) ? replace : reorder)(state, bytes, size / width,
                                                                                           width);
    } else if (kind == DRAWN_FLOATS && are_alike(bytes, size)) {
        draw_near(state, bytes, size);
    } else if (kind == DRAWN_FLOATS && are_few(bytes, size / 8)) {
        reorder(state, bytes, size / 8, 8);
        if (draw->rough)
            draw_near(state, bytes, size);
        return DRAWN_FEW;
    } else if (kind == DRAWN_FLOATS) {
        draw_floats(state, bytes, size);
        if (draw->rough)
            draw_near(state, bytes, size);
    }
    return kind;
}

/* Draws a run of spans of one kind, and counts what became another word. */
static void draw_spans(const struct draw *draw, uint64_t *state, enum drawn_kind kind, unsigned char *bytes,
                       size_t size, struct drawn *drawn)
{
    unsigned char *before = x_calloc(size + 1, 1);
    memcpy(before, bytes, size);
    drawn->bytes[draw_run(draw, state, kind, bytes, size)] += size;
    for (size_t i = 0; i < size / 4; i++) {
        drawn->changed += word_at(bytes, i) != word_at(before, i) ? 4 : 0;
        drawn->same += word_at(bytes, i) == word_at(before, i) && word_at(bytes, i) != 0 ? 4 : 0;
    }
    free(before);
}

void draw_array(const struct draw *draw, unsigned char *bytes, size_t size, struct drawn *drawn)
{
    uint64_t state = draw->seed;
    size_t from = 0;
    enum drawn_kind kind = DRAWN_ZEROS;
    for (size_t at = 0; at <= size; at += DRAW_SPAN) {
        const size_t length = size - at < DRAW_SPAN ? size - at : DRAW_SPAN;
        const enum drawn_kind next = at < size ? kind_of(draw, bytes + at, length) : DRAWN_KINDS;
        if (next == kind || next == DRAWN_ZEROS) /* zeros may be a part of what they follow */
            continue;
        draw_spans(draw, &state, kind, bytes + from, at - from, drawn);
        from = at;
        kind = next;
    }
    if (kind != DRAWN_KINDS)
        draw_spans(draw, &state, kind, bytes + from, size - from, drawn);
}
