/* traits.h - of what kind an instruction is, as far as counters tell kinds apart. */
#ifndef TRAITS_H
#define TRAITS_H

enum {
    TRAIT_LOAD = 1,
    TRAIT_STORE = 2,
    TRAIT_ATOMIC = 4,     /* with or without a result; neither load nor store */
    TRAIT_ASYNC_COPY = 8, /* from global to shared memory: also a load */
    TRAIT_GLOBAL = 16,    /* the memory that it is made for */
    TRAIT_SHARED = 32,
    TRAIT_LOCAL = 64,
    TRAIT_GENERIC = 128, /* the address decides */
    TRAIT_FP16 = 256,    /* an addition, a multiplication or both at once */
    TRAIT_FP32 = 512,
    TRAIT_FP64 = 1024,
    TRAIT_FUSED = 2048 /* both at once */
};

/* By the opcode with its modifiers, "LDG.E.128". */
unsigned opcode_traits(const char *opcode);

#endif
