/* trial.h - shared by classes.c, trial.c and tile_order.c: a launch while it is tried to be counted by one block of
 * each class. */
#pragma once

#include "turns.h"

#include "machine/proof/proof.h"

/* A trial ends after 1/TRIAL_PARTS of the launch's work, unless all classes are expected to take less than 1/TRIAL_GAIN
 * of it. To visit VISITS_OF_STEP blocks costs as much as to execute an instruction. */
enum { TRIAL_PARTS = 20, TRIAL_GAIN = 4, VISITS_OF_STEP = 8 };

struct class {
    struct tally *tallies;
    uint64_t number, members;
    unsigned axis; /* which its executed block divides by the smallest number; the class has one quotient of it */
    uint32_t quotient;
    struct footprint footprint;
    struct axis axes[AXES_MOST]; /* of the trial when it was found; the others are of these */
    uint32_t at[AXES_MOST];
    struct box box[AXES_MOST];
    struct block_proof *proof;   /* for tests; NULL: nothing is known of its registers */
    struct ranges written, read; /* allocations that its blocks write and read */
};

struct trial {
    struct run_state *run;
    uint64_t count; /* blocks */
    struct axis axes[AXES_MOST];
    unsigned axis_count;
    uint64_t *done;
    uint16_t *class_of; /* of each block 1 + its class; 0: none yet */
    struct class *classes;
    size_t class_count;
    struct footprint all;              /* what all blocks access where any writes, of block 0 */
    struct ranges places;              /* allocations that they access */
    uint64_t steps, executed, claimed; /* blocks that are in a class */
    struct proved *proved;
    bool *uneven;         /* instructions of which it is not proved how many threads work */
    bool relies;          /* on that blocks do not meet, for what they count */
    bool small, every;    /* for tests: small launches are tried as well, and every block is compared with its class */
    struct tally *others; /* of blocks that were only compared with their class */
};

/* Sets the place of a block along the axes. */
void trial_place(const struct grid *grid, const struct axis *axes, uint64_t number, uint32_t at[AXES_MOST]);

/* Adds an allocation to a list of them. */
void trial_add_place(struct ranges *places, uint64_t begin, uint64_t end);

/* Returns whether no blocks meet in global memory, of a launch that executes so many instructions. Sets what all blocks
 * access. */
bool trial_apart(struct trial *trial, uint64_t whole);

/* Counts the atomics of all blocks at each address. False: that is not known, or takes too long. */
bool trial_count_hot(struct trial *trial, uint64_t whole, struct hot_addresses *hot);

/* Leaves the blocks out that are not done (left.h), and takes over which are. */
void trial_keep(struct trial *trial);

static inline bool trial_has_done(const struct trial *trial, uint64_t block)
{
    return trial->done[block / 64] >> block % 64 & 1;
}

/* A table of constants may say which place a block takes, as that of nvjet does: along that axis of the grid, blocks
 * are in the order of their places then. Returns the order of the axis that has one, and sets it there; NULL: none has.
 * blocks: of the grid along each axis. Caller frees. */
uint32_t *order_of_tiles(const struct run_state *run, const unsigned *blocks, struct axis *axes);
