/* ptx.h - machine code of PTX, which a GPU's driver would compile. CUDA's ptxas does it here, as it is on this machine:
 * the code, and so its counts, are of that version, which the code names and runs are compared by. */
#pragma once

#include "base/base.h"

/* Returns whether a text is PTX. */
bool ptx_is(const char *text);
/* Returns the compute capability that it is for, 90 for 9.0; 0: it does not say. */
int ptx_capability(const char *text);
/* Compiles it for a GPU, or takes what was compiled before. Returns an image, and sets *size; caller frees. NULL with
 * *problem. part: it is to be linked with others. */
unsigned char *ptx_compile(const char *text, int capability, bool part, size_t *size, struct problem *problem);

/* A piece of code. Its kind is how a file of it ends: "ptx", "cubin", "fatbin", "o" or "a". PTX ends with a NUL. */
struct code_piece {
    const char *kind;
    char *bytes;
    size_t size;
};
/* Has CUDA's nvlink, which is beside ptxas, link them. Returns as ptx_compile() does. */
unsigned char *pieces_link(const struct code_piece *pieces, size_t count, int capability, size_t *size,
                           struct problem *problem);
