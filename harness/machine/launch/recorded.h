/* recorded.h - what warps that are recorded executed, instruction by instruction, in words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
