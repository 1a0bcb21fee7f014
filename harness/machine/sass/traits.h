/* traits.h - the kinds of instructions that the GPU's counters tell apart. */
#ifndef TRAITS_H
#define TRAITS_H

enum {
    TRAIT_LOAD = 1,
    TRAIT_STORE = 2,
    TRAIT_ATOMIC = 4,     /* is neither load nor store, with or without a result */
    TRAIT_ASYNC_COPY = 8, /* copies from global to shared memory, and is also a load */
    TRAIT_GLOBAL = 16,    /* accesses global memory; likewise below */
    TRAIT_SHARED = 32,
    TRAIT_LOCAL = 64,
    TRAIT_GENERIC = 128, /* the address decides which memory it accesses */
    TRAIT_FP16 = 256,    /* an addition, a multiplication, or a fused one of both */
    TRAIT_FP32 = 512,
    TRAIT_FP64 = 1024,
    TRAIT_FUSED = 2048 /* multiplies and adds at once */
};

/* Returns the TRAIT_ bits of an opcode with its modifiers, such as "LDG.E.128". 0: it is of no such kind. */
unsigned opcode_traits(const char *opcode);

#endif
