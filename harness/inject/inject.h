/* inject.h - what the files of libcugate_inject.so share: the library that the CUDA driver loads into an unmodified
 * program for `cugate exec`. It includes CUDA headers, so no other room may include it.
 *
 * The library may never harm the program. After an error something is not measured, and the parent is told so over the
 * link. Nothing here ends the process, prints, or prevents one of the program's calls. */
#ifndef INJECT_H
#define INJECT_H

#include "base/base.h"
#include "capsule/capsule.h"
#include "cupti/cupti.h"
#include "worker/worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The link to `cugate exec`, link.c ---- */

/* What the parent asks of this process. Its strings are never freed. */
struct request {
    struct metrics metrics; /* only name, counter and whether it is exact are set of each metric */
    size_t set;             /* index of the set of metrics to begin with; a set takes one pass */
    bool changes;           /* the set changes while the program runs; otherwise it stays that one */
    char *folder;           /* folder for the machine code of modules */
    char *locks;            /* folder for the locks of GPUs */
    bool lines;             /* count by instruction, in place of metrics, the first launch that is wanted */
    char *nvtx[NVTX_MAX];   /* only launches within an NVTX range that one of these globs matches count */
    size_t nvtx_count;      /* 0: all launches do */
    bool keeps;             /* keep, in place of metrics, the first launch of each group that is wanted as a capsule */
    bool waits;             /* nothing counts before the program calls cudaProfilerStart */
};

/* Connects to the parent and takes the request. False when this process has no parent that measures. */
bool link_open(struct request *request);
/* Both return false when the parent is gone, or when the program closed our descriptor. The link is then closed for
 * good. */
bool link_say(enum message_kind kind, const char *text);
bool link_ask(enum message_kind kind, const char *text, char **answer); /* caller frees *answer */
void link_close(void);

/* Returns a copy of the descriptor with a high number, and closes the descriptor itself. The program may expect to get
 * certain low numbers. When no more are allowed, it returns the descriptor as it is. */
int descriptor_put_away(int low);

/* ---- Modules, modules.c ---- */

#define MODULE_NAME 17 /* 16 hexadecimal digits and a 0 */

/* Takes an image of machine code: keeps it as a file named by its hash in the folder, whose name stays, and tells the
 * parent. */
void modules_take(const char *folder, const void *image, size_t size);
/* modules_expect() is called before a module is loaded. modules_name() then says that this handle belongs to the image
 * which this thread took last. */
void modules_expect(void);
bool modules_has_one(void); /* an image was loaded since then, and is not named */
void modules_name(CUmodule handle);
/* Sets name to that of the module of a function that is launched, which may be a CUfunction or a CUkernel, by its
 * handle and its name in machine code. It is empty where the module is not known. */
void modules_of_function(CUfunction function, const char *function_name, char name[MODULE_NAME]);
CUmodule module_of_function(CUfunction function); /* the driver's handle, for either kind of function; or NULL */
CUmodule module_of_library(CUlibrary library);
bool modules_are_asked(void);         /* this thread is in one of these two, which may load a module */
void modules_forget(CUmodule handle); /* the driver may give the handle to another module */

/* ---- Launches that are alike, groups.c ---- */

/* A function, as launches name it. */
struct function {
    CUfunction handle;
    char *name; /* the name in machine code */
    char module[MODULE_NAME];
};

/* A kernel and how it is launched. */
struct shape {
    const struct function *function;
    unsigned grid[3], block[3], shared;
};

/* Launches that are alike: of one function in one shape, or of one graph. */
struct group {
    struct shape shape;      /* all 0 for a graph */
    bool graph;              /* it is of launches of a graph, */
    size_t kernels;          /* which has so many kernels */
    char *id;                /* the parent's name for it; NULL: the parent does not want it */
    size_t skip, first;      /* how many launches to leave out, and how many to measure then at most */
    size_t known;            /* so many readings of a set are enough if they are alike */
    size_t holds;            /* no session is open for so many launches, from one of it on: it waits for others, or the
                              * program times them itself */
    size_t seen;             /* which launch of those that may be measured was its last one: sets_follow() */
    size_t launches;         /* how many launches there were */
    size_t due;              /* launches that were to be measured, if nothing had prevented it */
    struct share *shares;    /* those that count, then for each NVTX range of the request those within it */
    uint32_t correlation;    /* of its last launch that is in no session, for activity.c */
    size_t last;             /* kernels that the process had launched when it launched this one last */
    size_t asked;            /* how many of its launches were asked who makes them */
    bool begun;              /* a launch was measured; the first one in a process is colder than those that follow */
    char *variables;         /* names of its machine code's variables, a line each, if launches are kept; or NULL */
    struct counted *counted; /* from group_counted(): in each set of metrics */
    size_t counted_count;
};

