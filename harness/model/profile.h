/* profile.h - a kernel by source line: exact counts of its instructions, and samples of its warp stalls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Counters by source line, counted per instruction in instrumented code. They repeat to the digit, and their sum over a
 * launch equals the hardware counter of the same name. */
enum line_counter {
    LINE_INSTRUCTIONS,    /* warp instructions executed */
    LINE_ACTIVE_THREADS,  /* threads that were active in these instructions */
    LINE_WORKING_THREADS, /* active threads that are not predicated off */
    LINE_DIVERGENT,       /* branch instructions whose active threads diverged */
    LINE_UNIFORM,         /* branch instructions whose active threads all went one way */
    LINE_SHARED,          /* wavefronts: passes through shared memory */
    LINE_SHARED_IDEAL,    /* shared wavefronts that would be needed without bank conflicts */
    LINE_LOAD_SECTORS,    /* 32-byte sectors of global memory that loads and atomics accessed */
    LINE_LOAD_IDEAL,      /* sectors that would be needed if accesses were coalesced */
    LINE_STORE_SECTORS,   /* 32-byte sectors of global memory that stores accessed, and those needed if coalesced */
    LINE_STORE_IDEAL,
    LINE_LOCAL_SECTORS, /* sectors of local memory: spilled registers, local arrays */
    LINE_GLOBAL_LOADS,  /* global load instructions */
    LINE_GLOBAL_STORES, /* global store instructions */
    /* Those below are computed without a GPU only. */
    LINE_LOAD_WAITS,       /* warps that wait for loads from global memory, or for answers of atomics there */
    LINE_ATOMICS,          /* threads' atomics on global memory */
    LINE_ATOMIC_MEETINGS,  /* atomics at an address where an earlier lane of the same warp has one */
    LINE_CONSTANT_REPLAYS, /* turns beyond the first of reads of constant memory */
    LINE_SLOW,             /* cycles for which slow pipes are held */
    LINE_BARRIERS,         /* warps that arrive at barriers, and fences as so many */
    LINE_STAYING,          /* threads that a predicate keeps from a branch or an exit: they work on */
    /* And these only of kernels with waits for barriers in memory: */
    LINE_OUTSIDE_WAITS, /* warp instructions whose number does not depend on how often a wait looks */
    LINE_WAITS,         /* instructions of the machine code that are others */
    LINE_COUNTERS,
    LINE_GPU_COUNTERS = LINE_LOAD_WAITS /* as many have a counter of CUPTI, and come first */
};

const char *line_counter_name(enum line_counter counter);   /* returns the key in run files: "shared_ideal" */
const char *line_counter_metric(enum line_counter counter); /* returns CUPTI's name of the counter; NULL: it has none */

/* Whether a counter is about loads or stores: CUPTI counts the sectors of both as one; the instruction decides. */
enum line_kind { LINE_ANY, LINE_OF_LOADS, LINE_OF_STORES };
enum line_kind line_counter_kind(enum line_counter counter);

/* Samples of warps that were stalled at a line for one reason, in the profiler's words: "long_scoreboard". Where they
 * are estimated it is its part of the estimated time, in ns. */
struct stall {
    char *reason; /* first member, as place_of_name expects */
    double samples;
};

/* One source line within one function. Where the machine code has no line information it is one instruction instead. It
 * owns all it points to. */
struct profile_line {
    char *function; /* name of the function, as launches have it */
    char *file; /* path, relative to the checkout of its library where it is below that: "kernels/reduce.cu"; NULL: not
                   known */
    unsigned number; /* line number from 1; 0 without a file */
    unsigned offset; /* offset of its first instruction from the beginning of the function, in bytes */
    char *text;      /* the source text, without leading and trailing space; NULL: the file could not be read */
    double counts[LINE_COUNTERS];
    struct stall *stalls; /* warp stall samples of the line, sorted by reason */
    size_t stall_count;
};

/* All lines of a kernel, sorted by function, file, line number and offset. */
struct profile {
    struct profile_line *list;
    size_t count;
    unsigned counted;  /* bit 1 << counter is set when the counter was read; else its counts are 0 and mean nothing */
    unsigned period;   /* cycles between two stall samples of an SM; 0: stalls were not sampled */
    unsigned launches; /* how many launches were sampled */
    bool estimated;    /* stalls were not sampled, but are by the replay that estimated the time */
};

void profile_release(struct profile *profile);
void profile_copy(struct profile *to, const struct profile *from); /* `to` must be empty or released */

/* Returns the line at that place, and adds it with copies of the names when it is new. The pointer is valid until the
 * next call. */
struct profile_line *profile_add(struct profile *profile, const char *function, const char *file, unsigned number,
                                 unsigned offset);

/* Returns the index at which that line is, or would be inserted. */
size_t profile_place(const struct profile *profile, const char *function, const char *file, unsigned number,
                     unsigned offset);

/* Sorts a list that was filled by hand, and merges lines of the same place. */
void profile_sort(struct profile *profile);

void profile_line_release(struct profile_line *line);

/* Adds samples of one stall reason to a line. */
void profile_line_add_stall(struct profile_line *line, const char *reason, double samples);
double profile_line_samples(const struct profile_line *line); /* returns the sum of samples over all stall reasons */

/* Merges the lines of `more`: of another function of the kernel, or with other counters. */
void profile_merge(struct profile *profile, const struct profile *more);

/* Finds for each line of profile the corresponding line of base, in the order of the list. NULL stands for a line that
 * is new or ambiguous. No two lines correspond to the same one. Caller frees the array.
 *
 * A line is recognised by its text, in a file of the same name. (Where base has several such files, it is the one whose
 * path has the longest common end.) The function of the same name is searched first, then the others. Among equal texts
 * the one between the same neighbours wins, else the first. A line with changed text is recognised by its neighbours.
 * Without a text the line number counts. Without line information it is the offset, if both functions are as long. */
const struct profile_line **profile_match(const struct profile *profile, const struct profile *base);

/* Removes lines without a file. If none is left, the profile becomes one that was neither counted nor sampled. */
void profile_keep_files(struct profile *profile);

/* What a sample of a stall is in one launch: cycles of SMs, or ns where they are estimated. 0: there are none. */
double profile_stall_unit(const struct profile *profile);

/* Returns the sum of a counter over all lines. */
double profile_total(const struct profile *profile, enum line_counter counter);
