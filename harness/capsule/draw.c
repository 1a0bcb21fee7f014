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

const char *drawn_kind_name(enum drawn_kind kind)
{
    static const char *const names[DRAWN_KINDS] = {"zeros", "pointers", "lengths",    "offsets", "bytes",
                                                   "alike", "integers", "few floats", "floats"};
    return names[kind];
}

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

static bool are_alike(const unsigned char *bytes, size_t size)
{
    for (size_t at = 4; at + 4 <= size; at += 4)
        if (memcmp(bytes, bytes + at, 4) != 0)
            return false;
    return true;
}

/* ---- Drawing ---- */

/* A run of spans of one kind, and how it is drawn. */
struct run_of {
    uint64_t *state;
    unsigned char *bytes;
    size_t size;
    bool bold, last, narrow;
    bool wide, halves; /* of floats: they are float64; of 16 bits each */
};

/* Returns the number of words of a width without the zeros at the end, which may be no part of the array. */
static size_t filled(const struct run_of *run, size_t width)
{
    static const unsigned char zeros[8];
    size_t count = run->size / width;
    while (count > 0 && memcmp(run->bytes + (count - 1) * width, zeros, width) == 0)
        count--;
    return count;
}

/* Puts words of 4 or 8 bytes in another order. */
static void reorder(const struct run_of *run, size_t width)
{
    for (size_t i = filled(run, width); i > 1; i--) {
        unsigned char kept[8], *a = run->bytes + (i - 1) * width, *b = run->bytes + below(run->state, i) * width;
        memcpy(kept, a, width);
        memcpy(a, b, width);
        memcpy(b, kept, width);
    }
}

/* Each word becomes one of those that were there: some come more than once. */
static void replace(const struct run_of *run, size_t width)
{
    const size_t count = filled(run, width);
    unsigned char *before = x_calloc(count + 1, width);
    memcpy(before, run->bytes, count * width);
    for (size_t i = 0; i < count; i++)
        memcpy(run->bytes + i * width, before + below(run->state, count) * width, width);
    free(before);
}

static size_t width_of(const struct run_of *run)
{
    return are_long(run->bytes, run->size) ? 8 : 4;
}

static void draw_integers(const struct run_of *run)
{
    (run->bold && run->last ? replace : reorder)(run, width_of(run));
}

/* Of bytes that are all as those of the first word some become 0: a mask of ones, lengths, zero points. */
static void draw_alike(const struct run_of *run)
{
    for (size_t i = 0; i < run->size; i++)
        if (below(run->state, 4) == 0)
            run->bytes[i] = 0;
}

/* The first and the last offset stay, and none falls. The differences change places, and before that some of those
 * that follow each other become one less and one more: rows that are all of a length are not. Carefully, offsets change
 * places, as what writes to each of them needs. */
static void draw_offsets(const struct run_of *run)
{
    const size_t width = width_of(run), count = filled(run, width);
    if (!run->bold) {
        reorder(run, width);
        return;
    }
    uint32_t *steps = x_calloc(count + 1, sizeof *steps);
    for (size_t i = 1; i < count; i++)
        steps[i - 1] = word_at(run->bytes, i * width / 4) - word_at(run->bytes, (i - 1) * width / 4);
    for (size_t i = 0; i + 2 < count; i += 2) {
        const bool moves = steps[i] > 0 && below(run->state, 2) == 0;
        steps[i] -= moves;
        steps[i + 1] += moves;
    }
    reorder(&(struct run_of){.state = run->state, .bytes = (unsigned char *)steps, .size = (count - 1) * 4}, 4);
    for (size_t i = 1; i + 1 < count; i++) {
        const uint32_t word = word_at(run->bytes, (i - 1) * width / 4) + steps[i - 1];
        memcpy(run->bytes + i * width, &word, sizeof word);
    }
    free(steps);
}

/* Each byte becomes another one that has the same place in a word of 8. Boldly some bytes of the last draw are any,
 * some words come twice, and others but for their lowest byte. */
