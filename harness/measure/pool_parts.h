/* pool_parts.h - the parts of the pool: a measurement that goes on, its seats, and what is still to be measured.
 * Private to the pool*.c files. */
#ifndef POOL_PARTS_H
#define POOL_PARTS_H

#include "measure.h"
#include "progress.h"

/* Kernels that one worker measures, one after the other or together: those of a family at one point, or of several
 * small ones, or what is left of them. */
struct share {
    size_t first, end;  /* of pool->ids; the first is the next one to get a result */
    size_t alone_until; /* those before this one are measured one by one: a batch with them went wrong */
    double cost;
    int only_on;   /* number of the seat that has to measure it; -1: any */
    int failed_on; /* of the one on which its kernel failed, so that another has to try it; -1: it did not */
};

/* How one worker came to its end. */
enum ending {
    ENDING_NOT_YET,
    ENDING_DONE,
    ENDING_NEXT,
    ENDING_HUNG,
    ENDING_DIED,
    ENDING_OUT_OF_TURN, /* it said what no worker says then */
    ENDING_IMPOSSIBLE,  /* nothing can be measured on its GPU */
    /* And of all with it: */
    ENDING_MIXED, /* their GPUs are no set that one run can be of */
    ENDING_INTERRUPTED,
    ENDING_USAGE
};

/* A GPU, the worker at work there, and what it has said so far. */
struct seat {
    struct pool *pool;
    int number; /* among the seats */
    int device; /* ordinal of the GPU */
    struct child worker;
    bool runs;                            /* the worker does */
    bool ahead;                           /* it was started for an earlier choice of kernels, which may have had more */
    double deadline;                      /* until which it has to say something */
    bool listed, described;               /* it has named the kernels; and the device */
    bool told_end, dismissed;             /* there is no more for it; it was not needed in the first place */
    bool has_share, has_session, is_lost; /* lost: no worker can measure there any more */
    struct share share;
    size_t told;            /* the end of those of its kernels that the worker was told of */
    size_t begun;           /* so many of them have begun and have no result yet */
    bool together;          /* they, or some that have a result by now, began as a batch */
    double since;           /* when it said the last thing: the time from there to the next is ... */
    double *works;          /* ... that of the kernel at work, of pool->seconds; NULL: of the next one that begins */
    char *gave_up;          /* why the worker gave the batch up, or NULL */
    bool leaving;           /* the last result was such that the worker ends after it */
    size_t measured;        /* kernels that this worker gave a result */
    size_t last;            /* of pool->ids: the one before */
    int last_failed_on;     /* as of its share */
    struct session session; /* of the GPU: that of the first worker */
};

/* What is to be measured, and how far that is. */
struct pool {
    const struct measurement *measurement;
    struct run *run;
    struct seat *seats;
    size_t seat_count;
    char *list; /* the chosen kernels as the first worker named them; NULL before that */
    char **ids; /* the same, in their order */
    size_t count;
    double *seconds;     /* that each has taken so far, in all its passes */
    struct share *queue; /* that no seat has: the next one is the first that the seat may take */
    size_t queued;
    enum ending ending; /* of all */
    struct progress progress;
};

/* ---- The queue, pool_queue.c ---- */

/* Fills it with all of pool->ids. */
void queue_fill(struct pool *pool);

/* Gives the seat its next share; false when there is none for it. */
bool queue_take(struct seat *seat);

/* Puts what is left of the seat's share back, for others. */
void queue_return(struct seat *seat);

/* Has another seat try a kernel that failed on this one, once; unless there is none, or it must not. */
void queue_try_elsewhere(struct seat *seat, size_t kernel);

/* Kernels of the pool, one a line. Caller frees. */
char *queue_text(const struct pool *pool, size_t first, size_t limit);

/* ---- Messages, pool_take.c: a library can write to the pipe as well, so each is held to what a worker says then, or
 * refused. ---- */

enum ending pool_take(struct seat *seat, const struct message *message);

/* No worker gave it a result, or one that is worth nothing. */
void pool_fail(struct seat *seat, size_t kernel, enum result_status status, const char *reason);

/* How the seat's GPU is called: "GPU 1 (GPU-2f...)"; "device 1" where it has no UUID. Caller frees. */
char *seat_name(const struct seat *seat);

/* Gives the worker, which waits for it, its share; or lets it wait on. */
void seat_tell(struct seat *seat);

/* Its kernels as lines. */
extern const char pool_out_of_turn[];
size_t split_lines(const char *text, char ***lines);
void free_lines(char **lines, size_t count);

#endif
