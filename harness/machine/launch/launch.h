/* launch.h - the public header of a room of data alone: a launch, what its instructions did, how it failed, and what
 * was recorded of its warps. */
#pragma once

#include "recorded.h"

#include "machine/device/device.h"

/* What one instruction did in all warps of a launch. counting.h has the rules. */
struct tally {
    uint64_t executed;               /* how often a warp, or a split of one, executed it */
    uint64_t active;                 /* threads that executed it */
    uint64_t working;                /* threads whose guard was true, */
    uint64_t fewer_work, more_work;  /* or so many fewer or more, where it is not proved which guards are */
    uint64_t uniform;                /* a branch that all its threads took in the same way */
    uint64_t divergent;              /* a branch that its threads took in different ways */
    uint64_t accesses;               /* accesses to memory by at least one thread */
    uint64_t sectors, ideal_sectors; /* sectors of global or local memory, as the source-line counters have them */
    uint64_t unit_sectors;           /* the same as the L1's own counter has them, which differs for cp.async */
    uint64_t wavefronts, ideal_wavefronts;                     /* passes through shared memory */
    uint64_t shared_accesses, global_accesses, local_accesses; /* these include accesses of generic instructions */
    /* What the hardware's own counters have in addition. They count some instructions again, once for each group of
     * lanes that goes its own way. Of a branch or exit with two predicates they count only the lanes that both of them
     * send. */
    uint64_t again, again_threads;
    uint64_t unsent_threads;
    /* An upper bound of how much of `executed`, and of its threads, depends on which lanes reach the place first where
     * they join. */
    uint64_t loose, loose_threads;
    uint64_t wide;                            /* the same, where it may be all of it: counters.c */
    uint64_t breaks;                          /* among `loose`: lanes that break out of where others are to join them */
    uint64_t loose_wavefronts, loose_sectors; /* of accesses whose rule is not fully known: counting.h */
    /* Warps that wait here for loads from global memory, or for answers of atomics there, of which they have not waited
     * for any yet: by the scoreboards that the machine code names. */
    uint64_t waits, loose_waits; /* loose_waits: an upper bound of those among `loose` */
    /* Atomics on global memory: one for each thread, and those of a warp that meet another of its own at an address. */
    uint64_t atomics, atomic_meetings;
    /* The atomics at the address that most of the launch come to, at one of the instructions that do. */
    uint64_t hottest;
    uint64_t addresses; /* to which they all come */
    /* Turns beyond the first that reads of constant memory take: one for each further address of a warp's lanes. */
    uint64_t constant_replays;
    /* Waits for a phase of a barrier in memory, which may give up, and instructions that may be executed once more. */
    uint64_t phase_waits, more_instructions;
    /* Branches that there may be more of, and that may go apart or not, where lanes that yield are no more together
     * with others; and those of lanes that broke out behind others, with which they may be one. */
    uint64_t more_targets, more_divergent, fewer_divergent, followed;
    /* Cycles for which slow pipes are held; barriers, and fences as so many (sass/pace.c); ns that warps ask to sleep;
     * sectors of loads past the L1, and of copies of the hardware. */
    uint64_t slow, barriers, slept, past_l1;
    uint64_t converted;         /* threads whose instruction of halves converts, or sets a constant */
    uint64_t home_bytes[HOMES]; /* of sectors that lanes access, and of bulk copies, by where they lie */
    /* Of the first instruction alone: how many the warp that executes most of the launch executes, and the block. */
    uint64_t longest_warp, busiest_block;
    uint64_t spins; /* not 0: how often it is executed depends on timing, since it is in a loop that waits (waits.h) */
    uint64_t looks; /* likewise, since a wait for a phase before it may look again; `executed` is as if none did */
    uint64_t apart; /* likewise, since it is not known which lanes are together: `executed` is as they are here */
    uint64_t retries; /* not 0: it is executed again where such a wait does, however seldom that is */
};

static inline bool depends_on_timing(const struct tally *tally)
{
    return tally->spins || tally->looks || tally->apart;
}

