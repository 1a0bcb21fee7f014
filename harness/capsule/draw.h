/* draw.h - other values for what a launch reads, each of the kind and range of those that were there. Pure. */
#ifndef DRAW_H
#define DRAW_H

#include "capsule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct draw {
    uint64_t seed;
    bool integers; /* also put integers in another order */
    bool anew;     /* those that are not all different are drawn from what was there, some twice: a sum is another */
    bool rough;    /* floats get other bits in their last places too */
    /* Whether a word of 8 bytes points to memory of the launch. */
    bool (*points)(const void *self, uint64_t word);
    const void *self;
};

/* Returns the next number of a sequence that *state, whose first value is a seed, stands for (splitmix64, Steele and
 * others). */
uint64_t draw_next(uint64_t *state);

int compare_words(const void *left, const void *right); /* of 8 bytes, for qsort() and bsearch() */

/* Replaces the values in bytes (size of them, at a multiple of DRAW_SPAN) and adds to *drawn what they were taken for.
 * The same seed gives the same values. A float is not told from another of the same width: between two of one sign,
 * as bits, lies a value between them, whichever of the types it is, so halves are drawn one by one. Where both signs
 * occur within DRAW_SPAN bytes, none stays where it was. Infinities, NaNs and zeros stay. */
enum { DRAW_SPAN = 512 };
void draw_array(const struct draw *draw, unsigned char *bytes, size_t size, struct drawn *drawn);

#endif
