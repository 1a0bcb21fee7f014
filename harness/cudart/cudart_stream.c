/* Streams and events. All work is done when a call returns, unless the stream is captured into a graph. */
#include "runtime.h"

#include "graph.h"
#include "handle.h"

/* As CUDA tells of GPUs of this kind: a lower number is a higher priority. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

/* A capture, which any number of streams have a part in. It is never freed, since events may refer to it. */
struct capture {
    cudaGraph_t graph; /* NULL: it has ended */
    cudaStream_t origin;
    unsigned long long id;
};

/* What is done before: launches and copies one behind the other, and operations of each stream. */
struct order {
    size_t chain;
    struct passed passed;
};

/* Nodes of a graph that what is captured next comes behind. */
struct ends {
    cudaGraphNode_t *list;
    size_t count;
};

struct CUstream_st {
    unsigned long long id;
    unsigned flags;
    int priority;
    struct capture *capture; /* the last one that it had a part in, or NULL */
    struct ends ends;
    struct order order;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    unsigned long long ns;   /* by the runtime's clock, when it was */
    struct capture *capture; /* it was recorded in a stream that had a part in that */
    struct ends ends;        /* of the stream */
    struct order order;
};

/* Streams that can be captured: those that a program made. The others are handles of CUDA's. */
static bool is_made(cudaStream_t stream)
{
    return stream && handle_is(HANDLE_STREAM, stream);
}

/* Returns the capture that a stream has a part in now, or NULL. */
static struct capture *capture_of(cudaStream_t stream)
{
    return is_made(stream) && stream->capture && stream->capture->graph ? stream->capture : NULL;
}

cudaError_t stream_lost(cudaStream_t stream)
{
    const bool known = !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread || is_made(stream);
    const cudaError_t error = runtime_lost();
    return error != cudaSuccess || known ? error : runtime_return(cudaErrorInvalidResourceHandle);
}

cudaGraph_t stream_graph(cudaStream_t stream)
{
    const struct capture *capture = capture_of(stream);
    return capture ? capture->graph : NULL;
}

static bool is_end(const struct ends *ends, const struct CUgraphNode_st *node)
{
    return ANY(i, ends->count, ends->list[i] == node);
}

static void add_ends(struct ends *ends, const struct ends *more)
{
    for (size_t i = 0; i < more->count; i++)
        if (!is_end(ends, more->list[i]))
            *ARRAY_GROW(ends->list, ends->count) = more->list[i];
}

void graph_capture(cudaStream_t stream, const struct node_work *work)
{
    struct ends *ends = &stream->ends;
    cudaGraphNode_t node = graph_add(stream->capture->graph, work);
    runtime_calls();
    for (size_t i = 0; i < ends->count; i++)
        node_depend(node, ends->list[i]);
    ends->count = 0;
    *ARRAY_GROW(ends->list, ends->count) = node;
}

bool stream_captures(cudaGraph_t graph)
{
    return ANY(i, runtime_now()->capture_count, runtime_now()->captures[i]->graph == graph);
}

/* ---- What comes behind what ---- */

/* What the default stream has done; what streams have that wait for it, and it for them. What a thread waits for is
 * before all launches of its chains then, and before all operations of all threads, which may hear of it. */
static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;
static struct order default_order, blocking_order;
static _Thread_local struct order thread_order;
static _Thread_local size_t waited_chain;
enum { DEFAULT, PER_THREAD, MADE };
static _Thread_local cudaStream_t stream_now;

