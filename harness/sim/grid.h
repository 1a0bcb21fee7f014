/* grid.h - a launch: all its blocks executed, everything counted. */
#ifndef GRID_H
#define GRID_H

#include "module.h"

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>

/* What one instruction did in all warps of a launch. Rules: counting.h. */
struct tally {
    uint64_t executed;               /* by a warp, or a part of one that went its own way */
    uint64_t active;                 /* threads that were there */
    uint64_t working;                /* and whose guard was true */
    uint64_t uniform;                /* a branch: all that were there went one way */
    uint64_t divergent;              /* they did not */
    uint64_t accesses;               /* to memory, by at least one thread */
    uint64_t sectors, ideal_sectors; /* 32 bytes, of global or local memory, as the source-line counters have them */
    uint64_t unit_sectors;           /* the same as the L1's own counter has them (differ for cp.async) */
    uint64_t wavefronts, ideal_wavefronts;                     /* of shared memory */
    uint64_t shared_accesses, global_accesses, local_accesses; /* of generic instructions too */
    /* What the hardware's own counters have beside that: they see some instructions again, once for each group of lanes
     * that goes its own way, and of a branch with two predicates only the lanes that both of them send. */
    uint64_t again, again_threads;
    uint64_t unsent_threads;
    /* How much of `executed`, and of its threads, hangs on which lanes come first to where they meet: an upper bound.
     */
    uint64_t loose, loose_threads;
    uint64_t loose_wavefronts, loose_sectors; /* of accesses whose rule is not wholly known: counting.h */
};

/* Orders in which the blocks of a launch may come: as the CPU's threads take them; the last one first, and so the
 * warps of each; several at once, each for a few instructions, where others also come between the lanes of an atomic;
 * and likewise, the last one first. All but the first are the same on every machine. */
enum { ORDERS = 4 };

struct meetings;

/* One launch. Borrowed by grid_run. */
struct grid {
    struct function *function;
    unsigned blocks[3];
    unsigned threads[3];
    unsigned shared;                 /* dynamic, bytes */
    const unsigned char *parameters; /* function->parameter_bytes of them */
    bool cooperative;
    unsigned order;
    struct meetings *meetings; /* NULL: nobody asks where its blocks meet */
};

static inline uint64_t grid_blocks(const struct grid *grid)
{
    return (uint64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
}

/* Executes it. tallies has a place for each instruction of the function (function->size / 16), to which is added; NULL:
 * nothing is counted. -1 with *problem: a fault of the kernel (then *fault is true), or something that cannot be
 * simulated, in which case the words begin with "not simulated: ". */
int grid_run(const struct grid *grid, struct tally *tallies, bool *fault, struct problem *problem);

/* Decodes the function's code unless it is; grid_run does it by itself. -1 with *problem. */
int code_of(struct function *function, struct problem *problem);

/* The opcode of an instruction with its modifiers, "LDG.E.128", of code that was decoded. */
const char *code_opcode(const struct function *function, size_t index);

#endif
