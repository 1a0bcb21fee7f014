/* process.h - the process that is measured: its state, its beginning and its end. The headers of this room include
 * those of CUDA, so no other room may include them.
 *
 * The library that the driver loads may never harm the program. After an error something is not measured, and the
 * parent is told so over the link. Nothing here ends the process, prints, or prevents one of the program's calls. */
#pragma once

#include "ranges.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- The process, process.c ---- */

/* The seconds for which a launch waits for one of another thread. That one may wait for this one. */
enum { LAUNCH_SECONDS = 10 };

extern struct process {
    struct request request;
    pthread_mutex_t mutex; /* protects all fields below but the atomic ones, and what the other files keep */
    atomic_bool off;       /* nothing is measured any more */
    size_t unwanted;       /* launches in a row, in this session, that nobody wants */
    atomic_size_t unwatched[UNWATCHED_REASONS];                /* launches that are of no group */
    double last;                                               /* when the last launch was, by now_seconds() */
    double began;                                              /* when the library was loaded */
    atomic_size_t synchronizations, allocations, stream_calls; /* calls of the program's without an error */
    double counting; /* seconds that launches have taken while something was counted */
} process;

bool process_is_off(void);
bool process_lock(double seconds); /* waits that long for the mutex; false: it was not free in time */
bool process_is_own(void);         /* whether this thread has it, so that what is called is called by cugate */
bool process_try_lock(void);
void process_unlock(void);

/* The functions below are called with the mutex held. process_describe() tells the parent once what GPU is measured on;
 * -1 with *problem. */
int process_describe(struct problem *problem);
void process_give_up(const struct problem *problem); /* the program continues, and is no longer measured */
/* Whether counting has time left: request.seconds, by default a part of the time that the program itself took so far.
 */
bool process_may_count(void);
void process_say_end(void); /* sends the last message that the parent gets */
void process_start_session(enum ranges_mode mode);
void process_stop_session(void);
/* Ends the session as process_stop_session() does, in a thread that is not the program's. */
void process_stop_from_outside(bool gives_counters_back);

/* ---- The way in and the way out: callbacks.c, ending.c ---- */

int callbacks_subscribe(struct problem *problem); /* -1 with *problem */
void ending_at_exit(void);
void ending_watch(void); /* starts the threads that wait for rest and for signals */
