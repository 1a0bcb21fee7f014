/* needs.h - what each instruction of a function needs: the unit that takes it, and what it waits for. */
#pragma once

#include "timing.h"

#include "machine/machine.h"

/* The units of a scheduler. UNIT_NONE: it needs none beside the slot in which it is issued. */
enum unit {
    UNIT_FMA,
    UNIT_ALU,
    UNIT_XU,
    UNIT_FP64,
    UNIT_MEMORY,
    UNIT_UNIFORM,
    UNIT_BRANCH,
    UNIT_TENSOR,
    UNITS,
    UNIT_NONE = UNITS
};

/* What the replay does with an instruction beside. */
enum {
    NEEDS_SHUFFLE = 1,
    NEEDS_BRANCH = 2,
    NEEDS_FENCE = 4,
    NEEDS_BLOCK_FENCE = 8,
    NEEDS_EMPTY_L1 = 16,       /* CCTL.IVALL */
    NEEDS_PREFETCH = 32,       /* CCTL.E.PF2: nobody waits for it */
    NEEDS_STRONG = 64,         /* past the L1 */
    NEEDS_WIDE = 128,          /* 16 bytes a lane */
    NEEDS_ARRIVAL = 256,       /* BAR.ARV */
    NEEDS_COMMIT = 512,        /* LDGDEPBAR: the copies until here are a group, */
    NEEDS_GROUPS = 1024,       /* DEPBAR: and all but the last `groups` have to be there */
    NEEDS_PRODUCT = 2048,      /* of a warpgroup: nobody waits for it, */
    NEEDS_PRODUCTS_END = 4096, /* which are a group until here, */
    NEEDS_PRODUCTS = 8192,     /* WARPGROUP.DEPBAR: and all but the last `groups` have to be done */
    NEEDS_END = 16384          /* EXIT */
};

struct needs {
    unsigned char unit;
    unsigned char stall;                       /* cycles until the warp's next instruction */
    unsigned char write_barrier, read_barrier; /* scoreboards; 7: none */
    unsigned char waits;                       /* for scoreboards, a bit each */
    unsigned char groups;
    unsigned short what;    /* NEEDS_ */
    double cycles, latency; /* for which it holds its unit; until its answer is there */
};

/* Returns what each instruction of a decoded function needs, whose rows replay_rows() has found. Caller frees. */
struct needs *needs_of(const struct function *function, const struct timing *timing, const unsigned char *row_of);
