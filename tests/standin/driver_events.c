/* Events tell the made up time of the kernels before them, which is the profiler's, too. */
#include "driver.h"

struct CUevent_st {
    double at_ns;
};

CUresult CUDAAPI cuEventCreate(CUevent *phEvent, unsigned Flags)
{
    (void)Flags;
    READY();
    return SET(phEvent, memory_new(sizeof **phEvent));
}

ANSWER(cuEventDestroy_v2, (CUevent hEvent), (memory_free(hEvent), CUDA_SUCCESS))

static CUresult record(CUevent event)
{
    READY();
    return SET(&event->at_ns, context_current()->clock_ns);
}

SEEN(cuEventRecord, (CUevent hEvent, CUstream hStream), record(hEvent), hEvent, hStream)
SEEN(cuEventSynchronize, (CUevent hEvent), driver_ready(), hEvent)

CUresult CUDAAPI cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    *pMilliseconds = (float)((hEnd->at_ns - hStart->at_ns) / 1e6);
    return driver_ready();
}
