/* prove_parts.h - shared by the files that prove capsules. */
#pragma once

#include "capsule.h"

enum { WORD = 8 /* bytes; what varies or is written is noted in whole words */ };

/* A page of a range. */
struct place {
    size_t range, page;
};

/* Bytes for all ranges, of which those that nobody writes to take no memory. */
struct memory {
    unsigned char **ranges;
};

/* A page that is another in the capsule than in the program, before the launch and after it. */
struct rewritten {
    struct place place;
    unsigned char *before, *after; /* CAPSULE_PAGE bytes each */
};

struct proving {
    struct replay *replay;
    const struct capsules *capsules;
    const struct capsule *capsule;
    struct problem *problem;
    struct place *changed; /* pages that the launch changes, in order */
    size_t changed_count;
    struct memory first;  /* these, as a replay left them */
    struct memory varies; /* bits that differed between replays */
    bool has_varied;
    struct place *filled; /* pages that are not all 0 before the launch, in order; not those of variables */
    bool *needless;       /* whether the result is the same when they are */
    size_t filled_count;
    struct rewritten *rewritten;
    size_t rewritten_count;
    bool in_part;    /* the search for what it writes was not done when its time was over */
    size_t launches; /* made so far, of those that are allowed */
    double until;    /* no further launch is made then, by now_seconds() */
};

/* ---- capsule_proving.c ---- */

void memory_make(struct memory *memory, const struct capsule *capsule);
void memory_release(struct memory *memory, const struct capsule *capsule);
/* Reads all ranges as they are now, but for scratch memory. -1 with *problem. */
int memory_read(const struct memory *memory, struct replay *replay, const struct capsule *capsule,
                struct problem *problem);
void ranges_release(struct memory_range *ranges, size_t count); /* frees a list of ranges, and their lists of pages */
size_t place_size(const struct proving *proving, const struct place *place); /* bytes of a page */

/* All return -1 with proving->problem. proving_restore makes memory as it is before the launch. */
int proving_restore(struct proving *proving);
int proving_launch(struct proving *proving); /* and waits for its end */
bool proving_may_go_on(const struct proving *proving);
int proving_fill(struct proving *proving, const struct place *places, size_t count, int value);
/* Reads pages into the place of memory that is theirs. */
int proving_read(struct proving *proving, const struct place *places, size_t count, const struct memory *memory);
/* Whether all changed pages are, but for what varies, as after the first replay: 1 or 0. */
int proving_is_same(struct proving *proving);

/* ---- capsule_writes.c ---- */

/* Of a launch that changed nothing: finds what it writes, and clears that before it. proving->changed has these pages
 * then; it stays empty when nothing is found. */
int proving_find_writes(struct proving *proving);
/* Of any launch: clears what it writes without changing it, beside what it changes, in pages that are not 0. */
int proving_find_further_writes(struct proving *proving);

/* ---- capsule_needless.c ---- */

/* Sets proving->needless. A page that is needless, but written, is rewritten. Of a launch whose result varies no page
 * is needless, since nobody knows whether what varies would be the same without it. */
int proving_drop(struct proving *proving);
