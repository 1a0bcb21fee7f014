/* profile.h - what a kernel did, by source line: exact counts of its instructions, samples of why its warps waited. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stddef.h>

/* Counted instruction by instruction in instrumented code: they repeat to the digit, and a launch's sum is that of the
 * hardware's counter of the same name. */
enum line_counter {
    LINE_INSTRUCTIONS,    /* warp instructions executed */
    LINE_ACTIVE_THREADS,  /* threads active in them */
    LINE_WORKING_THREADS, /* and not predicated off */
    LINE_DIVERGENT,       /* branches whose active threads went different ways */
    LINE_UNIFORM,         /* branches whose active threads went one way */
    LINE_SHARED,          /* passes through shared memory */
    LINE_SHARED_IDEAL,    /* and how many they would be without bank conflicts */
    LINE_LOAD_SECTORS,    /* 32-byte sectors of global memory that loads (and atomics) asked for */
    LINE_LOAD_IDEAL,      /* and how many they would be if neighbours shared them */
    LINE_STORE_SECTORS,   /* the same of stores */
    LINE_STORE_IDEAL,
    LINE_LOCAL_SECTORS, /* sectors of local memory: spilled registers, local arrays */
    LINE_GLOBAL_LOADS,  /* global load instructions */
    LINE_GLOBAL_STORES, /* global store instructions */
    LINE_COUNTERS
};

const char *line_counter_name(enum line_counter counter);   /* the key in run files: "shared_ideal" */
const char *line_counter_metric(enum line_counter counter); /* CUPTI's name of it */

/* CUPTI counts sectors of loads and stores together: to which of the two a counter belongs. */
enum line_kind { LINE_ANY, LINE_OF_LOADS, LINE_OF_STORES };
enum line_kind line_counter_kind(enum line_counter counter);

/* Samples of warps that stood at this line for that reason, in the profiler's words: "long_scoreboard". */
struct stall {
    char *reason; /* first, for place_of_name */
    double samples;
};

/* One line of one function; or where the machine code has no line information, one instruction. Owns what it points
 * to. */
struct profile_line {
    char *function;  /* as launches have it */
    char *file;      /* from the checkout of its library on, where it is below: "kernels/reduce.cu". NULL: not known */
    unsigned number; /* from 1; 0 without a file */
    unsigned offset; /* of its first instruction from the beginning of the function, bytes */
    char *text;      /* the line as it stood in the file, without the space around it; NULL: not readable then */
    double counts[LINE_COUNTERS];
    struct stall *stalls; /* sorted by reason */
    size_t stall_count;
};

/* All lines of a kernel, sorted by function, file, number and offset. */
struct profile {
    struct profile_line *list;
    size_t count;
    unsigned counted;  /* bit 1 << counter: it was read; else its counts are 0 and say nothing */
    unsigned period;   /* cycles between two samples of an SM; 0: stalls were not sampled */
    unsigned launches; /* that were sampled */
};

void profile_release(struct profile *profile);
void profile_copy(struct profile *to, const struct profile *from); /* to is empty or released */

/* The line at that place, added with a copy of the names when it is new. The pointer is good until the next call. */
struct profile_line *profile_add(struct profile *profile, const char *function, const char *file, unsigned number,
                                 unsigned offset);

/* Where that line is, or would be: the first place that does not stand before it. */
size_t profile_place(const struct profile *profile, const char *function, const char *file, unsigned number,
                     unsigned offset);

/* For a list that was made otherwise: puts it in order, and adds up lines of one place. */
void profile_sort(struct profile *profile);

void profile_line_release(struct profile_line *line);

/* Adds samples of a reason. */
void profile_line_add_stall(struct profile_line *line, const char *reason, double samples);
double profile_line_samples(const struct profile_line *line); /* of all reasons */

/* Adds the counts, samples and texts of `more`, of another function or another kind. */
void profile_merge(struct profile *profile, const struct profile *more);

/* Which line of the base each line is, in the order of the list; NULL for one that is new or cannot be told. None is
 * two lines. Caller frees.
 *
 * A line is known again by its text in a file of the same name (of several the one whose path agrees from its end for
 * longest), first in the function of the same name, then in any. Of equal texts the one beside the same neighbours
 * counts, then the first for the first. A text that changed is known by what stands before and behind it. Where a text
 * is not known, the number counts; without line information the offset, if the function ends at the same one. */
const struct profile_line **profile_match(const struct profile *profile, const struct profile *base);

/* Removes what has no file; without any line left, nothing was counted or sampled. */
void profile_keep_files(struct profile *profile);

/* The sum over all lines. */
double profile_total(const struct profile *profile, enum line_counter counter);

#endif
