/* phases.h - barriers in shared memory (mbarrier), as a block's warps and its copies come to them. A phase of one ends
 * when so many arrivals have come and all bytes that were expected; who waits for it goes on then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct phase {
    uint32_t place;      /* in shared memory */
    uint64_t wanted;     /* arrivals of each phase */
    int64_t arrivals;    /* that are missing in this one, */
    int64_t bytes;       /* and bytes */
    unsigned ended;      /* phases that have */
    double last, latest; /* when the last one did; when what has come so far was there */
};

/* Those of a block. Begins as zeros. */
struct phases {
    struct phase *list;
    size_t count;
};

/* A barrier is initialised. */
void phases_begin(struct phases *phases, uint32_t place, uint64_t wanted);
/* Arrivals come at a time, or bytes; below 0: so many more are expected. Returns whether a phase ends by it. */
bool phases_come(struct phases *phases, uint32_t place, int64_t arrivals, int64_t bytes, double when);
/* Returns whether the phase of that parity is over, and sets when it was. A barrier that is not known is never waited
 * for. */
bool phases_over(const struct phases *phases, uint32_t place, uint32_t parity, double *when);
void phases_release(struct phases *phases);
