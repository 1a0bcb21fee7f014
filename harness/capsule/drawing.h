/* drawing.h - shared by the files that draw a capsule's inputs. */
#pragma once

#include "prove_parts.h"

/* Bytes of a range that one argument points to, up to where another one does; or the argument itself, a scalar. */
enum { NO_RANGE = -1 };
struct array {
    size_t range; /* NO_RANGE: it is a scalar, of drawing->arguments */
    uint64_t at, size;
    unsigned argument; /* its number, from 1; 0: none */
    bool filled;       /* what the launch changes there is filled before it */
    bool of_grid;      /* a scalar that is as many as there are blocks: it stays */
};

struct drawing {
    const struct draw_request *request;
    const struct capsules *capsules;
    const struct capsule *capsule;
    const struct capsule_device *device;
    struct replay *replay;
    struct problem *problem;
    unsigned char *arguments; /* as the program would have them */
    struct array *arrays;     /* scalars first */
    size_t array_count, scalar_count;
    struct memory before;      /* what is written before the launch, with pointers as the program had them */
    struct memory found;       /* what the launch found, with pointers as they are here */
    struct memory left, other; /* what it left, and what another launch left */
    struct memory base, again; /* what it found on the captured inputs, and what a launch in another order left */
    struct memory varies;      /* bits in which launches differ */
    uint32_t *constants;       /* words that the code compares with, or masks by */
    size_t constant_count;
    unsigned nans;               /* how many floats of each array become NaN */
    unsigned special;            /* as struct draw has it */
    uint64_t scratch;            /* by which the next pattern in scratch memory is drawn */
    bool has_varied, has_masked; /* has_masked: of `varies` some is not compared, since it overflows */
};

static inline unsigned char *bytes_of(const struct drawing *drawing, const struct array *array,
                                      const struct memory *memory)
{
    return (array->range == (size_t)NO_RANGE ? drawing->arguments : memory->ranges[array->range]) + array->at;
}

/* Whether the argument says that it points to integers. */
static inline bool has_integers(const struct drawing *drawing, const struct array *array)
{
    return array->argument > 0 && drawing->capsule->arguments[array->argument - 1].exact;
}

static inline bool is_drawn(const struct memory_range *range)
{
    return range->kind != MEMORY_VARIABLE && range->kind != MEMORY_SCRATCH && range->size > 0;
}

/* ---- capsule_drawing.c ---- */

/* Takes the pages of a range into memory, as they were before the program's launch, or the bits that vary. */
int drawing_take(struct drawing *drawing, size_t number, const uint32_t *pages, const struct memory *memory);
/* Launches the capsule's code on what is drawn, and takes what it left. -1 with drawing->problem. */
int drawing_launch(struct drawing *drawing, const struct memory *left);

/* ---- capsule_try.c ---- */

/* Whether a word points to memory of the launch of a capsule, or right behind it. */
bool drawing_points(const void *capsule, uint64_t word);

/* Draws an array, or a scalar. drawn, which may be NULL, is told what it was taken for. */
void drawing_draw(const struct drawing *drawing, size_t number, enum draw_way way, bool last, uint64_t seed,
                  struct drawn_array *drawn);

/* Words that the launch changes, and of them infinities and NaNs as arithmetic makes them, by the upper half, of
 * whichever type of float it is one; and those of spans that hold nothing else, but for zeros, that are less than
 * 2^-100, as integers are, and what underflows; and that become 0. */
struct numbers {
    uint64_t words, special[SPECIALS], tiny, zeros;
};
struct numbers drawing_count(const struct drawing *drawing, const struct memory *found, const struct memory *left);
/* Whether clearly more values of a result say nothing than in the captured one. */
bool drawing_says_less(const struct numbers *numbers, const struct drawn *drawn);

/* Whether most of what a launch changes in a range overflows, where its result on the captured inputs has no such
 * value. With `masks` these are not compared. */
bool drawing_overflows(struct drawing *drawing, const struct memory *base, const struct memory *captured,
                       const struct memory *left, bool masks);

/* Notes for each value how far the reference itself goes where last places of its inputs move: so much it may be off.
 * Where it jumps, as by comparing, it may not. Returns 1 where most of the result goes far: that says nothing, and
 * nothing is noted; -1 with drawing->problem. */
int drawing_allow_rounding(struct drawing *drawing, const struct drawn *drawn, uint64_t *state);

/* Finds of all arrays how boldly each can be drawn alone, on the captured inputs, and whether the result moves with it.
 * Zeros that are written, but not filled, are where sums begin. -1 with drawing->problem. */
int drawing_try(struct drawing *drawing, uint64_t *state, struct drawn *drawn);
