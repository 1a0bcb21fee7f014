/* architecture.h - what code of one compute capability expects of the system: where it tells launches what in constant
 * bank 0, and where shared memory begins. */
#pragma once

#include <stdbool.h>

struct architecture {
    int capability;         /* compute capability, 90 for 9.0 */
    bool verified;          /* its counts were compared with those of such a GPU */
    unsigned threads;       /* offsets in constant bank 0, in bytes: the size of a block, three words */
    unsigned blocks;        /* the size of the grid, three words */
    unsigned shared_window; /* the generic address of shared memory; 0: a special register has it */
    unsigned local_window;  /* that of local memory */
    unsigned stack_top;     /* where the stack of a thread begins */
    unsigned smids;         /* %nsmid */
    unsigned workspace;     /* where blocks of a cooperative launch meet; 0: not known, so that there are none */
    unsigned parameters;    /* where arguments begin, unless the code says so */
    unsigned reserved;      /* bytes at the beginning of a block's shared memory that are the system's */
    unsigned shared_most;   /* bytes of shared memory that a block may have, without these */
};

/* Returns the row of a compute capability; NULL: code for it cannot be executed. */
const struct architecture *architecture_find(int capability);
