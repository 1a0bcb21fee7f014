#include "draw_parts.h"

#include "base/base.h"

enum {
    SMALL = 1 << 25, /* an integer is less than that in magnitude: as single precision it is less than 1e-37 */
    FEW = 64,        /* so many different words of 8 bytes at most are few, if each comes 4 times on average */
};

static uint64_t long_at(const unsigned char *bytes, size_t i)
{
    uint64_t word;
    memcpy(&word, bytes + 8 * i, sizeof word);
    return word;
}

/* ---- Kinds ---- */

const char *drawn_kind_name(enum drawn_kind kind)
{
    static const char *const names[DRAWN_KINDS] = {"zeros",    "pointers",   "passed by value", "size",
                                                   "lengths",  "offsets",    "bytes",           "alike",
                                                   "integers", "few floats", "floats"};
    return names[kind];
}

static bool is_small(uint32_t word)
{
    return word < SMALL || word > -(uint32_t)SMALL;
}

/* Whether all but one of 16 values that are not 0 are usual in one of the ways of reading them. As float64 the upper
 * words are read, whose exponent has 3 bits more. Text would be halves. */
static bool are_floats(const unsigned char *bytes, size_t words)
{
    if (ALL(i, 4 * words, bytes[i] > 0 && bytes[i] < 0x80))
        return false;
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
    if (draw->points && ANY(i, size / 8, draw->points(draw->self, long_at(bytes, i))))
        return DRAWN_POINTERS;
    for (size_t i = 0; i < size / 4; i++) {
        zeros &= word_at(bytes, i) == 0;
        small &= is_small(word_at(bytes, i));
    }
    return zeros                                            ? DRAWN_ZEROS
           : small                                          ? DRAWN_INTEGERS
           : !draw->integers && are_floats(bytes, size / 4) ? DRAWN_FLOATS
                                                            : DRAWN_UNKNOWN;
}

/* The zeros at the end may be no part of the array. */
static bool never_fall(const unsigned char *bytes, size_t count, size_t step)
{
    while (count > 1 && word_at(bytes, (count - 1) * step) == 0)
        count--;
    return !ANY(i, count, i > 0 && (int32_t)word_at(bytes, i * step) < (int32_t)word_at(bytes, (i - 1) * step));
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
        SORT(found, different, compare_words);
    }
    return true;
}

/* Whether all words of 8 bytes are the same, and so those of less. */
static bool are_alike(const unsigned char *bytes, size_t size)
{
    return size <= 8 || memcmp(bytes, bytes + 8, size - 8) == 0;
}

/* How each kind is drawn: in the ways of enum draw_way. */
static void (*const ways[DRAWN_KINDS][DRAW_KEPT])(const struct run_of *run) = {
    [DRAWN_ZEROS] = {draw_zeros, NULL, draw_zeros},
    [DRAWN_OFFSETS] = {draw_offsets, draw_offsets, draw_offsets},
    [DRAWN_UNKNOWN] = {draw_bytes, draw_bytes, draw_bytes},
    [DRAWN_ALIKE] = {draw_alike, NULL, draw_alike},
    [DRAWN_INTEGERS] = {draw_integers, draw_integers, draw_integers, draw_integers},
    [DRAWN_FEW] = {draw_floats, NULL, draw_floats},
    [DRAWN_FLOATS] = {draw_floats, draw_floats, draw_floats, draw_bytes},
};

