/* triton.h - Triton's description of a function, which lies beside its cubin as NAME.json. */
#pragma once

#include <stdbool.h>

struct triton_launch {
    bool found;       /* there is a description; if not, all else is 0 */
    unsigned threads; /* of a block; 0, as all else: the description cannot be right */
    unsigned shared;  /* dynamic shared memory of a block, in bytes */
    unsigned ctas;    /* blocks of a cluster; 1 where the description does not say */
    char version[32]; /* of Triton, "3.7.1"; "" where the description does not say */
};

/* Reads the description beside a file, whose name ends with .cubin. Other JSON files are passed over. -1 after
 * error(). */
int triton_read(struct triton_launch *launch, const char *path);
