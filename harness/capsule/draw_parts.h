/* draw_parts.h - shared by the files that draw. */
#pragma once

#include "draw.h"

enum { DRAW_LEAST = 4 }; /* an array of fewer words is kept: it may be a length */

/* Returns a number below `most`. */
static inline uint64_t below(uint64_t *state, uint64_t most)
{
    return draw_next(state) % most;
}

static inline uint32_t word_at(const unsigned char *bytes, size_t i)
{
    uint32_t word;
    memcpy(&word, bytes + 4 * i, sizeof word);
    return word;
}

static inline uint16_t half_at(const unsigned char *bytes, size_t i)
{
    uint16_t half;
    memcpy(&half, bytes + 2 * i, sizeof half);
    return half;
}

/* Whether it is between 2^-40 and 2^40 in magnitude, as float32 or, in the upper half, as bfloat16. */
static inline bool is_usual(uint32_t word)
{
    const unsigned exponent = word >> 23 & 0xff;
    return exponent > 127 - 40 && exponent < 127 + 40;
}

/* Whether it is between 2^-12 and 2^12 in magnitude, as float16. */
static inline bool is_usual_half(uint16_t half)
{
    const unsigned exponent = half >> 10 & 0x1f;
    return exponent >= 15 - 12 && exponent <= 15 + 12;
}

static inline bool is_special(uint32_t word)
{
    return (word & 0x7f800000) == 0x7f800000;
}

/* Whether a half of floats may change: it is no 0, and no part of an infinity or a NaN of any type. */
static inline bool may_change(const unsigned char *bytes, size_t half)
{
    const uint16_t bits = half_at(bytes, half) & 0x7fff;
    return bits != 0 && bits != 0x7c00 && (bits & 0x7f80) != 0x7f80 && !is_special(word_at(bytes, half / 2));
}

/* A run of spans of one kind, and how it is drawn. */
struct run_of {
    const struct draw *draw;
    uint64_t *state;
    unsigned char *bytes;
    size_t size;
    enum drawn_kind kind;
    bool wide, halves; /* of floats: they are float64; of 16 bits each */
};

/* ---- draw_words.c ---- */

/* Returns the number of words of a width without zeros at the end that are more than half: they may be no part of the
 * array. */
size_t draw_filled(const struct run_of *run, size_t width);
void draw_reordered(const struct run_of *run, size_t width); /* puts words of 4 or 8 bytes in another order */

/* Whether every second word only continues the sign of the one before: integers of 64 bits. */
bool draw_are_long(const unsigned char *bytes, size_t size);

void draw_integers(const struct run_of *run);
void draw_alike(const struct run_of *run);
void draw_offsets(const struct run_of *run);
void draw_bytes(const struct run_of *run);
void draw_zeros(const struct run_of *run);

/* ---- draw_rough.c ---- */

enum drawn_width { WIDTH_BYTES = 1, WIDTH_HALVES = 2, WIDTH_WORDS = 4, WIDTH_LONG = 8 };
/* Gives parts of a run what is rare, or what a result hardly depends on: each kind of it a 16th, all runs at the same
 * place. */
void draw_rough_floats(const struct run_of *run);
void draw_rough_integers(const struct run_of *run); /* and of bytes */
/* Replaces most of a run by few values, so that ties are frequent, at and next to what the code compares with. */
void draw_far_floats(const struct run_of *run);
void draw_far_integers(const struct run_of *run); /* and words of bytes */
void draw_nans(const struct run_of *run);

/* ---- draw_floats.c ---- */

bool draw_has_order(const unsigned char *bytes, size_t size); /* floats rise, or fall, or are a symmetric matrix */
void draw_floats(const struct run_of *run);
/* Makes a span what is elsewhere, but for signs where it has one sign alone. Stretches, as long as a pattern has them,
 * become the opposite, unless it is NULL: what begins well, or badly, does not go on so. */
void draw_related(enum drawn_kind kind, unsigned char *bytes, const unsigned char *others, size_t size,
                  const uint64_t *pattern);