static void draw_bytes(const struct run_of *run)
{
    enum { TWICE = 8, ANY = 64 };
    unsigned char *bytes = run->bytes;
    for (size_t i = run->size; i > 8; i--) {
        const size_t other = below(run->state, (i + 7) / 8) * 8 + (i - 1) % 8;
        const unsigned char kept = bytes[i - 1];
        bytes[i - 1] = bytes[other];
        bytes[other] = kept;
    }
    if (!run->bold || !run->last)
        return;
    for (size_t at = 8; at + 8 <= run->size; at += 8)
        if (below(run->state, TWICE) == 0) {
            const size_t lowest = below(run->state, 2);
            memcpy(bytes + at + lowest, bytes + at - 8 + lowest, 8 - lowest);
        }
    for (size_t at = 0; at < run->size; at++)
        if (below(run->state, ANY) == 0)
            bytes[at] = (unsigned char)draw_next(run->state);
}

/* What zeros are nobody knows: boldly each half is near 0.1 or 1, as a float of one of the types, and of any sign.
 * Carefully some words of 8 bytes are 1. */
static void draw_zeros(const struct run_of *run)
{
    for (size_t at = 0; at + 2 <= run->size; at += 2) {
        const uint64_t random = draw_next(run->state);
        const uint16_t half = (uint16_t)(run->bold ? 0x3d00 | (random & 0x80ff) : at % 8 == 0 ? random & 1 : 0);
        memcpy(run->bytes + at, &half, sizeof half);
    }
}

/* ---- Floats ---- */

enum { LANES = 4 }; /* halves of a word of 8 bytes */

/* Whether a half may take part: it is no 0, and no part of an infinity or a NaN of any type. */
static bool is_drawn(const unsigned char *bytes, size_t half)
{
    const uint16_t bits = half_at(bytes, half) & 0x7fff;
    return bits != 0 && bits != 0x7c00 && (bits & 0x7f80) != 0x7f80 && !is_special(word_at(bytes, half / 2));
}

/* Returns another half that has the same place in a word of 8 bytes. */
static size_t another(uint64_t *state, size_t halves, size_t i)
{
    return below(state, (halves - i % LANES + LANES - 1) / LANES) * LANES + i % LANES;
}

/* Whether halves of both signs have that place in the words of its span. */
static bool has_both_signs(const unsigned char *bytes, size_t halves, size_t i)
{
    const size_t from = i / (DRAW_SPAN / 2) * (DRAW_SPAN / 2) + i % LANES, to = from + DRAW_SPAN / 2;
    unsigned signs = 0;
    for (size_t k = from; k < to && k < halves && signs != 3; k += LANES)
        signs |= is_drawn(bytes, k) ? 1u << (half_at(bytes, k) >> 15) : 0;
    return signs == 3;
}

/* Whether the halves of a lane have an exponent: all but one of 16 are usual as bfloat16, or as float16, and hardly
 * more are 0 than in the last lane. */
static bool has_exponent(const unsigned char *bytes, size_t halves, size_t lane)
{
    size_t all = 0, last = 0, usual = 0, usual_halves = 0;
    for (size_t i = lane; i < halves; i += LANES) {
        all += is_drawn(bytes, i);
        last += i + LANES - 1 - lane < halves && is_drawn(bytes, i + LANES - 1 - lane);
        usual += is_drawn(bytes, i) && is_usual((uint32_t)half_at(bytes, i) << 16);
        usual_halves += is_drawn(bytes, i) && is_usual_half(half_at(bytes, i));
    }
    return (usual * 16 >= all * 15 || usual_halves * 16 >= all * 15) && all * 8 >= last * 7;
}

/* Returns a magnitude between two, as bits. */
static uint16_t between(uint64_t *state, uint16_t one, uint16_t other)
{
    const uint16_t least = one < other ? one : other, most = one < other ? other : one;
    return (uint16_t)(least + below(state, (uint64_t)(most - least) + 1));
}

/* Magnitudes that values are drawn near to: of each lane one for the array, and one for each span. So no statistic of
 * an array, or of a part of it, is what it was. */
struct anchors {
    uint16_t array[LANES], span[LANES];
    int shift[LANES]; /* by which magnitudes of the array are off, as bits */
};

