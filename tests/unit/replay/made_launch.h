/* made_launch.h - a launch made by hand for the replay: a few instructions, and what its warps are recorded to do. */
#pragma once

#include "replay/replay.h"

/* An instruction, with its control bits, as each warp executes it. STEPS(...) is a list of them. */
struct made_step {
    const char *opcode, *operands;
    unsigned stall, answers, reads, waits; /* 1 + scoreboard; 0: none. Likewise the one that it waits for. */
    enum recorded_kind kind;
    uint32_t head[2];                  /* words before its sectors, as record.h has them */
    uint32_t sectors, first, distance; /* how many; the first one; from each to the next, 0: 1 */
    unsigned times;                    /* that it is executed in a row; 0: once */
    uint32_t moves;                    /* sectors from each of these times to the next */
    unsigned warps;                    /* a bit for each warp that executes it; 0: all */
};
#define STEPS(...) ((const struct made_step[]){__VA_ARGS__, {.opcode = NULL}})

/* One SM. Zeros are one block of one warp, on a GPU of one SM, which brings all sectors from DRAM itself. */
struct made_launch {
    const struct made_step *steps;
    unsigned blocks, resident, warps;
    size_t l1_bytes;
    double share;         /* of the sectors, that it brings from DRAM; 0: 1, below 0: none */
    double stored, whole; /* as struct traffic has them */
    const char *constant; /* of the chip, that is another one */
    double value;
    uint64_t most;         /* instructions of a warp; 0: all */
    double hottest;        /* atomics, all at one address */
    struct stalls *stalls; /* zeros for each step, which are set; NULL: they are not asked for */
};

/* Replays it. A cycle is a ns, DRAM moves a sector in each. The launch itself, jumps and new code take none. */
struct replay_time made_replay(const struct made_launch *launch);

/* The function of the steps, which is freed by made_function_free(). */
struct function made_function(const struct made_step *steps);
void made_function_free(struct function *function);

/* Appends an instruction to a warp's stream. */
void made_record(struct recorded_warp *warp, unsigned index, const struct made_step *step, uint32_t first);

/* Returns the value of a constant of the default chip. */
double made_constant(const char *name);