static enum drawn_kind kind_of_run(enum drawn_kind kind, const unsigned char *bytes, size_t size)
{
    const size_t width = draw_are_long(bytes, size) ? 8 : 4;
    if (kind == DRAWN_FLOATS)
        return !are_alike(bytes, size) && are_few(bytes, size / 8) ? DRAWN_FEW : DRAWN_FLOATS;
    if (kind != DRAWN_INTEGERS && kind != DRAWN_UNKNOWN)
        return kind;
    if (size / width < DRAW_LEAST)
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
    const struct run_of run = {.draw = draw, .state = state, .bytes = bytes, .size = size, .kind = kind};
    if (draw->nans > 0) {
        if (kind == DRAWN_FLOATS)
            draw_floats(&run);
        return kind;
    }
    const bool all = kind != DRAWN_ZEROS || draw->all_zeros;
    for (size_t at = 0; kind == DRAWN_LENGTHS && at + 4 <= size; at += 4)
        draw_scalar(&(struct draw){.seed = draw_next(state), .way = draw->way, .last = draw->last}, bytes + at, 4);
    if (draw->way < DRAW_KEPT && ways[kind][draw->way] && all)
        ways[kind][draw->way](&run);
    if ((kind == DRAWN_INTEGERS || kind == DRAWN_UNKNOWN) && draw->last && draw->way < DRAW_IN_BYTES)
        draw_rough_integers(&run);
    if ((kind == DRAWN_INTEGERS || kind == DRAWN_UNKNOWN) && draw->far)
        draw_far_integers(&run);
    return kind;
}

/* Every fourth part becomes as it was, but for two words of each span, that change places, or of floats are others:
 * code may take the result of what was there for that of what is. */
static void put_back(uint64_t *state, uint64_t place, bool floats, unsigned char *bytes, const unsigned char *before,
                     size_t size)
{
    enum { PARTS = 16, EVERY = 4, WORDS = DRAW_SPAN / 8 };
    const size_t part = (size / PARTS + DRAW_SPAN - 1) / DRAW_SPAN * DRAW_SPAN;
    for (size_t at = 0; at + DRAW_SPAN <= size; at += DRAW_SPAN) {
        const size_t one = at + 8 * below(state, WORDS), other = at + 8 * below(state, WORDS);
        if (at / part % EVERY != place % EVERY)
            continue;
        memcpy(bytes + at, before + at, DRAW_SPAN);
        memcpy(bytes + one, floats ? before + 8 * below(state, size / 8) : before + other, 8);
        memcpy(bytes + other, before + one, 8);
    }
}

enum drawn_kind draw_array(const struct draw *draw, unsigned char *bytes, size_t size)
{
    struct draw own = *draw;
    uint64_t state = draw->seed, sizes[DRAWN_KINDS] = {0};
    size_t from = 0;
    enum drawn_kind kind = DRAWN_ZEROS, most = DRAWN_ZEROS;
    OWNED_MEMORY unsigned char *before = x_calloc(size + 1, 1);
    memcpy(before, bytes, size);
    own.all_zeros = size > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
    for (size_t at = 0; at <= size; at += DRAW_SPAN) {
        const size_t length = size - at < DRAW_SPAN ? size - at : DRAW_SPAN;
        const enum drawn_kind next = at < size ? kind_of(draw, bytes + at, length) : DRAWN_KINDS;
        if (next == kind || next == DRAWN_ZEROS) /* zeros may be a part of what they follow */
            continue;
        if (kind == DRAWN_ZEROS && next != DRAWN_KINDS && 2 * at < size) { /* and a few of what follows them */
            kind = next;
            continue;
        }
        sizes[draw_run(&own, &state, kind, bytes + from, at - from)] += at - from;
        from = at;
        kind = next;
    }
    if (kind != DRAWN_KINDS)
        sizes[draw_run(&own, &state, kind, bytes + from, size - from)] += size - from;
    for (enum drawn_kind i = 0; i < DRAWN_KINDS; i++)
        most = sizes[i] > sizes[most] || most == DRAWN_ZEROS ? sizes[i] > 0 ? i : most : most;
    if (draw->stale && draw->way < DRAW_IN_BYTES && most != DRAWN_OFFSETS && !draw_has_order(before, size))
        put_back(&state, draw->place, most == DRAWN_FLOATS, bytes, before, size);
    return most;
}