/* Launches of a group: all that count, or those within one NVTX range. */
struct share {
    size_t launches;
    size_t timed;     /* how many of them have a time that is known, from activity records: activity.c */
    uint64_t time_ns; /* how long these took together */
    uint64_t cold_ns; /* how long the process's first launch of the group took, which counts where no other is timed */
};

/* What became of a group's launches in one set of metrics. */
struct counted {
    size_t taken;      /* how many were measured, after the cold one */
    size_t readings;   /* the same with it */
    double *exact;     /* the exact counts of the first; NULL: none was read yet */
    bool strays;       /* those of another were not the same */
    size_t cold, warm; /* launches of a graph that were the first of a session; measured launches that were not */
    size_t missed;     /* how many were wanted in this set while another was counted */
};

/* Returns the group of a launch. The parent is asked about a new one. NULL when there are too many groups. */
struct group *group_of_launch(CUfunction handle, const unsigned grid[3], const unsigned block[3], unsigned shared,
                              const char *name);
struct group *group_of_graph(CUgraphExec exec);
bool graph_is_spoilt(CUgraphExec exec);                         /* whether graph_spoil() is why it has no group */
size_t graph_kernels(CUgraphExec exec);                         /* how many kernels a launch of it runs */
struct counted *group_counted(struct group *group, size_t set); /* valid until asked for another set */
void group_count_launch(struct group *group, unsigned bounds);  /* bounds: from bounds_now() */
/* Notes what an executable graph launches, so that group_of_graph() knows. */
void graph_take(CUgraphExec exec, CUgraph from);
void graph_forget(CUgraphExec exec);
void graph_spoil(CUgraphExec exec); /* nobody knows how the graph was changed, so its launches are of no group */
/* Note that a node of it launches that kernel or that graph from now on, or that it is left out of its launches. */
void graph_set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *kernel);
void graph_set_inner(CUgraphExec exec, CUgraphNode node, CUgraph inner);
void graph_enable_node(CUgraphExec exec, CUgraphNode node, bool enabled);
struct group *const *groups_all(size_t *all_count);
void functions_forget(void); /* forgets the handles of all functions */
/* Returns a line for each group: its launches, how many of them were due, whether (1) it was launched in the first part
 * of the program only, those that were missed in each set, its shares as LAUNCHES/TIMED/NS, and its id. The first part
 * ends where the longest stretch without a new group begins. Caller frees. */
char *groups_tell(void);

/* ---- Who launches: callers.c, python.c ---- */

/* Returns who makes the launch that this thread is in, such as "model.py:42 (forward), libcublasLt.so.13.1.0.3". NULL:
 * it is not known. Caller frees. */
char *callers_tell(void);
void callers_begin(void);     /* called once before, without the mutex */
void python_begin(void);      /* has the interpreter of this process, if there is one, prepare to tell */
bool python_is_awaited(void); /* it has not prepared yet */
/* Returns the innermost line of the user's that this thread is at: "model.py:42 (forward)". NULL: it is not known, or
 * there is none. Caller frees. */
char *python_line(void);
/* Returns a line "NAME VERSION" for each package that was loaded when the interpreter ended. Caller frees. */
char *python_packages(void);

/* ---- Loaded libraries, libraries.c ---- */

/* Returns a line "NAME IDENTITY" for each that has or chooses kernels. Its identity is the build-id, else the size of
 * its file. Packages of Python's follow, with their versions. Caller frees. */
char *libraries_tell(void);

/* ---- Activity records, activity.c ---- */

/* Copies of memory, or memory that was set. */
struct work {
    size_t count;
    uint64_t bytes, time_ns;
};

