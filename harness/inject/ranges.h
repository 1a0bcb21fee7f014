/* ranges.h - who counts: sessions of CUPTI's range profiler, counts by instruction, and the lock between processes. */
#pragma once

#include "cupti/cupti.h"
#include "worker/worker.h"

struct launch_group;

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
void ranges_add(struct launch_group *group);
/* Ends the session and sends what it counted. -1 with *problem when that is lost. */
int ranges_stop(struct problem *problem);
/* Ends the session, and gives the counters back, too. */
void ranges_close(void);
bool ranges_hold_counters(void);
CUcontext ranges_context(void);
void ranges_forget_code(void); /* called before a module is unloaded */

/* Returns how many launches were lost with sessions that failed. */
size_t ranges_lost(void);

/* ---- Counts by instruction, lines.c ---- */

/* These are called before and after the one launch that is counted by instruction. -1 with *problem. */
int lines_begin(CUcontext context, struct problem *problem);
int lines_send(CUcontext context, const struct launch_group *group, struct problem *problem);

/* ---- The lock between processes, gpu_lock.c ---- */

int gpu_lock_take(const char *folder, CUdevice device, struct problem *problem); /* -1 with *problem */
void gpu_lock_release(void);
void gpu_lock_leave(void);         /* in a forked process: the counters stay those of its parent */
bool gpu_lock_is_waited_for(void); /* whether another process that is measured waits for the counters */
