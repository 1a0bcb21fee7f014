/* axes.h - the axes of a grid, which may be split into more. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An axis: where the executed block is, and the largest number that there is. An axis of the grid may be split: its
 * place is a sum of those along several axes, each times its unit. These are together, the outer ones first. The grid's
 * last block is at `last`: what is behind it does not exist. Axes that are not used have one place. `order` has the
 * place of each block along the axis of the grid, and behind those which block is at each place; NULL: they are in
 * order. */
struct axis {
    uint32_t at, most, last, unit, of;
    const uint32_t *order;
};

/* A grid's axes, and those that it may be split into. */
enum { GRID_AXES = 3, AXES_MOST = 6 };

__extension__ typedef __int128 int128;

/* Blocks along an axis: of an interval only those that are multiples of 2^every apart. No axis has blocks that are
 * 2^EVERY_MOST apart, so that more is the executed block alone as well, and 1 << every is a number. */
enum { EVERY_MOST = 31 };

struct box {
    uint32_t low, high, every;
};

void axes_of(struct axis *axes, const unsigned *blocks);
/* Splits axis k of *count into a quotient and a remainder. False: it cannot be. */
bool axes_split(struct axis *axes, unsigned *count, unsigned k, uint32_t by);
/* Finds where along each axis a block of the grid is. */
void axes_place(const struct axis *axes, const unsigned *index, uint32_t *at);
/* Turns factors along axes into those along others that they were split into. */
void axes_refine(const struct axis *from, const struct axis *to, const int64_t *by, int64_t *by_to);
/* Turns a box into the smallest one along others, with each of its blocks that exists. */
void axes_refine_box(const struct axis *from, const struct axis *to, const struct box *box, struct box *box_to);
/* Finds the least and the most that a linear function is more than at `at`, of blocks of a box (NULL: of all) that
 * exist. */
void axes_reach(const struct axis *axes, const uint32_t *at, const struct box *box, const int64_t *by, int128 *least,
                int128 *most);
/* Lists the places along an axis of the grid of blocks of a box that exist; `at` is one. Caller frees. Returns how many
 * were looked at. */
uint64_t axes_places(const struct axis *axes, unsigned of, const uint32_t *at, const struct box *box, uint32_t **places,
                     size_t *count);
