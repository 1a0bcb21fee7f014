/* record.h - what the warps of some blocks execute, instruction by instruction, for a model of the time that it takes
 * (../replay). The blocks are those that one SM has, if block b of the first ones comes to SM b modulo the number of
 * SMs, the next to whichever has room first, and a block takes as long as it executes instructions. Of all SMs it is
 * the one that ends last. Of its blocks the first ones are recorded, as many as it holds at once, and the last ones,
 * three times as many.
 *
 * Where blocks execute different numbers of instructions it is not known before the launch which SM that is. Then
 * recorder_end() says false, and the same launch, recorded once more, has the right blocks. */
#pragma once

#include "machine/launch/launch.h"

struct block;
struct warp;

/* An array, by sectors: an allocation, or the part of one from an argument's address to the next one's. */
struct recorded_place {
    uint32_t begin, end;
};

/* Begins with `sms` and `resident` set, and zeros. */
struct recorder {
    unsigned sms, resident; /* SMs of the GPU; blocks of this launch that one holds at once */
    /* What the launch did. */
    struct recorded_block **blocks; /* in the order in which they begin */
    size_t count;
    uint64_t recorded, sm_steps;   /* instructions of warps that are recorded; that the SM executes */
    uint64_t steps;                /* that the whole launch executes */
    struct recorded_place *places; /* by address */
    size_t place_count;
    /* While it is executed. */
    pthread_mutex_t lock;
    uint64_t block_count, warp_most;
    unsigned waves;        /* that are recorded */
    uint32_t *block_steps; /* of each block; NULL: there are too many blocks */
    uint64_t *chosen;      /* blocks that are recorded, ascending */
    size_t chosen_count;
};

/* Begins a launch. What was chosen for it before is kept. */
void recorder_begin(struct recorder *recorder, const struct grid *grid);
/* Chooses the SM's blocks by what each block executes, which has to be known of all. */
void recorder_choose(struct recorder *recorder);
/* Ends the launch: only blocks that were chosen stay, in their order. False: others were executed than should have been
 * recorded, so that it has to be executed again. */
bool recorder_end(struct recorder *recorder, const struct grid *grid);
/* Frees all but `recorder` itself. */
void recorder_release(struct recorder *recorder);

/* What the loop that executes warps calls. A block begins, which is recorded if it was chosen or is tried alone; one of
 * its instructions is executed next, for these lanes; it is done. */
void record_begin(struct block *block);
void record_step(struct warp *warp, const struct instruction *code, uint32_t lanes);
void record_end(struct block *block, uint64_t steps);
