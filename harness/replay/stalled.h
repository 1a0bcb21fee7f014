/* stalled.h - where the warps of a replay spend their time: at which instruction, and why. As the GPU's sampler has it,
 * a warp stands at the instruction that it issues next. */
#pragma once

/* The profiler's reasons that the replay knows, without their prefix, and what a warp does then. */
/* clang-format off */
#define STALLED_BY(S) \
    S(SELECTED,     "selected")           /* it issues */ \
    S(NOT_SELECTED, "not_selected")       /* it could, but its scheduler issues another warp's */ \
    S(WAIT,         "wait")               /* the stall count of its last instruction */ \
    S(BRANCH,       "branch_resolving")   /* a jump */ \
    S(FETCH,        "no_instructions")    /* code that no warp has had yet */ \
    S(LONG,         "long_scoreboard")    /* a scoreboard of global or local memory */ \
    S(SHORT,        "short_scoreboard")   /* of shared memory, constants, shuffles, special functions */ \
    S(MATH,         "math_pipe_throttle") /* a unit of arithmetic is busy, */ \
    S(MIO,          "mio_throttle")       /* that of special functions, or the queue to shared memory or constants, */ \
    S(LG,           "lg_throttle")        /* or to global and local memory */ \
    S(GMMA,         "gmma")               /* products of its warpgroup */ \
    S(BARRIER,      "barrier") \
    S(FENCE,        "membar") \
    S(SLEEP,        "sleeping") \
    S(DRAIN,        "drain")              /* its stores have to leave before it ends */
/* clang-format on */

#define STALLED_ENUM(name, word) STALLED_##name,
enum stalled { STALLED_BY(STALLED_ENUM) STALLEDS };
const char *stalled_name(enum stalled by); /* in replay.c */

/* How long all warps together stand at an instruction. */
struct stalls {
    double by[STALLEDS];
};
