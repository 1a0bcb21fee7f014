/* counting.h - what an access of a warp to memory costs, by its addresses: sectors, wavefronts, and how few of each
 * there could be. Pure. Every rule was compared with an H200's counters, instruction by instruction (tests/sim). */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>
#include <stdint.h>

struct sectors {
    unsigned touched; /* of 32 bytes */
    unsigned ideal;   /* had the same bytes been neighbours */
};
/* Of lanes that access `size` bytes each at these addresses, which are multiples of size. */
struct sectors count_sectors(uint32_t lanes, const uint64_t *addresses, unsigned size);

struct wavefronts {
    unsigned passes; /* through shared memory */
    unsigned ideal;  /* without bank conflicts */
    unsigned room;   /* by how much passes may be off: of 16 bytes by some lanes of a warp, and of scattered copies */
};
/* The same of shared memory. */
struct wavefronts count_wavefronts(uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes);

/* Atomics there: lanes that meet in a bank come one after the other, also at one address. */
enum atomic_kind {
    ATOMIC_CHANGES,
    ATOMIC_COUNTS,   /* adds up how many lanes there are at an address, once */
    ATOMIC_SWAPS,    /* compares and swaps: twice */
    ATOMIC_ONE_SWAPS /* the same for one lane an address, the others try again later */
};
struct wavefronts count_atomic(uint32_t lanes, const uint32_t *addresses, unsigned size, enum atomic_kind kind);

struct copy_counts {
    struct sectors lines; /* as the counters by source line have them */
    unsigned unit;        /* as the L1's own counter has them */
    unsigned room;        /* by how much sectors may be off */
    struct wavefronts wavefronts;
};
/* Of an asynchronous copy from global to shared memory; bypass: past the L1 (16 bytes). */
struct copy_counts count_copy(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size, int bypass);

#endif
