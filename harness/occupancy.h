/* occupancy.h - theoretical occupancy: how many blocks of a launch fit on an SM at once, and what stands in the way of
 * one more. Pure; the rules are those of the toolkit's cuda_occupancy.h. */
#ifndef OCCUPANCY_H
#define OCCUPANCY_H

#include <stdbool.h>

/* What a launch takes of an SM. */
struct occupancy_launch {
    unsigned threads;      /* a block */
    unsigned registers;    /* a thread */
    unsigned shared_bytes; /* a block, static and dynamic */
    unsigned max_threads;  /* a block may have so many (launch bounds); 0: as many as the GPU allows */
    unsigned barriers;     /* named barriers a block */
};

/* What allows no more blocks; several at once when they stop at the same number. */
enum occupancy_limit {
    OCCUPANCY_THREADS = 1, /* warps of the SM, by the size of the block */
    OCCUPANCY_REGISTERS = 2,
    OCCUPANCY_SHARED_MEMORY = 4,
    OCCUPANCY_BLOCKS = 8, /* block slots of the SM */
    OCCUPANCY_BARRIERS = 16
};

struct occupancy {
    unsigned blocks; /* on an SM at once; 0 for a launch that the GPU refuses */
    unsigned warps, most_warps;
    double percent;  /* warps / most_warps */
    unsigned limits; /* enum occupancy_limit, or'ed */
};

/* For a GPU of that compute capability (90 for 9.0). False when it is not known, or the launch has no threads. */
bool occupancy_of(struct occupancy *occupancy, int capability, const struct occupancy_launch *launch);

#endif
