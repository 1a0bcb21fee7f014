/* upgrade.h - what another toolchain did to the kernels: which became slower or faster, and what kind of change that
 * is. Pure. */
#pragma once

#include "judge/judge.h"

/* What differs between the two builds of a kernel, the first that applies. */
enum upgrade_class {
    UPGRADE_LAUNCH,       /* launched otherwise: other grid, block, dynamic shared memory or number of launches */
    UPGRADE_SAME,         /* the same machine code */
    UPGRADE_REGISTERS,    /* other registers or spills: more or fewer warps fit, or the stack is another, or registers
                             are all that differs */
    UPGRADE_INSTRUCTIONS, /* other instructions, or another number of them */
    UPGRADE_SCHEDULE,     /* as many of each instruction, in another order or other registers */
    UPGRADE_UNKNOWN,      /* other code, of which no more is known */
    UPGRADE_CLASSES
};

const char *upgrade_class_name(enum upgrade_class class); /* "launch", "same code", "registers or spills", ... */

struct upgraded {
    const char *kernel;
    enum upgrade_class class;
    const struct judgement *time; /* of a launch, or in a program of all its launches; NULL where it was not measured */
    double lost; /* how much longer it takes, in the time's unit: the median of the pairs, else the change; 0 without */
    const struct judgement *instructions; /* how many it executes; NULL where that was not counted */
    char *change; /* how its launches and their machine code differ, as in struct blame; else NULL. Owned */
};

/* The part of the time that kernels of one library lost, those which it has or launches. */
struct upgrade_part {
    char *library; /* "libcublasLt.so.13"; "" of kernels for which no library is known. Owned */
    double lost;   /* in the time's unit */
};

struct upgrade {
    const char *was, *is;  /* the two toolchains; NULL: the same made both sides, and there are no kernels */
    struct upgraded *list; /* kernels of other code: by time lost, the most first; else by instructions gained, by class
                            */
    size_t count;
    struct upgrade_part *parts; /* of the kernels with a time, the most lost first; none where no library is known */
    size_t part_count;
    size_t same; /* kernels of the same code. A kernel is neither whose code is not known, such as that of cuBLAS */
};

/* Lists the kernels of a finished comparison of the two runs, from which it borrows. */
void upgrade_make(struct upgrade *upgrade, const struct comparison *comparison, const struct run *baseline,
                  const struct run *run);
void upgrade_release(struct upgrade *upgrade);
