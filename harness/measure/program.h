/* program.h - an unmodified program, measured through the library that the CUDA driver loads into each of its processes
 * (cupti/inject.c). It runs once for each set of metrics that takes one pass; the runs are joined. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

#define PROGRAM_NAME_MAX 40
#define PROGRAM_FIRST 5 /* launches of a group to measure, unless something else is said */

struct program {
    char *const *arguments; /* the command; ends in NULL */
    char *name;             /* family of its kernels: program_name() */
    size_t skip, first;     /* of each group of equal launches: how many to leave out, how many to measure then */
    const char *nvtx;       /* only launches within a range that this glob matches; or NULL */
    int runs;               /* at most; 0: as many as there are sets of metrics */
    bool speaks;            /* standard output is the program's; else what it prints goes to standard error */
    double timeout;         /* seconds a run; 0: none */
    int *status;            /* of the first run, as a shell has it: exit code, or 128 and the signal */
};

/* What the kernels of a command are called after: the base name of its program, or of the script that an interpreter
 * runs, without what a family may not have. "python3 -u train.py" is "train". Caller frees. */
char *program_name(char *const *arguments);

/* What stands for a worker's backend then. */
struct backend;
extern const struct backend program_backend;

struct measurement;

/* measure_run of a program, with the facts of its machine code. */
int program_measure(const struct measurement *measurement, struct run *run);

#endif
