/* Streams. They matter only because they capture: kernels run when they are launched, one after the other, so nothing
 * else is ever in a stream. */
#include "driver.h"

struct CUstream_st {
    CUcontext context;
    struct CUgraph_st *graph; /* the graph that is captured; NULL: the stream captures nothing */
    bool is_spoiled;
    bool is_borrowed; /* the graph belongs to the program */
    struct CUstream_st *next;
};

static struct CUstream_st *streams;

/* ---- Streams ---- */

CUresult CUDAAPI cuStreamCreate(CUstream *phStream, unsigned Flags)
{
    (void)Flags;
    READY();
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    REFUSE(!stream, CUDA_ERROR_OUT_OF_MEMORY);
    stream->context = context_current();
    pthread_mutex_lock(&driver_lock);
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&driver_lock);
    *phStream = stream;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamDestroy_v2(CUstream hStream)
{
    pthread_mutex_lock(&driver_lock);
    struct CUstream_st **link = &streams;
    while (*link && *link != hStream)
        link = &(*link)->next;
    struct CUstream_st *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&driver_lock);
    free(found);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SEEN(cuStreamSynchronize, (CUstream hStream), context_synchronize(context_current()), hStream)

/* ---- Capture ---- */

static bool is_stream(CUstream stream)
{
    return stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;
}

bool capture_is_active(CUstream stream)
{
    return is_stream(stream) && stream->graph;
}

bool capture_any(void)
{
    pthread_mutex_lock(&driver_lock);
    const struct CUstream_st *stream = streams;
    while (stream && !stream->graph)
        stream = stream->next;
    pthread_mutex_unlock(&driver_lock);
    return stream != NULL;
}

void capture_spoil_all(void)
{
    pthread_mutex_lock(&driver_lock);
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        stream->is_spoiled = stream->graph != NULL;
    pthread_mutex_unlock(&driver_lock);
}

/* As the real one: if a session of the profiler is running, it spoils the capture. */
CUresult capture_launch(const struct launch *launch)
{
    struct CUfunc_st *function;
    TRY(launch_check(launch, &function));
    TELL(captured, context_current());
    REFUSE(launch->stream->is_spoiled, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    pthread_mutex_lock(&driver_lock);
    graph_add_kernel(launch->stream->graph, launch);
    pthread_mutex_unlock(&driver_lock);
    return CUDA_SUCCESS;
}

static CUresult begin_capture(CUstream stream, CUgraph into)
{
    READY();
    REFUSE(!is_stream(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    REFUSE(stream->graph, CUDA_ERROR_ILLEGAL_STATE);
    struct CUgraph_st *graph = into ? into : memory_new(sizeof *graph);
    pthread_mutex_lock(&driver_lock);
    stream->graph = graph;
    stream->is_borrowed = into != NULL;
    stream->is_spoiled = false;
    pthread_mutex_unlock(&driver_lock);
    return CUDA_SUCCESS;
}

static CUresult end_capture(CUstream stream, CUgraph *graph)
{
    READY();
    REFUSE(!capture_is_active(stream), CUDA_ERROR_ILLEGAL_STATE);
    pthread_mutex_lock(&driver_lock);
    struct CUgraph_st *captured = stream->graph;
    const bool is_spoiled = stream->is_spoiled;
    const bool is_borrowed = stream->is_borrowed;
    stream->graph = NULL;
    pthread_mutex_unlock(&driver_lock);
    *graph = is_spoiled ? NULL : captured;
    if (!is_spoiled)
        return CUDA_SUCCESS;
    if (!is_borrowed)
        cuGraphDestroy(captured);
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

#define BEGIN_CAPTURE(name)                                                                                            \
    SEEN(name, (CUstream hStream, CUstreamCaptureMode mode), begin_capture(hStream, NULL), hStream, mode)

/* The first version of the function has no mode. */
#define BEGIN_CAPTURE_1(name) SEEN(name, (CUstream hStream), begin_capture(hStream, NULL), hStream)

#define BEGIN_CAPTURE_TO_GRAPH(name)                                                                                   \
    SEEN(name,                                                                                                         \
         (CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,    \
          size_t numDependencies, CUstreamCaptureMode mode),                                                           \
         hGraph ? begin_capture(hStream, hGraph) : CUDA_ERROR_INVALID_VALUE, hStream, hGraph, dependencies,            \
         dependencyData, numDependencies, mode)

#define END_CAPTURE(name)                                                                                              \
    SEEN(name, (CUstream hStream, CUgraph * phGraph), end_capture(hStream, phGraph), hStream, phGraph)

BEGIN_CAPTURE_1(cuStreamBeginCapture)
BEGIN_CAPTURE_1(cuStreamBeginCapture_ptsz)
BEGIN_CAPTURE(cuStreamBeginCapture_v2)
BEGIN_CAPTURE(cuStreamBeginCapture_v2_ptsz)
BEGIN_CAPTURE_TO_GRAPH(cuStreamBeginCaptureToGraph)
BEGIN_CAPTURE_TO_GRAPH(cuStreamBeginCaptureToGraph_ptsz)
END_CAPTURE(cuStreamEndCapture)
END_CAPTURE(cuStreamEndCapture_ptsz)

CUresult CUDAAPI cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    *captureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
    if (capture_is_active(hStream))
        *captureStatus = hStream->is_spoiled ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
}
