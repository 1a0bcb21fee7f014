/* machine.h - between the files that execute machine code: a decoded instruction, a warp and its registers, a block.
 *
 * Whatever an instruction reads or writes for its 32 lanes is a row of 32 words: a register, a uniform register (all
 * lanes alike), a constant, an immediate. So one way of writing an operation serves them all. A predicate is a mask of
 * lanes. */
#ifndef MACHINE_H
#define MACHINE_H

#include "grid.h"
#include "module.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32 };
#define ALL_LANES UINT32_MAX

/* ---- Instructions ---- */

enum operand_kind {
    OPERAND_NONE,
    OPERAND_ROW,       /* a register, uniform register, constant or immediate */
    OPERAND_PREDICATE, /* likewise a uniform one */
    OPERAND_CONSTANT,  /* c[bank][register + offset], of a load */
    OPERAND_ADDRESS,   /* [register + uniform register + offset] */
    OPERAND_BARRIER,   /* B0 to B15 */
    OPERAND_TARGET,    /* an offset in the function */
    OPERAND_SPECIAL,   /* SR_TID.X */
    OPERAND_WORD       /* anything else, as it stands */
};

enum half { HALF_BOTH, HALF_LOW, HALF_HIGH, HALF_SINGLE /* a 32-bit number in place of two halves */ };

/* Small, since those of an instruction are read each time it is executed. */
struct operand {
    unsigned char kind;
    unsigned char half;
    unsigned char space; /* of a row: SPACE_WARP or SPACE_CONSTANTS */
    unsigned char index; /* of a register, barrier, bank */
    unsigned char byte;  /* .B1: 1 + its number; 0: whole */
    unsigned char scale; /* of an address's register: .X4, .X8, .X16; else 1 */
    bool negate : 1;     /* -: of a number; with carries of a word: ~ */
    bool absolute : 1;   /* || */
    bool invert : 1;     /* ~ of a word, ! of a predicate */
    bool uniform : 1;    /* a uniform register or predicate */
    bool wide : 1;       /* an address of 64 bits; the register of one */
    bool immediate : 1;
    bool based : 1;     /* an address has a uniform register beside its own */
    uint32_t row, high; /* byte offsets of the row, and of that behind it for 64 bits; of a predicate's mask */
    union {
        struct {
            uint32_t base, base_high; /* of an address: the uniform register's rows */
        };
        const char *word; /* OPERAND_SPECIAL, OPERAND_WORD: the code's text */
    };
    int64_t value; /* an immediate, an offset, a target */
};

enum { SPACE_WARP, SPACE_CONSTANTS };

/* What an instruction asks of the loop that executes a warp; CONTROL_NEXT only changes registers and memory. */
enum control {
    CONTROL_NEXT,
    CONTROL_BRANCH,
    CONTROL_BRANCH_DIVERGENT, /* BRA.DIV */
    CONTROL_BRANCH_ANY,       /* BRA.U.ANY and its like */
    CONTROL_BRANCH_INDEXED,   /* BRX */
    CONTROL_CALL_OUTSIDE,     /* CALL.ABS, of a function that is not in the machine code */
    CONTROL_CALL,
    CONTROL_RETURN,
    CONTROL_EXIT,
    CONTROL_OPEN, /* BSSY */
    CONTROL_JOIN, /* BSYNC */
    CONTROL_BREAK,
    CONTROL_MOVE_BARRIER, /* BMOV */
    CONTROL_WARPSYNC,
    CONTROL_BLOCK_BARRIER, /* BAR */
    CONTROL_WAIT_PHASE,    /* SYNCS.PHASECHK: until a phase of a barrier in memory is over */
    CONTROL_YIELD,         /* lets others go first: YIELD, NANOSLEEP */
    CONTROL_TRAP,
    CONTROL_UNKNOWN /* not simulated */
};

struct warp;
struct instruction;
typedef void operation(struct warp *warp, const struct instruction *code, uint32_t lanes);

enum { OPERANDS = 10, MODIFIERS = 10 };

struct instruction {
    operation *run;      /* for the lanes whose guard is true, one at least */
    uint32_t guard;      /* byte offset of its mask */
    uint32_t guard_flip; /* ALL_LANES for @!P */
    uint64_t known;      /* of the modifiers, see KNOWN_MODIFIERS */
    unsigned char control;
    bool guarded;       /* by another predicate than PT */
    bool uniform;       /* writes uniform registers, for all lanes alike */
    unsigned char size; /* bytes a lane accesses */
    unsigned char operand_count;
    unsigned char flags[7]; /* what its operation makes of the modifiers */
    unsigned index;         /* its place in the function */
    struct operand operands[OPERANDS];
    const char *opcode; /* with all modifiers */
    const char *modifiers[MODIFIERS];
    unsigned modifier_count;
    bool counts_known; /* memory: what it accesses is told by its opcode */
};