static size_t longer(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void join(struct order *order, const struct order *more)
{
    order->chain = longer(order->chain, more->chain);
    passed_join(&order->passed, &more->passed);
}

/* Returns where the order of a stream is kept. */
static struct order *place_of(cudaStream_t stream)
{
    return is_made(stream) ? &stream->order : stream == cudaStreamPerThread ? &thread_order : &default_order;
}

static bool is_apart(cudaStream_t stream)
{
    return is_made(stream) && stream->flags & cudaStreamNonBlocking;
}

/* Returns what the next operation of the stream comes behind. */
static struct order order_before(cudaStream_t stream)
{
    const struct order *place = place_of(stream);
    struct order order = {.chain = waited_chain};
    operation_waited(&order.passed);
    join(&order, place);
    if (!is_apart(stream))
        join(&order, place == &default_order ? &blocking_order : &default_order);
    return order;
}

static void set_order(cudaStream_t stream, const struct order *order)
{
    *place_of(stream) = *order;
    if (!is_apart(stream) && place_of(stream) != &default_order)
        join(&blocking_order, order);
}

static void extend(cudaStream_t stream, const struct order *behind, size_t launches)
{
    pthread_mutex_lock(&order_lock);
    struct order order = order_before(stream);
    if (behind)
        join(&order, behind);
    order.chain += launches;
    set_order(stream, &order);
    if (order.chain > atomic_load(&runtime_now()->work.longest_chain))
        atomic_store(&runtime_now()->work.longest_chain, order.chain);
    pthread_mutex_unlock(&order_lock);
}

void stream_begins(cudaStream_t stream)
{
    pthread_mutex_lock(&order_lock);
    struct order order = order_before(stream);
    const uint32_t lane = is_made(stream)                 ? MADE + (uint32_t)(stream->id % (FIRST_BRANCH - MADE))
                          : stream == cudaStreamPerThread ? PER_THREAD
                                                          : DEFAULT;
    operation_begin(lane, &order.passed);
    set_order(stream, &order);
    stream_now = stream;
    pthread_mutex_unlock(&order_lock);
}

static struct order order_now(cudaStream_t stream)
{
    pthread_mutex_lock(&order_lock);
    const struct order order = order_before(stream);
    pthread_mutex_unlock(&order_lock);
    return order;
}

/* Returns the error; without one, the host knows that the stream is done. */
static cudaError_t seen(cudaStream_t stream, cudaError_t error)
{
    const struct order order = order_now(stream);
    if (error == cudaSuccess)
        stream_seen(&order.passed);
    return error;
}

cudaError_t stream_puts(cudaStream_t stream, cudaError_t error)
{
    atomic_fetch_add(&runtime_now()->work.stream_calls, error == cudaSuccess && !stream_graph(stream));
    return error;
}

void stream_copies(cudaStream_t stream)
{
    extend(stream, NULL, 1);
}

void stream_chain(cudaStream_t stream, size_t launches)
{
    if (stream_graph(stream))
        return;
    runtime_calls();
    extend(stream, &(const struct order){0, operation_passed()}, launches);
}

/* Notes that this thread has waited for the stream. */
static void stream_waited(cudaStream_t stream)
{
    waited_chain = order_now(stream).chain;
    (void)seen(stream, cudaSuccess);
}

cudaError_t runtime_waited(cudaError_t error, enum cudaMemcpyKind kind)
{
    if (error == cudaSuccess && kind != cudaMemcpyDeviceToDevice) {
        runtime_waits();
        stream_waited(NULL);
    }
    return error;
}

/* ---- Streams ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    runtime_calls();
    CUDA_TRY(runtime_lost());
    REFUSE(!stream || flags > cudaStreamNonBlocking, cudaErrorInvalidValue);
    *stream = handle_new(HANDLE_STREAM, sizeof **stream);
    **stream = (struct CUstream_st){.id = ++runtime_now()->last_stream, .flags = flags};
    runtime_machine()->stream_races->on = true;
    (*stream)->priority = priority > LEAST_PRIORITY      ? LEAST_PRIORITY
                          : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                         : priority;
    return cudaSuccess;
}

RUNTIME(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),
        cudaStreamCreateWithPriority(stream, flags, 0))
RUNTIME(cudaStreamCreate, (cudaStream_t * stream), cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0))

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    runtime_calls();
    const cudaError_t error = is_made(stream) ? runtime_lost() : runtime_return(cudaErrorInvalidResourceHandle);
    if (is_made(stream)) {
        free(stream->ends.list);
        handle_free(stream);
    }
    return error;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return runtime_lost();
}

RUNTIME(cudaStreamGetPriority, (cudaStream_t stream, int *priority),
        SET(priority, is_made(stream) ? stream->priority : 0, stream_lost(stream)))
RUNTIME(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags),
        SET(flags, is_made(stream) ? stream->flags : cudaStreamDefault, stream_lost(stream)))
RUNTIME(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id),
        SET(id, is_made(stream) ? stream->id : 0, stream_lost(stream)))
RUNTIME(cudaStreamGetDevice, (cudaStream_t stream, int *device), SET(device, 0, stream_lost(stream)))

/* Attributes say what stays in the caches, and how the host waits. They change no count. */
RUNTIME(cudaStreamSetAttribute, (cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value),
        ((void)attribute, value ? stream_lost(stream) : runtime_return(cudaErrorInvalidValue)))

/* A stream that is captured does nothing, so nobody can wait for it. */
static cudaError_t wait_for(cudaStream_t stream)
{
    const cudaError_t error = stream_lost(stream);
    return error != cudaSuccess || !stream_graph(stream) ? error : runtime_return(cudaErrorStreamCaptureUnsupported);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const cudaError_t error = wait_for(stream);
    runtime_waits();
    if (error == cudaSuccess)
        stream_waited(stream);
    return error;
}

RUNTIME(cudaStreamQuery, (cudaStream_t stream), seen(stream, wait_for(stream)))

/* A stream that waits for an event of a captured one is captured too. */
static cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event)
{
    CUDA_TRY(stream_lost(stream));
    REFUSE(!handle_is(HANDLE_EVENT, event), cudaErrorInvalidResourceHandle);
    const bool captured = event->capture && event->capture->graph;
    if (!captured)
        extend(stream, &event->order, 0);
    else if (capture_of(stream) == event->capture)
        add_ends(&stream->ends, &event->ends);
    if (!captured || capture_of(stream) == event->capture)
        return cudaSuccess;
    if (!is_made(stream) || capture_of(stream))
        return runtime_return(is_made(stream) ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureImplicit);
    stream->capture = event->capture;
    stream->ends.count = 0;
    add_ends(&stream->ends, &event->ends);
    return cudaSuccess;
}

