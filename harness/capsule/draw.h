/* draw.h - other values for what a launch reads, each of the kind and range of those that were there. Pure. */
#pragma once

#include "capsule.h"

struct draw {
    uint64_t seed;
    enum draw_way way;
    bool last;      /* of several: floats get other bits in their last places too, and integers may come twice */
    bool narrow;    /* no float is much larger than those that were there, or smaller */
    uint64_t place; /* where arrays get what is rare */
    /* Whether a word of 8 bytes points to memory of the launch. */
    bool (*points)(const void *self, uint64_t word);
    const void *self;
    bool all_zeros; /* draw_array() sets it */
    bool far;       /* many values are the constants, or next to them */
    bool exact;     /* results are compared bit for bit: then other floats are large, of one bit of mantissa */
    bool stale;     /* the output holds earlier results at first, and parts of the inputs are as they were for these */
    unsigned nans;  /* so many floats become NaN, and nothing else is drawn */
    bool integers;  /* whoever made the task says so: they are no floats, whatever they look like */
    bool hot;       /* in all draws but the last most integers are the same: counters of few bits overflow */
    unsigned special;          /* a scalar is 0, 2: it is 1, 3: odd or even, or of the other sign; 0: as drawn */
    bool infinite;             /* infinities are among the constants, where the code has them */
    const uint32_t *constants; /* words that the code compares with, or masks by; never empty where it is far */
    size_t constant_count;
};

/* Returns the next number of a sequence that *state, whose first value is a seed, stands for (splitmix64, Steele and
 * others). */
uint64_t draw_next(uint64_t *state);

int compare_words(const void *left, const void *right); /* of 8 bytes, for qsort() and bsearch() */

/* Replaces the values in bytes (size of them, at a multiple of DRAW_SPAN), and returns what most of them were taken
 * for. The same seed gives the same values. A float is not told from another of the same width: between two magnitudes,
 * as bits, lies one of the same type, so halves are drawn one by one. Where both signs occur within DRAW_SPAN bytes,
 * none stays where it was. Infinities, NaNs and zeros among others stay. */
enum { DRAW_SPAN = 512 };
enum drawn_kind draw_array(const struct draw *draw, unsigned char *bytes, size_t size);

/* Whether integers that never fall mostly repeat, as numbers of groups do and offsets hardly. */
bool draw_are_groups(unsigned char *bytes, size_t size);

/* Moves floats of more than 16 bits by half of so many last places or more: for one seed the same way, whatever `by`
 * is. captured: what says of which type they are. */
void draw_nudged(uint64_t seed, unsigned by, unsigned char *bytes, const unsigned char *captured, size_t size);

/* The same of an argument that is not a pointer. Boldly an integer becomes more, narrowly less, each by half at most; a
 * float less, near 1, or more. A multiple of a power of 2 stays one, as far as
 * there are others. An integer that is not drawn boldly is a size. */
enum drawn_kind draw_scalar(const struct draw *draw, unsigned char *bytes, size_t size);
