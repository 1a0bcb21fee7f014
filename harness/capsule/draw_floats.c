/* Draws floats of all types, half by half. */
#include "draw_parts.h"

#include "base/base.h"

enum { LANES = 4 }; /* halves of a word of 8 bytes */

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
        signs |= may_change(bytes, k) ? 1u << (half_at(bytes, k) >> 15) : 0;
    return signs == 3;
}

/* Whether the halves of a lane have an exponent: all but one of 16 are usual as bfloat16, or as float16, and hardly
 * more are 0 than in the last lane. */
static bool has_exponent(const unsigned char *bytes, size_t halves, size_t lane)
{
    size_t all = 0, last = 0, usual = 0, usual_halves = 0;
    for (size_t i = lane; i < halves; i += LANES) {
        all += may_change(bytes, i);
        last += i + LANES - 1 - lane < halves && may_change(bytes, i + LANES - 1 - lane);
        usual += may_change(bytes, i) && is_usual((uint32_t)half_at(bytes, i) << 16);
        usual_halves += may_change(bytes, i) && is_usual_half(half_at(bytes, i));
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
        if (may_change(before, i))
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
static void draw_between(const struct run_of *run)
{
    uint64_t *state = run->state;
    const size_t halves = run->size / 2;
    OWNED_MEMORY unsigned char *before = x_calloc(run->size, 1);
    struct anchors anchors = {{0}, {0}, {0}};
    memcpy(before, run->bytes, run->size);
    if ((run->draw->way <= DRAW_NARROWLY))
        begin_anchors(&anchors, run, before);
    for (size_t i = 0; i < halves; i++) {
        const size_t lane = i % LANES;
        if ((run->draw->way <= DRAW_NARROWLY) && i % (DRAW_SPAN / 2) < LANES)
            anchors.span[lane] = between(state, anchors.array[lane], magnitude_of_any(run, before, lane));
        if (!may_change(before, i))
            continue;
        const size_t first = has_both_signs(before, halves, i) ? another(state, halves, i) : i;
        const size_t second = another(state, halves, i);
        const uint16_t sign = half_at(before, may_change(before, first) ? first : i) & 0x8000;
        const uint16_t one = half_at(before, may_change(before, first) ? first : i) & 0x7fff;
        const uint16_t other = may_change(before, second) ? half_at(before, second) & 0x7fff : one;
        const uint16_t inside = between(state, anchors.span[lane] ? anchors.span[lane] : one, other);
        uint16_t drawn = (uint16_t)(sign | (inside + anchors.shift[lane]));
        memcpy(run->bytes + 2 * i, &drawn, sizeof drawn);
        if (!may_change(run->bytes, i)) {
            drawn = sign | inside;
            memcpy(run->bytes + 2 * i, &drawn, sizeof drawn);
        }
    }
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
            bits = may_change(run->bytes, 2 * i + 1) ? (1u << behind) - 1 : 0;
        else
            bits = (may_change(run->bytes, 2 * i) ? 3 : 0) | (may_change(run->bytes, 2 * i + 1) ? 3u << HALF : 0);
        word ^= (uint32_t)draw_next(run->state) & bits;
        memcpy(run->bytes + 4 * i, &word, sizeof word);
    }
}

static float float_at(const unsigned char *bytes, size_t i)
{
    float value;
    memcpy(&value, bytes + 4 * i, sizeof value);
    return value;
}

ORDER_OF(compare_floats, float)

/* Returns 1 where values of single precision rise, -1 where they fall, else 0. */
static int direction(const unsigned char *bytes, size_t count)
{
    bool rise = count >= DRAW_LEAST, fall = count >= DRAW_LEAST;
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
    bool symmetric = side >= DRAW_LEAST && side * side == words;
    for (size_t i = 0; i < side && symmetric; i++)
        for (size_t k = 0; k < i && symmetric; k++)
            symmetric = word_at(bytes, i * side + k) == word_at(bytes, k * side + i);
    return symmetric ? side : 0;
}

/* One eighth becomes one value, and the next 16 bytes again and again: rows that are the same but for what belongs to
 * them elsewhere. */
static void repeat(const struct run_of *run)
{
    const size_t eighth = run->size / 8 / 16 * 16, width = run->halves ? 2 : run->wide ? 8 : 4;
    for (size_t i = 2 * eighth; i < 4 * eighth; i++)
        run->bytes[i] = run->bytes[i < 3 * eighth ? 2 * eighth + i % width : 3 * eighth + i % 16];
}

void draw_related(enum drawn_kind kind, unsigned char *bytes, const unsigned char *others, size_t size,
                  const uint64_t *pattern)
{
    static const size_t lengths[] = {16, 32, 64, DRAW_SPAN / 2};
    const size_t length = pattern ? lengths[*pattern / 2 % ARRAY_SIZE(lengths)] : 0;
    bool signs[LANES] = {false}, both[LANES] = {false};
    for (size_t i = 0; i < LANES && kind == DRAWN_FLOATS; i++) {
        signs[i] = has_exponent(bytes, size / 2, i);
        both[i] = signs[i] && has_both_signs(bytes, size / 2, i);
    }
    for (size_t i = 0; i + 2 <= size; i += 2) {
        const size_t lane = i / 2 % LANES, stretch = length > 0 ? i / length : 0;
        const bool opposes = length > 0 && (*pattern % 2 ? stretch % 4 == 1 : stretch % 2 == 0);
        const uint16_t own = half_at(bytes, i / 2);
        uint16_t half = half_at(others, i / 2);
        if (kind == DRAWN_UNKNOWN)
            half ^= opposes ? 0x8080 : 0;
        else if (signs[lane])
            half = both[lane] ? half ^ (opposes ? 0x8000 : 0) : (half & 0x7fff) | (own & 0x8000);
        memcpy(bytes + i, &half, sizeof half);
    }
}

bool draw_has_order(const unsigned char *bytes, size_t size)
{
    return direction(bytes, size / 4) != 0 || side_of(bytes, size / 4) > 0;
}

static bool are_halves(const unsigned char *bytes, size_t size)
{
    return has_exponent(bytes, size / 2, 0) && has_exponent(bytes, size / 2, 2);
}

void draw_nudged(uint64_t seed, unsigned by, unsigned char *bytes, const unsigned char *captured, size_t size)
{
    enum { PARTS = 8 };
    const size_t width = has_exponent(captured, size / 2, 1) ? 4 : 8, most = are_halves(captured, size) ? 0 : size;
    for (size_t at = 0; at + width <= most; at += width) {
        const uint64_t moved = by * (PARTS / 2 + below(&seed, PARTS / 2 + 1)) / PARTS;
        uint64_t word = 0;
        memcpy(&word, bytes + at, width);
        word = below(&seed, 2) ? word - moved : word + moved;
        if (is_usual(word_at(bytes, (at + width) / 4 - 1)))
            memcpy(bytes + at, &word, width);
    }
}

/* What was in order, or symmetric, is so again: code may search in it, or read columns for rows. */
void draw_floats(const struct run_of *run)
{
    const bool few = run->kind == DRAWN_FEW;
    struct run_of own = *run;
    run = &own;
    const size_t words = draw_filled(run, 4), side = side_of(run->bytes, words);
    own.wide = !has_exponent(run->bytes, run->size / 2, 1);
    own.halves = are_halves(run->bytes, run->size);
    const int order = direction(run->bytes, words);
    if (run->draw->nans > 0) {
        if (order == 0 && side == 0) /* code may search in it */
            draw_nans(run);
        return;
    }
    if (few)
        draw_reordered(run, 8);
    else
        draw_between(run);
    if (run->draw->last)
        draw_near(run);
    if ((run->draw->way <= DRAW_NARROWLY) && run->draw->last && !few)
        draw_rough_floats(run);
    if (run->draw->way == DRAW_BOLDLY && !run->draw->last && !few)
        repeat(run);
    if (run->draw->far && !few)
        draw_far_floats(run);
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
