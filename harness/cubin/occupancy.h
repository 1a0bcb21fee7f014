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
    unsigned warps, max_warps;
    double percent;  /* warps / max_warps */
    unsigned limits; /* enum occupancy_limit, or'ed */
};

/* For a GPU of that compute capability (90 for 9.0). False when it is not known, or the launch has no threads. */
bool occupancy_of(struct occupancy *occupancy, int capability, const struct occupancy_launch *launch);

const char *occupancy_limit_name(enum occupancy_limit limit); /* "registers", "block slots", ... */

/* "registers and block size", in text, which it returns. */
#define OCCUPANCY_WORDS 80
const char *occupancy_limits(unsigned limits, char text[OCCUPANCY_WORDS]);

/* The least change of one resource that lets more warps onto the SM. */
struct occupancy_step {
    enum occupancy_limit resource;
    unsigned from, to;          /* registers a thread, bytes or barriers a block; else threads a block */
    struct occupancy occupancy; /* with it */
};

/* Looks for the largest smaller number of that resource with which more warps fit, the rest of the launch being as it
 * is: for OCCUPANCY_THREADS a smaller block of whole warps; but for OCCUPANCY_BLOCKS the next larger one, since few
 * slots want large blocks. False when every warp fits already or no such number exists, for example because another
 * resource stands in the way as well. */
bool occupancy_step(struct occupancy_step *step, int capability, const struct occupancy_launch *launch,
                    enum occupancy_limit resource);

#endif
