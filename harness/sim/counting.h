/* counting.h - what an access of a warp to memory costs, by its addresses: sectors, wavefronts, and how few of each there
 * could be. Pure. Every rule was compared with an H200's counters, instruction by instruction (tests/sim). */
#ifndef COUNTING_H
#define COUNTING_H

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
};
/* The same of shared memory. */
struct wavefronts count_wavefronts(uint32_t lanes, const uint32_t *addresses, unsigned size);

struct copy_counts {
    struct sectors lines; /* as the counters by source line have them */
    unsigned unit;        /* as the L1's own counter has them */
    struct wavefronts wavefronts;
};
/* Of an asynchronous copy from global to shared memory; bypass: past the L1 (16 bytes). */
struct copy_counts count_copy(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size, int bypass);

#endif
