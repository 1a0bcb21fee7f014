/* occupancy.h - theoretical occupancy: how many blocks of a launch fit on an SM at once, and which resource limits
 * them. Pure; the rules are those of the toolkit's cuda_occupancy.h. */
#pragma once

#include <stdbool.h>

/* The resources of an SM that a launch needs. */
struct occupancy_launch {
    unsigned threads;      /* threads of a block */
    unsigned registers;    /* registers of a thread */
    unsigned shared_bytes; /* bytes of shared memory of a block, static and dynamic */
    unsigned max_threads;  /* launch bounds: the largest block allowed; 0: as large as the GPU allows */
    unsigned barriers;     /* named barriers of a block */
    unsigned carve_out;    /* as struct launch has it */
};

/* The resource that limits the number of blocks. Several are set when they limit it to the same number. */
enum occupancy_limit {
    OCCUPANCY_THREADS = 1, /* the SM's warps are used up, given the size of a block */
    OCCUPANCY_REGISTERS = 2,
    OCCUPANCY_SHARED_MEMORY = 4,
    OCCUPANCY_BLOCKS = 8, /* the SM's block slots are used up */
    OCCUPANCY_BARRIERS = 16
};

struct occupancy {
    unsigned blocks; /* blocks on an SM at once; 0 for a launch that the GPU refuses */
    unsigned warps, max_warps;
    double percent;  /* occupancy in %: warps / max_warps */
    unsigned limits; /* what limits it: values of enum occupancy_limit, combined by | */
};

/* Computes the occupancy of a launch on a GPU of that compute capability (90 for 9.0). Returns false when the GPU is
 * not known, or the launch has no threads. */
bool occupancy_of(struct occupancy *occupancy, int capability, const struct occupancy_launch *launch);

/* Returns which number of a launch that resource is of. */
unsigned *occupancy_part(struct occupancy_launch *launch, enum occupancy_limit resource);

const char *occupancy_limit_name(enum occupancy_limit limit); /* returns "registers", "block slots", ... */

/* Writes the limits into text, "registers and block size", and returns it. */
#define OCCUPANCY_WORDS 80
const char *occupancy_limits(unsigned limits, char text[OCCUPANCY_WORDS]);

/* The smallest change of one resource with which more warps fit on an SM. */
struct occupancy_step {
    enum occupancy_limit resource;
    unsigned from, to;          /* for registers of a thread, bytes or barriers of a block; else threads of a block */
    struct occupancy occupancy; /* the occupancy with the changed number */
};

/* Finds the smallest change of one resource with which more warps fit, while the rest of the launch stays. It is the
 * largest smaller number. For OCCUPANCY_THREADS it is a smaller block of whole warps, but for OCCUPANCY_BLOCKS a larger
 * one, since few slots need large blocks. Returns false when all warps fit already or no number helps, for example
 * because another resource limits too. */
bool occupancy_step(struct occupancy_step *step, int capability, const struct occupancy_launch *launch,
                    enum occupancy_limit resource);