/* What fills a row of the constants at a launch. */
struct constant_row {
    bool immediate;
    unsigned bank;
    uint32_t value; /* or offset in the bank */
};

struct code {
    struct instruction *list;
    size_t count;
    struct constant_row *constants;
    size_t constant_count;
    unsigned char *bank2; /* jump tables */
    size_t bank2_size;
    char *texts;       /* all words that instructions point to */
    bool tells_others; /* warps of a block tell each other things by other means than whole barriers */
};

bool has_modifier(const struct instruction *code, const char *modifier);

/* Modifiers that operations ask for while they run: a bit each of `known`. */
/* clang-format off */
#define KNOWN_MODIFIERS(M) \
    M(X) M(U32) M(W) M(C) M(SH) M(PAND) M(RELU) M(ACC) M(S8) M(U8) M(FTZ) M(SAT) M(RZ) M(RM) M(RP) M(ADD) M(MIN) \
    M(MAX) M(INC) M(DEC) M(AND) M(OR) M(XOR) M(EXCH) M(CAS) M(CAST) M(POPC) M(S32) M(S64) M(64) M(F32) M(F64) \
    M(F16x2) M(BF16x2) M(RN) M(ALL) M(ANY) M(IDX) M(UP) M(DOWN) M(BFLY) M(SUM) M(RED) M(ARV) M(SYNC) M(CLEAR) \
    M(RESULT) M(STRONG) M(GPU) M(SYS) M(SM) M(BYPASS) M(E) M(H0) M(COLLECTIVE) M(EQ) M(BF) M(DIV) M(MMA)
/* clang-format on */
enum {
#define MODIFIER_PLACE(name) MODIFIER_PLACE_##name,
    KNOWN_MODIFIERS(MODIFIER_PLACE)
#undef MODIFIER_PLACE
        MODIFIER_PLACES
};
#define MODIFIER(name) (UINT64_C(1) << MODIFIER_PLACE_##name)
#define IS(name) ((code->known & MODIFIER(name)) != 0)

/* ---- Warps ---- */

enum {
    ROW_BYTES = LANES * 4,
    ROW_ZERO = 255,              /* RZ */
    ROW_UNIFORM = 256,           /* UR0 */
    ROW_UNIFORM_ZERO = 256 + 63, /* URZ */
    ROW_SINK = 256 + 64,         /* what is written to RZ: four, for 128 bits */
    ROWS = ROW_SINK + 4,
    MASK_TRUE = 7, /* PT; UPT is 15 */
    MASK_SINK = 16,
    MASKS = 17,
    BARRIERS = 16
};

enum split_state { SPLIT_READY, SPLIT_JOINING, SPLIT_SYNCING, SPLIT_AT_BARRIER, SPLIT_AT_PHASE };

/* Lanes of a warp that are at one place. */
struct split {
    uint32_t pc; /* index of the next instruction */
    uint32_t lanes;
    unsigned char state;
    unsigned char joins;   /* SPLIT_JOINING: the barrier register */
    unsigned char barrier; /* SPLIT_AT_BARRIER: which, and of how many threads; 0: all */
    unsigned barrier_threads;
    uint32_t wanted;            /* SPLIT_SYNCING: lanes that it waits for */
    uint32_t targets[BARRIERS]; /* lanes that join there */
};

struct memo;
struct shadow;

struct warp {
    uint32_t rows[ROWS][LANES] __attribute__((aligned(64)));
    uint32_t threads[3][LANES]; /* its lanes' places in the block */
    uint32_t masks[MASKS];      /* P0 to PT, UP0 to UPT, the sink */
    char *spaces[2];            /* where rows are: this warp, the constants */
    uint32_t alive;             /* lanes that have not exited */
    uint32_t active;            /* lanes of the split that runs */
    uint32_t guarded;           /* and whose guard is true */
    uint32_t barrier_count;     /* of the last BAR.RED: threads that said yes */
    bool barrier_vote;          /* and whether all or any did */
    struct split splits[LANES];
    unsigned split_count;
    unsigned current;
    struct block *block;
    unsigned number; /* in the block */
    unsigned char *local;
    struct poll {
        uint32_t pc, lanes;
        uint64_t address;
    } poll; /* the last load that other blocks may have changed */
    bool yields;
    unsigned turns; /* that its split has had in a row */
};

enum { BLOCK_BARRIERS = 16 };
struct block_barrier {
    unsigned arrived; /* threads by BAR.ARV; those that wait are counted when asked */
    uint32_t votes, vote_and, vote_or;
    unsigned generation;
};