RUNTIME(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
        ((void)flags, stream_puts(stream, wait_event(stream, event))))

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags)
{
    runtime_calls();
    (void)flags;
    const cudaError_t error = stream_lost(stream);
    if (!callback || error == cudaErrorInvalidResourceHandle)
        return callback ? error : runtime_return(cudaErrorInvalidValue);
    REFUSE(stream_graph(stream), cudaErrorStreamCaptureUnsupported);
    (void)seen(stream, error);
    callback(stream, error, data);
    return stream_puts(stream, error);
}

/* Calls a host function that the program itself puts into a stream. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    const cudaError_t error = stream_lost(stream);
    cudaGraph_t graph = stream_graph(stream);
    if (!graph)
        runtime_calls();
    REFUSE(!function, cudaErrorInvalidValue);
    if (error == cudaSuccess && graph)
        graph_capture(stream, &(struct node_work){.kind = &node_host, .host = {function, data}});
    else if (seen(stream, error) == cudaSuccess)
        function(data);
    return stream_puts(stream, error);
}

/* ---- Capture ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    runtime_calls();
    struct runtime *runtime = runtime_now();
    (void)mode; /* it says which other calls are errors meanwhile */
    CUDA_TRY(runtime_lost());
    if (stream == cudaStreamPerThread)
        return runtime_not_simulated("cudaStreamBeginCapture of the per-thread default stream");
    REFUSE(!is_made(stream), cudaErrorStreamCaptureUnsupported);
    REFUSE(capture_of(stream), cudaErrorIllegalState);
    struct capture *capture = x_calloc(1, sizeof *capture);
    *capture = (struct capture){.graph = graph_new(), .origin = stream, .id = runtime->capture_count + 1};
    *ARRAY_GROW(runtime->captures, runtime->capture_count) = capture;
    stream->capture = capture;
    stream->ends.count = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    struct capture *capture = capture_of(stream);
    CUDA_TRY(runtime_lost());
    REFUSE(!capture, cudaErrorIllegalState);
    REFUSE(capture->origin != stream, cudaErrorStreamCaptureUnmatched);
    cudaGraph_t made = capture->graph;
    capture->graph = NULL;
    for (size_t i = 0; i < made->count; i++)
        made->nodes[i]->done = is_end(&stream->ends, made->nodes[i]);
    for (size_t i = 0; i < made->count; i++)
        for (size_t k = 0; k < made->nodes[i]->after_count; k++)
            made->nodes[i]->after[k]->done = true;
    const bool joined = ALL(i, made->count, made->nodes[i]->done);
    if (!joined)
        graph_release(made);
    if (graph)
        *graph = joined ? made : NULL;
    return joined ? cudaSuccess : runtime_return(cudaErrorStreamCaptureUnjoined);
}

