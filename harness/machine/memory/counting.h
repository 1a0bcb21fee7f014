/* counting.h - computes what a warp's access to memory costs, by its addresses: sectors, wavefronts, and how few of
 * each there could be. Pure. Every rule was compared with an H200's counters, instruction by instruction (tests/sim).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sectors {
    unsigned touched; /* sectors of 32 bytes */
    unsigned ideal;   /* as many as there would be if the same bytes were neighbours */
};
/* Counts the sectors of lanes that access `size` bytes each. The addresses are multiples of size. */
struct sectors count_sectors(uint32_t lanes, const uint64_t *addresses, unsigned size);

struct wavefronts {
    unsigned passes; /* passes through shared memory */
    unsigned ideal;  /* as many as there would be without bank conflicts */
    unsigned margin; /* by how much passes may be wrong: for 16 bytes of only some lanes, and for scattered copies */
};
/* Counts the wavefronts of an access to shared memory. */
struct wavefronts count_wavefronts(uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes);

/* Counts the wavefronts of up to four matrices of 8 rows of 16 bytes (ldmatrix, stmatrix), of which the lanes have the
 * addresses, in order. */
struct wavefronts count_matrices(uint32_t lanes, const uint32_t *addresses, unsigned matrices);

/* Kinds of atomics in shared memory. Lanes that meet in a bank come one after the other, even at the same address. */
enum atomic_kind {
    ATOMIC_CHANGES,
    ATOMIC_COUNTS,   /* adds the number of lanes at an address, once */
    ATOMIC_SWAPS,    /* compares and swaps, which takes each lane twice */
    ATOMIC_ONE_SWAPS /* compares and swaps for one lane of an address; the others try again later */
};
struct wavefronts count_atomic(uint32_t lanes, const uint32_t *addresses, unsigned size, enum atomic_kind kind);

struct copy_counts {
    struct sectors lines; /* as the source-line counters have them */
    unsigned unit;        /* as the L1's own counter has them */
    struct wavefronts wavefronts;
};
/* Counts the cost of an asynchronous copy from global to shared memory. bypass: it does not go through the L1 (16
 * bytes). */
struct copy_counts count_copy(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size, int bypass);