/* Words of shared memory that were compared and swapped. */
struct swap {
    uint32_t address;
    unsigned warp;
};
struct swaps {
    struct swap *list;
    size_t count;
    unsigned epoch;
};

/* What one CPU thread executes. */
struct block {
    const struct grid *grid;
    struct code *code;
    struct tally *tallies; /* this thread's; or a place for what nobody counts */
    bool counts;
    struct memo *memos; /* of each instruction */
    unsigned index[3];
    uint64_t number;
    struct warp *warps;
    unsigned warp_count;
    unsigned char *constants; /* rows */
    unsigned char *bank0;
    size_t bank0_size;
    unsigned char *shared;
    size_t shared_size;    /* with what the system keeps */
    unsigned local_bytes;  /* of a thread */
    struct shadow *shadow; /* NULL: races are not looked for in this block */
    struct shadow *kept_shadow;
    unsigned epoch; /* barriers passed */
    struct swaps swaps;
    struct block_barrier barriers[BLOCK_BARRIERS];
    struct launch_state *launch;
    bool watched;   /* whom it meets in global memory is looked for: meetings.h */
    uint64_t begun; /* blocks that were executed here in this launch, with this one */
    unsigned turn;  /* instructions that a warp executes before the next one */
    bool runs;      /* it has begun, and is not done */
    bool at_turn;
    struct block *next;                     /* that the same CPU thread has begun; NULL: there is none */
    void (*interrupt)(struct block *block); /* in the middle of an instruction: the next block comes in between */
    uint64_t launch_workspace;              /* address; 0: the launch is not cooperative */
    const struct instruction *now;
    jmp_buf *failed;
    struct problem *problem;
    bool *fault;
};

/* The block fails: of a fault that the kernel made, or of something that is not simulated. Neither returns. */
__attribute__((noreturn, format(printf, 2, 3))) void block_fault(struct block *block, const char *format, ...);
__attribute__((noreturn, format(printf, 2, 3))) void block_not_simulated(struct block *block, const char *format, ...);

enum {
    SHARED_RESERVED = 1024,
    PARAMETER_BANK = 0,
    STACK_TOP = 0x28,
    GRID_WORKSPACE = 0x44,
};
/* Where generic addresses of shared and of local memory begin; nothing of a process lies there. */
#define SHARED_WINDOW (UINT64_C(0x40) << 32)
#define LOCAL_WINDOW (UINT64_C(0x41) << 32)

/* Where it is: "kernels/a.cu:12 (block 0,0,0)". Caller frees. fault.c */
char *block_place(const struct block *block);

/* Executes until every split waits or has exited, or its turn is over. warp.c */
enum { FUEL = 1 << 20 }; /* the longest turn */
void warp_start(struct warp *warp);
bool warp_run(struct warp *warp); /* whether anything was executed */
/* Lets those go on that wait for a phase which is over: whether there were any. */
bool warp_end_waits(struct warp *warp);
bool phase_is_over(struct warp *warp, const struct instruction *code, uint32_t lanes); /* mbarrier.c */

/* Rows of an operand. */
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
/* The lanes whose predicate operand is true. */
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

struct opcode {
    const char *name; /* "IADD3", or with modifiers "IMAD.WIDE": the longest that fits counts */
    operation *run;
    unsigned char control;
    /* Looks at operands and modifiers, sets flags and what is special; NULL: nothing to do. false: not simulated. */
    bool (*prepare)(struct instruction *code);
    /* The operands that it writes, first: d a row, p a predicate, which is put in (one that nobody reads) where the
     * text leaves it out, D a row for which the same is true. NULL: "d". */
    const char *outputs;
    const char *modifiers; /* that may stand behind the name, with blanks between; NULL: prepare looks for itself */
};

/* Each file of operations has a table for each kind of vector unit, ended by a NULL name. */
enum { VECTOR_BASE, VECTOR_AVX2, VECTOR_AVX512, VECTORS };
/* The best that this machine has, or what the variable names, so that tests can compare them. */
#define VECTOR_VARIABLE "CUGATE_SIM_VECTOR"
unsigned vector_unit(void);
int vector_unit_wanted(const char *name); /* "base"; -1: there is none of that name here */
#define VECTOR_TABLES(name) extern const struct opcode name##_base[], name##_avx2[], name##_avx512[]
VECTOR_TABLES(lanes_integer);
VECTOR_TABLES(lanes_float);
VECTOR_TABLES(lanes_half);
VECTOR_TABLES(lanes_convert);
VECTOR_TABLES(lanes_memory);
extern const struct opcode control_opcodes[], warp_opcodes[], texture_opcodes[], atomic_opcodes[], tensor_opcodes[],
    mbarrier_opcodes[];

const struct opcode *opcode_find(const char *opcode); /* NULL: not simulated */

#endif