static uint16_t magnitude_of_any(const struct run_of *run, const unsigned char *before, size_t lane)
{
    enum { TRIES = 8 };
    for (unsigned t = 0; t < TRIES && lane < run->size / 2; t++) {
        const size_t i = another(run->state, run->size / 2, lane);
        if (is_drawn(before, i))
            return half_at(before, i) & 0x7fff;
    }
    return 0;
}

static void begin_anchors(struct anchors *anchors, const struct run_of *run, const unsigned char *before)
{
    enum { MOST = 0x80 };                         /* of bfloat16 and float32 a factor of 2 */
    const int most = run->wide ? MOST / 8 : MOST; /* float64 has 3 more bits of exponent */
    for (size_t lane = 0; lane < LANES; lane++) {
        anchors->array[lane] = magnitude_of_any(run, before, lane);
        anchors->shift[lane] =
            lane % 2 == 1 || run->halves ? (int)below(run->state, (uint64_t)(2 * most) + 1) - most : 0;
    }
}

/* Each half becomes one between two magnitudes, of its own sign, or, where both signs are near it, of any. Boldly one
 * of these is its span's, and all are shifted. */
static void draw_floats(const struct run_of *run)
{
    uint64_t *state = run->state;
    const size_t halves = run->size / 2;
    unsigned char *before = x_calloc(run->size, 1);
    struct anchors anchors = {{0}, {0}, {0}};
    memcpy(before, run->bytes, run->size);
    if (run->bold)
        begin_anchors(&anchors, run, before);
    for (size_t i = 0; i < halves; i++) {
        const size_t lane = i % LANES;
        if (run->bold && i % (DRAW_SPAN / 2) < LANES)
            anchors.span[lane] = between(state, anchors.array[lane], magnitude_of_any(run, before, lane));
        if (!is_drawn(before, i))
            continue;
        const size_t first = has_both_signs(before, halves, i) ? another(state, halves, i) : i;
        const size_t second = another(state, halves, i);
        const uint16_t sign = half_at(before, is_drawn(before, first) ? first : i) & 0x8000;
        const uint16_t one = half_at(before, is_drawn(before, first) ? first : i) & 0x7fff;
        const uint16_t other = is_drawn(before, second) ? half_at(before, second) & 0x7fff : one;
        const uint16_t inside = between(state, anchors.span[lane] ? anchors.span[lane] : one, other);
        uint16_t drawn = (uint16_t)(sign | (inside + anchors.shift[lane]));
        memcpy(run->bytes + 2 * i, &drawn, sizeof drawn);
        if (!is_drawn(run->bytes, i)) {
            drawn = sign | inside;
            memcpy(run->bytes + 2 * i, &drawn, sizeof drawn);
        }
    }
    free(before);
}

/* Values become others near them, by the last bits of their mantissas: single-precision numbers that all have a short
 * mantissa by the bits behind it, others by two bits of each half. */
static void draw_near(const struct run_of *run)
{
    enum { SHORT = 8, HALF = 16 };
    uint32_t used = 1u << HALF;
    for (size_t i = 0; i < run->size / 4; i++) {
        const uint16_t low = half_at(run->bytes, 2 * i);
        used |= low != 0 && low == half_at(run->bytes, 2 * i + 1) ? 1 : word_at(run->bytes, i);
    }
    const int behind = __builtin_ctz(used);
    for (size_t i = 0; i < run->size / 4; i++) {
        uint32_t word = word_at(run->bytes, i), bits = 0;
        if (behind >= SHORT)
            bits = is_drawn(run->bytes, 2 * i + 1) ? (1u << behind) - 1 : 0;
        else
            bits = (is_drawn(run->bytes, 2 * i) ? 3 : 0) | (is_drawn(run->bytes, 2 * i + 1) ? 3u << HALF : 0);
        word ^= (uint32_t)draw_next(run->state) & bits;
        memcpy(run->bytes + 4 * i, &word, sizeof word);
    }
}