RUNTIME(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
        SET(status, capture_of(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone,
            stream_lost(stream)))

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    if (runtime_lacks_edges(__func__))
        return cudaErrorNotSupported;
    const struct capture *capture = capture_of(stream);
    REFUSE(!status, cudaErrorInvalidValue);
    *status = capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (capture && id)
        *id = capture->id;
    if (capture && graph)
        *graph = capture->graph;
    const size_t nodes = capture ? stream->ends.count : 0;
    if (dependencies)
        *dependencies = nodes > 0 ? stream->ends.list : NULL;
    if (edges)
        *edges = NULL;
    if (count)
        *count = nodes;
    return stream_lost(stream);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static _Thread_local enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    const enum cudaStreamCaptureMode before = current;
    current = mode ? *mode : before;
    return SET(mode, before, runtime_lost());
}

/* ---- Events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    runtime_calls();
    CUDA_TRY(runtime_lost());
    REFUSE(!event, cudaErrorInvalidValue);
    *event = handle_new(HANDLE_EVENT, sizeof **event);
    (*event)->flags = flags;
    return cudaSuccess;
}

RUNTIME(cudaEventCreate, (cudaEvent_t * event), cudaEventCreateWithFlags(event, cudaEventDefault))

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    runtime_calls();
    REFUSE(!handle_is(HANDLE_EVENT, event), cudaErrorInvalidResourceHandle);
    free(event->ends.list);
    handle_free(event);
    return runtime_lost();
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream)
{
    CUDA_TRY(stream_lost(stream));
    REFUSE(!handle_is(HANDLE_EVENT, event), cudaErrorInvalidResourceHandle);
    event->capture = capture_of(stream);
    event->recorded = true;
    event->ends.count = 0;
    if (event->capture)
        add_ends(&event->ends, &stream->ends);
    event->order = order_now(stream);
    event->ns = atomic_load(&runtime_now()->clock_ns);
    return cudaSuccess;
}

static cudaError_t run_record(const struct node_work *work)
{
    const cudaError_t error = record(work->event, stream_now); /* if it is there no more */
    const struct passed passed = operation_passed();
    if (error == cudaSuccess)
        passed_join(&work->event->order.passed, &passed);
    return error;
}

static cudaError_t run_wait(const struct node_work *work)
{
    struct passed passed = operation_passed();
    if (handle_is(HANDLE_EVENT, work->event)) {
        extend(stream_now, &work->event->order, 0);
        passed_join(&passed, &work->event->order.passed);
    }
    operation_begin(stream_operation()->stream, &passed);
    return cudaSuccess;
}

const struct node_kind node_record = {.type = cudaGraphNodeTypeEventRecord, .run = run_record};
const struct node_kind node_wait = {.type = cudaGraphNodeTypeWaitEvent, .run = run_wait};

RUNTIME(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), stream_puts(stream, record(event, stream)))
RUNTIME(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
        ((void)flags, cudaEventRecord(event, stream)))
RUNTIME(cudaEventQuery, (cudaEvent_t event),
        handle_is(HANDLE_EVENT, event) ? (stream_seen(&event->order.passed), runtime_lost())
                                       : runtime_return(cudaErrorInvalidResourceHandle))

cudaError_t cudaDeviceSynchronize(void)
{
    runtime_waits();
    waited_chain = atomic_load(&runtime_now()->work.longest_chain);
    stream_seen(NULL);
    return runtime_lost();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    runtime_waits();
    REFUSE(!handle_is(HANDLE_EVENT, event), cudaErrorInvalidResourceHandle);
    waited_chain = longer(waited_chain, event->order.chain);
    stream_seen(&event->order.passed);
    return runtime_lost();
}

/* The time is an estimate (runtime_clock.c). For a kernel library there is none, so 0: a rate that is computed with it
 * is infinite, which nobody takes for a measurement. */
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    NUMERIC_DEFAULT;
    CUDA_TRY(runtime_lost());
    REFUSE(!milliseconds, cudaErrorInvalidValue);
    if (!handle_is(HANDLE_EVENT, start) || !handle_is(HANDLE_EVENT, end) || !start->recorded || !end->recorded ||
        ((start->flags | end->flags) & cudaEventDisableTiming))
        return runtime_return(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(((double)end->ns - (double)start->ns) / 1e6);
    return cudaSuccess;
}
