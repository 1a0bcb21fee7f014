/* tags.h - what is known of a value in other blocks than the one that is executed. Pure.
 *
 * A tag says of lanes of a register that in each block of a box their values are those of the executed block, plus for
 * each axis a factor times how far that block is along it, modulo 2^32. A box is an interval of each axis, with the
 * executed block in it. Of lanes that a tag does not name nothing is known: they hold data.
 *
 * What is added with a factor, or limited, is of no ring; a value with a floor is not added. */
#pragma once

#include "axes.h"

/* Most axes that one value depends on; of one that depends on more nothing is known. */
enum { TAG_PARTS = 4 };

struct tag_part {
    uint32_t axis, low, high, every; /* of the box only blocks that are multiples of 2^every apart */
    int64_t by;
};

struct tag {
    uint32_t lanes;
    unsigned char count; /* 0: the same in all blocks */
    unsigned char ring;  /* only so many low bits change, modulo as many, and those above stay; 0: all 32 */
    short floor;         /* the number of a floor (struct floor) that is added, or subtracted (< 0); 0: none is */
    struct tag_part parts[TAG_PARTS];
};

/* A value without the lowest bits of a number: (x >> bits) << up. The number x changes by these factors, exactly; in
 * the executed block its lost bits are from `least` to `most`, over all lanes. With bits = 0 nothing is lost, and the
 * floor says where the sign bit stays the same: in the box of `sign`. */
struct floor {
    int64_t by[AXES_MOST];
    uint64_t least, most;
    unsigned bits, up;
    bool settled; /* it was turned into factors */
    struct tag sign;
};

extern const struct tag tag_same; /* of all lanes, in all blocks */

/* Whether it is known, of all these lanes, and alike in all blocks of its box. */
static inline bool tag_knows(const struct tag *tag, uint32_t lanes)
{
    return (lanes & ~tag->lanes) == 0;
}
/* Whether it is not the same in all blocks of its box; it may have factors though, for where others of a class are. */
bool tag_moves(const struct tag *tag);
bool tag_has_factors(const struct tag *tag);

/* Adds factor times another value: boxes are intersected. False: that takes too many axes, and nothing is known. */
bool tag_add(struct tag *tag, const struct tag *other, int64_t factor);

/* Adds the factor along each axis of a value to by[AXES_MOST]. */
void tag_factors(const struct tag *tag, int64_t *by);

/* Adds a factor. False as above. */
bool tag_add_part(struct tag *tag, uint32_t axis, int64_t by);
/* Turns a floor into factors, those nearest to its own, where what these leave carries nothing. */
void tag_settle(struct tag *tag, struct floor *floors, const struct axis *axes);
/* Returns the smallest number that axis k was divided by, of which a class's box is within one quotient; 0: none. */
uint32_t floors_quotient(const struct floor *floors, size_t count, unsigned k, const struct axis *axis,
                         const struct box *box);
/* Turns it into what is the same where it changes by multiples of 2^bits. */
void tag_same_by(struct tag *tag, unsigned bits);
/* Which part of the grid's blocks is in its box, about. */
double tag_share(const struct tag *tag, const struct axis *axes);

/* Makes factors those of a 32-bit number, and takes out axes that say nothing. */
void tag_wrap(struct tag *tag, const struct axis *axes);

/* Cuts the box until the value of `sum` grows by at most `up` and falls by at most `down` in it. False as above. */
bool tag_limit(struct tag *tag, const struct tag *sum, const struct axis *axes, int64_t up, int64_t down);

/* Writes what is known of some lanes: what was known of the others stays if both change alike. */
void tag_put(struct tag *to, const struct tag *tag, uint32_t lanes);