/* Makes the largest value of a span larger, as bfloat16 and float32 by 2^9. */
static void enlarge(const struct run_of *run, size_t at, size_t words)
{
    enum { LARGER = 0x480 };
    size_t half = at / 2 + LANES - 1;
    for (size_t i = half; i < at / 2 + LANES * words; i += LANES)
        if (is_drawn(run->bytes, i) && (half_at(run->bytes, i) & 0x7fff) > (half_at(run->bytes, half) & 0x7fff))
            half = i;
    if (words == 0 || !is_drawn(run->bytes, half))
        return;
    const uint16_t was = half_at(run->bytes, half), large = (uint16_t)(was + (run->wide ? LARGER / 8 : LARGER));
    memcpy(run->bytes + 2 * half, &large, sizeof large);
    if (!is_drawn(run->bytes, half) || ((was ^ large) & 0x8000))
        memcpy(run->bytes + 2 * half, &was, sizeof was);
}

/* A 16th of the spans are zeros of both signs, as rows of padding; elsewhere some values come twice in their span, and
 * in one span of 16, the first among them, one is large. */
static void draw_rare(const struct run_of *run)
{
    enum { TWICE = 16, SPANS = 16 };
    const size_t spans = run->size / DRAW_SPAN, step = run->halves ? 1 : run->wide ? 4 : 2;
    const size_t padding = spans < SPANS ? spans : 1 + below(run->state, spans - spans / SPANS);
    for (size_t at = 0, span = 0; at < run->size; at += DRAW_SPAN, span++) {
        const size_t words = (run->size - at < DRAW_SPAN ? run->size - at : DRAW_SPAN) / 8;
        const bool is_padding = span >= padding && span < padding + spans / SPANS;
        for (size_t i = at / 2; is_padding && i < at / 2 + LANES * words; i++) {
            const uint16_t sign = half_at(run->bytes, i) & (i % step == step - 1 ? 0x8000 : 0);
            memcpy(run->bytes + 2 * i, &sign, sizeof sign);
        }
        for (size_t i = 0; i < words; i++)
            if (below(run->state, TWICE) == 0)
                memmove(run->bytes + at + 8 * i, run->bytes + at + 8 * below(run->state, words), 8);
        if (!run->narrow && (at == 0 || below(run->state, SPANS) == 0))
            enlarge(run, at, words);
    }
}

static float float_at(const unsigned char *bytes, size_t i)
{
    float value;
    memcpy(&value, bytes + 4 * i, sizeof value);
    return value;
}

