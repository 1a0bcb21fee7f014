/* Finds how much of the time between the first and the last work of the process the GPU was busy, with kernels, copies
 * or memory that is set. Where a session of the profiler counts, each launch waits for its kernel, so only the
 * stretches between sessions tell. */
#include "activity.h"

#include "base/base.h"

#include <cupti_activity.h>

#include <pthread.h>

enum {
    PIECES_MAX = 1 << 22, /* of 16 bytes; a process with more does not tell */
    PIECES_MIN = 64       /* work in a stretch for it to tell; between two sessions there often is hardly any */
};

/* From and to, by CUPTI's clock in ns. */
struct piece {
    uint64_t from, to;
};

struct pieces {
    struct piece *list;
    size_t count;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects all below: records come in a thread of CUPTI's */
static struct pieces work, free_time; /* what the GPU did; the stretches between sessions that are over */
static uint64_t began;                /* when the present stretch did */
static bool is_free = true, is_unknown;

static void add(struct pieces *pieces, uint64_t from, uint64_t to)
{
    is_unknown |= pieces->count == PIECES_MAX;
    if (is_unknown) {
        free(pieces->list);
        *pieces = (struct pieces){0};
    } else if (to > from)
        *ARRAY_GROW(pieces->list, pieces->count) = (struct piece){from, to};
}

void busy_add(uint64_t from, uint64_t to)
{
    pthread_mutex_lock(&mutex);
    add(&work, from, to);
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
        add(&free_time, began, now());
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

ORDER_BY(by_begin, struct piece, from)

/* Forgets the stretches in which too little work began. The work is sorted. */
static void keep_telling(struct pieces *stretches)
{
    size_t kept = 0;
    for (size_t s = 0, first = 0; s < stretches->count; s++) {
        const struct piece stretch = stretches->list[s];
        while (first < work.count && work.list[first].from < stretch.from)
            first++;
        size_t end = first;
        while (end < work.count && work.list[end].from < stretch.to)
            end++;
        if (end - first >= PIECES_MIN)
            stretches->list[kept++] = stretch;
        first = end;
    }
    stretches->count = kept;
}

/* Joins pieces that overlap. They are sorted. */
static void join(struct pieces *pieces)
{
    size_t kept = 0;
    EACH(const struct piece, next, pieces->list, pieces->count) {
        struct piece *last = kept > 0 ? &pieces->list[kept - 1] : NULL;
        if (last && next->from <= last->to)
            last->to = next->to > last->to ? next->to : last->to;
        else
            pieces->list[kept++] = *next;
    }
    pieces->count = kept;
}

/* Returns for how long the piece overlaps that stretch. */
static uint64_t overlap(const struct piece *piece, const struct piece *stretch)
{
    const uint64_t from = piece->from > stretch->from ? piece->from : stretch->from;
    const uint64_t to = piece->to < stretch->to ? piece->to : stretch->to;
    return to > from ? to - from : 0;
}

static void find_busy(uint64_t *busy, uint64_t *span)
{
    if (is_unknown || work.count == 0)
        return;
    SORT(work.list, work.count, by_begin);
    keep_telling(&free_time);
    join(&work);
    const struct piece whole = {work.list[0].from, work.list[work.count - 1].to};
    for (size_t s = 0, w = 0; s < free_time.count; s++) {
        const struct piece *stretch = &free_time.list[s];
        *span += overlap(&whole, stretch);
        while (w < work.count && work.list[w].to <= stretch->from)
            w++;
        for (size_t i = w; i < work.count && work.list[i].from < stretch->to; i++)
            *busy += overlap(&work.list[i], stretch);
    }
}

void busy_tell(uint64_t *busy, uint64_t *span)
{
    *busy = *span = 0;
    busy_pause();
    pthread_mutex_lock(&mutex);
    find_busy(busy, span);
    is_unknown = true; /* what comes now is not kept */
    pthread_mutex_unlock(&mutex);
}
