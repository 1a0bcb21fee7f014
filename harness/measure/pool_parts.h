/* pool_parts.h - a measurement that is running: its slots, and what is still to be measured. Private to pool*.c. */
#pragma once

#include "measure.h"
#include "progress.h"

/* A work item: kernels that one worker measures, one after the other or together. They are those of a family at one
 * point, or of several small ones, or the rest of them. */
struct item {
    size_t first, end;  /* indices in pool->ids; `first` is the next kernel to get a result */
    size_t alone_until; /* kernels before this index are measured one by one, because a batch with them failed */
    double cost;
    int only_on;   /* number of the only slot that may measure it; -1: any may */
    int failed_on; /* number of the slot on which its kernel failed, so that another one tries it; -1: none */
};

/* Ways in which a worker ends. */
enum ending {
    ENDING_NOT_YET,
    ENDING_DONE,
    ENDING_NEXT,
    ENDING_HUNG,
    ENDING_DIED,
    ENDING_OUT_OF_TURN, /* it said something that no worker says at that time */
    ENDING_IMPOSSIBLE,  /* nothing can be measured on its GPU */
    /* These end all workers: */
    ENDING_MIXED, /* one run cannot have all of their GPUs */
    ENDING_INTERRUPTED,
    ENDING_USAGE
};

/* How far the worker of a slot is. */
enum slot_state {
    SLOT_EMPTY,     /* there is no worker */
    SLOT_LOST,      /* there can be none: nothing can be measured there any more */
    SLOT_STARTED,   /* the worker has said nothing yet */
    SLOT_DISMISSED, /* the worker has named the kernels, and is not needed */
    SLOT_LISTED,    /* the worker has named the kernels, and opens its GPU */
    SLOT_OPEN,      /* the worker has described its GPU: it measures, or waits for an item */
    SLOT_LEAVING,   /* the worker ends after its last result, because of what that was */
    SLOT_TOLD_END   /* the worker knows that there is no more work */
};

/* A slot: a GPU, the worker there, and what it has said so far. */
struct slot {
    struct pool *pool;
    int number; /* index among the slots */
    int device; /* ordinal of the GPU */
    struct peer worker;
    enum slot_state state;
    bool ahead;      /* the worker was started for an earlier choice of kernels, which may have had more */
    double deadline; /* when it has to have said something, at the latest */
    double limit;    /* when the kernel at work has to have a result, whatever progress it makes */
    struct launch_headway headway; /* how far its launch is, as it said last */
    struct item item;              /* the rest of its item; empty: it has none */
    size_t told;                   /* the worker was told of the kernels before this index */
    size_t begun;                  /* number of kernels that have begun and have no result yet */
    bool together;                 /* those kernels began as a batch, perhaps with others that have a result */
    double since;       /* when the worker said something last; the time until it speaks again is that of ... */
    double *works;      /* ... the kernel at work, in pool->seconds; NULL: of the next kernel that begins */
    char *gave_up;      /* why the worker gave up the batch, or NULL */
    size_t measured;    /* number of kernels that this worker gave a result */
    size_t last;        /* index in pool->ids of the kernel before */
    int last_failed_on; /* failed_on of that kernel's item */
    bool has_session;
    struct session session; /* session of the GPU: that of its first worker */
};

static inline bool slot_runs(const struct slot *slot)
{
    return slot->state >= SLOT_STARTED;
}

static inline bool slot_has_item(const struct slot *slot)
{
    return slot->item.first < slot->item.end;
}

/* A pool: everything that a measurement is to measure, and how far it is. */
struct pool {
    const struct measurement *measurement;
    struct run *run;
    struct slot *slots;
    size_t slot_count;
    char *list; /* the chosen kernels, as the first worker named them; NULL before that */
    char **ids; /* the same kernels, in the same order */
    size_t count;
    double *seconds;    /* seconds that each kernel has taken so far, in all its passes */
    struct item *queue; /* items that no slot has; a slot takes the first one that it may have */
    size_t queued;
    enum ending ending; /* how the whole measurement ended */
    struct progress progress;
};

/* A kernel that is simulated may take so many time limits in all while its blocks end, which no other kernel may. */
enum { HEADWAY_TIMES = 10 };

/* ---- The queue, pool_queue.c ---- */

/* Fills the queue with all of pool->ids. */
void queue_fill(struct pool *pool);

/* Gives the slot its next item. False: there is none for it. */
bool queue_take(struct slot *slot);

/* Puts the rest of the slot's item back, for other slots. */
void queue_return(struct slot *slot);

/* Has another slot try a kernel that failed on this one, once. Does nothing if there is no other, or none may. */
void queue_try_elsewhere(struct slot *slot, size_t kernel);

/* Returns kernels of the pool as text, one a line. Caller frees. */
char *queue_text(const struct pool *pool, size_t first, size_t limit);

/* ---- Messages, pool_take.c: a library can write to the pipe as well, so each is held to what a worker says then, or
 * refused. ---- */

enum ending pool_take(struct slot *slot, const struct message *message);

/* Fails a kernel that no worker gave a result, or only a worthless one. */
void pool_fail(struct slot *slot, size_t kernel, enum result_status status, const char *reason);

/* Tells the worker its item, for which it waits. Without one, it waits on. */
void slot_tell(struct slot *slot);

/* The end of the reason when a worker says something at the wrong time. */
extern const char pool_out_of_turn[];