void activity_begin(void); /* without records, launches are not timed */
/* Expects records of a launch that is in no such session, of so many kernels. The time of each goes to the group's
 * shares, by bounds_now(). */
void activity_expect(uint32_t correlation, struct group *group, size_t kernels, unsigned bounds);
/* Called before and after a session of the range profiler, whose counters would count what makes the records. */
void activity_pause(void);
void activity_resume(void);
void activity_forget(uint32_t correlation); /* the launch failed */
/* Waits for all records of what has run. False when there are none; then how much was copied and set is not known. */
bool activity_end(struct work *copied, struct work *filled);

/* ---- Whether the GPU was busy, busy.c ---- */

void busy_off(void);                       /* it is not asked for, so nothing is kept */
void busy_add(uint64_t from, uint64_t to); /* the GPU worked then, by CUPTI's clock in ns */
void busy_pause(void);                     /* from now on work is measured, and its time says nothing */
void busy_resume(void);
/* Returns for how long the GPU was busy while nothing was measured, between its first and its last work, and how long
 * that was; 0 where it is not known. Called once, after activity_end(). */
void busy_tell(uint64_t *busy, uint64_t *span);

/* ---- Counts by instruction, lines.c ---- */

/* These are called before and after the one launch that is counted by instruction. -1 with *problem. */
int lines_begin(CUcontext context, struct problem *problem);
int lines_send(CUcontext context, const struct group *group, struct problem *problem);

/* ---- Launches that are kept as capsules: keep.c, arguments.c, reach.c ---- */

void keep_open(const char *folder); /* called once before: the process's file is to be in that folder, which stays */
/* Whether the next launch of the group is to be kept. */
bool keep_is_wanted(const struct group *group);
/* Called before and after a launch that is kept. False: it cannot be, and the parent was told why. */
bool keep_begin(struct group *group, CUpti_CallbackId id, const CUpti_CallbackData *call);
void keep_end(struct group *group, bool good);
int keep_end_all(struct problem *problem); /* ends the process's file; -1 with *problem */

/* Takes what a launch was made with: its arguments and attributes. -1 with *problem: a replay could not do the same. */
int arguments_take(struct capsule *capsule, CUpti_CallbackId id, const void *params, struct problem *problem);

/* Memory that a launch can reach. */
struct reached {
    uint64_t address, size;
    enum memory_kind kind;
    int device;            /* its GPU; -1: none */
    char *variable;        /* as in struct memory_range */
    unsigned char *before; /* a copy, which whoever makes it owns; NULL until then */
};
struct reach {
    struct reached *list;
    size_t count;
    uint64_t size;    /* bytes that were copied */
    int device;       /* the GPU of the launch */
    uint64_t *misses; /* words that are no pointers */
};
/* Notes where memory is allocated; takes such calls of the driver. */
void reach_take(CUpti_CallbackId id, const CUpti_CallbackData *call);
extern const CUpti_CallbackId reach_calls[];
extern const size_t reach_call_count;
/* Adds the memory that pointers among the bytes point to, at multiples of step, unless it is in the list. */
void reach_follow(struct reach *reach, const unsigned char *bytes, size_t size, size_t step);
void reach_release(struct reach *reach);

/* ---- The lock between processes, gpu_lock.c ---- */

int gpu_lock_take(const char *folder, CUdevice device, struct problem *problem); /* -1 with *problem */
void gpu_lock_release(void);
void gpu_lock_leave(void);         /* in a forked process: the counters stay those of its parent */
bool gpu_lock_is_waited_for(void); /* whether another process that is measured waits for the counters */

/* ---- Sets of metrics, sets.c ---- */

/* Makes the sets for that chip, unless they are made, and tells the parent. -1 with *problem. */
int sets_make(const struct request *request, const char *chip, const uint8_t *availability, struct problem *problem);
size_t sets_count(void); /* 0: they are not made yet */
size_t sets_now(void);   /* index of the set that is counted now */
const struct metrics *sets_metrics(size_t set);
bool sets_are_blind(size_t set); /* whether the set has instrumented counters only, which do not see into graphs */
/* Whether the group's next launch is to be measured in that set; whether without it too little is known. */
bool group_is_wanted(const struct group *group, size_t set);
bool group_needs(const struct group *group, size_t set);
/* Notes that a launch of the group is to come, which may be measured. Returns whether it is time to end the session,
 * give the counters back, and then call sets_change(). */
