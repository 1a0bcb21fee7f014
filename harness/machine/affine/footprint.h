/* footprint.h - which bytes of global memory the blocks of a class read and write, and whether blocks meet there. Pure.
 *
 * Of each access the addresses of the executed block are noted, with the factors by which they are others in other
 * blocks, along each axis that the grid is split into. Ranges with the same factors are together: one block's are
 * another's, moved. */
#pragma once

#include "hot_addresses.h"
#include "tags.h"

struct range {
    uint64_t begin, end;
};

/* Ranges, sorted and merged up to `sorted`; those behind it were added since. */
struct ranges {
    struct range *list;
    size_t count, sorted;
};

/* What is done, a bit each. ADDS: by an atomic whose answer is not used. */
enum { FOOTPRINT_READS = 1, FOOTPRINT_WRITES = 2, FOOTPRINT_ADDS = 4, FOOTPRINT_KINDS = 3 };

/* Ranges of each kind that other blocks have moved by so much for each block along an axis of the grid, and how many
 * atomics there are at each address. Of several classes: all those blocks are in the box. */
struct moved_ranges {
    int64_t by[AXES_MOST];
    struct box box[AXES_MOST];
    struct ranges of[FOOTPRINT_KINDS];
    struct hot_addresses hot;
};

static inline struct ranges *ranges_of(const struct moved_ranges *moved, unsigned kind)
{
    return (struct ranges *)&moved->of[__builtin_ctz(kind)];
}

struct footprint {
    struct moved_ranges *list;
    size_t count;
};

void range_add(struct ranges *ranges, uint64_t begin, uint64_t end);
void range_sort(struct ranges *ranges); /* and merges them */
/* Whether some range of `few`, moved by that much, overlaps one of `many`, which are sorted. Adds to *steps. */
bool range_overlap(const struct ranges *few, int64_t moved, const struct ranges *many, uint64_t *steps);

/* Adds a range that is accessed. False: there are too many. */
bool footprint_add(struct footprint *footprint, const int64_t *by, uint64_t begin, uint64_t end, unsigned kind);
/* Adds an atomic. */
void footprint_add_hot(struct footprint *footprint, const int64_t *by, uint64_t address, size_t instruction);
/* Whether the accesses of all blocks of a grid, as they move from the executed one, stay within 0 and 2^63. */
bool footprint_fits(const struct footprint *footprint, const uint32_t *at, const struct axis *axes);
/* Adds what the executed block of a class accessed, moved to where block 0 of the grid would access it. The
 * class is that box: if of that block alone, nothing moves, and it may be as if it did as the others. Reads are added
 * if they are in `places`, which are sorted. */
bool footprint_join(struct footprint *all, const struct footprint *more, const uint32_t *at, const struct box *box,
                    const struct ranges *places);
void footprint_sort(struct footprint *footprint);
void footprint_release(struct footprint *footprint);

/* Returns the ranges of these kinds of all blocks of the box, of block 0's: each from its first byte to its last.
 * Caller frees list. */
struct ranges footprint_reach(const struct moved_ranges *moved, unsigned kinds, const struct axis *axes);

/* What one block does, of one kind. */
struct spot {
    uint64_t begin, end, block;
    unsigned kind;
};

/* Returns whether no block writes a word that another one accesses, nor adds to one that it reads. It sorts them. */
bool spots_apart(struct spot *list, size_t count);

/* Returns true if it is proved that no block accesses in a way of `kinds` a word that another block accesses in a way
 * of `others`. */
bool footprint_apart(struct footprint *footprint, unsigned kinds, unsigned others, const struct axis *axes);
