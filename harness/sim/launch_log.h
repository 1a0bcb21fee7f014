/* launch_log.h - the launches of a workload: how they were made, and what they did, by launch and by source line. Those
 * are the launches of the runtime that is used (cudart/runtime.h). */
#pragma once

#include "counters.h"
#include "launch_time.h"

#include <pthread.h>
#include <setjmp.h>

/* A function whose launches are counted. What is known of its instructions stays. What they did is of the launches
 * since launches_begin(). */
struct counted {
    struct function *function;
    size_t count; /* number of instructions */
    unsigned *traits;
    char **files; /* file and line of each instruction; NULL: not known */
    unsigned *numbers;
    struct tally *tallies, *kept;
};

struct values {
    double list[BOUNDS][EXACT_COUNTERS];
};

/* What is proved of the launches in order 0: how many blocks they have, how many of those were executed, and of which
 * launches it could not be proved what others count. */
struct proofs {
    double blocks, executed;
    char *missing;
};

/* Begins as zeros. */
struct launches {
    bool recording, only_note;
    jmp_buf *ends; /* of a dry run: where a launch of its thread goes if inputs are unknown; NULL: nowhere */
    pthread_t thread;
    struct launch *list; /* equal launches in a row are one */
    size_t count;
    char *inputs; /* the hash of what the last launch was given, and of everything before it */
    struct values *values;
    size_t value_count;
    struct counted *functions;
    size_t function_count;
    unsigned order;
    struct meetings *meetings;
    struct block_races *races;
    struct doubt doubt;  /* of each kind that of the first launch in order 0 that had one */
    unsigned suppressed; /* a bit for each kind of doubt that is let pass */
    /* The counts of order 1, which are compared with those of the orders behind it, and where its blocks met. */
    size_t kept_count;
    char *kept_place;
    bool open_counters[EXACT_COUNTERS];
    unsigned open_lines;
    struct proofs proofs;
    struct launch_times times;
};

/* Has no more to do with launches, and frees all. */
void launches_release(struct launches *launches);

/* Sets the chosen order of blocks, below ALL_ORDERS, of the launches that follow. Forgets where blocks met. */
void launches_order(struct launches *launches, unsigned chosen);
/* Returns whether blocks have met since then, so that another order may give other counts, or leave something else. */
bool launches_met(struct launches *launches);
/* Returns a race between blocks, as block_races_find() does. */
char *launches_race(const struct launches *launches, bool *sure);
/* Returns what the launches did in order 0 that is a fault if anything depends on it; NULL: nothing. */
const char *launches_doubt(const struct launches *launches);
/* Whether the launches made atomics, which add up floats in the order in which they come. */
bool launches_add_up(const struct launches *launches);
/* Whether lanes yielded for which others of their warp waited. */
bool launches_yielded(const struct launches *launches);
/* Whether every instruction was executed by as many threads as in the order that was kept. */
bool launches_are_alike(const struct launches *launches);
/* Finds the counts to which a loop adds that waits, of launches whose blocks did not meet, for launches_undecided_at().
 */
void launches_find_waits(struct launches *launches);
/* Keeps the counts, for launches_compare() after other executions of the same workload. */
void launches_keep(struct launches *launches);
/* Compares the counts with those that were kept. Which of them differ is known to launches_undecided_at(). -1 with
 * *problem, "not simulated: ...", where there were more launches, or fewer. Lanes that are apart in ORDER_PARTED are
 * together or apart by chance on a GPU too, and do the same work: the count outside of waits is one of lanes together.
 */
int launches_compare(struct launches *launches, struct problem *problem);
/* Returns where blocks met in the execution that was kept. */
const char *launches_met_at(const struct launches *launches);
/* Returns where blocks met, if the counter depends on which of them comes first; NULL: it does not. An execution in
 * order 0 forgets it. */
const char *launches_undecided_at(const struct launches *launches, enum exact_counter counter);

/* Launches between these two calls are counted. launches_begin() forgets earlier ones. */
void launches_begin(struct launches *launches);
void launches_end(struct launches *launches);

/* Executes a launch as it is when the runtime hands over all of them to the log: for who is asked first. */
int launches_run(struct launches *launches, const struct grid *grid, enum fault *fault, struct problem *problem);

/* From now on launches are not executed, but only noted, with the hash of their inputs (inputs.h). */
void launches_only_note(struct launches *launches);

/* Whether warps waited for phases of barriers in memory, or in a loop for what others write. */
bool launches_waited(const struct launches *launches);

/* Returns how many launches were counted. */
size_t launches_counted(const struct launches *launches);
/* Returns the EXACT_COUNTERS values of a launch, in order. */
const double *launches_values(const struct launches *launches, size_t launch, enum bound bound);

/* Moves the launches to a result, and adds the lines if they were counted. */
void launches_hand_over(struct launches *launches, struct result *result);
