/* launch_time.h - how long the launches of a workload take on the GPU, by a replay of what one SM's warps execute
 * (replay/replay.h). */
#pragma once

#include "model/model.h"
#include "replay/replay.h"

/* A launch, in the order in which they are made. */
struct launch_time {
    struct recorder recorder;
    char *refused; /* why there is no time; NULL: there is one */
    bool known;
    uint64_t counted; /* a hash of what it counted, which an equal launch counts as well */
    size_t often;     /* launches of a program that it is the time of; 0: of a workload, 1 */
    const struct function *function;
    unsigned blocks[3], threads[3], shared, carve_out;
    struct replay_time time;
    double *moved; /* the same time, each constant being wrong by its factor, as a part of it */
    /* Where it goes, for each instruction. An equal launch has the first one's, which is of `alike` more then. */
    struct stalls *stalls;
    struct launch_time *first;
    size_t alike;
};

/* Begins as zeros. */
struct launch_times {
    struct chip chip;
    bool wanted; /* false: nobody asks for times */
    struct launch_time **list;
    size_t count, at;                  /* the next launch of this execution */
    size_t replayed;                   /* launches that were, since they are unlike those before */
    const struct launch_times *before; /* whose launches have a time, which equal ones take; NULL: of none */
};

/* Begins an execution of the workload. Those launches are recorded that have no time yet. */
void times_begin(struct launch_times *times);
/* Returns the recorder of the next launch; NULL: it is not recorded. */
struct recorder *times_recorder(struct launch_times *times, const struct grid *grid);
/* Takes what that launch counted. */
void times_take(struct launch_times *times, const struct grid *grid, const struct tally *tallies);
/* Whether some launches have to be executed once more, since other blocks decide than were recorded. */
bool times_need_more(const struct launch_times *times);
/* Returns the time of all launches together, or why there is none; NULL: nobody asked. Caller owns it. */
struct estimated_time *times_together(const struct launch_times *times);
/* Returns where the time of all launches of a function goes, for each of its instructions in ns; NULL: there is no
 * time. Caller frees. */
struct stalls *times_stalls(const struct launch_times *times, const struct function *function);
void times_release(struct launch_times *times);
