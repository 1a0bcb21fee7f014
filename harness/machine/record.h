/* record.h - what the warps of some blocks execute, instruction by instruction, for a model of the time that it takes
 * (../estimate). The blocks are those that one SM has, if block b of the first ones comes to SM b modulo the number of
 * SMs, the next to whichever has room first, and a block takes as long as it executes instructions. Of all SMs it is
 * the one that ends last. Of its blocks the first ones are recorded, as many as it holds at once, and the last ones,
 * three times as many.
 *
 * Where blocks execute different numbers of instructions it is not known before the launch which SM that is. Then
 * recorder_end() says false, and the same launch, recorded once more, has the right blocks. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct grid;
struct instruction;
struct warp;

/* A warp's stream is of words. Each instruction has one that says which it is, and behind it as many as its kind
 * needs. */
enum recorded_kind {
    RECORDED_PLAIN,
    RECORDED_LOAD,          /* of global memory: turns of its banks, then the sectors, by address / 32 modulo 2^32 */
    RECORDED_COPY,          /* cp.async: the same */
    RECORDED_STORE,         /* the bytes that all lanes store together, then the sectors */
    RECORDED_ATOMIC,        /* of global memory: distinct addresses, lanes at the one that has most, then the sectors */
    RECORDED_SHARED,        /* wavefronts; likewise below */
    RECORDED_SHARED_ATOMIC, /* of an atomic in shared memory */
    RECORDED_LOCAL_LOAD,    /* sectors, by a number of the block's warp and word */
    RECORDED_LOCAL_STORE,
    RECORDED_CONSTANT,   /* distinct addresses */
    RECORDED_BARRIER,    /* its number in the block, and the threads that it waits for (0: all). A warp whose lanes come
                            one after the other arrives with the last of them */
    RECORDED_SLEEP,      /* ns */
    RECORDED_BULK_LOAD,  /* a copy of the hardware into shared memory: the byte at which its barrier is, the bytes that
                            arrive there, then pairs: a sector, and how many from it on */
    RECORDED_BULK_STORE, /* one to global memory: 0, its bytes, then pairs likewise */
    RECORDED_PHASE       /* of barriers in shared memory, triples: where, which enum phase_part, and how many */
};
enum phase_part { PHASE_BEGINS, PHASE_ARRIVES, PHASE_EXPECTS, PHASE_GETS, PHASE_WAITS };

enum {
    RECORDED_INDEX_MOST = 1 << 16, /* instructions of a function */
    RECORDED_WORDS_MOST = (1 << 11) - 1
};
/* Of a word that begins an instruction: its index in the function, its kind, whether any lane's guard was true, and how
 * many words follow. */
static inline unsigned recorded_index(uint32_t word)
{
    return word & (RECORDED_INDEX_MOST - 1);
}
static inline enum recorded_kind recorded_kind(uint32_t word)
{
    return (enum recorded_kind)(word >> 16 & 15);
}
static inline bool recorded_works(uint32_t word)
{
    return word >> 20 & 1;
}
static inline unsigned recorded_words(uint32_t word)
{
    return word >> 21;
}

struct recorded_warp {
    uint32_t *words;
    size_t count, capacity;
    uint64_t instructions; /* that the words are of: the first ones */
    size_t last;           /* where the words of the last one begin */
    bool done;             /* it has as many as are recorded */
};

struct recorded_block {
    uint64_t number;
    unsigned warp_count;
    uint64_t warp_most;            /* instructions that are recorded of a warp */
    struct recorded_shape *shapes; /* of each instruction's last access; until the block is done */
    struct recorded_warp *warps;
};

/* An allocation, by sectors. */
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
/* What that instruction turns out to do: a copy of the hardware begins, at whose barrier `bytes` arrive; it moves bytes
 * from or to an address of global memory; a barrier in shared memory is told something. */
void record_bulk(struct warp *warp, bool stores, uint32_t barrier, uint64_t bytes);
void record_bulk_bytes(struct warp *warp, uint64_t address, uint64_t bytes);
void record_phase(struct warp *warp, uint32_t barrier, enum phase_part part, uint64_t number);
/* Appends an instruction: its first word, and those behind it. The functions of these four are in record_words.c. */
void record_new(struct recorded_warp *to, uint32_t head, const uint32_t *words);
