/* block.h - shared by the files that execute machine code: a warp with its registers, and a block. sass/instruction.h
 * says what an instruction is. */
#pragma once

#include "watch.h"

#include "machine/launch/launch.h"

/* ---- Warps ---- */

enum split_state { SPLIT_READY, SPLIT_JOINING, SPLIT_SYNCING, SPLIT_AT_BARRIER, SPLIT_AT_PHASE, SPLIT_AT_CLUSTER };

/* Splits of a warp are executed in turn; or the first one goes on for as long as it can, or the last one. */
enum split_order { SPLITS_IN_TURN, SPLITS_FIRST, SPLITS_LAST };

/* A split: lanes of a warp that are at the same place. */
struct split {
    uint32_t pc; /* index of its next instruction */
    uint32_t lanes;
    unsigned char state;
    unsigned char joins;    /* in SPLIT_JOINING: the barrier register at which it joins */
    unsigned short pending; /* as counted_by of an instruction: what was not waited for yet */
    unsigned char barrier;  /* in SPLIT_AT_BARRIER: the barrier of the block, and its number of threads; 0: all */
    unsigned barrier_threads;
    uint32_t wanted;            /* in SPLIT_SYNCING: the lanes that it waits for */
    uint32_t targets[BARRIERS]; /* for each barrier register, the lanes that join there */
    uint32_t yielders;          /* lanes of it that may be apart from the others, which waited for them: control.c */
    unsigned short held;        /* barrier registers at which these join the others again, a bit each */
};

struct hot_addresses;

/* Registers, a bit each. */
struct register_set {
    uint64_t bits[4];
};

/* The products that a warp's warpgroup has begun, in groups (wgmma.commit_group). */
enum { GROUPS_MOST = 16 };
struct products {
    uint64_t committed, waited; /* groups; those up to `waited` are done */
    uint64_t arrived;           /* at WARPGROUP.ARRIVE, and whether it is there now */
    bool arrives;
    bool open; /* the next group has products */
    struct {
        struct register_set written, read; /* accumulators, and registers with A */
        unsigned clock;                    /* of the warp, when it was waited for (hazards.h) */
    } groups[GROUPS_MOST];                 /* by number */
    struct register_set written, read;     /* of all groups that are not done */
    struct register_set changed;           /* by others than products, since the last WARPGROUP.ARRIVE */
};

/* What each instruction needs comes first, so that it is in few lines of the CPU's caches. */
struct warp {
    uint32_t rows[ROWS][LANES] __attribute__((aligned(64)));
    uint32_t masks[MASKS];  /* predicates P0 to PT, UP0 to UPT, and one that nobody reads */
    char *spaces[2];        /* base addresses of rows: SPACE_WARP, SPACE_CONSTANTS */
    uint32_t alive;         /* lanes that have not exited */
    uint32_t active;        /* lanes of the split that is executed */
    uint32_t guarded;       /* those of them whose guard is true */
    uint32_t gone_apart;    /* lanes that exited while others of the warp were elsewhere */
    uint32_t broken;        /* lanes that have broken out (BREAK) and not joined others since, */
    uint32_t follow;        /* those of them that did so behind others, until the branch that parts them, */
    uint32_t followers;     /* and from there until they join */
    uint32_t barrier_count; /* threads that said yes to the last BAR.RED */
    bool barrier_vote;      /* whether all of them, or any, said yes */
    unsigned joined;        /* how often splits of it did */
    unsigned split_count;
    unsigned current;
    struct block *block;
    unsigned number; /* index in the block */
    unsigned char *local;
    struct poll {
        uint32_t pc, lanes;
        uint64_t address, value;
    } poll;                   /* the last look at something that others may change: waits.h */
    bool ran, looked;         /* since look_for_progress() (turns.c); at something that others may change */
    unsigned slow_turns;      /* turns of one instruction that it has next */
    bool yields;              /* its turn is over */
    bool idle;                /* in this turn it found what it had found before */
    uint64_t steps;           /* instructions that it has executed before its turn, */
    unsigned in_turn;         /* and in it, before one that asks something of the loop */
    uint64_t waits_from;      /* the cluster's steps when a split of it began to wait for a phase */
    uint32_t cluster_arrived; /* lanes that arrived at the barrier of the cluster and have not been let go */
    int registers;            /* of each thread */
    unsigned turns;           /* turns that its split has had in a row */
    struct split splits[LANES];
    uint32_t yielders;          /* those of the split that is executed */
    uint32_t threads[3][LANES]; /* x, y and z of its threads in the block */
    struct products products;
};

/* Those that BAR names, and behind them one for each warpgroup. */
enum { NAMED_BARRIERS = 16, BLOCK_BARRIERS = NAMED_BARRIERS + 8 };
struct block_barrier {
    unsigned arrived;  /* threads that arrived by BAR.ARV; those that wait are counted when needed */
    unsigned wanted;   /* the count that all of them name */
    uint32_t arrivers; /* and the warps that they are of, one bit each */
    uint32_t votes, vote_and, vote_or;
};

