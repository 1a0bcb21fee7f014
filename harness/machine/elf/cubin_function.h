/* cubin_function.h - what the machine code says about one function. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether code has instructions of tensor cores. */
enum code_tensor { CODE_TENSOR_UNKNOWN, CODE_TENSOR_UNUSED, CODE_TENSOR_USED };

struct cubin_function {
    char *name;           /* demangled, as launches have it: "copy_coalesced(float const*, float*)" */
    int capability;       /* compute capability that it was compiled for: 90 for 9.0 */
    char *code;           /* hash of the code in hexadecimal, see below */
    char *mix;            /* hash of which instructions it has and how many of each, whatever their order and registers;
                             NULL before compute capability 7.0, whose instructions are encoded otherwise */
    unsigned registers;   /* registers of a thread */
    unsigned local_bytes; /* bytes of stack of a thread, with all that the function calls: spilled registers and local
                             arrays. Of a recursive function its own frame only */
    unsigned shared_bytes;   /* bytes of static shared memory of a block */
    unsigned max_threads;    /* the largest block that it was compiled for (launch bounds); 0 where it does not say */
    unsigned barriers;       /* named barriers of a block */
    size_t image;            /* index of its image, from 0: one for each source file, unless device code was linked */
    enum code_tensor tensor; /* of it and of the image's functions that are no kernels, which it may call */
    bool halves;    /* these may add or multiply halves; false: they set constants or convert by these at most */
    bool singles;   /* these may add or multiply float32; false: they only look at what a division of float64 leaves */
    unsigned block; /* threads of each block, where the code states them (.reqntid); else 0 */
    unsigned local_accesses; /* instructions that read or write local memory; counted where mix is known */
};

/* Computes the code hashes. Functions with equal hashes do the same work in the same way. A hash covers the
 * instructions, all that they refer to, and the facts up to barriers. It also covers the image's constants, initialised
 * variables and non-kernel functions. (An image is one source file, unless device code was linked.) Names, paths,
 * comments and line information do not change it. Another kernel in the image does not either, unless it brings
 * constants or initialised variables. Which of those a function reads is written down nowhere, and "same code" must
 * never be wrong. */
