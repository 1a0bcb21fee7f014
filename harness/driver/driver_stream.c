/* Streams, captures and events. */
#include "front.h"

#define INFO(stream, status, id, graph, dependencies, edges, count)                                                    \
    cudaStreamGetCaptureInfo(stream, (enum cudaStreamCaptureStatus *)(status), (unsigned long long *)(id), graph,      \
                             dependencies, (const cudaGraphEdgeData **)(edges), count)

/* clang-format off */
FRONT(cuStreamCreate, (CUstream *stream, unsigned flags), cudaStreamCreateWithFlags(stream, flags))
FRONT(cuStreamCreateWithPriority, (CUstream *stream, unsigned flags, int priority), cudaStreamCreateWithPriority(stream, flags, priority))
FRONT(cuStreamDestroy_v2, (CUstream stream), cudaStreamDestroy(stream))
FRONT(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
FRONT(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
FRONT(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), cudaStreamWaitEvent(stream, event, flags))
FRONT(cuStreamAddCallback, (CUstream stream, CUstreamCallback callback, void *data, unsigned flags), cudaStreamAddCallback(stream, (cudaStreamCallback_t)callback, data, flags))
FRONT(cuStreamGetPriority, (CUstream stream, int *priority), cudaStreamGetPriority(stream, priority))
FRONT(cuStreamGetFlags, (CUstream stream, unsigned *flags), cudaStreamGetFlags(stream, flags))
FRONT(cuStreamGetId, (CUstream stream, unsigned long long *id), cudaStreamGetId(stream, id))
FRONT(cuStreamGetDevice, (CUstream stream, CUdevice *device), cudaStreamGetDevice(stream, device))
FRONT(cuStreamGetCtx, (CUstream stream, CUcontext *context), ((void)stream, SET(context, context_now(), cudaSuccess)))
FRONT(cuStreamGetCtx_v2, (CUstream stream, CUcontext *context, CUgreenCtx *green), ((void)stream, SET(context, context_now(), SET(green, NULL, cudaSuccess))))
FRONT(cuStreamSetAttribute, (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value), cudaStreamSetAttribute(stream, (cudaStreamAttrID)attribute, (const cudaStreamAttrValue *)value))
FRONT(cuStreamAttachMemAsync, (CUstream stream, CUdeviceptr at, size_t length, unsigned flags), ((void)stream, (void)at, (void)length, (void)flags, runtime_lost()))

FRONT(cuEventCreate, (CUevent *event, unsigned flags), cudaEventCreateWithFlags(event, flags))
FRONT(cuEventDestroy_v2, (CUevent event), cudaEventDestroy(event))
FRONT(cuEventRecord, (CUevent event, CUstream stream), cudaEventRecord(event, stream))
FRONT(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags), cudaEventRecordWithFlags(event, stream, flags))
FRONT(cuEventQuery, (CUevent event), cudaEventQuery(event))
FRONT(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
FRONT(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end), cudaEventElapsedTime(milliseconds, start, end))
FRONT(cuEventElapsedTime_v2, (float *milliseconds, CUevent start, CUevent end), cudaEventElapsedTime(milliseconds, start, end))

FRONT(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode), cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode))
FRONT(cuStreamEndCapture, (CUstream stream, CUgraph *graph), cudaStreamEndCapture(stream, graph))
FRONT(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status))
FRONT(cuStreamGetCaptureInfo, (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id), INFO(stream, status, id, NULL, NULL, NULL, NULL))
FRONT(cuStreamGetCaptureInfo_v2, (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **dependencies, size_t *count), INFO(stream, status, id, graph, dependencies, NULL, count))
FRONT(cuStreamGetCaptureInfo_v3, (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count), INFO(stream, status, id, graph, dependencies, edges, count))
FRONT(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *mode), cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode))
/* clang-format on */
