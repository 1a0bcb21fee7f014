/* program.h - measures an unmodified program through the library that the CUDA driver loads into each of its processes
 * (the room inject). The program runs once, while one set of metrics after the other is counted, each of which takes
 * one pass, until counting has taken its time. If kernels that matter lack a set, it runs once more, and the runs are
 * joined. */
#pragma once

#include "worker/worker.h"

#include <limits.h>

#define PROGRAM_NAME_MAX 40
#define PROGRAM_FIRST 5 /* launches of a group that are measured by default, where they differ, */
#define PROGRAM_KNOWN 2 /* and where they do not */
#define PROGRAM_COUNTS_ALL INT_MAX

struct program {
    char *const *arguments; /* the command; the list ends in NULL */
    const char *shell;      /* another command, for the shell, that is run in its place; or NULL */
    char *name;             /* family of its kernels, from program_name() */
    size_t skip, first;     /* for each group of equal launches: how many to leave out, and how many to measure then */
    size_t known;           /* so many of them are enough of each set of metrics if they are alike; */
    size_t enough;          /* with so many the program need not run again */
    struct program_part part; /* what counts of it */
    int runs;                 /* most runs of the program; 0: one, and a second one for counters where it is short */
    int seconds; /* most that counting may take in each run; -1: a part of the program's own time (inject/process.c);
                  * PROGRAM_COUNTS_ALL: as long as it takes, so that what then lacks is not counted */
    /* The program prints to standard output; otherwise what it prints there goes to standard error. */
    bool speaks;
    bool repeats;                   /* it may be measured again, so that its input is kept for that */
    bool quiet;                     /* says nothing of its further runs */
    double timeout;                 /* in seconds for each run; 0: none */
    struct suppressions suppressed; /* faults of a simulated program that are let pass */
    int *status;                    /* how the first run ended, as a shell has it: exit code, or 128 and the signal */
};

/* Returns the family of a command's kernels. It is the base name of the program or script that the user wrote, whatever
 * starts it. Characters that a family may not have are replaced. "torchrun --standalone train.py" is "train". Caller
 * frees. */
char *program_name(char *const *arguments);

/* It takes the place of a worker's backend. */
struct backend;
extern const struct backend program_backend;
/* The same on a simulated GPU (the room sim): its launches are executed on the CPU. measurement->gpu describes it. */
extern const struct backend simulated_program_backend;

struct measurement;

/* Measures a program as measure_run() measures a library, with the facts of its machine code. */
int program_measure(const struct measurement *measurement, struct run *run);

/* Which launches of a program become capsules (capsule.h). */
struct captured {
    const char *path;     /* the file that is written, with capsules that nobody has replayed yet */
    size_t launch;        /* which launch of each kernel, from 1; 0: the middle one */
    size_t kept, refused; /* set: how many kernels are in the file, and how many could not be kept, after warning() */
};

/* Runs the program twice: first to see what it launches how often, then to keep one launch of each kernel that the
 * measurement's globs choose. Returns 0, EXIT_NOT_MEASURED where none could be kept, or another exit code, after
 * error(). */
int program_capture(const struct measurement *measurement, struct captured *captured);
