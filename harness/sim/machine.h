/* machine.h - shared by the files that execute machine code: a warp with its registers, and a block. sass/instruction.h
 * says what an instruction is. */
#ifndef MACHINE_H
#define MACHINE_H

#include "grid.h"
#include "module.h"

#include "base/base.h"
#include "sass/sass.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Warps ---- */

enum split_state { SPLIT_READY, SPLIT_JOINING, SPLIT_SYNCING, SPLIT_AT_BARRIER, SPLIT_AT_PHASE };

/* A split: lanes of a warp that are at the same place. */
struct split {
    uint32_t pc; /* index of its next instruction */
    uint32_t lanes;
    unsigned char state;
    unsigned char joins;   /* in SPLIT_JOINING: the barrier register at which it joins */
    unsigned char barrier; /* in SPLIT_AT_BARRIER: the barrier of the block, and its number of threads; 0: all */
    unsigned barrier_threads;
    uint32_t wanted;            /* in SPLIT_SYNCING: the lanes that it waits for */
    uint32_t targets[BARRIERS]; /* for each barrier register, the lanes that join there */
};

struct memo;
struct shadow;

struct warp {
    uint32_t rows[ROWS][LANES] __attribute__((aligned(64)));
    uint32_t threads[3][LANES]; /* x, y and z of its threads in the block */
    uint32_t masks[MASKS];      /* predicates P0 to PT, UP0 to UPT, and one that nobody reads */
    char *spaces[2];            /* base addresses of rows: SPACE_WARP, SPACE_CONSTANTS */
    uint32_t alive;             /* lanes that have not exited */
    uint32_t active;            /* lanes of the split that is executed */
    uint32_t guarded;           /* those of them whose guard is true */
    uint32_t barrier_count;     /* threads that said yes to the last BAR.RED */
    bool barrier_vote;          /* whether all of them, or any, said yes */
    struct split splits[LANES];
    unsigned split_count;
    unsigned current;
    struct block *block;
    unsigned number; /* index in the block */
    unsigned char *local;
    struct poll {
        uint32_t pc, lanes;
        uint64_t address, value;
    } poll;         /* the last look at something that others may change: waits.h */
    bool yields;    /* its turn is over */
    bool idle;      /* in this turn it found what it had found before */
    unsigned turns; /* turns that its split has had in a row */
};

enum { BLOCK_BARRIERS = 16 };
struct block_barrier {
    unsigned arrived; /* threads that arrived by BAR.ARV; those that wait are counted when needed */
    uint32_t votes, vote_and, vote_or;
    unsigned generation;
};

/* A word of shared memory on which a warp did a compare and swap. */
struct swap {
    uint32_t address;
    unsigned warp;
};
struct swaps {
    struct swap *list;
    size_t count;
    unsigned epoch;
};

/* A block, as one CPU thread executes it. */
struct block {
    const struct grid *grid;
    struct code *code;
    struct tally *tallies; /* this CPU thread's own; where nothing is counted, one that nobody reads */
    bool counts;
    struct memo *memos; /* one for each instruction */
    unsigned index[3];
    uint64_t number;
    struct warp *warps;
    unsigned warp_count;
    unsigned char *constants; /* rows of constants */
    unsigned char *bank0;
    size_t bank0_size;
    unsigned char *shared;
    size_t shared_size;    /* with the part that the system keeps */
    unsigned local_bytes;  /* of each thread */
    struct shadow *shadow; /* who accessed each word; NULL: races are not looked for in this block */
    struct shadow *kept_shadow;
    struct races *races; /* of its warps in global memory; NULL: they are not looked for in this block */
    struct races *kept_races;
    unsigned epoch; /* number of barriers of the block that were passed */
    struct swaps swaps;
    struct block_barrier barriers[BLOCK_BARRIERS];
    bool parts;     /* lanes that yield are not waited for any more where they were to join others */
    bool watched;   /* it is noted whom the block meets in global memory: meetings.h */
    uint64_t begun; /* blocks of this launch that this CPU thread has begun, this one included */
    unsigned turn;  /* instructions that a warp executes before the next warp does */
    bool runs;      /* it has begun, and is not done */
    bool idle;      /* in the last turn, all of its warps waited for others */
    bool borrows;   /* its memos are those of another block */
    bool at_turn;
    struct block *next;                     /* another block that the same CPU thread has begun; NULL: there is none */
    void (*interrupt)(struct block *block); /* called within an instruction, so that the next block comes in between */
    uint64_t launch_workspace;              /* an address of the GPU; 0: the launch is not cooperative */
    const struct instruction *now;
    jmp_buf *failed;
    struct problem *problem;
    bool *fault;
};

