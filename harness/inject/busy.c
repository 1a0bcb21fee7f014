/* Finds the time from the first to the last work of the process, how much of it the GPU was busy, with kernels, copies
 * or memory that is set, and how much of a kernel's time it shared with kernels that ran meanwhile. Where a session of
 * the profiler counts, each launch waits for its kernel, so only the stretches between sessions tell. */
#include "activity.h"
#include "groups.h"

#include <cupti_activity.h>

#include <pthread.h>

enum {
    EVENTS_MAX = 1 << 22, /* of 24 bytes; a process with more does not tell */
    PIECES_MIN = 64,      /* work in a stretch for it to tell; between two sessions there often is hardly any */
    BEGUN_MIN = 90,       /* % of all work that has to begin in them for the elapsed time to be known */
    LOADED_MIN = 99,      /* % of all work that has to be no group's first for its loading to be left out, */
    LOADING_MAX = 5000000 /* and of each wait no more, in ns: 14 kernels more took 12 ms on an H200 */
};

/* Work or a stretch begins, 1, or ends, -1. */
struct event {
    uint64_t at;                /* by CUPTI's clock in ns */
    struct launch_group *group; /* of a kernel; NULL: of other work, or it is of a stretch */
    signed char work, free;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects all below: records come in a thread of CUPTI's */
static struct event *events;                              /* of what the GPU did */
static struct stretch {
    uint64_t from, to;
} * stretches;                                    /* between sessions, those that are over */
static size_t event_count, stretch_count, missed; /* missed: work without a record */
static uint64_t began;                            /* when the present stretch did */
static bool is_free = true, is_unknown;

static void add(uint64_t from, uint64_t to, struct launch_group *group, bool is_work)
{
    *ARRAY_GROW(events, event_count) = (struct event){from, group, is_work, !is_work};
    *ARRAY_GROW(events, event_count) = (struct event){to, group, is_work ? -1 : 0, is_work ? 0 : -1};
}

void busy_add(uint64_t from, uint64_t to, struct launch_group *group)
{
    pthread_mutex_lock(&mutex);
    is_unknown |= event_count == EVENTS_MAX;
    if (!is_unknown && to > from)
        add(from, to, group, true);
    missed += to <= from;
    pthread_mutex_unlock(&mutex);
}

void busy_off(void)
{
    is_unknown = true;
}

static uint64_t now(void)
{
    uint64_t time = 0;
    is_unknown |= cuptiGetTimestamp(&time) != CUPTI_SUCCESS;
    return time;
}

void busy_pause(void)
{
    pthread_mutex_lock(&mutex);
    if (is_free)
        *ARRAY_GROW(stretches, stretch_count) = (struct stretch){began, now()};
    is_free = false;
    pthread_mutex_unlock(&mutex);
}

void busy_resume(void)
{
    pthread_mutex_lock(&mutex);
    if (!is_free)
        began = now();
    is_free = true;
    pthread_mutex_unlock(&mutex);
}

ORDER_BY(by_time, struct event, at)

/* What is known of events up to one: how many do work, since when none does, how often a group began, and for how long
 * the GPU waited for that: the driver loads a function when it is first launched. */
struct progress {
    int running;
    uint64_t idle, loading;
    size_t loaded;
};

static void take(struct progress *progress, const struct event *event, uint64_t from)
{
    if (event->work > 0 && event->group && !event->group->loaded) {
        const uint64_t since = progress->idle > from ? progress->idle : from;
        const uint64_t waited = progress->running == 0 && event->at > since ? event->at - since : 0;
        progress->loading += waited < LOADING_MAX ? waited : LOADING_MAX;
        progress->loaded += event->group->loaded = true;
    }
    progress->running += event->work;
    progress->idle = progress->running == 0 ? event->at : progress->idle;
}

/* Adds the stretches in which enough work began, from the first work on until the last. Sets *elapsed to how long all
 * work took if that in them tells, without the loading of functions. Returns how long they are. */
static uint64_t add_telling(uint64_t *elapsed)
{
    struct progress progress = {.idle = events[0].at};
    const size_t count = event_count, all = count / 2 + missed;
    const uint64_t first = events[0].at, last = events[count - 1].at;
    uint64_t span = 0;
    size_t telling = 0;
    for (size_t s = 0, i = 0; s < stretch_count; s++) {
        const uint64_t from = stretches[s].from > first ? stretches[s].from : first,
                       to = stretches[s].to < last ? stretches[s].to : last;
        const uint64_t loading = progress.loading;
        size_t begun = 0;
        for (; i < count && events[i].at < to; i++) {
            begun += events[i].at >= from && events[i].work > 0;
            take(&progress, &events[i], from);
        }
        if (begun < PIECES_MIN) {
            progress.loading = loading;
            continue;
        }
        add(from, to, NULL, false);
        span += to - from;
        telling += begun;
    }
    const uint64_t loading = (all - progress.loaded) * 100 >= LOADED_MIN * all ? progress.loading : 0;
    if (telling > 0 && telling * 100 >= BEGUN_MIN * all)
        *elapsed = (uint64_t)((double)(span - loading) * (double)all / (double)telling);
    return span;
}

/* Returns for how long the GPU was busy in them. Kernels that run at a time share it equally. */
static uint64_t sweep(void)
{
    int running = 0, kernels = 0, free = 0;
    long double all = 0, alone = 0; /* ns so far: those in stretches, and what a kernel would have had of them */
    uint64_t busy = 0, before = 0;
    EACH(const struct event, event, events, event_count) {
        const uint64_t passed = free > 0 ? event->at - before : 0;
        before = event->at;
        busy += running > 0 ? passed : 0;
        all += passed;
        alone += kernels > 0 ? (long double)passed / kernels : 0;
        running += event->work;
        free += event->free;
        if (!event->group)
            continue;
        kernels += event->work;
        event->group->ran_ns -= event->work * all;
        event->group->alone_ns -= event->work * alone;
    }
    return busy;
}

void busy_tell(uint64_t *busy, uint64_t *span, uint64_t *elapsed)
{
    *busy = *span = *elapsed = 0;
    busy_pause();
    pthread_mutex_lock(&mutex);
    if (!is_unknown && event_count > 0) {
        SORT(events, event_count, by_time);
        *span = add_telling(elapsed);
        SORT(events, event_count, by_time);
        *busy = sweep();
    }
    is_unknown = true; /* what comes now is not kept */
    pthread_mutex_unlock(&mutex);
}
