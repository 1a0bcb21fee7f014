/* prove.h - has every capsule of a file replayed in another process, and keeps those that are whole; or has its inputs
 * drawn anew there. */
#pragma once

#include "capsule/capsule.h"

struct measurement;

/* What came of a capsule. */
struct proof_result {
    char *id;
    char *refused;      /* why it is not kept; NULL: it is */
    bool varies;        /* replays differ, and the bits that do are masked */
    bool uncompared;    /* all that it changes varies, so that nothing of its result is compared */
    bool careful;       /* it failed on memory that was cleared: nothing is cleared in it, and nothing dropped */
    bool unfilled;      /* of draws: it failed wherever what it writes was filled with a pattern */
    double uncounted;   /* of draws: the largest part of what a launch changes that is not compared, since it varies */
    double overflows;   /* of draws: the same where it overflows, as it does not on the captured inputs */
    double loose;       /* of draws: the largest part that may be as far off as rounding takes the reference */
    uint64_t undecided; /* of draws: words that are not compared on any drawn inputs, the first where this points to: */
    unsigned of_argument; /* its number, from 1; 0: none does */
    bool in_part;         /* not all was found that it writes without changing it */
    struct drawn drawn;   /* of draws: what came of its arrays */
};

/* Other inputs, in place of a proof: of each capsule, ID~0 has those of the program, ID~1 and so on others, and ID~n
 * others of other sizes, ID~o groups in another order, and ID~x some NaNs, where there can be. */
struct draws {
    const struct measurement *measurement; /* its backend and GPU execute the capsules */
    char *const *globs;                    /* which capsules; the others are left out */
    size_t glob_count;
    unsigned count;
    uint64_t seed;
    bool nans;        /* draw NaNs too */
    bool narrow;      /* as struct draw_request has it */
    double tolerance; /* as struct draw_request has it; 0: as the capsule says */
    enum value_type type;
    uint64_t keep; /* arguments whose arrays stay, a bit each */
};

struct prove {
    const char *from, *to;        /* paths of the two files */
    const struct draws *draws;    /* NULL: they are proved */
    double timeout;               /* seconds for a capsule */
    bool progress;                /* draw the progress line on standard error */
    struct proof_result *results; /* set; prove_release() frees them */
    size_t count;
    size_t kept; /* set: how many of them are in the file, which is not written where none is */
};

/* Writes `to` with the capsules that were proved. Each is replayed in a process that may crash or hang, which costs
 * that capsule alone. Returns 0, also where some or all were refused, or an exit code after error(), and then nothing
 * is written. */
int measure_prove(struct prove *prove);
void prove_release(struct prove *prove);
