/* Takes CUPTI's activity records: how long each launch of the program took that is not measured, and what was copied
 * and set. They come in a thread of CUPTI's and when the process ends.
 *
 * For the records of kernels CUPTI adds code to them. On an H100 that is 8 instructions a warp, which the counters of
 * the hardware count as well, and counters of instrumented code read 0 then. So there are no such records while the
 * range profiler counts. Without them all counts were those of runs in which there were none at all. */
#include "activity.h"
#include "groups.h"
#include "launch.h"

#include <cupti_activity.h>

#include <pthread.h>
#include <search.h>

enum { BUFFER_SIZE = 1 << 20, ALIGNMENT = 8 };

/* A launch of which no record has come, or not all of a graph's. */
struct expected {
    uint32_t correlation;
    struct launch_group *group;
    size_t kernels;  /* number of records that are to come */
    unsigned bounds; /* what the launch counts for */
    bool cold;       /* it is the group's first one */
    bool begun;      /* some have come */
    bool spoilt;     /* what they say is not its time */
    uint64_t time_ns;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects all below, and the groups' times */
static void *launches;                                    /* a tree of <search.h> */
static struct work copies, fills;
static bool is_on;
static struct stream {
    uint32_t context;
    CUstream stream;       /* NULL is one of each context, */
    pthread_t thread;      /* and others are of each thread */
    uint32_t last, before; /* the latest two launches of graphs on it of which records come */
} * streams;
static size_t stream_count;

ORDER_BY(by_correlation, struct expected, correlation)

static struct expected *find(uint32_t correlation)
{
    const struct expected key = {.correlation = correlation};
    struct expected **found = tfind(&key, &launches, by_correlation);
    return found ? *found : NULL;
}

static void forget(struct expected *launch)
{
    tdelete(launch, &launches, by_correlation);
    free(launch);
}

static struct stream *find_stream(uint32_t context, CUstream handle)
{
    const pthread_t thread = pthread_self();
    struct stream *known = FIND(stream, streams, stream_count,
                                stream->context == context && stream->stream == handle && stream->thread == thread);
    if (!known) {
        known = ARRAY_GROW(streams, stream_count);
        *known = (struct stream){.context = context, .stream = handle, .thread = thread};
    }
    return known;
}

void activity_expect(const CUpti_CallbackData *call, CUstream stream, struct launch_group *group, size_t kernels,
                     unsigned bounds)
{
    const uint32_t correlation = call->correlationId;
    if (!is_on || kernels == 0)
        return;
    pthread_mutex_lock(&mutex);
    struct expected *launch = find(correlation);
    if (!launch) {
        launch = x_calloc(1, sizeof *launch);
        launch->correlation = correlation;
        if (!tsearch(launch, &launches, by_correlation))
            BUG("no memory for a launch");
    }
    launch->group = group;
    launch->kernels = kernels;
    launch->bounds = bounds;
    launch->cold = group->launches == 0;
    launch->begun = launch->spoilt = false;
    launch->time_ns = 0;
    if (group->graph) {
        struct stream *of = find_stream(call->contextUid, stream);
        of->before = of->last;
        of->last = correlation;
    }
    pthread_mutex_unlock(&mutex);
}

void activity_forget(uint32_t correlation)
{
    pthread_mutex_lock(&mutex);
    struct expected *launch = find(correlation);
    if (launch && !launch->begun) {
        EACH(struct stream, stream, streams, stream_count)
            stream->last = stream->last == correlation ? stream->before : stream->last;
        forget(launch);
    }
    pthread_mutex_unlock(&mutex);
}

/* ---- Records ---- */

/* CUPTI's profiler waits on the GPU after each launch that it measures, by a kernel of its own, which has the launch's
 * correlation. */
static bool is_of_profiler(const CUpti_ActivityKernel10 *kernel)
{
    return kernel->name && strcmp(kernel->name, "WaitNs") == 0;
}

/* A launch that is spoilt is one whose time is not known. */
static void count_time(const struct expected *launch)
{
    for (size_t i = 0; i < bounds_shares() && launch->begun && !launch->spoilt; i++) {
        struct launch_share *share = &launch->group->shares[i];
        if (!(launch->bounds >> i & 1))
            continue;
        share->timed += !launch->cold;
        *(launch->cold ? &share->cold_ns : &share->time_ns) += launch->time_ns;
    }
}

static void take_kernel(const CUpti_ActivityKernel10 *kernel)
{
    struct expected *launch = is_of_profiler(kernel) ? NULL : find(kernel->correlationId);
    const bool spoilt = kernel->start == 0 || kernel->end < kernel->start || (launch && launch->spoilt);
    if (!is_of_profiler(kernel))
        busy_add(spoilt ? 0 : kernel->start, spoilt ? 0 : kernel->end, launch ? launch->group : NULL);
    if (!launch)
        return;
    launch->spoilt |= spoilt;
    launch->time_ns += spoilt ? 0 : kernel->end - kernel->start;
    launch->begun = true;
    if (--launch->kernels == 0) {
        count_time(launch);
        forget(launch);
    }
}

static void count_rest(const void *node, VISIT visit, int depth)
{
    (void)depth;
    if (visit == postorder || visit == leaf)
        count_time(*(struct expected *const *)node);
}

static void add_work(struct work *work, uint64_t bytes, uint64_t start, uint64_t end)
{
    work->count++;
    work->bytes += bytes;
    work->time_ns += end > start ? end - start : 0;
    busy_add(start, end, NULL);
}

static void take(const CUpti_Activity *record)
{
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        take_kernel((const CUpti_ActivityKernel10 *)record);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const CUpti_ActivityMemcpy6 *copy = (const CUpti_ActivityMemcpy6 *)record;
        const bool pageable = copy->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
                              copy->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
        const bool host = pageable || copy->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED ||
                          copy->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
        add_work(&copies, copy->bytes, copy->start, copy->end);
        copies.host_bytes += host ? copy->bytes : 0;
        copies.pageable_bytes += pageable ? copy->bytes : 0;
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const CUpti_ActivityMemset4 *fill = (const CUpti_ActivityMemset4 *)record;
        add_work(&fills, fill->bytes, fill->start, fill->end);
    }
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = aligned_alloc(ALIGNMENT, BUFFER_SIZE);
    *size = *buffer ? BUFFER_SIZE : 0;
    *most = 0; /* as many as fit */
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    CUpti_Activity *record = NULL;
    (void)context;
    (void)stream;
    (void)size;
    pthread_mutex_lock(&mutex);
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        take(record);
    pthread_mutex_unlock(&mutex);
    free(buffer);
}