/* These make the block fail and do not return: block_fault() for a fault of the kernel, block_not_simulated() for
 * something that cannot be simulated. */
__attribute__((noreturn, format(printf, 2, 3))) void block_fault(struct block *block, const char *format, ...);
__attribute__((noreturn, format(printf, 2, 3))) void block_not_simulated(struct block *block, const char *format, ...);

enum {
    SHARED_RESERVED = 1024,
    PARAMETER_BANK = 0,
    STACK_TOP = 0x28,
    GRID_WORKSPACE = 0x44,
};
/* These are the generic addresses at which shared and local memory begin. Nothing of a process lies there. */
#define SHARED_WINDOW (UINT64_C(0x40) << 32)
#define LOCAL_WINDOW (UINT64_C(0x41) << 32)

/* Returns the place that a block executes, "kernels/a.cu:12 (block 0,0,0)". Caller frees. In fault.c. */
char *block_place(const struct block *block);

/* Executes a warp until every split waits or has exited, or until its turn is over. In warp.c. */
enum { FUEL = 1 << 20 }; /* most instructions of a turn */
void warp_start(struct warp *warp);
bool warp_run(struct warp *warp); /* true: something was executed */
/* Lets splits continue that wait for a phase which is over. Returns whether there were any. */
bool warp_end_waits(struct warp *warp);
bool phase_is_over(struct warp *warp, const struct instruction *code, uint32_t lanes); /* mbarrier.c */

/* Returns the row at a byte offset. */
static inline uint32_t *row_at(const struct warp *warp, unsigned space, uint32_t offset)
{
    return (uint32_t *)(void *)(warp->spaces[space] + offset);
}
#define ROW(n) row_at(warp, code->operands[n].space, code->operands[n].row)
#define HIGH(n) row_at(warp, code->operands[n].space, code->operands[n].high)
#define ROW_BEHIND(n, k)                                                                                               \
    row_at(warp, code->operands[n].space,                                                                              \
           code->operands[n].row + (k) * (code->operands[n].high - code->operands[n].row))

static inline uint32_t *mask_at(struct warp *warp, uint32_t offset)
{
    return (uint32_t *)(void *)((char *)warp->masks + offset);
}
/* Returns the lanes for which a predicate operand is true. */
static inline uint32_t predicate(struct warp *warp, const struct operand *operand)
{
    return *mask_at(warp, operand->row) ^ (operand->invert ? ALL_LANES : 0);
}
static inline void predicate_set(struct warp *warp, const struct operand *operand, uint32_t lanes, uint32_t values)
{
    uint32_t *mask = mask_at(warp, operand->row);
    *mask = (*mask & ~lanes) | (values & lanes);
}

/* ---- Operations: opcode.c finds them by name ---- */

/* Each file of operations has a table for each kind of vector unit that the CPU of this machine, which simulates, may
 * have. A row with a NULL name ends it. */
enum { VECTOR_BASE, VECTOR_AVX2, VECTOR_AVX512, VECTORS };
/* The environment variable that names the kind of vector unit to use, so that tests can compare them. Without it, the
 * best that this CPU has is used. */
#define VECTOR_VARIABLE "CUGATE_SIM_VECTOR"
unsigned vector_unit(void);
/* Index of a kind by its name, such as "base"; -1: this CPU has none of that name. */
int vector_unit_wanted(const char *name);
#define VECTOR_TABLES(name) extern const struct opcode name##_base[], name##_avx2[], name##_avx512[]
VECTOR_TABLES(lanes_integer);
VECTOR_TABLES(lanes_float);
VECTOR_TABLES(lanes_half);
VECTOR_TABLES(lanes_convert);
VECTOR_TABLES(lanes_memory);
extern const struct opcode control_opcodes[], warp_opcodes[], texture_opcodes[], atomic_opcodes[], tensor_opcodes[],
    mbarrier_opcodes[];

find_opcode opcode_find;

#endif
