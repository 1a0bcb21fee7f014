/* Activity records of the stand-in. As the real one: a launch has its record with and without a profiler, a kernel of
 * the profiler's own follows each launch in a session of hardware counters, and kernels take ten times as long in a
 * session of instrumented code. But for its record a kernel has 8 instructions more a warp, and counters of
 * instrumented code read 0. */
#include "profiler.h"

#include <cupti_activity.h>

enum { IDLE = 25, WAIT_NS = 40000, SLOWER = 10, BYTES_PER_NS = 10, LATE_NS = 357000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static bool enabled[CUPTI_ACTIVITY_KIND_COUNT];
static uint8_t *buffer;
static size_t capacity, filled;
static uint64_t clock_ns = 1000000000;
static _Thread_local uint32_t correlation; /* of the driver's call that this thread is in */

void activity_call(unsigned id)
{
    correlation = id;
}

/* Hands the buffer over. The lock is held. */
static void deliver(void)
{
    uint8_t *full = buffer;
    buffer = NULL;
    if (full)
        complete(NULL, 0, full, capacity, filled);
    filled = 0;
}

/* Records have a size that keeps the next one aligned. */
static size_t aligned(size_t size)
{
    return (size + 7) / 8 * 8;
}

static void add(const void *record, CUpti_ActivityKind kind, size_t size)
{
    size_t most = 0;
    pthread_mutex_lock(&lock);
    if (complete && enabled[kind]) {
        if (buffer && filled + aligned(size) > capacity)
            deliver();
        if (!buffer)
            request(&buffer, &capacity, &most);
        if (buffer) {
            memcpy(buffer + filled, record, size);
            filled += aligned(size);
        }
    }
    pthread_mutex_unlock(&lock);
}

static void add_kernel(const char *name, double time_ns, uint32_t graph)
{
    CUpti_ActivityKernel10 record;
    memset(&record, 0, sizeof record);
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.name = name;
    record.correlationId = correlation;
    record.graphId = graph;
    static uint64_t before, count; /* when the last one began; with STANDIN_OVERLAP every second one begins with it */
    const char *loading = getenv("STANDIN_LOADING"); /* of each of the eight groups */
    clock_ns += loading && count < 8 ? (uint64_t)atoll(loading) : 0;
    before = count++ % 2 && getenv("STANDIN_OVERLAP") ? before : clock_ns;
    record.start = before;
    record.end = before + (uint64_t)time_ns;
    clock_ns = record.end > clock_ns ? record.end : clock_ns;
    const char *idle = getenv("STANDIN_IDLE"); /* else the GPU is busy for 80 % of the time */
    clock_ns += (uint64_t)(time_ns * (idle ? atoi(idle) : IDLE) / 100);
    add(&record, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof record);
}

void activity_ran(const struct standin_kernel *kernel, bool in_graph)
{
    enum pass_kind kind = HARDWARE;
    const bool counts = range_counts(kernel->context, &kind);
    add_kernel("made up", counts && kind == INSTRUMENTED ? SLOWER * kernel->time_ns : kernel->time_ns, in_graph);
    if (counts && kind == HARDWARE)
        add_kernel("WaitNs", WAIT_NS, 0);
}

bool activity_adds_code(void)
{
    return complete && enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL];
}

void activity_moved(size_t bytes, bool is_copy)
{
    const uint64_t start = clock_ns, end = clock_ns += bytes / BYTES_PER_NS;
    const CUpti_ActivityMemcpy6 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                        .correlationId = correlation,
                                        .bytes = bytes,
                                        .start = start,
                                        .end = end,
                                        .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                        .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE};
    const CUpti_ActivityMemset4 set = {
        .kind = CUPTI_ACTIVITY_KIND_MEMSET, .correlationId = correlation, .bytes = bytes, .start = start, .end = end};
    if (is_copy)
        add(&copy, copy.kind, sizeof copy);
    else
        add(&set, set.kind, sizeof set);
}

/* ---- Functions ---- */

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t *timestamp)
{
    *timestamp = clock_ns;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                                    CUpti_BuffersCallbackCompleteFunc funcBufferCompleted)
{
    REFUSE(!funcBufferRequested || !funcBufferCompleted, CUPTI_ERROR_INVALID_PARAMETER);
    pthread_mutex_lock(&lock);
    request = funcBufferRequested;
    complete = funcBufferCompleted;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind)
{
    REFUSE(getenv("STANDIN_NO_RECORDS"), CUPTI_ERROR_NOT_SUPPORTED);
    REFUSE(kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT, CUPTI_ERROR_INVALID_PARAMETER);
    enabled[kind] = true;
    return CUPTI_SUCCESS;
}

static size_t size_of(CUpti_ActivityKind kind)
{
    return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? sizeof(CUpti_ActivityKernel10)
           : kind == CUPTI_ACTIVITY_KIND_MEMCPY          ? sizeof(CUpti_ActivityMemcpy6)
                                                         : sizeof(CUpti_ActivityMemset4);
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t *records, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + aligned(size_of((*record)->kind)) : records;
    REFUSE(!records || next >= records + valid, CUPTI_ERROR_MAX_LIMIT_REACHED);
    *record = (CUpti_Activity *)next;
    return CUPTI_SUCCESS;
}

/* As the real one: what the last launch of a graph has in a record that nobody took ends long after. */
static void spoil_last(void)
{
    CUpti_Activity *record = NULL;
    uint32_t last = 0;
    for (int pass = 0; pass < 2; pass++, record = NULL)
        while (buffer && cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS) {
            CUpti_ActivityKernel10 *kernel = (CUpti_ActivityKernel10 *)record;
            if (kernel->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || !kernel->graphId)
                continue;
            if (pass == 0)
                last = kernel->correlationId;
            else if (kernel->correlationId == last)
                kernel->end += LATE_NS;
        }
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind)
{
    REFUSE(kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT, CUPTI_ERROR_INVALID_PARAMETER);
    pthread_mutex_lock(&lock);
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        spoil_last();
    enabled[kind] = false;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&lock);
    if (complete)
        deliver();
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}
