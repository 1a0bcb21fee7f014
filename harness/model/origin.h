/* origin.h - how the numbers of a run were made. There are a few ways: each is a row, and what depends on the way is a
 * column. To add a way: a name here, a row in origin.c, what makes the run in gate/check.c, and what asks for it in
 * command/options_ways.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum origin_name {
    ORIGIN_MEASURED,         /* kernels of a library, by the counters of a GPU */
    ORIGIN_WARM,             /* the same, by caches that hold what restoring the inputs left there */
    ORIGIN_HOST,             /* the same by the host's clock */
    ORIGIN_PROGRAM,          /* launches of an unmodified program, by the counters of a GPU */
    ORIGIN_COMPUTED_PROGRAM, /* launches of an unmodified program, executed on the CPU: exact counts alone */
    ORIGIN_COMPUTED,         /* kernels of a library, executed on the CPU: exact counts alone */
    ORIGIN_CODE,             /* facts of the machine code of a library's kernels: nothing ran */
    ORIGIN_FILES,            /* facts of the functions in files of machine code */
    ORIGIN_IMPORTED,         /* a file of another program; also a run whose sessions were made in several ways */
    ORIGINS
};

/* Sets of ways, as bits. A recorded run is read and not made again, whatever its origin. */
#define WAY(name) (1u << ORIGIN_##name)
#define WAY_RECORDED (1u << ORIGINS)
#define WAYS_OF_PROGRAM (WAY(PROGRAM) | WAY(COMPUTED_PROGRAM))
#define WAYS_OF_LIBRARY (WAY(MEASURED) | WAY(WARM) | WAY(HOST))
#define WAYS_ON_GPU (WAY(MEASURED) | WAY(WARM) | WAY(PROGRAM))
#define WAYS_MEASURED (WAYS_OF_LIBRARY | WAY(PROGRAM))

struct origin {
    const char *collector; /* the name of the collector in its sessions; NULL: any name that no other row has */
    /* A collector whose counts equal these to the digit, so that both can be compared; or NULL. */
    const char *counts_of;
    const char *asked; /* the option of `cugate check` that asks for this way; NULL: it is the default */
    const char *doing; /* the end of "does nothing where ..." */
    const char *does;  /* what `cugate check --dry-run` calls it: "measure" */
    const char *made;  /* the word before a date: "measured" */

    /* A launch finds the caches and data that the program left: counts vary, and short launches say little. */
    bool own_caches;
    bool computed;  /* it lacks what only a GPU can tell, and a sample may be a bound */
    bool code_only; /* no kernel was executed, so that there are no launches, samples or times to show */
    bool repeats;   /* every session gives the same numbers, so one is a baseline, and none is measured again */

    /* These stand above a report; NULL: it needs no warning. The source contains %{compiler} and %{device}. */
    const char *loud, *words, *source;

    /* Commands to be copied; NULL: there is none. %{kernel}, %{program}, %{device}, %{collector}, %{sessions}, %{gpu}
     * and %{said} stand for what origin_command() is given. */
    const char *begin;    /* makes the runs of a first baseline */
    const char *begun;    /* the files that `begin` leaves */
    const char *rerun;    /* measures one kernel alone */
    const char *explain;  /* explains the numbers of one kernel */
    const char *no_value; /* finds out why a number is missing */
};

/* What a run is of, or a check. The command decides it once. */
enum subject {
    SUBJECT_LIBRARY,
    SUBJECT_CAPSULES, /* kernels of a file of capsules */
    SUBJECT_PROGRAM,
    SUBJECT_FILES /* of machine code */
};

/* Returns the row of a way. */
const struct origin *origin_of(enum origin_name name);

/* Returns the row of the collector of that name. NULL stands for a name that nobody knows. */
const struct origin *origin_find(const char *collector);

/* Returns a command of a row, or its source, in which the words take the place of their names; NULL for NULL. Caller
 * frees. */
struct origin_words {
    const char *kernel, *device, *collector; /* in commands each is quoted as one word of a shell, or NULL */
    const char *program; /* words of a shell: the options that choose its launches, "--" and its command; or NULL */
    const char *compiler;
    const char *gpu;  /* "=NAME" behind --simulate; or NULL */
    const char *said; /* further options, as " --kernels LIB.so"; or NULL */
    size_t sessions;
};
char *origin_command(const char *command, const struct origin_words *words);
