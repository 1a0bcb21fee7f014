/* watch.h - what instructions tell of memory, and who hears of it. An instruction tells of an access once, and each
 * watcher hears of it that looks for something in the block. To add a watcher: a name here, a row in block.c, and a
 * file that keeps its state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct warp;
struct instruction;

/* What is done, a bit each. */
enum access_kind {
    ACCESS_READS = 1,            /* lanes load */
    ACCESS_STORES = 2,           /* lanes store. Warps may store the same value to a word. */
    ACCESS_STRONG = 4,           /* ... what others may change or read meanwhile (volatile) */
    ACCESS_GENERIC = 8,          /* ... by generic addresses */
    ACCESS_WRITES = 1 << 4,      /* lanes write in another way than by a store */
    ACCESS_COPIES = 1 << 5,      /* cp.async, of either memory */
    ACCESS_FAR = 1 << 6,         /* lanes of another block of the cluster write */
    ACCESS_TEXELS = 1 << 7,      /* a surface is written */
    ACCESS_CHANGES = 1 << 8,     /* an atomic, */
    ACCESS_ANSWERS = 1 << 9,     /* ... whose answer is used, */
    ACCESS_TRIES = 1 << 10,      /* ... that has one, and may be tried until it changes something, */
    ACCESS_SWAPS = 1 << 11,      /* ... that compares and swaps in shared memory */
    ACCESS_MULTIPLIES = 1 << 12, /* a matrix product reads */
    ACCESS_COMES = 1 << 13,      /* a copy of the hardware comes to shared memory, and to the barrier there at `more` */
    ACCESS_GOES = 1 << 14,       /* one leaves it; `more`: a group will tell when it has. Of global memory, the other
                                     end; `more`: what is there is changed by it. */
    /* What orders accesses to shared memory. */
    ACCESS_ARRIVES = 1 << 15,   /* a warp arrives at the barrier at `first` */
    ACCESS_WAITED = 1 << 16,    /* it has waited for phase `more` of it */
    ACCESS_MEETS = 1 << 17,     /* warps, a bit each, have waited for each other, and those in `more` only arrived */
    ACCESS_FENCES = 1 << 18,    /* what the warp wrote is shown to copies and products */
    ACCESS_COMMITS = 1 << 19,   /* the copies from shared memory until here become a group, which `more` counts */
    ACCESS_RETIRES = 1 << 20,   /* all groups but the last `more` have read what they copy, */
    ACCESS_COUNTED = 1 << 21,   /* or all that scoreboards of `more` count */
    ACCESS_PUBLISHES = 1 << 22, /* a fence of the GPU: what the block wrote is shown to others */
    ACCESS_GROUPS = 1 << 23,    /* copies of lanes (cp.async) until here become a group, which `more` counts */
    ACCESS_JOINS = 1 << 24,     /* the blocks of the cluster have waited for each other */
    ACCESS_FAR_READS = 1 << 25  /* lanes of another block of the cluster read */
};

struct access {
    struct warp *warp;
    const struct instruction *code;
    struct block *block; /* whose shared memory it is; NULL: it is global memory */
    unsigned kind;
    uint32_t lanes;
    uint64_t first, size; /* of the first lane the address, or the offset in shared memory; the bytes of each lane */
    bool in_order;        /* all lanes take part, and each is behind the one before */
    bool same;            /* all are at the first one's address */
    const uint64_t *addresses; /* else of each lane, */
    const uint32_t *offsets;   /* or these */
    uint64_t more;             /* what the kind says of it */
    uint64_t found;            /* of STRONG loads and atomics, once they are done: what was there, as one word, */
    bool changed;              /* and whether they have changed anything */
};

/* The order is that in which they hear of an access. */
enum watcher_name {
    WATCH_OUTCOMES, /* what memory held before it is written */
    WATCH_TOUCHED,  /* which allocations are read and written */
    WATCH_MEETINGS, /* where blocks meet in global memory, */
    WATCH_ANSWERS,  /* and where the answer of an atomic is used */
    WATCH_HOT,      /* how many atomics there are at each address */
    WATCH_BLOCKS,   /* blocks that race in global memory, */
    WATCH_RACES,    /* and warps of a block, */
    WATCH_SHADOW,   /* and in shared memory */
    WATCH_LANES,    /* lanes that store to one word at once */
    WATCH_CLUSTER,  /* blocks of a cluster there, */
    WATCH_HAZARDS,  /* what copies own */
    WATCH_TILES,    /* what products read */
    WATCH_SWAPS,    /* words that several warps swap */
    WATCH_WAITS,    /* warps that wait for what others write */
    WATCH_PROOF,    /* barriers in shared memory that are known in other blocks */
    WATCH_STREAMS,  /* operations of streams that race in global memory */
    WATCH_CLIENT,   /* functions of a program that uses the library */
    WATCHERS
};

struct watcher {
    unsigned global, shared;             /* kinds of accesses that it hears of, of each memory */
    size_t size;                         /* bytes of its state in a place for blocks, zeros at first; 0: it has none */
    bool always;                         /* it also watches what is not counted */
    bool (*begin)(struct block *block);  /* Another block begins. Returns whether it is watched. NULL: each is. */
    void (*hear)(const struct access *); /* before it is done, */
    void (*done)(const struct access *); /* and afterwards. Either may be NULL. */
    void (*release)(void *state);        /* what the state owns; NULL: nothing */
};
extern const struct watcher outcomes_watcher, touched_watcher, meetings_watcher, answers_watcher, hot_watcher,
    block_races_watcher, cluster_races_watcher, races_watcher, shadow_watcher, lane_stores_watcher, hazards_watcher,
    tiles_watcher, swaps_watcher, waits_watcher, proof_watcher, streams_watcher, client_watcher;

/* Those of a place for blocks. */
struct watch {
    const struct watcher *const *list; /* WATCHERS of them, by name */
    void *states[WATCHERS];            /* kept from block to block */
    unsigned on;                       /* those who watch the block that is executed, a bit each, */
    unsigned global,
        shared; /* and what any of them hears of, but for meetings, which know by instruction: memory/memo.h */
    bool meets;
};

void watch_begin(struct block *block);
void watch_stop(struct block *block, enum watcher_name name); /* It has seen enough of this block. */
void watch_release(struct watch *watch);

/* Tells of an access before it is done, and when it is. */
void watch(const struct access *access);
void watch_done(const struct access *access);
/* Tells of consecutive bytes; of lanes that access the block's own shared memory. */
void watch_bytes(struct warp *warp, const struct instruction *code, struct block *block, unsigned kind, uint64_t first,
                 uint64_t size, uint64_t more);
void watch_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *offsets,
                 unsigned size, unsigned kind);

/* Returns whether those look at a block who look at shared memory: at the first blocks, then at ever fewer, since all
 * have the same code. Of a launch that is tried (classes.c) they look at one of each class, and also at the
 * middle one if it may do the work of others. */
bool watch_samples(const struct block *block);

/* Returns the address of a lane, or its offset in shared memory. */
static inline uint64_t access_address(const struct access *access, unsigned lane)
{
    return access->same        ? access->first
           : access->in_order  ? access->first + lane * access->size
           : access->addresses ? access->addresses[lane]
                               : access->offsets[lane];
}

/* Returns lanes that each have `*bytes` consecutive ones: one lane, if those of all are. */
static inline uint32_t access_parts(const struct access *access, uint64_t *bytes)
{
    *bytes = access->size * (access->in_order ? 32 : 1);
    return access->in_order || access->same ? access->lanes & -access->lanes : access->lanes;
}