/* The number of orders in which the blocks of a launch can be executed. Order 0 is as the CPU's threads take them. In
 * order 1 the last block comes first, and the last warp of each. In order 2 several blocks are executed at once, each
 * for a few instructions, and others also come between the lanes of an atomic. Order 3 does the same, the last block
 * first, and every other block is slow after an atomic's answer. So it is in ORDER_PARTED, where lanes that yield are
 * not waited for any more; it differs from order 3 only where meetings_yielded(). All but order 0 are the same on every
 * machine. Where all blocks that have begun wait for others, one more begins, in every order. */
enum { ORDERS = 5, ORDER_PARTED = ORDERS - 1 };
/* Behind them come orders for a doubt, which are compared with each other: of the blocks in one order, warps come last
 * first, first first, and each for one instruction at a time. Shared memory that nobody wrote holds another large
 * number in each. */
enum { DOUBT_ORDERS = 3, ALL_ORDERS = ORDERS + DOUBT_ORDERS };

struct meetings;
struct block_races;
struct recorder;
struct client;

/* Why a kernel fails, as far as a GPU tells its program. */
enum fault {
    FAULT_NONE,
    FAULT_OTHER,   /* also what a GPU does not see, such as a race, or waits for forever */
    FAULT_ADDRESS, /* memory that is not there, or no texture or surface */
    FAULT_MISALIGNED,
    FAULT_CLUSTER, /* shared memory of a block that the cluster lacks */
    FAULT_ASSERT,
};

/* A launch is tried to be counted by one block of each class (classes.c) if it executes so many instructions: that
 * takes about half a second. */
#define GRID_STEPS_LEAST UINT64_C(25000000)

/* How a launch was counted. */
struct proved {
    uint64_t executed; /* blocks that were executed, of all */
    uint64_t steps;    /* what all would take, as one has shown: a texture's fetch counts as several instructions */
    const char *why;   /* why all were; NULL: they were not */
    size_t where;      /* the instruction that is why; SIZE_MAX: none */
};

/* Of several, the first is told. */
enum doubt_kind {
    DOUBT_UNWRITTEN, /* shared memory is read that nobody wrote */
    DOUBT_RACE,
    DOUBT_OUTSIDE, /* an access to no memory, which is left out: only where the grid spares it */
    DOUBT_STREAMS, /* it races with another stream's operation: only where that is let pass */
    DOUBT_OTHER,
    DOUBT_KINDS
};

/* What a launch does that is a fault if anything depends on it: of each kind the first of its blocks that does. */
struct doubt {
    bool any;
    struct doubt_of {
        struct problem problem;
        uint64_t block;
        bool any;
    } of[DOUBT_KINDS];
};

/* One launch. grid_run() borrows all of it. */
struct grid {
    struct function *function;
    unsigned blocks[3];
    unsigned threads[3];
    unsigned shared;                 /* dynamic shared memory in bytes */
    unsigned carve_out;              /* as struct launch has it */
    const unsigned char *parameters; /* arguments of the kernel, function->entry.parameter_bytes of them */
    bool cooperative;
    bool untrusted;      /* nobody vouches for its code: every block is executed */
    bool spares;         /* a load or store outside of allocations is a doubt: it reads 0, or stores nothing */
    unsigned cluster[3]; /* blocks of a cluster; 0: there are no clusters */
    uint64_t resident;   /* clusters that fit the GPU at once; 0: all */
    unsigned order;
    struct meetings *meetings; /* where its blocks meet is noted here; NULL: nobody asks */
    struct block_races *races; /* of its blocks are noted here; NULL: nobody asks */
    struct doubt *doubt;       /* is set; NULL: what would be a doubt is a fault */
    struct proved *proved;     /* is set; NULL: all blocks are executed */
    struct recorder *recorder; /* is told what some blocks execute (record.h); NULL: nobody asks */
    struct client *client;     /* the program that uses the machine as a library (client.h); NULL: there is none */
};

static inline uint64_t grid_blocks(const struct grid *grid)
{
    return (uint64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
}

static inline uint64_t cluster_blocks(const struct grid *grid)
{
    return grid->cluster[0] ? (uint64_t)grid->cluster[0] * grid->cluster[1] * grid->cluster[2] : 1;
}

/* Sets how many clusters a launch has along each axis, or blocks if it has none. */
static inline void grid_clusters(const struct grid *grid, unsigned clusters[3])
{
    for (unsigned k = 0; k < 3; k++)
        clusters[k] = grid->blocks[k] / (grid->cluster[k] ? grid->cluster[k] : 1);
}
