/* turns.h - shared by grid.c, turns.c, block.c and classes.c: a launch while it is executed. */
#pragma once

#include "machine/affine/affine.h"
#include "machine/block/block.h"

/* The rows are the orders. Each says how many clusters a thread has begun at a time, and how many instructions a warp
 * executes before the next one; whether blocks, and warps, come last first; the order of splits; whether lanes that
 * yield part; whether every other block is slow for some turns once an atomic has answered it, so that blocks which do
 * the same come apart; and which word shared memory holds at first. Without clusters, each block is one by itself. In
 * the first order, turns are short because warps of a block often read the same lines, which then are still in the
 * CPU's caches. */
struct order {
    unsigned clusters, turn;
    bool backwards, warps_backwards;
    enum split_order splits;
    bool parts, slow;
    uint32_t fresh;
};
extern const struct order orders[ALL_ORDERS];

/* What the threads of a launch share. */
struct run_state {
    const struct grid *grid;
    struct code *code;
    bool counts;
    uint64_t workspace;   /* where the blocks of a cooperative launch meet, an address of the GPU */
    uint64_t parameters;  /* where kernels find their arguments in memory, an address of the GPU */
    uint64_t next, count; /* clusters that have begun, of so many */
    uint64_t resident;    /* those of them that are on the GPU: the others begin when one of these ends */
    uint64_t progress;    /* how often a thread saw that its blocks do more than wait */
    uint64_t live, stuck; /* threads that have blocks, and those of them that have seen none for long */
    uint64_t bytes;       /* of this machine that the places for blocks take, of all threads */
    uint64_t from_front;  /* where the last one comes first: those of them that others waited for, from the first on */
    struct block_proof *proof;    /* of the one block that is executed; NULL: none */
    bool alone, parked;           /* one cluster is tried alone, until it waits for others */
    struct thread_state *waiting; /* has a cluster that was parked; NULL: none was */
    struct hot_addresses hot;     /* of blocks that are executed already, or proved */
    struct most most;             /* of those that are executed already */
    const uint64_t *done;         /* clusters that are executed already, a bit each; NULL: none */
    bool failed;
    enum fault fault;
    uint64_t failed_block;
    struct problem problem;
    pthread_mutex_t lock;
};

struct thread_state {
    struct run_state *run;
    struct tally *tallies;
    struct flow *flows;
    struct hot_addresses hot;
    struct most most;
    struct turns *turns; /* the parked cluster that this thread resumes next; NULL: none */
    pthread_t thread;
};

/* Opens a place in which blocks are executed, one after the other. With a lender it shares that place's memos: what is
 * remembered of accesses depends on the code alone. In block.c. */
void block_open(struct block *block, const struct run_state *run, struct thread_state *owner,
                const struct block *lender);
void block_close(struct block *block);
/* Begins the block of its rank in the cluster. */
void block_start(struct block *block);
/* Executes a turn of each block. */
void cluster_run(struct cluster *cluster);

void most_add(struct most *most, const struct most *more);

/* Adds how often instructions were executed. Until then `working` has, below 0, the threads whose guard was false. */
void add_flows(struct tally *tallies, const struct flow *flows, size_t count);

/* What a thread does: it executes clusters in turn, until all are done, or until one that is tried alone is parked.
 * data: its struct thread_state. In turns.c. */
void *run_blocks(void *data);

/* Tries to count the launch by one block of each class. True: *tallies has the counts of all its blocks, and *done
 * names those that were executed, a bit each (caller frees). False: the same of those that were executed alone, the
 * others are left to do; or run->failed. The reason is in run->grid->proved. In classes.c. */
bool classes_count(struct run_state *run, struct tally *tallies, uint64_t **done);
