/* simulate.h - checks of a made-up kernel library on made-up GPUs whose noise is that of the recorded sessions. */
#pragma once

#include "selftest.h"

#define SIMULATED_KERNELS 50
#define SIMULATED_NOISY 3     /* metrics with noise, the first of them time; the others of a kernel are exact */
#define SIMULATED_GPUS 5      /* that a baseline was recorded on: fewer than RULE_GPUS */
#define SIMULATED_SESSIONS 20 /* of a baseline, on all of them together */

/* How every kernel with a time moves, as recorded. */
struct nature {
    const struct selftest *selftest;
    struct noise (*kernels)[SIMULATED_NOISY];
    size_t count;
};

void nature_init(struct nature *nature, const struct selftest *selftest);
void nature_release(struct nature *nature);

/* One check. Draw it, plant what is to be found, judge it, release it. */
struct check {
    const struct nature *nature;
    struct run baseline, run;
    size_t kernels[SIMULATED_KERNELS];              /* of nature */
    bool known;                                     /* the baseline has sessions of the GPU of the run */
    size_t gpus;                                    /* of the baseline */
    bool lopsided;                                  /* the first GPU has all sessions but one of each other */
    double gpu[SIMULATED_KERNELS][SIMULATED_NOISY]; /* what is peculiar to that GPU */
    double slower[SIMULATED_KERNELS];               /* planted: 0.05 is 5 % more time */
    double hiccup[SIMULATED_KERNELS];               /* planted: so much more in the first session alone */
    double suite;                                   /* planted: every kernel in every session is that slower */
    double clock[SIMULATED_KERNELS];                /* planted: by so much the clock is lower, and the time longer */
    struct comparison comparison;
};

/* Draws kernels, a baseline of so many GPUs and a GPU for the run; nothing is planted. */
void check_draw(struct check *check, const struct nature *nature, bool known, size_t gpus, bool lopsided);
void simulated_release(struct check *check);

/* What settles a time that is suspect, besides a second session of everything else that is. */
enum route {
    ROUTE_SESSION, /* a second session */
    ROUTE_AGAINST, /* pairs against a base library */
    ROUTE_PAIRED   /* pairs of every time, suspect or not */
};

/* Measures, compares, confirms and settles in the order of `cugate check`. No kernel has the machine code of its
 * baseline, which would excuse its time. */
enum exit_code simulated_judge(struct check *check, enum route route);

/* The verdict on that kernel's time. */
enum verdict check_time(const struct check *check, size_t kernel);