/* Blocks that can access each other's shared memory. One CPU thread executes them in turn. */
struct cluster {
    struct block *blocks; /* in the order of their ranks */
    unsigned count;
    uint64_t number; /* in the grid */
    bool runs;       /* it has begun, and one of its blocks is not done */
    bool counted;    /* it takes a place on the GPU */
    bool idle;       /* in the last turn, all of its warps waited for others */
    uint64_t steps;  /* instructions that its warps have executed */
    bool waited;     /* since a warp of it continued, waits for a phase were given up */
};

/* Where warps begin to execute instructions one after the other, less those that stopped before this one. The sum up to
 * an instruction says how often it was executed, and by how many threads. */
struct flow {
    uint64_t warps, threads;
};

/* The most instructions that a warp has executed, and a block. */
struct most {
    uint64_t warp, block;
};

enum { SECTOR_BYTES = 32 };

/* The shape of an instruction's last access, in one CPU thread, and what it costs. What each access needs comes first,
 * so that it is in few lines of the CPU's caches. */
struct memo {
    uint32_t lanes; /* 0: there was no access yet */
    uint32_t low;
    bool shared; /* it was to shared memory */
    bool aligned;
    bool in_order;             /* all lanes take part, and lane l is at l * size from lane 0 */
    bool same;                 /* all lanes have the same address */
    bool near;                 /* no two lanes are 4 GiB apart */
    unsigned char home;        /* in global memory: enum home of the last access */
    uint64_t times;            /* accesses of this shape that the tally does not have yet */
    const unsigned char *last; /* in order: of the first lane, on this machine */
    int64_t least, most;       /* least and largest distance from the first lane's address */
    uint64_t begin, end;       /* in global memory: the allocation of the last access */
    const uint32_t *apart;     /* for lanes that take part: lower word of the distance from the first lane's address */
    struct met {
        uint64_t begin, end; /* the allocation of the last access */
        uint64_t *sectors;   /* NULL: it is not noted who accesses it */
        uint32_t *lines;
    } met; /* see meetings.h */
    unsigned sectors, ideal_sectors, wavefronts, ideal_wavefronts, margin;
    struct copy_shape *copies; /* of asynchronous copies, COPY_SHAPES; NULL: there were none yet */
    uint32_t distances[LANES]; /* apart is this, unless lanes are in order or have the same address */
} __attribute__((aligned(64)));

/* A block, as one CPU thread executes it. */
struct block {
    const struct grid *grid;
    struct machine *machine; /* that executes it */
    struct cluster *cluster; /* of one block, if the launch has no clusters */
    unsigned rank;           /* in the cluster */
    struct code *code;
    /* This CPU thread's own; where nothing is counted, one that nobody reads. It does not have yet what flows say. */
    struct tally *tallies;
    struct flow *flows;        /* one for each instruction, and one behind the last */
    struct hot_addresses *hot; /* likewise: the atomics at each address */
    struct most *most;         /* and of its blocks that are done */
    bool counts;
    bool alone;                      /* it is executed by itself while its launch is tried (classes.c) */
    struct block_proof *proof;       /* NULL: nobody asks which blocks do the same */
    struct recorded_block *recorded; /* what its warps execute is noted here; NULL: it is not */
    struct memo *memos;              /* one for each instruction */
    unsigned index[3];
    uint64_t number;
    struct warp *warps;
    unsigned warp_count;
    unsigned char *constants; /* rows of constants */
    bool asks_smids;          /* %nsmid is one of them, which nobody knows here */
    unsigned char *bank0;
    size_t bank0_size;
    unsigned char *shared;
    size_t shared_size; /* with the part that the system keeps, which comes first: */
    unsigned reserved;
    unsigned local_bytes; /* of each thread */
    struct watch watch;
    unsigned epoch;     /* number of barriers of the block that were passed */
    bool copies_arrive; /* copies that take some time have arrived at a barrier of its */
    struct block_barrier barriers[BLOCK_BARRIERS];
    enum split_order splits;
    bool parts;       /* lanes that yield are not waited for any more where they were to join others */
    uint64_t begun;   /* blocks of this launch that this CPU thread has begun, this one included */
    unsigned turn;    /* instructions that a warp executes before the next warp does */
    unsigned doubted; /* a bit for each kind of doubt that it has had */
    bool slow;        /* its warps are, once an atomic has answered */
    bool runs;        /* it has begun, and is not done */
    int taken;        /* registers of a thread that warps took by setmaxnreg beyond those that others gave back */
    const struct instruction *taken_at;
    bool idle;    /* in the last turn, all of its warps waited for others */
    bool borrows; /* its memos are those of another block */
    bool at_turn;
    bool shares; /* others have written what it accesses now, or it changes what they have accessed: meetings.c */
    bool wrote;  /* since look_for_progress() (turns.c): its warps have, or came past a barrier */
    struct block *next;                     /* another block that the same CPU thread has begun; NULL: there is none */
    void (*interrupt)(struct block *block); /* called within an instruction, so that the next block comes in between */
    void (*fails)(struct block *block);     /* called where it fails, if the launch has a client */
    void (*unproved)(struct block_proof *proof, const struct instruction *code, const char *why); /* proof_fail() */
    uint64_t launch_workspace; /* an address of the GPU; 0: the launch is not cooperative */
    const struct instruction *now;
    jmp_buf *failed;
    struct problem *problem;
    enum fault *fault;
};

