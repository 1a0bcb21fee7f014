/* spawned.h - a program that is run to its end, and ended with its children when cugate is to end. */
#ifndef SPAWNED_H
#define SPAWNED_H

#include "base/base.h"

struct spawned {
    const char *const *words; /* the program, looked for on the PATH, and its arguments; ends in NULL */
    const char *directory;    /* where it runs */
    const char *output;       /* file that gets what it says on both streams, or NULL for what is on standard output
                               * alone, taken by *said */
    char **said;              /* without the newline at its end; the caller's to free. NULL: nobody asks */
    const char *scratch;      /* a folder for files that are gone afterwards */
    const struct interrupts *interrupts; /* NULL: nothing ends it early, as where something is put away */
};

#define SPAWNED_FAILED (-1)      /* it could not be started: after error() */
#define SPAWNED_INTERRUPTED (-2) /* a signal came, and was taken; *said is NULL */

/* Its exit status, 128 + N after signal N, or one of the two above. It reads nothing. */
int spawned_run(const struct spawned *spawned);

#endif
