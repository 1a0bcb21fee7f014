/* tags.h - what is known of a value in other blocks than the one that is executed. Pure.
 *
 * A tag says of lanes of a register that in each block of a box their values are those of the executed block, plus for
 * each axis a factor times how far that block is along it, modulo 2^32. A box is an interval of each axis, with the
 * executed block in it. Of lanes that a tag does not name nothing is known: they hold data.
 *
 * What is added to a tag, limited or cut is none of a ring. */
#ifndef TAGS_H
#define TAGS_H

#include <stdbool.h>
#include <stdint.h>

/* An axis: where the executed block is, and the largest number that there is. */
struct axis {
    uint32_t at, most;
};

/* Most axes that one value depends on; of one that depends on more nothing is known. */
enum { TAG_PARTS = 3 };

struct tag_part {
    uint32_t axis, low, high, every; /* of the box only blocks that are multiples of 2^every apart */
    int64_t by;
};

struct tag {
    uint32_t lanes;
    unsigned char count; /* 0: the same in all blocks */
    unsigned char ring;  /* only so many low bits change, modulo as many, and those above stay; 0: all 32 */
    struct tag_part parts[TAG_PARTS];
};

extern const struct tag tag_same; /* of all lanes, in all blocks */

/* Whether it is known, of all these lanes, and alike in all blocks of its box. */
static inline bool tag_knows(const struct tag *tag, uint32_t lanes)
{
    return (lanes & ~tag->lanes) == 0;
}
bool tag_moves(const struct tag *tag);

/* Adds factor times another value: boxes are intersected. False: that takes too many axes, and nothing is known. */
bool tag_add(struct tag *tag, const struct tag *other, int64_t factor);

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

#endif