/* ---- From the first to the last ---- */

static bool is_last(uint32_t correlation)
{
    return ANY(i, stream_count, streams[i].last == correlation);
}

/* Records of a graph end with the stream's next launch that has some. If a session comes first, on an H200 that is
 * after the session (357 ms a kernel, of a graph of 0.2 ms). */
static void spoil_last(const void *node, VISIT visit, int depth)
{
    struct expected *launch = *(struct expected *const *)node;
    (void)depth;
    if (visit == postorder || visit == leaf)
        launch->spoilt |= launch->group->graph && is_last(launch->correlation);
}

/* Both of kernels alone: records of copies add no code. */
void activity_pause(void)
{
    if (!is_on)
        return;
    pthread_mutex_lock(&mutex);
    twalk(launches, spoil_last);
    pthread_mutex_unlock(&mutex);
    (void)cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

void activity_resume(void)
{
    if (is_on)
        (void)cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

void activity_begin(void)
{
    static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                               CUPTI_ACTIVITY_KIND_MEMSET};
    is_on = cuptiActivityRegisterCallbacks(give_buffer, take_buffer) == CUPTI_SUCCESS;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        is_on = is_on && cuptiActivityEnable(kinds[i]) == CUPTI_SUCCESS;
}

bool activity_end(struct work *copied, struct work *filled)
{
    if (!is_on || cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != CUPTI_SUCCESS)
        return false;
    pthread_mutex_lock(&mutex);
    twalk(launches, count_rest);
    *copied = copies;
    *filled = fills;
    pthread_mutex_unlock(&mutex);
    return true;
}
