/* cubin_function.h - what machine code says of one function. */
#ifndef CUBIN_FUNCTION_H
#define CUBIN_FUNCTION_H

#include <stddef.h>

struct cubin_function {
    char *name;            /* as launches have it: "copy_coalesced(float const*, float*)" */
    int capability;        /* that it was compiled for: 90 for 9.0 */
    char *code;            /* hash in hexadecimal, see below */
    unsigned registers;    /* a thread */
    unsigned local_bytes;  /* stack of a thread with all that it calls: spilled registers and local arrays; of a
                            * recursive  function its own frame */
    unsigned shared_bytes; /* static shared memory of a block */
    unsigned max_threads;  /* largest block that it was compiled for (launch bounds), 0 where it does not say */
    unsigned barriers;     /* named barriers a block */
    size_t image;          /* the image that it is in, from 0: one of each source file, unless code was linked */
};

/* Two functions with the same hash do the same in the same way: it covers the instructions, what they refer to, the
 * facts above, and of the image (one source file, unless device code was linked) all constants, initialised variables
 * and functions that are no kernels. Names, paths, comments and line information do not move it, nor does another
 * kernel beside it, unless that brings constants or initialised variables: which of those a function reads is not
 * written down anywhere, and "same code" must never be said in error. */

#endif
