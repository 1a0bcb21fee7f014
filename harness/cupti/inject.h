/* inject.h - what the files of libcugate_inject.so share: the library that the CUDA driver loads into an unmodified
 * program for `cugate exec`. Includes CUDA headers: for inject*.c only.
 *
 * It may never harm the program: an error means that something is not measured and is said over the link, and nothing
 * here ends the process, prints, or keeps a call of the program's from being made. */
#ifndef INJECT_H
#define INJECT_H

#include "cupti_plugin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The link to `cugate exec`, inject_link.c ---- */

/* What the parent wants of this process; strings are owned for good. */
struct request {
    struct metrics metrics; /* name and counter of each; nothing else */
    size_t set;             /* which of the sets of metrics that take one pass, from 0 */
    char *directory;        /* where the machine code of modules goes */
    char *locks;            /* likewise of the locks of GPUs */
    bool lines;             /* in place of metrics: counts by instruction, of the first launch that is wanted */
    char *nvtx;             /* only launches within a range that this glob matches; or NULL */
};

/* Connects to the parent and takes the request. False when this process has no parent that measures. */
bool link_open(struct request *request);
/* Both are false, and the link is closed for good, when the parent is gone, or the program closed our descriptor. */
bool link_say(enum message_kind kind, const char *text);
bool link_ask(enum message_kind kind, const char *text, char **answer); /* caller frees */
void link_close(void);

/* A copy out of the way of the program, which may expect to be given certain numbers; the descriptor itself is closed.
 */
int descriptor_put_away(int low);

/* ---- Modules, inject_modules.c ---- */

#define MODULE_NAME 17 /* 16 hexadecimal digits and 0 */

/* The hash of an image of machine code, into name; keeps the image as a file of that name and tells the parent. */
void modules_take(const char *directory, const void *image, size_t size);
/* The module of the handle is the one that this thread took last, since modules_expect(). */
void modules_expect(void);
void modules_name(CUmodule handle);
/* Likewise of the handle of a function as it is launched, CUfunction or CUkernel; empty where it is not known. */
void modules_of_function(CUfunction function, char name[MODULE_NAME]);
void modules_forget(CUmodule handle); /* it may be given anew */

/* ---- Launches, inject_launches.c ---- */

/* A function as launches name it. */
struct function {
    CUfunction handle;
    char *name; /* as in machine code */
    char module[MODULE_NAME];
};

/* One kernel of a launch. */
struct shape {
    const struct function *function;
    unsigned grid[3], block[3], shared;
};

/* Launches that are alike: of one function in one shape, or of one graph. */
struct group {
    struct shape shape;     /* of a graph: all 0 */
    bool graph;             /* a launch of one */
    char *id;               /* the parent's name for it; NULL when it does not want it */
    size_t skip, first;     /* how many to leave out, and how many to measure then */
    size_t launches, taken; /* so far */
    size_t due;             /* launches that were to be measured, or would have been but for those before */
    size_t cold, warm;      /* of a graph: that were the first of a session; that were measured and were not */
    char *spare;            /* what one that was passed over as the first of a session counted: better than nothing */
};

/* The group of a launch; asks the parent about a new one. NULL when there are too many. */
struct group *group_of_launch(CUfunction handle, const unsigned grid[3], const unsigned block[3], unsigned shared,
                              const char *name);
struct group *group_of_graph(CUgraphExec exec);
bool group_is_wanted(const struct group *group);
/* A graph became executable: what it launches, so that group_of_graph can say. */
void graph_take(CUgraphExec exec, CUgraph from);
void graph_forget(CUgraphExec exec);
void graph_spoil(CUgraphExec exec); /* it was changed, nobody knows how: its launches are of no group */
void functions_forget(void);        /* handles */
/* Sends what was passed over, of graphs of which nothing else was measured. */
void groups_send_spares(void);
/* A line for each group, with its launches and how many of them were due; caller frees. */
char *groups_tell(void);

/* ---- Counts by instruction, inject_lines.c ---- */

/* Before and after the one launch that is counted; -1 with *problem. */
int lines_begin(CUcontext context, struct problem *problem);
int lines_send(CUcontext context, const struct group *group, struct problem *problem);

/* ---- Ranges, inject_ranges.c: at most one session of CUPTI's range profiler at a time ---- */

enum ranges_mode { RANGES_OF_KERNELS, RANGES_OF_GRAPHS };

struct ranges;
/* Has the next launch in that context make a range; -1 with *problem. */
int ranges_start(CUcontext context, enum ranges_mode mode, const struct request *request, struct problem *problem);
bool ranges_running(void);
bool ranges_are_full(void); /* the next launch would be one too many */
enum ranges_mode ranges_mode_now(void);
void ranges_push(void); /* before and after a graph's launch */
void ranges_pop(void);
/* A launch was made while a session runs: of that group, or NULL when nobody wants it. */
void ranges_add(struct group *group);
/* Ends the session and sends what it counted. -1 with *problem when that is lost. */
int ranges_stop(struct problem *problem);
/* Gives the counters back, too. */
void ranges_close(void);
bool ranges_hold_counters(void);
CUcontext ranges_context(void);
bool ranges_are_waited_for(void); /* by another process of this program's */
void ranges_leave_lock(void);     /* in a process that was forked: the counters stay its parent's */

/* How many launches were lost with the sessions that went wrong. */
size_t ranges_lost(void);

#endif
