/* trial.h - one run of `cugate check` on the two builds of libraries/turns.c, in a folder of its own, by a clock
 * that is made up: exact, and the same on a busy machine. */
#pragma once

#include "base/base.h"

/* A metric beside the wall time. */
#define TRIAL_RATE(CLASS)                                                                                              \
    "[rate]\ntitle = Rate\ncounter = cugate.bandwidth\nunit = B/s\nclass = " CLASS                                     \
    "\nbetter = higher\ndoc = Of the bytes.\n"

/* What is there before the check, how it is called and what has to come of it. The processes are a letter each, B of
 * the base build and H of the new one: those before the pairs, so many pairs, BHHB..., and those after them. The first
 * B of `against` only lists the kernels. */
struct trial {
    const char *words;
    const char *kernels; /* globs, with blanks between them */
    const char *row;     /* of the report: kernel and metric, or the kernel alone */
    const char *verdict; /* of that row */
    enum exit_code code; /* of the check */
    const char *before;  /* processes */
    size_t pairs;
    const char *after;    /* or NULL */
    const char *reason;   /* words in the row; or NULL */
    bool against, paired; /* options; against the base build */
    bool no_library;      /* what stands for the base build is none */
    bool no_baseline;     /* else one of 10 sessions of the base build */
    bool young;           /* 1 session */
    bool creeping;        /* its time was 3.8 % less and 5.8 % less before, one after the other */
    bool of_head;         /* of the new build */
    const char *floor;    /* of the wall time; NULL: "2 % and 250 ns" */
    const char *known;    /* the kernels in it; NULL: all of them */
    const char *metrics;  /* in it beside the wall time, and keys of that before; or NULL */
    const char *later;    /* metrics that are new since; or NULL */
    const char *declared; /* expected.ini; or NULL */
};

struct outcome {
    size_t facts, right; /* what had to come, and what of it came */
    bool replays;        /* the saved run, replayed, has the same exit code and the same report */
};

/* Does it; head is the library. Says on standard output what came otherwise. */
struct outcome trial_run(const struct trial *trial, const char *head);

/* The same, interrupted (SIGINT) as soon as so many processes have begun. */
struct outcome trial_interrupt(const struct trial *trial, const char *head, size_t processes);
