/* headway.h - how far the launch is that a machine executes, for those who wait for it. A block that is done is
 * progress; a launch whose blocks never end makes none, however much they execute. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Is called by a thread of the launch, one at a time: so many of its blocks are done, and the others take so many
 * seconds more, by those that are; -1: that is not known yet. */
typedef void headway_fn(void *self, uint64_t done, uint64_t count, double left);

struct headway {
    headway_fn *tell; /* NULL: nobody asks */
    void *self;
    uint64_t done, count; /* blocks of the launch */
    uint64_t before;      /* those that were done ... */
    double since;         /* ... when all others began, by now_seconds(); 0: they have not */
    double told;          /* when it was told last */
    bool tells;           /* a thread does */
};

/* A launch of so many blocks begins. */
void headway_begin(struct headway *headway, uint64_t count);

/* Blocks are executed that were not tried alone. So many of all are done. */
void headway_all(struct headway *headway, uint64_t done);

/* More blocks are done. Tells of it, but not more often than some times a second. */
void headway_add(struct headway *headway, uint64_t blocks);