static int compare_floats(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Returns 1 where values of single precision rise, -1 where they fall, else 0. */
static int direction(const unsigned char *bytes, size_t count)
{
    bool rise = count >= LEAST, fall = count >= LEAST;
    for (size_t i = 1; i < count && (rise || fall); i++) {
        rise &= float_at(bytes, i - 1) <= float_at(bytes, i);
        fall &= float_at(bytes, i - 1) >= float_at(bytes, i);
    }
    return rise && !fall ? 1 : fall && !rise ? -1 : 0;
}

/* Returns the side of a symmetric matrix of words; 0: it is none. */
static size_t side_of(const unsigned char *bytes, size_t words)
{
    size_t side = 0;
    while (side * side < words)
        side++;
    bool symmetric = side >= LEAST && side * side == words;
    for (size_t i = 0; i < side && symmetric; i++)
        for (size_t k = 0; k < i && symmetric; k++)
            symmetric = word_at(bytes, i * side + k) == word_at(bytes, k * side + i);
    return symmetric ? side : 0;
}

/* What was in order, or symmetric, is so again: code may search in it, or read columns for rows. */
static void draw_in_form(const struct run_of *of, bool few)
{
    struct run_of own = *of;
    const struct run_of *run = &own;
    const size_t words = filled(run, 4), side = side_of(run->bytes, words);
    own.wide = !has_exponent(run->bytes, run->size / 2, 1);
    own.halves = has_exponent(run->bytes, run->size / 2, 0);
    const int order = direction(run->bytes, words);
    if (few)
        reorder(run, 8);
    else
        draw_floats(run);
    if (run->last)
        draw_near(run);
    if (run->bold && run->last && !few)
        draw_rare(run);
    if (order)
        qsort(run->bytes, words, 4, compare_floats);
    for (size_t i = 0; order < 0 && i < words / 2; i++) {
        unsigned char kept[4], *a = run->bytes + 4 * i, *b = run->bytes + 4 * (words - 1 - i);
        memcpy(kept, a, 4);
        memcpy(a, b, 4);
        memcpy(b, kept, 4);
    }
    for (size_t i = 0; i < side; i++)
        for (size_t k = 0; k < i; k++)
            memcpy(run->bytes + 4 * (k * side + i), run->bytes + 4 * (i * side + k), 4);
}

static void draw_values(const struct run_of *run)
{
    draw_in_form(run, false);
}

static void draw_few(const struct run_of *run)
{
    draw_in_form(run, true);
}

/* How each kind is drawn: in the ways of enum draw_way. */
static void (*const ways[DRAWN_KINDS][DRAW_KEPT])(const struct run_of *run) = {
    [DRAWN_ZEROS] = {draw_zeros, NULL, draw_zeros},
    [DRAWN_OFFSETS] = {draw_offsets, NULL, draw_offsets},
    [DRAWN_UNKNOWN] = {draw_bytes, NULL, draw_bytes},
    [DRAWN_ALIKE] = {draw_alike, NULL, draw_alike},
    [DRAWN_INTEGERS] = {draw_integers, NULL, draw_integers},
    [DRAWN_FEW] = {draw_few, NULL, draw_few},
    [DRAWN_FLOATS] = {draw_values, draw_values, draw_values, draw_bytes},
};

static enum drawn_kind kind_of_run(enum drawn_kind kind, const unsigned char *bytes, size_t size)
{
    const size_t width = are_long(bytes, size) ? 8 : 4;
    if (kind == DRAWN_FLOATS)
        return !are_alike(bytes, size) && are_few(bytes, size / 8) ? DRAWN_FEW : DRAWN_FLOATS;
    if (kind != DRAWN_INTEGERS && kind != DRAWN_UNKNOWN)
        return kind;
    if (size / width < LEAST)
        return DRAWN_LENGTHS;
    if (are_alike(bytes, size))
        return DRAWN_ALIKE;
    return kind == DRAWN_INTEGERS && never_fall(bytes, size / width, width / 4) ? DRAWN_OFFSETS : kind;
}

/* Draws a run of spans of one kind. Returns the kind. */
static enum drawn_kind draw_run(const struct draw *draw, uint64_t *state, enum drawn_kind of_spans,
                                unsigned char *bytes, size_t size)
{
    const enum drawn_kind kind = kind_of_run(of_spans, bytes, size);
    const struct run_of run = {
        state, bytes, size, draw->way <= DRAW_NARROWLY, draw->last, draw->narrow || draw->way == DRAW_NARROWLY,
        false, false};
    const bool all = kind != DRAWN_ZEROS || draw->all_zeros;
    if (draw->way < DRAW_KEPT && ways[kind][draw->way] && all)
        ways[kind][draw->way](&run);
    return kind;
}

enum drawn_kind draw_array(const struct draw *draw, unsigned char *bytes, size_t size)
{
    struct draw own = *draw;
    uint64_t state = draw->seed, sizes[DRAWN_KINDS] = {0};
    size_t from = 0;
    enum drawn_kind kind = DRAWN_ZEROS, most = DRAWN_ZEROS;
    own.all_zeros = size > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
    for (size_t at = 0; at <= size; at += DRAW_SPAN) {
        const size_t length = size - at < DRAW_SPAN ? size - at : DRAW_SPAN;
        const enum drawn_kind next = at < size ? kind_of(draw, bytes + at, length) : DRAWN_KINDS;
        if (next == kind || next == DRAWN_ZEROS) /* zeros may be a part of what they follow */
            continue;
        sizes[draw_run(&own, &state, kind, bytes + from, at - from)] += at - from;
        from = at;
        kind = next;
    }
    if (kind != DRAWN_KINDS)
        sizes[draw_run(&own, &state, kind, bytes + from, size - from)] += size - from;
    for (enum drawn_kind i = 0; i < DRAWN_KINDS; i++)
        most = sizes[i] > sizes[most] || most == DRAWN_ZEROS ? sizes[i] > 0 ? i : most : most;
    return most;
}
