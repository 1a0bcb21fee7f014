/* proof.h - the public header of a room of rules: a block that is executed while it is proved which others do
 * the same. tags.h says what is known of a value. Where an instruction needs to be alike in all blocks (a branch, a
 * guard, the shape of an access), the box of what it depends on becomes the block's own: its class is that box. */
#pragma once

#include "machine/affine/affine.h"
#include "machine/block/block.h"

struct proof_warp {
    struct tag rows[ROWS], masks[MASKS];
    uint32_t place_row; /* 1 + the register that has the place of the block along an axis of the grid; 0: none */
    uint32_t place_of;  /* that axis */
    struct tag looked;  /* the address at which it looked last at what others may change */
    struct tag *local;  /* words of local memory, LOCAL_WORDS from the top of the stack down; NULL: all are data */
};
enum { LOCAL_WORDS = 1024 };

enum { WORD_BARRIER = UINT32_MAX >> 1 }; /* it is of a barrier that has the same words in all blocks */

/* What a warp's registers hold at its end. */
struct proof_values {
    uint32_t rows[ROWS][LANES], masks[MASKS];
};

struct block_proof {
    struct axis axes[AXES_MOST];
    struct box box[AXES_MOST]; /* the class, as a tag has it */
    struct floor *floors;      /* those that tags name */
    size_t floor_count;
    struct proof_warp *warps; /* of all blocks of a cluster, by rank */
    unsigned warp_count;
    struct footprint footprint;
    /* Of words of shared memory that one lane has stored alone, 1 + the number of a tag; or WORD_BARRIER; 0: data. */
    uint32_t *words;
    size_t words_of_block, word_tag_count;
    struct tag *word_tags;
    struct ranges arrays; /* of textures that are read, which no block of the launch writes */
    bool *uneven;         /* instructions of which it is not known how many threads work */
    bool threadless;      /* nobody asks */
    bool relies;          /* on that no block writes what all of the class load from one place */
    const char *why;      /* why it is not proved; NULL: it is, so far */
    const struct instruction *where;
    /* For tests, and else NULL: of each warp what its registers hold at its end, and the proof of another block, which
     * foretells that. */
    struct proof_values *values;
    const struct block_proof *of_class;
    char *wrong; /* what was foretold otherwise */
};

/* The number of a warp among those of the block, or of the blocks of its cluster. */
static inline unsigned proof_place(const struct warp *warp)
{
    return warp->block->rank * warp->block->warp_count + warp->number;
}

/* axes: those that the grid is split into; the block is at `at`. */
void proof_open(struct block_proof *proof, const struct grid *grid, const struct axis *axes, const uint32_t *at);
void proof_close(struct block_proof *proof);

/* Applies the rule of an instruction before it is executed. lanes: those of the split whose guard is true. */
void proof_step(struct warp *warp, const struct instruction *code, uint32_t lanes);

/* Notes what a warp's registers hold where it exits, for tests; of a block of a class, compares it with what was
 * foretold. */
void proof_check(const struct warp *warp);

/* Gives up: only the first reason is kept. */
void proof_fail(struct block_proof *proof, const struct instruction *code, const char *why);
