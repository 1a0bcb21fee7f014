/* instruction.h - one decoded instruction of machine code, and all those of a function. The code that executes them
 * provides a table of opcodes, with the C function for each.
 *
 * A row is 32 words, one for each lane of a warp. Whatever an instruction reads or writes is a row: a register, a
 * uniform register (all lanes alike), a constant, an immediate. So one way of writing an operation serves them all. A
 * predicate is a mask of lanes. An operand has the byte offset of its row or mask. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32 };
#define ALL_LANES UINT32_MAX
/* A loop over the bits that a mask has, such as the lanes that are active. */
#define EACH_BIT(n, mask)                                                                                              \
    for (uint32_t left_##n = (mask), n = 0; left_##n && (n = (uint32_t)__builtin_ctz(left_##n), true);                 \
         left_##n &= left_##n - 1)

/* ---- Where registers are ---- */

enum {
    ROW_BYTES = LANES * 4,
    ROW_ZERO = 255,              /* RZ */
    ROW_UNIFORM = 256,           /* UR0 */
    ROW_UNIFORM_ZERO = 256 + 63, /* URZ */
    ROW_SINK = 256 + 64,         /* takes what is written to RZ: four rows, for 128 bits */
    ROWS = ROW_SINK + 4,
    MASK_TRUE = 7, /* PT; UPT is 15 */
    MASK_SINK = 16,
    MASKS = 17,
    BARRIERS = 16
};

/* ---- Instructions ---- */

enum { INSTRUCTION_BYTES = 16 };

enum operand_kind {
    OPERAND_NONE,
    OPERAND_ROW,        /* a register, uniform register, constant or immediate */
    OPERAND_PREDICATE,  /* a predicate or uniform predicate */
    OPERAND_SIGN,       /* R2.SIGN: a predicate that is true where the number in the register is negative */
    OPERAND_CONSTANT,   /* c[bank][register + offset], of a load */
    OPERAND_ADDRESS,    /* [register + uniform register + offset] */
    OPERAND_BARRIER,    /* a convergence barrier, B0 to B15 */
    OPERAND_TARGET,     /* an offset in the function */
    OPERAND_SPECIAL,    /* a special register, such as SR_TID.X, or a scoreboard, gsb0 */
    OPERAND_DESCRIPTOR, /* gdesc[UR8].tnspB: four uniform registers that describe matrices in shared memory */
    OPERAND_WORD        /* anything else, as it stands */
};

enum half {
    HALF_BOTH,
    HALF_LOW,
    HALF_HIGH,
    HALF_SINGLE, /* a 32-bit number in place of two halves */
    HALF_CROSSED /* the halves change places, and the one that is then the lower gets the opposite sign */
};

/* An operand is small, because those of an instruction are read each time it is executed. */
struct operand {
    unsigned char kind;
    unsigned char half;
    unsigned char space; /* of a row: whether it is in SPACE_WARP or SPACE_CONSTANTS */
    unsigned char index; /* number of the register, barrier or bank */
    unsigned char byte;  /* 1 + N for .BN, one byte of the register; 0: the whole register */
    unsigned char scale; /* factor of an address's register: .X4, .X8, .X16; else 1 */
    bool negate : 1;     /* a minus sign; of a word that is added with carry it means ~ */
    bool absolute : 1;   /* between bars: |R2| */
    bool invert : 1;     /* ~ of a word, ! of a predicate */
    bool uniform : 1;    /* the register or predicate is a uniform one */
    bool wide : 1;       /* the address has 64 bits, or its register has */
    bool immediate : 1;
    bool based : 1; /* the address has a uniform register beside its own */
    /* Byte offsets of the row, and of the row behind it for 64 bits. Of a predicate, row is the offset of its mask. */
    uint32_t row, high;
    union {
        struct {
            uint32_t base, base_high; /* of an address: the uniform register's rows */
        };
        const char *word; /* of OPERAND_SPECIAL and OPERAND_WORD: text that the code owns */
    };
    int64_t value; /* an immediate, an offset, a branch target, or of a descriptor what is done with its matrices */
};

enum { DESCRIPTOR_NEGATES_A = 1, DESCRIPTOR_NEGATES_B = 2, DESCRIPTOR_TURNS_A = 4, DESCRIPTOR_TURNS_B = 8 };

enum { SPACE_WARP, SPACE_CONSTANTS };

/* What an instruction asks of the loop that executes a warp. CONTROL_NEXT asks nothing: it only changes registers and
 * memory. */
enum control {
    CONTROL_NEXT,
    CONTROL_BRANCH,
    CONTROL_BRANCH_DIVERGENT, /* BRA.DIV */
    CONTROL_BRANCH_ANY,       /* BRA.U.ANY and its like */
    CONTROL_BRANCH_INDEXED,   /* BRX */
    CONTROL_CALL_OUTSIDE,     /* CALL.ABS, of linked code, or of a function that is not in the machine code */
    CONTROL_CALL,
    CONTROL_RETURN,
    CONTROL_EXIT,
    CONTROL_OPEN, /* BSSY */
    CONTROL_JOIN, /* BSYNC */
    CONTROL_BREAK,
    CONTROL_MOVE_BARRIER, /* BMOV */
    CONTROL_WARPSYNC,
    CONTROL_BLOCK_BARRIER, /* BAR */
    CONTROL_WAIT_GROUP,    /* WARPGROUP.WAIT */
    CONTROL_WAIT_PHASE,    /* SYNCS.PHASECHK: until a phase of a barrier in memory is over */
    CONTROL_WAIT_CLUSTER,  /* UCGABAR_WAIT: until all threads of the cluster have arrived */
    CONTROL_WAIT_PRODUCTS, /* WARPGROUP.DEPBAR: until products of the warpgroup are done */
    CONTROL_YIELD,         /* lets other warps go first: YIELD, NANOSLEEP */
    CONTROL_CLOCK,         /* reads clock64(), %globaltimer or their halves */
    CONTROL_TRAP,
    CONTROL_UNKNOWN, /* not simulated */
    CONTROLS = 1 << 8
};

/* What an instruction is besides. A row of an opcode has these bits together with its control. */
enum trait {
    TRAIT_LEAVES = 1 << 0, /* of code_traits() alone: a branch or an exit */
    TRAIT_LOAD = 1 << 8,
    TRAIT_STORE = 1 << 9,
    TRAIT_ATOMIC = 1 << 10,     /* is neither load nor store, with or without a result */
    TRAIT_ASYNC_COPY = 1 << 11, /* copies from global to shared memory, and is also a load */
    TRAIT_GLOBAL = 1 << 12,     /* accesses global memory; likewise below */
    TRAIT_SHARED = 1 << 13,
    TRAIT_LOCAL = 1 << 14,
    TRAIT_GENERIC = 1 << 15, /* the address decides which memory it accesses */
    TRAIT_FP16 = 1 << 16,    /* an addition, a multiplication, or a fused one of both */
    TRAIT_FP32 = 1 << 17,
    TRAIT_FP64 = 1 << 18,
    TRAIT_FUSED = 1 << 19,         /* multiplies and adds at once */
    TRAIT_BULK = 1 << 20,          /* a copy of the hardware, or what is done with such copies */
    TRAIT_FENCE = 1 << 21,         /* orders what others see of accesses to memory */
    TRAIT_SIGNALS = 1 << 22,       /* warps of a block may tell each other by words that something is written */
    TRAIT_SIGNALS_SOME = 1 << 23,  /* ... by a barrier, unless it is barrier 0, of all warps */
    TRAIT_SPINS = 1 << 24,         /* is tried until it succeeds */
    TRAIT_LOOKS = 1 << 25,         /* looks for a phase without a wait, or sleeps */
    TRAIT_SIGNS = 1 << 26,         /* asks registers for their signs: R2.SIGN */
    TRAIT_NO_IMMEDIATE = 1 << 27,  /* its second word is no immediate, whatever its form; see encoding.c */
    TRAIT_LOW_IMMEDIATE = 1 << 28, /* the immediate begins in its first word */
    TRAIT_LOW_OFFSET = 1 << 29,    /* the offset of a constant begins a bit lower */
    TRAIT_COMMITS = 1 << 30        /* a group of copies begins, which its scoreboard for operands counts */
};

/* What a row of an opcode says further: by which rule it follows in which other blocks the same is written. README.md
 * of machine has them in a table with their reasons. */
enum { RULE_SHIFT = 32 };
#define RULE(number) (UINT64_C(number) << RULE_SHIFT)
#define RULE_KEEPS RULE(1)
#define RULE_SAME RULE(2)
#define RULE_SAME_64 RULE(3)
#define RULE_CONVERT RULE(4)
#define RULE_PAIRS RULE(5)
#define RULE_DATA RULE(6)
#define RULE_DATA_4 RULE(7)
#define RULE_DATA_8 RULE(8)
#define RULE_ADD RULE(9)
#define RULE_ADD_3 RULE(10)
#define RULE_PRODUCT RULE(11)
#define RULE_WIDE RULE(12)
#define RULE_LEA RULE(13)
#define RULE_LEA_HIGH RULE(14)
#define RULE_SHIFTED RULE(15)
#define RULE_LOGIC RULE(16)
#define RULE_COMPARE RULE(17)
#define RULE_CHOOSE RULE(18)
#define RULE_MINIMUM RULE(19)
#define RULE_ABSOLUTE RULE(20)
#define RULE_SPECIAL RULE(21)
#define RULE_CONSTANT RULE(22)
#define RULE_FIRST RULE(23)
#define RULE_SHUFFLE RULE(24)
#define RULE_VOTE RULE(25)
#define RULE_NARROW RULE(26)
#define RULE_MATRICES RULE(27)
#define RULE_LOAD RULE(28)
#define RULE_STORE RULE(29)
#define RULE_COPY RULE(30)
#define RULE_ASKS RULE(31)
#define RULE_PREDICATES RULE(32)
#define RULE_TEXTURE RULE(33)
#define RULE_REDUCTION RULE(34)
#define RULE_GENERIC RULE(35)
#define RULE_BEGINS RULE(36)
#define RULE_BARRIER RULE(37)
#define RULE_ARRIVES RULE(38)
#define RULE_BULK RULE(39)
#define RULE_TILE RULE(40)
#define RULE_GROUP RULE(41)

struct warp;
struct instruction;
typedef void operation(struct warp *warp, const struct instruction *code, uint32_t lanes);

enum { OPERANDS = 10, MODIFIERS = 10, SCOREBOARDS = 6 };

struct instruction {
    operation *run;      /* executes it for the lanes whose guard is true, at least one */
    uint32_t guard;      /* byte offset of the guard's mask */
    uint32_t guard_flip; /* ALL_LANES for @!P */
    uint64_t known;      /* bits of the modifiers in KNOWN_MODIFIERS that it has */
    unsigned char control;
    unsigned char rule; /* the number of its RULE_; 0: none */
    bool guarded;       /* its guard is another predicate than PT */
    bool uniform;       /* writes uniform registers, for all lanes alike */
    bool polls;         /* what it finds decides whether a loop is left that may wait for others: waits.h */
    bool apart;         /* it is executed apart from its warp, which has to wait for it: HGMMA and the like */
    unsigned char size; /* bytes that each lane accesses */
    /* Scoreboards, a bit each, twice: below SCOREBOARDS what is loaded from global memory, and above it groups of
     * copies that leave shared memory. It waits for what these count; what it loads or commits is counted by those. */
    unsigned short waits_for, counted_by;
    unsigned char operand_count;
    unsigned char output_count; /* operands that it writes, which come first */
    unsigned char flags[7];     /* notes of prepare() on the modifiers, for the operation */
    unsigned index;             /* its place in the function, from 0 */
    struct operand operands[OPERANDS];
    const char *opcode; /* with all modifiers */
    unsigned traits;    /* TRAIT_ bits */
    const char *modifiers[MODIFIERS];
    unsigned modifier_count;
    unsigned char pipe, barrier; /* the cycles for which it holds a slow pipe; how many barriers it is like: pace.c */
    bool past_l1;                /* a load that the L1 does not answer */
    bool converts;               /* it adds halves to a float, or to nothing: it is counted as arithmetic of halves */
    unsigned short work; /* it takes this CPU about as long as so many others: a product of matrices; 0: as one */
} __attribute__((aligned(64))); /* so that few lines of the CPU's caches have the first operands */

/* A row of the constants, and what it is filled with at a launch. */
struct constant_row {
    bool immediate;
    unsigned bank;
    uint32_t value; /* the immediate; otherwise the offset in the bank, in bytes */
};

struct code {
    struct instruction *list;
    size_t count;
    struct constant_row *constants;
    size_t constant_count;
    unsigned char *bank2; /* jump tables, which are constant bank 2 */
    size_t bank2_size;
    char *texts;           /* the words that instructions point to */
    bool multiplies_apart; /* it has instructions that are `apart` */
    bool tells_others;     /* warps of a block signal to each other by other means than barriers of the whole block */
    bool has_flags;        /* ... and by other means than any barriers */
    bool has_fences;       /* it orders what others see of its accesses to memory, or looks at what they write */
    bool has_spins;        /* it swaps words of shared memory until that succeeds: ATOMS.CAST.SPIN */
    bool has_copies;       /* lanes copy to shared memory: cp.async */
    bool has_polls;        /* one of them polls */
    bool uses_window;      /* it asks where shared memory begins among generic addresses */
};

bool has_modifier(const struct instruction *code, const char *modifier);
/* Return the place in a list such as "AND OR XOR" of a word, or of the first modifier that is there; -1: there is none.
 */
int word_place(const char *words, const char *word);
int modifier_among(const struct instruction *code, const char *words);
const struct operand *operand_of(const struct instruction *code, enum operand_kind kind); /* the first; NULL: none */

/* The modifiers that operations ask for while they run; each has a bit in `known`. */
/* clang-format off */
#define KNOWN_MODIFIERS(M) \
    M(X) M(U32) M(W) M(C) M(SH) M(PAND) M(RELU) M(ACC) M(S8) M(U8) M(FTZ) M(SAT) M(RZ) M(RM) M(RP) M(ADD) M(MIN) \
    M(MAX) M(INC) M(DEC) M(AND) M(OR) M(XOR) M(EXCH) M(CAS) M(CAST) M(POPC) M(S32) M(S64) M(64) M(F32) M(F64) \
    M(F16x2) M(BF16x2) M(RN) M(ALL) M(ANY) M(IDX) M(UP) M(DOWN) M(BFLY) M(SUM) M(RED) M(ARV) M(SYNC) M(CLEAR) \
    M(RESULT) M(STRONG) M(GPU) M(SYS) M(SM) M(BYPASS) M(E) M(H0) M(COLLECTIVE) M(EQ) M(BF) M(DIV) M(MMA) M(CONSTANT)
/* clang-format on */
enum {
#define MODIFIER_PLACE(name) MODIFIER_PLACE_##name,
    KNOWN_MODIFIERS(MODIFIER_PLACE)
#undef MODIFIER_PLACE
        MODIFIER_PLACES
};
#define MODIFIER(name) (UINT64_C(1) << MODIFIER_PLACE_##name)
#define IS_OF(code, name) (((code)->known & MODIFIER(name)) != 0)
#define IS(name) IS_OF(code, name)

/* ---- Opcodes ---- */

struct opcode {
    const char *name; /* "IADD3", or with modifiers "IMAD.WIDE"; of several rows that fit, the longest name counts */
    operation *run;
    uint64_t what; /* a CONTROL_, TRAIT_ bits and a RULE_; the control is CONTROL_NEXT if none is named */
    /* Looks at operands and modifiers, and sets flags and other fields. NULL: there is nothing to do. False: this form
     * of the instruction is not simulated. */
    bool (*prepare)(struct instruction *code);
    /* The operands that the instruction writes, a letter each; they come first. The letter d stands for a row, D for a
     * row that the text may leave out, p for a predicate that it may leave out. An operand that was left out becomes
     * one that nobody reads. NULL means "d". */
    const char *outputs;
    /* The modifiers that may follow the name, separated by blanks. NULL: prepare checks them itself. */
    const char *modifiers;
};

/* A preparation that is one condition. */
#define PREPARE(name, ...)                                                                                             \
    static bool prepare_##name(struct instruction *code)                                                               \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }

void modifiers_note(struct instruction *code); /* sets `known` */
/* Whether the row has all modifiers behind those of its name. */
bool modifiers_allowed(const struct instruction *code, const struct opcode *row);

/* Returns the row of an opcode with its modifiers, such as "LDG.E.128"; NULL: it is not simulated. */
typedef const struct opcode *find_opcode(const char *opcode);