bool sets_follow(struct group *group);
void sets_change(void);
/* Notes in which other sets that launch was wanted as well. */
void sets_note_missed(struct group *group);

/* ---- Ranges, ranges.c: at most one session of CUPTI's range profiler at a time ---- */

enum ranges_mode { RANGES_OF_KERNELS, RANGES_OF_GRAPHS };

struct ranges;
/* Begins a session in that context, in which each launch is a range. -1 with *problem. */
int ranges_start(CUcontext context, enum ranges_mode mode, const struct request *request, struct problem *problem);
bool ranges_running(void);
bool ranges_are_full(void); /* the session takes no other range */
enum ranges_mode ranges_mode_now(void);
void ranges_push(void); /* called before a graph's launch; ranges_pop() after it */
void ranges_pop(void);
/* Notes that a launch was made during the session. Its group is NULL when nobody wants it. */
void ranges_add(struct group *group);
/* Ends the session and sends what it counted. -1 with *problem when that is lost. */
int ranges_stop(struct problem *problem);
/* Ends the session, and gives the counters back, too. */
void ranges_close(void);
bool ranges_hold_counters(void);
CUcontext ranges_context(void);
void ranges_forget_code(void); /* called before a module is unloaded */
bool ranges_instrument(void);  /* whether instrumented code counts, which takes a kernel ten times as long */

/* Returns how many launches were lost with sessions that failed. */
size_t ranges_lost(void);

/* ---- The process, process.c ---- */

/* The seconds for which a launch waits for one of another thread. That one may wait for this one. */
enum { LAUNCH_SECONDS = 10 };

extern struct process {
    struct request request;
    pthread_mutex_t mutex; /* protects all fields below but the atomic ones, and what the other files keep */
    atomic_bool off;       /* nothing is measured any more */
    size_t unwanted;       /* launches in a row, in this session, that nobody wants */
    atomic_size_t unwatched[UNWATCHED_REASONS]; /* launches that are of no group */
    double last;                                /* when the last launch was, by now_seconds() */
} process;

bool process_is_off(void);
bool process_lock(double seconds); /* waits that long for the mutex; false: it was not free in time */
void process_unlock(void);

/* The functions below are called with the mutex held. process_describe() tells the parent once what GPU is measured on;
 * -1 with *problem. */
int process_describe(struct problem *problem);
void process_give_up(const struct problem *problem); /* the program continues, and is no longer measured */
void process_say_end(void);                          /* sends the last message that the parent gets */
void process_start_session(enum ranges_mode mode);
void process_stop_session(void);
/* Ends the session as process_stop_session() does, in a thread that is not the program's. */
void process_stop_from_outside(bool gives_counters_back);

/* ---- The part of the program that counts, bounds.c ---- */

void bounds_begin(const struct request *request); /* which lives as long as the process */
size_t bounds_shares(void);                       /* how many shares of its launches a group has: see struct group */
/* Returns what a launch counts for now: 0 for nothing; else bit 0 is set, and bit 1 + i within NVTX range i of the
 * request. */
unsigned bounds_now(void);
void bounds_take_nvtx(CUpti_CallbackId id, const void *params);
void bounds_take_profiler(CUpti_CallbackId id, const CUpti_CallbackData *call);

/* ---- What takes the driver's calls, before and after each: capture.c, launch.c ---- */

void capture_begin(CUpti_CallbackId id, const CUpti_CallbackData *call);
void capture_end(CUpti_CallbackId id, const CUpti_CallbackData *call);
bool capture_is_on(void); /* whether any stream is being captured */
bool capture_is_of(CUstream stream);

void launch_of_kernel(CUpti_CallbackId id, const CUpti_CallbackData *call);
void launch_of_graph(CUpti_CallbackId id, const CUpti_CallbackData *call);
bool launch_is_within(void); /* whether this thread is in a launch, and so holds the mutex */

/* ---- The way in and the way out: callbacks.c, ending.c ---- */

int callbacks_subscribe(struct problem *problem); /* -1 with *problem */
void ending_at_exit(void);
void ending_watch(void); /* starts the threads that wait for rest and for signals */

#endif