/* These make the block fail and do not return: block_fault_of() for a fault of the kernel, block_fault() where a GPU
 * tells nothing of it or only that the launch failed, block_not_simulated() for something that cannot be simulated. */
__attribute__((noreturn, format(printf, 2, 3))) void block_fault(struct block *block, const char *format, ...);
__attribute__((noreturn, format(printf, 3, 4))) void block_fault_of(struct block *block, enum fault fault,
                                                                    const char *format, ...);
__attribute__((noreturn, format(printf, 2, 3))) void block_not_simulated(struct block *block, const char *format, ...);

/* Notes what is a fault if anything depends on it, and goes on: only the block's first one of a kind. */
__attribute__((format(printf, 3, 4))) void block_doubt_of(struct block *block, enum doubt_kind kind, const char *format,
                                                          ...);
#define block_doubt(block, ...) block_doubt_of(block, DOUBT_RACE, __VA_ARGS__)

enum {
    RANK_SHIFT = 24,        /* an address of shared memory has the block's rank above its offset */
    SHARED_RESERVED = 1024, /* block->reserved of 9.0, for operations that came with it */
    /* A load of 16 bytes may end so far behind what is declared: ptxas reads three words as four. A GPU has them, since
     * it allocates 128 bytes and more at once. */
    SHARED_BEYOND = 12,
    PARAMETER_BANK = 0,
};
#define OFFSET_MASK ((UINT32_C(1) << RANK_SHIFT) - 1)
/* These are the generic addresses at which shared and local memory begin. Nothing of a process lies there. */
#define SHARED_WINDOW (UINT64_C(0x40) << 32)
#define LOCAL_WINDOW (UINT64_C(0x41) << 32)

/* Returns the place that a block executes, "kernels/a.cu:12 (block 0,0,0)". Caller frees. In fault.c. */
char *block_place(const struct block *block);

/* Notes what counts leave out, with the words for a report, which are a constant. Returns whether kernels may do it
 * (outside_allow()). In fault.c. */
bool outside_note(struct machine *machine, const char *words);

/* ---- Shared memory of the blocks of a cluster: cluster.c ---- */

/* Returns the block whose shared memory an address is in: above its offset it has the block's rank. The block fails if
 * there is none of that rank, if that block has exited, or if the bytes are outside of its memory. */
struct block *cluster_block(struct block *block, uint32_t address, uint64_t bytes);

/* Returns the bytes at such an address. */
unsigned char *cluster_bytes(struct block *block, uint32_t address, uint64_t bytes);

/* Sets the places in shared memory of other blocks where these lanes access `size` bytes each, and tells those who
 * watch it what kind of access it is; 0: they need not know. An H100 counts no such access, but for the instruction. */
void cluster_places(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses,
                    unsigned size, unsigned kind, unsigned char **places);

/* Returns which phase a barrier in shared memory is in: mbarrier.c. */
bool mbarrier_phase(struct block *block, uint32_t address);

/* ---- What is recorded of a warp: record_words.c ---- */

/* What that instruction turns out to do: a copy of the hardware begins, at whose barrier `bytes` arrive; it moves bytes
 * from or to an address of global memory; a barrier in shared memory is told something. */
void record_bulk(struct warp *warp, bool stores, uint32_t barrier, uint64_t bytes);
void record_bulk_bytes(struct warp *warp, uint64_t address, uint64_t bytes);
void record_phase(struct warp *warp, uint32_t barrier, enum phase_part part, uint64_t number);
/* Appends an instruction: its first word, and those behind it. */
void record_new(struct recorded_warp *to, uint32_t head, const uint32_t *words);

/* ---- Registers ---- */

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
/* The lanes for which all predicates among the operands are true. */
static inline uint32_t extra_predicate(struct warp *warp, const struct instruction *code)
{
    uint32_t lanes = ALL_LANES;
    for (unsigned i = 0; i < code->operand_count; i++)
        if (code->operands[i].kind == OPERAND_PREDICATE)
            lanes &= predicate(warp, &code->operands[i]);
    return lanes;
}
static inline void predicate_set(struct warp *warp, const struct operand *operand, uint32_t lanes, uint32_t values)
{
    uint32_t *mask = mask_at(warp, operand->row);
    *mask = (*mask & ~lanes) | (values & lanes);
}

/* ---- Operations: opcode.c finds them by name ---- */

/* Each file of operations has a table for each kind of vector unit (grid.h). A row with a NULL name ends it. */
#define VECTOR_TABLES(name) extern const struct opcode name##_base[], name##_avx2[], name##_avx512[]
